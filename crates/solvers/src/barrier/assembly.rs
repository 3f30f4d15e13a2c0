//! Stiffness, forces and the matrix of all contacts.
//!
//! Barrier and friction of contact c act through `Σ c_i x_i` alone, so its Hessian is `c_i c_j K_c`
//! with one symmetric 3×3 matrix
//! `K_c = κ b'' n nᵀ + K_f`. The blocks are written out in three stores: diagonal and mesh blocks
//! of the elastic matrix, and pairs of nodes
//! that only contacts couple, whose pattern is kept within a step (`stiction_numerics::Couplings`).
//! [Ando2024, section 3.7]

use super::contacts::{Contact, Trajectory};
use super::couples::Bearers;
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
}

/// Contacts per task.
const CHUNK: usize = 256;

/// Contacts whose terms live at the same time, or as many as there are blocks where these are more:
/// each section looks at every row of the matrix. Couples of friction are summed section by
/// section, so another size changes their last bits.
const SECTION: usize = 1 << 15;

/// What contacts are evaluated with. Terms take more room than a step has: it keeps stiffnesses,
/// from which terms are found again.
#[derive(Clone, Copy)]
pub(super) struct Evaluation<'a> {
    pub options: &'a BarrierOptions,
    pub world: World<'a>,
    pub fixed: &'a [bool],
    pub trajectory: Trajectory<'a>,
}

impl Evaluation<'_> {
    /// Terms of a contact with a stiffness κ \[N/m\].
    pub fn terms(&self, contact: &Contact, kappa: f64) -> Terms {
        let (options, world, barrier) = (self.options, self.world, self.options.shape());
        let [kappa, inertial] = [kappa, self.inertial(contact)].map(|k| k * contact.weight);
        let activation = contact.activation(world.model);
        let terms = BarrierTerms::new(&barrier, contact.gap, activation, kappa, contact.normal);
        let Some(mut terms) = terms else { return Terms::default() };
        terms.curvature = curvature((options, &barrier), (contact, activation), &terms, [kappa, inertial]);
        let [a, b] = contact.objects().map(|o| o as usize);
        let coefficient = world.parameters.friction_between(a, b);
        let (slope, curvature) = friction_terms(options, contact, coefficient, self.trajectory, &terms);
        let mut hessian = SymmetricBlock::outer(&contact.normal, terms.curvature);
        hessian.add_scaled(1.0, &SymmetricBlock::from_upper(&curvature));
        let pull = terms.gradient(1.0) + slope + hessian.mul(&contact.ahead());
        Terms { pull, hessian }
    }

    /// Stiffnesses of all contacts, frozen at this configuration \[N/m\]. All of them come before
    /// the first is added to the matrix that they are measured by.
    pub fn stiffnesses(&self, elastic: Elastic<'_>, contacts: &[Contact]) -> Vec<f64> {
        contacts.par_iter().with_min_len(CHUNK).map(|contact| self.stiffness(elastic, contact)).collect()
    }

    /// Terms of some contacts, in the place of the last ones.
    fn all_terms(&self, (contacts, stiffnesses): (&[Contact], &[f64]), terms: &mut Vec<Terms>) {
        let both = contacts.par_iter().zip(stiffnesses).with_min_len(CHUNK);
        both.map(|(contact, &kappa)| self.terms(contact, kappa)).collect_into_vec(terms);
    }

    /// m/g² \[N/m\].
    fn inertial(&self, contact: &Contact) -> f64 {
        let weighted = self.options.contact_mass == ContactMass::Weighted;
        let nodes = contact.stencil.nodes().iter().zip(contact.stencil.weights());
        let masses = nodes.map(|(&n, w)| {
            let mass =
                if self.fixed[n as usize] { f64::INFINITY } else { self.world.parameters.mass[n as usize] };
            (mass, if weighted { w * w } else { 1.0 })
        });
        let prescribed =
            (f64::INFINITY, if weighted { f64::from(contact.held_square) } else { f64::from(contact.held) });
        contact_mass(masses.chain([prescribed])) / (contact.gap * contact.gap)
    }

    /// `κ = m/g² + ŵᵀHŵ` \[N/m\], H without inertia.   [Ando2024, eq. 5, 7]
    fn stiffness(&self, elastic: Elastic<'_>, contact: &Contact) -> f64 {
        let inertial = self.inertial(contact);
        if !self.options.elastic_stiffness {
            return inertial;
        }
        let (nodes, weights, normal) = (contact.stencil.nodes(), contact.stencil.weights(), &contact.normal);
        let pattern = elastic.matrix.pattern();
        let form = |i: usize, j: usize| {
            let (a, b) = (nodes[i].min(nodes[j]) as usize, nodes[i].max(nodes[j]) as usize);
            if a == b {
                let own = elastic.matrix.form(a, pattern.diagonal_slot(a), normal);
                return own - elastic.inertia * self.world.parameters.mass[a];
            }
            pattern.slot(a, b).map_or(0.0, |slot| elastic.matrix.form(a, slot, normal))
        };
        let square = weights.iter().map(|w| w * w).sum::<f64>() + f64::from(contact.held_square);
        contact_stiffness(weights, square, inertial, form).max(inertial)
    }
}

/// Slope of the linear model of a barrier: the chord towards the force that the contact is expected
/// to carry, or the tangent where none is known \[N/m\].
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

/// The store of contact blocks.
#[derive(Default)]
pub(super) struct ContactMatrix {
    couplings: Couplings,
}

impl ContactMatrix {
    /// Forgets the pattern of the last step, which a resumed run would not have.
    pub fn begin_step(&mut self) {
        self.couplings.clear();
    }

    /// Adds the Hessians of contacts with given stiffnesses to the system, and their forces and
    /// couples to the right-hand side. A section at a time: terms of all contacts and their order
    /// by nodes would be the most that a step holds.
    pub fn assemble(
        &mut self,
        (evaluation, bearers): (Evaluation<'_>, Bearers<'_>),
        (contacts, stiffnesses): (&[Contact], &[f64]),
        system: &mut BlockMatrix,
        rhs: &mut [Vec3],
    ) {
        let (x, blocks) = (&evaluation.trajectory.now.blocks, system.block_count());
        let (mut incidence, mut terms, mut couples) = (Incidence::default(), Vec::new(), Vec::new());
        let section = SECTION.max(blocks);
        self.couplings.begin(blocks);
        for (contacts, stiffnesses) in contacts.chunks(section).zip(stiffnesses.chunks(section)) {
            let sort = || incidence.rebuild(blocks, contacts.iter().map(|c| c.stencil.nodes()));
            rayon::join(sort, || evaluation.all_terms((contacts, stiffnesses), &mut terms));
            self.couplings.add(system, rhs, &incidence, &Coupled { contacts, terms: &terms });
            bearers.gather(contacts, &terms, x, &mut couples);
        }
        self.couplings.end();
        bearers.add_couples(&couples, x, rhs);
    }

    /// Frees the blocks until the next assembly, which finds their places again.
    pub fn release_values(&mut self) {
        self.couplings.release_values();
    }

    /// The whole matrix.
    pub fn with<'a>(&'a self, system: &'a BlockMatrix) -> CoupledMatrix<'a> {
        CoupledMatrix { base: system, couplings: &self.couplings }
    }
}
