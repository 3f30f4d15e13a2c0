//! Algorithm 1: inexact Newton with an accumulated step share β.   [Ando2024, section 3.2]

use super::anchors::{Kept, Memory};
use super::assembly::ContactMatrix;
use super::check::{inspect, refuse};
use super::contacts::{Configuration, Contact, Detector, scripted_vertices};
use super::friction::slip_to_keep;
use super::linear::{restore_history, save_history};
use super::newton::{Iteration, Newton};
use super::options::BarrierOptions;
use super::progress::Progress;
use super::strain_limits::StrainLimits;
use super::stuck::{require_motion, stuck};
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state, require_finite_blocks};
use crate::contact_report::{add_load, terms};
use crate::incremental::{IncrementalPotential, Inertia};
use crate::registry::MethodError;
use crate::report::{ContactSample, StepReport, StepSeconds, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use std::borrow::Cow;
use stiction_bodies::{Model, Parameters, State};
use stiction_energy::Elasticity;
use stiction_factor::CoupledSolver;
use stiction_numerics::{BlockMatrix, Vec3};

/// Inexact Newton with barriers.
pub struct BarrierSolver {
    pub(super) options: BarrierOptions,
    pub(super) elasticity: Elasticity,
    pub(super) system: BlockMatrix,
    pub(super) contact_matrix: ContactMatrix,
    pub(super) detector: Detector,
    limits: StrainLimits,
    pub(super) anchors: Memory<Kept>,
    pub(super) linear: CoupledSolver,
    /// Vertices of mesh colliders at the end of the last step, and its time: a shortened step ends on the chord of their way, not on
    /// the way itself. Empty before the first step.
    kinematic: Vec<Vec3>,
    kinematic_time: f64,
    /// Whether the start was found free of intersections.
    checked: bool,
}

/// A step that fails is tried again so many times.
const RETRIES: usize = 3;

/// How much smaller the step is each time.
const SMALLER: f64 = 0.25;

/// A step that was made but not yet taken over.
struct Attempt {
    now: Configuration<'static>,
    advanced: f64,
    progress: Progress,
    /// The smallest gap at its end \[m\].
    gap: f64,
}

impl BarrierSolver {
    /// A solver for a model.
    pub fn new(options: BarrierOptions, world: World<'_>) -> Result<BarrierSolver, MethodError> {
        support::check("barrier", world)?;
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let system = BlockMatrix::zeros(elasticity.pattern().clone());
        let detector = Detector::new(world.model, elasticity.pattern())?;
        let limits = StrainLimits::new(world, &elasticity);
        if world.model.surfaces.objects.iter().all(|o| o.contact_gap <= 0.0) {
            let message = "every contact gap is 0, so no barrier can act; give bodies or colliders a `gap`";
            return Err(MethodError::Refused { key: "barrier".to_owned(), message: message.to_owned() });
        }
        let moving = (0..world.model.colliders.colliders.len()).any(|c| world.model.colliders.moves(c));
        if moving && !options.amend_step && !options.complete {
            let (key, option) = ("barrier".to_owned(), "amend_step".to_owned());
            let message = "`false` moves colliders past what a shortened step reached; let them rest";
            return Err(MethodError::Value { key, option, message: message.to_owned() });
        }
        Ok(BarrierSolver {
            options,
            elasticity,
            system,
            contact_matrix: ContactMatrix::default(),
            detector,
            limits,
            anchors: Memory::default(),
            linear: CoupledSolver::default(),
            kinematic: Vec::new(),
            kinematic_time: 0.0,
            checked: false,
        })
    }

    /// Where the step starts.
    pub(super) fn start<'a>(&self, model: &Model, state: &'a State) -> Configuration<'a> {
        let kept = !self.kinematic.is_empty() && self.kinematic_time == state.time;
        let kinematic = if kept { self.kinematic.clone() } else { scripted_vertices(model, state.time) };
        Configuration { blocks: Cow::Borrowed(&state.blocks), kinematic, time: state.time }
    }

    /// A step by the chosen policy; what cannot be completed goes as far as the document's policy gets.
    fn attempt(
        &mut self,
        world: World<'_>,
        state: &State,
        start: &Configuration<'_>,
        h: f64,
        seconds: &mut StepSeconds,
    ) -> Result<Attempt, StepError> {
        let first = self.iterate(world, state, start, h, self.options.complete, seconds);
        match first {
            Ok(whole) if !self.options.complete || whole.progress.beta() >= 1.0 => Ok(whole),
            Ok(_) | Err(StepError::Infeasible { .. } | StepError::Stalled { .. })
                if self.options.complete =>
            {
                self.iterate(world, state, start, h, false, seconds)
            }
            other => other,
        }
    }

    /// Algorithm 1.
    fn iterate(
        &mut self,
        world: World<'_>,
        state: &State,
        start: &Configuration<'_>,
        h: f64,
        complete: bool,
        seconds: &mut StepSeconds,
    ) -> Result<Attempt, StepError> {
        self.forget_step();
        let model = world.model;
        let options = BarrierOptions { complete, ..self.options.clone() };
        let inertia = Inertia::Dynamic;
        let potential = IncrementalPotential::new(world, &self.elasticity, state, h, inertia);
        let end = target(model, &potential, state.time + h);
        let mut now = start.to_owned_blocks();
        let mut progress = Progress::new(self.detector.owners.clock() + 1);
        let detector = &mut self.detector;
        timed(&mut seconds.detection, || {
            let blocks = Cow::Owned(potential.inertial_guess());
            detector.expect(model, start, &Configuration { blocks, ..end.clone() })
        })?;
        let mut newton = Newton {
            options: &options,
            world,
            detector: &mut self.detector,
            limits: &self.limits,
            anchors: &self.anchors,
            forecasts: Memory::default(),
            system: &mut self.system,
            contact_matrix: &mut self.contact_matrix,
            linear: &mut self.linear,
            seconds,
        };

        // Newton iterations towards the end of the whole step, until enough of it is done.
        loop {
            let gamma = progress.gamma(&options);
            progress.make_room();
            match newton.inner_step(gamma, &potential, start, &end, &mut now) {
                Ok(iteration) => progress.advance(iteration),
                // Gaps that close on and on end at zero by rounding, where no system can be solved.
                Err(_) if progress.is_stuck() => {
                    return Err(stuck(model, &newton.detector.owners, &progress, [start, &end]));
                }
                Err(error) => return Err(error),
            }
            if progress.is_done(&options, h) {
                break;
            }
        }
        if !complete {
            require_motion(model, &newton.detector.owners, &progress, [start, &end])?;
        }

        // Error reduction: the same once more for the share of the step that was really taken.
        let advanced = if progress.beta() >= 1.0 || !options.amend_step { h } else { progress.beta() * h };
        if !complete && options.error_reduction && advanced < h {
            let shorter = IncrementalPotential::new(world, &self.elasticity, state, advanced, inertia);
            now.time = state.time + advanced;
            let end = target(model, &shorter, now.time);
            progress.make_room();
            progress.add(newton.inner_step(1.0, &shorter, start, &end, &mut now)?);
        }

        // The explicit test.
        drop(newton);
        require_finite_blocks(model, &now.blocks)?;
        let (detector, limits) = (&mut self.detector, &self.limits);
        let (gap, found) = timed(&mut seconds.detection, || inspect(detector, limits, model, &now))?;
        refuse(found)?;
        Ok(Attempt { now, advanced, progress, gap })
    }

    /// Forgets what served the iterations of one step, and what a resumed run would not have.
    fn forget_step(&mut self) {
        self.detector.near.forget();
        self.linear.clear_couplings();
        self.contact_matrix.begin_step();
    }

    /// Makes an attempt the state, and reports it.
    fn commit(
        &mut self,
        world: World<'_>,
        state: &mut State,
        attempt: Attempt,
        velocities: EndVelocities,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Attempt { now, advanced, progress, gap } = attempt;
        // What the step leaves behind takes its place.
        self.forget_step();
        report.advanced = advanced;
        report.iterations = progress.iterations;
        report.converged = progress.converged;
        report.penetration = (-gap).max(0.0);
        let strain_gap = self.limits.smallest_gap(&now.blocks);
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
}

