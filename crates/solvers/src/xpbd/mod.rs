//! Method `xpbd`: compliant position-based cloth. See `README.md` beside this file.

mod constraints;
mod options;
mod solver;

pub use options::XpbdOptions;
pub use solver::XpbdSolver;
