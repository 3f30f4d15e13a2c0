//! The tree shows the route: a crate depends only on crates above it, and rooms in `solvers` never
//! import each other.

use std::path::Path;
use std::process::Command;

/// From the ground up. A crate may use those before it.
const LAYERS: [&str; 15] = [
    "stiction-limits",
    "stiction-numerics",
    "stiction-factor",
    "stiction-scene",
    "stiction-bodies",
    "stiction-energy",
    "stiction-collision",
    "stiction-contact",
    "stiction-solvers",
    "stiction-output",
    "stiction-render",
    "stiction",
    "stiction-verify",
    "stiction-bench",
    "stiction-viewer",
];
/// Doors stand on everything and nothing stands on them.
const DOORS: [&str; 1] = ["stiction-cli"];

#[test]
fn crates_depend_only_on_crates_above_them() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        if DOORS.contains(&name) {
            continue;
        }
        let layer = LAYERS.iter().position(|l| *l == name);
        let layer = layer.unwrap_or_else(|| panic!("{name} has no place in the list of layers"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let used = dependency["name"].as_str().expect("a name");
            let is_test_only = dependency["kind"] == "dev";
            if let Some(below) = LAYERS.iter().position(|l| *l == used) {
                assert!(below < layer || is_test_only, "{name} uses {used}, which stands below it");
            }
            assert!(!DOORS.contains(&used), "{name} uses the door {used}");
        }
    }
}

#[test]
fn rooms_never_import_each_other() {
    let solvers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../solvers/src");
    let rooms: Vec<String> = std::fs::read_dir(&solvers)
        .expect("the solvers crate is there")
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    assert!(rooms.contains(&"newton".to_owned()));
    for room in &rooms {
        for_each_source(&solvers.join(room), &mut |path, text| {
            for other in rooms.iter().filter(|other| *other != room) {
                let import = format!("crate::{other}::");
                assert!(!text.contains(&import), "{} imports the room {other}", path.display());
            }
        });
    }
}

fn for_each_source(folder: &Path, visit: &mut dyn FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(|e| e.ok()) {
        let path = entry.path();
        if path.is_dir() {
            for_each_source(&path, visit);
        } else if path.extension().is_some_and(|e| e == "rs") {
            visit(&path, &std::fs::read_to_string(&path).expect("a readable source"));
        }
    }
}
