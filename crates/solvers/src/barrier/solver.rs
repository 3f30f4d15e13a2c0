//! Algorithm 1: inexact Newton with an accumulated fraction β of the step.   [Ando2024, section
//! 3.2]
//!
//! The algorithm is printed right. Slips elsewhere in the paper: the curvature of eq. 1 at g = 0 is
//! 4κ, where section 3.3 has 2κ; the box of section 5.8 on a slope of 30° slides below
//! tan 30° = 0.577, and the threshold 0.5 belongs to 26.57°. Neither changes what is computed here.

use super::anchors::{Kept, Memory};
use super::assembly::ContactMatrix;
use super::check::{inspect, refuse};
use super::contacts::{Configuration, Detector, scripted_vertices};
use super::islands::Owners;
use super::linear::{restore_history, save_history};
use super::newton::{Iteration, Newton};
use super::options::BarrierOptions;
use super::progress::Progress;
use super::strain_limits::StrainLimits;
use super::stuck::{require_motion, stuck};
use crate::commit::{EndVelocities, require_finite_blocks};
use crate::incremental::{IncrementalPotential, Inertia};
use crate::registry::MethodError;
use crate::renew::{Renewed, renew};
use crate::report::{StepReport, StepSeconds, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::stage::Stage;
use crate::support;
use std::borrow::Cow;
use stiction_bodies::{Changed, Parameters, State};
use stiction_energy::Elasticity;
use stiction_factor::CoupledSolver;
use stiction_numerics::{BlockMatrix, Vec3};
use stiction_scene::resolved::Gravity;

/// Inexact Newton with barriers.
pub struct BarrierSolver {
    pub(super) options: BarrierOptions,
    pub(super) elasticity: Elasticity,
    pub(super) system: BlockMatrix,
    pub(super) contact_matrix: ContactMatrix,
    pub(super) detector: Detector,
    pub(super) limits: StrainLimits,
    pub(super) anchors: Memory<Kept>,
    pub(super) linear: CoupledSolver,
    /// Vertices of mesh colliders at the end of the last step, and its time: a shortened step ends
    /// on the chord of their way, not on the way itself. Empty before the first step.
    pub(super) kinematic: Vec<Vec3>,
    pub(super) kinematic_time: f64,
    /// Whether the start was found free of intersections.
    checked: bool,
}

/// A step that fails is tried again so many times.
const RETRIES: usize = 3;

/// How much smaller the step is each time.
const SMALLER: f64 = 0.25;

/// A step that was made but not yet committed.
pub(super) struct Attempt {
    pub now: Configuration<'static>,
    /// How far it advances \[s\].
    pub advanced: f64,
    pub progress: Progress,
    /// The smallest gap at its end \[m\].
    pub gap: f64,
}

/// A step that is to be attempted.
#[derive(Clone, Copy)]
struct Task<'a> {
    world: World<'a>,
    state: &'a State,
    start: &'a Configuration<'a>,
    /// Its size \[s\].
    h: f64,
    /// Whether to go on until the whole step is done.
    complete: bool,
}

