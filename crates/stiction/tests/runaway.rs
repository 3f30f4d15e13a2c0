//! Runs whose state runs away stop before it, whatever the method.

use std::ops::ControlFlow;
use std::path::Path;
use stiction::bodies::{Changed, State};
use stiction::checkpoint::STATE_FORMAT;
use stiction::limits::Budget;
use stiction::numerics::Vec3;
use stiction::output::{Checkpoint, CheckpointIdentity, RunReader, RunStatus};
use stiction::scene::{Scene, load_text};
use stiction::solvers::{
    MethodError, RestoreError, SavedState, Solver, StepError, StepReport, World, commit,
};
use stiction::{RunOptions, Simulation, SimulationError};

fn scene(text: &str) -> Scene {
    let text = format!("stiction = 1\n{text}");
    load_text("test.toml", &text, Path::new("."), &[] as &[&str]).unwrap_or_else(|e| panic!("{e}")).scene
}

const SHEET: &str = "fps = 50
    frames = 40
    method = { key = 'newton' }
    [bodies.sheet]
    kind = 'cloth'
    mesh = { grid = { size = [0.1, 0.1], cells = [3, 3] } }
    material = { density = 300.0, thickness = 0.001, young = 2e4, poisson = 0.3 }
    translate = [0, 0, 0.5]
";

/// A method that diverges: every step makes all speeds larger by a factor.
struct Diverging {
    factor: f64,
    converged: bool,
}

impl Solver for Diverging {
    fn key(&self) -> &'static str {
        "diverging"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let velocities: Vec<Vec3> = state.velocities.iter().map(|v| v * self.factor).collect();
        let blocks = state.blocks.iter().zip(&velocities).map(|(x, v)| x + v * h).collect();
        let end = commit::EndOfStep { blocks, velocities: commit::EndVelocities::Mean, h };
        let next = commit::next_state(world, state, end);
        commit::commit(world, &next, state)?;
        Ok(StepReport { advanced: h, converged: self.converged, ..StepReport::default() })
    }

    fn parameters_changed(&mut self, _: World<'_>, _: &Changed) -> Result<(), MethodError> {
        Ok(())
    }

    fn save(&self) -> SavedState {
        SavedState::new(1)
    }

    fn restore(&mut self, _: &SavedState) -> Result<(), RestoreError> {
        Ok(())
    }

    fn reset(&mut self) {}
}

fn diverging(factor: f64, converged: bool) -> Simulation {
    let text = format!("{SHEET}    velocity = [1, 0, 0]");
    Simulation::with_solver(scene(&text), |_| Ok(Box::new(Diverging { factor, converged })))
        .expect("a simulation")
}

fn run(simulation: &mut Simulation, folder: &Path, resume: bool) -> Result<(), SimulationError> {
    let options = RunOptions { resume, ..RunOptions::default() };
    stiction::run(simulation, folder, &options, |_| ControlFlow::Continue(())).map(drop)
}

/// The run stops with the last state below the limit in its checkpoint; the folder says why. Resumed,
/// it stops at the same step: the budget is part of the checkpoint.
#[test]
fn a_run_that_diverges_stops_with_a_sane_checkpoint() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("run");
    let error = run(&mut diverging(2.0, true), &folder, false).expect_err("it diverges");
    assert!(!error.is_input());
    let SimulationError::Step { step, source: StepError::RanAway { name, speed, most, cause, .. }, .. } =
        &error
    else {
        panic!("{error}")
    };
    assert!(name == "sheet" && speed > most && !cause.is_empty(), "{error}");
    let summary = RunReader::open(&folder).expect("a run").summary().expect("a summary");
    assert_eq!(summary.status, RunStatus::Failed);
    assert!(summary.failure.is_some_and(|text| text.contains("`sheet` runs away")));
    let identity = CheckpointIdentity { scene_hash: String::new(), state_format: STATE_FORMAT };
    let found = Checkpoint::read_latest(&folder.join("checkpoint"), &identity, &Budget::default());
    let found = found.expect("a readable checkpoint").expect("a checkpoint");
    assert_eq!(found.step + 1, *step);
    let speeds: Vec<Vec3> = found.sections.vec3s("velocities").expect("an array");
    assert!(speeds.iter().all(|v| v.norm() <= *most), "{most}");
    let again = run(&mut diverging(2.0, true), &folder, true).expect_err("it still diverges");
    assert_eq!(again.to_string(), error.to_string());
}

/// Speeds of 5 to 10 times what is expected pass in steps that converge, not where none does.
#[test]
fn steps_that_never_converge_have_less_credit() {
    let last = |converged: bool| {
        let mut simulation = diverging(1.08, converged);
        let made = (0..200).find(|_| simulation.step().is_err()).expect("it diverges");
        (made, simulation.state.velocities[0].norm())
    };
    let ((with, fast), (without, slow)) = (last(true), last(false));
    assert!(without < with && 2.0 * slow < fast, "{without} {with}: {slow} {fast} m/s");
}

/// The caller may change the state: what it starts from then is its own affair.
#[test]
fn a_state_that_the_caller_sets_is_a_new_start() {
    let mut simulation = diverging(1.0, true);
    (0..3).for_each(|_| drop(simulation.step().expect("a good step")));
    simulation.state.velocities.iter_mut().for_each(|v| *v *= 1e4);
    (0..3).for_each(|_| drop(simulation.step().expect("still a good step")));
}
