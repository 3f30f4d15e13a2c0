//! Method `barrier`.

use crate::bench::Bench;
use std::path::Path;
use stiction_bodies::{Parameters, build};
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_scene::load_text;
use stiction_solvers::{Meeting, StepError, Violation, World, create};

fn assert_free(bench: &Bench) {
    let mut finder = ContactFinder::new(&bench.model, &bench.parameters.controls, DetectOptions::default())
        .expect("a mesh");
    let found =
        finder.intersections(&bench.model, &bench.parameters.controls, bench.state.placed()).expect("a mesh");
    assert!(found.is_intersection_free() && found.overlaps.is_empty(), "{found:?}");
}

/// Two sheets, the upper one at a height and with a density.
fn sheets(height: f64, density: f64, gap: f64) -> String {
    let sheet = |name: &str, z: f64, density: f64, size: f64| {
        format!(
            "[bodies.{name}]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [{size}, {size}], cells = [6, 6], pattern = 'alternating' }} }}
            material = {{ density = {density}, thickness = 0.001, young = 1e5, poisson = 0.3, damping_stiffness = 0.005 }}
            translate = [0.003, 0.002, {z}]
            gap = {gap}\n"
        )
    };
    let lower = sheet("lower", 0.0, 400.0, 0.12) + "pins = [{ select = 'left' }, { select = 'right' }]\n";
    lower + &sheet("upper", height, density, 0.1)
}

#[test]
fn a_start_that_intersects_names_pair_place_and_depth() {
    // A sheet turned through the other one.
    let text = sheets(0.0, 400.0, 0.001)
        .replace("[bodies.upper]", "[bodies.upper]\nrotate = { axis = [0, 1, 0.2], degrees = 60 }");
    let mut bench = Bench::new("key = 'barrier'", &text);
    let before = bench.state.clone();
    let error = bench.try_step(0.01).expect_err("they cross");
    let StepError::Start { found } = &error else { panic!("the input is at fault: {error:?}") };
    let crossings = found.iter().filter(|v| is_crossing(v, ["lower", "upper"])).count();
    let error = error.to_string();
    assert!(error.contains("`upper`") && error.contains("`lower`") && error.contains(" m"), "{error}");
    // All are in the value, five in the words.
    assert!(crossings > 5 && error.contains(&format!("and {} more", found.len() - 5)), "{error}");
    assert_eq!(bench.state, before);
}

fn is_crossing(violation: &Violation, names: [&str; 2]) -> bool {
    let Violation::Intersection { objects, meeting: Meeting::Crossing { .. }, .. } = violation else {
        return false;
    };
    names.iter().all(|name| objects.iter().any(|object| object == name))
}

/// An upright sheet whose lower edge is 1 mm below a level one: that far it must rise, at the edges
/// that pass through.
#[test]
fn a_start_that_intersects_says_how_deep() {
    let text = "
        [bodies.level]
        kind = 'cloth'
        mesh = { grid = { size = [0.12, 0.12], cells = [3, 3] } }
        material = { preset = 'cotton' }
        gap = 0.001
        [bodies.upright]
        kind = 'cloth'
        mesh = { grid = { size = [0.05, 0.05], cells = [2, 2], plane = 'xz' } }
        material = { preset = 'cotton' }
        translate = [0.004, 0.003, 0.024]
        gap = 0.001";
    let mut bench = Bench::new("key = 'barrier'", text);
    let StepError::Start { found } = bench.try_step(0.01).expect_err("they cross") else { panic!("a start") };
    let mut deepest: f64 = 0.0;
    for violation in found.iter().filter(|v| is_crossing(v, ["level", "upright"])) {
        let Violation::Intersection { place, depth, meeting: Meeting::Crossing { edge, triangle }, .. } =
            violation
        else {
            unreachable!()
        };
        assert!(place.z.abs() < 1e-12 && (place.y - 0.003).abs() < 1e-12, "{violation:?}");
        assert!(*depth <= 1e-3 * (1.0 + 1e-9), "{violation:?}");
        // 18 triangles and 33 edges of the level sheet, 8 and 16 of the other.
        assert!(*edge < 49 && *triangle < 26, "{violation:?}");
        deepest = deepest.max(*depth);
    }
    assert!((deepest / 1e-3 - 1.0).abs() < 1e-9, "{deepest} m");
}

