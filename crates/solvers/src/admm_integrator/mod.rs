//! Method `admm_integrator`: an ADMM time integrator that relaxes hair with frictional contact. See
//! `README.md` in this folder.

mod contact_step;
mod local_step;
mod options;
mod solver;
mod strands;
mod twist;

pub use options::IntegratorOptions;
pub use solver::IntegratorSolver;
