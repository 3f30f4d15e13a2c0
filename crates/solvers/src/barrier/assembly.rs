//! Stiffness, forces and the matrix of all contacts.
//!
//! Barrier and friction of contact c act through `Σ c_i x_i` alone, so its Hessian is `c_i c_j K_c` with one symmetric 3×3 matrix
//! `K_c = κ b'' n nᵀ + K_f`. The blocks are written out in three stores: diagonal and mesh blocks of the elastic matrix, and pairs of nodes
//! that only contacts couple, whose pattern is kept within a step (`stiction_numerics::Couplings`).   [Ando2024, section 3.7]

use super::contacts::{Contact, Way};
use super::friction::friction_terms;
use super::options::{BarrierOptions, ContactMass};
use crate::solver::World;
use rayon::prelude::*;
use stiction_contact::barrier::{Barrier, BarrierTerms, Push, contact_mass, contact_stiffness};
use stiction_numerics::{
    BlockMatrix, CoupledMatrix, CouplingTerms, Couplings, Incidence, SymmetricBlock, Vec3,
};

/// What one contact adds: gradient and Hessian with respect to its relative displacement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms {
    /// Gradient with what the prescribed part will still move: `g + K e_ahead` \[N\].
    pub pull: Vec3,
    /// K \[N/m\].
    pub hessian: SymmetricBlock,
}

impl Terms {
    /// Force on the first object at the end of a whole direction, by the linear model \[N\].
    pub fn force(&self, contact: &Contact, direction: &[Vec3]) -> Vec3 {
        -(self.pull + self.hessian.mul(&contact.relative(direction)))
    }

    /// Force of the barrier as it is \[N\].
    pub fn present_push(&self, contact: &Contact) -> f64 {
        -contact.normal.dot(&(self.pull - self.hessian.mul(&contact.ahead())))
    }
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

/// Contacts per task.
const CHUNK: usize = 256;

/// Evaluates all contacts; κ is frozen at this configuration.
fn evaluate(
    options: &BarrierOptions,
    world: World<'_>,
    elastic: Elastic<'_>,
    way: Way<'_>,
    contacts: &[Contact],
) -> Vec<Terms> {
    let barrier = options.shape();
    let evaluate = |contact: &Contact| {
        let [kappa, inertial] = stiffness(options, world, elastic, contact).map(|k| k * contact.weight);
        let activation = contact.activation(world.model);
        let terms = BarrierTerms::new(&barrier, contact.gap, activation, kappa, contact.normal);
        let Some(mut terms) = terms else { return Default::default() };
        terms.curvature = curvature((options, &barrier), (contact, activation), &terms, [kappa, inertial]);
        let [a, b] = contact.objects().map(|o| o as usize);
        let coefficient = world.parameters.friction_between(a, b);
        let (slope, curvature) = friction_terms(options, contact, coefficient, way, &terms);
        let mut hessian = SymmetricBlock::outer(&contact.normal, terms.curvature);
        hessian.add_scaled(1.0, &SymmetricBlock::from_upper(&curvature));
        let pull = terms.gradient(1.0) + slope + hessian.mul(&contact.ahead());
        Terms { pull, hessian }
    };
    contacts.par_iter().with_min_len(CHUNK).map(evaluate).collect()
}

/// Slope of the linear model of a barrier: the chord towards the force that the contact is expected to carry, or the tangent where none is known \[N/m\].
fn curvature(
    (options, barrier): (&BarrierOptions, &Barrier),
    (contact, activation): (&Contact, f64),
    terms: &BarrierTerms,
    [kappa, inertial]: [f64; 2],
) -> f64 {
    let gap = contact.gap;
    if let Some(force) = contact.expected(options) {
        let push = Push { barrier, activation, mass: inertial * gap * gap, elastic: kappa - inertial };
        return push.chord(gap, contact.normal.dot(&force));
    }
    let mut terms = *terms;
    terms.stiffen(inertial, gap, barrier.at(gap, activation).slope, options.stiffness_growth);
    terms.curvature
}

/// `κ = m/g² + ŵᵀHŵ` \[N/m\], H without inertia, and its first part.   [Ando2024, eq. 5, 7]
fn stiffness(
    options: &BarrierOptions,
    world: World<'_>,
    elastic: Elastic<'_>,
    contact: &Contact,
) -> [f64; 2] {
    let (nodes, weights, normal) = (contact.stencil.nodes(), contact.stencil.weights(), &contact.normal);
    let (held, held_square) = (contact.held, contact.held_square);
    let weighted = options.contact_mass == ContactMass::Weighted;
    let masses = nodes.iter().zip(weights).map(|(&n, w)| {
        let mass = if elastic.fixed[n as usize] { f64::INFINITY } else { world.model.mass[n as usize] };
        (mass, if weighted { w * w } else { 1.0 })
    });
    let prescribed = (f64::INFINITY, if weighted { held_square } else { f64::from(held) });
    let mass = contact_mass(masses.chain([prescribed]));
    let inertial = mass / (contact.gap * contact.gap);
    if !options.elastic_stiffness {
        return [inertial, inertial];
    }
    let pattern = elastic.matrix.pattern();
    let form = |i: usize, j: usize| {
        let (a, b) = (nodes[i].min(nodes[j]) as usize, nodes[i].max(nodes[j]) as usize);
        if a == b {
            let own = elastic.matrix.form(a, pattern.diagonal_slot(a), normal);
            return own - elastic.inertia * world.model.mass[a];
        }
        pattern.slot(a, b).map_or(0.0, |slot| elastic.matrix.form(a, slot, normal))
    };
    let square = weights.iter().map(|w| w * w).sum::<f64>() + held_square;
    [contact_stiffness(weights, square, inertial, form).max(inertial), inertial]
}

/// Contacts with their terms, as the matrix wants them.
struct Coupled<'a> {
    contacts: &'a [Contact],
    terms: &'a [Terms],
}

