//! A model with its solver, and what must hold of its state whatever was asked of it.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_numerics::Vec3;
use stiction_scene::load_text;
use stiction_solvers::{Solver, StepError, StepReport, World, create};

pub struct Bench {
    pub model: Model,
    pub parameters: Parameters,
    pub state: State,
    solver: Box<dyn Solver>,
}

impl Bench {
    /// A scene without its first lines, under a method `key = '…', options`.
    pub fn new(method: &str, text: &str) -> Bench {
        let text = format!("stiction = 1\nfps = 100\nmethod = {{ {method} }}\n{text}");
        let loaded = load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
        let scene = loaded.unwrap_or_else(|error| panic!("{error}")).scene;
        let model = build(&scene).expect("a good model");
        let parameters = Parameters::from_scene(&scene, &model);
        let state = State::initial(&model, &scene);
        let world = World { model: &model, parameters: &parameters };
        let solver = create(&scene.method, world).expect("a method");
        Bench { model, parameters, state, solver }
    }

    pub fn try_step(&mut self, h: f64) -> Result<StepReport, StepError> {
        let world = World { model: &self.model, parameters: &self.parameters };
        self.solver.step(world, &mut self.state, h)
    }

    /// One step; afterwards every node is finite, within `reach` \[m\] of the origin and slower
    /// than `speed` \[m/s\].
    pub fn step(&mut self, h: f64, reach: f64, speed: f64) -> StepReport {
        let report = self.try_step(h).unwrap_or_else(|error| panic!("at {} s: {error}", self.state.time));
        let farthest = self.nodes().iter().map(Vec3::norm).fold(0.0, f64::max);
        let fastest = self.state.velocities[..self.model.nodes].iter().map(Vec3::norm).fold(0.0, f64::max);
        // f64::max drops NaN, so that finiteness is asked apart.
        let finite =
            self.nodes().iter().chain(&self.state.velocities).all(|x| x.iter().all(|v| v.is_finite()));
        assert!(finite, "at {} s a number is not finite", self.state.time);
        assert!(farthest < reach && fastest < speed, "at {} s: {farthest} m, {fastest} m/s", self.state.time);
        report
    }

    pub fn nodes(&self) -> &[Vec3] {
        &self.state.blocks[..self.model.nodes]
    }

    /// Nodes of the body of a name.
    pub fn body(&self, name: &str) -> &[Vec3] {
        let body = self.model.bodies.iter().find(|body| body.name == name).expect("a body");
        &self.state.blocks[body.nodes.clone()]
    }

    pub fn lowest(&self) -> f64 {
        self.nodes().iter().map(|x| x.z).fold(f64::MAX, f64::min)
    }
}
