//! Contact maps: how the relative velocity of a contact depends on the velocities of the blocks.
//!
//! u = Σ_i J_i v_i. Where a contact point is a fixed combination of nodes, J_i = b_i 1 and a scalar
//! stencil says it all: this is the
//! fast path of cloth, rods and solids. The velocity of a point of a rigid body is v + ω × r, so
//! its blocks are
//!
//! J_centre = w 1,   J_rotation = −w [r]×
//!
//! v velocity of the centre · ω angular velocity · r lever from the centre to the point, in the
//! world · w weight of the point in the
//! contact, positive on side A
//!
//! These are derivatives with respect to velocities. The derivative with respect to the rotation
//! vector θ at a trial θ ≠ 0 has the left Jacobian of the rotation to its right: −w [r]× J(θ)
//! ([`RigidTerm::at_rotation`]).

use crate::contact::ContactStencil;
use stiction_numerics::{Mat3, Vec3, rotation_jacobian, skew};

/// A linear map from velocities of blocks to the relative velocity v_A − v_B of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactMap {
    /// Nodes with scalar weights.
    Scalar(ContactStencil),
    /// Blocks with 3×3 matrices; each block appears once.
    Blocks(Vec<BlockTerm>),
}

/// The part of a map that acts on one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockTerm {
    /// The block.
    pub block: u32,
    /// Its matrix.
    pub matrix: Mat3,
}

/// A point of a rigid body in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidTerm {
    /// Block of the centre.
    pub centre_block: u32,
    /// Block of the rotation.
    pub rotation_block: u32,
    /// From the centre to the point, in the world \[m\].
    pub lever: Vec3,
    /// Weight of the point in v_A − v_B: positive on side A.
    pub weight: f64,
}

impl RigidTerm {
    /// Its blocks with respect to velocity and angular velocity.
    pub fn blocks(&self) -> [BlockTerm; 2] {
        [
            BlockTerm { block: self.centre_block, matrix: Mat3::identity() * self.weight },
            BlockTerm { block: self.rotation_block, matrix: skew(&self.lever) * -self.weight },
        ]
    }

    /// Its blocks with respect to the centre and the rotation vector at a trial rotation vector θ
    /// \[rad\], the lever taken there.
    pub fn at_rotation(&self, theta: &Vec3) -> [BlockTerm; 2] {
        let [centre, rotation] = self.blocks();
        [centre, BlockTerm { matrix: rotation.matrix * rotation_jacobian(theta), ..rotation }]
    }
}

impl ContactMap {
    /// The map of nodes and points of rigid bodies; scalar where there are nodes only.
    pub fn new(nodes: ContactStencil, rigid: &[RigidTerm]) -> ContactMap {
        if rigid.is_empty() {
            return ContactMap::Scalar(nodes);
        }
        let mut terms: Vec<BlockTerm> = Vec::with_capacity(nodes.nodes().len() + 2 * rigid.len());
        let scalar = nodes.nodes().iter().zip(nodes.weights());
        let of_nodes = scalar.map(|(&block, &w)| BlockTerm { block, matrix: Mat3::identity() * w });
        for term in of_nodes.chain(rigid.iter().flat_map(RigidTerm::blocks)) {
            match terms.iter_mut().find(|t| t.block == term.block) {
                Some(found) => found.matrix += term.matrix,
                None => terms.push(term),
            }
        }
        ContactMap::Blocks(terms)
    }

    /// Calls `act` with every block and its matrix; for stencils the matrix is a multiple of the
    /// identity.
    pub fn for_each(&self, mut act: impl FnMut(u32, &Mat3)) {
        match self {
            ContactMap::Scalar(stencil) => {
                for (&node, &weight) in stencil.nodes().iter().zip(stencil.weights()) {
                    act(node, &(Mat3::identity() * weight));
                }
            }
            ContactMap::Blocks(terms) => terms.iter().for_each(|t| act(t.block, &t.matrix)),
        }
    }

    /// u = Σ_i J_i v_i.
    pub fn apply(&self, velocities: &[Vec3]) -> Vec3 {
        match self {
            ContactMap::Scalar(stencil) => {
                let terms = stencil.nodes().iter().zip(stencil.weights());
                terms.map(|(&node, &weight)| velocities[node as usize] * weight).sum()
            }
            ContactMap::Blocks(terms) => terms.iter().map(|t| t.matrix * velocities[t.block as usize]).sum(),
        }
    }

    /// Adds J_iᵀ λ to every block: an impulse λ at the contact as impulses and angular impulses of
    /// blocks.
    pub fn add_transposed(&self, impulse: &Vec3, out: &mut [Vec3]) {
        match self {
            ContactMap::Scalar(stencil) => {
                for (&node, &weight) in stencil.nodes().iter().zip(stencil.weights()) {
                    out[node as usize] += impulse * weight;
                }
            }
            ContactMap::Blocks(terms) => {
                terms.iter().for_each(|t| out[t.block as usize] += t.matrix.tr_mul(impulse));
            }
        }
    }

