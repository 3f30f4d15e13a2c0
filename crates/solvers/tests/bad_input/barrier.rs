//! Method `barrier`.

use crate::bench::Bench;
use stiction_contact::detect::{Collider, DetectOptions};
use stiction_solvers::StepError;

fn assert_free(bench: &Bench) {
    let mut collider = Collider::new(&bench.model, DetectOptions::default()).expect("a mesh");
    let found = collider.judge(&bench.model, &bench.state.blocks, bench.state.time).expect("a mesh");
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
    assert!(matches!(error, StepError::Start { .. }), "the input is at fault: {error:?}");
    let error = error.to_string();
    assert!(error.contains("`upper`") && error.contains("`lower`"), "{error}");
    assert!(error.contains(" m") && error.contains("at the start"), "place and depth: {error}");
    assert_eq!(bench.state, before);
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
    // Half thicknesses of ½ mm each leave nothing between mid-surfaces that are 1 mm apart; rounding decides which side.
    let mut bench = Bench::new("key = 'barrier'", &sheets(0.001, 400.0, 0.001));
    match bench.try_step(0.01) {
        Ok(_) => assert_free(&bench),
        Err(error) => {
            let error = error.to_string();
            assert!(error.contains("`upper`") && error.contains("`lower`"), "{error}");
        }
    }
}

/// Contact that begins farther away than edges are long: neighbours repel each other at rest, but nothing crosses or blows up.
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
