//! Rigid bodies: a shape in its own frame, and where that frame is at the start.

use std::sync::Arc;
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Vec3};

/// A rigid body at the start. Its `SceneBody::mesh` holds the same vertices in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRigidBody {
    /// Its shape; copies of one body share it.
    pub shape: Arc<RigidShape>,
    /// Centre of mass in the world \[m\].
    pub centre: Vec3,
    /// Turns directions of the body into directions of the world.
    pub orientation: UnitQuaternion<f64>,
}

/// A shape in the frame of its body: the origin is the centre of mass, the axes are those of the
/// mesh as placed.
///
/// The moments are those of unit density, so that a mass can change while the shape stays.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidShape {
    /// Vertices \[m\].
    pub vertices: Vec<Vec3>,
    /// Closed surface, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Volume \[m³\].
    pub volume: f64,
    /// Inertia tensor about the origin at unit density, ∫ (|X|² I − X Xᵀ) dV \[m⁵\].
    pub inertia: Mat3,
}

impl RigidShape {
    /// Largest distance of a vertex from the centre of mass \[m\].
    pub fn size(&self) -> f64 {
        self.vertices.iter().map(|a| a.norm()).fold(0.0, f64::max)
    }
}

impl SceneRigidBody {
    /// Where the vertices are at the start \[m\].
    pub fn world_vertices(&self) -> Vec<Vec3> {
        self.shape.vertices.iter().map(|a| self.centre + self.orientation * a).collect()
    }
}
