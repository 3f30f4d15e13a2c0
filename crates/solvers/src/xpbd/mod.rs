//! Method `xpbd`: compliant position-based cloth. See `README.md` in this folder.

mod constraints;
mod options;
mod solver;

pub use options::XpbdOptions;
pub use solver::XpbdSolver;
