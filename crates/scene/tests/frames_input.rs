//! What is refused of bodies on frames and of strands that grow on bodies.

use std::path::Path;
use stiction_scene::{SceneError, load_text};

fn error_of(text: &str) -> SceneError {
    let scene = format!("stiction = 1\n{text}");
    load_text("scene.toml", &scene, Path::new("."), &[] as &[&str])
        .map(|l| l.scene.name)
        .expect_err("bad input")
}

/// The object at fault, words of the message and of the fix.
fn refused(text: &str, object: &str, word: &str, fix: &str) {
    let error = error_of(text);
    assert_eq!(error.object(), object, "{error}");
    assert!(error.to_string().contains(word), "`{word}` missing in: {error}");
    assert!(error.fix().contains(fix), "`{fix}` missing in: {}", error.fix());
}

const SOFT: &str = "material = { density = 1000.0, young = 1e6, poisson = 0.3 }\n";
const BAR: &str =
    "[bodies.b]\nkind = 'skinned'\nmesh = { tet_box = { size = [1.0, 0.1, 0.1], cells = [10, 1, 1] } }\n";

#[test]
fn affine_bodies_need_a_closed_mesh() {
    let open = "mesh = { cylinder = { radius = 0.1, height = 0.2, around = 8, along = 2 } }\n";
    refused(
        &format!("[bodies.b]\nkind = 'affine'\n{open}{SOFT}"),
        "bodies.b.mesh",
        "not closed",
        "close the holes",
    );
    let strand = "mesh = { rod = { end = [1, 0, 0], segments = 4 } }\n";
    refused(
        &format!("[bodies.b]\nkind = 'affine'\n{strand}{SOFT}"),
        "bodies.b.mesh",
        "strands",
        "right cells",
    );
    let closed = "mesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }\nframes = { count = 2 }\n";
    refused(
        &format!("[bodies.b]\nkind = 'affine'\n{closed}{SOFT}"),
        "bodies.b.frames",
        "one frame",
        "skinned",
    );
}

#[test]
fn frames_must_reach_the_body_and_every_vertex_a_frame() {
    refused(&format!("{BAR}{SOFT}"), "bodies.b.frames", "frames", "count = 12");
    let far = "frames = { positions = [[0, 0, 3]], radius = 1.0 }\n";
    refused(&format!("{BAR}{SOFT}{far}"), "bodies.b.frames", "frame 0 lies", "radius");
    let short = "frames = { positions = [[0, 0, 0]], radius = 0.2 }\n";
    refused(&format!("{BAR}{SOFT}{short}"), "bodies.b.frames", "reached by no frame", "add a frame");
    let both = "frames = { count = 3, positions = [[0, 0, 0]] }\n";
    refused(&format!("{BAR}{SOFT}{both}"), "bodies.b.frames", "either", "one of them");
    let sheet = "[bodies.b]\nkind = 'skinned'\nmesh = { grid = { size = [1, 1], cells = [4, 4] } }\nframes = { count = 3 }\n";
    refused(&format!("{sheet}{SOFT}"), "bodies.b.thickness", "thickness", "tets");
    let rest = "frames = { count = 3 }\nrest = { scale = 0.9 }\n";
    refused(&format!("{BAR}{SOFT}{rest}"), "bodies.b.rest", "no stress", "take `rest` out");
}

#[test]
fn strands_stand_on_their_body() {
    let ball = format!(
        "[bodies.b]\nkind = 'solid'\nmesh = {{ tet_sphere = {{ radius = 0.1, cells = 2 }} }}\n{SOFT}"
    );
    let fur = |more: &str, rest: &str| {
        format!(
            "{ball}[bodies.fur]\nkind = 'rod'\nmaterial = 'human_hair'\n{rest}mesh = {{ groom = {{ {more}, count = 20, length = 0.02, segments = 3 }} }}\n"
        )
    };
    refused(&fur("on_body = 'c'", ""), "bodies.fur.mesh.groom.on_body", "`c`", "`b`");
    refused(
        &fur("on_body = 'b'", "translate = [0, 0, 1]\n"),
        "bodies.fur.translate",
        "tear",
        "take `translate` out",
    );
    refused(
        &fur("on_body = 'b', direction = [0, 0, -1], direction_weight = 0.9", ""),
        "bodies.fur.mesh.groom",
        "grows into `b`",
        "direction_weight",
    );
    refused(
        &fur("on_body = 'b', on = { sphere = { radius = 1 } }", ""),
        "bodies.fur.mesh.groom",
        "either",
        "one of them",
    );
}
