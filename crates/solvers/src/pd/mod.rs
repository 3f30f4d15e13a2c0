//! Method `pd`: projective dynamics with ADMM contact and one prefactored global matrix. See `README.md` beside this file.

mod constraints;
mod contact_step;
mod corotated;
mod global_step;
mod local_step;
mod options;
mod residuals;
mod selection;
mod solver;
mod step_data;

pub use options::{Accept, PdOptions};
pub use solver::PdSolver;
