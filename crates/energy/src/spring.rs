//! Length springs, and the radial law that attachments share with them.

use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_numerics::{Mat3, Vec3};

/// Quadratic energy of the length of a difference vector `d`: `E = ½k(|d| − L)²`
/// k stiffness \[N/m\] · L rest length \[m\].
///
/// With L > 0 and d → 0 the direction is unknown: the force is taken as zero and the projected
/// curvature is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadialSpring {
    /// Stiffness \[N/m\].
    pub stiffness: f64,
    /// Rest length \[m\]; zero makes the energy quadratic in `d`.
    pub rest_length: f64,
}

/// Differences shorter than this fraction of the rest length have no direction.
const DIRECTION_FLOOR: f64 = 1e-12;

impl RadialSpring {
    /// Energy \[J\].
    pub fn energy(&self, difference: &Vec3) -> f64 {
        0.5 * self.stiffness * (difference.norm() - self.rest_length).powi(2)
    }

    /// Gradient by the difference vector \[N\]: `k(1 − L/|d|) d`.
    pub fn gradient(&self, difference: &Vec3) -> Vec3 {
        if self.rest_length == 0.0 {
            return difference * self.stiffness;
        }
        let length = difference.norm().max(DIRECTION_FLOOR * self.rest_length);
        difference * (self.stiffness * (1.0 - self.rest_length / length))
    }

    /// Second derivative \[N/m\]: k along `d`, `k(1 − L/|d|)` across; the latter is negative under
    /// compression.
    pub fn curvature(&self, difference: &Vec3, curvature: Curvature) -> Mat3 {
        if self.rest_length == 0.0 {
            return Mat3::from_diagonal_element(self.stiffness);
        }
        let length = difference.norm().max(DIRECTION_FLOOR * self.rest_length);
        let along = difference / length;
        let mut across = 1.0 - self.rest_length / length;
        if curvature == Curvature::Projected {
            across = across.max(0.0);
        }
        (Mat3::from_diagonal_element(across) + along * along.transpose() * (1.0 - across)) * self.stiffness
    }
}

/// Spring between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringElement {
    /// The two nodes.
    pub nodes: [u32; 2],
    /// Stiffness and rest length.
    pub spring: RadialSpring,
}

impl SpringElement {
    /// A thread of axial stiffness `EA` \[N\] and rest length \[m\]: `k = EA/L`.
    pub fn thread(nodes: [u32; 2], axial_stiffness: f64, rest_length: f64) -> Self {
        SpringElement {
            nodes,
            spring: RadialSpring { stiffness: axial_stiffness / rest_length, rest_length },
        }
    }
}

impl Element<2> for SpringElement {
    fn blocks(&self) -> [u32; 2] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 2>) -> f64 {
        self.spring.energy(&(at.x[1] - at.x[0]))
    }

    fn gradient(&self, at: &Stencil<'_, 2>) -> [Vec3; 2] {
        let pull = self.spring.gradient(&(at.x[1] - at.x[0]));
        [-pull, pull]
    }

    fn hessian(&self, at: &Stencil<'_, 2>, curvature: Curvature) -> LocalHessian<2> {
        let h = self.spring.curvature(&(at.x[1] - at.x[0]), curvature);
        [[h, -h], [-h, h]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checks, check_element};
    use crate::material_table::NO_MATERIALS;

    #[test]
    fn derivatives_under_tension_and_compression() {
        let spring = SpringElement::thread([0, 1], 40.0, 0.5);
        let mut checks = Checks::nodes(0.5);
        checks.step = 5e-4;
        for length in [0.2, 0.5, 0.9] {
            check_element(
                &spring,
                |random| {
                    let start = random.vector();
                    let along = random.rotation() * Vec3::x() * length;
                    Stencil { x: [start, start + along], frames: &[], materials: &NO_MATERIALS }
                },
                &checks,
            );
        }
    }

    #[test]
    fn collapsed_spring_is_finite_and_projected_to_zero() {
        let spring = SpringElement::thread([0, 1], 1.0, 1.0);
        let at = Stencil { x: [Vec3::x(); 2], frames: &[], materials: &NO_MATERIALS };
        assert_eq!(spring.gradient(&at)[0], Vec3::zeros());
        assert_eq!(spring.hessian(&at, Curvature::Projected)[0][0], Mat3::zeros());
        assert!(spring.hessian(&at, Curvature::Exact)[0][0].iter().all(|h| h.is_finite()));
    }
}
