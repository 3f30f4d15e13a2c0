//! The sweep with full 3×3 blocks at the nodes: contacts meet through `D_j`, the inverse of a
//! node's diagonal block.
//!
//! Where [`crate::ContactSet::project`] replaces `A` by scalars `w_j`, this keeps `D_j = A_jj⁻¹`,
//! so that a contact's own block `W_cc = Σ b_j² D_j + α I` is no multiple of the identity and its
//! local solve needs a root. It is the inner loop of nested relaxation (block Jacobi on `A`
//! outside, this inside), and the "non-isotropic" baseline of the projection.

use std::ops::Range;

use stiction_numerics::stencil_stages::{StencilKernel, StencilStages};
use stiction_numerics::{Mat3, Vec3};

use super::local::solve_local;
use crate::cone::natural_map;
use crate::set::ContactSet;

/// A velocity \[m/s\] and the inverse block \[1/kg\] of a node.
#[derive(Clone, Copy, Debug)]
struct BlockNode {
    velocity: Vec3,
    inverse: Mat3,
}

#[derive(Clone, Debug)]
struct BlockContact {
    weights: [f64; 4],
    /// Columns n, t1, t2.
    frame: Mat3,
    /// Own block in the contact frame \[1/kg\].
    own: Mat3,
    offset: Vec3,
    /// Impulse, world frame \[N·s\].
    impulse: Vec3,
    friction: f64,
    compliance: f64,
    cohesion: f64,
}

/// The contacts of a set over nodes with full inverse blocks. Elliptic cones count as isotropic
/// with their mean.
#[derive(Clone, Debug)]
pub struct NodeBlockSweep {
    stages: StencilStages,
    contacts: Vec<BlockContact>,
    long_weights: Vec<f64>,
    nodes: Vec<BlockNode>,
    /// Largest change of a relative velocity per chunk \[m/s\].
    tallies: Vec<f64>,
}

impl NodeBlockSweep {
    /// Takes contacts and impulses of a set, and the inverse blocks `D_j` of all nodes \[1/kg\].
    pub fn new(set: &ContactSet, inverse_blocks: &[Mat3]) -> Self {
        assert_eq!(inverse_blocks.len(), set.node_count(), "one block per node");
        let contact = |c: usize| {
            let (nodes, weights) = set.stencil(c);
            let sum =
                nodes.iter().zip(weights).fold(Mat3::identity() * set.compliance(c), |sum, (&node, b)| {
                    sum + inverse_blocks[node as usize] * (b * b)
                });
            let frame = contact_frame(&set.normal(c));
            BlockContact {
                weights: set.hot[c].weights,
                frame,
                own: frame.transpose() * sum * frame,
                offset: set.offset(c),
                impulse: set.impulse(c),
                friction: set.friction(c),
                compliance: set.compliance(c),
                cohesion: set.cold[c].cohesion,
            }
        };
        Self {
            stages: set.stages.clone(),
            contacts: (0..set.len()).map(contact).collect(),
            long_weights: set.long_weights.clone(),
            nodes: inverse_blocks
                .iter()
                .map(|&inverse| BlockNode { velocity: Vec3::zeros(), inverse })
                .collect(),
            tallies: vec![0.0; set.stages.chunk_count()],
        }
    }

    /// Takes velocities without contact \[m/s\] and applies the stored impulses and the cohesive
    /// pull.
    pub fn load(&mut self, velocities: &[Vec3]) {
        assert_eq!(velocities.len(), self.nodes.len(), "one velocity per node");
        self.nodes.iter_mut().zip(velocities).for_each(|(node, v)| node.velocity = *v);
        let kernel = Apply { long_weights: &self.long_weights };
        self.stages.run(&mut self.nodes, &mut self.contacts, &mut self.tallies, &kernel);
    }

    /// One sweep of exact local solves; returns the largest change of a relative velocity \[m/s\].
    pub fn sweep(&mut self) -> f64 {
        self.tallies.fill(0.0);
        let kernel = Solve { long_weights: &self.long_weights };
        self.stages.run(&mut self.nodes, &mut self.contacts, &mut self.tallies, &kernel);
        self.tallies.iter().copied().fold(0.0, f64::max)
    }

