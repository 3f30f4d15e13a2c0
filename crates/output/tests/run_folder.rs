//! Run folders: round trips, kills and cuts at any place, refusals.

mod common;

use common::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use stiction_output::lock::LOCK_NAME;
use stiction_output::{
    Frame, Layout, OutputError, RunLock, RunReader, RunStatus, RunWriter, STRAIN_LIMIT_EXCESS, Sections,
    TimeShare, holds_run, remove_run,
};

/// All files but checkpoints (their slots depend on history) and the lock, and their bytes.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_of(folder);
    files.retain(|name, _| !name.starts_with("checkpoint") && name != LOCK_NAME);
    files
}

/// All files and their bytes.
fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for part in ["", "frames", "checkpoint"] {
        for entry in fs::read_dir(folder.join(part)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_run_comes_back_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("nested/run");
    write_run(&run);
    let reader = RunReader::open(&run).unwrap();
    assert_eq!(reader.layout(), &Layout { run_id: RUN, ..layout() });
    assert_eq!(reader.frame_indices(), [0, 1, 2, 3, 4]);
    for index in [3, 0, 4] {
        let mut expected = frame(&layout(), index);
        let read = reader.frame(index).unwrap();
        expected.positions[0][0] = read.positions[0][0];
        assert_eq!(read, expected);
        assert_eq!(reader.positions(index).unwrap(), expected.positions);
        assert_eq!(reader.channel(index, "strain").unwrap(), expected.channels[0].values);
    }
    assert_eq!(reader.stats().unwrap(), (1..=8).map(record).collect::<Vec<_>>());
    let summary = reader.summary().unwrap();
    assert_eq!((summary.status, summary.frames, summary.steps), (RunStatus::Finished, 5, 8));
    assert_eq!(reader.checkpoint(&identity()).unwrap().unwrap().step, 8);
}

#[test]
fn a_kill_between_any_two_writes_resumes_to_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let state = write_run(&whole);
    for events in 0..18 {
        let run = folder.path().join(format!("killed_{events}"));
        let mut writer = RunWriter::create(&run, layout(), summary()).unwrap();
        assert_eq!(simulate(&mut writer, 0.5, 0, events), None);
        drop(writer);
        assert_eq!(resume(&run).to_bits(), state.to_bits(), "killed after {events} writes");
        assert_eq!(content(&run), content(&whole), "killed after {events} writes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Worse than a kill: the newest files of every kind are cut anywhere, and rests of writes lie
    /// about.
    #[test]
    fn cut_files_resume_to_the_same_result(
        stats_cut in any::<prop::sample::Index>(), frame_cut in any::<prop::sample::Index>(),
        checkpoint_cut in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (whole, run) = (folder.path().join("whole"), folder.path().join("run"));
        let state = write_run(&whole);
        write_run(&run);
        let cut = |name: &str, keep: usize| {
            let bytes = fs::read(run.join(name)).unwrap();
            fs::write(run.join(name), &bytes[..keep]).unwrap();
        };
        let size = |name: &str| fs::metadata(run.join(name)).unwrap().len() as usize;
        // Slot a holds steps 0, 4 and 8; without it the run goes on from step 6, whose records must
        // be there.
        cut("checkpoint/a.bin", checkpoint_cut.index(size("checkpoint/a.bin")));
        let text = fs::read_to_string(run.join("stats.jsonl")).unwrap();
        let safe = text.split_inclusive('\n').take(6).map(str::len).sum::<usize>();
        cut("stats.jsonl", safe + stats_cut.index(size("stats.jsonl") - safe + 1));
        cut("frames/000004.frame", frame_cut.index(size("frames/000004.frame")));
        fs::write(run.join("frames/000005.frame.partial"), b"rest").unwrap();
        let reader = RunReader::open(&run).unwrap();
        let damaged = matches!(reader.frame(4), Err(OutputError::BadFrame { .. }));
        prop_assert!(damaged);
        prop_assert_eq!(reader.last_good_frame().unwrap().index, 3);
        prop_assert!(reader.stats().unwrap().len() >= 6);
        prop_assert_eq!(resume(&run).to_bits(), state.to_bits());
        fs::remove_file(run.join("frames/000005.frame.partial")).unwrap();
        prop_assert_eq!(content(&run), content(&whole));
    }
}

#[test]
fn a_resumed_run_knows_its_time_and_its_worst_steps() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(folder.path(), layout(), summary()).unwrap();
    for step in 1..=4 {
        let mut record = record(step);
        record.extra.insert(STRAIN_LIMIT_EXCESS.to_owned(), if step == 2 { 0.03 } else { 0.0 }.into());
        writer.write_step(&record).unwrap();
    }
    let share = TimeShare::from_seconds(&[1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    writer.summary_mut().set_wall_time(8.0, share);
    writer.write_checkpoint(3, 0.1, Sections::new()).unwrap();
    drop(writer);
    let (writer, _) = open_to_resume(folder.path()).unwrap();
    assert_eq!(writer.earlier_seconds(), [2.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    assert_eq!((writer.summary().wall_seconds, writer.summary().steps), (8.0, 3));
    assert_eq!((writer.summary().time_share, writer.summary().strain_limit_excess_max), (share, 0.03));
}

#[test]
fn a_folder_with_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    let error = RunWriter::create(folder.path(), layout(), summary()).err().unwrap();
    assert!(matches!(error, OutputError::RunExists { .. }));
    assert!(error.to_string().contains("--resume") && error.to_string().contains("-o"), "{error}");
}

/// `run scene.json -o .` must not replace the file that it was told to run, nor a scene called
/// `run.json`.
#[test]
fn files_of_the_user_are_not_replaced() {
    for name in ["scene.json", "run.json", "stats.jsonl", "frames/000001.frame", "checkpoint/a.bin"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, b"{ \"mine\": true }").unwrap();
        let begun = [
            RunWriter::create(folder.path(), layout(), summary()).err(),
            RunWriter::replace(folder.path(), layout(), summary()).err(),
        ];
        for error in begun {
            assert!(matches!(error, Some(OutputError::InTheWay { .. })), "{name}: {error:?}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: nothing was begun");
        if ["scene.json", "run.json"].contains(&name) {
            let error = open_to_resume(folder.path()).err();
            assert!(matches!(error, Some(OutputError::InTheWay { .. })), "{name}: {error:?}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"{ \"mine\": true }", "{name}");
    }
}

/// A scene that the user puts into a folder with a run is no file of that run.
#[test]
fn a_scene_of_the_user_keeps_a_run_from_being_replaced() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    fs::write(folder.path().join("scene.json"), b"{ \"stiction\": 1 }").unwrap();
    let before = files_of(folder.path());
    let error = RunWriter::replace(folder.path(), layout(), summary()).err();
    assert!(matches!(error, Some(OutputError::InTheWay { .. })), "{error:?}");
    assert_eq!(files_of(folder.path()), before, "nothing was removed");
}

/// Links in the place of folders and files of a run: what they lead to is neither removed nor
/// written.
#[cfg(unix)]
#[test]
fn nothing_is_removed_or_written_through_a_link() {
    let names = ["frames", "checkpoint", "run.json", "scene.json", "stats.jsonl", "frames/000002.frame"];
    for name in names {
        let folder = tempfile::tempdir().unwrap();
        let (run, other) = (folder.path().join("run"), folder.path().join("other"));
        write_run(&run);
        write_run(&other);
        fs::write(other.join("scene.json"), b"{\n  \"stiction_canonical\": 1 }").unwrap();
        let before = files_of(&other);
        let path = run.join(name);
        let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        std::os::unix::fs::symlink(other.join(name), &path).unwrap();
        let error = RunWriter::replace(&run, layout(), summary()).err();
        assert!(matches!(error, Some(OutputError::InTheWay { .. })), "{name}: {error:?}");
        match open_to_resume(&run) {
            Err(error) => assert!(matches!(error, OutputError::InTheWay { .. }), "{name}: {error}"),
            Ok((mut writer, _)) => {
                assert_eq!(name, "frames/000002.frame");
                writer.write_frame(&frame(&layout(), 2)).unwrap();
                assert!(fs::symlink_metadata(&path).unwrap().is_file(), "the link is replaced");
            }
        }
        assert_eq!(files_of(&other), before, "{name}");
    }
}

/// While a run is written, nobody else may write: neither a resume nor a replacement, and nothing
/// is lost.
#[test]
fn a_folder_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(folder.path(), layout(), summary()).unwrap();
    assert_eq!(simulate(&mut writer, 0.5, 0, 9), None);
    let before = files_of(folder.path());
    let errors = [
        RunWriter::create(folder.path(), layout(), summary()).err(),
        RunWriter::replace(folder.path(), layout(), summary()).err(),
        open_to_resume(folder.path()).err(),
    ];
    for error in errors {
        assert!(matches!(error, Some(OutputError::Locked { .. })), "{error:?}");
    }
    assert_eq!(files_of(folder.path()), before);
    drop(writer);
    let whole = folder.path().join("whole");
    assert_eq!(resume(folder.path()).to_bits(), write_run(&whole).to_bits());
}

#[test]
fn a_run_is_removed_without_what_lies_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    fs::write(folder.path().join("notes.txt"), b"mine").unwrap();
    let lock = RunLock::acquire(folder.path()).unwrap();
    remove_run(&lock).unwrap();
    assert_eq!(files_of(folder.path()).into_keys().collect::<Vec<_>>(), ["notes.txt", LOCK_NAME]);
    fs::create_dir(folder.path().join("frames")).unwrap();
    remove_run(&lock).unwrap();
    assert!(folder.path().join("frames").exists(), "an empty folder is no run");
}

/// What a kill before the first summary leaves, or a user who removes it: refused as a run, so it
/// can be removed as one.
#[test]
fn a_run_without_its_summary_is_known_by_its_parts() {
    for kept in
        ["stats.jsonl", "frames/layout.json", "frames/000002.frame", "checkpoint/a.bin", "run.json.partial"]
    {
        let folder = tempfile::tempdir().unwrap();
        write_run(folder.path());
        fs::rename(folder.path().join("run.json"), folder.path().join("run.json.partial")).unwrap();
        for (name, _) in files_of(folder.path()).into_iter().filter(|(name, _)| name != kept) {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        let mine = ["frames/000002.png", "checkpoint/mine.bin", "scene.json"];
        mine[..2].iter().for_each(|name| fs::write(folder.path().join(name), b"mine").unwrap());
        let refused = RunWriter::create(folder.path(), layout(), summary()).err();
        assert!(matches!(refused, Some(OutputError::RunExists { .. })), "{kept}");
        let lock = RunLock::acquire(folder.path()).unwrap();
        remove_run(&lock).unwrap();
        let mut left = files_of(folder.path());
        left.remove(LOCK_NAME);
        assert_eq!(left.into_keys().collect::<Vec<_>>(), [mine[1], mine[0]], "{kept}");
        fs::write(folder.path().join(mine[2]), b"mine").unwrap();
        assert!(!holds_run(folder.path()), "a scene alone is no run");
        drop(lock);
        fs::remove_file(folder.path().join(mine[2])).unwrap();
        assert!(RunWriter::create(folder.path(), layout(), summary()).is_ok(), "{kept}");
    }
}

/// A folder that cannot be made was wrongly chosen; one that is taken away while a run writes to it
/// was not.
#[test]
fn a_folder_that_vanishes_is_not_called_unwritable() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut writer = RunWriter::create(&run, layout(), summary()).unwrap();
    fs::remove_dir_all(&run).unwrap();
    let errors = [writer.write_frame(&frame(&layout(), 0)).unwrap_err(), writer.write_summary().unwrap_err()];
    for error in errors {
        assert!(matches!(error, OutputError::Io { action: "write", .. }), "{error}");
    }
}

#[test]
fn an_unwritable_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let error = RunWriter::create(&file.join("run"), layout(), summary()).err().unwrap();
    assert!(matches!(error, OutputError::Unwritable { .. }), "{error}");
    assert!(error.to_string().contains("file") && error.to_string().contains("-o"), "{error}");
}

#[test]
fn folders_that_are_no_run_and_frames_that_are_not_there_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = RunReader::open(folder.path()).unwrap_err();
    assert!(matches!(error, OutputError::NotARun { missing: "run.json", .. }));
    write_run(folder.path());
    let reader = RunReader::open(folder.path()).unwrap();
    let error = reader.frame(99).unwrap_err();
    assert!(error.to_string().contains("99") && error.to_string().contains("0 to 4"), "{error}");
    let error = reader.channel(1, "heat").unwrap_err();
    assert!(error.to_string().contains("heat") && error.to_string().contains("strain"), "{error}");
}

#[test]
fn frames_that_do_not_fit_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(folder.path(), layout(), summary()).unwrap();
    let good = frame(&layout(), 1);
    let mut bad = good.clone();
    bad.positions.pop();
    assert!(matches!(writer.write_frame(&bad), Err(OutputError::Shape { .. })));
    let mut bad = good.clone();
    bad.positions[2][1] = f32::NAN;
    assert!(writer.write_frame(&bad).unwrap_err().to_string().contains("finite"));
    let bad = Frame { poses: Vec::new(), ..good };
    assert!(writer.write_frame(&bad).unwrap_err().to_string().contains("poses"));
    assert_eq!(RunReader::open(folder.path()).unwrap().frame_count(), 0);
}

#[test]
fn a_growing_run_shows_new_frames() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(folder.path(), layout(), summary()).unwrap();
    let mut reader = RunReader::open(folder.path()).unwrap();
    assert_eq!(reader.frame_count(), 0);
    writer.write_frame(&frame(&layout(), 0)).unwrap();
    assert_eq!(reader.frame(0).unwrap(), frame(&layout(), 0));
    assert_eq!(reader.refresh().unwrap(), 1);
    writer.write_checkpoint(0, 0.0, Sections::new()).unwrap();
    assert_eq!(reader.summary().unwrap().status, RunStatus::Running);
}
