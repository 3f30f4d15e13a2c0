//! Bodies by themselves and on slopes: closed forms, and Newton beside them.

use super::Run;
use stiction_numerics::Vec3;
use stiction_solvers::StepReport;

/// A soft block that starts just above a slope of 10 degrees.
fn block_on_slope(friction: f64, iterations: usize) -> String {
    format!(
        "stiction = 1
        fps = 100
        gravity = 9.81
        method = {{ key = 'pd', iterations = {iterations}, sweeps = 10 }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.2, 0.2, 0.1], cells = [3, 3, 2] }} }}
        rotate = {{ axis = [0, 1, 0], degrees = 10 }}
        translate = [0.00868240888, 0.0, 0.0492403877]
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, damping_stiffness = 0.01 }}
        friction = {friction}
        [colliders.slope]
        plane = {{ normal = [0.17364817766693033, 0, 0.984807753012208], offset = 0.0 }}
        friction = {friction}"
    )
}

/// a = g (sin 10° − μ cos 10°), measured after the block has settled.
#[test]
fn a_block_slides_down_a_slope_as_coulomb_says() {
    let h = 0.01;
    for (iterations, tolerance) in [(20, 1e-3), (100, 1e-4)] {
        let mut run = Run::new(&block_on_slope(0.1, iterations));
        (0..50).for_each(|_| drop(run.step(h)));
        let before = run.velocity().norm();
        (0..50).for_each(|_| drop(run.step(h)));
        let acceleration = (run.velocity().norm() - before) / (50.0 * h);
        let angle = 10f64.to_radians();
        let exact = 9.81 * (angle.sin() - 0.1 * angle.cos());
        println!("{iterations} iterations: {acceleration} against {exact}");
        assert!((acceleration / exact - 1.0).abs() < tolerance, "{iterations}: {acceleration} {exact}");
    }
}

#[test]
fn a_block_with_friction_enough_rests_and_its_contacts_carry_its_weight() {
    let h = 0.01;
    let mut run = Run::new(&block_on_slope(0.3, 50));
    (0..100).for_each(|_| drop(run.step(h)));
    let place = run.centre();
    let reports: Vec<StepReport> = (0..50).map(|_| run.step(h)).collect();
    let slid = (run.centre() - place).norm();
    // Critical friction is 0.176. Sliding freely it would go 0.2 m in this time.
    assert!(slid < 1e-4, "slid {slid} m");
    let mean = reports.iter().map(|r| r.contact_force[0]).sum::<Vec3>() / reports.len() as f64;
    let weight = Vec3::new(0.0, 0.0, 9.81 * run.mass());
    println!("slid {slid} m, force {mean:?} against {weight:?}");
    assert!((mean - weight).norm() < 0.01 * weight.norm(), "{mean} {weight}");
}

const FREE: &str = "stiction = 1
    fps = 100
    gravity = 9.81
    method = { key = 'pd', iterations = 20 }
    [bodies.cube]
    kind = 'solid'
    mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
    material = { density = 1000.0, young = 1e5, poisson = 0.3 }
    velocity = [1.0, 0.0, 2.0]";

/// Backward Euler falls by g h² n (n + 1)/2.
#[test]
fn free_fall_is_exact() {
    let mut run = Run::new(FREE);
    let (h, steps) = (0.01, 40);
    let start = run.centre();
    (0..steps).for_each(|_| drop(run.step(h)));
    let n = f64::from(steps);
    let expected =
        start + Vec3::new(1.0, 0.0, 2.0) * (n * h) - Vec3::z() * (9.81 * h * h * n * (n + 1.0) / 2.0);
    assert!((run.centre() - expected).norm() < 1e-10, "{} {expected}", run.centre());
}

/// Elastic forces and damping are internal: in free flight a spinning, ringing body keeps its
/// momentum to round-off.
#[test]
fn free_flight_keeps_the_momentum() {
    let text = FREE
        .replace("gravity = 9.81", "gravity = 0")
        .replace("poisson = 0.3 ", "poisson = 0.3, damping_stiffness = 0.002 ")
        + "\n    spin = [0, 0, 6.0]";
    let mut run = Run::new(&text);
    run.state.blocks[0] *= 1.2;
    let before = run.state.momentum(&run.model, &run.parameters);
    (0..30).for_each(|_| drop(run.step(0.01)));
    let after = run.state.momentum(&run.model, &run.parameters);
    assert!((after - before).norm() < 1e-10 * before.norm(), "{before} {after}");
}

