//! The outer loop: an ADMM time integrator in which contacts are one more constraint.
//! [Daviet2020, section 6.1, which has no algorithm box: comments quote it; Narain2016 for z, u, x]
//!
//! λ of the paper is the dual of a velocity, −λ/h here: it is kept in metres, as in `pd`.

use super::contact_step::StrandContacts;
use super::local_step::StrandLocalStep;
use super::options::IntegratorOptions;
use super::strands::{Held, RodTerms, Strands};
use super::twist::TwistProblem;
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::registry::MethodError;
use crate::renew::renew;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use rayon::prelude::*;
use stiction_bodies::{Changed, Prescription, State};
use stiction_contact::ImpulseMemory;
use stiction_contact::detect::{ContactFinder, DetectOptions, StepMotion};
use stiction_energy::Elasticity;
use stiction_numerics::{Vec3, ordered_max_by};

/// ADMM time integrator for strands.
pub struct IntegratorSolver {
    options: IntegratorOptions,
    elasticity: Elasticity,
    strands: Strands,
    local: StrandLocalStep,
    finder: ContactFinder,
    /// Contact impulses of the last step.
    memory: ImpulseMemory,
}

/// What the loop of a step reached \[m\].
#[derive(Clone, Copy, Debug, Default)]
struct LoopReport {
    iterations: usize,
    /// |x − x_prev|∞.
    moved: f64,
    /// |x − x_t − h p|∞ in strands that touch something.
    apart: f64,
    /// |D x − z|∞.
    primal: f64,
}

impl LoopReport {
    /// What must be below the tolerance.
    fn largest(&self) -> f64 {
        self.moved.max(self.primal).max(self.apart)
    }

    /// Adds what was reached to the report of the step.
    fn add_to(&self, report: &mut StepReport, tolerance: f64) {
        (report.iterations, report.converged) = (self.iterations, self.largest() < tolerance);
        let LoopReport { moved, apart, primal, .. } = *self;
        report.residual.extend([("moved_m", moved), ("apart_m", apart), ("primal_m", primal)]);
    }
}

impl IntegratorSolver {
    /// A solver for a model of strands.
    pub fn new(options: IntegratorOptions, world: World<'_>) -> Result<IntegratorSolver, MethodError> {
        let strands = Strands::new(world)?;
        let model = world.model;
        Ok(IntegratorSolver {
            options,
            elasticity: Elasticity::new(model, world.parameters)?,
            strands,
            local: StrandLocalStep::new(model.rods.edges.len(), model.rods.joints.len()),
            finder: ContactFinder::new(model, &world.parameters.controls, DetectOptions::default())?,
            memory: ImpulseMemory::default(),
        })
    }

    /// Runs the iteration from `x`. Predictions come first: they see the same elastic terms, and of
    /// the contacts only the impulses of the step before.
    fn iterate(
        &mut self,
        world: World<'_>,
        state: &State,
        held: &Held<'_>,
        contact: &mut StrandContacts<'_>,
        x: &mut Vec<Vec3>,
        report: &mut StepReport,
    ) -> LoopReport {
        let (options, strands, terms) = (&self.options, &self.strands, RodTerms::of(&self.elasticity));
        let inertia = inertial_pull(world, state, contact.step_size());
        let (mut copied, mut next) = (vec![Vec3::zeros(); terms.edges.len()], x.clone());
        let mut reached = LoopReport::default();
        let predictions = if contact.set.is_empty() { 0 } else { options.predictions };
        for iteration in 1..=options.max_iterations.max(predictions + 1) {
            let predicting = iteration <= predictions;
            // Local steps of elasticity: z ← argmin U(z) + w/2 |z − (D x + u)|², u ← u + D x − z.
            timed(&mut report.seconds.local_projection, || {
                self.local.project(world, terms, strands, state, x, options.local_iterations);
                self.local.gather(terms.joints, strands, &mut copied);
            });
            if !predicting {
                // "The local step of our contact constraint consists in running the projection
                // algorithm 3": p ← (x − x_t + λ)/h, projected; λ ← λ + x − x_t − h p.
                contact.project(x, &mut report.seconds);
                contact.update_dual(x);
            }
            // Global step: "the weights matrix W must be added to the left-hand side of the global
            // step linear system, and the force W (p + λ) to the right-hand side".
            timed(&mut report.seconds.linear_solve, || {
                let pull = contact.right_hand_side(strands, &inertia, predicting);
                strands.solve(&copied, &pull, contact.weighted(predicting), held, &mut next);
            });
            reached.iterations = iteration;
            reached.moved = ordered_max_by(x.len(), |n| (next[n] - x[n]).amax());
            std::mem::swap(x, &mut next);
            reached.primal = self.local.primal(terms, x);
            reached.apart = contact.apart(strands, x);
            if !predicting && reached.largest() < options.tolerance {
                break;
            }
        }
        reached
    }

