//! The outer loop: projected Newton over the contact solver of algorithm 2.   [Daviet2020, whose
//! algorithms have no line numbers: comments quote them]

use super::admm_loop::{AdmmLoop, AdmmReport, Iterate};
use super::contacts::{ContactSearch, StepContacts};
use super::elastic_step::{ElasticSolver, Linearised};
use super::metric::Metric;
use super::options::{AdmmOptions, Stop};
use super::rate::Rate;
use super::weights::WeightRule;
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::contact_report::report_projected;
use crate::incremental::{IncrementalPotential, Inertia};
use crate::registry::MethodError;
use crate::renew::{Renewed, renew};
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::stage::Stage;
use crate::support;
use stiction_bodies::{Changed, State};
use stiction_contact::ImpulseMemory;
use stiction_contact::detect::{ContactFinder, DetectOptions, StepMotion};
use stiction_energy::{Curvature, Elasticity};
use stiction_numerics::{BlockMatrix, Vec3, ordered_max_by};

/// Projected Newton + ADMM with exact Coulomb friction.
pub struct AdmmSolver {
    options: AdmmOptions,
    elasticity: Elasticity,
    workspace: Workspace,
}

/// What changes while a step is solved, and what is carried from step to step.
struct Workspace {
    system: BlockMatrix,
    elastic: ElasticSolver,
    finder: ContactFinder,
    /// How much mass a push at a node has to move, found once per step \[kg\].
    inertia: Vec<f64>,
    /// Dual forces W λ per block, carried from step to step \[kg m/s\].
    dual_force: Vec<Vec3>,
    /// Contact impulses of the last step.
    memory: ImpulseMemory,
}

/// The step that is being solved.
struct Step<'a> {
    world: World<'a>,
    potential: &'a IncrementalPotential<'a>,
    motion: StepMotion<'a>,
    /// Velocities of prescribed blocks \[m/s\].
    prescribed: Vec<Vec3>,
    /// Velocities at the start \[m/s\].
    before: &'a [Vec3],
}

impl AdmmSolver {
    /// A solver for a model.
    pub fn new(options: AdmmOptions, world: World<'_>) -> Result<AdmmSolver, MethodError> {
        support::check("admm", world)?;
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let system = BlockMatrix::zeros(elasticity.pattern().clone());
        let workspace = Workspace {
            elastic: ElasticSolver::new(&system, world.model, options.coupled)?,
            system,
            finder: ContactFinder::new(world.model, &world.parameters.controls, DetectOptions::default())?,
            inertia: Vec::new(),
            dual_force: vec![Vec3::zeros(); world.model.blocks()],
            memory: ImpulseMemory::default(),
        };
        Ok(AdmmSolver { options, elasticity, workspace })
    }
}

impl Workspace {
    /// Newton iterations until the estimated remaining error is below the tolerance, or their
    /// number is reached.
    fn solve(
        &mut self,
        options: &AdmmOptions,
        step: &Step<'_>,
        velocity: &mut Vec<Vec3>,
        contacts: &mut Option<StepContacts>,
        report: &mut StepReport,
    ) -> Result<AdmmReport, StepError> {
        let (nodes, h) = (step.world.model.nodes, step.motion.h);
        let mut reached = AdmmReport::default();
        let (mut newton, mut moved, mut is_done) = (Rate::default(), f64::INFINITY, false);
        self.elastic.iterations = 0;
        for iteration in 1..=options.newton_iterations {
            let before = velocity.clone();
            // The first of several is never the last: what it lets through, the next one sees.
            let is_final = iteration > 1 || options.newton_iterations == 1;
            reached = self.newton_iteration(options, step, velocity, is_final, contacts, report)?;
            report.iterations += reached.iterations;
            // The first iteration starts from nothing that it could be compared with.
            if iteration > 1 {
                moved = h * ordered_max_by(nodes, |i| (velocity[i] - before[i]).amax());
                newton.take(moved);
            }
            let measure = if options.stop == Stop::Move { moved } else { newton.distance() };
            is_done = reached.converged && measure < options.tolerance;
            if is_done {
                break;
            }
        }
        report.converged = is_done || (options.stop == Stop::Move && reached.converged);
        let remaining = [("to_go_m", reached.remaining), ("newton_m", moved)];
        report.residual.extend(remaining.into_iter().filter(|(_, value)| value.is_finite()));
        Ok(reached)
    }

