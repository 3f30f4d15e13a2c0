//! The library as a host program uses it: scenes by name, own solvers, own threads, steps off the
//! clock.

use std::ops::ControlFlow;
use std::path::Path;
use stiction::bodies::State;
use stiction::numerics::Vec3;
use stiction::output::RunReader;
use stiction::scene::{Scene, load_text};
use stiction::solvers::{RestoreError, SavedState, Solver, StepError, StepReport, World};
use stiction::{Job, OpenedScene, RunOptions, Simulation, SimulationError, Threads};

const NONE: &[&str] = &[];

const SHEET: &str = "stiction = 1
    fps = 10
    frames = 3
    step = 0.05
    wind = { air_density = 0.0 }
    method = { key = 'newton' }
    [bodies.sheet]
    kind = 'cloth'
    material = 'cotton'
    mesh = { grid = { size = [1, 1], cells = [4, 4] } }
    pins = [{ select = 'left' }]";

fn sheet() -> Scene {
    load_text("sheet.toml", SHEET, Path::new("."), NONE).expect("the scene is valid").scene
}

#[test]
fn scenes_open_by_name_and_by_path_with_changes() {
    let changes = ["frames=7", "bodies.cloth.mesh.grid.cells=[6, 6]"];
    let simulation = Simulation::open("sphere_drape", Some("pd"), &changes).expect("a gallery scene");
    assert_eq!((simulation.method(), simulation.settings().frames), ("pd", 7));
    assert_eq!(simulation.model.bodies[0].nodes.len(), 49);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, SHEET).expect("a file");
    let simulation = Simulation::open(file.to_str().expect("UTF-8"), None, NONE).expect("a scene file");
    assert_eq!((simulation.method(), simulation.settings().name.as_str()), ("newton", "mine"));
}

#[test]
fn errors_keep_file_line_object_and_fix() {
    let text = |name: &str, method: Option<&str>, changes: &[&str]| {
        Simulation::open(name, method, changes).err().expect("it is refused")
    };
    let unknown = text("sphere_drap", None, NONE);
    assert!(unknown.is_input() && unknown.to_string().contains("did you mean `sphere_drape`?"), "{unknown}");
    let misspelt = text("sphere_drape", None, &["bodies.cloth.frictoin=0.1"]);
    let SimulationError::Scene(misspelt) = misspelt else { panic!("{misspelt}") };
    assert!(misspelt.object().contains("frictoin") && misspelt.fix().contains("friction"), "{misspelt}");
    // What a method says of its options is shown at their place in the file.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    let wrong = SHEET.replace("key = 'newton'", "key = 'newton', max_iterations = 0");
    std::fs::write(&file, wrong).expect("a file");
    let option = text(file.to_str().expect("UTF-8"), None, NONE);
    let SimulationError::Scene(option) = option else { panic!("{option}") };
    assert_eq!((option.line(), option.object()), (Some(6), "method.max_iterations"), "{option}");
    assert!(option.file().ends_with("mine.toml") && option.fix().contains("methods newton"), "{option}");
}

#[test]
fn notes_say_what_the_method_ignores() {
    let simulation = Simulation::open("sphere_drape", Some("newton"), NONE).expect("a gallery scene");
    assert!(simulation.notes().iter().any(|note| note.contains("contact")), "{:?}", simulation.notes());
    let job = Job::new(
        OpenedScene::open("sphere_drape", Some("newton"), NONE).expect("one"),
        None,
        RunOptions::default(),
    );
    assert_eq!(job.notes(), simulation.notes());
    assert_eq!(job.folder, Path::new("runs/sphere_drape"));
}

/// Steps off the clock count the frames that they pass, and steps on it go on to the next one.
#[test]
fn steps_of_own_length_pass_frames_and_the_clock_goes_on() {
    let mut simulation = Simulation::new(sheet()).expect("it is set up");
    let moments = [(0.03, 0.03, 0), (0.07, 0.1, 1), (0.025, 0.125, 1), (0.2, 0.325, 3)];
    for (h, time, frames) in moments {
        let report = simulation.step_by(h).expect("a step");
        assert!((report.advanced - h).abs() < 1e-15);
        assert!((simulation.state.time - time).abs() < 1e-12, "{} s", simulation.state.time);
        assert_eq!(simulation.frames, frames, "at {time} s");
    }
    assert_eq!(simulation.steps, 4);
    // 75 ms are left to frame 4: two steps no longer than 50 ms.
    let reports = simulation.advance_frame().expect("a frame");
    assert_eq!((reports.len(), simulation.frames, simulation.state.time), (2, 4, 0.4));
    for h in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let error = simulation.step_by(h).expect_err("no step");
        assert!(error.is_input() && error.to_string().contains("positive"), "{error}");
    }
    assert_eq!(simulation.state.time, 0.4);
}

