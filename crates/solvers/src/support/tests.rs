//! Every method is asked about every feature, and does what its column says.

use super::*;
use crate::registry::{create, with_resolve_time};
use std::path::Path;
use stiction_bodies::{Parameters, build};
use stiction_scene::resolved::Cells;

const PLAIN: &str = "drag_normal = 0, drag_tangential = 0, damping_mass = 0, damping_stiffness = 0, \
                     damping_bending = 0";

/// A sheet without drag, damping or contact with itself, unless `material` and `more` say
/// otherwise.
fn sheet(material: &str, more: &str) -> String {
    format!(
        "[bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [1, 1], cells = [2, 2] }} }}
        thickness = 0.001
        material = {{ preset = 'cotton', {} }}\n{more}\n",
        if material.is_empty() { PLAIN } else { material },
    )
}

fn rod(mesh: &str, more: &str) -> String {
    format!(
        "[bodies.rod]
        kind = 'rod'
        self_contact = false
        mesh = {{ {mesh} }}
        material = {{ density = 1000, radius = 0.001, young = 1e7, poisson = 0.3, drag_normal = 0, drag_tangential = 0 }}
        {more}\n"
    )
}

fn block(kind: &str, mesh: &str, law: &str) -> String {
    format!(
        "[bodies.block]
        kind = '{kind}'
        self_contact = false
        mesh = {{ {mesh} }}
        material = {{ density = 1000, young = 1e6, poisson = 0.3 {law} }}\n"
    )
}

const LINE: &str = "rod = { end = [1, 0, 0], segments = 4 }";
const TETS: &str = "tet_box = { size = [1, 1, 1], cells = [1, 1, 1] }";
const RIGID: &str =
    "[bodies.brick]\nkind = 'rigid'\nmass = 1\nmesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }\n";
const FLOOR: &str = "[colliders.floor]\nplane = { offset = -1 }\n";
const ALONE: &str = "self_contact = false";

