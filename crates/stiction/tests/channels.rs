//! What frames say in addition to positions.

use std::ops::ControlFlow;
use std::path::Path;
use stiction::output::RunReader;
use stiction::scene::load_text;
use stiction::{RunOptions, Simulation};

/// A flat sheet of 1 kg/m² at rest on a floor presses with 9.81 Pa everywhere.
#[test]
fn contact_pressure_is_force_over_area() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = "stiction = 1
        frames = 30
        step = 0.01
        wind = { air_density = 0.0 }
        method = { key = 'admm', tolerance = 1e-8, relative_tolerance = 0.0, max_iterations = 200 }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.2, 0.2], cells = [4, 4] } }
        material = { density = 1000.0, thickness = 0.001, young = 1e6, poisson = 0.3, damping_mass = 10.0 }
        translate = [0, 0, 0.0006]
        [colliders.floor]
        plane = { offset = 0 }";
    let loaded = load_text("sheet", scene, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    let run = folder.path().join("run");
    let mut simulation = Simulation::new(loaded.scene).expect("it is set up");
    let options = RunOptions::default();
    stiction::run(&mut simulation, &run, &options, |_| ControlFlow::Continue(())).expect("the scene runs");
    let reader = RunReader::open(&run).expect("a run");
    let pressure = reader.channel(30, "contact_pressure").expect("a channel");
    assert!(pressure.len() > 25, "the sheet and the floor");
    for value in &pressure[..25] {
        assert!((value / 9.81 - 1.0).abs() < 1e-3, "{pressure:?}");
    }
    // The page, the one-file page and npz ask the first frame which channels there are.
    assert_eq!(reader.channel_names(0).expect("frame 0"), reader.channel_names(30).expect("frame 30"));
    assert!(reader.channel(0, "contact_pressure").is_ok_and(|start| start.iter().all(|p| *p == 0.0)));
}
