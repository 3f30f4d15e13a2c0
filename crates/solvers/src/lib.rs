//! Time stepping methods: the [`Solver`] trait, what methods share, and a room per method.
//!
//! Comes in: a model, its parameters and a state. Goes out: the state one step later and an honest
//! report. Knows no files and no frames. Rooms never import each other; what two rooms share stands
//! here, beside them.

#![forbid(unsafe_code)]

pub mod admm;
pub mod admm_integrator;
pub mod advance;
pub mod barrier;
mod checks;
pub mod commit;
pub mod contact_report;
pub mod descent;
pub mod first_contacts;
pub mod guide;
pub mod incremental;
pub mod linear;
pub mod newton;
pub mod object_factors;
pub mod pd;
pub mod registry;
pub mod renew;
pub mod report;
pub mod rod_factors;
pub mod runaway;
pub mod saved;
pub mod solver;
pub mod stage;
mod study;
pub mod support;
pub mod violations;
mod weighted_node;
mod wrench;
pub mod xpbd;

pub use registry::{MethodError, MethodInfo, create, methods, with_resolve_time};
pub use report::{ContactSample, StepReport, StepSeconds};
pub use runaway::RunawayGuard;
pub use saved::{RestoreError, SavedState};
pub use solver::{Solver, StepError, World};
pub use support::{Feature, Level, ignored_settings};
pub use violations::{Meeting, Obstacle, Script, Violation};
pub use wrench::{PairWrench, Wrench};
