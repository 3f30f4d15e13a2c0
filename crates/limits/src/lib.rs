//! What a file from a stranger may cost: a memory budget, and input files that are regular files.
//!
//! Comes in: sizes that a scene, mesh or run folder asks for; paths that a user or a file names.
//! Goes out: permission, or an error with the number asked and the budget; opened regular files.
//! Does not know: any file format.

#![forbid(unsafe_code)]

mod budget;
mod input;

pub use budget::{Budget, OverBudget, in_words};
pub use input::{open_input, read_input, read_input_text};
