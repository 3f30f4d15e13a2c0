//! A scene with its solver, step by step.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_scene::{Scene, load_text};
use stiction_solvers::{MethodError, Solver, StepReport, World, create};

/// A scene in the making.
pub struct Run {
    pub model: Model,
    pub parameters: Parameters,
    pub solver: Box<dyn Solver>,
    pub state: State,
}

impl Run {
    /// A scene whose method takes it.
    pub fn new(text: &str) -> Run {
        Run::try_new(text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A good scene that its method may refuse.
    pub fn try_new(text: &str) -> Result<Run, MethodError> {
        let loaded = load_text("test.toml", text, Path::new("."), &[] as &[&str]);
        let scene = loaded.unwrap_or_else(|error| panic!("{error}: {}", error.fix())).scene;
        Run::of(&scene)
    }

    /// A scene that was loaded.
    pub fn of(scene: &Scene) -> Result<Run, MethodError> {
        let model = build(scene).expect("a good model");
        let parameters = Parameters::from_scene(scene, &model);
        let solver = create(&scene.method, World { model: &model, parameters: &parameters })?;
        let state = State::initial(&model, scene);
        Ok(Run { model, parameters, solver, state })
    }

    /// One step of `h` \[s\].
    pub fn step(&mut self, h: f64) -> StepReport {
        let world = World { model: &self.model, parameters: &self.parameters };
        self.solver.step(world, &mut self.state, h).expect("a step")
    }
}
