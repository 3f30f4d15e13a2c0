//! Rigid bodies and joints as scenes write them: what they mean, and what is refused.

use std::path::Path;
use std::sync::Arc;
use stiction_numerics::Vec3;
use stiction_scene::{BodyKind, DriveTarget, JointKind, Material, Range, Scene, SceneError, load_text};

fn loaded(text: &str) -> Result<Scene, SceneError> {
    let scene = format!("stiction = 1\n{text}");
    load_text("scene.toml", &scene, Path::new("."), &[] as &[&str]).map(|l| l.scene)
}

fn scene(text: &str) -> Scene {
    loaded(text).unwrap_or_else(|e| panic!("{e}; {}", e.fix()))
}

/// The object at fault, words of the message and of the fix.
#[track_caller]
fn refused(text: &str, object: &str, word: &str, fix: &str) {
    let error = loaded(text).map(|s| s.name).expect_err("bad input");
    assert_eq!(error.object(), object, "{error}");
    assert!(error.to_string().contains(word), "`{word}` missing in: {error}");
    assert!(error.fix().contains(fix), "`{fix}` missing in: {}", error.fix());
}

const BOX: &str = "kind = 'rigid'\nmesh = { box = { size = [0.4, 0.2, 0.1], cells = [1, 1, 1] } }\n";

fn one(keys: &str) -> String {
    format!("[bodies.b]\n{BOX}{keys}\n")
}

fn pair(joint: &str) -> String {
    format!(
        "[bodies.a]\n{BOX}mass = 1\n[bodies.b]\n{BOX}mass = 2\ntranslate = [1, 0, 0]\n[joints.j]\n{joint}\n"
    )
}

fn density(scene: &Scene, body: usize) -> f64 {
    let Material::Rigid(material) = &scene.bodies[body].material else { panic!("rigid expected") };
    material.density
}