/// A sheet that is stretched by a ninth where a twentieth is allowed: every triangle is listed with
/// its excess.
#[test]
fn a_start_beyond_its_strain_limit_is_refused() {
    let text = "
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } }
        rest = { scale = 0.9 }
        material = { preset = 'cotton', strain_limit = 0.05 }
        gap = 0.001";
    let mut bench = Bench::new("key = 'barrier'", text);
    let error = bench.try_step(0.01).expect_err("it is stretched too far");
    let StepError::Start { found } = &error else { panic!("the input is at fault: {error:?}") };
    assert_eq!(found.len(), 8);
    let right = |v: &Violation| match v {
        Violation::Strain { body, excess, .. } => {
            body == "sheet" && (excess - (1.0 / 0.9 - 1.05)).abs() < 1e-9
        }
        Violation::Intersection { .. } => false,
    };
    assert!(found.iter().all(right), "{found:?}");
    assert!(error.to_string().contains("strain limit of `sheet`"), "{error}");
}

/// No gap at all leaves no room for a barrier.
#[test]
fn gaps_of_zero_are_refused_by_name() {
    let text = format!("stiction = 1\nmethod = {{ key = 'barrier' }}\n{}", sheets(0.01, 400.0, 0.0));
    let loaded = load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
    let scene = loaded.unwrap_or_else(|error| panic!("{error}")).scene;
    let model = build(&scene).expect("a good model");
    let parameters = Parameters::from_scene(&scene, &model);
    let made = create(&scene.method, World { model: &model, parameters: &parameters });
    let error = made.err().expect("nothing can act").to_string();
    assert!(error.contains("gap is 0") && error.contains("`gap`"), "{error}");
}

/// A block that touches the floor exactly has no gap that a barrier could keep open.
#[test]
fn a_zero_gap_is_refused_with_a_reason() {
    let touching = "
        [bodies.block]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
        material = { density = 1000.0, young = 1e6, poisson = 0.3 }
        translate = [0, 0, 0.05]
        [colliders.floor]
        plane = { offset = 0 }";
    let mut bench = Bench::new("key = 'barrier'", touching);
    let before = bench.state.clone();
    let error = bench.try_step(0.01).expect_err("it touches the floor").to_string();
    assert!(error.contains("`block`") && error.contains("`floor`"), "{error}");
    assert_eq!(bench.state, before);
    // Half thicknesses of ½ mm each leave nothing between mid-surfaces that are 1 mm apart;
    // rounding decides which side.
    let mut bench = Bench::new("key = 'barrier'", &sheets(0.001, 400.0, 0.001));
    match bench.try_step(0.01) {
        Ok(_) => assert_free(&bench),
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("`upper`") && error.contains("`lower`"), "{error}");
        }
    }
}

/// Contact that begins farther away than edges are long: neighbours repel each other at rest, but
/// nothing crosses or blows up.
#[test]
fn a_gap_larger_than_the_edges() {
    let mut bench = Bench::new("key = 'barrier'", &sheets(0.06, 400.0, 0.05));
    for _ in 0..20 {
        match bench.try_step(0.01) {
            Ok(report) => assert!(report.advanced > 0.0),
            Err(error) => return assert!(!error.to_string().contains("NaN"), "{error}"),
        }
        assert!(bench.nodes().iter().all(|x| x.norm() < 1.0), "it blew up");
        assert_free(&bench);
    }
}

/// Steps from 0.1 ms to 100 ms.
#[test]
fn steps_of_any_size_cross_nothing() {
    for (h, count) in [(1e-4, 40), (0.1, 8)] {
        let mut bench = Bench::new("key = 'barrier'", &sheets(0.0025, 400.0, 0.001));
        for _ in 0..count {
            bench.step(h, 10.0, 10.0);
            assert_free(&bench);
        }
    }
}

/// A sheet ten thousand times as dense as the one that it falls on.
#[test]
fn a_density_ratio_of_ten_thousand() {
    let mut bench = Bench::new("key = 'barrier'", &sheets(0.0025, 4e6, 0.001));
    for _ in 0..15 {
        bench.step(0.005, 10.0, 10.0);
        assert_free(&bench);
    }
}