    /// Twists of least energy along the centrelines of the end of a step.
    fn relax_twists(&self, world: World<'_>, next: &mut State, prescription: &Prescription) {
        let terms = RodTerms::of(&self.elasticity);
        let relaxed: Vec<Vec<f64>> = (self.strands.list.par_iter())
            .map(|strand| {
                TwistProblem { model: world.model, strand, terms, state: next, prescription }
                    .relaxed(self.options.twist_iterations)
            })
            .collect();
        for (strand, twists) in self.strands.list.iter().zip(relaxed) {
            for (edge, twist) in strand.edges.clone().zip(twists) {
                let block = world.model.twist_block(edge);
                next.blocks[block] = Vec3::new(twist, 0.0, 0.0);
                next.velocities[block] = Vec3::zeros();
            }
        }
    }
}

/// M/h² (x_t + h v + h² g) + α M/h x_t + external force per node \[N\].
fn inertial_pull(world: World<'_>, state: &State, h: f64) -> Vec<Vec3> {
    let model = world.model;
    let gravity = world.parameters.gravity.at(state.time + h);
    let alpha: Vec<f64> = world.parameters.materials.iter().map(|m| m.damping().mass).collect();
    let pull = |n: usize| {
        let (x, v, m) = (state.blocks[n], state.velocities[n], world.parameters.mass[n]);
        let damping = alpha[model.body_of_node[n] as usize];
        (x + v * h) * (m / (h * h)) + gravity * m + x * (damping * m / h)
    };
    let mut out: Vec<Vec3> = (0..model.nodes).map(pull).collect();
    world.parameters.add_external(&mut out);
    out
}

/// The end of a step: feasible where something touches.
fn end_of_step(
    state: &State,
    held: &Held<'_>,
    contact: &StrandContacts<'_>,
    x: &[Vec3],
    h: f64,
) -> Vec<Vec3> {
    let mut blocks = state.blocks.clone();
    for (n, end) in x.iter().enumerate() {
        blocks[n] = match (held.fixed[n], contact.touching[n]) {
            (true, _) => held.target[n],
            (false, true) => blocks[n] + contact.projected[n] * h,
            (false, false) => *end,
        };
    }
    blocks
}

impl IntegratorSolver {
    fn try_step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let model = world.model;
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let prescription = model.pins.prescribe(model, &world.parameters.controls, state, state.time + h);
        let factored = self.strands.factored;
        timed(&mut report.seconds.linear_solve, || {
            self.strands.prepare(world, RodTerms::of(&self.elasticity), &prescription.fixed, h, &self.options)
        })?;
        self.local.begin(world, RodTerms::of(&self.elasticity), state, h);
        let motion = StepMotion {
            start: &state.blocks,
            orientations: &state.orientations,
            prescription: &prescription,
            parameters: world.parameters,
            time: state.time,
            h,
        };
        let mut contact = StrandContacts::new(&self.options, world, &self.strands, motion);
        let (finder, seconds) = (&mut self.finder, &mut report.seconds);
        contact.find_near(world, &self.strands, finder, &self.memory, &state.velocities, seconds)?;
        let held = Held { fixed: &prescription.fixed, target: &prescription.target };
        let inertial = |n: usize| match prescription.fixed[n] {
            true => prescription.target[n],
            false => state.blocks[n] + state.velocities[n] * h,
        };
        let mut x: Vec<Vec3> = (0..model.nodes).map(inertial).collect();
        let reached = self.iterate(world, state, &held, &mut contact, &mut x, &mut report);
        contact.finish(world, &self.strands, &mut self.finder, &x, &mut report.seconds)?;
        contact.report(world, &mut report);
        let memory = contact.set.remember();
        let mut blocks = end_of_step(state, &held, &contact, &x, h);
        drop(contact);
        self.finder.push_out(model, &motion, &mut blocks);
        let mut next = next_state(world, state, EndOfStep { blocks, velocities: EndVelocities::Mean, h });
        self.relax_twists(world, &mut next, &prescription);
        commit(world, &next, state)?;
        self.memory = memory;
        reached.add_to(&mut report, self.options.tolerance);
        report.counters.push(("factorisations", (self.strands.factored - factored) as f64));
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
    }
}

impl Solver for IntegratorSolver {
    fn key(&self) -> &'static str {
        "admm_integrator"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let forces = self.local.forces();
        let outcome = self.try_step(world, state, h);
        if outcome.is_err() {
            self.local.set_forces(&forces);
        }
        outcome
    }

    fn parameters_changed(&mut self, world: World<'_>, changed: &Changed) -> Result<(), MethodError> {
        let _ = renew(&mut self.elasticity, world, changed)?;
        if changed.materials || changed.masses {
            self.strands.forget_factors();
        }
        Ok(())
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(1);
        saved.put_vectors("elastic_force", &self.local.forces());
        saved.put_impulses(&self.memory);
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)?;
        let memory = saved.impulses()?;
        let forces = saved.vectors("elastic_force", self.local.forces().len())?;
        self.local.set_forces(&forces);
        self.memory = memory;
        Ok(())
    }

    fn reset(&mut self) {
        self.local.set_forces(&vec![Vec3::zeros(); self.local.forces().len()]);
        self.memory = ImpulseMemory::default();
    }
}