#[test]
fn mass_is_given_as_density_or_in_total() {
    let heavy = scene(&one("mass = 4.0\ntranslate = [1, 2, 3]\nvelocity = [1, 0, 0]\nspin = [0, 0, 5]"));
    let body = &heavy.bodies[0];
    assert_eq!(body.kind, BodyKind::Rigid);
    assert!((density(&heavy, 0) - 4.0 / 0.008).abs() < 1e-9);
    let rigid = body.rigid.as_ref().expect("a shape");
    assert!((rigid.centre - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-15);
    assert!(!body.self_contact && body.thickness == 0.0);
    assert_eq!((body.initial_velocity, body.spin), (Vec3::x(), Vec3::z() * 5.0));
    assert_eq!(density(&scene(&one("material = { density = 2700 }")), 0), 2700.0);
    let rubber = scene(&one("material = 'rubber'"));
    assert!(density(&rubber, 0) > 500.0 && rubber.bodies[0].friction != 0.5);
}

/// Copies share one shape; each has its own pose, from which its vertices follow.
#[test]
fn copies_share_their_shape() {
    let text = one(
        "mass = 1\n[[bodies.b.instances]]\ntranslate = [1, 0, 0]\n[[bodies.b.instances]]\nrotate = { axis = 'z', degrees = 90 }",
    );
    let scene = scene(&text);
    let [one, two] = [0, 1].map(|k| scene.bodies[k].rigid.as_ref().expect("rigid"));
    assert!(Arc::ptr_eq(&one.shape, &two.shape));
    assert!((one.centre - Vec3::x()).norm() < 1e-15);
    for (body, rigid) in scene.bodies.iter().zip([one, two]) {
        for (place, local) in body.mesh.vertices.iter().zip(&rigid.shape.vertices) {
            assert!((place - (rigid.centre + rigid.orientation * local)).norm() < 1e-15);
        }
    }
    let widest = scene.bodies[1].mesh.vertices.iter().map(|x| x.y).fold(f64::MIN, f64::max);
    assert!((widest - 0.2).abs() < 1e-15, "turned by a quarter: {widest}");
}

#[test]
fn several_shapes_move_as_one() {
    let shape = "{ mesh = { box = { size = [0.2, 0.2, 0.2], cells = [1, 1, 1] } }, translate = [X, 0, 0] }";
    let shapes = format!("shapes = [{}, {}]", shape.replace('X', "0"), shape.replace('X', "1"));
    let scene = scene(&format!("[bodies.b]\nkind = 'rigid'\nmass = 3\n{shapes}\ntranslate = [0, 0, 1]"));
    let rigid = scene.bodies[0].rigid.as_ref().expect("rigid");
    assert!((rigid.centre - Vec3::new(0.5, 0.0, 1.0)).norm() < 1e-14);
    assert!((rigid.shape.volume - 0.016).abs() < 1e-15);
    assert_eq!(rigid.shape.vertices.len(), 16);
    assert_eq!(rigid.shape.triangles.len(), 24);
}

#[test]
fn bodies_without_a_sensible_mass_are_refused() {
    refused(&one(""), "bodies.b", "mass", "density");
    refused(&one("mass = 1\nmaterial = { density = 1000 }"), "bodies.b.mass", "both", "keep `mass`");
    refused(&one("mass = 0"), "bodies.b.mass", "greater than zero", "mass");
    refused(&one("material = { density = -1 }"), "bodies.b.material.density", "greater than zero", "density");
    refused(
        &one("material = { density = 1, young = 1e6 }"),
        "bodies.b.material.young",
        "young",
        "take it out",
    );
    let open = "[bodies.b]\nkind = 'rigid'\nmass = 1\nmesh = { cylinder = { radius = 0.1, height = 0.2, around = 8, along = 2 } }";
    refused(open, "bodies.b.mesh", "not closed", "close the holes");
    let strand = "[bodies.b]\nkind = 'rigid'\nmass = 1\nmesh = { rod = { end = [1, 0, 0], segments = 4 } }";
    refused(strand, "bodies.b.mesh", "strands", "right cells");
    refused("[bodies.b]\nkind = 'rigid'\nmass = 1", "bodies.b", "mesh", "shapes");
    let twice = one("mass = 1\nshapes = [{ mesh = { sphere = { radius = 1, subdivisions = 1 } } }]");
    refused(&twice, "bodies.b.mesh", "`shapes`", "keep one");
}

#[test]
fn keys_of_other_kinds_are_refused() {
    refused(&one("mass = 1\nself_contact = true"), "bodies.b.self_contact", "rigid", "take");
    refused(&one("mass = 1\nwarp = [1, 0, 0]"), "bodies.b.warp", "rigid", "take");
    refused(&one("mass = 1\nrest = { scale = 2 }"), "bodies.b.rest", "rigid", "take");
    let cloth = "[bodies.c]\nkind = 'cloth'\nmaterial = 'cotton'\nmesh = { grid = { size = [1, 1], cells = [2, 2] } }\n";
    refused(&format!("{cloth}mass = 1"), "bodies.c.mass", "rigid bodies only", "kind");
    refused("[bodies.c]\nkind = 'cloth'\nmaterial = 'cotton'", "bodies.c", "mesh", "file name");
    refused(
        "[bodies.c]\nkind = 'cloth'\nmesh = { grid = { size = [1, 1], cells = [2, 2] } }",
        "bodies.c",
        "material",
        "preset",
    );
    refused(&format!("{cloth}[[bodies.c.pins]]\nstiffness = 1"), "bodies.c.pins.0", "select", "vertices");
    let held =
        format!("{}{cloth}[[attachments]]\nbody = 'c'\nselect = 'left'\nto_body = 'b'", one("mass = 1"));
    refused(&held, "attachments.0.to_body", "rigid", "joints");
}

#[test]
fn pins_hold_rigid_bodies_whole() {
    let pin = |keys: &str| one(&format!("mass = 1\n[[bodies.b.pins]]\n{keys}"));
    let held = scene(&pin("motion = { turn = { axis = 'z', degrees_per_second = 90 } }"));
    assert_eq!(held.bodies[0].pins[0].motion.centre, held.bodies[0].rigid.as_ref().expect("rigid").centre);
    scene(&pin("select = { all = true }"));
    refused(&pin("select = { indices = [0] }"), "bodies.b.pins.0.select", "whole", "ball");
    refused(&pin("stiffness = 10"), "bodies.b.pins.0.stiffness", "exactly", "drive");
    let growing = "motion = { keys = [{ time = 0 }, { time = 1, scale = 2 }] }";
    refused(&pin(growing), "bodies.b.pins.0", "scaled", "scale");
}

#[test]
fn joints_are_read_in_si_units() {
    let hinge = "kind = 'hinge'\na = 'a'\nb = 'b'\nanchor = [0.5, 0, 0]\naxis = [0, 0, 2]\nlimits = [-90, 45]\nfriction = 0.1\n";
    let drive = "drive = { stiffness = 10, damping = 1, max_effort = 5, keys = [{ time = 0, target = 0 }, { time = 1, target = 180 }] }";
    let scene_of_hinge = scene(&pair(&format!("{hinge}{drive}")));
    let joint = &scene_of_hinge.joints[0];
    let quarter = std::f64::consts::FRAC_PI_2;
    assert_eq!((joint.name.as_str(), joint.body_a, joint.body_b), ("j", 0, Some(1)));
    assert_eq!(joint.kind, JointKind::Hinge { limits: Some(Range { low: -quarter, high: quarter / 2.0 }) });
    assert_eq!((joint.anchor_a, joint.axis, joint.collide), (Vec3::new(0.5, 0.0, 0.0), Vec3::z(), false));
    let drive = joint.drive.as_ref().expect("a drive");
    assert!((drive.target.at(0.5).value - quarter).abs() < 1e-15);
    let rope = scene(&pair("kind = 'distance'\na = 'a'\nanchor_b = [0, 0, 3]\nlimits = [0, 4]"));
    assert_eq!(rope.joints[0].kind, JointKind::Distance { limits: Range { low: 0.0, high: 4.0 } });
    assert_eq!(rope.joints[0].body_b, None);
    let rod = scene(&pair("kind = 'distance'\na = 'a'\nb = 'b'\ndrive = { stiffness = 1 }"));
    assert_eq!(rod.joints[0].kind, JointKind::Distance { limits: Range { low: 1.0, high: 1.0 } });
    let start = &rod.joints[0].drive.as_ref().expect("a drive").target;
    assert_eq!(*start, DriveTarget::Constant { start: 1.0, rate: 0.0 });
}

#[test]
fn joints_that_make_no_sense_are_refused() {
    let bad = |joint: &str, object: &str, word: &str, fix: &str| refused(&pair(joint), object, word, fix);
    bad("kind = 'ball'\na = 'crate'\nanchor = [0, 0, 0]", "joints.j.a", "unknown body", "known");
    bad("kind = 'ball'\na = 'a'\nb = 'a'\nanchor = [0, 0, 0]", "joints.j.b", "itself", "world");
    bad("kind = 'ball'\na = 'a'", "joints.j", "anchor", "point");
    bad("kind = 'hinge'\na = 'a'\nanchor = [0, 0, 0]", "joints.j", "axis", "vector");
    bad("kind = 'hinge'\na = 'a'\nanchor = [0, 0, 0]\naxis = [0, 0, 0]", "joints.j.axis", "zero", "vector");
    let slider = "kind = 'slider'\na = 'a'\naxis = 'x'\n";
    bad(&format!("{slider}limits = [1, -1]"), "joints.j.limits", "reversed", "[-1, 1]");
    bad(&format!("{slider}limits = [1, 2]"), "joints.j.limits", "starts at 0", "widen");
    bad(&format!("{slider}drive = {{}}"), "joints.j.drive", "neither", "stiffness");
    let keys = "drive = { stiffness = 1, keys = [{ time = 1, target = 0 }, { time = 1, target = 1 }] }";
    bad(&format!("{slider}{keys}"), "joints.j.drive.keys.1.time", "not after", "increasing");
    let twice = "drive = { stiffness = 1, target = 1, keys = [{ time = 1, target = 0 }] }";
    bad(&format!("{slider}{twice}"), "joints.j.drive", "twice", "keep");
    bad("kind = 'fixed'\na = 'a'\nlimits = [0, 1]", "joints.j.limits", "fixed", "take it out");
    bad("kind = 'ball'\na = 'a'\nanchor = [0, 0, 0]\ncone = 30", "joints.j", "axis", "cone");
    bad("kind = 'distance'\na = 'a'", "joints.j", "anchor_b", "second body");
    bad("kind = 'distance'\na = 'a'\nanchor_b = [0, 0, 0]", "joints.j", "length zero", "ball");
    bad("kind = 'distance'\na = 'a'\nb = 'b'\nlimits = [2, 3]", "joints.j.limits", "starts at 1", "widen");
    bad("kind = 'elbow'\na = 'a'", "joints.j.kind", "elbow", "");
    let cloth = "[bodies.c]\nkind = 'cloth'\nmaterial = 'cotton'\nmesh = { grid = { size = [1, 1], cells = [2, 2] } }";
    refused(
        &format!("{cloth}\n[joints.j]\nkind = 'fixed'\na = 'c'"),
        "joints.j.a",
        "not rigid",
        "attachments",
    );
    let held = one("mass = 1\npins = [{}]\n[joints.j]\nkind = 'fixed'\na = 'b'");
    refused(&held, "joints.j", "prescribed", "take the joint out");
    let copies =
        one("mass = 1\narray = { count = [2, 1, 1], step = [1, 0, 0] }\n[joints.j]\nkind = 'fixed'\na = 'b'");
    refused(&copies, "joints.j.a", "unknown body", "b.0");
}