/// Damping follows the rotation of the elements, so that a spinning body is hardly braked by it:
/// backward Euler alone loses about as much.
#[test]
fn damping_lets_a_body_spin() {
    let spin = |damping: &str| {
        let text = FREE
            .replace("gravity = 9.81", "gravity = 0")
            .replace("iterations = 20", "iterations = 60")
            .replace("poisson = 0.3 ", &format!("poisson = 0.3, damping_stiffness = {damping} "))
            .replace("velocity = [1.0, 0.0, 2.0]", "spin = [0, 0, 6.0]");
        let mut run = Run::new(&text);
        let before = run.state.angular_momentum(&run.model, &run.parameters).z;
        (0..50).for_each(|_| drop(run.step(0.005)));
        run.state.angular_momentum(&run.model, &run.parameters).z / before
    };
    let (free, damped) = (spin("0.0"), spin("0.01"));
    println!("kept {free} without and {damped} with damping");
    assert!(damped > free - 0.02, "{free} {damped}");
}

fn bar(method: &str) -> String {
    format!(
        "stiction = 1
        fps = 10
        gravity = 9.81
        method = {{ {method} }}
        [bodies.bar]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.5], cells = [2, 2, 8] }} }}
        material = {{ density = 1000.0, young = 5e4, poisson = 0.3, law = 'corotated', damping_mass = 8.0 }}
        pins = [{{ select = 'top' }}]"
    )
}

/// The hanging bar stretches by about ρ g L²/(2E) = 2.5 cm: both methods agree, Poisson's ratio
/// included.
#[test]
fn a_hanging_bar_stretches_as_with_newton() {
    let mut reference =
        Run::new(&bar("key = 'newton', quasi_static = true, tolerance = 1e-8, max_iterations = 200"));
    reference.step(0.1);
    let mut run = Run::new(&bar("key = 'pd', iterations = 60"));
    (0..150).for_each(|_| drop(run.step(0.02)));
    let lowest = |r: &Run| r.state.blocks[..r.model.nodes].iter().map(|x| x.z).fold(0.0, f64::min) + 0.25;
    let narrowest = |r: &Run| r.state.blocks[..r.model.nodes].iter().map(|x| x.x).fold(0.0, f64::max) - 0.05;
    println!(
        "{} against {}, {} against {}",
        lowest(&run),
        lowest(&reference),
        narrowest(&run),
        narrowest(&reference)
    );
    assert!(
        (lowest(&run) / lowest(&reference) - 1.0).abs() < 0.03,
        "{} {}",
        lowest(&run),
        lowest(&reference)
    );
}

/// Cloth and a soft cube in contact, with a saved state: the same bits for any number of threads,
/// and after a restore.
#[test]
fn threads_and_restores_change_no_bit() {
    let text = "stiction = 1
        fps = 100
        gravity = 9.81
        method = { key = 'pd', iterations = 10 }
        [bodies.cloth]
        kind = 'cloth'
        mesh = { grid = { size = [0.4, 0.4], cells = [20, 20] } }
        translate = [0.0, 0.0, 0.105]
        material = { density = 300.0, thickness = 0.001, young = 1e5, poisson = 0.3, bending = 'quadratic' }
        friction = 0.4
        [bodies.cube]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [4, 4, 4] } }
        translate = [0.02, 0.01, 0.17]
        material = { density = 500.0, young = 1e5, poisson = 0.3 }
        friction = 0.4
        [colliders.globe]
        sphere = { centre = [0, 0, 0], radius = 0.1 }
        friction = 0.4";
    let ends: Vec<Vec<Vec3>> = [1, 2, 7]
        .map(|threads| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(|| {
                let mut run = Run::new(text);
                (0..8).for_each(|_| drop(run.step(0.01)));
                let saved = run.solver.save();
                let state = run.state.clone();
                let report = run.step(0.01);
                assert!(report.contacts > 20, "{} contacts", report.contacts);
                let mut resumed = Run::new(text);
                resumed.solver.restore(&saved).expect("a good state");
                resumed.state = state;
                resumed.step(0.01);
                assert_eq!(run.state, resumed.state);
                run.state.blocks
            })
        })
        .into();
    assert!(ends.iter().all(|end| *end == ends[0]));
}
