//! Real kills: a child process writes a run, is killed at odd moments, and is started again with
//! resume.

mod common;

use common::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stiction_output::{RunReader, RunStatus};

const FOLDER: &str = "STICTION_TEST_RUN_FOLDER";

/// The child: resumes what it finds and finishes if it is let. Does nothing unless the parent asks.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    resume(&folder);
}

#[test]
fn killed_runs_resume_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let started = Instant::now();
    assert!(start(&whole).wait().unwrap().success());
    let duration = started.elapsed();
    let mut halfway = 0;
    for round in 0..5 {
        let run = folder.path().join(format!("run_{round}"));
        // Moments spread over the length of a whole run: creation, frames, statistics, checkpoints.
        for attempt in 0..4 {
            kill_after(&run, duration.mul_f64((1.0 + f64::from(attempt * 5 + round)) / 25.0));
            halfway += usize::from(RunReader::open(&run).is_ok_and(|r| (1..5).contains(&r.frame_count())));
        }
        assert!(start(&run).wait().unwrap().success());
        let reader = RunReader::open(&run).unwrap();
        assert_eq!(reader.summary().unwrap().status, RunStatus::Finished);
        for name in
            ["stats.jsonl", "run.json", "frames/000000.frame", "frames/000002.frame", "frames/000004.frame"]
        {
            assert_eq!(fs::read(run.join(name)).unwrap(), fs::read(whole.join(name)).unwrap(), "{name}");
        }
    }
    println!("{halfway} of 20 kills left some but not all frames");
}

fn start(run: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env(FOLDER, run)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn kill_after(run: &Path, delay: Duration) {
    let mut child = start(run);
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
}
