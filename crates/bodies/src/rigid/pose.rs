//! Where a rigid body is, and how its points move.

use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Vec3};

/// Place and orientation of a rigid body: a point a of the body is at centre + orientation · a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPose {
    /// Centre of mass in the world \[m\].
    pub centre: Vec3,
    /// Turns directions of the body into directions of the world.
    pub orientation: UnitQuaternion<f64>,
}

impl RigidPose {
    /// Where a point of the body is in the world \[m\].
    pub fn apply(&self, point_body: &Vec3) -> Vec3 {
        self.centre + self.orientation * point_body
    }

    /// Which point of the body is at a place in the world \[m\].
    pub fn undo(&self, place: &Vec3) -> Vec3 {
        self.orientation.inverse() * (place - self.centre)
    }

    /// From the centre to a point of the body, in the world \[m\].
    pub fn lever(&self, point_body: &Vec3) -> Vec3 {
        self.orientation * point_body
    }

    /// A tensor of the body, such as its inertia, in the world: R I Rᵀ.
    pub fn tensor(&self, of_body: &Mat3) -> Mat3 {
        let turn = self.orientation.to_rotation_matrix().into_inner();
        turn * of_body * turn.transpose()
    }
}