/// Where prescribed things are at the end of a step.
pub(super) fn target<'a>(
    model: &Model,
    potential: &'a IncrementalPotential<'_>,
    end: f64,
) -> Configuration<'a> {
    let blocks = Cow::Borrowed(&potential.prescription.target[..]);
    Configuration { blocks, kinematic: scripted_vertices(model, end), time: end }
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

impl BarrierSolver {
    fn try_step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        // While staging the masses only hold back: no speed is carried on, nothing weighs.
        let staging = state.time < self.options.stage_until;
        let weightless = staging.then(|| {
            let mut parameters: Parameters = world.parameters.clone();
            parameters.gravity = Vec3::zeros();
            parameters
        });
        let world = World { parameters: weightless.as_ref().unwrap_or(world.parameters), ..world };
        let resting =
            staging.then(|| State { velocities: vec![Vec3::zeros(); state.blocks.len()], ..state.clone() });
        let from = resting.as_ref().unwrap_or(state);
        let start = self.start(world.model, state);
        self.check_start(world, state)?;
        let mut length = self.options.scheduled_step(state.time, h);
        let mut outcome = self.attempt(world, from, &start, length, &mut report.seconds);
        let mut retries = 0;
        while outcome.is_err() && retries < RETRIES {
            length *= SMALLER;
            retries += 1;
            outcome = self.attempt(world, from, &start, length, &mut report.seconds);
        }
        let attempt = outcome?;
        report.counters.push(("retries", retries as f64));
        let velocities = if staging { EndVelocities::Zero } else { EndVelocities::Mean };
        self.commit(world, state, attempt, velocities, &mut report)?;
        Ok(report)
    }
}

