//! What tests of the command line share: starting the program, small scenes, and runs to compare.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use stiction::output::{RunReader, RunStatus, RunSummary, StepRecord};

/// Runs the program in a folder to its end.
pub fn stiction(arguments: &[&str], folder: &Path) -> Output {
    program(arguments, folder).output().expect("the program starts")
}

/// The program with arguments, in a folder, not started yet.
pub fn program(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(arguments).current_dir(folder);
    command
}

/// Starts the program without waiting for it.
pub fn start(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

pub fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A small scene with a place for changes.
pub fn scene(extra: &str) -> String {
    format!(
        "stiction = 1\nname = \"small\"\nfps = 30\nframes = 3\nstep = 0.02\n[method]\nkey = \"newton\"\n\
         [bodies.cloth]\nkind = \"cloth\"\nmaterial = \"cotton\"\n\
         mesh = {{ grid = {{ size = [1, 1], cells = [6, 6] }} }}\n\
         [[bodies.cloth.pins]]\nselect = \"left\"\n{extra}"
    )
}

/// Sends a signal by name, such as `TERM`.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    // The program may have ended before.
    let _ = sent.expect("`kill` can be started");
}

/// Everything of a run that must not depend on what happened to it.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    state_hash: String,
    steps: u64,
    frames: Vec<stiction::output::Frame>,
    records: Vec<StepRecord>,
    totals: stiction::output::RunTotals,
}

impl Outcome {
    /// Reads a finished run, frame by frame.
    pub fn of(folder: &Path) -> Outcome {
        let reader = RunReader::open(folder).expect("a run");
        let summary: RunSummary = reader.summary().expect("a summary");
        assert_eq!(summary.status, RunStatus::Finished, "{}", folder.display());
        assert_eq!(reader.damage().expect("a folder that can be read"), Vec::<String>::new());
        let frames = (0..reader.frame_span()).map(|index| reader.frame(index).expect("a frame"));
        let mut records = reader.stats().expect("statistics");
        for record in &mut records {
            // Times of the clock differ between any two runs, and a resumed one factors its matrix
            // again.
            record.seconds.clear();
            record.extra.remove("factorisations");
        }
        Outcome {
            state_hash: summary.state_hash.clone(),
            steps: summary.steps,
            frames: frames.collect(),
            records,
            totals: summary.totals(),
        }
    }
}

impl Outcome {
    /// Fails with the first difference.
    pub fn assert_equals(&self, calm: &Outcome, case: &str) {
        assert_eq!(self.state_hash, calm.state_hash, "{case}: last state");
        assert_eq!((self.steps, self.totals), (calm.steps, calm.totals), "{case}: totals");
        assert!(self.frames == calm.frames, "{case}: frames");
        for (found, expected) in self.records.iter().zip(&calm.records) {
            assert_eq!(found, expected, "{case}: statistics");
        }
        assert_eq!(self.records.len(), calm.records.len(), "{case}: number of records");
    }
}

/// Writes a scene file.
pub fn write_scene(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}
