//! The outer loop: projected Newton over the ADMM contact solve.

use super::elastic_step::{ElasticSolver, Linearised};
use super::inner::{Inner, InnerReport, Iterate, append_remembered, prepare};
use super::options::AdmmOptions;
use super::weights::contact_weights;
use crate::advance::{accept, energies};
use crate::contact_report::report_contacts;
use crate::incremental::{IncrementalPotential, Inertia};
use crate::registry::MethodError;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use stiction_bodies::State;
use stiction_contact::detect::{Collider, DetectOptions, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory};
use stiction_energy::{Curvature, Elasticity};
use stiction_numerics::{BlockMatrix, Vec3};

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
    collider: Collider,
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
}

/// The contacts of a step, made in its first Newton iteration.
#[derive(Default)]
struct Contacts {
    set: Option<ContactSet>,
    /// Sorted keys of all of them.
    known: Vec<u64>,
}

impl AdmmSolver {
    /// A solver for a model.
    pub fn new(options: AdmmOptions, world: World<'_>) -> Result<AdmmSolver, MethodError> {
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let system = BlockMatrix::zeros(elasticity.pattern().clone());
        let workspace = Workspace {
            elastic: ElasticSolver::new(&system, world.model.nodes),
            system,
            collider: Collider::new(world.model, DetectOptions::default())?,
            dual_force: vec![Vec3::zeros(); world.model.blocks()],
            memory: ImpulseMemory::default(),
        };
        Ok(AdmmSolver { options, elasticity, workspace })
    }
}

impl Workspace {
    /// One projected Newton iteration: linearise at the velocity, find contacts in the first one, run ADMM.
    fn newton_iteration(
        &mut self,
        options: &AdmmOptions,
        step: &Step<'_>,
        velocity: &mut Vec<Vec3>,
        contacts: &mut Contacts,
        report: &mut StepReport,
    ) -> Result<InnerReport, StepError> {
        let (model, h) = (step.world.model, step.motion.h);
        let gradient = timed(&mut report.seconds.assembly, || self.linearise(step, velocity));
        let fixed = &step.motion.prescription.fixed;
        let system = Linearised::new(&self.system, fixed, velocity, &step.prescribed, &gradient, h);
        let first = contacts.set.is_none();
        if first {
            *velocity = timed(&mut report.seconds.linear_solve, || {
                self.elastic.predicted(&system, &self.dual_force)
            })?;
        }
        let weights = contact_weights(&self.system, &model.mass, model.nodes, options.beta, options.sigma);
        let set = contacts.set.get_or_insert_with(|| ContactSet::new(&weights));
        set.set_weights(&weights).map_err(|e| StepError::Contact { reason: e.to_string() })?;
        if first {
            let found = timed(&mut report.seconds.detection, || find(&mut self.collider, step, velocity))?;
            append_remembered(
                set,
                &mut contacts.known,
                prepare(found, options, step.world, h),
                Some(&self.memory),
            );
        }
        timed(&mut report.seconds.linear_solve, || self.elastic.factor(&system, &weights))?;
        let dual = self.dual_force.iter().zip(&weights).map(|(f, w)| scaled(f, *w)).collect();
        let mut iterate = Iterate { projected: velocity.clone(), velocity: velocity.clone(), dual };
        let reached = Inner {
            options,
            world: step.world,
            motion: step.motion,
            elastic: &mut self.elastic,
            collider: &mut self.collider,
            contacts: set,
            known: &mut contacts.known,
            seconds: &mut report.seconds,
        }
        .run(&system, &weights, &mut iterate)?;
        self.dual_force.iter_mut().zip(&iterate.dual).zip(&weights).for_each(|((f, d), w)| *f = d * *w);
        velocity.copy_from_slice(&iterate.velocity);
        velocity[..model.nodes].copy_from_slice(&iterate.projected[..model.nodes]);
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

/// Contacts that are near at the start, and those that the predicted velocity leads to.
fn find(
    collider: &mut Collider,
    step: &Step<'_>,
    velocity: &[Vec3],
) -> Result<Vec<stiction_contact::NewContact>, StepError> {
    let World { model, parameters } = step.world;
    let mut found = collider.proximity(model, parameters, &step.motion, velocity)?;
    let mut keys: Vec<u64> = found.iter().map(|c| c.key).collect();
    keys.sort_unstable();
    found.extend(collider.continuous(model, parameters, &step.motion, velocity, &keys)?);
    Ok(found)
}

/// Where the blocks end.
fn end_of_step(motion: &StepMotion<'_>, velocity: &[Vec3]) -> Vec<Vec3> {
    let end = |i: usize| match motion.prescription.fixed[i] {
        true => motion.prescription.target[i],
        false => motion.start[i] + velocity[i] * motion.h,
    };
    (0..velocity.len()).map(end).collect()
}

impl Solver for AdmmSolver {
    fn key(&self) -> &'static str {
        "admm"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let potential = IncrementalPotential::new(world, &self.elasticity, state, h, Inertia::Dynamic);
        let prescription = &potential.prescription;
        let motion = StepMotion { start: &state.blocks, prescription, time: state.time, h };
        let moved = prescription.target.iter().zip(&state.blocks);
        let prescribed = moved.map(|(end, start)| (end - start) / h).collect();
        let step = Step { world, potential: &potential, motion, prescribed };
        let mut velocity = vec![Vec3::zeros(); world.model.blocks()];
        let mut contacts = Contacts::default();
        let mut reached = InnerReport::default();
        for _ in 0..self.options.newton_iterations {
            let workspace = &mut self.workspace;
            reached = workspace.newton_iteration(
                &self.options,
                &step,
                &mut velocity,
                &mut contacts,
                &mut report,
            )?;
            report.iterations += reached.iterations;
        }
        report.converged = reached.converged;
        let delta = reached.moved + reached.apart;
        report.residual = vec![("delta_m", delta), ("moved_m", reached.moved), ("apart_m", reached.apart)];
        report.counters.push(("sleeping_share", reached.asleep));
        if let Some(set) = &contacts.set {
            report_contacts(set, world, h, &mut report);
            self.workspace.memory = set.remember();
        }
        let blocks = end_of_step(&motion, &velocity);
        if !blocks.iter().all(|x| x.iter().all(|c| c.is_finite())) {
            return Err(StepError::NotFinite { what: "the end of the step" });
        }
        accept(world, state, blocks, h, Inertia::Dynamic);
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
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

/// λ = W⁻¹ (W λ); nothing where there is no weight.
fn scaled(force: &Vec3, weight: f64) -> Vec3 {
    if weight > 0.0 { force / weight } else { Vec3::zeros() }
}
