//! A run whose step fails ends with the state before that step on disk, for every method.

use std::ops::ControlFlow;
use std::path::Path;
use stiction::checkpoint::STATE_FORMAT;
use stiction::limits::Budget;
use stiction::output::{Checkpoint, CheckpointIdentity};
use stiction::scene::{Scene, load_text};
use stiction::solvers::methods;
use stiction::{RunOptions, Simulation, SimulationError};

/// A body of a kind that the method takes, held by a pin that jumps further than numbers reach at
/// 0.085 s.
fn scene(key: &str) -> Scene {
    let body = match key {
        "admm_integrator" => {
            "kind = 'rod'
            mesh = { rod = { start = [0, 0, 0.1], end = [0.1, 0, 0.1], segments = 6 } }
            material = { density = 1300.0, radius = 0.001, young = 1e7, poisson = 0.3 }
            pins = [{ select = { indices = [0, 1] }, MOTION }]"
        }
        _ => {
            "kind = 'cloth'
            mesh = { grid = { size = [0.1, 0.1], cells = [3, 3] } }
            material = { density = 300.0, thickness = 0.001, young = 2e4, poisson = 0.3, law = 'stvk' }
            translate = [0, 0, 0.1]
            gap = 0.001
            pins = [{ select = 'left', MOTION }]"
        }
    };
    let motion = "motion = { keys = [{ time = 0.085 }, { time = 0.0899, translate = [1, 0, 0] }] }";
    let text = format!(
        "stiction = 1\nfps = 50\nframes = 10\nstep = 0.01\nmethod = {{ key = '{key}' }}\n[bodies.piece]\n{}",
        body.replace("MOTION", motion)
    );
    let loaded = load_text("jump", &text, Path::new("."), &[] as &[&str]);
    let mut scene = loaded.expect("the scene is valid").scene;
    // Scene files refuse such a place; a program can still ask for it.
    scene.bodies[0].pins[0].motion.keys[1].translation.x = 1e308;
    scene
}

#[test]
fn a_failed_run_leaves_its_last_good_state() {
    for key in methods().iter().map(|method| method.key) {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("run");
        let (mut simulation, options) =
            (Simulation::new(scene(key)).expect("a simulation"), RunOptions::default());
        let error = stiction::run(&mut simulation, &folder, &options, |_| ControlFlow::Continue(()));
        let error = error.expect_err(key);
        let SimulationError::Step { step, .. } = &error else { panic!("{key}: {error}") };
        let identity = CheckpointIdentity { scene_hash: String::new(), state_format: STATE_FORMAT };
        let found = Checkpoint::read_latest(&folder.join("checkpoint"), &identity, &Budget::default());
        let found = found.expect("a readable checkpoint").expect("a checkpoint");
        assert_eq!(found.step + 1, *step, "{key}");
        let mut twin = Simulation::new(scene(key)).expect("a simulation");
        (0..found.step).for_each(|_| drop(twin.step().expect("a good step")));
        for (name, expected) in [("blocks", &twin.state.blocks), ("velocities", &twin.state.velocities)] {
            let numbers: Vec<stiction::numerics::Vec3> = found.sections.vec3s(name).expect("an array");
            assert!(numbers.iter().flatten().all(|c| c.is_finite()), "{key}: {name} of {error}");
            assert_eq!(&numbers, expected, "{key}: {name}");
        }
        assert!(stiction::checkpoint::save(&twin) == found.sections, "{key}: memory of the method");
    }
}
