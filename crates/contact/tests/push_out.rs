//! Nodes that would end inside an analytic solid are put on its surface.

use std::path::Path;
use stiction_bodies::{Parameters, State, build};
use stiction_contact::detect::{ContactFinder, DetectOptions, StepMotion};
use stiction_numerics::Vec3;
use stiction_scene::load_text;

/// Five nodes along x above a ball of 0.1 m at the origin; the second is held.
const ROD: &str = "stiction = 1
[bodies.rod]
kind = 'rod'
mesh = { rod = { start = [-0.2, 0, 0.11], end = [0.2, 0, 0.11], segments = 4 } }
material = { preset = 'nylon_line', radius = 0.001 }
pins = [{ select = { indices = [1] } }]
[colliders.ball]
sphere = { radius = 0.1 }
motion = { velocity = [0, 0, 1] }
";

#[test]
fn what_came_in_is_pushed_out_and_nothing_else_moves() {
    let scene =
        load_text("test.toml", ROD, Path::new("."), &[] as &[&str]).expect("the scene is valid").scene;
    let model = build(&scene).expect("the scene compiles");
    let mut state = State::initial(&model, &scene);
    // Inside from the start: opened gently by the contacts, not at once.
    state.blocks[3] = Vec3::new(0.0, 0.05, 0.0);
    let parameters = Parameters::from_scene(&scene, &model);
    let finder = ContactFinder::new(&model, &parameters.controls, DetectOptions::default())
        .expect("the surfaces are sound");
    assert!(parameters.gravity.at(0.0).norm() > 0.0);
    let (time, h) = (0.0, 0.02);
    let prescription = model.pins.prescribe(&model, &parameters.controls, &state, h);
    let motion = StepMotion {
        start: &state.blocks,
        orientations: &state.orientations,
        prescription: &prescription,
        parameters: &parameters,
        time,
        h,
    };
    let mut blocks = state.blocks.clone();
    // The ball has moved to z = 0.02: nodes 1 and 2 are now 0.8 and 10 mm below its top or beside
    // it.
    blocks[1] = Vec3::new(-0.01, 0.0, 0.11);
    blocks[2] = Vec3::new(0.01, 0.0, 0.105);
    let before = blocks.clone();
    assert_eq!(finder.push_out(&model, &motion, &mut blocks), 1);
    let centre = Vec3::new(0.0, 0.0, 0.02);
    assert!(((blocks[2] - centre).norm() - 0.1).abs() < 1e-12);
    // Straight out from the centre.
    assert!((blocks[2] - centre).cross(&(before[2] - centre)).norm() < 1e-15);
    for n in [0, 1, 3, 4] {
        assert_eq!(blocks[n], before[n], "node {n}");
    }
}
