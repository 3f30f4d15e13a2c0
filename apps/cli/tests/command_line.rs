//! The command line as a user meets it: exit codes, messages, killed runs.

mod common;

use common::{error_text, program, scene, stiction};
use std::fs;
use std::process::Stdio;

fn refuse(text: &str, words: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bad.toml"), text).expect("a file");
    let output = stiction(&["run", "bad.toml", "-o", "run"], folder.path());
    let message = error_text(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is not in:\n{message}");
    }
    assert!(!folder.path().join("run/frames").exists(), "nothing may have run");
}

#[test]
fn wrong_input_names_file_line_and_fix() {
    refuse(&scene("[bodies.cloth.x]\n"), &["bad.toml", "unknown key"]);
    refuse(&scene("").replace("frames", "frame"), &["bad.toml", "frame", "frames"]);
    refuse(&scene("").replace("fps = 30", "fps = \"many\""), &["bad.toml", "wrong type"]);
    refuse(&scene("").replace("step = 0.02", "step = nan"), &["bad.toml", "finite"]);
    refuse(&scene("").replace("step = 0.02", "step = -1"), &["bad.toml", "step"]);
    refuse(&scene("").replace("\"cotton\"", "\"coton\""), &["bad.toml", "coton", "cotton"]);
    refuse(&scene("").replace("\"newton\"", "\"newtn\""), &["newtn", "newton"]);
    refuse(
        &scene("").replace("key = \"newton\"", "key = \"newton\"\ntolerence = 1"),
        &["bad.toml:8", "tolerence", "did you mean `tolerance`?"],
    );
    refuse(
        &scene("").replace("key = \"newton\"", "key = \"newton\"\ntolerance = -1"),
        &["bad.toml:8", "`tolerance` is -1"],
    );
    refuse(&scene("").replace("\"small\"", "\"../small\""), &["bad.toml:2", "name of a folder"]);
    refuse(
        &scene("").replace("\"left\"", "{ sphere = { centre = [9, 9, 9], radius = 0.1 } }"),
        &["bad.toml", "none of"],
    );
    refuse(&scene("").replace("{ grid", "{ file = \"missing.obj\", grid"), &["bad.toml"]);
    refuse(
        &scene("").replace("{ grid = { size = [1, 1], cells = [6, 6] } }", "\"missing.obj\""),
        &["missing.obj"],
    );
    refuse("this is no scene", &["bad.toml"]);
}

/// Two sheets that cross each other: exit code 2, and pairs with their places and depths.
#[test]
fn a_start_that_intersects_lists_pairs_places_and_depths() {
    let crossing = "[bodies.other]\nkind = \"cloth\"\nmaterial = \"cotton\"\nrotate = { axis = [0, 1, 0.2], degrees = 60 }\n\
                    mesh = { grid = { size = [0.5, 0.5], cells = [3, 3] } }\n";
    let text = scene(crossing).replace("\"newton\"", "\"barrier\"");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bad.toml"), text).expect("a file");
    let output = stiction(&["run", "bad.toml", "-o", "run"], folder.path());
    let message = error_text(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in ["at the start", "`cloth` and `other` near (", "cross by", "move the bodies apart"] {
        assert!(message.contains(word), "`{word}` is not in:\n{message}");
    }
}

#[test]
fn method_and_set_work_together_in_any_order() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), scene("")).expect("a file");
    for arguments in [
        ["check", "a.toml", "--method", "admm", "--set", "method.sweeps=0"],
        ["check", "a.toml", "--set", "method.sweeps=0", "--method", "admm"],
    ] {
        let output = stiction(&arguments, folder.path());
        assert_eq!(output.status.code(), Some(2), "{}", error_text(&output));
        assert!(error_text(&output).contains("sweeps"), "{}", error_text(&output));
    }
}

