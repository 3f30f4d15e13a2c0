//! A run folder that is taken away while a run writes to it.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use stiction::{RunOptions, Simulation, run};

const SCENE: &str = "
stiction = 1
frames = 3
method = { key = 'newton' }
[bodies.sheet]
kind = 'cloth'
material = 'cotton'
mesh = { grid = { size = [1, 1], cells = [2, 2] } }
";

#[test]
fn it_is_the_run_that_fails_not_the_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("run");
    let loaded = stiction::scene::load_text("test.toml", SCENE, Path::new("."), &[] as &[&str]);
    let scene = loaded.expect("the scene is valid").scene;
    let mut simulation = Simulation::new(scene).expect("it is set up");
    let error = run(&mut simulation, &target, &RunOptions::default(), |_| {
        fs::remove_dir_all(&target).expect("the folder is there");
        ControlFlow::Continue(())
    })
    .expect_err("nothing can be written");
    assert!(!error.is_input(), "{error}");
    assert!(error.to_string().contains("run"), "{error}");
}
