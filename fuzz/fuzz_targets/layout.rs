//! The readable part of a layout, a zero, and its arrays: `cargo fuzz run layout`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::container::repair_checksums;
use stiction_output::layout_file::from_parts;

fuzz_target!(|bytes: &[u8]| {
    let middle = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let (json, arrays) = bytes.split_at(middle);
    let mut arrays = arrays.get(1..).unwrap_or_default().to_vec();
    repair_checksums(&mut arrays);
    let json = String::from_utf8_lossy(json);
    let [readable, binary] = ["layout.json", "layout.bin"].map(Path::new);
    let _ = from_parts(&json, readable, Cursor::new(&arrays), binary, &Budget::of_bytes(20_000_000));
});
