//! Statistics of a run: `cargo fuzz run stats`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction_output::RunId;
use stiction_output::stats::parse;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(bytes, RunId::NONE);
});
