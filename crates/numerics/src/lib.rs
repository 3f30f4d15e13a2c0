//! Small dense maths, sparse blocks, Krylov solvers, colouring and ordered reductions.
//!
//! Comes in: plain numbers and index lists. Goes out: the same. Knows no physics, no files, no scene.

pub mod types;

pub use nalgebra;
pub use types::{Mat2, Mat3, Mat3x2, Vec2, Vec3};
