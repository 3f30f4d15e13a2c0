//! The contact local step: p = (x − x_t + λ)/h projected on the contact constraints; contacts are
//! those near at the start of the step, and at its end those that the final motion would pass
//! through.
//!
//! λ \[m\] is rebuilt from the impulses of the step before, −h W⁻¹ Bᵀ r, so that what rests stays
//! at rest.

use super::options::IntegratorOptions;
use super::strands::Strands;
use crate::contact_report::report_contacts;
use crate::first_contacts::open_penetrations;
use crate::report::{StepReport, StepSeconds, timed};
use crate::solver::{StepError, World};
use stiction_contact::detect::{ContactFinder, KnownContacts, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory, NewContact, ProjectOptions};
use stiction_numerics::{Vec3, ordered_max_by};

/// Contacts of one step.
pub struct StrandContacts<'a> {
    motion: StepMotion<'a>,
    options: IntegratorOptions,
    pub set: ContactSet,
    /// Sorted keys of all contacts.
    known: Vec<u64>,
    /// Which strands touch something.
    touched: Vec<bool>,
    /// The same while contacts are only predicted: none.
    untouched: Vec<bool>,
    /// Which nodes touch something.
    pub touching: Vec<bool>,
    /// p \[m/s\] and λ \[m\].
    pub projected: Vec<Vec3>,
    dual: Vec<Vec3>,
}

impl<'a> StrandContacts<'a> {
    /// No contacts yet.
    pub fn new(
        options: &IntegratorOptions,
        world: World<'_>,
        strands: &Strands,
        motion: StepMotion<'a>,
    ) -> StrandContacts<'a> {
        let nodes = world.model.nodes;
        StrandContacts {
            motion,
            options: options.clone(),
            set: ContactSet::new(&strands.contact_weight),
            known: Vec::new(),
            touched: vec![false; strands.list.len()],
            untouched: vec![false; strands.list.len()],
            touching: vec![false; nodes],
            projected: vec![Vec3::zeros(); nodes],
            dual: vec![Vec3::zeros(); nodes],
        }
    }

    /// Finds the contacts that are near at the start of the step, with their remembered impulses
    /// and the λ that belongs to them.
    pub fn find_near(
        &mut self,
        world: World<'_>,
        strands: &Strands,
        finder: &mut ContactFinder,
        memory: &ImpulseMemory,
        velocity: &[Vec3],
        seconds: &mut StepSeconds,
    ) -> Result<(), StepError> {
        let found = timed(&mut seconds.detection, || {
            finder.proximity(world.model, world.parameters, &self.motion, velocity)
        })?;
        self.append(found, strands, Some(memory))?;
        for contact in 0..self.set.len() {
            let impulse = self.set.total_impulse(contact);
            let (nodes, coefficients) = self.set.stencil(contact);
            for (&node, b) in nodes.iter().zip(coefficients) {
                let weight = strands.contact_weight[node as usize];
                self.dual[node as usize] -= impulse * (self.motion.h * b / weight);
            }
        }
        Ok(())
    }

    fn append(
        &mut self,
        mut found: Vec<NewContact>,
        strands: &Strands,
        memory: Option<&ImpulseMemory>,
    ) -> Result<(), StepError> {
        open_penetrations(&mut found, self.options.resolve_time, self.motion.h);
        for &node in found.iter().flat_map(|contact| contact.stencil.nodes()) {
            self.touching[node as usize] = true;
            self.touched[strands.of_node[node as usize] as usize] = true;
        }
        self.known.extend(found.iter().map(|c| c.key));
        self.known.sort_unstable();
        self.set.append(&found, memory).map_err(|e| StepError::Contact { reason: e.to_string() })
    }

    /// The last projection; what the motion that it leads to would pass through joins the contacts,
    /// and it is done again.
    pub fn finish(
        &mut self,
        world: World<'_>,
        strands: &Strands,
        finder: &mut ContactFinder,
        x: &[Vec3],
        seconds: &mut StepSeconds,
    ) -> Result<(), StepError> {
        self.project(x, seconds);
        for _ in 0..self.options.final_passes {
            let velocity: Vec<Vec3> = (0..x.len()).map(|n| self.end_velocity(n, x)).collect();
            let (model, parameters) = (world.model, world.parameters);
            let found = timed(&mut seconds.detection, || {
                finder.approaching(
                    model,
                    parameters,
                    &self.motion,
                    &velocity,
                    KnownContacts::new(&self.known).rechecked(),
                )
            })?;
            if found.is_empty() {
                break;
            }
            self.append(found, strands, None)?;
            self.project(x, seconds);
        }
        Ok(())
    }

    /// Velocity over the step: feasible where something touches \[m/s\].
    pub fn end_velocity(&self, node: usize, x: &[Vec3]) -> Vec3 {
        match self.touching[node] {
            true => self.projected[node],
            false => (x[node] - self.motion.start[node]) / self.motion.h,
        }
    }

    /// Step size \[s\].
    pub fn step_size(&self) -> f64 {
        self.motion.h
    }

    /// p ← projection of (x − x_t + λ)/h.
    pub fn project(&mut self, x: &[Vec3], seconds: &mut StepSeconds) {
        for (n, p) in self.projected.iter_mut().enumerate() {
            *p = (x[n] - self.motion.start[n] + self.dual[n]) / self.motion.h;
        }
        let options = ProjectOptions { sweeps: self.options.sweeps, ..ProjectOptions::default() };
        timed(&mut seconds.contact_projection, || self.set.project(&mut self.projected, &options));
    }

    /// λ += x − x_t − h p.
    pub fn update_dual(&mut self, x: &[Vec3]) {
        for (n, dual) in self.dual.iter_mut().enumerate() {
            *dual += x[n] - self.motion.start[n] - self.projected[n] * self.motion.h;
        }
    }

    /// Which strands take the matrix with contact weights.
    pub fn weighted(&self, predicting: bool) -> &[bool] {
        if predicting { &self.untouched } else { &self.touched }
    }

    /// The right-hand side of inertia and contacts \[N\].
    pub fn right_hand_side(&self, strands: &Strands, inertia: &[Vec3], predicting: bool) -> Vec<Vec3> {
        let pull = |n: usize| match self.touched[strands.of_node[n] as usize] {
            true => inertia[n] + self.pull(strands, n, predicting),
            false => inertia[n],
        };
        (0..inertia.len()).map(pull).collect()
    }

    /// What contacts add to the right-hand side of a node \[N\]: W/h² (h p + x_t − λ), or −W λ/h²
    /// while they are only predicted.
    fn pull(&self, strands: &Strands, node: usize, predicting: bool) -> Vec3 {
        let h = self.motion.h;
        let weight = strands.contact_weight[node] / (h * h);
        match predicting {
            true => self.dual[node] * -weight,
            false => (self.projected[node] * h + self.motion.start[node] - self.dual[node]) * weight,
        }
    }

    /// Largest |x − x_t − h p| in strands that touch something \[m\].
    pub fn apart(&self, strands: &Strands, x: &[Vec3]) -> f64 {
        ordered_max_by(x.len(), |n| match self.touched[strands.of_node[n] as usize] {
            true => (x[n] - self.motion.start[n] - self.projected[n] * self.motion.h).amax(),
            false => 0.0,
        })
    }

    /// Fills the part of a report that is about contacts.
    pub fn report(&self, world: World<'_>, report: &mut StepReport) {
        report_contacts(&self.set, world, self.motion.h, report);
    }
}
