//! Runs that are killed, asked to end, out of disk, locked out of their folder or disturbed by a second
//! writer, at random moments, under every method: what `--resume` ends with equals a run that was left alone,
//! bit for bit.
//!
//! With every build a few moments are tried. The long matrix, 50 moments each, is
//! `cargo test --release -p stiction-cli --test crash_matrix -- --ignored --nocapture`; with
//! `STICTION_CRASH_RESULTS=FOLDER` it also writes the counts.

#![cfg(target_os = "linux")]

mod common;
#[path = "crash_matrix/crash.rs"]
mod crash;

use common::{Outcome, error_text, program, stiction, write_scene};
use crash::Crash;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use stiction::solvers::methods;

/// A sheet that falls on a ball, or a strand that falls on the ground for the method that only takes those.
fn scene(method: &str) -> String {
    // Steps so short that all runs take a tenth of a second or more.
    let (step, body) = match method {
        "admm_integrator" => (
            0.0005,
            "[bodies.strand]\nkind = 'rod'\n\
             mesh = { rod = { start = [0, 0, 0.03], end = [0.1, 0, 0.03], segments = 12 } }\n\
             material = { density = 1300.0, radius = 0.001, young = 1e7, poisson = 0.3 }\n\
             [colliders.ground]\nplane = { offset = 0.0 }\n",
        ),
        "descent" => (
            0.0002,
            "[bodies.box]\nkind = 'rigid'\nmass = 1.0\n\
             mesh = { box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\n\
             translate = [0, 0, 0.1]\nspin = [1, 2, 0.5]\narray = { count = [2, 2, 3], step = [0.11, 0.11, 0.12] }\n\
             [colliders.ground]\nplane = { offset = 0.0 }\n",
        ),
        _ => (
            0.004,
            "[bodies.sheet]\nkind = 'cloth'\n\
             mesh = { grid = { size = [0.2, 0.2], cells = [10, 10] } }\n\
             material = { density = 300.0, thickness = 0.001, young = 2e4, poisson = 0.3, law = 'stvk' }\n\
             translate = [0, 0, 0.06]\n\
             [colliders.ball]\nsphere = { radius = 0.05 }\n",
        ),
    };
    format!(
        "stiction = 1\nname = 'crash'\nfps = 60\nframes = 20\nstep = {step}\n\
         output = {{ checkpoint_every = 3 }}\nmethod = {{ key = '{method}' }}\n{body}"
    )
}

/// Random numbers that are the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }
}

/// Counts of one crash under one method.
#[derive(Default)]
struct Counts {
    moments: u32,
    /// How many runs ended before their end.
    interrupted: u32,
    /// How many of those had not written a frame yet.
    before_frames: u32,
}

/// A run that is left alone, and how long it takes.
struct Calm {
    outcome: Outcome,
    seconds: f64,
}

/// Runs the scene in the folder. The load of a machine changes: moments are taken from a run just before.
fn calm(folder: &Path) -> Calm {
    let started = Instant::now();
    let output = stiction(&["run", "scene.toml", "-o", "calm", "--threads", "1", "--overwrite"], folder);
    assert!(output.status.success(), "{}", error_text(&output));
    let seconds = started.elapsed().as_secs_f64();
    Calm { outcome: Outcome::of(&folder.join("calm")), seconds }
}

/// Crashes a run at so many moments; each time what a resume ends with must equal the calm run.
fn crash_at(method: &str, crash: Crash, moments: u32, folder: &Path) -> Counts {
    let calm = calm(folder);
    let mut random = Random(method.bytes().map(u64::from).sum::<u64>() + 1000 * crash as u64);
    let mut counts = Counts::default();
    for moment in 0..moments {
        let place = crash.place(folder);
        let run = place.path().join("run");
        let name = run.display().to_string();
        let case = format!("{method}, {crash:?}, moment {moment}");
        let delay = Duration::from_secs_f64(calm.seconds * random.fraction());
        let arguments = ["run", "scene.toml", "-o", &name, "--threads", "1"];
        let ended = crash.disturb(program(&arguments, folder), &run, delay, &case);
        counts.moments += 1;
        counts.interrupted += u32::from(!ended.finished);
        counts.before_frames += u32::from(!run.join("frames/000000.frame").exists());
        let resumed = stiction(&["run", "scene.toml", "-o", &name, "--threads", "1", "--resume"], folder);
        assert!(resumed.status.success(), "{case}: {}", error_text(&resumed));
        Outcome::of(&run).assert_equals(&calm.outcome, &case);
    }
    counts
}

/// All crashes under a method; returns lines of a table.
fn matrix(method: &str, moments: u32) -> String {
    let mut table = String::new();
    let folder = tempfile::tempdir().expect("a folder");
    write_scene(folder.path(), "scene.toml", &scene(method));
    for crash in Crash::ALL {
        if let Some(reason) = crash.impossible_here() {
            println!("{method}, {crash:?}: skipped, {reason}");
            continue;
        }
        let Counts { moments, interrupted, before_frames } = crash_at(method, crash, moments, folder.path());
        let line = format!("{method},{},{moments},{interrupted},{before_frames},{moments}", crash.name());
        println!("{line}");
        writeln!(table, "{line}").expect("text grows");
    }
    table
}

#[test]
fn crashed_runs_resume_to_the_same_bits() {
    for method in methods() {
        matrix(method.key, 2);
    }
}

/// The long matrix of a method; with a folder for results, its lines go to `METHOD.csv` there.
fn long_matrix(method: &str) {
    assert!(methods().iter().any(|known| known.key == method) && methods().len() == 6, "all methods");
    let table = matrix(method, 50);
    if let Some(folder) = std::env::var_os("STICTION_CRASH_RESULTS") {
        std::fs::write(Path::new(&folder).join(format!("{method}.csv")), table).expect("a file");
    }
}

mod long {
    use super::long_matrix;

    #[test]
    #[ignore = "300 crashes: several minutes"]
    fn newton() {
        long_matrix("newton");
    }

    #[test]
    #[ignore = "300 crashes: several minutes"]
    fn admm() {
        long_matrix("admm");
    }

    #[test]
    #[ignore = "300 crashes: several minutes"]
    fn admm_integrator() {
        long_matrix("admm_integrator");
    }

    #[test]
    #[ignore = "300 crashes: several minutes"]
    fn barrier() {
        long_matrix("barrier");
    }

    #[test]
    #[ignore = "300 crashes: several minutes"]
    fn pd() {
        long_matrix("pd");
    }

    #[test]
    #[ignore = "300 crashes: several minutes"]
    fn xpbd() {
        long_matrix("xpbd");
    }
}
