//! Rotation of a rigid body without torque.
//!
//! Euler's equations in the principal frame, dl/dt = l × ω with l_k = I_k ω_k, have the energy
//! H = Σ_k l_k²/(2 I_k). Each of its three terms alone turns the body uniformly about axis k by the
//! angle τ l_k/I_k, which is solved exactly. The symmetric composition ½3 ½2 1 ½2 ½3, the axis of
//! the largest moment in the middle (the other way round the energy error of a tumbling body was 13
//! times as large), is of second order, time-reversible and symplectic: the angular momentum is
//! kept to round-off and the energy error stays bounded, where an explicit gyroscopic term gains
//! energy without end.
//! \[Touma1994; Dullweber1997\]

use stiction_numerics::nalgebra::{Rotation3, Unit, UnitQuaternion};
use stiction_numerics::{Mat3, Vec3, eigen_symmetric3};

/// Principal moments of inertia and their axes: I = Q diag(I₁, I₂, I₃) Qᵀ in the frame of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalInertia {
    /// I₁ ≥ I₂ ≥ I₃, positive \[kg m²\], or \[m⁵\] at unit density.
    pub moments: Vec3,
    /// Q: turns directions of the principal frame into directions of the body.
    pub body_from_principal: UnitQuaternion<f64>,
}

impl PrincipalInertia {
    /// The principal moments of a symmetric positive tensor.
    pub fn of(inertia: &Mat3) -> PrincipalInertia {
        let eigen = eigen_symmetric3(inertia);
        let axes = Rotation3::from_matrix_unchecked(eigen.vectors);
        PrincipalInertia {
            moments: eigen.values,
            body_from_principal: UnitQuaternion::from_rotation_matrix(&axes),
        }
    }

    /// The same shape at a density \[kg/m³\].
    pub fn at_density(&self, density: f64) -> PrincipalInertia {
        PrincipalInertia { moments: self.moments * density, ..*self }
    }
}

/// Orientation and angular velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin {
    /// Turns directions of the body into directions of the world.
    pub orientation: UnitQuaternion<f64>,
    /// In the world \[rad/s\].
    pub angular_velocity: Vec3,
}

/// Rotation over a step without torque.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeRotation {
    /// Where it ends.
    pub end: Spin,
    /// Rotation vector from the orientation at the start to that at the end, in the world \[rad\].
    pub rotation_vector: Vec3,
}

impl FreeRotation {
    /// Turns a body freely over `h` \[s\].
    pub fn over(start: &Spin, inertia: &PrincipalInertia, h: f64) -> FreeRotation {
        let mut world_from_principal = start.orientation * inertia.body_from_principal;
        // Angular momentum in the principal frame.
        let mut momentum =
            (world_from_principal.inverse() * start.angular_velocity).component_mul(&inertia.moments);
        for (axis, share) in [(2, 0.5), (1, 0.5), (0, 1.0), (1, 0.5), (2, 0.5)] {
            let angle = share * h * momentum[axis] / inertia.moments[axis];
            let turn = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(unit(axis)), angle);
            world_from_principal *= turn;
            momentum = turn.inverse() * momentum;
        }
        world_from_principal.renormalize();
        let orientation = world_from_principal * inertia.body_from_principal.inverse();
        let angular_velocity = world_from_principal * momentum.component_div(&inertia.moments);
        FreeRotation {
            end: Spin { orientation, angular_velocity },
            rotation_vector: (orientation * start.orientation.inverse()).scaled_axis(),
        }
    }
}

fn unit(axis: usize) -> Vec3 {
    Vec3::from_fn(|k, _| if k == axis { 1.0 } else { 0.0 })
}

#[cfg(test)]
#[path = "free_rotation_tests.rs"]
mod tests;
