//! Scene files: format, units, presets, validation and mesh input.
//!
//! Comes in: TOML or JSON text, mesh files, overrides. Goes out: a [`Scene`], validated, in SI units, with
//! every name resolved, or an error that names file, line, object and fix. Does not know: elasticity,
//! collision or how any method works; method options pass through unread.

#![forbid(unsafe_code)]

pub mod material;
pub mod motion;
pub mod resolved;

pub use material::*;
pub use motion::{Interpolation, KeyFrame, Motion, Pose};
pub use resolved::*;
