//! Point caches: `cargo fuzz run pc2`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction_scene::read::point_cache;

fuzz_target!(|bytes: &[u8]| {
    let _ = point_cache(bytes, "m");
});
