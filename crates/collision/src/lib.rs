//! Broad phase, distances, continuous collision detection and intersection tests: geometry only.
//!
//! Comes in: a [`CollisionMesh`](surface::CollisionMesh) (triangles, rod segments, points,
//! thickness, body ids) and plain arrays of positions \[m\]. Goes out: candidate pairs, closest
//! features with weights and normals, certified times of impact, crossings and overlaps. Does not
//! know: velocities as state, forces, friction, materials, solvers, scene files.
//!
//! The route: [`surface`] → [`broad_phase`] (over [`bvh`]) → [`narrow_phase`] (over [`distance`])
//! or [`motion`] (over [`ccd`]); [`intersection`] judges a whole state; [`analytic`] holds the
//! shapes that need no mesh.

// `!(a > b)` is meant: a NaN must count as "not proven", which is the safe side everywhere in this
// crate
#![allow(clippy::neg_cmp_op_on_partial_ord)]

pub mod analytic;
pub mod broad_phase;
pub mod bvh;
pub mod ccd;
pub mod distance;
mod excluded;
mod half_thickness;
pub mod intersection;
pub mod motion;
pub mod narrow_phase;
pub mod surface;

pub use broad_phase::{BroadPhase, Candidates};
pub use narrow_phase::{PairKind, ProximityPair};
pub use surface::{BodyTraits, CollisionMesh, MeshInput, SurfaceError};
