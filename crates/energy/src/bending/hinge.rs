//! Hinge bending: the squared angle over an inner edge.
//!
//! `E = c l²/(A₁+A₂) (θ − θ₀)²`    [Grinspun2003, up to the constant]
//! l rest length of the edge \[m\] · A rest areas of its two triangles \[m²\] · θ angle \[rad\] ·
//! θ₀ rest angle · c \[J\] the scaled plate stiffness
//!
//! A hinge sees curvature across its own edge only, so one scale cannot be right for every mesh.
//! [`HingeScale`] names the two in use. Measured energy of a cylinder over that of a plate
//! (`bending::strip_tests`, fine meshes):
//!
//! | mesh, axis of the bend | c = D/2 | c = 3D/2 |
//! | --- | --- | --- |
//! | equilateral, any direction | 1.00 | 3.0 |
//! | grid with equal diagonals: along its edges / across its diagonals | 1.00 / 3.0 | 3.0 / 9.0 |
//! | grid with alternating diagonals: along its edges / at 45° | 1.00 / 1.5 | 3.0 / 4.5 |
//! | irregular: 0° / 23° / 45° | 1.3 / 1.8 / 2.2 | 3.9 / 5.3 / 6.6 |
//!
//! Poisson's ratio has no place in this model; on equilateral meshes it acts as ν = −1/3.
//!
//! Projected Hessian: `2k ∇θ∇θᵀ` (Gauss–Newton) plus the positive part of each triangle's share of
//! `2k(θ−θ₀) ∇²θ`. It is positive semi-definite, equal to the exact Hessian at θ = θ₀, and bounds
//! it from above elsewhere (the curvature term alone always has eigenvalues of both signs, so plain
//! eigenvalue clamping would not give much less).

use super::dihedral::{PairedTerm, Wing, angle_between, dihedral_angle};
use super::local::{add_term, mirror, squares};
use super::plate::{BendError, Plate, vanishes};
use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_numerics::Vec3;

/// How the hinge and the quadratic model are scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HingeScale {
    /// c = D/2: exact for a cylinder on equilateral meshes and on grids whose edges follow the
    /// bend.
    #[default]
    Cylinder,
    /// c = 3D/2: each edge stands for a third of its triangles, the factor usual in the literature.
    ThirdOfArea,
}

impl HingeScale {
    /// c \[J\] for a plate.
    pub fn coefficient(self, plate: &Plate) -> f64 {
        match self {
            HingeScale::ThirdOfArea => 1.5 * plate.stiffness,
            HingeScale::Cylinder => 0.5 * plate.stiffness,
        }
    }
}

/// One hinge. Blocks: edge ends a, b, then flap vertices p, q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeElement {
    /// a, b, p, q.
    pub nodes: [u32; 4],
    /// Its place among the sheets of the material table.
    pub material: u32,
    /// l² of the edge at rest \[m²\].
    pub length_squared: f64,
    /// A₁+A₂ \[m²\].
    pub area: f64,
    /// Rest angle θ₀ \[rad\].
    pub rest_angle: f64,
}

/// Where each wing's a, b, apex stand in the stencil.
const WINGS: [[usize; 3]; 2] = [[0, 1, 2], [0, 1, 3]];

impl HingeElement {
    /// From rest positions of a, b, p, q; the rest angle is theirs.
    pub fn new(nodes: [u32; 4], rest: [Vec3; 4], material: u32) -> Result<HingeElement, BendError> {
        let [first, second] = rest_areas(nodes, rest)?;
        Ok(HingeElement {
            nodes,
            material,
            length_squared: (rest[1] - rest[0]).norm_squared(),
            area: first + second,
            rest_angle: dihedral_angle(rest[0], rest[1], rest[2], rest[3]),
        })
    }

    /// `k = c l²/(A₁+A₂)` \[J\]: E = k (θ−θ₀)².
    #[inline(always)]
    fn stiffness(&self, at: &Stencil<'_, 4>) -> f64 {
        at.materials.sheet(self.material).hinge * self.length_squared / self.area
    }

    /// Difference to the rest angle within half a turn, so that a fold through ±π stays continuous.
    fn deviation(&self, angle: f64) -> f64 {
        stiction_bodies::frames::unwrap_angle(angle - self.rest_angle, 0.0)
    }

    fn wings(&self, x: &[Vec3; 4]) -> (f64, [Wing; 2]) {
        let (edge, p, q) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let (first, second) = (edge.cross(&p), q.cross(&edge));
        let angle = self.deviation(angle_between(edge, first, second));
        (angle, [Wing::new(edge, p, first), Wing::new(edge, q, second)])
    }
}

/// Areas of the two rest triangles of a hinge \[m²\].
pub(super) fn rest_areas(nodes: [u32; 4], rest: [Vec3; 4]) -> Result<[f64; 2], BendError> {
    let edge = rest[1] - rest[0];
    let mut areas = [0.0; 2];
    for flap in 0..2 {
        let arm = rest[2 + flap] - rest[0];
        areas[flap] = 0.5 * edge.cross(&arm).norm();
        if vanishes(areas[flap], edge.norm_squared().max(arm.norm_squared())) {
            return Err(BendError::DegenerateTriangle { nodes: [nodes[0], nodes[1], nodes[2 + flap]] });
        }
    }
    Ok(areas)
}

