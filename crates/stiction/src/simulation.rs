//! A simulation on one screen: scene → model → steps.

use crate::clock::Clock;
use crate::error::SimulationError;
use crate::judgement::Judgement;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_contact::detect::{Collider, DetectOptions, Judge};
use stiction_scene::resolved::{BodyKind, Cells};
use stiction_scene::{InitialContact, Scene};
use stiction_solvers::{MethodInfo, Solver, StepReport, Wish, World, create, methods, with_resolve_time};

/// A scene that runs.
pub struct Simulation {
    /// The scene, without places and patterns of its meshes, triangles of cloth and tets of solids: the model has them.
    pub scene: Scene,
    /// Its compiled model.
    pub model: Model,
    /// Values that may vary.
    pub parameters: Parameters,
    /// Where it is.
    pub state: State,
    /// Steps done.
    pub steps: u64,
    /// Frames done, the initial one not counted.
    pub frames: u64,
    pub(crate) solver: Box<dyn Solver>,
    judge: Judge,
    /// Mesh and tree for judging, where the method lends none.
    collider: Option<Collider>,
    clock: Clock,
}

impl Simulation {
    /// Compiles a scene and checks its method; nothing runs yet.
    pub fn new(mut scene: Scene) -> Result<Simulation, SimulationError> {
        let model = build(&scene)?;
        let parameters = Parameters::from_scene(&scene, &model);
        let choice = match scene.initial_contact {
            InitialContact::Resolve { seconds } => with_resolve_time(&scene.method, seconds)?,
            InitialContact::MethodDefault | InitialContact::Refuse => scene.method.clone(),
        };
        let mut solver = create(&choice, World { model: &model, parameters: &parameters })?;
        let state = State::initial(&model, &scene);
        let own = || Collider::new(&model, DetectOptions::judging());
        let collider = if solver.lend_tree().is_some() { None } else { Some(own()?) };
        let clock = Clock::new(scene.fps, scene.step_size);
        for body in &mut scene.bodies {
            let mesh = &mut body.mesh;
            (mesh.vertices, mesh.rest_vertices, mesh.uv) = (Vec::new(), None, None);
            match (body.kind, &mut mesh.cells) {
                (BodyKind::Cloth, Cells::Triangles(cells)) => *cells = Vec::new(),
                (BodyKind::Solid, Cells::Tets(cells)) => *cells = Vec::new(),
                _ => {}
            }
        }
        Ok(Simulation {
            scene,
            model,
            parameters,
            state,
            steps: 0,
            frames: 0,
            solver,
            judge: Judge::default(),
            collider,
            clock,
        })
    }

    /// Whether the method can start from the present state; the first step asks the same.
    pub fn check_start(&mut self) -> Result<(), SimulationError> {
        let world = World { model: &self.model, parameters: &self.parameters };
        self.solver.check_start(world, &self.state).map_err(SimulationError::Start)
    }

    /// Takes one step towards the next frame.
    pub fn step(&mut self) -> Result<StepReport, SimulationError> {
        let h = self.clock.next_step(self.state.time, self.frames + 1);
        let world = World { model: &self.model, parameters: &self.parameters };
        let time = self.state.time;
        let report = self.solver.step(world, &mut self.state, h).map_err(|source| SimulationError::Step {
            step: self.steps + 1,
            time,
            source,
        })?;
        self.steps += 1;
        if self.clock.reached(self.state.time, self.frames + 1) {
            self.frames += 1;
            self.state.time = self.clock.frame_time(self.frames);
        }
        Ok(report)
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

    /// Judges the present state: crossings, overlaps, points inside.
    pub fn judge(&mut self) -> Result<Judgement, SimulationError> {
        let (model, blocks, time) = (&self.model, &self.state.blocks[..], self.state.time);
        let report = match (self.solver.lend_tree(), &mut self.collider) {
            (Some(mut tree), _) => {
                let report = self.judge.judge(&mut tree, model, blocks, time)?;
                tree.phase.release_boxes();
                report
            }
            (None, Some(own)) => own.judge(model, blocks, time)?,
            (None, empty) => {
                empty.insert(Collider::new(model, DetectOptions::judging())?).judge(model, blocks, time)?
            }
        };
        Ok(Judgement { report })
    }

    /// Largest principal stretch beyond rest at each node, averaged over its elements (for display).
    pub fn strain_per_node(&self) -> Vec<f32> {
        stiction_energy::strain::per_node(&self.model, &self.state.blocks)
    }

    /// Whether bodies touch under the method that runs it.
    pub fn has_contact(&self) -> bool {
        let has = |method: &MethodInfo| !method.leaves_out.contains(&Wish::Contact);
        methods().iter().any(|method| method.key == self.method() && has(method))
    }

    /// Key of the method that runs it.
    pub fn method(&self) -> &'static str {
        self.solver.key()
    }
}
