//! Scenes that ask for too much, or for what no number can hold: refused before memory is taken,
//! with the number asked and the fix.

use std::path::Path;
use std::time::Instant;
use stiction_limits::Budget;
use stiction_scene::{Loader, SceneError};

const CLOTH: &str = "stiction = 1\n[bodies.a]\nkind = 'cloth'\nmaterial = 'cotton'\n";
const ROD: &str = "stiction = 1\n[bodies.a]\nkind = 'rod'\nmaterial = 'human_hair'\n";
const SOLID: &str = "stiction = 1\n[bodies.a]\nkind = 'solid'\nmaterial = 'rubber'\n";

fn load_in(base: &Path, text: &str) -> Result<(), SceneError> {
    let loader = Loader { budget: Budget::of_bytes(1_000_000_000) };
    loader.text("scene.toml", text, base, &[] as &[&str]).map(|_| ())
}

/// What is said of a scene that is wrong: object, message and fix.
fn refusal(base: &Path, text: &str) -> String {
    let start = Instant::now();
    let error = load_in(base, text).expect_err(text);
    assert!(start.elapsed().as_secs_f64() < 5.0, "took {:?}: {text}", start.elapsed());
    format!("{error} | {}", error.fix())
}

fn refused(text: &str, words: &[&str]) {
    let said = refusal(Path::new("."), text);
    for word in words {
        assert!(said.contains(word), "`{word}` missing in: {said}");
    }
}

/// Every generator: each number alone would pass, the product does not fit.
#[test]
fn generators_are_refused_by_their_product() {
    let meshes = [
        (CLOTH, "grid = { size = [1, 1], cells = [100000, 100000] }"),
        (CLOTH, "disc = { radius = 1, rings = 100000 }"),
        (CLOTH, "box = { size = [1, 1, 1], cells = [100000, 100000, 1] }"),
        (SOLID, "tet_box = { size = [1, 1, 1], cells = [2000, 2000, 2000] }"),
        (CLOTH, "sphere = { radius = 1, around = 100000, along = 100000 }"),
        (CLOTH, "sphere = { radius = 1, subdivisions = 4294967295 }"),
        (SOLID, "tet_sphere = { radius = 1, cells = 4294967295 }"),
        (CLOTH, "torus = { radius = 1, tube = 0.1, around = 100000, across = 100000 }"),
        (SOLID, "tet_torus = { radius = 1, tube = 0.1, around = 100000, across = 1000 }"),
        (CLOTH, "cylinder = { radius = 1, height = 1, around = 100000, along = 100000 }"),
        (CLOTH, "cylinder = { radius = 1, height = 1, around = 1000000, along = 1, closed = true }"),
        (SOLID, "tet_cylinder = { radius = 1, height = 1, around = 1000, along = 100000 }"),
        (CLOTH, "lathe = { profile = [[0.1, 0], [0.1, 1]], around = 100000, along = 100000 }"),
        (SOLID, "tet_arch = { span = 2, rise = 1, stones = 100000000, foot = 0.2, crown = 0.1 }"),
        (CLOTH, "capsule = { radius = 1, height = 1, around = 1000000, along = 1 }"),
        (ROD, "rod = { end = [1, 0, 0], segments = 4294967295 }"),
        (ROD, "helix = { radius = 1, pitch = 1, turns = 1, segments = 4294967295 }"),
        (ROD, "path = { points = [[0, 0, 0], [1, 0, 0]], segments = 4294967295 }"),
        (ROD, "groom = { on = { sphere = { radius = 1 } }, count = 100000, length = 1, segments = 100000 }"),
        (ROD, "groom = { on = { sphere = { radius = 1 } }, density = 1e300, length = 1, segments = 9 }"),
        (CLOTH, "belt = { radius = 1, distance = 3, width = 1, around = 100000, across = 100000 }"),
        (SOLID, "tet_lattice = { around = { sphere = { radius = 1 } }, cells = 100000 }"),
        (CLOTH, "blobs = { parts = [{ start = [0, 0, 0], radius = 1 }], cells = 100000 }"),
        (
            CLOTH,
            "palm = { height = 1, radius = 0.1, leaves = 100000, leaf_length = 1, leaf_width = 0.1, \
             trunk_cells = [8, 8], leaf_cells = [1000, 1000] }",
        ),
        (CLOTH, "ribbon = { points = [[0, 0, 0], [1, 0, 0]], width = 1, along = 100000, across = 100000 }"),
        (ROD, "woven = { radius = 1, height = 1, warps = 99999, turns = 99999, spacing = 0.1 }"),
        (ROD, "knit = { loop_width = 1, loops = 100000, rows = 100000 }"),
        (SOLID, "tet_urchin = { radius = 1, cells = 9, spines = 10000, length = 1, segments = 100000 }"),
    ];
    for (head, mesh) in meshes {
        let said = refusal(Path::new("."), &format!("{head}mesh = {{ {mesh} }}\n"));
        let by_memory = said.contains("memory budget of 1.0 GB") && said.contains("--memory");
        let by_index = said.contains("can be numbered");
        assert!(by_memory || by_index, "{said}");
    }
}

