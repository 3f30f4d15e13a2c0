//! Method `barrier`: inexact Newton with cubic barriers, a line search on constraints alone, and no intersection ever. See
//! `README.md` beside this file.

mod anchors;
mod assembly;
mod check;
mod contacts;
mod friction;
mod line_search;
mod newton;
mod options;
mod solver;
mod strain_limits;
mod walls;

pub use options::{BarrierOptions, BarrierShape, FrictionModel};
pub use solver::BarrierSolver;
