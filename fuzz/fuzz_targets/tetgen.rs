//! Both files of TetGen in one input, parted by a zero: `cargo fuzz run tetgen`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction_scene::read::tet_mesh_from_bytes;

fuzz_target!(|bytes: &[u8]| {
    let middle = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let (node, ele) = bytes.split_at(middle);
    let _ = tet_mesh_from_bytes(node, ele.get(1..).unwrap_or_default(), "m");
});
