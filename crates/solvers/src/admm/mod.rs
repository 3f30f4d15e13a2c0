//! Method `admm`: projected Newton outside, ADMM inside, contact by matrix-free Gauss–Seidel. See `README.md` beside this file.

mod contacts;
mod elastic_step;
mod inner;
mod momentum;
mod nested_relaxation;
mod options;
mod rate;
mod solver;
mod weights;

pub use options::{AdmmOptions, Projection, Stop};
pub use solver::AdmmSolver;
