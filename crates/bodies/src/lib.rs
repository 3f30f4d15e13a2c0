//! From a scene to an immutable model and a mutable state.
//!
//! Comes in: a resolved scene. Goes out: `Model` (topology, rest shapes, maps), `Parameters` (values that
//! estimation may vary) and `State` (plain arrays). Knows no energies, no contacts and no solvers.

pub mod frames;

pub use frames::EdgeFrame;
