//! Rods, strain limits, couplings, drag, and shapes that start wrong.

use super::Run;
use stiction_numerics::Vec3;

fn rod(method: &str) -> String {
    format!(
        "stiction = 1
        fps = 50
        gravity = 9.81
        method = {{ {method} }}
        [bodies.rod]
        kind = 'rod'
        mesh = {{ rod = {{ end = [0.3, 0, 0], segments = 12 }} }}
        material = {{ density = 1200.0, radius = 0.003, young = 1e8, poisson = 0.3, damping_mass = 6.0 }}
        pins = [{{ select = {{ indices = [0, 1] }} }}]"
    )
}

/// A clamped rod bends as with Newton: the bend stands in the matrix with its full stiffness.
#[test]
fn a_rod_bends_under_its_weight_as_with_newton() {
    let mut reference =
        Run::new(&rod("key = 'newton', quasi_static = true, tolerance = 1e-8, max_iterations = 200"));
    reference.step(0.02);
    let mut run = Run::new(&rod("key = 'pd', iterations = 30"));
    (0..200).for_each(|_| drop(run.step(0.02)));
    println!("{} against {}", run.lowest(), reference.lowest());
    assert!(reference.lowest() < -0.01, "{}", reference.lowest());
    assert!(
        (run.lowest() / reference.lowest() - 1.0).abs() < 0.03,
        "{} {}",
        run.lowest(),
        reference.lowest()
    );
}

/// A weak strip under its weight would stretch by 30 %; the limit holds it to 5 % and a little.
#[test]
fn a_strain_limit_holds() {
    let strip = |limit: &str| {
        let text = format!(
            "stiction = 1
            fps = 50
            gravity = 9.81
            method = {{ key = 'pd', iterations = 40 }}
            [bodies.strip]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.1, 0.5], cells = [2, 10], plane = 'xz' }} }}
            material = {{ density = 300.0, thickness = 0.001, young = 2400.0, poisson = 0.3, damping_mass = 6.0{limit} }}
            self_contact = false
            pins = [{{ select = 'top' }}]"
        );
        let mut run = Run::new(&text);
        let reports: Vec<_> = (0..100).map(|_| run.step(0.02)).collect();
        let height = run.state.blocks.iter().map(|x| x.z).fold(f64::NEG_INFINITY, f64::max) - run.lowest();
        (height / 0.5 - 1.0, reports.last().map_or(0.0, |r| r.strain_limit_excess))
    };
    let (free, _) = strip("");
    let (held, excess) = strip(", strain_limit = 0.05");
    println!("stretch {free} without and {held} with the limit, excess {excess}");
    assert!(free > 0.2, "{free}");
    assert!(held < 0.055 && excess < 0.01, "{held} {excess}");
}

/// A cube that hangs on springs from another, which is pinned: the springs stretch by m g/(n k).
#[test]
fn attachments_carry_a_weight() {
    let text = "stiction = 1
        fps = 50
        gravity = 9.81
        method = { key = 'pd', iterations = 60 }
        [bodies.held]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
        material = { density = 1000.0, young = 1e6, poisson = 0.3 }
        pins = [{ select = { all = true } }]
        [bodies.hung]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
        translate = [0, 0, -0.2]
        material = { density = 1000.0, young = 1e6, poisson = 0.3, damping_mass = 4.0 }
        [[attachments]]
        body = 'hung'
        select = { box = { min = [-1, -1, -0.1501], max = [1, 1, -0.1499] } }
        to_body = 'held'
        stiffness = 100.0
        keep_offset = true";
    let mut run = Run::new(text);
    (0..200).for_each(|_| drop(run.step(0.02)));
    let nodes = run.model.bodies[1].nodes.clone();
    let top = run.state.blocks[nodes.clone()].iter().map(|x| x.z).fold(f64::NEG_INFINITY, f64::max);
    let mass: f64 = run.parameters.mass[nodes].iter().sum();
    let exact = mass * 9.81 / (4.0 * 100.0);
    assert!((-0.15 - top - exact).abs() < 0.01 * exact, "{} {exact}", -0.15 - top);
}

/// A sheet that falls flat through air comes near its terminal speed, as with Newton.
#[test]
fn air_brakes_a_falling_sheet() {
    let speed = |method: &str| {
        let text = format!(
            "stiction = 1
            fps = 50
            gravity = 9.81
            method = {{ {method} }}
            wind = {{ air_density = 1.2 }}
            [bodies.sheet]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.4, 0.4], cells = [4, 4] }} }}
            material = {{ density = 300.0, thickness = 0.001, young = 1e6, poisson = 0.3, bending_stiffness = 1e-3 }}"
        );
        let mut run = Run::new(&text);
        (0..50).for_each(|_| drop(run.step(0.01)));
        -run.velocity().z
    };
    let (found, expected) = (speed("key = 'pd'"), speed("key = 'newton'"));
    println!("{found} against {expected} m/s");
    assert!(expected < 3.0, "without air it would be 4.9 m/s: {expected}");
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
}

/// A cube pressed flat, and one turned inside out, find their shape again.
#[test]
fn inverted_and_flat_elements_recover() {
    let text = "stiction = 1
        fps = 50
        gravity = 0
        method = { key = 'pd', iterations = 30 }
        [bodies.cube]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
        material = { density = 1000.0, young = 1e5, poisson = 0.3, damping_mass = 10.0 }
        self_contact = false";
    for squash in [0.0, -0.5] {
        let mut run = Run::new(text);
        run.state.blocks.iter_mut().for_each(|x| x.z *= squash);
        // A hair out of the plane, else the two sides are alike.
        run.state.blocks[0].z += 1e-4;
        (0..150).for_each(|_| drop(run.step(0.02)));
        let sides = |k: usize| {
            let all = || run.state.blocks.iter().map(|x| x[k]);
            all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
        };
        let size = Vec3::new(sides(0), sides(1), sides(2));
        let volume: f64 = run.model.bodies[0]
            .tets
            .iter()
            .map(|t| {
                let [a, b, c, d] = t.map(|n| run.state.blocks[n as usize]);
                (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
            })
            .sum();
        assert!((volume / 1e-3 - 1.0).abs() < 0.05, "squashed by {squash}: volume {volume}, size {size}");
    }
}
