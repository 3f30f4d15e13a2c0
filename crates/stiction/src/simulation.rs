//! A simulation on one screen: scene → model → steps.

use crate::clock::Clock;
use crate::driving::Order;
use crate::error::SimulationError;
use crate::intersections::IntersectionReport;
use crate::scene_source::{OpenedScene, SceneIdentity, located};
use crate::settings::{BodyDetails, Settings};
use crate::threads::Threads;
use stiction_bodies::{Changed, Model, ParameterValue, Parameters, State, build};
use stiction_contact::detect::IntersectionCheck;
use stiction_scene::{InitialContact, Scene};
use stiction_solvers::support::{Feature, Level, level};
use stiction_solvers::{
    MethodError, RunawayGuard, Solver, StepReport, World, create, ignored_settings, with_resolve_time,
};

/// A scene that runs.
pub struct Simulation {
    /// Its compiled model.
    pub model: Model,
    /// Values that may vary.
    pub parameters: Parameters,
    /// Where it is.
    pub state: State,
    /// Steps done.
    pub steps: u64,
    /// Frames done, the initial one not counted: those whose time has come.
    pub frames: u64,
    pub(crate) solver: Box<dyn Solver>,
    pub(crate) identity: SceneIdentity,
    pub(crate) body_details: Vec<BodyDetails>,
    settings: Settings,
    notes: Vec<String>,
    clock: Clock,
    pub(crate) threads: Threads,
    /// Drives that wait for the next step.
    pub(crate) orders: Vec<Order>,
    pub(crate) guard: RunawayGuard,
    /// Made when it is first asked for.
    check: Option<IntersectionCheck>,
}

