//! Options of method `barrier` compared with those of the paper: each does what it says, and the rest stays.

mod common;

use common::Run;
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_numerics::{Mat2, Mat3x2, Vec3, svd3x2};
use stiction_solvers::StepReport;

fn counter(report: &StepReport, name: &str) -> f64 {
    let found = report.counters.iter().find(|(key, _)| *key == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", report.counters)).1
}

/// Two sheets half a gap apart without gravity, the lower one a hundred times as dense: the
/// smallest gap after a step.
fn gap_of_unequal_sheets(contact_mass: &str) -> f64 {
    let sheet = |name: &str, z: f64, density: f64, size: f64| {
        format!(
            "[bodies.{name}]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [{size}, {size}], cells = [4, 4], pattern = 'alternating' }} }}
            material = {{ density = {density}, thickness = 0.0002, young = 1e5, poisson = 0.3 }}
            translate = [0.001, 0.002, {z}]
            gap = 0.002\n"
        )
    };
    let text = format!(
        "stiction = 1
        gravity = 0.0
        wind = {{ air_density = 0.0 }}
        method = {{ key = 'barrier', elastic_stiffness = false, contact_mass = '{contact_mass}' }}
        {}{}",
        sheet("lower", 0.0, 1e5, 0.12),
        sheet("upper", 0.0012, 1e3, 0.1)
    );
    counter(&Run::new(&text).step(0.01), "min_gap_m")
}

/// A light vertex over a heavy triangle feels a third of the masses' average: the barrier is softer
/// and opens the gap less in a step.
#[test]
fn a_weighted_contact_mass_is_softer_between_unequal_bodies() {
    let [average, weighted] = ["average", "weighted"].map(gap_of_unequal_sheets);
    println!("gaps {average} by the average, {weighted} by weights");
    let left = |gap: f64| 0.002 - gap;
    assert!(average < 0.002 && left(weighted) > 1.2 * left(average), "{weighted} against {average}");
}

/// Both norms end in the same state up to the tolerance of the step, by another number of
/// iterations.
#[test]
fn the_norm_of_conjugate_gradients_ends_solves_elsewhere() {
    let fallen = |norm: &str| {
        let mut run = Run::new(&format!(
            "stiction = 1
            method = {{ key = 'barrier', linear = 'pcg', pcg_norm = '{norm}' }}
            [bodies.cloth]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.3, 0.3], cells = [10, 10], pattern = 'alternating' }} }}
            translate = [0.01, 0.02, 0.1025]
            material = {{ preset = 'cotton' }}
            gap = 0.002
            [colliders.ball]
            sphere = {{ centre = [0, 0, 0], radius = 0.1 }}
            gap = 0.002"
        ));
        let iterations: f64 = (0..4).map(|_| counter(&run.step(0.01), "pcg_iterations")).sum();
        (iterations, run.state.blocks)
    };
    let [(infinity, places), (two, others)] = ["infinity", "two"].map(fallen);
    let apart = places.iter().zip(&others).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    println!("{infinity} iterations by the largest component, {two} by the sum of squares; {apart} m apart");
    assert!(infinity != two && apart > 0.0);
    // 1 mm/s over four steps of 10 ms.
    assert!(apart < 4e-5, "{apart} m apart");
}

/// A sheet that hangs by one edge and would stretch by half without its 5 % limit: the larger
/// stretch of all triangles, by itself and as the step tells its distance from the limit.
fn hung(strain_activation: f64) -> (f64, f64) {
    let mut run = Run::new(&format!(
        "stiction = 1
        method = {{ key = 'barrier', strain_activation = {strain_activation} }}
        gravity = [9.81, 0.0, 0.0]
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.2, 0.2], cells = [4, 4], pattern = 'alternating' }} }}
        material = {{ density = 200.0, thickness = 0.0005, young = 1e3, poisson = 0.3, strain_limit = 0.05, damping_mass = 10.0 }}
        gap = 0.001
        pins = [{{ select = 'left' }}]"
    ));
    let reports: Vec<StepReport> = (0..40).map(|_| run.step(0.02)).collect();
    let told = counter(reports.last().expect("steps were made"), "min_strain_gap");
    let (rest, now) = (&run.model.rest, &run.state.blocks);
    let stretch = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|n| n as usize);
        let flat = |v: Vec3| v.xy();
        let rest = Mat2::from_columns(&[flat(rest[b] - rest[a]), flat(rest[c] - rest[a])]);
        let now = Mat3x2::from_columns(&[now[b] - now[a], now[c] - now[a]]);
        svd3x2(&(now * rest.try_inverse().expect("a triangle"))).sigma.max()
    };
    (run.model.bodies[0].triangles.iter().map(stretch).fold(0.0, f64::max), told)
}

/// The step tells the smallest distance from a strain limit; a barrier that acts from the rest
/// length on carries a weight at a smaller stretch.
#[test]
fn strain_barriers_act_above_their_share_of_the_limit() {
    let [half, rest] = [0.5, 0.0].map(hung);
    println!("stretch and gap {half:?} above half the limit, {rest:?} from the rest length on");
    for (stretch, gap) in [half, rest] {
        assert!((1.05 - stretch - gap).abs() < 1e-12 && gap > 0.0, "{stretch} {gap}");
    }
    assert!(rest.1 > 1.05 * half.1, "{rest:?} against {half:?}");
}

