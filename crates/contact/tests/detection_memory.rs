//! What pairs remember within a step must not hide a contact.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_contact::NewContact;
use stiction_contact::detect::{Collider, DetectOptions, Known, StepMotion};
use stiction_numerics::Vec3;
use stiction_scene::load_text;

const SHEETS: &str = "stiction = 1
[bodies.sheet]
kind = 'cloth'
material = 'cotton'
thickness = 0.01
gap = 0.02
mesh = { grid = { size = [1, 1], cells = [1, 1] } }
instances = [{ translate = [0, 0, 0] }, { translate = [0.1, 0.05, 0.1] }]
";

/// Step size \[s\].
const H: f64 = 0.01;

fn coming(
    (model, parameters, state): (&Model, &Parameters, &State),
    collider: &mut Collider,
    ends: &[Vec3],
) -> Vec<NewContact> {
    let prescription = model.pins.prescribe(model, state, H);
    let motion = StepMotion { start: &state.blocks, prescription: &prescription, time: 0.0, h: H };
    let velocities: Vec<Vec3> = ends.iter().zip(&state.blocks).map(|(e, s)| (e - s) / H).collect();
    collider.coming(model, parameters, &motion, &velocities, Known::Held(&[])).expect("found")
}

/// One corner goes to and fro, another one then comes down by little: what the first has wandered says nothing about the second.
#[test]
fn a_restless_corner_does_not_hide_its_neighbours() {
    let scene = load_text("test.toml", SHEETS, Path::new("."), &[] as &[&str]).expect("valid").scene;
    let model = build(&scene).expect("the scene compiles");
    let (parameters, state) = (Parameters::from_scene(&scene), State::initial(&model, &scene));
    let world = (&model, &parameters, &state);
    let new = || Collider::new(&model, DetectOptions::default()).expect("sound");
    // The upper sheet ends 0.2 mm above where continuous detection stops it.
    let floor = 0.01 + 0.1 * (0.1 - 0.01);
    let mut ends = state.blocks.clone();
    ends[4..8].iter_mut().for_each(|end| end.z = floor + 2e-4);
    let mut collider = new();
    assert!(coming(world, &mut collider, &ends).is_empty());
    for _ in 0..5 {
        for way in [1e-3, -1e-3] {
            ends[4].z += way;
            assert!(coming(world, &mut collider, &ends).is_empty());
        }
    }
    ends[5..8].iter_mut().for_each(|end| end.z -= 5e-4);
    let found = coming(world, &mut collider, &ends);
    assert!(!found.is_empty());
    assert_eq!(found, coming(world, &mut new(), &ends));
}
