//! The contact local step: p = (x − x_t + λ)/h projected on the contact constraints; contacts are those near at the start of the step.
//!
//! λ \[m\] is rebuilt from the impulses of the step before, −h W⁻¹ Bᵀ r, so that what rests stays at rest.

use super::options::IntegratorOptions;
use super::strands::Strands;
use crate::contact_report::report_contacts;
use crate::report::{StepReport, StepSeconds, timed};
use crate::solver::{StepError, World};
use stiction_contact::detect::{Collider, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory, ProjectOptions};
use stiction_numerics::{Vec3, ordered_max_by};

/// Contacts of one step.
pub struct ContactStep<'a> {
    motion: StepMotion<'a>,
    sweeps: usize,
    pub set: ContactSet,
    /// Which strands touch something, and which nodes.
    pub touched: Vec<bool>,
    pub touching: Vec<bool>,
    /// p \[m/s\] and λ \[m\].
    pub projected: Vec<Vec3>,
    dual: Vec<Vec3>,
}

impl<'a> ContactStep<'a> {
    /// Finds the contacts that are near at the start of the step.
    pub fn new(
        options: &IntegratorOptions,
        world: World<'_>,
        strands: &Strands,
        collider: &mut Collider,
        memory: &ImpulseMemory,
        (motion, velocity): (StepMotion<'a>, &[Vec3]),
        seconds: &mut StepSeconds,
    ) -> Result<ContactStep<'a>, StepError> {
        let nodes = world.model.nodes;
        let mut found = timed(&mut seconds.detection, || {
            collider.proximity(world.model, world.parameters, &motion, velocity)
        })?;
        let mut out = ContactStep {
            motion,
            sweeps: options.sweeps,
            set: ContactSet::new(&strands.contact_weight),
            touched: vec![false; strands.list.len()],
            touching: vec![false; nodes],
            projected: vec![Vec3::zeros(); nodes],
            dual: vec![Vec3::zeros(); nodes],
        };
        for contact in &mut found {
            if contact.gap < 0.0 {
                contact.normal_offset = contact.gap / options.resolve_time.max(motion.h);
            }
            for &node in contact.stencil.nodes() {
                out.touching[node as usize] = true;
                out.touched[strands.of_node[node as usize] as usize] = true;
            }
        }
        let refused = |e: stiction_contact::ContactError| StepError::Contact { reason: e.to_string() };
        out.set.append(&found, Some(memory)).map_err(refused)?;
        for contact in 0..out.set.len() {
            let impulse = out.set.total_impulse(contact);
            let (nodes, coefficients) = out.set.stencil(contact);
            for (&node, b) in nodes.iter().zip(coefficients) {
                let weight = strands.contact_weight[node as usize];
                out.dual[node as usize] -= impulse * (motion.h * b / weight);
            }
        }
        Ok(out)
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
        let options = ProjectOptions { sweeps: self.sweeps, ..ProjectOptions::default() };
        timed(&mut seconds.contact_projection, || self.set.project(&mut self.projected, &options));
    }

    /// λ += x − x_t − h p.
    pub fn update_dual(&mut self, x: &[Vec3]) {
        for (n, dual) in self.dual.iter_mut().enumerate() {
            *dual += x[n] - self.motion.start[n] - self.projected[n] * self.motion.h;
        }
    }

    /// What contacts add to the right-hand side of a node \[N\]: W/h² (h p + x_t − λ), or −W λ/h² while they are only predicted.
    pub fn pull(&self, strands: &Strands, node: usize, predicting: bool) -> Vec3 {
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
