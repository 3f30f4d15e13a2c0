//! Every reader of run folders, fed with damaged files: no panic, no hang, no runaway of memory.
//! Checksums would keep nearly all damage out, so that half of the inputs get the right ones, as a
//! forger would write them. The corpus lies in `fuzz/corpus`; `STICTION_FUZZ_EXECUTIONS=1000000`
//! makes a long run.

mod common;
#[path = "../../../fuzz/mutate.rs"]
mod mutate;

use mutate::fuzz;
use std::io::Cursor;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::container::repair_checksums;
use stiction_output::layout_file::from_parts;
use stiction_output::stats::parse;
use stiction_output::{Checkpoint, Frame, RunId};

/// Little memory, so that executions stay short.
const BUDGET: Budget = Budget::of_bytes(20_000_000);

#[test]
fn frame() {
    let layout = common::layout();
    let repair = |bytes: &mut Vec<u8>| repair_checksums(bytes);
    fuzz("frame", repair, |bytes| Frame::read(Cursor::new(bytes), Path::new("f"), &layout, &BUDGET).is_ok());
}

#[test]
fn checkpoint() {
    let repair = |bytes: &mut Vec<u8>| repair_checksums(bytes);
    fuzz("checkpoint", repair, |bytes| Checkpoint::from_bytes(bytes, Path::new("c"), &BUDGET).is_ok());
}

/// The readable part, a zero, and the arrays.
#[test]
fn layout() {
    let parts = |bytes: &[u8]| bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let repair = |bytes: &mut Vec<u8>| {
        let middle = (parts(bytes) + 1).min(bytes.len());
        let mut arrays = bytes.split_off(middle);
        repair_checksums(&mut arrays);
        bytes.extend(arrays);
    };
    fuzz("layout", repair, |bytes| {
        let (json, arrays) = bytes.split_at(parts(bytes));
        let json = String::from_utf8_lossy(json);
        let arrays = Cursor::new(arrays.get(1..).unwrap_or_default());
        from_parts(&json, Path::new("layout.json"), arrays, Path::new("layout.bin"), &BUDGET).is_ok()
    });
}

#[test]
fn statistics() {
    let trusted = |bytes: &[u8], run| !parse(bytes, run).records.is_empty();
    fuzz("stats", |_| {}, |bytes| trusted(bytes, RunId::NONE) || trusted(bytes, common::RUN));
}
