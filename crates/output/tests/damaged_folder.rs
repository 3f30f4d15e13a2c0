//! Damage of any file of a run folder: noticed by every reader, told with a cure, and mended by a resume.

mod common;

use common::*;
use std::fs;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::{
    ExportOptions, Format, Layout, OutputError, RunId, RunReader, RunStatus, RunWriter, export,
};

/// Two folders with the same run: one to damage, one to compare with.
struct Pair {
    parent: tempfile::TempDir,
}

impl Pair {
    fn new() -> Self {
        let pair = Self { parent: tempfile::tempdir().unwrap() };
        write_run(&pair.run());
        write_run(&pair.whole());
        pair
    }

    fn run(&self) -> std::path::PathBuf {
        self.parent.path().join("run")
    }

    fn whole(&self) -> std::path::PathBuf {
        self.parent.path().join("whole")
    }

    /// Resumes the damaged run and compares all its frames and totals with those of the other.
    fn resumes_to_the_same(&self, case: &str) {
        resume(&self.run());
        let (run, whole) = (open(&self.run()), open(&self.whole()));
        assert_eq!(run.frame_span(), FRAMES, "{case}");
        for index in 0..FRAMES {
            assert_eq!(run.frame(index).unwrap(), whole.frame(index).unwrap(), "{case}");
        }
        let (summary, expected) = (run.summary().unwrap(), whole.summary().unwrap());
        assert_eq!(summary.status, RunStatus::Finished);
        assert_eq!((summary.steps, summary.totals()), (expected.steps, expected.totals()), "{case}");
    }
}

fn open(folder: &Path) -> RunReader {
    RunReader::open(folder).unwrap()
}

fn frame_path(folder: &Path, index: u32) -> std::path::PathBuf {
    folder.join(format!("frames/{index:06}.frame"))
}

/// Changes one byte in the middle of a file.
fn flip_byte(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path, bytes).unwrap();
}

/// A frame of the same scene and number from another run.
fn foreign_frame(index: u32) -> Vec<u8> {
    let layout = Layout { run_id: RunId::from_number(99), ..layout() };
    frame(&layout, index).to_bytes(&layout).unwrap()
}

/// What can happen to frame 2, and a word of what readers then say.
fn spoil(run: &Path, case: &str) -> &'static str {
    let path = frame_path(run, 2);
    match case {
        "changed" => {
            flip_byte(&path);
            "checksum"
        }
        "missing" => {
            fs::remove_file(&path).unwrap();
            "missing"
        }
        "swapped" => {
            let (second, third) = (fs::read(&path).unwrap(), fs::read(frame_path(run, 3)).unwrap());
            fs::write(&path, third).unwrap();
            fs::write(frame_path(run, 3), second).unwrap();
            "it holds frame 3 under the name of frame 2"
        }
        "foreign" => {
            fs::write(&path, foreign_frame(2)).unwrap();
            "it belongs to run 0000000000000063"
        }
        _ => {
            let mut old = frame(&layout(), 2).to_bytes(&layout()).unwrap();
            old[8] = 1;
            fs::write(&path, old).unwrap();
            "checksum"
        }
    }
}

const CASES: [&str; 5] = ["changed", "missing", "swapped", "foreign", "of format 1"];

#[test]
fn spoiled_frames_are_noticed_by_every_reader_and_remade_by_a_resume() {
    for case in CASES {
        let pair = Pair::new();
        let word = spoil(&pair.run(), case);
        let reader = open(&pair.run());
        let errors = [
            reader.frame(2).map(|_| ()).unwrap_err(),
            reader.positions(2).map(|_| ()).unwrap_err(),
            export(&reader, Format::Npz, &pair.parent.path().join("a.npz"), &ExportOptions::default())
                .map(|_| ())
                .unwrap_err(),
        ];
        for error in errors {
            let text = error.to_string();
            assert!(text.contains(word), "{case}: {text}");
        }
        let error = reader.frame(2).unwrap_err();
        assert!(matches!(error, OutputError::BadFrame { from: Some(0), .. }), "{case}: {error}");
        let damage = reader.damage().unwrap().join("\n");
        assert!(case == "changed" || damage.contains(word), "{case}: {damage}");
        assert!(!pair.parent.path().join("a.npz").exists(), "{case}: half an export");
        pair.resumes_to_the_same(case);
        let notes = open(&pair.run()).summary().unwrap().notes.join("\n");
        assert!(notes.contains("frame 2 could not be used"), "{case}: {notes}");
    }
}

/// The two newest checkpoints are of frames 3 and 4: a damaged frame 4 is remade from the one before it.
#[test]
fn a_late_frame_is_remade_from_the_checkpoint_before_it() {
    let pair = Pair::new();
    flip_byte(&frame_path(&pair.run(), 4));
    let text = open(&pair.run()).frame(4).unwrap_err().to_string();
    assert!(text.contains("--resume computes it again from frame 3"), "{text}");
    let (writer, point) = open_to_resume(&pair.run()).unwrap();
    assert_eq!(point.checkpoint.as_ref().unwrap().frames, 4);
    drop(writer);
    pair.resumes_to_the_same("late");
}

#[test]
fn a_missing_last_frame_is_noticed() {
    let pair = Pair::new();
    fs::remove_file(frame_path(&pair.run(), 4)).unwrap();
    let reader = open(&pair.run());
    assert!(matches!(reader.frame(4), Err(OutputError::BadFrame { .. })));
    assert_eq!(reader.damage().unwrap().len(), 1);
    assert!(matches!(reader.frame(5), Err(OutputError::NoSuchFrame { .. })));
    pair.resumes_to_the_same("last");
}