#[test]
fn a_step_of_the_clocks_length_is_the_clocks_step() {
    let (mut by_clock, mut by_hand) =
        (Simulation::new(sheet()).expect("one"), Simulation::new(sheet()).expect("another"));
    for _ in 0..4 {
        let h = by_clock.step().expect("a step").advanced;
        by_hand.step_by(h).expect("a step");
        assert_eq!((&by_clock.state, by_clock.frames), (&by_hand.state, by_hand.frames));
    }
}

#[test]
fn threads_of_its_own_change_no_bit() {
    let start = || Simulation::open("sphere_drape", None, &["bodies.cloth.mesh.grid.cells=[12, 12]"]);
    let mut alone = start().expect("one");
    let mut others = [start().expect("one").with_threads(1), start().expect("one").with_threads(3)]
        .map(|simulation| simulation.expect("threads"));
    assert_eq!(others.each_ref().map(|s| s.threads().count()), [1, 3]);
    let shared = Threads::new(Some(2)).expect("threads");
    let mut pair = [start().expect("one").on(shared.clone()), start().expect("one").on(shared)];
    for _ in 0..3 {
        alone.step().expect("a step");
        for simulation in others.iter_mut().chain(&mut pair) {
            simulation.step().expect("a step");
            assert_eq!(simulation.check_intersections().expect("a check").intersections(), 0);
            assert_eq!(simulation.state, alone.state);
        }
    }
    let none = start().expect("one").with_threads(0).err().expect("no threads");
    assert!(none.is_input() && none.to_string().contains("at least 1"), "{none}");
}

/// Points that fly: what a solver must be, and no more.
struct Flight {
    steps: u64,
}

impl Solver for Flight {
    fn key(&self) -> &'static str {
        "flight"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        for n in 0..world.model.nodes {
            state.velocities[n] += Vec3::new(0.0, 0.0, -9.81) * h;
            state.blocks[n] += state.velocities[n] * h;
        }
        state.time += h;
        self.steps += 1;
        Ok(StepReport { advanced: h, converged: true, iterations: 1, ..StepReport::default() })
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(1);
        saved.keys.insert("steps".to_owned(), vec![self.steps]);
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)?;
        self.steps = saved.keys("steps")?.first().copied().unwrap_or(0);
        Ok(())
    }

    fn reset(&mut self) {
        self.steps = 0;
    }
}

#[test]
fn a_solver_of_ones_own_steps_and_runs_and_resumes() {
    let start = || {
        Simulation::with_solver(sheet(), |world| {
            assert_eq!(world.model.nodes, 25);
            Ok(Box::new(Flight { steps: 0 }))
        })
        .expect("it is set up")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    let options = RunOptions::default();
    let summary =
        stiction::run(&mut start(), &whole, &options, |_| ControlFlow::Continue(())).expect("a run");
    assert_eq!((summary.method.as_str(), summary.frames, summary.steps), ("flight", 4, 6));
    // z = −g h² n(n + 1)/2 after n steps.
    let reader = RunReader::open(&whole).expect("a run");
    let z = reader.frame(3).expect("a frame").positions[0][2];
    assert!((f64::from(z) + 9.81 * 0.05 * 0.05 * 21.0).abs() < 1e-6, "{z}");
    // Stopped after a frame and resumed by another simulation.
    let parts = folder.path().join("parts");
    stiction::run(&mut start(), &parts, &options, |_| ControlFlow::Break(())).expect("a part");
    let options = RunOptions { resume: true, ..options };
    let resumed =
        stiction::run(&mut start(), &parts, &options, |_| ControlFlow::Continue(())).expect("the rest");
    assert_eq!((resumed.state_hash, resumed.steps), (summary.state_hash, summary.steps));
}

/// A run that is stopped between two checkpoints of its schedule loses nothing.
#[test]
fn a_stopped_run_leaves_a_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = || {
        let loaded =
            load_text("sheet.toml", SHEET, Path::new("."), &["output.checkpoint_every=100", "frames=6"]);
        Simulation::of(OpenedScene::from_loaded("sheet", loaded.expect("valid"))).expect("it is set up")
    };
    let run = folder.path().join("run");
    let stop = |at: u64| {
        move |p: stiction::RunProgress<'_>| match p.frame == at {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    stiction::run(&mut scene(), &run, &RunOptions::default(), stop(2)).expect("a part");
    let mut resumed = scene();
    let options = RunOptions { resume: true, ..RunOptions::default() };
    let mut first = None;
    stiction::run(&mut resumed, &run, &options, |p| {
        first.get_or_insert(p.frame);
        ControlFlow::Continue(())
    })
    .expect("the rest");
    assert_eq!(first, Some(3), "the run goes on where it was stopped");
}
