//! Statistics of a run: `cargo fuzz run stats`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction_output::stats::records_of;

fuzz_target!(|bytes: &[u8]| {
    let _ = records_of(bytes, u64::MAX);
});
