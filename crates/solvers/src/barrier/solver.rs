//! Algorithm 1: inexact Newton with an accumulated step share β.   [Ando2024, section 3.2]

use super::anchors::AnchorMemory;
use super::check::{refuse_intersections, smallest_gap};
use super::contacts::{Configuration, Contact, Detector, scripted_vertices};
use super::newton::{Iteration, Newton};
use super::options::{BarrierOptions, FrictionModel};
use super::strain_limits::StrainLimits;
use crate::advance::{accept, energies};
use crate::contact_report::{add_load, terms};
use crate::incremental::{IncrementalPotential, Inertia};
use crate::registry::MethodError;
use crate::report::{ContactSample, StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use stiction_bodies::{Model, State};
use stiction_energy::Elasticity;
use stiction_numerics::{BlockMatrix, LinearPcg, Vec3};

/// Inexact Newton with barriers.
pub struct BarrierSolver {
    options: BarrierOptions,
    elasticity: Elasticity,
    system: BlockMatrix,
    detector: Detector,
    limits: StrainLimits,
    anchors: AnchorMemory,
    pcg: LinearPcg,
    /// Vertices of mesh colliders at the end of the last step, and its time: a shortened step ends on the chord of their way, not on
    /// the way itself. Empty before the first step.
    kinematic: Vec<Vec3>,
    kinematic_time: f64,
    /// Whether the start was found free of intersections.
    checked: bool,
}

/// A step is stuck when so many iterations in a row took less than [`STUCK_SHARE`] of their direction.
const STUCK_COUNT: usize = 8;

/// See [`STUCK_COUNT`].
const STUCK_SHARE: f64 = 1e-4;

/// A step that got less far than this share is an error.
const LEAST_STEP: f64 = 1e-3;

/// The loop over Newton iterations, as it went.
struct Progress {
    beta: f64,
    iterations: usize,
    converged: bool,
    pcg_iterations: usize,
    pcg_failures: usize,
    smallest_alpha: f64,
    stuck: usize,
    last: Option<Iteration>,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            beta: 0.0,
            iterations: 0,
            converged: false,
            pcg_iterations: 0,
            pcg_failures: 0,
            smallest_alpha: 1.0,
            stuck: 0,
            last: None,
        }
    }

    fn add(&mut self, iteration: Iteration) {
        let alpha = iteration.limit.alpha;
        self.iterations += 1;
        self.pcg_iterations += iteration.pcg_iterations;
        self.pcg_failures += usize::from(!iteration.pcg_converged);
        self.smallest_alpha = self.smallest_alpha.min(alpha);
        self.stuck = if alpha < STUCK_SHARE { self.stuck + 1 } else { 0 };
        self.last = Some(iteration);
    }

    /// Whether the loop is to be left.
    fn is_done(&mut self, options: &BarrierOptions, h: f64) -> bool {
        if self.iterations >= options.max_iterations || self.stuck >= STUCK_COUNT {
            return true;
        }
        if self.iterations < options.min_iterations {
            return false;
        }
        if !options.complete {
            self.converged = self.beta >= options.beta_max;
            return self.converged;
        }
        let whole = self.beta >= 1.0;
        let rested =
            self.last.as_ref().is_some_and(|i| i.limit.alpha == 1.0 && i.change < options.tolerance * h);
        self.converged = whole && rested;
        self.converged || (whole && self.iterations >= options.refine_iterations)
    }

    /// An error when the step got nowhere, naming what is in the way.
    fn require_motion(&self, h: f64) -> Result<(), StepError> {
        if self.beta >= LEAST_STEP {
            return Ok(());
        }
        let culprit = self.last.as_ref().and_then(|i| i.limit.culprit.clone()).unwrap_or_default();
        let reason = format!(
            "the step is stuck at {:.1e} of {h:e} s after {} iterations between {culprit}: pins or colliders may force an \
             intersection there; change their motion or take a smaller step",
            self.beta, self.iterations
        );
        Err(StepError::Contact { reason })
    }
}

impl BarrierSolver {
    /// A solver for a model.
    pub fn new(options: BarrierOptions, world: World<'_>) -> Result<BarrierSolver, MethodError> {
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let system = BlockMatrix::zeros(elasticity.pattern().clone());
        let detector = Detector::new(world.model)?;
        let limits = StrainLimits::new(world, &elasticity);
        if world.model.surfaces.objects.iter().all(|o| o.contact_gap <= 0.0) {
            let message = "every contact gap is 0, so no barrier can act; give bodies or colliders a `gap`";
            return Err(MethodError::Option { key: "barrier".to_owned(), message: message.to_owned() });
        }
        Ok(BarrierSolver {
            options,
            elasticity,
            system,
            detector,
            limits,
            anchors: AnchorMemory::default(),
            pcg: LinearPcg::new(),
            kinematic: Vec::new(),
            kinematic_time: 0.0,
            checked: false,
        })
    }

    /// Where the step starts.
    fn start(&self, model: &Model, state: &State) -> Configuration {
        let kept = !self.kinematic.is_empty() && self.kinematic_time == state.time;
        let kinematic = if kept { self.kinematic.clone() } else { scripted_vertices(model, state.time) };
        Configuration { blocks: state.blocks.clone(), kinematic, time: state.time }
    }
}

