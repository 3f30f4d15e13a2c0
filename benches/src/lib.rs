//! Timings of kernels and whole scenes: the cases of `stiction bench`.
//!
//! Comes in: names of cases, how long to measure. Goes out: records of figures (wall time, core
//! time, bytes, counts), each perhaps with the value that it has to reach. Does not know how
//! records are shown, and judges no physics.
//!
//! A case is a function under [`cases`]; [`registry`] lists them in the order in which they are
//! reported. Times are per item of work. Wall time is the best of the rounds, core time (of all
//! threads) their mean: on a shared machine the first falls between the interruptions and the
//! second is not charged for them.

#![forbid(unsafe_code)]

pub mod cases;
pub mod machine;
pub mod measure;
pub mod meshes;
pub mod record;
pub mod registry;

pub use machine::Machine;
pub use measure::{Spent, measure};
pub use record::{Figure, FigureLimit, Reached, Record};
pub use registry::{BenchCase, BenchError, BenchSettings, all, find};
