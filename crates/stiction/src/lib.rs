//! Bodies in frictional contact: a scene becomes a model, the model takes steps, the steps become a run folder.
//!
//! Comes in: a resolved scene. Goes out: states, reports, and a run folder on disk. Knows nothing of command lines, pictures
//! or pages: those are doors onto this crate.

#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod clock;
pub mod error;
pub mod gallery;
pub mod judgement;
pub mod recording;
pub mod run;
pub mod simulation;
pub mod tessellate;

pub use error::SimulationError;
pub use judgement::{Finding, Judgement};
pub use run::{Progress, RunOptions, run};
pub use simulation::Simulation;

pub use stiction_bodies as bodies;
pub use stiction_collision as collision;
pub use stiction_contact as contact;
pub use stiction_energy as energy;
pub use stiction_numerics as numerics;
pub use stiction_output as output;
pub use stiction_scene as scene;
pub use stiction_solvers as solvers;

/// Version of the program, written to runs and checked when they are resumed.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
