//! Plate bending by the shape operator of a triangle and its flaps.
//!
//! `E = ½ φᵀ C φ`, `φ_i = θ_i − θ₀_i` over the edges that carry a moment; C from [`super::shape_rest`], so that
//! `E = ½ A D [(1−ν) tr(S²) + ν tr(S)²]` of the curvature S that the angles show. θ \[rad\], C \[J\].
//!
//! Blocks: the three corners, then the distinct flap vertices (4 to 6 blocks). Around a vertex of valence three two flaps
//! are the same vertex; it then stands once. A triangle without any flap has no element.
//!
//! Projected Hessian: Gauss–Newton `∇θᵀ C ∇θ` plus the positive part of `Σ (Cφ)_i ∇²θ_i`, taken triangle by triangle (all
//! edges share the normal of the middle triangle, so its part is one 2×2 problem). Equal to the exact Hessian at rest.

use super::dihedral::{PairedTerm, Wing, angle_between};
use super::local::{add_term, mirror, squares};
use super::plate::{BendError, Plate};
use super::shape_rest::{EdgeSupport, ShapeFit, stiffness_factor};
use super::topology::Topology;
use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_bodies::frames::unwrap_angle;
use stiction_numerics::{Mat3, Vec3};

/// One triangle with up to three flaps over `N` = 4, 5 or 6 blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeOperatorElement<const N: usize> {
    nodes: [u32; N],
    /// Number of edges that carry a moment.
    sides: usize,
    /// Their local edges (edge i is opposite corner i).
    edge: [u8; 3],
    /// Where their flap vertices stand among the blocks.
    apex: [u8; 3],
    rest_angle: [f64; 3],
    /// Lower Cholesky factor of C \[√J\].
    factor: Mat3,
}

/// The wings and the angles at one configuration.
struct Folds {
    deviation: Vec3,
    inner: [Wing; 3],
    outer: [Wing; 3],
}

impl<const N: usize> ShapeOperatorElement<N> {
    /// The three nodes of the triangle.
    pub fn triangle(&self) -> [u32; 3] {
        [self.nodes[0], self.nodes[1], self.nodes[2]]
    }

    /// Corners a, b, apex of a side in the stencil, inner apex then outer apex.
    fn places(&self, side: usize) -> [usize; 4] {
        let edge = self.edge[side] as usize;
        [(edge + 1) % 3, (edge + 2) % 3, edge, self.apex[side] as usize]
    }

    fn angle(&self, side: usize, x: &[Vec3; N]) -> f64 {
        let [a, b, p, q] = self.places(side);
        let edge = x[b] - x[a];
        let angle = angle_between(edge, edge.cross(&(x[p] - x[a])), (x[q] - x[a]).cross(&edge));
        unwrap_angle(angle - self.rest_angle[side], 0.0)
    }

    fn folds(&self, x: &[Vec3; N]) -> Folds {
        let normal = (x[1] - x[0]).cross(&(x[2] - x[0]));
        let idle = Wing::new(Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        let mut folds = Folds { deviation: Vec3::zeros(), inner: [idle; 3], outer: [idle; 3] };
        for side in 0..self.sides {
            let [a, b, p, q] = self.places(side);
            let (edge, arm) = (x[b] - x[a], x[q] - x[a]);
            let other = arm.cross(&edge);
            folds.deviation[side] =
                unwrap_angle(angle_between(edge, normal, other) - self.rest_angle[side], 0.0);
            folds.inner[side] = Wing::new(edge, x[p] - x[a], normal);
            folds.outer[side] = Wing::new(edge, arm, other);
        }
        folds
    }

    /// ∂θ of each side, per block.
    fn angle_gradients(&self, folds: &Folds) -> [[Vec3; 3]; N] {
        let mut gradients = [[Vec3::zeros(); 3]; N];
        for side in 0..self.sides {
            let [a, b, p, q] = self.places(side);
            let (inner, outer) = (folds.inner[side].gradient(), folds.outer[side].gradient());
            gradients[a][side] = inner[0] + outer[0];
            gradients[b][side] = inner[1] + outer[1];
            gradients[p][side] = inner[2];
            gradients[q][side] = outer[2];
        }
        gradients
    }
}

impl<const N: usize> Element<N> for ShapeOperatorElement<N> {
    fn blocks(&self) -> [u32; N] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, N>) -> f64 {
        let mut deviation = Vec3::zeros();
        for side in 0..self.sides {
            deviation[side] = self.angle(side, &at.x);
        }
        0.5 * self.factor.tr_mul(&deviation).norm_squared()
    }

