//! The same scene gives the same bits on any number of threads, and in a run that was stopped and
//! resumed.

use std::ops::ControlFlow;
use std::path::Path;
use stiction::output::{RunReader, RunStatus, RunSummary};
use stiction::{RunOptions, Simulation, run};

/// Small versions of scenes that together use every kind of body and three methods; stones of a
/// falling arch are kept apart by the final filter.
const SCENES: [(&str, &[&str]); 5] = [
    (FILTERED, &["grip=low", "frames=31"]),
    ("hanging_cloth", &["frames=4", "bodies.sheet.mesh.grid.cells=[12, 12]"]),
    ("sphere_drape", &["frames=6", "bodies.cloth.mesh.grid.cells=[14, 14]"]),
    ("twisted_bar", &["frames=3"]),
    ("curly_strand", &["frames=5"]),
];

/// The scene in which the final filter has something to do.
const FILTERED: &str = "masonry_arch";

/// A scene that is there for its final filter had steps in which it acted.
fn expect_filter(name: &str, run: &Path) {
    let stats = std::fs::read_to_string(run.join("stats.jsonl")).expect("statistics");
    let counts = ["\"filter_contacts\":", "\"filter_limited_nodes\":"].map(|name| {
        stats.split(name).skip(1).filter(|rest| rest.starts_with(|c: char| ('1'..='9').contains(&c))).count()
    });
    assert!(
        name != FILTERED || counts.iter().sum::<usize>() > 3,
        "{name}: {counts:?} steps with contacts, with zones"
    );
}

/// Runs a gallery scene; stops after `stop_after` frames when asked to.
fn run_scene(
    name: &str,
    changes: &[&str],
    folder: &Path,
    resume: bool,
    stop_after: Option<u64>,
) -> RunSummary {
    let mut simulation = Simulation::open(name, None, changes).expect("the scene is valid");
    let options = RunOptions { resume, ..RunOptions::default() };
    run(&mut simulation, folder, &options, |progress| match stop_after {
        Some(frame) if progress.frame >= frame => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .expect("the scene runs")
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(work)
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (name, changes) in SCENES {
        let hashes: Vec<String> = [1, 2, 7]
            .into_iter()
            .map(|threads| {
                let folder = tempfile::tempdir().expect("a folder");
                let run = folder.path().join("run");
                let hash = on_threads(threads, || run_scene(name, changes, &run, false, None).state_hash);
                expect_filter(name, &run);
                hash
            })
            .collect();
        assert!(hashes.iter().all(|h| *h == hashes[0]), "{name}: {hashes:?}");
    }
}

#[test]
fn a_resumed_run_equals_an_uninterrupted_one() {
    for (name, changes) in SCENES {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = run_scene(name, changes, &folder.path().join("whole"), false, None);
        let parts = folder.path().join("parts");
        let stopped = run_scene(name, changes, &parts, false, Some(1));
        assert_eq!(stopped.status, RunStatus::Paused, "a stopped run is not finished");
        run_scene(name, changes, &parts, true, Some(whole.frames - 2));
        let resumed = run_scene(name, changes, &parts, true, None);
        assert_eq!(resumed.state_hash, whole.state_hash, "{name}");
        assert_eq!(resumed.steps, whole.steps, "{name}");
        assert_eq!(resumed.status, RunStatus::Finished, "{name}");
        let last = |run: &str| {
            let reader = RunReader::open(&folder.path().join(run)).expect("a run");
            reader.frame(whole.frames as u32 - 1).expect("the last frame is there")
        };
        assert_eq!(last("whole"), last("parts"), "{name}: last frame");
    }
}