/// Any changed byte of the readable files is noticed; a resume writes them again.
#[test]
fn changed_bytes_of_the_readable_files_are_noticed() {
    for name in ["frames/layout.json", "frames/layout.bin", "run.json"] {
        let pair = Pair::new();
        let path = pair.run().join(name);
        let whole = fs::read(&path).unwrap();
        // The first bytes tell that the file is one of a run.
        for at in (20..whole.len() - 1).step_by(37) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            let outcome = RunReader::open(&pair.run()).and_then(|reader| reader.summary());
            let error = outcome.expect_err(&format!("{name}, byte {at}"));
            assert!(error.to_string().contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
        }
        pair.resumes_to_the_same(name);
    }
}

/// The layout of another run would show these frames in its shape.
#[test]
fn a_layout_of_another_run_is_noticed() {
    let pair = Pair::new();
    let other = pair.parent.path().join("other");
    let summary = stiction_output::RunSummary { run_id: RunId::from_number(99), ..summary() };
    drop(RunWriter::create(&other, layout(), summary).unwrap());
    for name in ["layout.json", "layout.bin"] {
        fs::copy(other.join("frames").join(name), pair.run().join("frames").join(name)).unwrap();
        let error = RunReader::open(&pair.run()).unwrap_err();
        assert!(error.to_string().contains("another run"), "{name}: {error}");
    }
    pair.resumes_to_the_same("layout");
}

/// One changed byte in line 1 costs the record of step 1: the others stay, the totals stay, and it is told.
#[test]
fn damaged_statistics_lose_one_step_and_say_so() {
    let pair = Pair::new();
    let path = pair.run().join("stats.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes[30] ^= 1;
    fs::write(&path, bytes).unwrap();
    let reader = open(&pair.run());
    assert_eq!(reader.stats().unwrap().len(), 7);
    let told = reader.damage().unwrap().join("\n");
    assert!(told.contains("records of step 1; damaged lines: 1"), "{told}");
    for _ in 0..2 {
        pair.resumes_to_the_same("statistics");
    }
    let reader = open(&pair.run());
    assert_eq!(reader.stats().unwrap(), (2..=8).map(record).collect::<Vec<_>>());
    let lost = vec!["stats.jsonl lacks the records of step 1".to_owned()];
    assert_eq!(reader.summary().unwrap().notes, lost, "the loss is kept on record, once");
    assert_eq!(reader.damage().unwrap(), lost, "and still to be seen");
    fs::remove_file(&path).unwrap();
    let told = open(&pair.run()).damage().unwrap().join("\n");
    assert!(told.contains("records of steps 1 to 8"), "{told}");
}

/// A folder of format 1, from the files of that format that readers are tested with.
fn write_old_run(run: &Path) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    fs::create_dir_all(run.join("frames")).unwrap();
    let both = fs::read(corpus.join("layout/five_bodies.json_bin")).unwrap();
    let zero = both.iter().position(|b| *b == 0).unwrap();
    fs::write(run.join("frames/layout.json"), &both[..zero]).unwrap();
    fs::write(run.join("frames/layout.bin"), &both[zero + 1..]).unwrap();
    let bytes = fs::read(corpus.join("frame/first.frame")).unwrap();
    for index in 0..2_u8 {
        let mut bytes = bytes.clone();
        // The head is the first block, and stored as it is: its first byte is the number of the frame.
        let table = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
        bytes[32 + table] = index;
        stiction_output::container::repair_checksums(&mut bytes);
        fs::write(frame_path(run, u32::from(index)), bytes).unwrap();
    }
    fs::copy(corpus.join("stats/three.jsonl"), run.join("stats.jsonl")).unwrap();
    let summary =
        "{\n  \"scene\": \"old\",\n  \"status\": \"finished\",\n  \"frames\": 2,\n  \"steps\": 3\n}\n";
    fs::write(run.join("run.json"), summary).unwrap();
}

/// What a folder of format 1 holds is read as ever, and it is not continued.
#[test]
fn runs_of_format_1_are_read_and_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    write_old_run(&run);
    let reader = open(&run);
    assert_eq!(reader.layout(), &layout());
    assert_eq!(reader.stats().unwrap().len(), 3);
    assert_eq!(reader.damage().unwrap(), Vec::<String>::new());
    assert_eq!(reader.frame(1).unwrap().positions.len(), layout().vertex_count());
    fs::remove_file(frame_path(&run, 1)).unwrap();
    let text = open(&run).frame(1).unwrap_err().to_string();
    assert!(text.contains("missing") && text.contains("run the scene again"), "{text}");
    let error = open_to_resume(&run).err().unwrap();
    assert!(matches!(error, OutputError::OldFormat { found: 1, .. }), "{error}");
    assert!(error.to_string().contains("--overwrite"), "{error}");
    drop(RunWriter::replace(&run, layout(), summary()).unwrap());
}

/// Checkpoints and statistics of a resumed run must fit into the budget that the user declared.
#[test]
fn a_resume_keeps_to_its_budget() {
    let pair = Pair::new();
    let lock = stiction_output::RunLock::acquire(&pair.run()).unwrap();
    let find = |bytes| {
        let budget = Budget::of_bytes(bytes);
        stiction_output::ResumePoint::find(&lock, &layout(), &identity(), &budget)
    };
    let error = find(20).unwrap_err();
    assert!(matches!(error, OutputError::OverBudget { .. }), "{error}");
    let point = find(3_000).unwrap();
    let error = RunWriter::resume(lock, layout(), summary(), &point).err().unwrap();
    assert!(error.to_string().contains("records of its steps"), "{error}");
}