#[test]
fn unknown_scenes_and_folders_are_said_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = stiction(&["run", "flagg"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(error_text(&output).contains("did you mean `flag`?"));
    let output = stiction(&["info", "nowhere"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(error_text(&output).contains("nowhere"));
}

#[test]
fn a_folder_with_a_run_is_not_overwritten_and_another_scene_does_not_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), scene("")).expect("a file");
    assert!(stiction(&["run", "a.toml", "-o", "run"], folder.path()).status.success());
    let again = stiction(&["run", "a.toml", "-o", "run"], folder.path());
    assert_eq!(again.status.code(), Some(2));
    assert!(error_text(&again).contains("--resume") && error_text(&again).contains("--overwrite"));
    let other = stiction(&["run", "a.toml", "-o", "run", "--resume", "--set", "gravity=3"], folder.path());
    assert_eq!(other.status.code(), Some(2), "{}", error_text(&other));
    assert!(error_text(&other).contains("another scene"));
    fs::write(folder.path().join("run/notes.txt"), "mine").expect("a file");
    let replaced = stiction(&["run", "a.toml", "-o", "run", "--overwrite", "--frames", "1"], folder.path());
    assert!(replaced.status.success(), "{}", error_text(&replaced));
    assert!(folder.path().join("run/frames/000001.frame").exists());
    assert!(!folder.path().join("run/frames/000002.frame").exists(), "frames of the run before");
    assert!(folder.path().join("run/notes.txt").exists(), "files of the user");
    fs::remove_file(folder.path().join("run/run.json")).expect("the summary");
    let replaced = stiction(&["run", "a.toml", "-o", "run", "--overwrite", "--frames", "1"], folder.path());
    assert!(replaced.status.success(), "without its summary: {}", error_text(&replaced));
    let blocked = stiction(&["run", "a.toml", "-o", "a.toml/run"], folder.path());
    assert_eq!(blocked.status.code(), Some(2), "{}", error_text(&blocked));
}

#[test]
fn json_is_one_object_on_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), scene("")).expect("a file");
    for arguments in [
        vec!["scenes", "--json"],
        vec!["check", "a.toml", "--json"],
        vec!["run", "a.toml", "-o", "run", "--json"],
        vec!["info", "run", "--json"],
        vec!["methods", "--json"],
    ] {
        let output = stiction(&arguments, folder.path());
        assert!(output.status.success(), "{arguments:?}: {}", error_text(&output));
        let value: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("standard output is JSON");
        assert!(value.is_object(), "{arguments:?}");
    }
}

/// A reader that leaves early (`| head -1`) ends a list quietly and does not stop a run.
#[cfg(unix)]
#[test]
fn closed_pipes_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), scene("")).expect("a file");
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        Stdio::from(writer)
    };
    let program = |arguments: &[&str]| program(arguments, folder.path());
    let listed = program(&["scenes"]).stdout(closed()).output().expect("the program starts");
    assert_eq!((listed.status.code(), error_text(&listed)), (Some(0), String::new()));
    let run = program(&["run", "a.toml", "-o", "run"]).stderr(closed()).output().expect("the program starts");
    assert_eq!(run.status.code(), Some(0));
    assert!(folder.path().join("run/frames/000003.frame").exists());
    fs::write(folder.path().join("bad.dat"), "no problem").expect("a file");
    for (arguments, code) in [
        (["verify", "coulomb", "--data", "."], 1),
        (["verify", "coulomb", "--data", "run"], 2),
        (["run", "a.toml", "-o", "other"], 0),
    ] {
        let ended = program(&arguments).stdout(closed()).output().expect("the program starts");
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}: {}", error_text(&ended));
    }
}

/// Cases without their files are refused before anything is measured, or after what was measured
/// has been told.
#[test]
fn cases_without_their_files_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = stiction(&["verify", "momentum_free_fall", "ccd"], folder.path());
    assert_eq!(refused.status.code(), Some(2), "{}", error_text(&refused));
    assert_eq!(error_text(&refused).trim(), "error: ccd: it needs files: give their folder with --data DIR");
    let told = stiction(&["verify", "momentum_free_fall", "ccd", "--data", "."], folder.path());
    assert_eq!(told.status.code(), Some(2), "{}", error_text(&told));
    assert!(error_text(&told).contains("no file of queries below `.`"), "{}", error_text(&told));
    let table = String::from_utf8_lossy(&told.stdout);
    assert!(table.contains("momentum_free_fall (") && table.contains("quantities pass"), "{table}");
}

/// What a method says of one of its options stands at the line of that option; what it cannot run
/// at all, where the method is chosen.
#[test]
fn complaints_of_methods_are_shown_where_they_belong() {
    let method = |text: &str| scene("").replace("key = \"newton\"", text);
    let weights = method("key = \"pd\"\nsweeps = 3\ncontact_weights = { clth = 1.0 }");
    refuse(&weights, &["bad.toml:9", "`clth`", "stiction methods pd"]);
    refuse(&method("key = \"barrier\"\nmin_iterations = 300"), &["bad.toml:8", "`max_iterations`"]);
    let rods = method("key = \"admm_integrator\"");
    refuse(
        &rods,
        &["bad.toml:7", "method.key", "body `cloth` of kind `cloth`", "`admm`", "lists the methods"],
    );
    let opened = scene("").replace("step = 0.02", "step = 0.02\ninitial_contact = { resolve = 0.5 }");
    refuse(&opened, &["bad.toml:8", "`initial_contact = { resolve = … }`", "`admm`", "lists the methods"]);
}