    /// One projected Newton iteration: linearises at the velocity, then runs the contact solver of
    /// algorithm 2 (the loop itself is in `admm_loop.rs`). Contacts are found in the first one; a
    /// velocity that may be final is kept from what its last projection ran into.
    ///
    /// Order: W comes before detection here, because the contact set is made for its weights.
    fn newton_iteration(
        &mut self,
        options: &AdmmOptions,
        step: &Step<'_>,
        velocity: &mut Vec<Vec3>,
        is_final: bool,
        contacts: &mut Option<StepContacts>,
        report: &mut StepReport,
    ) -> Result<AdmmReport, StepError> {
        let (world, motion, nodes) = (step.world, step.motion, step.world.model.nodes);
        let is_first = contacts.is_none();
        // "Input: dynamics linearized as A v = f"
        let gradient = timed(&mut report.seconds.assembly, || self.linearise(step, velocity));
        let fixed = &motion.prescription.fixed;
        let system = Linearised::new(&self.system, fixed, velocity, &step.prescribed, &gradient, motion.h);
        // "Warm start velocity v⁰ and forces λ⁰"
        if is_first {
            timed(&mut report.seconds.linear_solve, || -> Result<(), StepError> {
                *velocity = self.elastic.predicted(&system, &self.dual_force, step.before)?;
                self.inertia = self.elastic.inertia(&world.parameters.mass[..nodes], options);
                Ok(())
            })?;
        }
        // "Compute diagonal approximation W of A; compute linear solver preconditioner P(A + W)"
        let rule = WeightRule { inertia: &self.inertia, sigma: options.sigma };
        let metric = Metric::new(options.projection, &self.system, rule);
        timed(&mut report.seconds.linear_solve, || self.elastic.factor(&system, &metric.weights))?;
        // "Do proximity and continuous-time collision detection"
        let contacts = contacts.get_or_insert_with(|| StepContacts::new(metric.of_nodes()));
        contacts.set_metric(&metric)?;
        if is_first {
            timed(&mut report.seconds.detection, || {
                let search = ContactSearch::First(&self.memory);
                contacts.find(world, &motion, &mut self.finder, velocity, options, search)
            })?;
        }
        // "Set p ← v⁰; for l ≥ 1 do"
        let dual = metric.dual(&self.dual_force);
        let mut iterate = Iterate { projected: velocity.clone(), velocity: velocity.clone(), dual };
        let (elastic, finder, seconds) = (&mut self.elastic, &mut self.finder, &mut report.seconds);
        let mut admm = AdmmLoop { options, world, motion, elastic, finder, contacts, seconds };
        let mut reached = metric.solve(&mut admm, &system, &mut iterate)?;
        if is_final {
            admm.catch_late_contacts(&mut iterate, &mut reached)?;
        }
        self.dual_force = metric.dual_force(&admm.contacts.set, &iterate.dual);
        // The feasible p is the answer; angles have no p.
        velocity.copy_from_slice(&iterate.velocity);
        velocity[..nodes].copy_from_slice(&iterate.projected[..nodes]);
        Ok(reached)
    }

