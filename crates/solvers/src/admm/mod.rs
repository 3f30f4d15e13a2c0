//! Method `admm`: projected Newton outside, ADMM inside, contact by matrix-free Gauss–Seidel. See `README.md` beside this file.

mod elastic_step;
mod inner;
mod options;
mod solver;
mod weights;

pub use options::AdmmOptions;
pub use solver::AdmmSolver;