impl Solver for BarrierSolver {
    fn key(&self) -> &'static str {
        "barrier"
    }

    /// Once: every step tests its own end.
    fn check_start(&mut self, world: World<'_>, state: &State) -> Result<(), StepError> {
        if self.checked {
            return Ok(());
        }
        let start = self.start(world.model, state);
        self.detector.near.forget();
        let (_, found) = inspect(&mut self.detector, &self.limits, world.model, &start)?;
        if !found.is_empty() {
            return Err(StepError::Start { found });
        }
        self.checked = true;
        Ok(())
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let history = self.linear.history;
        let outcome = self.try_step(world, state, h);
        if outcome.is_err() {
            self.linear.history = history;
        }
        outcome
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(6);
        self.anchors.save(&mut saved);
        save_history(&self.linear.history, &mut saved);
        saved.put_vectors("kinematic", &self.kinematic);
        saved.numbers.insert("kinematic_time".to_owned(), vec![self.kinematic_time]);
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(6)?;
        let wrong = |name: &str| RestoreError::Array { name: name.to_owned() };
        let flat = saved.numbers("kinematic")?;
        let expected = self.detector.mesh_collider_vertices();
        if !flat.is_empty() && flat.len() != 3 * expected {
            return Err(wrong("kinematic"));
        }
        let &[time] = saved.numbers("kinematic_time")? else { return Err(wrong("kinematic_time")) };
        self.kinematic = flat.chunks_exact(3).map(Vec3::from_column_slice).collect();
        self.kinematic_time = time;
        self.anchors = Memory::restore(saved)?;
        self.linear.history = restore_history(saved)?;
        Ok(())
    }

    fn reset(&mut self) {
        self.kinematic.clear();
        self.anchors.clear();
        self.linear.reset();
        self.checked = false;
    }
}