impl Simulation {
    /// Opens a scene file, or a scene of the gallery by name, with another method and with
    /// overrides `path=value`, and compiles it; nothing runs yet. Errors name file, line, object
    /// and fix.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), stiction::SimulationError> {
    /// let changes = ["bodies.cloth.friction=0.1"];
    /// let mut simulation = stiction::Simulation::open("sphere_drape", Some("admm"), &changes)?;
    /// let report = simulation.step()?;
    /// println!("{} contacts at {} s", report.contacts, simulation.state.time);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open<S: AsRef<str>>(
        name: &str,
        method: Option<&str>,
        overrides: &[S],
    ) -> Result<Simulation, SimulationError> {
        Simulation::of(OpenedScene::open(name, method, overrides)?)
    }

    /// Compiles a scene that was opened before.
    pub fn of(opened: OpenedScene) -> Result<Simulation, SimulationError> {
        let OpenedScene { scene, identity, notes, document } = opened;
        let mut simulation = Simulation::new(scene).map_err(|error| located(error, &document))?;
        simulation.notes.extend(notes);
        Ok(Simulation { identity, ..simulation })
    }

    /// Compiles a scene and checks its method; nothing runs yet.
    pub fn new(scene: Scene) -> Result<Simulation, SimulationError> {
        let choice = match scene.initial_contact {
            InitialContact::Resolve { seconds } => with_resolve_time(&scene.method, seconds)?,
            InitialContact::MethodDefault | InitialContact::Refuse => scene.method.clone(),
        };
        let notes = ignored_settings(&scene);
        let simulation = Simulation::with_solver(scene, |world| create(&choice, world))?;
        Ok(Simulation { notes, ..simulation })
    }

    /// Compiles a scene for a solver of the caller's own, which is made from the world that it will
    /// step; the method that the scene names is left aside.
    pub fn with_solver(
        scene: Scene,
        make: impl FnOnce(World<'_>) -> Result<Box<dyn Solver>, MethodError>,
    ) -> Result<Simulation, SimulationError> {
        let model = build(&scene)?;
        let parameters = Parameters::from_scene(&scene, &model);
        let solver = make(World { model: &model, parameters: &parameters })?;
        let state = State::initial(&model, &scene);
        let settings = Settings::of(&scene);
        Ok(Simulation {
            model,
            parameters,
            state,
            steps: 0,
            frames: 0,
            solver,
            identity: SceneIdentity { name: scene.name, ..SceneIdentity::default() },
            body_details: scene.bodies.into_iter().map(BodyDetails::of).collect(),
            clock: Clock::new(settings.fps, settings.step_size),
            settings,
            notes: Vec::new(),
            threads: Threads::of_caller(),
            guard: RunawayGuard::default(),
            orders: Vec::new(),
            check: None,
        })
    }

    /// The same simulation on a pool of `count` threads of its own: all further work runs there.
    pub fn with_threads(self, count: usize) -> Result<Simulation, SimulationError> {
        Ok(self.on(Threads::new(Some(count))?))
    }

    /// The same simulation on these threads, which other simulations may share.
    pub fn on(self, threads: Threads) -> Simulation {
        Simulation { threads, ..self }
    }

    /// Where its work runs.
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// What it keeps of its scene.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the scene asks for and the method ignores, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Key of the method that runs it.
    pub fn method(&self) -> &'static str {
        self.solver.key()
    }

    /// Number of the body of a name.
    pub(crate) fn body_number(&self, name: &str) -> Result<usize, SimulationError> {
        let bodies = &self.model.bodies;
        bodies.iter().position(|body| body.name == name).ok_or_else(|| {
            let known: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
            SimulationError::UnknownObject { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Number of the body or collider of a name, as reports of contacts count them.
    pub fn object(&self, name: &str) -> Result<u32, SimulationError> {
        let objects = &self.model.surfaces.objects;
        let found = objects.iter().position(|object| object.name == name);
        found.map(|number| number as u32).ok_or_else(|| {
            let known: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
            SimulationError::UnknownObject { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Whether the method can start from the present state; the first step asks the same.
    pub fn check_start(&mut self) -> Result<(), SimulationError> {
        let world = World { model: &self.model, parameters: &self.parameters };
        let (solver, state) = (&mut self.solver, &self.state);
        self.threads.install(|| solver.check_start(world, state)).map_err(SimulationError::Start)
    }

    /// Sets a parameter between two steps, by the path that `--set` uses: `bodies.cloth.material.young`, `gravity`,
    /// `bodies.cloth.pins.0.motion.velocity`. The next step is that of a simulation built with this value in the same state, bit
    /// for bit. On an error nothing has changed. Checkpoints hold no parameters: set them again after a restart.
    ///
    /// [`Parameters::list`] gives all paths with units and bounds.
    pub fn set_parameter(
        &mut self,
        path: &str,
        value: impl Into<ParameterValue>,
    ) -> Result<Changed, SimulationError> {
        let mut parameters = self.parameters.clone();
        let changed = parameters.set(&self.model, path, value)?;
        let world = World { model: &self.model, parameters: &parameters };
        let solver = &mut self.solver;
        self.threads.install(|| solver.parameters_changed(world, &changed))?;
        self.parameters = parameters;
        if changed.elasticity() || changed.masses {
            self.guard.forget();
        }
        Ok(changed)
    }

    /// Takes one step towards the next frame. External forces that were applied act in it.
    pub fn step(&mut self) -> Result<StepReport, SimulationError> {
        self.take_step(self.clock.next_step(self.state.time, self.frames + 1))
    }

    /// Takes one step of a length of the caller's choice \[s\], wherever frames fall; the method
    /// may take less, as the report says.
    ///
    /// Frames keep their times: one counts as done once the state is at or beyond it, and
    /// [`Simulation::step`] goes on towards the next one with what is left of the way.
    pub fn step_by(&mut self, h: f64) -> Result<StepReport, SimulationError> {
        if !(h.is_finite() && h > 0.0) {
            return Err(SimulationError::StepSize { h });
        }
        self.take_step(h)
    }

    /// A step of length h. Where it fails, all is as before, orders and external forces included.
    fn take_step(&mut self, h: f64) -> Result<StepReport, SimulationError> {
        let driven_before = self.carry_out_orders(self.state.time + h)?;
        let threads = self.threads.clone();
        let report = match threads.install(|| self.guarded_step(h)) {
            Ok(report) => report,
            Err(error) => {
                self.set_driven(driven_before)?;
                return Err(error);
            }
        };
        self.orders.clear();
        self.parameters.external.clear();
        self.steps += 1;
        self.count_frames();
        Ok(report)
    }

    /// A step that is refused where bodies run away.
    fn guarded_step(&mut self, h: f64) -> Result<StepReport, SimulationError> {
        let (step, time) = (self.steps + 1, self.state.time);
        let world = World { model: &self.model, parameters: &self.parameters };
        self.parameters.motion_limit = self.guard.limit(world, &self.state, h);
        let world = World { model: &self.model, parameters: &self.parameters };
        let outcome = self.solver.step(world, &mut self.state, h).map_err(|error| {
            let source = self.guard.explained(error, world);
            SimulationError::Step { step, time, source }
        });
        self.parameters.motion_limit = None;
        let report = outcome?;
        self.guard.accept(&report, &self.state);
        Ok(report)
    }

    /// Counts the frames whose time has come; a state that is at one up to rounding is put on it.
    fn count_frames(&mut self) {
        while self.clock.reached(self.state.time, self.frames + 1) {
            self.frames += 1;
            let due = self.clock.frame_time(self.frames);
            if !self.clock.is_beyond(self.state.time, self.frames) {
                self.state.time = due;
            }
        }
    }

    /// Takes steps until the next frame is reached.
    pub fn advance_frame(&mut self) -> Result<Vec<StepReport>, SimulationError> {
        let frame = self.frames;
        let mut reports = Vec::new();
        while self.frames == frame {
            reports.push(self.step()?);
        }
        Ok(reports)
    }

    /// Looks for crossings, overlaps and points inside in the present state, with a mesh and a tree
    /// that the method does not share.
    pub fn check_intersections(&mut self) -> Result<IntersectionReport, SimulationError> {
        let (model, present, controls) = (&self.model, &self.state, &self.parameters.controls);
        let check = &mut self.check;
        let state = self.threads.install(|| {
            let check = match check {
                Some(made) => made,
                None => check.insert(IntersectionCheck::new(model, &controls.undriven())?),
            };
            check.check(model, controls, present.placed())
        })?;
        Ok(IntersectionReport { state })
    }

    /// Largest principal stretch beyond rest at each node, averaged over its elements (for
    /// display).
    pub fn strain_per_node(&self) -> Vec<f32> {
        let (model, blocks) = (&self.model, &self.state.blocks[..]);
        self.threads.install(|| stiction_energy::strain::per_node(model, blocks))
    }

    /// Whether bodies touch under the method that runs it; of a caller's own solver that is
    /// assumed.
    pub fn has_contact(&self) -> bool {
        level(self.method(), Feature::Contact).is_none_or(|level| level == Level::Exact)
    }
}
