//! Method `descent`: rigid bodies, joints, contact with friction. See `README.md` in this folder.

mod contacts;
mod detect;
mod islands;
mod joints;
mod law;
mod memory;
mod motion;
mod newton;
mod options;
mod pieces;
mod report;
mod solver;
mod stiffness;
mod system;

pub use options::DescentOptions;
pub use solver::DescentSolver;
