//! Garments that begin a little inside a mesh body.

use super::Run;
use std::f64::consts::PI;

/// A sheet of 80 mm at a height over a round mesh body of 0.1 m, which may move.
fn sheet(height: f64, motion: &str) -> Run {
    Run::new(&format!(
        "stiction = 1
        fps = 60
        gravity = 0.0
        method = {{ key = 'pd' }}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.08, 0.08], cells = [8, 8], pattern = 'alternating' }} }}
        material = {{ density = 400.0, thickness = 0.001, young = 1e5, poisson = 0.3, damping_stiffness = 0.01 }}
        translate = [0, 0, {height}]
        [colliders.body]
        mesh = {{ sphere = {{ radius = 0.1, subdivisions = 3 }} }}
        {motion}"
    ))
}

/// Steps of 10 ms until nothing crosses and nothing is inside \[s\], and on to 0.4 s.
fn time_until_out(run: &mut Run) -> f64 {
    let mut out = 0.0;
    for step in 1..=40 {
        run.step(0.01);
        if run.crossings() > 0 {
            out = 0.01 * f64::from(step);
        }
    }
    out
}

/// 4 mm deep in the middle: out within three times the resolve time (0.05 s), and out it stays;
/// whether the body rests or moves.
#[test]
fn a_sheet_inside_a_mesh_is_let_out() {
    for motion in ["", "motion = { keys = [{ time = 0 }, { time = 0.4, translate = [0.1, 0, 0.05] }] }"] {
        let mut run = sheet(0.096, motion);
        assert!(run.crossings() > 0);
        let out = time_until_out(&mut run);
        println!("{motion}: out after {out} s, {} crossings", run.crossings());
        assert!(out <= 0.15 && run.crossings() == 0, "{motion}: {out}");
    }
}

/// A tube of cloth, 3 mm narrower than the body that it is around.
#[test]
fn a_tube_inside_a_mesh_is_let_out() {
    let mut run = Run::new(
        "stiction = 1
        fps = 60
        gravity = 0.0
        method = { key = 'pd' }
        [bodies.tube]
        kind = 'cloth'
        mesh = { cylinder = { radius = 0.0485, height = 0.06, around = 40, along = 8 } }
        material = { density = 400.0, thickness = 0.001, young = 1e4, poisson = 0.3, damping_stiffness = 0.01 }
        [colliders.body]
        mesh = { sphere = { radius = 0.05, subdivisions = 3 } }",
    );
    let inside = run.crossings();
    let out = time_until_out(&mut run);
    println!("{inside} at the start, out after {out} s");
    assert!(inside > 0 && out <= 0.15, "{inside} {out}");
    // Around, not beside: it still goes round the body.
    let angles = run.state.blocks[..run.model.nodes].iter().map(|x| x.y.atan2(x.x));
    let (least, most) = angles.fold((PI, -PI), |(a, b), angle| (a.min(angle), b.max(angle)));
    assert!(most - least > 1.9 * PI * 0.95);
}

/// A run that is resumed while the sheet is on its way out goes on with the same bits, whether the
/// body rests or moves.
#[test]
fn a_sheet_on_its_way_out_can_be_resumed() {
    for motion in ["", "motion = { keys = [{ time = 0 }, { time = 0.4, translate = [0.1, 0, 0.05] }] }"] {
        for steps in 1..=3 {
            let mut run = sheet(0.096, motion);
            (0..steps).for_each(|_| drop(run.step(0.01)));
            assert!(steps == 3 || run.crossings() > 0, "{motion}: out after {steps} steps");
            let mut resumed = sheet(0.096, motion);
            resumed.solver.restore(&run.solver.save()).expect("a good state");
            resumed.state = run.state.clone();
            for step in 0..12 {
                run.step(0.01);
                resumed.step(0.01);
                assert_eq!(run.state, resumed.state, "{motion}: saved after {steps}, step {step}");
            }
            assert_eq!(run.crossings(), 0);
        }
    }
}

/// Outside, nothing changes: a sheet that rests on the body at its thickness stays where it is.
#[test]
fn a_sheet_outside_is_left_alone() {
    let mut run = sheet(0.1008, "");
    let start = run.state.blocks.clone();
    (0..20).for_each(|_| drop(run.step(0.01)));
    let moved = run.state.blocks.iter().zip(&start).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(moved < 1e-9 && run.crossings() == 0, "{moved}");
}

/// A sheet in the middle of a body was put there: it is not thrown out.
#[test]
fn a_sheet_deep_inside_stays() {
    let mut run = sheet(0.0, "");
    (0..10).for_each(|_| drop(run.step(0.01)));
    let highest = run.state.blocks.iter().map(|x| x.z.abs()).fold(0.0, f64::max);
    assert!(highest < 1e-3, "{highest}");
}