    fn gradient(&self, at: &Stencil<'_, N>) -> [Vec3; N] {
        let folds = self.folds(&at.x);
        let moments = self.factor * self.factor.tr_mul(&folds.deviation);
        self.angle_gradients(&folds).map(|g| g[0] * moments[0] + g[1] * moments[1] + g[2] * moments[2])
    }

    fn hessian(&self, at: &Stencil<'_, N>, curvature: Curvature) -> LocalHessian<N> {
        let folds = self.folds(&at.x);
        let moments = self.factor * self.factor.tr_mul(&folds.deviation);
        // Gauss–Newton as squares of ∇θ R, R lower triangular.
        let r = &self.factor;
        let mut hessian = squares(&self.angle_gradients(&folds).map(|g| {
            [g[0] * r.m11 + g[1] * r.m21 + g[2] * r.m31, g[1] * r.m22 + g[2] * r.m32, g[2] * r.m33]
        }));
        let mut middle = PairedTerm::default();
        for side in 0..self.sides {
            let [a, b, p, q] = self.places(side);
            folds.inner[side].add_paired(moments[side], [a, b, p], &mut middle);
            let mut flap = PairedTerm::default();
            folds.outer[side].add_paired(moments[side], [0, 1, 2], &mut flap);
            add_term(&mut hessian, [a, b, q], &flap, curvature);
        }
        add_term(&mut hessian, [0, 1, 2], &middle, curvature);
        mirror(&mut hessian);
        hessian
    }
}

/// The shape-operator elements of a mesh, by their number of blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeElements {
    /// Triangles with one distinct flap vertex.
    pub four: Vec<ShapeOperatorElement<4>>,
    /// Triangles with two.
    pub five: Vec<ShapeOperatorElement<5>>,
    /// Triangles with three.
    pub six: Vec<ShapeOperatorElement<6>>,
}

impl ShapeElements {
    /// All elements of a mesh with free borders; rest angles are those of `rest`.
    pub fn new(
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        topology: &Topology,
        plate: &Plate,
        fit: ShapeFit,
    ) -> Result<ShapeElements, BendError> {
        let mut elements = ShapeElements::default();
        for (triangle, flaps) in triangles.iter().zip(&topology.flaps) {
            let support = flaps.map(|flap| flap.map_or(EdgeSupport::Free, EdgeSupport::Flap));
            elements.push(*triangle, support, rest, plate, fit)?;
        }
        Ok(elements)
    }

    /// Adds one triangle whose edge opposite corner i has support i.
    pub fn push(
        &mut self,
        triangle: [u32; 3],
        support: [EdgeSupport; 3],
        rest: &[Vec3],
        plate: &Plate,
        fit: ShapeFit,
    ) -> Result<(), BendError> {
        let at = |node: u32| rest[node as usize];
        let corners = triangle.map(at);
        let mut nodes = triangle.to_vec();
        let (mut edge, mut apex, mut rest_angle) = ([0; 3], [0; 3], [0.0; 3]);
        let mut across = Vec::with_capacity(3);
        for i in 0..3 {
            let (node, clamped) = match support[i] {
                EdgeSupport::Free => continue,
                EdgeSupport::Flap(node) => (node, false),
                EdgeSupport::Clamped(node) => (node, true),
            };
            let place = nodes.iter().position(|&n| n == node).unwrap_or_else(|| {
                nodes.push(node);
                nodes.len() - 1
            });
            let side = across.len();
            (edge[side], apex[side]) = (i as u8, place as u8);
            let (a, b) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
            rest_angle[side] = super::dihedral_angle(a, b, corners[i], at(node));
            across.push((i, node, at(node), clamped));
        }
        let factor = stiffness_factor(triangle, corners, &across, plate, fit)?;
        let sides = across.len();
        match nodes.len() {
            4 => self.four.push(ShapeOperatorElement {
                nodes: take(&nodes),
                sides,
                edge,
                apex,
                rest_angle,
                factor,
            }),
            5 => self.five.push(ShapeOperatorElement {
                nodes: take(&nodes),
                sides,
                edge,
                apex,
                rest_angle,
                factor,
            }),
            6 => self.six.push(ShapeOperatorElement {
                nodes: take(&nodes),
                sides,
                edge,
                apex,
                rest_angle,
                factor,
            }),
            _ => {}
        }
        Ok(())
    }

