//! `--set path=value` on a scene: `cargo fuzz run override`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use stiction_limits::Budget;
use stiction_scene::Loader;

fuzz_target!(|bytes: &[u8]| {
    let loader = Loader { budget: Budget::of_bytes(20_000_000) };
    let scene = include_str!("../corpus/scene/cloth.toml");
    let _ = loader.text("scene.toml", scene, Path::new("no folder"), &[String::from_utf8_lossy(bytes)]);
});
