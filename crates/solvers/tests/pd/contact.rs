//! Penetrations at the start, the final filter, and options about contact.

use super::{Run, counter};
use stiction_solvers::MethodError;

/// A light cube 4 mm inside the floor, without gravity.
fn sunk(options: &str) -> String {
    format!(
        "stiction = 1
        fps = 100
        gravity = 0
        method = {{ key = 'pd', iterations = 60, sweeps = 20{options} }}
        [bodies.cube]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
        translate = [0, 0, 0.046]
        material = {{ density = 100.0, young = 1e5, poisson = 0.3 }}
        [colliders.floor]
        plane = {{ normal = 'z' }}"
    )
}

/// Without stabilisation a gap opens at g/T; with it at `k_s h α g` less what the compliance gives
/// way under the impulse, `u (1 + (α/h²) m/n) = k_s h α g` for n contacts.   [Zhu2024, section 6.1]
#[test]
fn penetrations_open_at_the_stated_rate() {
    let h = 0.01;
    let opened = |options: &str| {
        let mut run = Run::new(&sunk(options));
        let before = run.lowest();
        run.step(h);
        ((run.lowest() - before) / h, run.mass())
    };
    let (rate, mass) = opened(", resolve_time = 0.1");
    assert!((rate / (0.004 / 0.1) - 1.0).abs() < 0.02, "{rate}");
    let (rate, _) = opened(", stabilise = true, alpha = 2e-4, spring = 1e6");
    let exact = 1e6 * h * 2e-4 * 0.004 / (1.0 + 2e-4 / (h * h) * mass / 4.0);
    println!("{rate} against {exact}");
    assert!((rate / exact - 1.0).abs() < 0.03, "{rate} {exact}");
}

/// Two sheets thrown at each other at 40 m/s, the second with a hole of free edges around it, in
/// steps of 20 ms.
fn thrown(options: &str) -> String {
    format!(
        "stiction = 1
        fps = 50
        gravity = 0
        method = {{ key = 'pd', iterations = 6, sweeps = 2, detect_every = 50{options} }}
        [bodies.upper]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.4, 0.4], cells = [8, 8] }} }}
        translate = [0, 0, 0.05]
        velocity = [3, 0, -20]
        spin = [0, 9, 0]
        material = {{ density = 300.0, thickness = 0.001, young = 1e5, poisson = 0.3 }}
        [bodies.lower]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.3, 0.3], cells = [7, 7] }} }}
        rotate = {{ axis = [1, 1, 0], degrees = 11 }}
        velocity = [0, 0, 20]
        material = {{ density = 300.0, thickness = 0.001, young = 1e5, poisson = 0.3 }}"
    )
}

#[test]
fn the_filter_keeps_fast_sheets_apart() {
    let crossings = |options: &str| {
        let mut run = Run::new(&thrown(options));
        let mut step = || {
            let report = run.step(0.02);
            let of = |name: &str| if options.is_empty() { 0.0 } else { counter(&report, name) };
            let acted = of("filter_contacts") + of("filter_limited_nodes");
            (run.crossings(), acted, of("filter_left"))
        };
        (0..12).map(|_| step()).collect::<Vec<_>>()
    };
    let (without, with) = (crossings(""), crossings(", filter = true"));
    println!("{without:?}\n{with:?}");
    assert!(without.iter().any(|(crossings, ..)| *crossings > 0), "the specimen must be hard: {without:?}");
    assert!(with.iter().all(|(crossings, _, left)| *crossings == 0 && *left == 0.0), "{with:?}");
    assert!(with.iter().any(|(_, acted, _)| *acted > 0.0), "{with:?}");
}

/// A sheet falls on a ball of triangles that turns under it, in long steps. Contacts keep apart
/// what would cross and let it slide; zones would hold what is in the way to the ball, and the
/// sheet beside them would be stretched.
#[test]
fn the_filter_lets_a_sheet_slide_on_a_ball_of_triangles() {
    let mut run = Run::new(
        "stiction = 1
        fps = 25
        method = { key = 'pd', iterations = 30, sweeps = 3, final_passes = 1, filter = true }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.6, 0.6], cells = [30, 30], pattern = 'alternating' } }
        translate = [0, 0, 0.16]
        material = { density = 472.64, thickness = 0.000318, young = 8210.0, poisson = 0.243, strain_limit = 0.06 }
        friction = 0.4
        [colliders.ball]
        mesh = { sphere = { radius = 0.152, subdivisions = 3 } }
        friction = 0.4
        motion = { turn = { axis = 'z', degrees_per_second = 180 }, start = 0.6 }",
    );
    let (mut contacts, mut joined, mut excess) = (0.0, 0.0_f64, 0.0_f64);
    for step in 0..30 {
        let report = run.step(0.04);
        contacts += counter(&report, "filter_contacts");
        joined = joined.max(counter(&report, "filter_limited_nodes"));
        excess = excess.max(report.strain_limit_excess);
        assert_eq!(run.crossings(), 0, "step {step}");
    }
    println!("{contacts} contacts, at most {joined} nodes in zones, strains up to {excess} beyond the limit");
    assert!(contacts > 0.0, "the specimen must be hard");
    assert_eq!(joined, 0.0);
}

/// What the last projection sends into something else is found and kept out; without the guarantee
/// of the filter.
#[test]
fn final_passes_catch_what_comes_late() {
    let crossings = |passes: usize| {
        let mut run = Run::new(&thrown(&format!(", final_passes = {passes}")));
        let steps: Vec<(usize, f64)> = (0..12)
            .map(|_| {
                let report = run.step(0.02);
                let late = if passes > 0 { counter(&report, "late_contacts") } else { 0.0 };
                (run.crossings(), late)
            })
            .collect();
        println!("{passes} passes: {steps:?}");
        (steps.iter().map(|s| s.0).sum::<usize>(), steps.iter().map(|s| s.1).sum::<f64>())
    };
    let (without, with) = (crossings(0), crossings(8));
    assert!(without.0 > 0 && with.1 > 0.0, "{without:?} {with:?}");
    assert!(2 * with.0 < without.0, "{with:?} against {without:?}");
}

#[test]
fn weights_of_bodies_that_do_not_exist_are_refused() {
    let good = sunk(", contact_weights = { cube = 50.0 }");
    assert!(Run::try_new(&good).is_ok());
    let refused = Run::try_new(&good.replace("cube = 50.0", "cub = 50.0"));
    assert!(
        matches!(refused.map(|_| ()), Err(MethodError::Value { message, .. }) if message.contains("`cub`"))
    );
}
