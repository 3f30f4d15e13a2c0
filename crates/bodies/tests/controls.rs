//! Controls: what follows a collider takes its motion, also when that changes or is driven.

use std::path::Path;
use stiction_bodies::{DrivenMotion, Model, Parameters, State, build};
use stiction_numerics::Vec3;
use stiction_scene::load_text;
use stiction_scene::material::Material;
use stiction_scene::motion::Motion;

fn made(text: &str) -> (Model, Parameters, State) {
    let loaded = load_text("test.toml", text, Path::new("."), &[] as &[&str]);
    let scene = loaded.unwrap_or_else(|e| panic!("{e}: {}", e.fix())).scene;
    let model = build(&scene).expect("the scene compiles");
    let parameters = Parameters::from_scene(&scene, &model);
    let state = State::initial(&model, &scene);
    (model, parameters, state)
}

const FOLLOWERS: &str = "
    stiction = 1
    [bodies.cloth]
    kind = 'cloth'
    mesh = { grid = { size = [1, 1], cells = [1, 1] } }
    material = 'cotton'
    pins = [{ select = 'left', follow = 'hand' }]
    [colliders.hand]
    sphere = { radius = 0.1 }
    translate = [0, 0, 3]
    [[attachments]]
    body = 'cloth'
    select = 'right'
    to_collider = 'hand'
    stiffness = 10.0";

/// How far the held nodes of a pin and the places of an attachment go in a second \[m\].
fn followed(model: &Model, parameters: &Parameters, state: &State) -> [Vec3; 2] {
    let prescription = model.pins.prescribe(model, &parameters.controls, state, 1.0);
    let node = model.pins.groups[0].nodes[0] as usize;
    let anchors = |end: f64| model.anchors.at(parameters, 0.0, end)[0].target;
    [prescription.target[node] - state.blocks[node], anchors(1.0) - anchors(0.0)]
}

#[test]
fn followers_take_the_motion_of_their_collider() {
    let (model, mut parameters, state) = made(FOLLOWERS);
    assert_eq!(followed(&model, &parameters, &state), [Vec3::zeros(); 2]);
    let velocity = Vec3::new(0.5, 0.25, 1.0);
    let changed = parameters.set(&model, "colliders.hand.motion.velocity", velocity).expect("a good value");
    assert!(changed.controls);
    assert_eq!(followed(&model, &parameters, &state), [velocity; 2]);
    // What is driven acts instead, and the motion of the scene waits.
    let motion = Motion { velocity: -velocity, ..Motion::fixed() };
    parameters.controls.driven.colliders.push(DrivenMotion { index: 0, motion });
    assert_eq!(followed(&model, &parameters, &state), [-velocity; 2]);
    parameters.set(&model, "colliders.hand.motion.velocity", 2.0 * velocity).expect("a good value");
    assert_eq!(followed(&model, &parameters, &state), [-velocity; 2]);
    parameters.controls = parameters.controls.undriven();
    assert_eq!(followed(&model, &parameters, &state), [2.0 * velocity; 2]);
}

/// The parameters equal those of a scene with the value.
#[test]
fn stiffness_of_roots_and_the_fraction_of_mooney_can_be_set() {
    let scene = |root: f64, fraction: f64| {
        format!(
            "stiction = 1
            [bodies.ground]
            kind = 'solid'
            mesh = {{ tet_box = {{ size = [1, 1, 0.2], cells = [2, 2, 1] }} }}
            material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'mooney_rivlin', mooney_fraction = {fraction} }}
            [bodies.hair]
            kind = 'rod'
            mesh = {{ groom = {{ on_body = 'ground', count = 3, length = 0.1, segments = 4, root_stiffness = {root} }} }}
            material = {{ density = 1300.0, young = 1e9, poisson = 0.3, radius = 0.0005 }}"
        )
    };
    let (model, mut parameters, _) = made(&scene(10.0, 0.2));
    let changed =
        parameters.set(&model, "bodies.hair.mesh.groom.root_stiffness", 50.0).expect("a good value");
    assert!(changed.couplings && parameters.springs.roots.iter().all(|&k| k == 50.0));
    let changed =
        parameters.set(&model, "bodies.ground.material.mooney_fraction", 0.7).expect("a good value");
    assert!(changed.materials);
    let Material::Solid(solid) = &parameters.materials[0] else { panic!("a solid") };
    assert_eq!(solid.mooney_fraction, 0.7);
    let (_, built, _) = made(&scene(50.0, 0.7));
    assert_eq!(parameters, built);
    let text = parameters.set(&model, "bodies.ground.material.mooney_fraction", 1.5).expect_err("above one");
    assert!(text.to_string().contains("at least 0 and at most 1"), "{text}");
    let text = parameters.set(&model, "bodies.hair.mesh.groom.root_stiffness", 0.0).expect_err("zero");
    assert!(text.to_string().contains("N/m: it must be greater than 0"), "{text}");
}
