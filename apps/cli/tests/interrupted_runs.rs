//! Runs that are stopped, continued by another build, damaged, or pointed at files of the user.

#![cfg(unix)]

mod common;

use common::{Outcome, error_text, program, scene, signal, start, stiction, write_scene};
use std::fs;
use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

/// A scene whose steps take long enough to be interrupted.
fn slow_scene() -> String {
    scene("").replace("[6, 6]", "[120, 120]").replace("frames = 3", "frames = 50")
}

fn wait_for(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "{} does not come", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ended(child: Child) -> Output {
    child.wait_with_output().expect("the program ends")
}

#[test]
fn requests_to_end_leave_a_checkpoint_and_exit_code_75() {
    for name in ["INT", "TERM"] {
        let folder = tempfile::tempdir().expect("a folder");
        let text = scene("").replace("[6, 6]", "[30, 30]").replace("frames = 3", "frames = 20");
        write_scene(folder.path(), "a.toml", &text);
        let run = folder.path().join("run");
        let child = start(program(&["run", "a.toml", "-o", "run"], folder.path()));
        wait_for(&run.join("frames/000001.frame"));
        signal(&child, name);
        let output = ended(child);
        assert_eq!(output.status.code(), Some(75), "{name}: {}", error_text(&output));
        assert!(error_text(&output).contains("continue with --resume"), "{}", error_text(&output));
        let info = stiction(&["info", "run", "--json"], folder.path());
        let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
        assert_eq!((&info["status"], &info["damage"]), (&"paused".into(), &serde_json::json!([])));
        let resumed = stiction(&["run", "a.toml", "-o", "run", "--resume"], folder.path());
        assert!(resumed.status.success(), "{}", error_text(&resumed));
        assert!(stiction(&["run", "a.toml", "-o", "calm"], folder.path()).status.success());
        Outcome::of(&run).assert_equals(&Outcome::of(&folder.path().join("calm")), name);
    }
}

#[test]
fn a_second_request_ends_the_program_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    write_scene(folder.path(), "a.toml", &slow_scene());
    let child = start(program(&["run", "a.toml", "-o", "run", "--threads", "1"], folder.path()));
    wait_for(&folder.path().join("run/frames/000000.frame"));
    signal(&child, "TERM");
    signal(&child, "TERM");
    let output = ended(child);
    // The first may have been answered in time.
    assert!(matches!(output.status.code(), Some(143 | 75)), "{:?}: {}", output.status, error_text(&output));
    let resumed = stiction(&["run", "a.toml", "-o", "run", "--resume", "--frames", "1"], folder.path());
    assert!(resumed.status.success(), "{}", error_text(&resumed));
}

