//! Stiffness, forces and the operator of all contacts.
//!
//! Barrier and friction of contact c act through `Σ c_i x_i` alone, so its Hessian is `c_i c_j K_c` with one 3×3 matrix
//! `K_c = κ b'' n nᵀ + κ_f P`. The operator is `A + Wᵀ K W`, W the coefficients by contact and node: nothing is merged in the
//! pattern of A. The product runs over contacts, then over nodes, each in a fixed order: the same bits on any number of threads.

use super::contacts::{Contact, Way};
use super::friction::friction_terms;
use super::options::BarrierOptions;
use crate::solver::World;
use rayon::prelude::*;
use stiction_contact::barrier::{BarrierTerms, MassRule, contact_mass, contact_stiffness};
use stiction_numerics::{BlockMatrix, LinearOperator, Mat3, PrecondBlockJacobi, Vec3};

/// What one contact adds: gradient and Hessian with respect to its relative displacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub gradient: Vec3,
    pub hessian: Mat3,
}

/// The elastic part of an iteration.
#[derive(Clone, Copy)]
pub(super) struct Elastic<'a> {
    /// Hessian with inertia.
    pub matrix: &'a BlockMatrix,
    /// Inertia per mass, 1/h² \[1/s²\].
    pub inertia: f64,
    pub fixed: &'a [bool],
}

/// Evaluates all contacts; κ is frozen at this configuration.
pub(super) fn evaluate(
    options: &BarrierOptions,
    world: World<'_>,
    elastic: Elastic<'_>,
    way: Way<'_>,
    contacts: &[Contact],
) -> Vec<Terms> {
    let barrier = options.shape();
    let evaluate = |contact: &Contact| {
        let [kappa, inertial] = stiffness(options, world, elastic, contact).map(|k| k * contact.multiplicity);
        let terms = BarrierTerms::new(&barrier, contact.gap, contact.activation, kappa, contact.normal);
        let Some(mut terms) = terms else {
            return Terms { gradient: Vec3::zeros(), hessian: Mat3::zeros() };
        };
        let slope = barrier.at(contact.gap, contact.activation).slope;
        terms.stiffen(inertial, contact.gap, slope, options.stiffness_growth);
        let [a, b] = contact.objects.map(|o| o as usize);
        let coefficient = world.parameters.friction_between(a, b);
        let (slope, curvature) = friction_terms(options, contact, coefficient, way, &terms);
        Terms { gradient: terms.gradient(1.0) + slope, hessian: terms.hessian(1.0, 1.0) + curvature }
    };
    contacts.par_iter().map(evaluate).collect()
}

/// Most coefficients of a contact: four vertices of at most four nodes each, and as many prescribed ones.
const MOST: usize = 20;

/// `κ = m/g² + ŵᵀHŵ` \[N/m\], H without inertia, and its first part.   [Ando2024, eq. 5, 7]
fn stiffness(
    options: &BarrierOptions,
    world: World<'_>,
    elastic: Elastic<'_>,
    contact: &Contact,
) -> [f64; 2] {
    let (nodes, weights) = (contact.stencil.nodes(), contact.stencil.weights());
    let (mut coefficients, mut masses, mut count) = ([0.0; MOST], [f64::INFINITY; MOST], nodes.len());
    for (k, &node) in nodes.iter().enumerate() {
        coefficients[k] = weights[k];
        if !elastic.fixed[node as usize] {
            masses[k] = world.model.mass[node as usize];
        }
    }
    for &weight in contact.prescribed.iter().filter(|w| **w != 0.0) {
        coefficients[count] = weight;
        count += 1;
    }
    let (coefficients, masses) = (&coefficients[..count], &masses[..count]);
    let mass = contact_mass(MassRule::Average, coefficients, masses);
    let inertial = mass / (contact.gap * contact.gap);
    if !options.elastic_stiffness {
        return [inertial, inertial];
    }
    let block = |i: usize, j: usize| {
        if i >= nodes.len() || j >= nodes.len() {
            return Mat3::zeros();
        }
        let (a, b) = (nodes[i] as usize, nodes[j] as usize);
        let own = if i == j { elastic.inertia * world.model.mass[a] } else { 0.0 };
        elastic.matrix.block(a, b) - Mat3::identity() * own
    };
    let whole = contact_stiffness(coefficients, &contact.normal, contact.gap, mass, block);
    [whole.max(inertial), inertial]
}

/// The operator `A + Wᵀ K W`.
pub(super) struct ContactOperator<'a> {
    matrix: &'a BlockMatrix,
    contacts: &'a [Contact],
    terms: &'a [Terms],
    /// Entries of node i are `entries[starts[i]..starts[i + 1]]`: contact and coefficient.
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

/// Nodes per task.
const CHUNK: usize = 1024;

