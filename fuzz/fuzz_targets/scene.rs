//! Scene text, resolved within a small budget: `cargo fuzz run scene`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use stiction_limits::Budget;
use stiction_scene::Loader;

fuzz_target!(|bytes: &[u8]| {
    let loader = Loader { budget: Budget::of_bytes(20_000_000) };
    let text = String::from_utf8_lossy(bytes);
    let _ = loader.text("scene.toml", &text, Path::new("no folder"), &[] as &[&str]);
});