/// Scenes that hold a feature, and the words by which a note or refusal names it.
fn examples(feature: Feature) -> (Vec<String>, &'static str) {
    let one = |text: String| vec![text];
    match feature {
        Feature::Cloth => (one(sheet("", ALONE)), "body `sheet` of kind `cloth`"),
        Feature::Rods => (one(rod(LINE, "")), "body `rod` of kind `rod`"),
        Feature::JoinedStrands => {
            // Closed in `scene`: only mesh files can write such a strand.
            let bent = "path = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], segments = 4 }";
            (one(rod(bent, "")), "closed")
        }
        Feature::Solids => (one(block("solid", TETS, "")), "body `block` of kind `solid`"),
        Feature::Skinned => {
            let frames = "frames = { count = 2 }\n";
            (one(block("skinned", TETS, "") + frames), "body `block` of kind `skinned`")
        }
        Feature::Affine => {
            let mesh = "box = { size = [1, 1, 1], cells = [1, 1, 1] }";
            (one(block("affine", mesh, "")), "body `block` of kind `affine`")
        }
        Feature::Joints => {
            (one(RIGID.to_owned() + "[joints.axle]\nkind = 'fixed'\na = 'brick'\n"), "joint `axle`")
        }
        Feature::Rigid => (one(RIGID.to_owned()), "body `brick` of kind `rigid`"),
        Feature::SoftPins => {
            let pin = "pins = [{ select = { indices = [0] }, stiffness = 10.0 }]";
            (vec![sheet("", pin), rod(LINE, pin)], "soft pin")
        }
        Feature::Springs => {
            let stitch =
                |body: &str| format!("[[stitches]]\nbody = '{body}'\npairs = [[0, 2]]\nrest_length = 0.5\n");
            (vec![sheet("", "") + &stitch("sheet"), rod(LINE, "") + &stitch("rod")], "stitch")
        }
        Feature::StrandsOnCloth => {
            let fur = "[bodies.fur]\nkind = 'rod'
            mesh = { groom = { on_body = 'sheet', count = 3, length = 0.03, segments = 3 } }
            material = { density = 1300.0, radius = 0.0002, young = 1e9, poisson = 0.3 }\n";
            (one(sheet("", "") + fur), "grows on cloth")
        }
        Feature::ClothLaw => (one(sheet("law = 'neo_hookean'", ALONE)), "\"neo_hookean\"` of `sheet`"),
        Feature::SolidLaw => {
            (one(block("solid", TETS, ", law = 'fixed_corotated'")), "\"fixed_corotated\"` of `block`")
        }
        Feature::ShapeOperator => (one(sheet("bending = 'shape_operator'", ALONE)), "shape_operator"),
        Feature::CurvedRest => (one(sheet("", "rest = { curved = true }")), "`rest.curved` of `sheet`"),
        Feature::Twist => (one(rod(LINE, "")), "twist of `rod`"),
        Feature::StrainLimit => (one(sheet("strain_limit = 0.05", "")), "`strain_limit` of `sheet`"),
        Feature::Damping => (one(sheet("damping_stiffness = 0.1", "")), "damping of `sheet`"),
        Feature::Drag => {
            let felt = |text: String| text.replace("drag_normal = 0", "drag_normal = 1");
            let wind = "[wind]\nvelocity = [1, 0, 0]\n";
            (vec![felt(sheet("", "")), felt(rod(LINE, "")), felt(sheet("", wind))], "air drag")
        }
        Feature::Inflation => {
            let ball = "mesh = { sphere = { radius = 1, subdivisions = 1 } }\ninflation = { pressure = 1.0, bulk = 1.0 }";
            let grid = "mesh = { grid = { size = [1, 1], cells = [2, 2] } }";
            (one(sheet("", "").replace(grid, ball)), "`inflation` of `sheet`")
        }
        Feature::Contact => {
            (vec![sheet("", ""), sheet("", ALONE) + FLOOR, rod(LINE, "") + FLOOR], "contact: ")
        }
        Feature::ThinSheets => {
            let thin = sheet("", "gap = 0.1").replace("thickness = 0.001", "thickness = 1e-6");
            (one(thin), "`thickness` of at least 5.0e-3 m")
        }
        Feature::AnisotropicFriction => {
            let grain = "friction_direction = { direction = 'u', along = 1.0, across = 0.1 }";
            (one(sheet("", grain)), "`friction_direction` of `sheet`")
        }
        Feature::Cohesion => {
            let pair = |body: &str| {
                format!("{FLOOR}[friction]\npairs = [{{ a = '{body}', b = 'floor', cohesion = 1.0 }}]\n")
            };
            (vec![sheet("", "") + &pair("sheet"), rod(LINE, "") + &pair("rod")], "`cohesion`")
        }
        Feature::InitialContact | Feature::BackwardEuler | Feature::SecondOrder | Feature::Gradients => {
            (Vec::new(), "")
        }
    }
}

fn scene(method: &str, text: &str) -> Scene {
    let text = format!("stiction = 1\nmethod = {{ key = '{method}' }}\n{text}");
    let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
    let mut scene = loaded.unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.fix())).scene;
    for body in &mut scene.bodies {
        if let (Cells::Strands(strands), true) = (&mut body.mesh.cells, text.contains("path = ")) {
            strands.iter_mut().for_each(|strand| strand.push(strand[0]));
        }
    }
    scene
}

/// The notes of a scene, or the refusal by its method.
fn outcome(scene: &Scene) -> Result<Vec<String>, String> {
    let model = build(scene).expect("a good model");
    let parameters = Parameters::from_scene(scene, &model);
    match create(&scene.method, World { model: &model, parameters: &parameters }) {
        Ok(_) => Ok(ignored_settings(scene)),
        Err(MethodError::Refused { message, .. }) => Err(message),
        Err(other) => panic!("{other}"),
    }
}

/// Whether a method runs the bodies of a scene, so that what else it holds decides.
fn bodies_run(method: &str, scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| level(method, in_model::feature_of(body.kind)) == Some(Level::Exact))
}

fn supports(method: &str, feature: Feature) -> bool {
    level(method, feature).is_some_and(|level| level != Level::Refused)
}