    /// Forgets the rest angles: flat is then without force, whatever the rest shape.
    pub fn flatten(&mut self) {
        self.four.iter_mut().for_each(|e| e.rest_angle = [0.0; 3]);
        self.five.iter_mut().for_each(|e| e.rest_angle = [0.0; 3]);
        self.six.iter_mut().for_each(|e| e.rest_angle = [0.0; 3]);
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.four.len() + self.five.len() + self.six.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn take<const N: usize>(nodes: &[u32]) -> [u32; N] {
    std::array::from_fn(|i| nodes[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checks, Projection, Random, check_element};

    fn rest() -> Vec<Vec3> {
        vec![
            Vec3::new(0.0, 0.0, 0.01),
            Vec3::new(0.11, 0.02, 0.0),
            Vec3::new(0.03, 0.09, 0.0),
            Vec3::new(0.13, 0.12, 0.02),
            Vec3::new(-0.08, 0.07, -0.01),
            Vec3::new(0.04, -0.07, 0.0),
        ]
    }

    fn built(support: [EdgeSupport; 3], fit: ShapeFit) -> ShapeElements {
        let mut elements = ShapeElements::default();
        let plate = Plate::new(1e-3, 0.3).unwrap();
        elements.push([0, 1, 2], support, &rest(), &plate, fit).unwrap();
        elements
    }

    fn check<const N: usize>(element: &ShapeOperatorElement<N>) {
        let checks = Checks { projection: Projection::StandIn, samples: 8, ..Checks::nodes(0.05) };
        let sampler = |random: &mut Random| Stencil {
            x: element.nodes.map(|n| rest()[n as usize] + random.vector() * 0.025),
            frames: &[] as &[_],
        };
        check_element(element, sampler, &checks);
    }

    #[test]
    fn derivatives_with_three_two_one_and_shared_flaps() {
        use EdgeSupport::{Clamped, Flap, Free};
        for fit in [ShapeFit::Quadratic, ShapeFit::EdgeAverage] {
            check(&built([Flap(3), Flap(4), Flap(5)], fit).six[0]);
            check(&built([Flap(3), Free, Flap(5)], fit).five[0]);
            check(&built([Clamped(3), Free, Flap(5)], fit).five[0]);
            check(&built([Free, Flap(4), Free], fit).four[0]);
            check(&built([Flap(3), Flap(4), Flap(4)], fit).five[0]);
        }
    }

    #[test]
    fn rest_shape_has_no_energy_and_exact_equals_projected() {
        let element = built([3, 4, 5].map(EdgeSupport::Flap), ShapeFit::Quadratic).six[0];
        let at = Stencil { x: element.nodes.map(|n| rest()[n as usize]), frames: &[] };
        assert!(element.energy(&at) < 1e-30);
        let (exact, projected) =
            (element.hessian(&at, Curvature::Exact), element.hessian(&at, Curvature::Projected));
        let scale = exact.iter().flatten().map(|b| b.amax()).fold(0.0, f64::max);
        for (e, p) in exact.iter().flatten().zip(projected.iter().flatten()) {
            assert!((e - p).amax() < 1e-9 * scale);
        }
    }

    #[test]
    fn collapsed_triangles_stay_finite() {
        let element = built([3, 4, 5].map(EdgeSupport::Flap), ShapeFit::Quadratic).six[0];
        let mut line: [Vec3; 6] = std::array::from_fn(|i| Vec3::x() * i as f64);
        for shape in [line, [Vec3::zeros(); 6], {
            line[2].y = 1e-13;
            line
        }] {
            let at = Stencil { x: shape, frames: &[] };
            assert!(element.energy(&at).is_finite());
            assert!(element.gradient(&at).iter().all(|g| g.iter().all(|c| c.is_finite())));
            for curvature in [Curvature::Exact, Curvature::Projected] {
                let hessian = element.hessian(&at, curvature);
                assert!(hessian.iter().flatten().all(|b| b.iter().all(|c| c.is_finite())));
            }
        }
    }

    #[test]
    fn a_tetrahedron_has_one_flap_vertex_per_triangle() {
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let points = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let topology = Topology::new(&triangles);
        let plate = Plate::new(1.0, 0.3).unwrap();
        let elements =
            ShapeElements::new(&triangles, &points, &topology, &plate, ShapeFit::Quadratic).unwrap();
        assert_eq!((elements.four.len(), elements.len()), (4, 4));
    }
}