    /// A = h² ∇²Φ into the system matrix; returns ∇Φ at x_t + h v \[N\].
    fn linearise(&mut self, step: &Step<'_>, velocity: &[Vec3]) -> Vec<Vec3> {
        let h = step.motion.h;
        let blocks: Vec<Vec3> = step.motion.start.iter().zip(velocity).map(|(x, v)| x + v * h).collect();
        let mut gradient = vec![Vec3::zeros(); blocks.len()];
        step.potential.gradient(&blocks, &mut gradient);
        step.potential.hessian(&blocks, Curvature::Projected, &mut self.system);
        self.system.scale(h * h);
        gradient
    }
}

/// Where the blocks end.
fn end_of_step(motion: &StepMotion<'_>, velocity: &[Vec3]) -> Vec<Vec3> {
    let end = |i: usize| match motion.prescription.fixed[i] {
        true => motion.prescription.target[i],
        false => motion.start[i] + velocity[i] * motion.h,
    };
    (0..velocity.len()).map(end).collect()
}

impl AdmmSolver {
    fn try_step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let stage = Stage::backward_euler(state, h);
        let potential = IncrementalPotential::new(world, &self.elasticity, state, &stage, Inertia::Dynamic);
        let prescription = &potential.prescription;
        let motion = StepMotion {
            start: &state.blocks,
            orientations: &state.orientations,
            prescription,
            parameters: world.parameters,
            time: state.time,
            h,
        };
        let moved = prescription.target.iter().zip(&state.blocks);
        let prescribed = moved.map(|(end, start)| (end - start) / h).collect();
        let step = Step { world, potential: &potential, motion, prescribed, before: &state.velocities };
        let mut velocity = vec![Vec3::zeros(); world.model.blocks()];
        let mut contacts = None;
        let reached =
            self.workspace.solve(&self.options, &step, &mut velocity, &mut contacts, &mut report)?;
        let residual = [("delta_m", reached.delta()), ("moved_m", reached.moved), ("apart_m", reached.apart)];
        report.residual.splice(..0, residual);
        report.counters.push(("sleeping_share", reached.asleep));
        report.counters.push(("late_contacts", reached.late as f64));
        report.counters.push(("cg_iterations", self.workspace.elastic.iterations as f64));
        let mut memory = None;
        if let Some(contacts) = &contacts {
            report_projected(&contacts.set, contacts.natural_map_residual(), world, h, &mut report);
            memory = Some(contacts.set.remember());
        }
        let mut blocks = end_of_step(&motion, &velocity);
        let pushed_out = self.workspace.finder.push_out(world.model, &motion, &mut blocks);
        report.counters.push(("pushed_out_nodes", pushed_out as f64));
        let next = next_state(world, state, EndOfStep { blocks, velocities: EndVelocities::Mean, h });
        commit(world, &next, state)?;
        if let Some(memory) = memory {
            self.workspace.memory = memory;
        }
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
    }
}

impl Solver for AdmmSolver {
    fn key(&self) -> &'static str {
        "admm"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let dual_force = self.workspace.dual_force.clone();
        let outcome = self.try_step(world, state, h);
        if outcome.is_err() {
            self.workspace.dual_force = dual_force;
        }
        outcome
    }

    fn parameters_changed(&mut self, world: World<'_>, changed: &Changed) -> Result<(), MethodError> {
        if renew(&mut self.elasticity, world, changed)? == Renewed::Elements {
            self.workspace.system = BlockMatrix::zeros(self.elasticity.pattern().clone());
            let coupled = self.options.coupled;
            self.workspace.elastic = ElasticSolver::new(&self.workspace.system, world.model, coupled)?;
        }
        Ok(())
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(1);
        saved.put_vectors("dual_force", &self.workspace.dual_force);
        saved.put_impulses(&self.workspace.memory);
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)?;
        let memory = saved.impulses()?;
        self.workspace.dual_force = saved.vectors("dual_force", self.workspace.dual_force.len())?;
        self.workspace.memory = memory;
        Ok(())
    }

    fn reset(&mut self) {
        self.workspace.dual_force.fill(Vec3::zeros());
        self.workspace.memory = ImpulseMemory::default();
    }
}
