//! Prescribed obstacles.

use super::{FrictionDirection, Mesh};
use crate::motion::Motion;
use stiction_numerics::Vec3;

/// A prescribed obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Unique name.
    pub name: String,
    /// Shape at time zero before `motion` acts.
    pub shape: ColliderShape,
    /// How it moves.
    pub motion: ColliderMotion,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Direction-dependent friction, if any; it moves with the collider.
    pub friction_direction: Option<FrictionDirection>,
    /// Geometric thickness [m], half of it on each side of the surface.
    pub thickness: f64,
    /// Distance at which contact begins to act [m].
    pub contact_gap: f64,
    /// Display colour, sRGB from 0 to 1 as written; runs store it so, exports decode it.
    pub colour: Option<[f32; 3]>,
}

/// Shape of a collider in world coordinates. `inverted` ones keep bodies inside.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Half space normal·x ≤ offset is solid.
    Plane {
        /// Unit normal out of the solid side.
        normal: Vec3,
        /// Distance of the plane from the origin along the normal [m].
        offset: f64,
    },
    /// Ball.
    Sphere {
        /// Centre [m].
        centre: Vec3,
        /// Radius [m].
        radius: f64,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Box, possibly turned.
    Box {
        /// Centre [m].
        centre: Vec3,
        /// Half edge lengths [m].
        half_size: Vec3,
        /// Rotation vector [rad].
        rotation: Vec3,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Closed cylinder between two points of its axis.
    Cylinder {
        /// One end of the axis [m].
        start: Vec3,
        /// Other end of the axis [m].
        end: Vec3,
        /// Radius [m].
        radius: f64,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Capsule around a segment.
    Capsule {
        /// One end of the segment [m].
        start: Vec3,
        /// Other end of the segment [m].
        end: Vec3,
        /// Radius [m].
        radius: f64,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Triangles or strands.
    Mesh(Mesh),
}

/// How a collider moves.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderMotion {
    /// As one piece; [`Motion::is_static`] where it rests.
    Keyed(Motion),
    /// Vertex positions of a mesh over time, linear between, the last one held.
    Sequence {
        /// Positions per sample [m], all of the length of the mesh.
        positions: Vec<Vec<Vec3>>,
        /// Samples per second [1/s].
        fps: f64,
    },
}