#[test]
fn every_method_does_what_its_column_says() {
    for feature in features() {
        let (texts, word) = examples(feature);
        for method in METHODS {
            let level = level(method, feature).expect("a column");
            let scenes: Vec<Scene> = texts.iter().map(|text| scene(method, text)).collect();
            let of_bodies = feature.name() == word;
            let asked: Vec<&Scene> = scenes
                .iter()
                .filter(|s| of_bodies || level == Level::Refused || bodies_run(method, s))
                .collect();
            for scene in asked {
                let found = outcome(scene);
                let about = |notes: &Vec<String>| notes.iter().filter(|note| note.contains(word)).count();
                match level {
                    Level::Exact | Level::Moot => assert!(
                        found.as_ref().is_ok_and(|notes| about(notes) == 0),
                        "{method}, {feature:?} is {level:?}: {found:?}"
                    ),
                    Level::Ignored | Level::Replaced(_) => assert!(
                        found.as_ref().is_ok_and(|notes| about(notes) == 1),
                        "{method}, {feature:?} is {level:?}: {found:?}"
                    ),
                    Level::Refused => {
                        let message = found.expect_err(&format!("{method} refuses {feature:?}"));
                        let named = message.contains(word) || !bodies_run(method, scene);
                        let way_out = match METHODS.iter().any(|m| supports(m, feature)) {
                            true => "support it: `",
                            false => "not supported by any method yet; a near-rigid body",
                        };
                        let helps = message.contains(way_out) || !bodies_run(method, scene);
                        assert!(named && helps, "{method}, {feature:?}: {message}");
                    }
                }
            }
        }
    }
}

/// A plain sheet or rod has nothing that a method with contact would have to mention, but twist.
#[test]
fn nothing_is_noted_without_a_reason() {
    for method in METHODS {
        for text in [
            sheet("", ALONE),
            rod(LINE, ""),
            sheet("law = 'stvk', drag_normal = 0, drag_tangential = 0, damping_stiffness = 0", ALONE),
        ] {
            let scene = scene(method, &text);
            let notes = ignored_settings(&scene);
            let unexpected: Vec<&String> = notes.iter().filter(|note| !note.contains("twist")).collect();
            assert!(!bodies_run(method, &scene) || unexpected.is_empty(), "{method}: {notes:?}");
        }
        let vacuum = sheet("drag_normal = 1", "[wind]\nvelocity = [1, 0, 0]\nair_density = 0");
        assert!(
            !ignored_settings(&scene(method, &vacuum)).iter().any(|note| note.contains("air")),
            "{method}"
        );
    }
}

/// The law that a method has in place of all others is no replacement.
#[test]
fn a_law_is_not_replaced_by_itself() {
    let notes = |method: &str, text: &str| ignored_settings(&scene(method, text));
    let law = |notes: Vec<String>| notes.iter().filter(|note| note.contains("`law")).count();
    assert_eq!(law(notes("pd", &sheet("law = 'arap'", ALONE))), 0);
    assert_eq!(law(notes("pd", &sheet("law = 'corotated'", ALONE))), 0);
    assert_eq!(law(notes("xpbd", &sheet("law = 'arap'", ALONE))), 1);
    assert_eq!(law(notes("xpbd", &sheet("law = 'corotated'", ALONE))), 1);
    assert_eq!(law(notes("xpbd", &sheet("law = 'stvk'", ALONE))), 0);
    assert_eq!(law(notes("pd", &block("solid", TETS, ", law = 'corotated'"))), 0);
    assert_eq!(law(notes("pd", &block("solid", TETS, ", law = 'stvk'"))), 1);
}

#[test]
fn gaps_are_opened_at_the_start_by_the_methods_that_can() {
    for method in METHODS {
        let choice = scene(method, &sheet("", ALONE)).method;
        let opened = with_resolve_time(&choice, 0.5);
        match level(method, Feature::InitialContact) {
            Some(Level::Exact) => {
                assert_eq!(opened.expect(method).options["resolve_time"].as_f64(), Some(0.5));
            }
            _ => {
                let text = opened.expect_err(method).to_string();
                assert!(text.contains("`initial_contact") && text.contains("`admm`"), "{text}");
            }
        }
    }
}

#[test]
fn each_feature_has_one_row() {
    let rows: Vec<Feature> = features().collect();
    for (row, feature) in rows.iter().enumerate() {
        assert_eq!(rows.iter().position(|other| other == feature), Some(row), "{feature:?}");
    }
}
