//! A model with its collision service, at the start of a step.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_contact::NewContact;
use stiction_contact::detect::{ContactFinder, DetectOptions, KnownContacts, StepMotion};
use stiction_numerics::Vec3;
use stiction_scene::load_text;

/// Step size \[s\].
pub const H: f64 = 0.01;

pub struct World {
    pub model: Model,
    pub parameters: Parameters,
    pub state: State,
    pub finder: ContactFinder,
}

/// Copies of a thick sheet of 1 m, cut into n × n cells, at the given places.
pub fn sheets(n: usize, places: &[[f64; 3]]) -> String {
    let instances: Vec<String> = places.iter().map(|place| format!("{{ translate = {place:?} }}")).collect();
    format!(
        "stiction = 1
        [bodies.sheet]
        kind = 'cloth'
        material = 'cotton'
        thickness = 0.01
        gap = 0.02
        mesh = {{ grid = {{ size = [1, 1], cells = [{n}, {n}] }} }}
        instances = [{}]",
        instances.join(", ")
    )
}

impl World {
    pub fn new(text: &str) -> World {
        let scene =
            load_text("test.toml", text, Path::new("."), &[] as &[&str]).expect("the scene is valid").scene;
        let model = build(&scene).expect("the scene compiles");
        let (parameters, state) = (Parameters::from_scene(&scene, &model), State::initial(&model, &scene));
        let finder = ContactFinder::new(&model, &parameters.controls, DetectOptions::default())
            .expect("the surfaces are sound");
        World { model, parameters, state, finder }
    }

    /// Velocities that lead to the given ends of the step.
    pub fn towards(&self, ends: &[Vec3]) -> Vec<Vec3> {
        ends.iter().zip(&self.state.blocks).map(|(end, start)| (end - start) / H).collect()
    }

    /// Contacts near the start of the step.
    pub fn near(&mut self, velocities: &[Vec3]) -> Vec<NewContact> {
        self.step(|finder, model, parameters, motion| {
            finder.proximity(model, parameters, motion, velocities).expect("found")
        })
    }

    /// Contacts that come on the way.
    pub fn approaching(&mut self, velocities: &[Vec3], known: KnownContacts<'_>) -> Vec<NewContact> {
        self.step(|finder, model, parameters, motion| {
            finder.approaching(model, parameters, motion, velocities, known).expect("found")
        })
    }

    fn step<R>(
        &mut self,
        ask: impl FnOnce(&mut ContactFinder, &Model, &Parameters, &StepMotion<'_>) -> R,
    ) -> R {
        let World { model, parameters, state, finder } = self;
        let time = state.time;
        let prescription = model.pins.prescribe(model, &parameters.controls, state, time + H);
        let motion = StepMotion {
            start: &state.blocks,
            orientations: &state.orientations,
            prescription: &prescription,
            parameters,
            time,
            h: H,
        };
        ask(finder, model, parameters, &motion)
    }
}
