//! Every reader of this crate, fed with damaged files: no panic, no hang, no runaway of memory.
//! The corpus lies in `fuzz/corpus`; `STICTION_FUZZ_EXECUTIONS=1000000` makes a long run.

#[path = "../../../fuzz/mutate.rs"]
mod mutate;

use mutate::fuzz;
use std::path::Path;
use stiction_limits::Budget;
use stiction_scene::Loader;
use stiction_scene::read::{mesh_from_bytes, point_cache, tet_mesh_from_bytes};

/// Little memory, so that executions stay short.
const BUDGET: Budget = Budget::of_bytes(20_000_000);

fn as_is(_: &mut Vec<u8>) {}

#[test]
fn scene_text() {
    let loader = Loader { budget: BUDGET };
    fuzz("scene", as_is, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        loader.text("scene.toml", &text, Path::new("no folder"), &[] as &[&str]).is_ok()
    });
}

#[test]
fn overrides() {
    let scene = String::from_utf8(mutate::seeds("scene").swap_remove(0)).expect("text");
    let loader = Loader { budget: BUDGET };
    fuzz("override", as_is, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        loader.text("scene.toml", &scene, Path::new("no folder"), &[text]).is_ok()
    });
}

fn mesh(extension: &'static str) {
    fuzz(extension, as_is, |bytes| mesh_from_bytes(extension, bytes, "m").is_ok());
}

#[test]
fn obj() {
    mesh("obj");
}

#[test]
fn ply() {
    mesh("ply");
}

#[test]
fn stl() {
    mesh("stl");
}

#[test]
fn gmsh() {
    mesh("msh");
}

#[test]
fn vtk() {
    mesh("vtk");
}

/// Both files of TetGen in one input, parted by a zero.
#[test]
fn tetgen() {
    fuzz("tetgen", as_is, |bytes| {
        let middle = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        let (node, ele) = bytes.split_at(middle);
        tet_mesh_from_bytes(node, ele.get(1..).unwrap_or_default(), "m").is_ok()
    });
}

#[test]
fn pc2() {
    fuzz("pc2", as_is, |bytes| point_cache(bytes, "m").is_ok());
}
