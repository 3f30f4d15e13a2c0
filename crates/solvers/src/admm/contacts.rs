//! The contacts of a step, and the projection of velocities on them.

use super::metric::Metric;
use super::options::AdmmOptions;
use crate::first_contacts::{near_and_approaching, open_penetrations};
use crate::solver::{StepError, World};
use stiction_contact::coulomb::NodeBlockSweep;
use stiction_contact::detect::{ContactFinder, KnownContacts, StepMotion, pair_gap};
use stiction_contact::{ContactSet, ImpulseMemory, NewContact, ProjectOptions};
use stiction_numerics::{Mat3, Vec3};

/// Which contacts a search looks for.
#[derive(Clone, Copy)]
pub enum ContactSearch<'a> {
    /// Those near at the start or coming together, with the impulses of the step before.
    First(&'a ImpulseMemory),
    /// Those coming together that have no contact yet.
    New,
    /// The same along a velocity that is about to be final: pairs that slip past their contacts get
    /// another one.
    Late,
}

/// The contacts of a step with their impulses.
pub struct StepContacts {
    /// The contacts.
    pub set: ContactSet,
    /// Sorted keys of all of them.
    known: Vec<u64>,
    /// Full inverse blocks at the nodes, where the projection is not isotropic.
    full: Option<FullBlocks>,
}

/// What the projection of a baseline needs.
struct FullBlocks {
    inverse_blocks: Vec<Mat3>,
    sweep: NodeBlockSweep,
}

impl StepContacts {
    /// No contacts over nodes of these weights \[kg\].
    pub fn new(weights: &[f64]) -> StepContacts {
        StepContacts { set: ContactSet::new(weights), known: Vec::new(), full: None }
    }

    /// Takes the metric of a Newton iteration: weights \[kg\], and the inverse blocks \[1/kg\] of
    /// a baseline.
    pub fn set_metric(&mut self, metric: &Metric) -> Result<(), StepError> {
        let inverse_blocks = metric.inverse_of_nodes();
        self.set.set_weights(metric.of_nodes()).map_err(|e| StepError::Contact { reason: e.to_string() })?;
        self.full = inverse_blocks.map(|inverse_blocks| {
            let sweep = NodeBlockSweep::new(&self.set, inverse_blocks);
            FullBlocks { inverse_blocks: inverse_blocks.to_vec(), sweep }
        });
        Ok(())
    }

    /// Looks for contacts along a velocity; they join the others. Returns their number.
    pub fn find(
        &mut self,
        world: World<'_>,
        motion: &StepMotion<'_>,
        finder: &mut ContactFinder,
        velocity: &[Vec3],
        options: &AdmmOptions,
        search: ContactSearch<'_>,
    ) -> Result<usize, StepError> {
        let World { model, parameters } = world;
        let mut memory = None;
        let found = match search {
            ContactSearch::First(last) => {
                memory = Some(last);
                near_and_approaching(finder, world, motion, velocity)?
            }
            ContactSearch::New => {
                finder.approaching(model, parameters, motion, velocity, KnownContacts::new(&self.known))?
            }
            ContactSearch::Late => finder.approaching(
                model,
                parameters,
                motion,
                velocity,
                KnownContacts::new(&self.known).rechecked(),
            )?,
        };
        self.append(found, options, world, motion.h, memory)
    }

    fn append(
        &mut self,
        contacts: Vec<NewContact>,
        options: &AdmmOptions,
        world: World<'_>,
        h: f64,
        memory: Option<&ImpulseMemory>,
    ) -> Result<usize, StepError> {
        if contacts.is_empty() {
            return Ok(0);
        }
        let contacts = prepare(contacts, options, world, h);
        self.known.extend(contacts.iter().map(|c| c.key));
        self.known.sort_unstable();
        if let Some(full) = &self.full {
            full.sweep.store_impulses(&mut self.set);
        }
        // A velocity beyond what numbers reach gives contacts without a finite bias.
        self.set.append(&contacts, memory).map_err(|e| StepError::Contact { reason: e.to_string() })?;
        if let Some(full) = &mut self.full {
            full.sweep = NodeBlockSweep::new(&self.set, &full.inverse_blocks);
        }
        Ok(contacts.len())
    }

    /// Projects velocities of nodes on the contacts. Returns the fraction of contacts that sleep at
    /// the end.
    pub fn project(&mut self, velocities: &mut [Vec3], options: &ProjectOptions) -> f64 {
        let Some(full) = &mut self.full else {
            let asleep = self.set.project(velocities, options).asleep;
            return asleep as f64 / self.set.len().max(1) as f64;
        };
        full.sweep.load(velocities);
        for _ in 0..options.sweeps {
            full.sweep.sweep();
        }
        full.sweep.store(velocities);
        full.sweep.store_impulses(&mut self.set);
        0.0
    }

    /// Largest natural-map residual over the contacts after a projection \[m/s\].
    pub fn natural_map_residual(&self) -> f64 {
        self.full.as_ref().map_or_else(|| self.set.natural_map_residual(), |f| f.sweep.natural_map_residual())
    }
}

/// Puts compliance and cohesion on new contacts, and opens penetrations over the wanted time
/// instead of at once.
///
/// Cohesion falls linearly from touching to the contact gap of the pair, ξ = ξ₀ (1 − g/ĝ).
/// [Daviet2020, section 7.4]
fn prepare(
    mut contacts: Vec<NewContact>,
    options: &AdmmOptions,
    world: World<'_>,
    h: f64,
) -> Vec<NewContact> {
    for contact in &mut contacts {
        let [a, b] = contact.bodies;
        let listed = world.parameters.pair_between(a as usize, b as usize);
        contact.compliance = listed.and_then(|pair| pair.compliance).unwrap_or(options.compliance);
        let cohesion = listed.and_then(|pair| pair.cohesion).unwrap_or(options.cohesion);
        if cohesion > 0.0 {
            let reach = pair_gap(world.model, contact.bodies);
            let near = if reach > 0.0 { (1.0 - contact.gap / reach).clamp(0.0, 1.0) } else { 1.0 };
            contact.cohesion = cohesion * near * h;
        }
    }
    open_penetrations(&mut contacts, options.resolve_time, h);
    contacts
}