#[test]
fn slow_generators_are_refused_by_their_product() {
    let parts = "{ start = [0, 0, 0], radius = 1 }, ".repeat(2000);
    refused(
        &format!("{CLOTH}mesh = {{ blobs = {{ cells = 100, parts = [{parts}] }} }}\n"),
        &["cubes and parts"],
    );
    let urchin = "tet_urchin = { radius = 1, cells = 60, spines = 100000, length = 1, segments = 1 }";
    refused(&format!("{SOLID}mesh = {{ {urchin} }}\n"), &["spines and triangles"]);
    let grid = "mesh = { grid = { size = [1, 1], cells = [300, 300] } }\nthickness = 0.01\nframes = { count = 90000 }\n";
    refused(
        &format!("{CLOTH}{grid}").replace("'cloth'", "'skinned'").replace("cotton", "rubber"),
        &["frames and vertices"],
    );
}

#[test]
fn copies_are_refused_by_their_number() {
    let grid = "mesh = { grid = { size = [1, 1], cells = [9, 9] } }\n";
    refused(
        &format!("{CLOTH}{grid}array = {{ count = [1000, 1000, 1000], step = [1, 1, 1] }}\n"),
        &["99999999900 vertices", "102400.0 GB", "budget of 1.0 GB"],
    );
    // Copies that fit, and pairs of them that do not.
    let tiny = "mesh = { grid = { size = [1, 1], cells = [1, 1] } }\n";
    let copies = format!("{CLOTH}{tiny}array = {{ count = [200, 200, 1], step = [2, 2, 1] }}\n");
    refused(
        &format!("{copies}[[friction.pairs]]\na = 'a'\nb = 'a'\nmu = 0.1\n"),
        &["1600000000 pairs of copies", "budget"],
    );
}

/// The whole of a scene is counted, not each mesh alone.
#[test]
fn meshes_of_a_scene_are_counted_together() {
    let body =
        "kind = 'cloth'\nmaterial = 'cotton'\nmesh = { grid = { size = [1, 1], cells = [600, 600] } }\n";
    let scene = |count: usize| {
        let bodies: String = (0..count).map(|k| format!("[bodies.b{k}]\n{body}")).collect();
        format!("stiction = 1\n{bodies}")
    };
    assert!(load_in(Path::new("."), &scene(1)).is_ok());
    refused(&scene(3), &["bodies.b2", "361201 vertices", "budget of 1.0 GB"]);
}

#[test]
fn strands_visit_a_vertex_once_and_rings_may_close() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.obj");
    let scene = format!("{ROD}mesh = 's.obj'\n");
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    for bad in ["l 1 2 1\n", "l 1 2 3 4 2\n", "l 1 2\nl 2 1\n", "l 1 2 3 4 1 2\n"] {
        std::fs::write(&path, format!("{corners}{bad}")).expect("written");
        let said = refusal(folder.path(), &scene);
        let lone = said.contains("belongs to no strand");
        assert!(said.contains("twice") || lone, "{bad}: {said}");
    }
    std::fs::write(&path, "v 0 0 0\nv 1 0 0\nl 1 2 1\n").expect("written");
    assert!(refusal(folder.path(), &scene).contains("strand 0 visits vertex 0 twice"));
    std::fs::write(&path, format!("{corners}l 1 2 3 4 1\n")).expect("written");
    assert!(load_in(folder.path(), &scene).is_ok());
}