impl<'a> ContactOperator<'a> {
    pub fn new(matrix: &'a BlockMatrix, contacts: &'a [Contact], terms: &'a [Terms]) -> Self {
        let mut starts = vec![0u32; matrix.block_count() + 1];
        for node in contacts.iter().flat_map(|c| c.stencil.nodes()) {
            starts[*node as usize + 1] += 1;
        }
        for row in 0..matrix.block_count() {
            starts[row + 1] += starts[row];
        }
        let mut cursor = starts.clone();
        let mut entries = vec![(0, 0.0); starts[matrix.block_count()] as usize];
        for (c, contact) in contacts.iter().enumerate() {
            for (&node, &weight) in contact.stencil.nodes().iter().zip(contact.stencil.weights()) {
                let place = &mut cursor[node as usize];
                entries[*place as usize] = (c as u32, weight);
                *place += 1;
            }
        }
        ContactOperator { matrix, contacts, terms, starts, entries }
    }

    fn row(&self, node: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// y ← y + factor · Wᵀ f, one force per contact.
    fn scatter(&self, factor: f64, forces: &[Vec3], y: &mut [Vec3]) {
        y.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, y)| {
            for (k, y) in y.iter_mut().enumerate() {
                for &(c, weight) in self.row(chunk * CHUNK + k) {
                    *y += forces[c as usize] * (weight * factor);
                }
            }
        });
    }

    /// Subtracts the gradients of contacts, with what their prescribed parts will still move, from a right-hand side.
    pub fn add_forces(&self, rhs: &mut [Vec3]) {
        let pairs = self.contacts.par_iter().zip(self.terms).with_min_len(256);
        let pulls: Vec<Vec3> = pairs.map(|(c, t)| t.gradient + t.hessian * c.ahead).collect();
        self.scatter(-1.0, &pulls, rhs);
    }

    /// Inverses of the diagonal blocks of the sum.
    pub fn block_jacobi(&self, fixed: &[bool]) -> PrecondBlockJacobi {
        let block = |node: usize| {
            let own = self.row(node).iter().map(|&(c, w)| self.terms[c as usize].hessian * (w * w));
            own.fold(*self.matrix.diagonal_block(node), |sum, k| sum + k)
        };
        PrecondBlockJacobi::from_blocks(self.matrix.block_count(), block, Some(fixed))
    }
}

impl LinearOperator for ContactOperator<'_> {
    fn block_count(&self) -> usize {
        self.matrix.block_count()
    }

    fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.matrix.mul(x, y);
        if self.contacts.is_empty() {
            return;
        }
        let pairs = self.contacts.par_iter().zip(self.terms).with_min_len(256);
        let forces: Vec<Vec3> = pairs.map(|(c, t)| t.hessian * c.relative(x)).collect();
        self.scatter(1.0, &forces, y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stiction_contact::ContactStencil;
    use stiction_numerics::{BlockPattern, Random};

    /// The product and the diagonal blocks against the matrix with all contacts written out.
    #[test]
    fn the_operator_is_the_sum_written_out() {
        let (n, mut random) = (12, Random::new(7));
        let contact = |random: &mut Random| {
            let pairs: Vec<(u32, f64)> =
                (0..4).map(|_| (random.range(0.0, 12.0) as u32, random.range(-1.0, 1.0))).collect();
            Contact {
                stencil: ContactStencil::new(&pairs),
                normal: Vec3::z(),
                gap: 1.0,
                activation: 1.0,
                multiplicity: 1.0,
                ..Contact::default()
            }
        };
        let contacts: Vec<Contact> = (0..9).map(|_| contact(&mut random)).collect();
        let terms: Vec<Terms> = (0..9)
            .map(|_| {
                let root = Mat3::from_fn(|_, _| random.normal());
                Terms { gradient: Vec3::zeros(), hessian: root * root.transpose() }
            })
            .collect();
        let base = Arc::new(BlockPattern::from_stencils(n, [[0u32, 1].as_slice()]));
        let mut matrix = BlockMatrix::zeros(base.clone());
        matrix.add_diagonal(&vec![2.0; n]);
        let stencils: Vec<&[u32]> = contacts.iter().map(|c| c.stencil.nodes()).collect();
        let mut full = BlockMatrix::zeros(Arc::new(base.with_stencils(stencils.iter().copied())));
        full.add_diagonal(&vec![2.0; n]);
        for (contact, terms) in contacts.iter().zip(&terms) {
            let (nodes, weights) = (contact.stencil.nodes(), contact.stencil.weights());
            for (&i, a) in nodes.iter().zip(weights) {
                for (&j, b) in nodes.iter().zip(weights).filter(|(j, _)| i <= **j) {
                    full.add_block(i as usize, j as usize, &(terms.hessian * (a * b)));
                }
            }
        }
        let operator = ContactOperator::new(&matrix, &contacts, &terms);
        let x: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let (mut got, mut expected) = (vec![Vec3::zeros(); n], vec![Vec3::zeros(); n]);
        operator.apply(&x, &mut got);
        full.mul(&x, &mut expected);
        assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-12));
        let jacobi = operator.block_jacobi(&vec![false; n]);
        for (i, inverse) in jacobi.inverses().iter().enumerate() {
            assert!((inverse * full.diagonal_block(i) - Mat3::identity()).norm() < 1e-9);
        }
    }
}
