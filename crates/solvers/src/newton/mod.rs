//! Method `newton`: backward Euler by projected Newton with line search, no contact. See `README.md` beside this file.

mod options;
mod solver;

pub use options::NewtonOptions;
pub use solver::NewtonSolver;
