//! Finding contacts for a solver: the collision service over a model.
//!
//! Comes in: a model, a configuration, a time. Goes out: contacts with free nodes, weights,
//! normals, gaps and friction, ready for a contact set. Solvers ask when their method needs it;
//! they get a service, not a finished list.

mod analytic;
mod analytic_near;
mod analytic_search;
mod compile;
mod contact_finder;
mod convert;
mod entangled;
mod filter;
mod intersections;
mod meetings;
mod near_pair;
mod rooted;
mod sieve;
mod step_pairs;
mod touching;
mod zones;

pub use analytic::{MovingShape, PlacedShape, PosedShape, SurfaceMotion, Travel};
pub use analytic_search::{nearest_in_triangle, nearest_on_segment};
pub use compile::collision_mesh;
pub use contact_finder::{ContactFinder, DetectError, DetectOptions, StepMotion, pair_gap};
pub use filter::FilterReport;
pub use intersections::IntersectionCheck;
pub use meetings::KnownContacts;
