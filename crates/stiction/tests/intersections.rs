//! The check for intersections finds what the collision service of a method finds, and changes
//! nothing.

use std::path::Path;
use stiction::Simulation;
use stiction::scene::load_text;
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_numerics::Vec3;

const SCENE: &str = "stiction = 1
    fps = 100
    step = 0.005
    method = { key = 'barrier' }
    [bodies.sheet]
    kind = 'cloth'
    mesh = { grid = { size = [0.2, 0.2], cells = [8, 8] } }
    material = { density = 500.0, thickness = 0.0005, young = 1e6, poisson = 0.3 }
    velocity = [0, 0, -0.5]
    gap = 0.001
    array = { count = [1, 1, 2], step = [0.003, 0.002, 0.004] }
    [bodies.block]
    kind = 'solid'
    mesh = { tet_box = { size = [0.1, 0.1, 0.05], cells = [2, 2, 1] } }
    material = { density = 1000.0, young = 1e6, poisson = 0.3 }
    translate = [0, 0, -0.03]
    gap = 0.001
    [colliders.floor]
    plane = { offset = -0.06 }
    gap = 0.001";

fn simulation() -> Simulation {
    let loaded = load_text("sheets", SCENE, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    Simulation::new(loaded.scene).expect("it can run")
}

#[test]
fn the_check_finds_what_another_search_finds() {
    let mut simulation = simulation();
    simulation.step().expect("a step");
    let node = simulation.model.bodies[0].nodes.start + 40;
    // Into the block, through its lower side, and out through the floor.
    for drop in [0.03, 0.06, 0.1] {
        simulation.state.blocks[node] -= Vec3::z() * drop;
        let found = simulation.check_intersections().expect("a check").state;
        let (model, state) = (&simulation.model, &simulation.state);
        let controls = &simulation.parameters.controls;
        let options = DetectOptions { skin: 0.0, ..DetectOptions::default() };
        let mut other = ContactFinder::new(model, controls, options).expect("a mesh");
        assert_eq!(found, other.intersections(model, controls, state.placed()).expect("a check"));
        assert!(!found.crossings.is_empty());
        simulation.state.blocks[node] += Vec3::z() * drop;
    }
}

#[test]
fn a_run_that_is_checked_goes_as_one_that_is_not() {
    let (mut checked, mut alone) = (simulation(), simulation());
    for _ in 0..3 {
        checked.check_intersections().expect("a check");
        checked.step().expect("a step");
        alone.step().expect("a step");
    }
    assert_eq!(checked.state, alone.state);
}
