//! Every kind of bad input: the message names file, line or object, and the fix.

use std::path::Path;
use stiction_scene::{Problem, SceneError, load_text};

const GOOD: &str = r#"stiction = 1
name = "t"
fps = 30
frames = 2
[method]
key = "newton"
[bodies.cloth]
kind = "cloth"
material = { preset = "cotton", young = 1e6 }
mesh = { grid = { size = [1, 1], cells = [4, 4] } }
friction = 0.3
[[bodies.cloth.pins]]
select = "left"
[colliders.ground]
plane = { offset = -1 }
"#;

fn load_in(base: &Path, text: &str, set: &[&str]) -> Result<stiction_scene::Loaded, SceneError> {
    load_text("scene.toml", text, base, set)
}

fn error_of(text: &str, set: &[&str]) -> SceneError {
    load_in(Path::new("."), text, set).map(|l| l.scene.name).expect_err("the input is wrong")
}

/// Replaces one piece of the good scene and checks where and what the message says.
fn broken(from: &str, to: &str, line: usize, object: &str, words: &[&str], fix: &str) {
    assert!(GOOD.contains(from), "{from}");
    let error = error_of(&GOOD.replace(from, to), &[]);
    let text = error.to_string();
    assert!(text.starts_with("scene.toml:"), "{text}");
    assert_eq!(error.line(), Some(line), "{text}");
    assert_eq!(error.object(), object, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` missing in: {text}");
    }
    assert!(error.fix().contains(fix), "fix `{}` lacks `{fix}`", error.fix());
}

#[test]
fn the_good_scene_is_good() {
    let scene = load_in(Path::new("."), GOOD, &[]).expect("good").scene;
    assert_eq!(scene.bodies[0].pins[0].vertices, [0, 5, 10, 15, 20]);
    assert_eq!(scene.gravity.at(0.0).z, -9.81);
}

#[test]
fn directions_of_friction_name_what_they_lack() {
    let grain = |inside: &str| format!("plane = {{ offset = -1 }}\nfriction_direction = {{ {inside} }}");
    let at = "colliders.ground.friction_direction";
    let bad = |inside: &str, object: &str, words: &[&str], fix: &str| {
        broken("plane = { offset = -1 }", &grain(inside), 16, object, words, fix);
    };
    bad("along = 1.0, across = 0.1", at, &["`file`"], "exactly one");
    bad("direction = 'u', along = 1.0, across = 0.1", &format!("{at}.direction"), &["no uv"], "vector");
    bad("file = 'g.txt', along = 1.0, across = 0.1", &format!("{at}.file"), &["no vertices"], "vector");
    bad("direction = 'x', along = -1.0, across = 0.1", &format!("{at}.along"), &["-1"], "");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("grain.txt"), "# grain\n1 0 0\n0 1\n").expect("written");
    let cloth = GOOD
        .replace("friction = 0.3", "friction_direction = { file = 'grain.txt', along = 1.0, across = 0.1 }");
    let text = load_in(folder.path(), &cloth, &[]).map(|_| ()).expect_err("two numbers").to_string();
    assert!(text.contains("line 3 of `grain.txt`"), "{text}");
    std::fs::write(folder.path().join("grain.txt"), "1 0 0\n").expect("written");
    let text = load_in(folder.path(), &cloth, &[]).map(|_| ()).expect_err("too few").to_string();
    assert!(text.contains("1 vectors for 25 vertices"), "{text}");
    std::fs::write(folder.path().join("grain.txt"), "1 0 0\n".repeat(25)).expect("written");
    assert!(load_in(folder.path(), &cloth, &[]).is_ok());
}

#[test]
fn unknown_keys_name_the_nearest() {
    broken(
        "friction = 0.3",
        "fricton = 0.3",
        11,
        "bodies.cloth.fricton",
        &["unknown key `fricton`"],
        "`friction`",
    );
    broken("frames = 2", "frame = 2", 4, "frame", &["unknown key `frame`"], "`frames`");
    broken("young = 1e6", "yung = 1e6", 9, "bodies.cloth.material.yung", &["unknown key `yung`"], "`young`");
    broken("grid = {", "grd = {", 10, "bodies.cloth.mesh.grd", &["unknown key `grd`"], "`grid`");
}

#[test]
fn wrong_types_say_what_was_found() {
    broken(
        "friction = 0.3",
        "friction = \"low\"",
        11,
        "bodies.cloth.friction",
        &["wrong type", "low"],
        "scene.md",
    );
    let cells = "bodies.cloth.mesh.grid.cells";
    broken("cells = [4, 4]", "cells = [4]", 10, cells, &["a list of 1, expected a list of 2"], "scene.md");
    broken("frames = 2", "frames = -2", 4, "frames", &["`-2`, expected a whole number from 0"], "scene.md");
    let grid = "grid = { size = [1, 1], cells = [4, 4] }";
    broken(grid, "grid = 3", 10, "bodies.cloth.mesh.grid", &["`3`, expected a table"], "scene.md");
    broken("fps = 30", "fps = 'many'", 3, "fps", &["\"many\", expected a number"], "scene.md");
    broken("kind = \"cloth\"", "kind = \"clth\"", 8, "bodies.cloth.kind", &["clth"], "`cloth`");
}

#[test]
fn a_name_is_that_of_a_folder() {
    for bad in ["../out", "", " ", ".hidden", "a/b"] {
        broken("name = \"t\"", &format!("name = \"{bad}\""), 2, "name", &["cannot be the name"], "letters");
    }
}

#[test]
fn small_numbers_are_shown_short() {
    broken("fps = 30", "fps = 30\nstep = 1e-300", 4, "step", &["step is 1e-300, but"], "millisecond");
}

/// What a method says of an option is shown where the option stands; `[methods.KEY]` wins over
/// `[method]`.
#[test]
fn complaints_of_methods_are_shown_at_their_lines() {
    let text = GOOD.replace("key = \"newton\"", "key = \"newton\"\ntolerance = -1");
    let document = load_in(Path::new("."), &text, &[]).expect("names and types are right").document;
    let error = document.option_error("newton", Some("tolerance"), "it is -1; `key` is not meant");
    assert_eq!((error.line(), error.object()), (Some(7), "method.tolerance"), "{error}");
    let both = format!("{text}[methods.newton]\ntolerance = -2\n");
    let document = load_in(Path::new("."), &both, &[]).expect("names and types are right").document;
    let error = document.option_error("newton", Some("tolerance"), "it is -2");
    assert_eq!((error.line(), error.object()), (Some(18), "methods.newton.tolerance"), "{error}");
    let error = document.option_error("newton", Some("max_iterations"), "it does not stand in the scene");
    assert_eq!((error.line(), error.object()), (Some(5), "method"), "{error}");
    let error = document.option_error("newton", None, "`tolerance` and others do not fit");
    assert_eq!((error.line(), error.object()), (Some(5), "method"), "{error}");
    assert!(error.fix().contains("stiction methods newton"), "{}", error.fix());
    let error = document.method_error("newton", "`tolerance` of `cloth` is on frames");
    assert_eq!((error.line(), error.object()), (Some(6), "method.key"), "{error}");
    assert!(!error.fix().contains("options"), "{}", error.fix());
}

#[test]
fn numbers_must_be_finite() {
    for bad in ["nan", "inf", "-inf"] {
        let to = format!("friction = {bad}");
        broken("friction = 0.3", &to, 11, "bodies.cloth.friction", &["not a finite number"], "finite");
    }
}

#[test]
fn broken_syntax_has_a_line() {
    let error = error_of(&GOOD.replace("fps = 30", "fps = = 30"), &[]);
    assert_eq!(error.line(), Some(3));
    assert!(matches!(error.problem(), Problem::Syntax(_)));
    let error = error_of("{ \"stiction\": 1,\n \"fps\": 1e999 }", &[]);
    assert_eq!(error.line(), Some(2), "{error}");
}

#[test]
fn missing_keys_and_versions() {
    broken("kind = \"cloth\"\n", "", 7, "bodies.cloth", &["missing key `kind`"], "kind");
    broken("stiction = 1", "stiction = 99", 1, "stiction", &["version 99"], "stiction = 1");
    assert!(error_of("name = \"x\"", &[]).to_string().contains("missing key `stiction`"));
    assert!(error_of("stiction = 1", &[]).to_string().contains("missing key `bodies`"));
}

#[test]
fn a_missing_mesh_file_names_the_file_and_the_folder() {
    let mesh = "mesh = { grid = { size = [1, 1], cells = [4, 4] } }";
    broken(
        mesh,
        "mesh = \"nowhere.obj\"",
        10,
        "bodies.cloth.mesh",
        &["nowhere.obj"],
        "relative to the scene",
    );
}

#[test]
fn materials_must_be_physical() {
    let m = "material = { preset = \"cotton\", young = 1e6 }";
    for (key, value, words) in [
        ("young", "0", "greater than zero"),
        ("young", "-5", "greater than zero"),
        ("thickness", "0", "greater than zero"),
        ("density", "0", "greater than zero"),
        ("density", "-1", "greater than zero"),
        ("area_density", "0", "greater than zero"),
        ("poisson", "0.5", "between -1 and 0.5"),
        ("poisson", "-1", "between -1 and 0.5"),
        ("damping_mass", "-1", "not be negative"),
        ("strain_limit", "0", "greater than zero"),
    ] {
        let to = format!("material = {{ preset = \"cotton\", {key} = {value} }}");
        broken(m, &to, 9, &format!("bodies.cloth.material.{key}"), &[words], "");
    }
    broken(m, "material = \"coton\"", 9, "bodies.cloth.material", &["unknown preset `coton`"], "`cotton`");
    broken(
        m,
        "material = \"rubber\"",
        9,
        "bodies.cloth.material",
        &["is a solid, but the body is a cloth"],
        "cotton",
    );
    broken(
        m,
        "material = { young = 1e6 }",
        9,
        "bodies.cloth.material",
        &["missing key `thickness`"],
        "preset",
    );
    let foreign = "material = { preset = \"cotton\", radius = 1 }";
    broken(m, foreign, 9, "bodies.cloth.material.radius", &["means nothing for a cloth"], "rod");
    let law = "material = { preset = \"cotton\", law = \"fixed_corotated\" }";
    broken(m, law, 9, "bodies.cloth.material.law", &["`fixed_corotated` is not a law for a cloth"], "stvk");
}

#[test]
fn sizes_and_times_must_be_positive() {
    broken("fps = 30", "fps = 0", 3, "fps", &["greater than zero"], "fps");
    broken("fps = 30", "fps = 30\nstep = -0.1", 4, "step", &["greater than zero"], "step");
    broken(
        "size = [1, 1]",
        "size = [0, 1]",
        10,
        "bodies.cloth.mesh.grid.size",
        &["greater than zero"],
        "size",
    );
    broken("cells = [4, 4]", "cells = [0, 4]", 10, "bodies.cloth.mesh.grid.cells", &["at least 1"], "cells");
    broken(
        "cells = [4, 4]",
        "cells = [900000, 900000]",
        10,
        "bodies.cloth.mesh.grid",
        &["810001800001 vertices"],
        "fewer cells",
    );
    broken("friction = 0.3", "friction = -0.3", 11, "bodies.cloth.friction", &["-0.3"], "friction");
    broken(
        "friction = 0.3",
        "thickness = 0",
        11,
        "bodies.cloth.thickness",
        &["greater than zero"],
        "thickness",
    );
    broken("friction = 0.3", "gap = -1", 11, "bodies.cloth.gap", &["not be negative"], "gap");
}

#[test]
fn empty_selections_tell_box_and_bounds() {
    let to = "select = { box = { min = [5, 5, 5], max = [6, 6, 6] } }";
    broken(
        "select = \"left\"",
        to,
        13,
        "bodies.cloth.pins.0.select",
        &[
            "box [5.0000, 5.0000, 5.0000] to [6.0000",
            "none of the 25",
            "[-0.5000, -0.5000, 0.0000] to [0.5000",
        ],
        "move or enlarge",
    );
    broken(
        "select = \"left\"",
        "select = \"lft\"",
        13,
        "bodies.cloth.pins.0.select",
        &["unknown group `lft`"],
        "`left`",
    );
    broken(
        "select = \"left\"",
        "select = { indices = [3, 25] }",
        13,
        "bodies.cloth.pins.0.select.indices.1",
        &["vertex 25 does not exist", "25, numbered from 0"],
        "0 to 24",
    );
    broken("select = \"left\"", "select = {}", 13, "bodies.cloth.pins.0.select", &["names nothing"], "box");
}

#[test]
fn key_frames_must_be_in_order() {
    let to = "select = \"left\"\nmotion = { keys = [{ time = 0 }, { time = 2 }, { time = 1 }] }";
    broken(
        "select = \"left\"",
        to,
        14,
        "bodies.cloth.pins.0.motion.keys.2.time",
        &["key frame 2 is at 1 s", "2 s"],
        "increasing time",
    );
    let to = "select = \"left\"\nactive = [{ from = 1, until = 2 }, { from = 1.5 }]";
    broken("select = \"left\"", to, 14, "bodies.cloth.pins.0.active.1", &["span 1"], "begin after");
}

#[test]
fn colliders_have_one_shape() {
    let from = "plane = { offset = -1 }";
    broken(from, "friction = 1", 14, "colliders.ground", &["exactly one shape"], "plane");
    broken(from, "sphere = { radius = 0 }", 15, "colliders.ground.sphere.radius", &["greater than zero"], "");
    broken(
        from,
        "plane = { normal = [0, 0, 0] }",
        15,
        "colliders.ground.plane.normal",
        &["length zero"],
        "not zero",
    );
}

#[test]
fn unknown_methods_name_the_nearest() {
    broken("key = \"newton\"", "key = \"newtn\"", 6, "method.key", &["unknown method `newtn`"], "`newton`");
    broken(
        "[method]",
        "[methods.barier]\n[method]",
        5,
        "methods.barier",
        &["unknown method `barier`"],
        "`barrier`",
    );
}

#[test]
fn names_that_do_not_exist() {
    let add = |extra: &str| error_of(&format!("{GOOD}{extra}"), &[]);
    let error = add("[[friction.pairs]]\na = \"cloth\"\nb = \"grond\"\nmu = 1\n");
    assert_eq!(error.object(), "friction.pairs.0.b");
    assert_eq!(error.line(), Some(18));
    assert!(error.fix().contains("`ground`"), "{}", error.fix());
    let error = add("[[attachments]]\nbody = \"cloh\"\nselect = \"left\"\nto_collider = \"ground\"\n");
    assert!(error.to_string().contains("unknown body `cloh`") && error.fix().contains("`cloth`"));
    let error = add("[[attachments]]\nbody = \"cloth\"\nselect = \"left\"\nto_collider = \"gound\"\n");
    assert!(error.to_string().contains("unknown collider `gound`") && error.fix().contains("`ground`"));
    let error = add("[[stitches]]\nbody = \"cloth\"\npairs = [[0, 99]]\n");
    assert!(error.to_string().contains("no vertex 99"), "{error}");
}

#[test]
fn bad_meshes_name_the_cell() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let solid = |mesh: &str| {
        format!("stiction = 1\n[bodies.block]\nkind = \"solid\"\nmaterial = \"rubber\"\nmesh = \"{mesh}\"\n")
    };
    let cloth = |mesh: &str| {
        format!("stiction = 1\n[bodies.c]\nkind = \"cloth\"\nmaterial = \"cotton\"\nmesh = \"{mesh}\"\n")
    };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("write");
    let node = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n";
    for name in ["inverted", "flat", "range", "loose", "whole"] {
        write(&format!("{name}.node"), node);
    }
    write("flat.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n");
    write("whole.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
    write(
        "inverted.ele",
        "2 4 0\n0 0 1 2 3\n1 1 2 4 3\n"
            .replace("1 1 2 4 3", "1 1 2 3 4")
            .replace("1 2 3 4", "2 1 3 4")
            .as_str(),
    );
    write("flat.ele", "1 4 0\n0 0 1 2 3\n");
    write("range.ele", "1 4 0\n0 0 1 2 7\n");
    write("loose.ele", "1 4 0\n0 0 1 2 3\n");
    write("whole.ele", "1 4 0\n0 0 2 1 3\n");
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    write("far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    write("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n");
    for (text, words) in [
        (solid("inverted.node"), vec!["tet 1 is inverted", "1 of 2", "inverted.node"]),
        (solid("flat.node"), vec!["tet 0 is degenerate", "volume"]),
        (solid("range.node"), vec!["tet 0 uses vertex 7, but there are only 5"]),
        (solid("loose.node"), vec!["vertex 4 belongs to no tet", "mass would be zero"]),
        (cloth("tri.obj"), vec!["triangle 0 is degenerate", "area", "tri.obj"]),
        (cloth("far.obj"), vec!["triangle 0 uses vertex 3, but there are only 3"]),
        (cloth("nan.obj"), vec!["nan.obj", "line 2", "`nan` is not a finite number"]),
        (cloth("flat.node"), vec!["holds tets, but a cloth needs triangles"]),
    ] {
        let error = load_in(folder.path(), &text, &[]).map(|l| l.scene.name).expect_err("bad mesh");
        assert_eq!(error.line(), Some(5), "{error}");
        assert!(!error.fix().is_empty());
        for word in words {
            assert!(error.to_string().contains(word), "`{word}` missing in: {error}");
        }
    }
    // A mesh that is inverted as a whole is only listed the other way round.
    assert!(load_in(folder.path(), &solid("whole.node"), &[]).is_ok());
}

#[test]
fn overrides_name_the_nearest_path() {
    let error = error_of(GOOD, &["bodies.clth.friction=0.1"]);
    assert!(error.to_string().contains("there is no `bodies.clth`"), "{error}");
    assert!(error.fix().contains("`bodies.cloth.friction`"), "{}", error.fix());
    let error = error_of(GOOD, &["bodies.cloth.fricton=0.1"]);
    assert!(error.to_string().contains("unknown key `fricton`") && error.fix().contains("`friction`"));
    assert!(error.fix().contains("--set bodies.cloth.fricton=0.1"), "{}", error.fix());
    assert!(error_of(GOOD, &["fps"]).to_string().contains("no `=`"));
    assert!(error_of(GOOD, &["fps=nan"]).to_string().contains("not TOML"));
    assert!(error_of(GOOD, &["bodies.cloth.pins.3.stiffness=1"]).to_string().contains("no item `3`"));
    let error = error_of(
        &GOOD.replace("[[bodies.cloth.pins]]\nselect = \"left\"\n", ""),
        &["bodies.cloth.pins.0.stiffness=1"],
    );
    assert!(error.to_string().contains("there is no list `bodies.cloth.pins`"), "{error}");
    assert!(error_of(GOOD, &["fps.x=1"]).to_string().contains("single value"));
}

#[test]
fn json_errors_have_lines_too() {
    let text = "{\n \"stiction\": 1,\n \"bodies\": {\n  \"c\": {\n   \"kind\": \"cloth\", \"material\": \"cotton\",\n   \
                \"mesh\": { \"grid\": { \"size\": [1, 1], \"cells\": [2, 2] } },\n   \"gapp\": 1 } } }";
    let error = error_of(text, &[]);
    assert_eq!((error.line(), error.object()), (Some(7), "bodies.c.gapp"), "{error}");
}

#[test]
fn the_graphical_report_shows_the_line() {
    let error = error_of(&GOOD.replace("friction = 0.3", "fricton = 0.3"), &[]);
    let mut text = String::new();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    handler.render_report(&mut text, &error).expect("render");
    assert!(text.contains("fricton = 0.3") && text.contains("did you mean `friction`?"), "{text}");
}