#[test]
fn sequences_are_checked_before_they_are_read() {
    let scene = |sequence: &str| {
        format!(
            "{CLOTH}mesh = {{ grid = {{ size = [1, 1], cells = [1, 1] }} }}\n[colliders.c]\n\
             mesh = {{ sphere = {{ radius = 1 }} }}\nsequence = {{ {sequence} }}\n"
        )
    };
    let near_the_end = "files = 'm_{}.obj', first = 4294967290, count = 10, fps = 30";
    refused(&scene(near_the_end), &["number of the last file is 4294967299", "smaller `first`"]);
    let wide = "files = 'm_{:0999999999}.obj', count = 10, fps = 30";
    refused(&scene(wide), &["no place for the number", "up to 20 digits"]);
    let many = "files = 'm_{}.obj', count = 4294967295, fps = 30";
    refused(&scene(many), &["a sequence of 4294967295 files", "budget of 1.0 GB"]);
    let fast = "files = 'm_{}.obj', count = 1, fps = 1e300";
    assert!(load_in(Path::new("."), &scene(fast)).is_err());
}

#[test]
fn numbers_beyond_physics_are_refused_where_they_are_written() {
    let grid = "mesh = { grid = { size = [1, 1], cells = [2, 2] } }\n";
    let body = |line: &str| format!("{CLOTH}{grid}{line}\n");
    refused(&body("velocity = [1e155, 0, 0]"), &["bodies.a.velocity", "2.99792458e8 m/s"]);
    refused(&body("spin = [0, 1e200, 0]"), &["bodies.a.spin"]);
    refused(&body("translate = [1e15, 0, 0]"), &["bodies.a.translate", "1e12 m"]);
    refused(&body("scale = 1e13"), &["vertex 0", "1e12 m"]);
    refused(
        &body("pins = [{ select = 'left', motion = { velocity = [1e155, 0, 0] } }]"),
        &["pins.0.motion.velocity"],
    );
    let keys = "[{ time = 0 }, { time = 1e-12, translate = [1, 0, 0] }]";
    refused(
        &body(&format!("pins = [{{ select = 'left', motion = {{ keys = {keys} }} }}]")),
        &["keys.1.time", "1e-9 s"],
    );
    refused(&format!("gravity = 1e200\n{}", body("")), &["gravity"]);
    refused(&format!("fps = 1e300\n{}", body("")), &["fps"]);
    refused(&format!("{}[wind]\nvelocity = [1e200, 0, 0]\n", body("")), &["wind.velocity"]);
    refused(&body("frames = { count = 3 }"), &["a cloth moves by its vertices", "skinned"]);
}

#[test]
fn long_texts_are_refused_before_they_are_parsed() {
    let list = "0, ".repeat(20_000_000);
    refused(
        &format!("{CLOTH}mesh = 'm.obj'\ncolour = [{list}]\n"),
        &["60000086 bytes", "16000000", "in files"],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.toml");
    std::fs::write(&path, format!("# {list}")).expect("written");
    let error = Loader::default().file(&path, &[] as &[&str]).map(|_| ()).expect_err("too long");
    assert!(error.to_string().contains("a scene may have 16000000"), "{error}");
}

/// A named pipe, a device or a folder in the place of any file that a scene names.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path();
    for name in ["pipe.obj", "pipe.pc2", "pipe.txt", "pipe.toml", "m_0.obj", "t.ele"] {
        let made = std::process::Command::new("mkfifo").arg(base.join(name)).status().expect("mkfifo");
        assert!(made.success());
    }
    std::fs::create_dir(base.join("folder.obj")).expect("a folder");
    std::os::unix::fs::symlink("/dev/zero", base.join("zero.stl")).expect("a link");
    std::fs::write(base.join("t.node"), "1 3 0 0\n1 0 0 0\n").expect("written");
    for (file, kind) in [
        ("pipe.obj", "a named pipe"),
        ("folder.obj", "a folder"),
        ("zero.stl", "a device"),
        ("t.node", "a named pipe"),
    ] {
        let said = refusal(base, &format!("{CLOTH}mesh = '{file}'\n"));
        assert!(said.contains(kind), "{said}");
    }
    let grid = "mesh = { grid = { size = [1, 1], cells = [2, 2] } }\n";
    let collider = |sequence: &str| {
        format!(
            "{CLOTH}{grid}[colliders.c]\nmesh = {{ sphere = {{ radius = 1 }} }}\nsequence = {{ {sequence} }}\n"
        )
    };
    for text in [
        collider("files = 'm_{}.obj', count = 1, fps = 30"),
        collider("files = 'pipe.pc2', fps = 30"),
        format!("{CLOTH}{grid}friction_direction = {{ file = 'pipe.txt', along = 1.0, across = 0.1 }}\n"),
    ] {
        assert!(refusal(base, &text).contains("a named pipe"), "{text}");
    }
    let scene = Loader::default().file(&base.join("pipe.toml"), &[] as &[&str]).map(|_| ());
    assert!(scene.expect_err("a pipe").to_string().contains("a named pipe"));
}

