//! Pairs that have a contact are asked only whether they pass through: whatever they remember, what passes through is found.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_contact::NewContact;
use stiction_contact::detect::{Collider, DetectOptions, Known, StepMotion};
use stiction_numerics::{Random, Vec3};
use stiction_scene::load_text;

const SHEETS: &str = "stiction = 1
[bodies.sheet]
kind = 'cloth'
material = 'cotton'
thickness = 0.01
gap = 0.02
mesh = { grid = { size = [1, 1], cells = [6, 6] } }
instances = [{ translate = [0, 0, 0] }, { translate = [0.03, 0.02, 0.02] }, { translate = [0.01, 0.05, 0.06] }]
";

/// Step size \[s\].
const H: f64 = 0.01;

struct World {
    model: Model,
    parameters: Parameters,
    state: State,
    collider: Collider,
}

impl World {
    fn new() -> World {
        let scene = load_text("test.toml", SHEETS, Path::new("."), &[] as &[&str]).expect("valid").scene;
        let model = build(&scene).expect("the scene compiles");
        let (parameters, state) = (Parameters::from_scene(&scene), State::initial(&model, &scene));
        let collider = Collider::new(&model, DetectOptions::default()).expect("sound");
        World { model, parameters, state, collider }
    }

    /// Contacts near the start of the step, and those that come on the way to the given ends.
    fn find(&mut self, ends: &[Vec3], near: bool, known: Known<'_>) -> Vec<NewContact> {
        let World { model, parameters, state, collider } = self;
        let prescription = model.pins.prescribe(model, state, H);
        let motion = StepMotion { start: &state.blocks, prescription: &prescription, time: 0.0, h: H };
        let velocities: Vec<Vec3> = ends.iter().zip(&state.blocks).map(|(e, s)| (e - s) / H).collect();
        let found = match near {
            true => collider.proximity(model, parameters, &motion, &velocities),
            false => collider.coming(model, parameters, &motion, &velocities, known),
        };
        found.expect("found")
    }

    fn keys(&mut self, ends: &[Vec3]) -> Vec<u64> {
        let mut keys: Vec<u64> = self.find(ends, true, Known::Trusted(&[])).iter().map(|c| c.key).collect();
        keys.extend(self.find(ends, false, Known::Trusted(&[])).iter().map(|c| c.key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// Sheets that turn, shake and are pressed through each other, end after end: a collider that remembers finds what one finds that has only seen the ends from which the contacts are known.
#[test]
fn what_passes_through_is_found_whatever_was_remembered() {
    let mut random = Random::new(17);
    let (mut seasoned, mut through, mut open) = (World::new(), 0, 0);
    for step in 0..6 {
        let start = seasoned.state.blocks.clone();
        let turn = 0.05 * f64::from(step);
        let turned = |p: &Vec3| {
            Vec3::new(p.x, p.y * turn.cos() - p.z * turn.sin(), p.y * turn.sin() + p.z * turn.cos())
        };
        let first: Vec<Vec3> = start.iter().map(turned).collect();
        let known = seasoned.keys(&first);
        let mut ends = first.clone();
        for round in 0..8 {
            // Shakes by more and more; in the end some vertices go through the sheet below.
            let size = 2e-4 * f64::from(1 << round);
            ends.iter_mut().for_each(|end| *end += random.vector(-size, size));
            let found = seasoned.find(&ends, false, Known::Guarded(&known));
            let mut fresh = World { state: seasoned.state.clone(), ..World::new() };
            assert_eq!(fresh.keys(&first), known);
            let anew = fresh.find(&ends, false, Known::Guarded(&known));
            assert_eq!(found, anew, "step {step}, round {round}");
            let passed = found.iter().filter(|contact| known.binary_search(&contact.key).is_ok()).count();
            (through, open) = (through + passed, open + usize::from(found.is_empty()));
        }
        seasoned.state.blocks = first;
    }
    assert!(
        through > 50 && open > 5,
        "{through} contacts of pairs that pass through, {open} ends without any"
    );
}