    /// Delassus block Q = Σ_i J_i M_i⁻¹ J_iᵀ \[1/kg\], from the inverse inertia of each block: 1/m
    /// of nodes and centres times the identity, R I⁻¹ Rᵀ of rotations.
    pub fn delassus(&self, inverse_inertia: impl Fn(u32) -> Mat3) -> Mat3 {
        let mut sum = Mat3::zeros();
        self.for_each(|block, matrix| sum += matrix * inverse_inertia(block) * matrix.transpose());
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::{Random, rotation_from_vector};

    fn term(random: &mut Random, centre_block: u32, weight: f64) -> RigidTerm {
        let lever = random.vector(-1.0, 1.0);
        RigidTerm { centre_block, rotation_block: centre_block + 1, lever, weight }
    }

    fn mixed(random: &mut Random) -> ContactMap {
        let nodes = ContactStencil::new(&[(0, -0.2), (2, -0.5), (3, -0.3)]);
        // Two points of one body: an edge of it touches.
        let rigid = [term(random, 4, 0.4), term(random, 4, 0.6), term(random, 6, -0.1)];
        ContactMap::new(nodes, &rigid)
    }

    /// ⟨J v, λ⟩ = ⟨v, Jᵀ λ⟩ for both kinds of maps.
    #[test]
    fn transpose_is_the_adjoint() {
        let mut random = Random::new(1);
        for _ in 0..50 {
            let scalar = ContactMap::new(ContactStencil::new(&[(1, 1.0), (5, -0.5), (7, -0.5)]), &[]);
            assert!(matches!(scalar, ContactMap::Scalar(_)));
            for map in [scalar, mixed(&mut random)] {
                let v: Vec<Vec3> = (0..8).map(|_| random.vector(-1.0, 1.0)).collect();
                let impulse = random.vector(-1.0, 1.0);
                let mut back = vec![Vec3::zeros(); 8];
                map.add_transposed(&impulse, &mut back);
                let paired: f64 = v.iter().zip(&back).map(|(a, b)| a.dot(b)).sum();
                assert!((map.apply(&v).dot(&impulse) - paired).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_block_appears_once() {
        let ContactMap::Blocks(terms) = mixed(&mut Random::new(2)) else {
            panic!("rigid bodies need blocks")
        };
        let mut blocks: Vec<u32> = terms.iter().map(|t| t.block).collect();
        blocks.sort_unstable();
        assert_eq!(blocks, [0, 2, 3, 4, 5, 6, 7]);
    }

    /// A map of blocks that are multiples of the identity is the scalar map.
    #[test]
    fn scalar_and_block_maps_agree() {
        let stencil = ContactStencil::new(&[(0, 1.0), (1, -0.25), (2, -0.75)]);
        let scalar = ContactMap::Scalar(stencil.clone());
        let mut terms = Vec::new();
        scalar.for_each(|block, matrix| terms.push(BlockTerm { block, matrix: *matrix }));
        let blocks = ContactMap::Blocks(terms);
        let mut random = Random::new(3);
        let v: Vec<Vec3> = (0..3).map(|_| random.vector(-1.0, 1.0)).collect();
        assert!((scalar.apply(&v) - blocks.apply(&v)).norm() < 1e-15);
        let mass = [2.0, 3.0, 5.0];
        let inverse = |block: u32| Mat3::identity() / mass[block as usize];
        let expected: f64 = stencil.weights().iter().zip(mass).map(|(w, m)| w * w / m).sum();
        for map in [scalar, blocks] {
            assert!((map.delassus(inverse) - Mat3::identity() * expected).norm() < 1e-15);
        }
    }

    /// x(t) = c + v t + exp(ω t) r: its derivative at t = 0 is what the map gives, by central
    /// differences.
    #[test]
    fn a_point_of_a_rigid_body_moves_as_the_map_says() {
        let mut random = Random::new(4);
        for _ in 0..50 {
            let point = term(&mut random, 0, 1.0);
            let map = ContactMap::new(ContactStencil::default(), &[point]);
            let (v, w) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let place = |t: f64| v * t + rotation_from_vector(&(w * t)) * point.lever;
            let step = 1e-5;
            let difference = (place(step) - place(-step)) / (2.0 * step);
            assert!((map.apply(&[v, w]) - difference).norm() < 1e-9);
        }
    }

    /// The same with respect to the rotation vector at a trial rotation: x(θ) = c + exp(θ) r₀.
    #[test]
    fn rotation_vectors_of_any_size_have_their_derivative() {
        let mut random = Random::new(5);
        for size in [0.0, 1e-4, 0.5, 3.0] {
            let (start, theta) = (random.vector(-1.0, 1.0), random.unit_vector() * size);
            let lever = rotation_from_vector(&theta) * start;
            let point = RigidTerm { centre_block: 0, rotation_block: 1, lever, weight: 1.0 };
            let [_, rotation] = point.at_rotation(&theta);
            let (direction, step) = (random.unit_vector(), 1e-5);
            let place = |t: f64| rotation_from_vector(&(theta + direction * t)) * start;
            let difference = (place(step) - place(-step)) / (2.0 * step);
            assert!((rotation.matrix * direction - difference).norm() < 1e-9, "angle {size}");
        }
    }

    /// Q of a free body is what an impulse does to the velocity of the point where it acts.
    #[test]
    fn the_delassus_block_answers_an_impulse() {
        let mut random = Random::new(6);
        let map = ContactMap::new(ContactStencil::default(), &[term(&mut random, 0, -1.0)]);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.5, 0.7, 0.9));
        let inverse = |block: u32| match block {
            0 => Mat3::identity() / 2.0,
            _ => inertia.try_inverse().expect("positive"),
        };
        let impulse = random.vector(-1.0, 1.0);
        let mut pushed = [Vec3::zeros(); 2];
        map.add_transposed(&impulse, &mut pushed);
        let velocities = [inverse(0) * pushed[0], inverse(1) * pushed[1]];
        assert!((map.apply(&velocities) - map.delassus(inverse) * impulse).norm() < 1e-14);
    }
}
