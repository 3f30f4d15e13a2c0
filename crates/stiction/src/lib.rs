//! Bodies in frictional contact: a scene becomes a model, the model takes steps, the steps become a
//! run folder.
//!
//! Comes in: the name or path of a scene, or a resolved scene. Goes out: states, reports, contact
//! forces, and a run folder on disk. Knows nothing of command lines, pictures or pages: those are
//! front ends of this crate. A host program owns its process: no signal handlers, no process-wide
//! thread pool and no allocator settings are made here.
//!
//! [`Simulation`] steps a scene, [`run()`] and [`Job`] write one into a folder, and `examples/`
//! shows how to read forces, and how to bring a law, a solver or a statistic of one's own.

#![forbid(unsafe_code)]

pub mod build_id;
pub mod checkpoint;
pub mod clock;
mod driven_motions;
mod driving;
pub mod error;
mod forces;
pub mod gallery;
pub mod intersections;
pub mod job;
pub mod recorder;
pub mod recording;
pub mod run;
pub mod scene_source;
pub mod settings;
pub mod simulation;
mod statistics;
pub mod stop;
pub mod tessellate;
pub mod threads;

pub use build_id::build_id;
pub use driving::{Drive, DrivenPose};
pub use error::SimulationError;
pub use intersections::{FoundPair, IntersectionReport};
pub use job::Job;
pub use recorder::Recorder;
pub use run::{RunOptions, RunProgress, run};
pub use scene_source::{OpenedScene, SceneIdentity};
pub use settings::Settings;
pub use simulation::Simulation;
pub use stop::StopFlag;
pub use threads::Threads;

pub use stiction_bodies as bodies;
pub use stiction_collision as collision;
pub use stiction_contact as contact;
pub use stiction_energy as energy;
pub use stiction_limits as limits;
pub use stiction_numerics as numerics;
pub use stiction_output as output;
pub use stiction_scene as scene;
pub use stiction_solvers as solvers;

/// Version of the program, written to runs.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
