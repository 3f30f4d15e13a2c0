//! Method `newton`: implicit integrators by projected Newton with line search, no contact. See
//! `README.md` in this folder.

mod options;
mod solver;

pub use options::NewtonOptions;
pub use solver::NewtonSolver;