    /// Gives the velocities back \[m/s\].
    pub fn store(&self, velocities: &mut [Vec3]) {
        velocities.iter_mut().zip(&self.nodes).for_each(|(v, node)| *v = node.velocity);
    }

    /// Impulse of B on A without the cohesive pull \[N·s\].
    pub fn impulse(&self, contact: usize) -> Vec3 {
        self.contacts[contact].impulse
    }

    /// Hands the impulses to the set that the contacts came from.
    pub fn store_impulses(&self, set: &mut ContactSet) {
        self.contacts.iter().enumerate().for_each(|(c, contact)| set.set_impulse(c, contact.impulse));
    }

    /// Largest natural-map residual \[m/s\], with impulses scaled by the mean of the own block.
    pub fn natural_map_residual(&self) -> f64 {
        let residual = |(c, contact): (usize, &BlockContact)| {
            let (at, long) = self.stages.nodes_of(c);
            let weights = long.map_or(&contact.weights[..at.len()], |range| &self.long_weights[range]);
            let start = contact.offset + contact.impulse * contact.compliance;
            let u = at.iter().zip(weights).fold(start, |u, (&n, b)| u + self.nodes[n as usize].velocity * *b);
            let scaled = contact.impulse * (contact.own.trace() / 3.0);
            natural_map(&u, &scaled, &contact.frame.column(0).into_owned(), contact.friction)
        };
        self.contacts.iter().enumerate().map(residual).fold(0.0, f64::max)
    }
}

/// An orthonormal frame whose first column is the normal.
pub fn contact_frame(normal: &Vec3) -> Mat3 {
    let away = Vec3::ith(normal.iamin(), 1.0);
    let t1 = normal.cross(&away).normalize();
    Mat3::from_columns(&[*normal, t1, normal.cross(&t1)])
}

fn spread(nodes: &mut [BlockNode], weights: &[f64], impulse: &Vec3) {
    for (node, b) in nodes.iter_mut().zip(weights) {
        node.velocity += node.inverse * impulse * *b;
    }
}

struct Solve<'a> {
    long_weights: &'a [f64],
}

fn update(contact: &mut BlockContact, weights: &[f64], nodes: &mut [BlockNode], largest: &mut f64) {
    let start = contact.offset + contact.impulse * contact.compliance;
    let u = nodes.iter().zip(weights).fold(start, |u, (node, b)| u + node.velocity * *b);
    let old = contact.frame.transpose() * contact.impulse;
    let free = contact.frame.transpose() * u - contact.own * old;
    let solved = solve_local(&contact.own, &free, contact.friction, &old);
    let change = contact.frame * (solved - old);
    *largest = largest.max((contact.own * (solved - old)).norm());
    contact.impulse = contact.frame * solved;
    spread(nodes, weights, &change);
}

impl StencilKernel<BlockNode, BlockContact, f64> for Solve<'_> {
    fn short(&self, contact: &mut BlockContact, _: &[u32; 4], nodes: &mut [BlockNode; 4], largest: &mut f64) {
        let weights = contact.weights;
        update(contact, &weights, nodes, largest);
    }
    fn long(
        &self,
        contact: &mut BlockContact,
        pool: Range<usize>,
        _: &[u32],
        nodes: &mut [BlockNode],
        largest: &mut f64,
    ) {
        update(contact, &self.long_weights[pool], nodes, largest);
    }
}

struct Apply<'a> {
    long_weights: &'a [f64],
}

impl BlockContact {
    fn applied(&self) -> Vec3 {
        self.impulse - self.frame.column(0) * self.cohesion
    }
}

impl StencilKernel<BlockNode, BlockContact, f64> for Apply<'_> {
    fn short(&self, contact: &mut BlockContact, _: &[u32; 4], nodes: &mut [BlockNode; 4], _: &mut f64) {
        spread(nodes, &contact.weights, &contact.applied());
    }
    fn long(
        &self,
        contact: &mut BlockContact,
        pool: Range<usize>,
        _: &[u32],
        nodes: &mut [BlockNode],
        _: &mut f64,
    ) {
        spread(nodes, &self.long_weights[pool], &contact.applied());
    }
}