/// What a method ignores is one line each, by `check` on standard output and by `run` on standard
/// error.
#[test]
fn what_a_method_ignores_is_noted() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), scene("")).expect("a file");
    let check = stiction(&["check", "a.toml", "--method", "xpbd"], folder.path());
    let run = stiction(&["run", "a.toml", "--method", "xpbd", "-o", "run"], folder.path());
    for text in [String::from_utf8_lossy(&check.stdout).into_owned(), error_text(&run)] {
        let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("note: ")).collect();
        assert_eq!(notes, ["note: method `xpbd` ignores air drag: `cloth` moves as in a vacuum"], "{text}");
    }
}

#[test]
fn wrong_requests_about_runs_and_cases_are_input_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), scene("")).expect("a file");
    assert!(stiction(&["run", "a.toml", "-o", "run"], folder.path()).status.success());
    for (arguments, word) in [
        (vec!["export", "run", "--to", "fbx"], "usda"),
        (vec!["export", "run", "--to", "obj", "--body", "clth"], "cloth"),
        (vec!["export", "run", "--to", "npz", "-o", "a.toml/x.npz"], "another folder"),
        (vec!["render", "run", "-o", "a.jpg"], ".png"),
        (vec!["render", "run", "--frames", "9"], "frames 0 to 3"),
        (vec!["render", "run", "--camera", "nan,20"], "NaN,20"),
        (vec!["render", "run", "--every", "0"], "1 or more"),
        (vec!["verify", "coulomb"], "--data"),
        (vec!["verify", "circle_rod", "--method", "pd"], "newton"),
        (vec!["methods", "admn"], "`admm`"),
    ] {
        let output = stiction(&arguments, folder.path());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", error_text(&output));
        assert!(error_text(&output).contains(word), "{arguments:?}: {}", error_text(&output));
    }
    let list = stiction(&["verify", "--list"], folder.path());
    assert!(String::from_utf8_lossy(&list.stdout).contains("slope_block_default"));
    let options = stiction(&["methods", "pd"], folder.path());
    assert!(String::from_utf8_lossy(&options.stdout).contains("sweeps = 5"));
}

#[test]
fn every_gallery_scene_can_be_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = stiction(&["scenes", "--json"], folder.path());
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
    for scene in list["scenes"].as_array().expect("a list") {
        let name = scene["name"].as_str().expect("a name");
        let output = stiction(&["check", name, "--json"], folder.path());
        assert!(output.status.success(), "{name}: {}", error_text(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["intersections"], 0, "{name} starts with intersections");
    }
}

#[test]
fn more_threads_than_a_machine_can_use_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), scene("")).expect("a file");
    let output = stiction(&["check", "s.toml", "--threads", "1000000"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(error_text(&output).contains("at most"), "{}", error_text(&output));
    assert!(stiction(&["check", "s.toml", "--threads", "64"], folder.path()).status.success());
}

#[test]
fn the_memory_budget_refuses_with_both_numbers_and_can_be_raised() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), scene("").replace("[6, 6]", "[60, 60]")).expect("a file");
    let output = stiction(&["check", "s.toml", "--memory", "0.001"], folder.path());
    let text = error_text(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("3721 vertices would take 3.8 MB") && said.contains("1.0 MB"), "{text}");
    assert!(stiction(&["check", "s.toml", "--memory", "1"], folder.path()).status.success());
    let output = stiction(&["check", "s.toml", "--memory", "-1"], folder.path());
    assert_eq!(output.status.code(), Some(2));
}

/// A named pipe in the place of a scene, a run folder or one of its files: an error, not an endless
/// wait.
#[cfg(unix)]
#[test]
fn pipes_are_no_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let made =
        std::process::Command::new("mkfifo").arg(folder.path().join("p.toml")).status().expect("mkfifo");
    assert!(made.success());
    for arguments in [["check", "p.toml"], ["run", "p.toml"], ["info", "p.toml"], ["render", "p.toml"]] {
        let output = stiction(&arguments, folder.path());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", error_text(&output));
    }
}
