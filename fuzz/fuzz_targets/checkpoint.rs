//! Checkpoints with right checksums: `cargo fuzz run checkpoint`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::Checkpoint;
use stiction_output::container::repair_checksums;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    repair_checksums(&mut bytes);
    let _ = Checkpoint::from_bytes(&bytes, Path::new("c"), &Budget::of_bytes(20_000_000));
});
