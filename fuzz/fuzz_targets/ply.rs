//! PLY meshes: `cargo fuzz run ply`. Whatever the bytes are, reading them ends with a mesh or an
//! error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction_scene::read::mesh_from_bytes;

fuzz_target!(|bytes: &[u8]| {
    let _ = mesh_from_bytes("ply", bytes, "m");
});
