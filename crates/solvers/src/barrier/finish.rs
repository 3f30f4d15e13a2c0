//! The end of a step: what it leaves to the state, to the next step and to the report.

use super::anchors::{Kept, Memory};
use super::contacts::Contact;
use super::friction::slip_to_keep;
use super::newton::Iteration;
use super::progress::Progress;
use super::solver::{Attempt, BarrierSolver};
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::contact_report::{add_load, terms};
use crate::report::{ContactSample, StepReport};
use crate::solver::{StepError, World};
use stiction_bodies::{Model, State};
use stiction_numerics::Vec3;

impl BarrierSolver {
    /// Makes an attempt the state, and reports it.
    pub(super) fn commit(
        &mut self,
        world: World<'_>,
        state: &mut State,
        attempt: Attempt,
        velocities: EndVelocities,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        // Anchors take the memory of what served the iterations.
        self.release_step_data();
        self.report_progress(&attempt, report);
        let Attempt { now, advanced, progress, .. } = attempt;
        let mut kept = None;
        if let Some(mut last) = progress.last {
            report.residual.extend([("change_m", last.change), ("mean_change_m", last.mean_change)]);
            report_contacts(world, &last, &now.blocks, report);
            last.forces = Vec::new();
            let (anchors, limit) = (&self.anchors, &last.limit);
            kept = Some(Memory::in_place_of(last.contacts, |contact| {
                let moved = contact.displacement(&state.blocks, &now.blocks)
                    + contact.moved()
                    + contact.ahead() * limit.of(contact);
                let slip = slip_to_keep(&self.options, contact, &(contact.slip(anchors) + moved));
                Kept::new(&slip, contact.forecast)
            }));
        }
        let end = EndOfStep { blocks: now.blocks.into_owned(), velocities, h: advanced };
        let next = next_state(world, state, end);
        commit(world, &next, state)?;
        if let Some(kept) = kept {
            self.anchors = kept;
        }
        (self.kinematic, self.kinematic_time) = (now.kinematic, state.time);
        report.energy = energies(world, &self.elasticity, state);
        Ok(())
    }

    /// How the iterations went, and how close things are at their end.
    fn report_progress(&self, attempt: &Attempt, report: &mut StepReport) {
        let (progress, gap): (&Progress, f64) = (&attempt.progress, attempt.gap);
        report.advanced = attempt.advanced;
        report.iterations = progress.iterations;
        report.converged = progress.converged;
        report.penetration = (-gap).max(0.0);
        let strain_gap = self.limits.smallest_gap(&attempt.now.blocks);
        report.strain_limit_excess = strain_gap.map_or(0.0, |gap| (-gap).max(0.0));
        report.counters.extend([
            ("beta", progress.beta()),
            ("pcg_iterations", progress.pcg_iterations as f64),
            ("pcg_unconverged", progress.pcg_failures as f64),
            ("direct_solves", progress.direct_solves as f64),
            ("smallest_alpha", progress.smallest_alpha),
        ]);
        if gap.is_finite() {
            report.counters.push(("min_gap_m", gap));
        }
        report.counters.extend(strain_gap.map(|gap| ("min_strain_gap", gap)));
    }
}

/// How many contacts have a gap within each fifth of their activation gap.
fn gap_shares(model: &Model, contacts: &[Contact]) -> [(&'static str, f64); 5] {
    let names = ["gaps_to_20", "gaps_to_40", "gaps_to_60", "gaps_to_80", "gaps_to_100"];
    let mut counts = [0.0; 5];
    for contact in contacts {
        counts[((5.0 * contact.gap / contact.activation(model)) as usize).min(4)] += 1.0;
    }
    std::array::from_fn(|k| (names[k], counts[k]))
}

/// Contacts, forces and gaps of the last iteration.
fn report_contacts(world: World<'_>, iteration: &Iteration, x: &[Vec3], report: &mut StepReport) {
    report.contacts = iteration.contacts.len();
    report.counters.extend(gap_shares(world.model, &iteration.contacts));
    report.contact_force = vec![Vec3::zeros(); world.model.surfaces.objects.len()];
    report.contact_load = vec![0.0; world.model.nodes];
    for (contact, force) in iteration.contacts.iter().zip(&iteration.forces) {
        let [a, b] = contact.objects().map(|o| o as usize);
        report.contact_force[a] += force;
        report.contact_force[b] -= force;
        if *force != Vec3::zeros() {
            let (point, normal, gap) = (contact.place(x), contact.normal, contact.gap);
            let objects = contact.objects();
            report.contact_samples.push(ContactSample { objects, point, normal, gap, force: *force });
            add_load(&mut report.contact_load, terms(&contact.stencil), force.dot(&normal));
        }
    }
}
