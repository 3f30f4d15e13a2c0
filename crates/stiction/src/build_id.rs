//! Which build of the program this is.
//!
//! Equal bits are promised between runs of one build. A version number does not tell builds apart:
//! compiler, flags and libraries also decide about the last bits. The bytes of the running program
//! do.

use crate::VERSION;
use std::fs::File;
use std::sync::OnceLock;
use stiction_output::hash;

/// Version and hash of the running program, `0.1.0+0123456789abcdef`; the version alone where the
/// program's file cannot be read. A host program that loads this library later changes it with its
/// own file only.
pub fn build_id() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let program = std::env::current_exe().and_then(File::open).and_then(hash::hash_reader);
        program.map_or_else(|_| VERSION.to_owned(), |found| format!("{VERSION}+{}", hash::hex(found)))
    })
}
