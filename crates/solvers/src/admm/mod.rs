//! Method `admm`: projected Newton outside, ADMM inside, contact by matrix-free Gauss–Seidel. See
//! `README.md` in this folder.

mod admm_loop;
mod contacts;
mod elastic_step;
mod metric;
mod momentum;
mod nested_relaxation;
mod options;
mod rate;
mod solver;
mod weights;

pub use options::{AdmmOptions, Projection, Stop};
pub use solver::AdmmSolver;
