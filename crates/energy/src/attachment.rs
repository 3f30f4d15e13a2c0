//! Attachments, stitches and soft pins: a spring on one linear combination of nodes.
//!
//! `d = Σ c_i x_i − target`, `E = ½k(|d| − L)²`. Coefficients that sum to zero tie two material
//! points together (node to
//! node, node to triangle, edge to edge); coefficients that sum to one tie a material point to a
//! place in the world.

use crate::element::{Curvature, Element, LocalHessian, RestShapeError, Stencil};
use crate::spring::RadialSpring;
use stiction_numerics::Vec3;

/// Spring on a linear combination of `N` nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttachmentSpring<const N: usize> {
    /// The nodes.
    pub nodes: [u32; N],
    /// Coefficient of each node; they sum to 0 (point to point) or 1 (point to target).
    pub coefficients: [f64; N],
    /// Place in the world \[m\]; zero between two points.
    pub target: Vec3,
    /// Stiffness and rest length.
    pub spring: RadialSpring,
}

impl<const N: usize> AttachmentSpring<N> {
    /// The general form; refuses a node that stands twice.
    pub fn new(
        nodes: [u32; N],
        coefficients: [f64; N],
        target: Vec3,
        spring: RadialSpring,
    ) -> Result<Self, RestShapeError> {
        for (i, node) in nodes.iter().enumerate() {
            if nodes[..i].contains(node) {
                return Err(RestShapeError::RepeatedNode { node: *node });
            }
        }
        Ok(AttachmentSpring { nodes, coefficients, target, spring })
    }

    /// The difference vector `Σ c_i x_i − target` \[m\].
    pub fn difference(&self, x: &[Vec3; N]) -> Vec3 {
        (self.coefficients.iter().zip(x)).fold(-self.target, |sum, (c, x)| sum + x * *c)
    }
}

impl AttachmentSpring<1> {
    /// A soft pin: holds a node at a place by a spring of zero length.
    pub fn pin(node: u32, target: Vec3, stiffness: f64) -> Self {
        let spring = RadialSpring { stiffness, rest_length: 0.0 };
        AttachmentSpring { nodes: [node], coefficients: [1.0], target, spring }
    }
}

impl AttachmentSpring<2> {
    /// Ties two nodes together.
    pub fn node_to_node(nodes: [u32; 2], spring: RadialSpring) -> Result<Self, RestShapeError> {
        Self::new(nodes, [1.0, -1.0], Vec3::zeros(), spring)
    }
}

impl AttachmentSpring<4> {
    /// Ties a node to the point of a triangle with the given barycentric coordinates.
    pub fn node_to_triangle(
        node: u32,
        triangle: [u32; 3],
        barycentric: [f64; 3],
        spring: RadialSpring,
    ) -> Result<Self, RestShapeError> {
        let [a, b, c] = triangle;
        let [wa, wb, wc] = barycentric;
        Self::new([node, a, b, c], [1.0, -wa, -wb, -wc], Vec3::zeros(), spring)
    }

    /// Ties the point `(1−s) a₀ + s a₁` of one edge to the point `(1−t) b₀ + t b₁` of another.
    pub fn edge_to_edge(
        first: [u32; 2],
        s: f64,
        second: [u32; 2],
        t: f64,
        spring: RadialSpring,
    ) -> Result<Self, RestShapeError> {
        Self::new(
            [first[0], first[1], second[0], second[1]],
            [1.0 - s, s, t - 1.0, -t],
            Vec3::zeros(),
            spring,
        )
    }
}

impl<const N: usize> Element<N> for AttachmentSpring<N> {
    fn blocks(&self) -> [u32; N] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, N>) -> f64 {
        self.spring.energy(&self.difference(&at.x))
    }

    fn gradient(&self, at: &Stencil<'_, N>) -> [Vec3; N] {
        let pull = self.spring.gradient(&self.difference(&at.x));
        self.coefficients.map(|c| pull * c)
    }

    fn hessian(&self, at: &Stencil<'_, N>, curvature: Curvature) -> LocalHessian<N> {
        let h = self.spring.curvature(&self.difference(&at.x), curvature);
        self.coefficients.map(|a| self.coefficients.map(|b| h * (a * b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checks, Invariance, TestRandom, check_element};
    use crate::material_table::NO_MATERIALS;

    fn checks<const N: usize>(invariance: Invariance) -> Checks<N> {
        Checks { invariance, ..Checks::nodes(0.3) }
    }

    fn random_state<const N: usize>(random: &mut TestRandom) -> Stencil<'static, N> {
        Stencil { x: std::array::from_fn(|_| random.vector()), frames: &[], materials: &NO_MATERIALS }
    }

    #[test]
    fn derivatives_of_every_kind() {
        let zero = RadialSpring { stiffness: 30.0, rest_length: 0.0 };
        let long = RadialSpring { stiffness: 30.0, rest_length: 0.4 };
        for spring in [zero, long] {
            let pair = AttachmentSpring::node_to_node([0, 1], spring).unwrap();
            check_element(&pair, random_state, &checks(Invariance::Rigid));
            let face = AttachmentSpring::node_to_triangle(0, [1, 2, 3], [0.2, 0.3, 0.5], spring).unwrap();
            let edges = AttachmentSpring::edge_to_edge([0, 1], 0.25, [2, 3], 0.6, spring).unwrap();
            for four in [face, edges] {
                check_element(&four, random_state, &checks(Invariance::Rigid));
            }
            let held = AttachmentSpring::new([0, 1], [0.5, 0.5], Vec3::new(2.0, 0.0, 0.0), spring).unwrap();
            check_element(&held, random_state, &checks(Invariance::Nothing));
        }
        let pin = AttachmentSpring::pin(0, Vec3::y(), 5.0);
        check_element(&pin, random_state, &checks(Invariance::Nothing));
    }

    #[test]
    fn ties_coincident_points_with_zero_energy() {
        let spring = RadialSpring { stiffness: 1.0, rest_length: 0.0 };
        let tie = AttachmentSpring::edge_to_edge([0, 1], 0.25, [2, 3], 0.5, spring).unwrap();
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.25, -1.0, 0.0), Vec3::new(0.25, 1.0, 0.0)];
        assert_eq!(tie.energy(&Stencil { x, frames: &[], materials: &NO_MATERIALS }), 0.0);
    }

    #[test]
    fn refuses_a_repeated_node() {
        let spring = RadialSpring { stiffness: 1.0, rest_length: 0.0 };
        let error = AttachmentSpring::node_to_triangle(2, [1, 2, 3], [0.2, 0.3, 0.5], spring).unwrap_err();
        assert_eq!(error, RestShapeError::RepeatedNode { node: 2 });
    }
}
