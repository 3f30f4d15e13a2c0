//! Random small scenes through the program: a run ends sane, or with a clear error and its exit code.
//!
//! Outcomes that are right:
//! * exit 0: all numbers finite, nothing farther away than [`FAR`] times what sane motion can reach;
//! * exit 1: stopped, with a checkpoint, and `run.json` says why;
//! * exit 2: the input is refused by a message.
//!
//! Anything else is a mistake of ours: a panic, a crash, a hang, a state that ran away and counts as
//! done. A run that is too long for the test is ended; it must have made steps until then.

mod generator;

use generator::RandomScene;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stiction::output::{RunReader, RunStatus};

/// Scenes that every run of the tests makes, and all of them.
const FEW: u64 = 60;
const ALL: u64 = 1000;
/// Longest time of a scene.
const PATIENCE: Duration = Duration::from_secs(10);
/// Steps in that time by which a run counts as moving on.
const MOVING: usize = 100;
/// How much farther than expected bodies may get: overlaps at the start are opened within a step.
const FAR: f64 = 1e3;
/// Scenes at a time.
const WORKERS: usize = 2;

/// How a scene ended.
struct Ending {
    seed: u64,
    exit: Option<i32>,
    seconds: f64,
    extremes: Vec<String>,
    /// First line of what the program said.
    message: String,
    /// What is wrong with that, if anything.
    fault: Option<String>,
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("a child can be asked") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child can be ended");
    child.wait().expect("a child ends");
    None
}

fn run(seed: u64) -> Ending {
    let scene = RandomScene::new(seed);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("scene.toml"), &scene.text).expect("a file");
    let errors = fs::File::create(folder.path().join("errors")).expect("a file");
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", "scene.toml", "-o", "run", "--threads", "1", "--memory", "1"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .expect("the program starts");
    let status = wait(&mut child);
    let seconds = start.elapsed().as_secs_f64();
    let said = fs::read_to_string(folder.path().join("errors")).expect("text");
    let fault = match status {
        None => hang(&folder.path().join("run")),
        Some(status) => fault(status.code(), &said, &folder.path().join("run"), &scene),
    };
    let line = said.lines().rfind(|line| line.contains("error") || line.contains('×'));
    let message = line.unwrap_or_default().trim().to_owned();
    let exit = status.and_then(|status| status.code());
    Ending { seed, exit, seconds, extremes: scene.extremes, message, fault }
}

fn fault(exit: Option<i32>, said: &str, folder: &Path, scene: &RandomScene) -> Option<String> {
    if said.contains("panicked") || said.contains("bug in stiction") {
        return Some(format!("a panic: {said}"));
    }
    match exit {
        Some(0) => ran_away(folder, scene),
        Some(1) => badly_stopped(folder),
        Some(2) if said.trim().is_empty() => Some("refused without a word".to_owned()),
        Some(2) => None,
        other => Some(format!("exit {other:?}: {said}")),
    }
}

/// A run that was ended by us must have been making steps: some scenes ask for a hundred thousand.
fn hang(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("stats.jsonl")).unwrap_or_default();
    let steps = text.lines().count();
    (steps < MOVING).then(|| format!("{steps} steps after {PATIENCE:?}"))
}

/// What is wrong with a run that says that it is finished.
fn ran_away(folder: &Path, scene: &RandomScene) -> Option<String> {
    let reader = RunReader::open(folder).expect("a run");
    let frames = reader.frame_indices().to_vec();
    if frames.len() as u32 != generator::FRAMES + 1 {
        return Some(format!("{} frames", frames.len()));
    }
    let mut farthest = 0.0_f64;
    for index in frames {
        let frame = reader.frame(index).expect("a frame");
        for x in frame.positions.iter().flatten() {
            if !x.is_finite() {
                return Some(format!("a position of frame {index} is not finite"));
            }
            farthest = farthest.max(f64::from(x.abs()));
        }
    }
    let steps = reader.stats().expect("statistics");
    let unconverged = steps.iter().filter(|step| !converged(step)).count();
    let far = farthest > FAR * scene.reach;
    far.then(|| {
        format!(
            "{farthest:e} m away where {:e} m were to be expected, {unconverged} of {} steps unconverged",
            scene.reach,
            steps.len()
        )
    })
}

fn converged(step: &stiction::output::StepRecord) -> bool {
    step.extra.get("converged").and_then(serde_json::Value::as_bool).unwrap_or(true)
}

/// What is wrong with a run that stopped.
fn badly_stopped(folder: &Path) -> Option<String> {
    let reader = match RunReader::open(folder) {
        Ok(reader) => reader,
        Err(error) => return Some(format!("no run: {error}")),
    };
    let summary = reader.summary().expect("a summary");
    if summary.status != RunStatus::Failed || summary.failure.is_none() {
        return Some(format!("status {:?}, failure {:?}", summary.status, summary.failure));
    }
    let checkpoints = fs::read_dir(folder.join("checkpoint")).map_or(0, Iterator::count);
    (checkpoints == 0).then(|| "no checkpoint".to_owned())
}

fn run_all(seeds: u64) -> Vec<Ending> {
    let (next, endings) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let ending = run(seed);
                    endings.lock().expect("no worker panics").push(ending);
                }
            });
        }
    });
    let mut endings = endings.into_inner().expect("no worker panics");
    endings.sort_by_key(|ending| ending.seed);
    endings
}

fn complain(endings: &[Ending]) {
    let faults: Vec<String> = endings
        .iter()
        .filter_map(|e| Some(format!("seed {} ({}): {}", e.seed, e.extremes.join(", "), e.fault.as_ref()?)))
        .collect();
    assert!(faults.is_empty(), "{} of {} scenes:\n{}", faults.len(), endings.len(), faults.join("\n"));
}

#[test]
fn few_random_scenes_end_sane_or_with_a_clear_error() {
    complain(&run_all(FEW));
}

/// Writes what happened to `evidence/random_scenes.json` of the repository.
#[test]
#[ignore = "ten minutes"]
fn all_random_scenes_end_sane_or_with_a_clear_error() {
    let endings = run_all(ALL);
    let mut exits: BTreeMap<String, usize> = BTreeMap::new();
    for ending in &endings {
        let key = ending.exit.map_or("none".to_owned(), |code| code.to_string());
        *exits.entry(key).or_default() += 1;
    }
    let row = |e: &Ending| {
        serde_json::json!({
            "seed": e.seed, "exit": e.exit, "seconds": (e.seconds * 10.0).round() / 10.0,
            "extremes": e.extremes, "message": e.message, "fault": e.fault,
        })
    };
    let slowest = endings.iter().map(|e| e.seconds).fold(0.0, f64::max);
    let rows: Vec<_> = endings.iter().map(row).collect();
    let evidence = serde_json::json!({
        "scenes": endings.len(), "exits": exits, "slowest_seconds": slowest, "endings": rows,
        "meaning": "exit null: too long for the test, ended while it made steps",
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evidence");
    fs::create_dir_all(&folder).expect("a folder");
    let text = serde_json::to_string_pretty(&evidence).expect("plain values");
    fs::write(folder.join("random_scenes.json"), text + "\n").expect("a file");
    complain(&endings);
}

/// Prints scenes: `SEED=17 cargo test … -- --ignored --nocapture show`.
#[test]
#[ignore = "for looking at a scene"]
fn show() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let scene = RandomScene::new(seed);
    println!("{}# {:?}, reach {:e} m", scene.text, scene.extremes, scene.reach);
}