fn angle_gradient(wings: &[Wing; 2]) -> [Vec3; 4] {
    let (first, second) = (wings[0].gradient(), wings[1].gradient());
    [first[0] + second[0], first[1] + second[1], first[2], second[2]]
}

impl Element<4> for HingeElement {
    fn blocks(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 4>) -> f64 {
        let angle = self.deviation(dihedral_angle(at.x[0], at.x[1], at.x[2], at.x[3]));
        self.stiffness(at) * angle * angle
    }

    fn gradient(&self, at: &Stencil<'_, 4>) -> [Vec3; 4] {
        let (angle, wings) = self.wings(&at.x);
        let stiffness = self.stiffness(at);
        angle_gradient(&wings).map(|g| g * (2.0 * stiffness * angle))
    }

    fn hessian(&self, at: &Stencil<'_, 4>, curvature: Curvature) -> LocalHessian<4> {
        let (angle, wings) = self.wings(&at.x);
        let gradient = angle_gradient(&wings);
        let twice = 2.0 * self.stiffness(at);
        let scaled = gradient.map(|g| [g * twice.sqrt()]);
        let mut hessian = squares(&scaled);
        for (wing, slots) in wings.iter().zip(WINGS) {
            let mut term = PairedTerm::default();
            wing.add_paired(twice * angle, [0, 1, 2], &mut term);
            add_term(&mut hessian, slots, &term, curvature);
        }
        mirror(&mut hessian);
        hessian
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checks, HessianProjection, TestRandom, check_element};
    use crate::material_table::MaterialTable;

    fn rest() -> [Vec3; 4] {
        [Vec3::zeros(), Vec3::new(0.1, 0.02, 0.0), Vec3::new(0.03, 0.09, 0.01), Vec3::new(0.06, -0.07, 0.02)]
    }

    fn element() -> HingeElement {
        HingeElement::new([0, 1, 2, 3], rest(), 0).unwrap()
    }

    fn materials(stiffness: f64) -> MaterialTable {
        MaterialTable::of_plate(Plate::new(stiffness, 0.3).unwrap(), HingeScale::ThirdOfArea)
    }

    fn bent<'a>(random: &mut TestRandom, materials: &'a MaterialTable) -> Stencil<'a, 4> {
        Stencil { x: rest().map(|x| x + random.vector() * 0.03), frames: &[], materials }
    }

    #[test]
    fn derivatives() {
        let materials = materials(1e-3);
        let checks = Checks { projection: HessianProjection::StandIn, ..Checks::nodes(0.05) };
        check_element(&element(), |random| bent(random, &materials), &checks);
    }

    #[test]
    fn projected_equals_exact_at_rest_and_bounds_it_elsewhere() {
        let (element, materials) = (element(), materials(1e-3));
        let at = Stencil { x: rest(), frames: &[], materials: &materials };
        let exact = element.hessian(&at, Curvature::Exact);
        let projected = element.hessian(&at, Curvature::Projected);
        for a in 0..4 {
            for b in 0..4 {
                assert!((exact[a][b] - projected[a][b]).amax() <= 1e-9 * exact[a][a].amax());
            }
        }
        let mut random = TestRandom::new(5);
        for _ in 0..50 {
            let at = bent(&mut random, &materials);
            let exact = element.hessian(&at, Curvature::Exact);
            let projected = element.hessian(&at, Curvature::Projected);
            let direction: [Vec3; 4] = std::array::from_fn(|_| random.vector());
            let form = |h: &LocalHessian<4>| {
                let mut sum = 0.0;
                for a in 0..4 {
                    for b in 0..4 {
                        sum += direction[a].dot(&(h[a][b] * direction[b]));
                    }
                }
                sum
            };
            assert!(form(&projected) >= form(&exact) - 1e-6 * form(&projected).abs());
        }
    }

    #[test]
    fn collapsed_triangles_stay_finite() {
        let (element, materials) = (element(), materials(1.0));
        let z = Vec3::zeros();
        let shapes = [
            [z, z, z, z],
            [z, Vec3::x(), Vec3::x() * 0.5, -Vec3::y()],
            [z, Vec3::x(), Vec3::x() * 0.5 + Vec3::y() * 1e-12, -Vec3::y()],
            [z, z, Vec3::y(), -Vec3::y()],
            [z, Vec3::x(), Vec3::y(), Vec3::y()],
        ];
        for x in shapes {
            let at = Stencil { x, frames: &[], materials: &materials };
            assert!(element.energy(&at).is_finite());
            assert!(element.gradient(&at).iter().all(|g| g.iter().all(|c| c.is_finite())));
            for curvature in [Curvature::Exact, Curvature::Projected] {
                let hessian = element.hessian(&at, curvature);
                assert!(hessian.iter().flatten().all(|b| b.iter().all(|c| c.is_finite())), "{x:?}");
            }
        }
    }

    #[test]
    fn rest_triangles_need_area() {
        let mut flat = rest();
        flat[3] = flat[1] * 0.5;
        let error = HingeElement::new([4, 5, 6, 7], flat, 0).unwrap_err();
        assert_eq!(error, BendError::DegenerateTriangle { nodes: [4, 5, 7] });
    }
}