/// Nearly all pairs within reach: `check` would look at each of them.
#[test]
fn crowded_scenes_are_refused_with_their_cause() {
    let grid = "mesh = { grid = { size = [1, 1], cells = [100, 100] } }\n";
    let thick = format!("{CLOTH}{grid}thickness = 2\n");
    refused(&thick, &["bodies.a.thickness", "reach 2.001e0 m", "units of `thickness`"]);
    refused(&format!("{CLOTH}{grid}gap = 5\n"), &["thickness and gap of `a`"]);
    let far = "[bodies.b]\nkind = 'cloth'\nmaterial = 'cotton'\ntranslate = [1e11, 0, 0]\n\
               mesh = { grid = { size = [100, 100], cells = [2, 2] } }\n";
    refused(&format!("{CLOTH}{grid}{far}"), &["so wide", "move the bodies together"]);
    let copies = "mesh = { grid = { size = [1, 1], cells = [9, 9] } }\narray = { count = [1000, 1, 1], step = [0, 0, 0] }\n";
    refused(&format!("{CLOTH}{copies}"), &["on top of each other"]);
    // A collider that reaches everything, and what is merely fine or thick.
    let wall = "[colliders.c]\nthickness = 9\nmesh = { sphere = { radius = 1, subdivisions = 5 } }\n";
    refused(&format!("{CLOTH}{grid}{wall}"), &["within reach of contact"]);
    assert!(load_in(Path::new("."), &format!("{CLOTH}{grid}thickness = 0.05\n")).is_ok());
    assert!(load_in(Path::new("."), &thick.replace("100, 100", "20, 20")).is_ok());
}

#[test]
fn masses_beyond_physics_are_refused() {
    let body = |line: &str, size: &str| {
        format!(
            "stiction = 1\n[bodies.a]\nkind = 'cloth'\nmaterial = {{ preset = 'cotton', {line} }}\n\
             mesh = {{ grid = {{ size = [{size}, {size}], cells = [2, 2] }} }}\n"
        )
    };
    assert!(load_in(Path::new("."), &body("density = 300", "1")).is_ok());
    refused(&body("density = 1e300", "1e10"), &["bodies.a", "the mass is", "1e30 kg"]);
    refused(&body("density = 1e-300", "1e-10"), &["lightest cell", "1e-30 kg"]);
}

/// Errors whose place lies inside of a character of several bytes, or beyond the text.
#[test]
fn errors_next_to_wide_characters_are_shown() {
    for text in [
        "{ \"ä\u{fffd}\u{fffd}",
        "{\u{1F642}",
        "{ \"stiction\": 1, \u{fffd} }",
        "ä = \u{fffd}",
        "{\n\u{fffd}",
    ] {
        let error = load_in(Path::new("."), text).expect_err(text);
        assert!(error.line().is_some(), "{error}");
    }
}

/// The limits are far from what people simulate: every scene of the gallery passes them.
#[test]
fn the_gallery_is_within_all_limits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let files = stiction_scene::scene_files(&folder).expect("the gallery");
    assert!(files.len() > 50);
    for file in files {
        let loader = Loader { budget: Budget::of_bytes(4_000_000_000) };
        if let Err(error) = loader.file(&file, &[] as &[&str]) {
            panic!("{error} | {}", error.fix());
        }
    }
}
