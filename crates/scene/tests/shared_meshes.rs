//! Reads every mesh of the shared test data, when it is there: no panic, and only known kinds of
//! refusal.

use std::path::{Path, PathBuf};
use stiction_scene::geometry::check_mesh;
use stiction_scene::read::{EXTENSIONS, ReadError, read_mesh};

fn meshes_below(folder: &Path, list: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            meshes_below(&path, list);
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e)) {
            list.push(path);
        }
    }
}

#[test]
fn shared_meshes_are_read() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/assets"));
    let mut files = Vec::new();
    meshes_below(root, &mut files);
    if files.is_empty() {
        println!("skipped: no shared meshes");
        return;
    }
    files.sort();
    let small = |p: &&PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() < 3_000_000);
    let (mut read, mut refused) = (0, Vec::new());
    for file in files.iter().filter(small) {
        let name = file.display().to_string();
        match read_mesh(file, &name, &stiction_limits::Budget::default()) {
            Ok((mut mesh, _)) => {
                read += 1;
                if let Err(error) = check_mesh(&mesh.vertices, &mut mesh.cells, &name) {
                    println!("{error}");
                }
            }
            Err(ReadError::Mesh(error)) => refused.push(error.to_string()),
            Err(ReadError::File { path, reason }) => refused.push(format!("{}: {reason}", path.display())),
        }
    }
    println!("read {read} of {} files; refused:\n{}", files.len(), refused.join("\n"));
    // Formats beyond ours (Gmsh 4.0, lone .ele files) may be refused, but they are few.
    assert!(refused.len() * 20 <= read, "{}", refused.join("\n"));
}