/// A run that is watched stops in the same way; without a page there is nothing to watch.
#[test]
fn a_watched_run_stops_with_a_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    write_scene(folder.path(), "a.toml", &slow_scene());
    let arguments = ["run", "a.toml", "-o", "run", "--view", "--no-open"];
    let mut child = start(program(&arguments, folder.path()));
    let started = Instant::now();
    while child.try_wait().expect("a status").is_none() && started.elapsed() < Duration::from_secs(60) {
        if folder.path().join("run/frames/000001.frame").exists() {
            signal(&child, "TERM");
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = ended(child);
    let without_page = output.status.code() == Some(2) && error_text(&output).contains("viewer");
    assert!(without_page || output.status.code() == Some(75), "{}", error_text(&output));
}

/// `run scene.json -o .` must not replace the scene, nor one that is called `run.json`.
#[test]
fn scenes_of_the_user_are_not_replaced() {
    for name in ["scene.json", "run.json"] {
        let folder = tempfile::tempdir().expect("a folder");
        let text = serde_json::json!({
            "stiction": 1, "frames": 1, "method": { "key": "newton" },
            "bodies": { "sheet": { "kind": "cloth", "material": "cotton",
                "mesh": { "grid": { "size": [1, 1], "cells": [2, 2] } } } },
        })
        .to_string();
        write_scene(folder.path(), name, &text);
        for how in [&[][..], &["--overwrite"], &["--resume"]] {
            let arguments = [&["run", name, "-o", "."], how].concat();
            let output = stiction(&arguments, folder.path());
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", error_text(&output));
            assert!(error_text(&output).contains(name), "{}", error_text(&output));
            assert_eq!(fs::read_to_string(folder.path().join(name)).expect("the scene"), text);
        }
        assert!(stiction(&["run", name, "-o", "run"], folder.path()).status.success());
    }
}

/// The same program with another byte at its end is another build: it continues the run and says so.
#[test]
fn another_build_continues_a_run_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    write_scene(folder.path(), "a.toml", &scene(""));
    let other = folder.path().join("other_build");
    fs::copy(env!("CARGO_BIN_EXE_stiction"), &other).expect("a copy");
    let mut bytes = fs::OpenOptions::new().append(true).open(&other).expect("the copy");
    std::io::Write::write_all(&mut bytes, b" ").expect("a byte");
    drop(bytes);
    assert!(stiction(&["run", "a.toml", "-o", "run"], folder.path()).status.success());
    let more = ["run", "a.toml", "-o", "run", "--resume", "--frames", "6"];
    let output = std::process::Command::new(&other).args(more).current_dir(folder.path()).output();
    let output = output.expect("the copy starts");
    assert!(output.status.success(), "{}", error_text(&output));
    let said = error_text(&output);
    assert!(said.contains("note: continued at step 6 by build") && said.contains("bit for bit"), "{said}");
    assert!(stiction(&["run", "a.toml", "-o", "whole", "--frames", "6"], folder.path()).status.success());
    let [run, whole] = ["run", "whole"].map(|name| Outcome::of(&folder.path().join(name)));
    run.assert_equals(&whole, "another build");
}

/// A damaged frame and a damaged line of statistics: `info`, `render` and `export` say so, `--resume` mends.
#[test]
fn damage_is_told_by_every_command_and_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    write_scene(folder.path(), "a.toml", &scene(""));
    assert!(stiction(&["run", "a.toml", "-o", "run"], folder.path()).status.success());
    let path = folder.path().join("run/frames/000001.frame");
    fs::copy(folder.path().join("run/frames/000002.frame"), &path).expect("a copy");
    let word = "it holds frame 2 under the name of frame 1";
    for arguments in
        [&["info", "run"][..], &["export", "run", "--to", "obj"], &["render", "run", "--frames", "1"]]
    {
        let output = stiction(arguments, folder.path());
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), error_text(&output));
        assert!(said.contains(word) && said.contains("from frame 0"), "{arguments:?}: {said}");
    }
    let output = stiction(&["run", "a.toml", "-o", "run", "--resume"], folder.path());
    assert!(error_text(&output).contains("frame 1 could not be used"), "{}", error_text(&output));
    assert!(stiction(&["run", "a.toml", "-o", "calm"], folder.path()).status.success());
    let [run, calm] = ["run", "calm"].map(|name| Outcome::of(&folder.path().join(name)));
    run.assert_equals(&calm, "mended");
    let stats = folder.path().join("run/stats.jsonl");
    let changed = fs::read_to_string(&stats).expect("statistics").replacen("\"step\":1", "\"step\":9", 1);
    fs::write(&stats, changed).expect("a file");
    let said = String::from_utf8_lossy(&stiction(&["info", "run"], folder.path()).stdout).into_owned();
    assert!(said.contains("damaged: stats.jsonl lacks the records of step 1"), "{said}");
}

/// What a resume reads is held against the budget that the user declared.
#[test]
fn a_resume_keeps_to_the_memory_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    write_scene(folder.path(), "a.toml", &scene("").replace("frames = 3", "frames = 60"));
    assert!(stiction(&["run", "a.toml", "-o", "run"], folder.path()).status.success());
    let resume = ["run", "a.toml", "-o", "run", "--resume", "--memory", "0.0004"];
    let output = stiction(&resume, folder.path());
    assert!(error_text(&output).contains("--memory"), "{}", error_text(&output));
    assert_ne!(output.status.code(), Some(0));
}