impl CouplingTerms for Coupled<'_> {
    fn stencil(&self, term: usize) -> (&[u32], &[f64]) {
        let stencil = &self.contacts[term].stencil;
        (stencil.nodes(), stencil.weights())
    }

    fn block(&self, term: usize) -> &SymmetricBlock {
        &self.terms[term].hessian
    }

    fn pull(&self, term: usize) -> Vec3 {
        self.terms[term].pull
    }
}

/// The store of contact blocks, and which contacts touch a block from their evaluation until they are added.
#[derive(Default)]
pub(super) struct ContactMatrix {
    incidence: Incidence,
    couplings: Couplings,
}

impl ContactMatrix {
    /// Forgets the pattern of the last step, which a resumed run would not have.
    pub fn begin_step(&mut self) {
        self.couplings.clear();
    }

    /// Evaluates all contacts at a configuration.
    pub fn evaluate(
        &mut self,
        options: &BarrierOptions,
        world: World<'_>,
        elastic: Elastic<'_>,
        way: Way<'_>,
        contacts: &[Contact],
    ) -> Vec<Terms> {
        let (incidence, blocks) = (&mut self.incidence, elastic.matrix.block_count());
        let sort = || incidence.rebuild(blocks, contacts.iter().map(|c| c.stencil.nodes()));
        rayon::join(sort, || evaluate(options, world, elastic, way, contacts)).1
    }

    /// Adds the Hessians of evaluated contacts to the system and their forces to the right-hand side.
    pub fn add(&mut self, contacts: &[Contact], terms: &[Terms], system: &mut BlockMatrix, rhs: &mut [Vec3]) {
        // Freed when all are added: the solve needs the room.
        let incidence = std::mem::take(&mut self.incidence);
        self.couplings.assemble(system, rhs, &incidence, &Coupled { contacts, terms });
    }

    /// Frees the blocks until the next assembly, which finds their places again.
    pub fn make_room(&mut self) {
        self.couplings.release_values();
    }

    /// The whole matrix.
    pub fn with<'a>(&'a self, system: &'a BlockMatrix) -> CoupledMatrix<'a> {
        CoupledMatrix { base: system, couplings: &self.couplings }
    }
}
