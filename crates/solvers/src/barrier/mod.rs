//! Method `barrier`: inexact Newton with cubic barriers, a line search on constraints alone, and no
//! intersection ever. See `README.md` beside this file.

mod anchors;
mod assembly;
mod check;
mod contacts;
mod couples;
mod finish;
mod friction;
mod islands;
mod line_search;
mod linear;
mod measures;
mod near;
mod newton;
mod options;
mod packed_pairs;
mod progress;
mod solver;
mod strain_limits;
mod stuck;
mod wall_field;
mod walls;

pub use measures::Conditions;
pub use options::{
    BarrierOptions, BarrierShape, ContactMass, FrictionModel, LinearPolicy, PcgNorm, SlidingHessian, StepSpan,
};
pub use solver::BarrierSolver;
