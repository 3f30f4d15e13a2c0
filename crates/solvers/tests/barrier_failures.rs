//! How steps of method `barrier` fail: typed, with names, and with the state as it was.

mod common;

use common::Run;
use stiction_solvers::{Obstacle, Script, StepError, StepReport, World};

fn counter(report: &StepReport, name: &str) -> f64 {
    let found = report.counters.iter().find(|(key, _)| *key == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", report.counters)).1
}

fn try_step(run: &mut Run, h: f64) -> Result<StepReport, StepError> {
    let world = World { model: &run.model, parameters: &run.parameters };
    run.solver.step(world, &mut run.state, h)
}

/// The error of the step that fails, with the state as it was before it.
fn failure(run: &mut Run, h: f64, steps: usize) -> StepError {
    for _ in 0..steps {
        let before = run.state.clone();
        if let Err(error) = try_step(run, h) {
            assert_eq!(run.state, before, "{error}");
            return error;
        }
    }
    panic!("all {steps} steps were made");
}

/// A sheet of a stiffness \[Pa\] held at one edge, with one iteration of conjugate gradients.
fn hurried(young: f64, linear: &str, gravity: &str) -> Run {
    Run::new(&format!(
        "stiction = 1
        gravity = {gravity}
        method = {{ key = 'barrier', linear = '{linear}', pcg_iterations = 1 }}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.3, 0.3], cells = [10, 10], pattern = 'alternating' }} }}
        material = {{ density = 200.0, thickness = 0.0005, young = {young:e}, poisson = 0.3 }}
        gap = 0.001
        pins = [{{ select = 'left' }}]"
    ))
}

/// Gravity that bends the sheet, and one that stretches it \[m/s²\].
const ACROSS: &str = "[0.0, 0.0, -9.81]";
const ALONG: &str = "[9.81, 0.0, 0.0]";

/// Conjugate gradients that run out of iterations leave the system to a factorisation.
#[test]
fn a_solve_that_runs_out_of_iterations_goes_direct() {
    let report = hurried(1e9, "auto", ALONG).step(0.01);
    assert!(counter(&report, "direct_solves") > 0.0, "{:?}", report.counters);
    assert!(counter(&report, "retries") == 0.0 && counter(&report, "pcg_unconverged") == 0.0);
    assert_eq!(report.advanced, 0.01);
}

/// Where they are asked for alone, a smaller step makes a soft sheet easy enough.
#[test]
fn a_solve_that_cannot_be_used_is_tried_with_a_smaller_step() {
    let report = hurried(1e4, "pcg", ACROSS).step(0.01);
    assert!(counter(&report, "retries") > 0.0, "{:?}", report.counters);
    assert!(report.advanced > 0.0 && report.advanced < 0.01, "{}", report.advanced);
}

/// A stiff one stays too hard: the error says what is left and what to change.
#[test]
fn a_solve_that_never_gets_there_is_an_error() {
    let error = failure(&mut hurried(1e9, "pcg", ALONG), 0.01, 1);
    let StepError::Unsolved { iterations: 1, residual, usable } = error else { panic!("{error:?}") };
    assert!(residual > usable, "{error}");
    assert!(error.to_string().contains("pcg_iterations"), "{error}");
}

/// A sheet 1 mm thick on a floor, and a plate that comes down on it: below 1 mm there is no room.
#[test]
fn a_collider_that_squeezes_a_body_is_named() {
    let mut run = Run::new(
        "stiction = 1
        method = { key = 'barrier' }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } }
        material = { density = 300.0, thickness = 0.001, young = 1e5, poisson = 0.3 }
        translate = [0, 0, 0.002]
        gap = 0.001
        [colliders.floor]
        plane = { offset = 0 }
        gap = 0.001
        [colliders.plate]
        box = { centre = [0, 0, 0.02], size = [0.3, 0.3, 0.02] }
        gap = 0.001
        motion = { velocity = [0, 0, -0.21] }",
    );
    let error = failure(&mut run, 0.005, 30);
    let StepError::Infeasible { scripts, obstacle, .. } = &error else { panic!("{error:?}") };
    assert_eq!(scripts[..], [Script::Collider { name: "plate".to_owned() }], "{error}");
    let Obstacle::Pair { objects, .. } = obstacle.as_ref() else { panic!("{error}") };
    assert!(objects.contains(&"sheet".to_owned()), "{error}");
    assert!(error.to_string().contains("collider `plate`"), "{error}");
    // The plate starts 10 mm above the floor and the sheet is 1 mm thick: 42.9 ms, within a step.
    assert!(run.state.time > 0.03 && run.state.time < 0.009 / 0.21, "at {} s", run.state.time);
}

/// A pin that pulls cloth beyond its strain limit.
#[test]
fn a_pin_that_stretches_too_far_is_named() {
    let mut run = Run::new(
        "stiction = 1
        method = { key = 'barrier' }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } }
        material = { density = 300.0, thickness = 0.001, young = 1e4, poisson = 0.3, strain_limit = 0.05 }
        gap = 0.001
        [[bodies.sheet.pins]]
        select = 'left'
        [[bodies.sheet.pins]]
        select = 'right'
        motion = { velocity = [0.1, 0, 0] }",
    );
    let error = failure(&mut run, 0.005, 30);
    let StepError::Infeasible { scripts, obstacle, .. } = &error else { panic!("{error:?}") };
    assert_eq!(scripts[..], [Script::Pin { body: "sheet".to_owned(), number: 1 }], "{error}");
    assert!(matches!(obstacle.as_ref(), Obstacle::StrainLimit { body, .. } if body == "sheet"), "{error}");
    assert!(error.to_string().contains("strain limit of `sheet`"), "{error}");
    // 5 % of 10 cm at 10 cm/s.
    assert!(run.state.time > 0.03 && run.state.time < 0.05, "at {} s", run.state.time);
}
