//! Runs of method `barrier`: a start that it refuses removes nothing, and frames fall on multiples
//! of 1/fps under both policies.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::scene::{Scene, load_text};
use stiction::{RunOptions, Simulation, SimulationError};

/// A block at a height over a floor, the lower face of which is 5 cm below.
fn block(height: f64) -> Scene {
    let text = format!(
        "stiction = 1
        fps = 100
        frames = 2
        method = {{ key = 'barrier' }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }}
        translate = [0, 0, {height}]
        [colliders.floor]
        plane = {{ offset = 0 }}"
    );
    load_text("block", &text, Path::new("."), &[] as &[&str]).expect("the scene is valid").scene
}

/// All files below a folder with what they hold.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => out.extend(contents(&path)),
            false => drop(out.insert(path.clone(), std::fs::read(&path).expect("a file"))),
        }
    }
    out
}

#[test]
fn a_start_that_is_refused_leaves_the_old_run() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("run");
    let run = |height: f64| {
        let options = RunOptions { overwrite: true, ..Default::default() };
        let mut simulation = Simulation::new(block(height))?;
        stiction::run(&mut simulation, &folder, &options, |_| ControlFlow::Continue(()))
    };
    run(0.06).expect("a first run");
    let before = contents(&folder);
    assert!(before.len() > 3, "{:?}", before.keys());
    let error = run(0.04).expect_err("the block is in the floor");
    assert!(matches!(error, SimulationError::Start(_)) && error.is_input(), "{error}");
    assert!(error.to_string().contains("`block`") && error.to_string().contains("`floor`"), "{error}");
    assert!(contents(&folder) == before, "the old run is as it was");
    assert!(run(0.07).is_ok() && contents(&folder) != before, "a good start replaces it");
}

/// A ball rises into a sheet: steps are shortened, frames still fall where they should.
#[test]
fn frames_fall_on_multiples_of_their_time_when_steps_are_shortened() {
    let text = "stiction = 1
        fps = 60
        step = 0.01
        method = { key = 'barrier', complete = false }
        [bodies.cloth]
        kind = 'cloth'
        mesh = { grid = { size = [0.3, 0.3], cells = [8, 8], pattern = 'alternating' } }
        material = { preset = 'cotton' }
        gap = 0.002
        pins = [{ select = 'left' }, { select = 'right' }]
        [colliders.ball]
        sphere = { centre = [0.013, 0.007, -0.055], radius = 0.05 }
        gap = 0.002
        motion = { velocity = [0, 0, 0.6] }";
    let scene = load_text("ball", text, Path::new("."), &[] as &[&str]).expect("the scene is valid").scene;
    let mut simulation = Simulation::new(scene).expect("it is set up");
    let mut shortened = 0;
    for frame in 1..=12_u32 {
        let reports = simulation.advance_frame().expect("a frame");
        let sum: f64 = reports.iter().map(|r| r.advanced).sum();
        assert!((sum * 60.0 - 1.0).abs() < 1e-6, "steps of frame {frame} take {sum} s");
        assert_eq!(simulation.state.time, f64::from(frame) / 60.0);
        let beta = |r: &stiction::solvers::StepReport| {
            r.counters.iter().any(|(name, value)| *name == "beta" && *value < 1.0)
        };
        shortened += reports.iter().filter(|r| beta(r)).count();
    }
    println!("{shortened} steps were shortened");
    assert!(shortened > 0);
}
