//! Method `pd`: projective dynamics with ADMM contact and one prefactored global matrix. See
//! `README.md` in this folder.

mod batches;
mod constraints;
mod contact_step;
mod global_step;
mod incidence;
mod lane_polar;
mod limit_rounds;
mod local_step;
mod options;
mod outer_loop;
mod part_matrix;
mod residuals;
mod selection;
mod solver;
mod step_data;
mod stretch_limits;
mod tets;
mod triangles;

pub use options::{Accept, PdOptions};
pub use solver::PdSolver;
