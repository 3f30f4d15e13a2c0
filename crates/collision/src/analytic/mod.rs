//! Shapes that need no mesh: exact signed distance, closest point, normal and surface velocity.
//!
//! A [`Shape`] lives in its body frame; [`RigidMotion`] places and moves it. The signed distance is
//! positive in the free space: outside of a solid, inside of a container. Normals point into the
//! free space. On the medial axis (centre of a sphere, axis of a cylinder) one of the equally good
//! normals is chosen, always the same.
//!
//! Against these shapes points are tested, not edges or faces: exact for a plane, for containers
//! that are convex inside, and up to the sagitta ℓ²/(8R) of an edge of length ℓ on a round solid of
//! radius R. Sharp edges and corners of a solid box can enter between the vertices of a coarse
//! mesh: use a mesh collider there. [`segment_sphere_gap`] and [`segment_capsule_gap`] give the
//! exact gap of a segment where it is simple.

mod motion;
mod shape;

pub use motion::{RigidMotion, point_advance};
pub use shape::{Shape, ShapeError, SurfacePoint};

use crate::distance::{edge_edge, point_edge};
use stiction_numerics::Vec3;

/// Signed gap of the segment `a`–`b` and a sphere of this radius around the origin \[m\].
pub fn segment_sphere_gap(a: &Vec3, b: &Vec3, radius: f64) -> f64 {
    point_edge(&Vec3::zeros(), a, b).distance_squared.sqrt() - radius
}

/// Signed gap of the segment `a`–`b` and a capsule along z \[m\].
pub fn segment_capsule_gap(a: &Vec3, b: &Vec3, radius: f64, half_length: f64) -> f64 {
    let tip = Vec3::z() * half_length;
    edge_edge(a, b, &-tip, &tip).distance_squared.sqrt() - radius
}