impl BarrierSolver {
    /// A solver for a model.
    pub fn new(options: BarrierOptions, world: World<'_>) -> Result<BarrierSolver, MethodError> {
        support::check("barrier", world)?;
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let system = BlockMatrix::zeros(elasticity.pattern().clone());
        let detector = Detector::new(world, elasticity.pattern())?;
        let limits = StrainLimits::new(world, &elasticity);
        if world.model.surfaces.objects.iter().all(|o| o.contact_gap <= 0.0) {
            let message = "every contact gap is 0, so no barrier can act; give bodies or colliders a `gap`";
            return Err(MethodError::Refused { key: "barrier".to_owned(), message: message.to_owned() });
        }
        refuse_moving_colliders(&options, world)?;
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
    pub(super) fn start<'a>(&self, world: World<'_>, state: &'a State) -> Configuration<'a> {
        let kept = !self.kinematic.is_empty() && self.kinematic_time == state.time;
        let kinematic = if kept { self.kinematic.clone() } else { scripted_vertices(world, state.time) };
        Configuration { blocks: Cow::Borrowed(&state.blocks), kinematic, time: state.time }
    }

    /// A step by the chosen policy; what cannot be completed goes as far as algorithm 1 gets.
    fn attempt(&mut self, task: Task<'_>, seconds: &mut StepSeconds) -> Result<Attempt, StepError> {
        let first = self.advance_step(task, seconds);
        match first {
            Ok(whole) if !self.options.complete || whole.progress.beta() >= 1.0 => Ok(whole),
            Ok(_) | Err(StepError::Infeasible { .. } | StepError::Stalled { .. })
                if self.options.complete =>
            {
                self.advance_step(Task { complete: false, ..task }, seconds)
            }
            other => other,
        }
    }

    /// `advance_step` of algorithm 1, with the numbers of its lines. With `complete` it is not that
    /// algorithm: iterations go on until the whole step is done and settled, with directions that
    /// shrink by γ, and line 7 is left out.
    fn advance_step(&mut self, task: Task<'_>, seconds: &mut StepSeconds) -> Result<Attempt, StepError> {
        let Task { world, state, start, h, complete } = task;
        self.release_step_data();
        let options = BarrierOptions { complete, ..self.options.clone() };
        let stage = Stage::backward_euler(state, h);
        let potential = IncrementalPotential::new(world, &self.elasticity, state, &stage, Inertia::Dynamic);
        let end = target(world, &potential, state.time + h);
        timed(&mut seconds.detection, || {
            let ahead = Configuration { blocks: Cow::Owned(potential.inertial_guess()), ..end.clone() };
            self.detector.expect(world.model, start, &ahead)
        })?;
        let mut now = start.to_owned_blocks();
        // Line 2: β ← 0, here for each object.
        let mut progress = Progress::new(self.detector.owners.clock() + 1);
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
        // Lines 3 and 6.
        loop {
            let gamma = progress.gamma(&options);
            // Line 4: one Newton step towards the end of the whole step.
            match progress.run(|| newton.inner_step(gamma, &potential, start, &end, &mut now)) {
                // Line 5: β ← β + (1 − β) α.
                Ok(iteration) => progress.advance(iteration),
                // Gaps that close on and on end at zero by rounding, where no system can be solved.
                Err(_) if progress.is_stuck() => {
                    return Err(stuck(world, &newton.detector.owners, &progress, [start, &end]));
                }
                Err(error) => return Err(error),
            }
            if progress.is_done(&options, h) {
                break;
            }
        }
        if !complete {
            require_motion(world, &newton.detector.owners, &progress, [start, &end])?;
        }
        let advanced = if progress.beta() >= 1.0 || !options.amend_step { h } else { progress.beta() * h };
        if !complete && options.error_reduction && advanced < h {
            // Line 7.
            let shorter = Task { h: advanced, ..task };
            let last = progress.run(|| error_reduction(&mut newton, &self.elasticity, shorter, &mut now))?;
            progress.add(last);
        }
        // Line 8, once an explicit test has found no intersections.
        let gap = self.require_separated(world, &now, seconds)?;
        Ok(Attempt { now, advanced, progress, gap })
    }

    /// The explicit test: the smallest gap \[m\], or an error with all that crosses.
    fn require_separated(
        &mut self,
        world: World<'_>,
        now: &Configuration<'_>,
        seconds: &mut StepSeconds,
    ) -> Result<f64, StepError> {
        require_finite_blocks(world.model, &now.blocks)?;
        let (detector, limits) = (&mut self.detector, &self.limits);
        let (gap, found) = timed(&mut seconds.detection, || inspect(detector, limits, world, now))?;
        refuse(found)?;
        Ok(gap)
    }

    /// Forgets what served the iterations of one step, and what a resumed run would not have.
    pub(super) fn release_step_data(&mut self) {
        self.detector.near.forget();
        self.linear.clear_couplings();
        self.contact_matrix.begin_step();
    }
}

/// A step that is shortened but not amended would leave moving colliders behind.
fn refuse_moving_colliders(options: &BarrierOptions, world: World<'_>) -> Result<(), MethodError> {
    let World { model, parameters } = world;
    let mut colliders = 0..model.colliders.colliders.len();
    let moving = colliders.any(|c| model.colliders.moves(c, &parameters.controls));
    if moving && !options.amend_step && !options.complete {
        let (key, option) = ("barrier".to_owned(), "amend_step".to_owned());
        let message = "`false` moves colliders past what a shortened step reached; let them rest";
        return Err(MethodError::Value { key, option, message: message.to_owned() });
    }
    Ok(())
}

/// The error-reduction pass: one Newton step for the fraction of the step that was taken.
fn error_reduction(
    newton: &mut Newton<'_>,
    elasticity: &Elasticity,
    task: Task<'_>,
    now: &mut Configuration<'static>,
) -> Result<Iteration, StepError> {
    let Task { world, state, start, h, .. } = task;
    let stage = Stage::backward_euler(state, h);
    let potential = IncrementalPotential::new(world, elasticity, state, &stage, Inertia::Dynamic);
    now.time = state.time + h;
    let end = target(world, &potential, now.time);
    newton.inner_step(1.0, &potential, start, &end, now)
}

/// Where prescribed things are at the end of a step.
pub(super) fn target<'a>(
    world: World<'_>,
    potential: &'a IncrementalPotential<'_>,
    end: f64,
) -> Configuration<'a> {
    let blocks = Cow::Borrowed(&potential.prescription.target[..]);
    Configuration { blocks, kinematic: scripted_vertices(world, end), time: end }
}

