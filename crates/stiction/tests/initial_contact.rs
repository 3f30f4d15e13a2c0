//! A start with penetration is opened over the time that the scene gives, or refused by a method
//! that cannot.

use std::path::Path;
use stiction::Simulation;
use stiction::scene::load_text;

/// A block that starts 10 mm inside the floor, without gravity.
fn sunk(method: &str, seconds: f64) -> Result<Simulation, stiction::SimulationError> {
    let text = format!(
        "stiction = 1
        fps = 100
        step = 0.01
        gravity = 0.0
        initial_contact = {{ resolve = {seconds} }}
        wind = {{ air_density = 0.0 }}
        method = {{ key = '{method}' }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }}
        translate = [0, 0, 0.04]
        [colliders.floor]
        plane = {{ offset = 0 }}"
    );
    let loaded = load_text("sunk", &text, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    Simulation::new(loaded.scene)
}

/// How far the lowest node rises in the first step [m].
fn rise(seconds: f64) -> f64 {
    let mut simulation = sunk("admm", seconds).expect("admm resolves");
    let lowest =
        |s: &Simulation| s.state.blocks[..s.model.nodes].iter().map(|x| x.z).fold(f64::MAX, f64::min);
    let before = lowest(&simulation);
    simulation.step().expect("a step");
    lowest(&simulation) - before
}

#[test]
fn the_time_of_the_scene_sets_how_fast_a_penetration_opens() {
    // One step of 10 ms opens h/T of the 10 mm.
    for seconds in [0.1, 0.5] {
        let expected = 0.01 * 0.01 / seconds;
        assert!((rise(seconds) / expected - 1.0).abs() < 0.05, "{} against {expected}", rise(seconds));
    }
}

#[test]
fn a_method_that_cannot_push_apart_says_so() {
    for method in ["newton", "barrier"] {
        let error = sunk(method, 0.5).err().expect("it is refused");
        assert!(error.is_input() && error.to_string().contains("initial_contact"), "{error}");
    }
}

/// A barrier cannot open what is closed: the first step blames the input, with names, place and
/// depth.
#[test]
fn a_barrier_refuses_bodies_that_cross_at_the_start() {
    let text = "stiction = 1
        fps = 100
        method = { key = 'barrier' }
        [bodies.block]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
        material = { density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }
        translate = [0, 0, 0.04]
        [colliders.floor]
        plane = { offset = 0 }";
    let loaded = load_text("sunk", text, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    let mut simulation = Simulation::new(loaded.scene).expect("it is set up");
    let error = simulation.step().expect_err("it is sunk");
    let words = error.to_string();
    assert!(error.is_input(), "{words}");
    assert!(words.contains("`block`") && words.contains("`floor`") && words.contains("1.0e-2 m"), "{words}");
}

/// A scene that refuses penetrations is not run when bodies cross, and is when they merely touch.
#[test]
fn a_scene_can_refuse_penetrations_at_the_start() {
    let start = |height: f64| {
        let text = format!(
            "stiction = 1
            fps = 100
            frames = 1
            initial_contact = 'refuse'
            method = {{ key = 'admm' }}
            [bodies.block]
            kind = 'solid'
            mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
            material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }}
            translate = [0, 0, 0.05]
            [bodies.upper]
            kind = 'solid'
            mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
            material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }}
            translate = [0.02, 0.01, {height}]
            [colliders.floor]
            plane = {{ offset = 0 }}"
        );
        let scene =
            load_text("two", &text, Path::new("."), &[] as &[&str]).expect("the scene is valid").scene;
        let folder = tempfile::tempdir().expect("a folder");
        let mut simulation = Simulation::new(scene)?;
        let options = stiction::RunOptions::default();
        let run = folder.path().join("run");
        stiction::run(&mut simulation, &run, &options, |_| std::ops::ControlFlow::Continue(()))
    };
    let words = start(0.149).expect_err("they cross by 1 mm").to_string();
    assert!(words.contains("upper") && words.contains("initial_contact"), "{words}");
    assert_eq!(start(0.15).expect("they touch").intersections_max, 0);
}