/// Without limits no distance from one is told.
#[test]
fn no_strain_gap_without_a_limit() {
    let mut run = Run::new(
        "stiction = 1
        method = { key = 'barrier' }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.1, 0.1], cells = [1, 1] } }
        material = { preset = 'cotton' }
        gap = 0.001",
    );
    assert!(run.step(0.01).counters.iter().all(|(name, _)| *name != "min_strain_gap"));
}

/// How fast a block on a slope of atan(1/2) speeds up at μ = 0.45 with lagged friction and few
/// iterations \[m/s²\].
fn slide(sliding_hessian: &str) -> f64 {
    let (sine, cosine) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    let mut run = Run::new(&format!(
        "stiction = 1
        gravity = [{}, 0.0, {}]
        [method]
        key = 'barrier'
        friction = 'lagged'
        sliding_hessian = '{sliding_hessian}'
        refine_iterations = 8
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.05], cells = [2, 2, 1] }} }}
        translate = [0.0, 0.0, 0.0258]
        friction = 0.45
        gap = 0.001
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, damping_stiffness = 0.01 }}
        [colliders.slope]
        plane = {{ normal = [0, 0, 1], offset = 0.0 }}
        friction = 0.45
        gap = 0.001",
        9.81 * sine,
        -9.81 * cosine
    ));
    let speed = |run: &Run| run.state.velocities.iter().map(|v| v.x).sum::<f64>() / run.model.nodes as f64;
    (0..20).for_each(|_| drop(run.step(0.01)));
    let before = speed(&run);
    (0..40).for_each(|_| drop(run.step(0.01)));
    (speed(&run) - before) / 0.4
}

/// Below the threshold a slide is found in a few iterations when nothing in the matrix holds it
/// back.
#[test]
fn a_transverse_hessian_lets_a_slide_go() {
    let [plane, transverse] = ["plane", "transverse"].map(slide);
    let expected = 9.81 * (0.2_f64.sqrt() - 0.45 * 0.8_f64.sqrt());
    println!("{plane} m/s² with the whole plane, {transverse} m/s² across alone, {expected} by Coulomb");
    assert!((transverse / expected - 1.0).abs() < 0.02, "{transverse} against {expected}");
    assert!((plane / expected - 1.0).abs() > 0.1, "{plane} against {expected}");
}

/// A block at rest on a floor: for each node that stands on it, the force that it carries and what
/// the barrier gives with `κ = m/g²` alone \[N\].
fn loads(elastic_stiffness: bool) -> Vec<[f64; 2]> {
    let gap = 0.001;
    let mut run = Run::new(&format!(
        "stiction = 1
        method = {{ key = 'barrier', elastic_stiffness = {elastic_stiffness}, tolerance = 1e-5, refine_iterations = 64 }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.05], cells = [2, 2, 1] }} }}
        translate = [0.0, 0.0, 0.0258]
        gap = {gap}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, damping_stiffness = 0.02, damping_mass = 5.0 }}
        [colliders.floor]
        plane = {{ offset = 0 }}
        gap = {gap}"
    ));
    let last = (0..60).map(|_| run.step(0.01)).last().expect("steps were made");
    let of_node = |n: usize| {
        let (height, mass) = (run.state.blocks[n].z, run.parameters.mass[n]);
        [last.contact_load[n], mass / (height * height) * 2.0 * (gap - height).powi(2) / gap]
    };
    (0..run.model.nodes).filter(|&n| run.state.blocks[n].z < gap).map(of_node).collect()
}

/// Without elasticity a contact is as stiff as mass and distance make it; with it a body of 1 MPa
/// is held much more firmly.
#[test]
fn stiffness_of_contacts_with_and_without_elasticity() {
    let [with, without] = [true, false].map(loads);
    println!("{with:?}, {without:?}");
    assert!(with.len() == 9 && without.len() == 9);
    assert!(without.iter().all(|[load, plain]| (load / plain - 1.0).abs() < 0.01), "{without:?}");
    assert!(with.iter().all(|[load, plain]| *load > 2.0 * plain), "{with:?}");
}

/// A membrane after Baraff and Witkin under `barrier`: it drapes over a ball, nothing crosses,
/// energies are numbers.
#[test]
fn a_baraff_witkin_membrane_crosses_nothing() {
    let mut run = Run::new(
        "stiction = 1
        method = { key = 'barrier' }
        [bodies.cloth]
        kind = 'cloth'
        mesh = { grid = { size = [0.3, 0.3], cells = [10, 10], pattern = 'alternating' } }
        translate = [0.01, 0.02, 0.1025]
        material = { density = 300.0, thickness = 0.0005, young = 1e5, poisson = 0.3, law = 'baraff_witkin', damping_stiffness = 0.002 }
        friction = 0.3
        gap = 0.002
        [colliders.ball]
        sphere = { centre = [0, 0, 0], radius = 0.1 }
        gap = 0.002",
    );
    let mut finder =
        ContactFinder::new(&run.model, &run.parameters.controls, DetectOptions::default()).expect("a mesh");
    for step in 0..30 {
        let report = run.step(0.01);
        assert!(
            report.energy.iter().all(|(_, energy)| energy.is_finite()),
            "step {step}: {:?}",
            report.energy
        );
        let found =
            finder.intersections(&run.model, &run.parameters.controls, run.state.placed()).expect("a mesh");
        assert!(found.is_intersection_free() && found.overlaps.is_empty(), "step {step}: {found:?}");
    }
    let lowest = run.state.blocks.iter().map(|x| x.z).fold(f64::MAX, f64::min);
    assert!(lowest < 0.05 && lowest > -0.5, "it drapes: {lowest} m");
}