impl BarrierSolver {
    fn try_step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        // While staging the masses only hold back: no speed is carried on, nothing weighs.
        let staging = state.time < self.options.stage_until;
        let weightless = staging.then(|| {
            let mut parameters: Parameters = world.parameters.clone();
            parameters.gravity = Gravity::constant(Vec3::zeros());
            parameters
        });
        let world = World { parameters: weightless.as_ref().unwrap_or(world.parameters), ..world };
        let resting =
            staging.then(|| State { velocities: vec![Vec3::zeros(); state.blocks.len()], ..state.clone() });
        let from = resting.as_ref().unwrap_or(state);
        let start = self.start(world, state);
        self.check_start(world, state)?;
        let h = self.options.scheduled_step(state.time, h);
        let complete = self.options.complete;
        let mut task = Task { world, state: from, start: &start, h, complete };
        let mut outcome = self.attempt(task, &mut report.seconds);
        let mut retries = 0;
        while outcome.is_err() && retries < RETRIES {
            task.h *= SMALLER;
            retries += 1;
            outcome = self.attempt(task, &mut report.seconds);
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
        let start = self.start(world, state);
        self.detector.near.forget();
        let (_, found) = inspect(&mut self.detector, &self.limits, world, &start)?;
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

    fn parameters_changed(&mut self, world: World<'_>, changed: &Changed) -> Result<(), MethodError> {
        if changed.controls {
            refuse_moving_colliders(&self.options, world)?;
            // Which colliders move decides which objects share a step length.
            self.detector.owners = Owners::new(world, self.elasticity.pattern());
        }
        match renew(&mut self.elasticity, world, changed)? {
            Renewed::Values if changed.materials => self.limits = StrainLimits::new(world, &self.elasticity),
            Renewed::Values => {}
            Renewed::Elements => {
                let mut again = BarrierSolver::new(self.options.clone(), world)?;
                again.restore(&self.save())?;
                *self = again;
            }
        }
        Ok(())
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