/// Where prescribed things are at the end of a step.
fn target(model: &Model, potential: &IncrementalPotential<'_>, end: f64) -> Configuration {
    let blocks = potential.prescription.target.clone();
    Configuration { blocks, kinematic: scripted_vertices(model, end), time: end }
}

/// Contacts, forces and gaps of the last iteration.
fn report_contacts(world: World<'_>, iteration: &Iteration, report: &mut StepReport) {
    report.contacts = iteration.contacts.len();
    report.contact_force = vec![Vec3::zeros(); world.model.surfaces.objects.len()];
    report.contact_load = vec![0.0; world.model.nodes];
    for (contact, force) in iteration.contacts.iter().zip(&iteration.forces) {
        let [a, b] = contact.objects.map(|o| o as usize);
        report.contact_force[a] += force;
        report.contact_force[b] -= force;
        if *force != Vec3::zeros() {
            let (point, normal) = (contact.point, contact.normal);
            report.contact_samples.push(ContactSample { point, normal, force: *force });
            add_load(&mut report.contact_load, terms(&contact.stencil), force.dot(&normal));
        }
    }
}

impl Solver for BarrierSolver {
    fn key(&self) -> &'static str {
        "barrier"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let model = world.model;
        let mut report = StepReport::default();
        let start = self.start(model, state);
        if !self.checked {
            refuse_intersections(&mut self.detector, &self.limits, model, &start, "at the start")?;
            self.checked = true;
        }
        let mut now = start.clone();
        let mut progress = Progress::new();
        let mut newton = Newton {
            options: &self.options,
            world,
            detector: &mut self.detector,
            limits: &self.limits,
            anchors: &self.anchors,
            system: &mut self.system,
            pcg: &mut self.pcg,
            seconds: &mut report.seconds,
        };

        // Newton iterations towards the end of the whole step, until enough of it is done.
        let potential = IncrementalPotential::new(world, &self.elasticity, state, h, Inertia::Dynamic);
        let end = target(model, &potential, state.time + h);
        loop {
            let iteration = newton.inner_step(&potential, &start, &end, &mut now)?;
            progress.beta += (1.0 - progress.beta) * iteration.limit.alpha;
            progress.add(iteration);
            if progress.is_done(&self.options, h) {
                break;
            }
        }
        progress.require_motion(h)?;

        // Error reduction: the same once more for the share of the step that was really taken.
        let advanced = if progress.beta >= 1.0 { h } else { progress.beta * h };
        if self.options.error_reduction && progress.beta < 1.0 {
            let shorter =
                IncrementalPotential::new(world, &self.elasticity, state, advanced, Inertia::Dynamic);
            now.time = state.time + advanced;
            let end = target(model, &shorter, now.time);
            progress.add(newton.inner_step(&shorter, &start, &end, &mut now)?);
        }

        // The explicit test, and only then the state.
        let (detector, limits) = (&mut self.detector, &self.limits);
        let gap = timed(&mut report.seconds.detection, || {
            refuse_intersections(detector, limits, model, &now, "after the step")?;
            smallest_gap(detector, model, &now)
        })?;
        if !now.blocks.iter().all(|x| x.iter().all(|c| c.is_finite())) {
            return Err(StepError::NotFinite { what: "the state after the step" });
        }
        report.advanced = advanced;
        report.iterations = progress.iterations;
        report.converged = progress.converged;
        report.penetration = (-gap).max(0.0);
        report.strain_limit_excess = limits.excess(&now.blocks).map_or(0.0, |(excess, _)| excess.max(0.0));
        if let Some(last) = &progress.last {
            report.residual.push(("change_m", last.change));
            report_contacts(world, last, &mut report);
        }
        report.counters = vec![
            ("beta", progress.beta),
            ("pcg_iterations", progress.pcg_iterations as f64),
            ("pcg_unconverged", progress.pcg_failures as f64),
            ("smallest_alpha", progress.smallest_alpha),
        ];
        if gap.is_finite() {
            report.counters.push(("min_gap_m", gap));
        }
        if let (FrictionModel::Anchored, Some(last)) = (self.options.friction, &progress.last) {
            let share = last.limit.alpha;
            let moved = |c: &Contact| c.displacement(&start.blocks, &now.blocks) + c.moved + c.ahead * share;
            self.anchors.replace(&last.contacts, self.options.friction_epsilon, moved);
        }
        accept(world, state, now.blocks, advanced, Inertia::Dynamic);
        (self.kinematic, self.kinematic_time) = (now.kinematic, state.time);
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(2);
        self.anchors.save(&mut saved);
        saved.put_vectors("kinematic", &self.kinematic);
        saved.numbers.insert("kinematic_time".to_owned(), vec![self.kinematic_time]);
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(2)?;
        let wrong = |name: &str| RestoreError::Array { name: name.to_owned() };
        let flat = saved.numbers("kinematic")?;
        let expected = self.detector.mesh_collider_vertices();
        if !flat.is_empty() && flat.len() != 3 * expected {
            return Err(wrong("kinematic"));
        }
        let &[time] = saved.numbers("kinematic_time")? else { return Err(wrong("kinematic_time")) };
        self.kinematic = flat.chunks_exact(3).map(Vec3::from_column_slice).collect();
        self.kinematic_time = time;
        self.anchors = AnchorMemory::restore(saved)?;
        Ok(())
    }

    fn reset(&mut self) {
        self.kinematic.clear();
        self.anchors.clear();
        self.checked = false;
    }
}
