//! Quadratic bending: the squared mean-curvature vector of a hinge, with a constant matrix.
//!
//! `E = c/(A₁+A₂) |Σ_i K_i x_i|²`    [Bergou2006, isometric bending model; c as for the hinge]
//!
//! `Σ K_i x_i = l (m₁ + m₂)` where `m` are the in-plane directions away from the edge: zero when
//! flat, of length `2 l sin(θ/2)` when folded. The weights `K` are sums of cotangents of the rest
//! triangles, so the energy equals the hinge's for small angles **as long as edges keep their
//! lengths**; stretching a folded shell changes it. The Hessian is constant, positive semi-definite
//! and the same in x, y and z, which is what projective methods want.
//!
//! The model has no rest angle: flat is its only state without force. [`QuadraticBend::new`]
//! refuses a curved rest shape; [`QuadraticBend::flattening`] takes its lengths all the same, and
//! the shell then wants to be flat.

use super::dihedral::dihedral_angle;
use super::hinge::rest_areas;
use super::plate::BendError;
use crate::element::{Curvature, Element, LocalHessian, Stencil};
use crate::material_table::MaterialTable;
use stiction_numerics::{Mat3, Vec3};

/// Rest angles up to this size \[rad\] count as flat.
const FLAT: f64 = 1e-6;

/// One quadratic hinge. Blocks: edge ends a, b, then flap vertices p, q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadraticBend {
    /// a, b, p, q.
    pub nodes: [u32; 4],
    /// Its place among the sheets of the material table.
    pub material: u32,
    /// K_i: sums of cotangents.
    pub curvature: [f64; 4],
    /// A₁+A₂ \[m²\].
    pub area: f64,
}

impl QuadraticBend {
    /// From flat rest positions of a, b, p, q.
    pub fn new(nodes: [u32; 4], rest: [Vec3; 4], material: u32) -> Result<QuadraticBend, BendError> {
        let angle = dihedral_angle(rest[0], rest[1], rest[2], rest[3]);
        if angle.abs() > FLAT {
            return Err(BendError::CurvedRest { nodes, angle });
        }
        QuadraticBend::flattening(nodes, rest, material)
    }

    /// From any rest positions, of which only the lengths are used: the flat state is without
    /// force.
    pub fn flattening(nodes: [u32; 4], rest: [Vec3; 4], material: u32) -> Result<QuadraticBend, BendError> {
        let [first, second] = rest_areas(nodes, rest)?;
        let edge = rest[1] - rest[0];
        // cot of the angle at a (along +e) and at b (along −e) in each triangle: (e·arm) / |e ×
        // arm|.
        let cot_a = |flap: usize, area: f64| edge.dot(&(rest[flap] - rest[0])) / (2.0 * area);
        let cot_b = |flap: usize, area: f64| -edge.dot(&(rest[flap] - rest[1])) / (2.0 * area);
        let (a1, b1) = (cot_a(2, first), cot_b(2, first));
        let (a2, b2) = (cot_a(3, second), cot_b(3, second));
        // l m for a triangle = apex (cot a + cot b) − a cot b − b cot a.
        let curvature = [-b1 - b2, -a1 - a2, a1 + b1, a2 + b2];
        Ok(QuadraticBend { nodes, material, curvature, area: first + second })
    }

    /// `k_i = K_i √(2c/(A₁+A₂))` \[√N/√m\]: E = ½ |Σ k_i x_i|².
    #[inline(always)]
    pub fn weights(&self, materials: &MaterialTable) -> [f64; 4] {
        let root = (2.0 * materials.sheet(self.material).hinge / self.area).sqrt();
        self.curvature.map(|k| k * root)
    }
}

/// `Σ k_i x_i`, relative to the first node, so that far from the origin no digits are lost.
fn curvature_vector(weights: &[f64; 4], x: &[Vec3; 4]) -> Vec3 {
    (1..4).map(|i| (x[i] - x[0]) * weights[i]).sum()
}

impl Element<4> for QuadraticBend {
    fn blocks(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 4>) -> f64 {
        0.5 * curvature_vector(&self.weights(at.materials), &at.x).norm_squared()
    }

    fn gradient(&self, at: &Stencil<'_, 4>) -> [Vec3; 4] {
        let weights = self.weights(at.materials);
        let vector = curvature_vector(&weights, &at.x);
        weights.map(|k| vector * k)
    }

    fn hessian(&self, at: &Stencil<'_, 4>, _: Curvature) -> LocalHessian<4> {
        let weights = self.weights(at.materials);
        let mut hessian = [[Mat3::zeros(); 4]; 4];
        for a in 0..4 {
            for b in 0..4 {
                hessian[a][b].fill_diagonal(weights[a] * weights[b]);
            }
        }
        hessian
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bending::{HingeElement, HingeScale, Plate};
    use crate::check::{Checks, check_element};
    use crate::element::Element;

    fn rest() -> [Vec3; 4] {
        [Vec3::zeros(), Vec3::new(0.1, 0.02, 0.0), Vec3::new(0.03, 0.09, 0.0), Vec3::new(0.06, -0.07, 0.0)]
    }

    fn materials(stiffness: f64) -> MaterialTable {
        MaterialTable::of_plate(Plate::new(stiffness, 0.3).unwrap(), HingeScale::ThirdOfArea)
    }

    #[test]
    fn derivatives() {
        let materials = materials(1e-3);
        let element = QuadraticBend::new([0, 1, 2, 3], rest(), 0).unwrap();
        let sampler = |r: &mut crate::check::TestRandom| Stencil {
            x: rest().map(|x| x + r.vector() * 0.03),
            frames: &[] as &[_],
            materials: &materials,
        };
        check_element(&element, sampler, &Checks::nodes(0.05));
    }

    #[test]
    fn equals_the_hinge_for_isometric_folds() {
        let materials = materials(1.0);
        let quadratic = QuadraticBend::new([0, 1, 2, 3], rest(), 0).unwrap();
        let hinge = HingeElement::new([0, 1, 2, 3], rest(), 0).unwrap();
        let mut x = rest();
        let edge = (x[1] - x[0]).normalize();
        for angle in [0.01, 0.3, 1.5_f64] {
            let foot = edge * edge.dot(&rest()[3]);
            let arm = rest()[3] - foot;
            x[3] = foot + arm * angle.cos() + edge.cross(&arm) * angle.sin();
            let at = Stencil { x, frames: &[], materials: &materials };
            let (sine, ratio) = ((0.5 * angle).sin(), quadratic.energy(&at) / hinge.energy(&at));
            assert!((ratio - (2.0 * sine / angle).powi(2)).abs() < 1e-10);
        }
    }

    #[test]
    fn a_curved_rest_shape_is_refused_or_flattened() {
        let mut curved = rest();
        curved[3].z = 0.03;
        let refused = QuadraticBend::new([0, 1, 2, 3], curved, 0);
        assert!(matches!(refused, Err(BendError::CurvedRest { .. })));
        let taken = QuadraticBend::flattening([0, 1, 2, 3], curved, 0).unwrap();
        let at = Stencil { x: curved, frames: &[], materials: &materials(1.0) };
        assert!(taken.energy(&at) > 0.0);
    }
}
