//! Method `pd`.

use crate::bench::Bench;
use stiction_numerics::Vec3;

const SOFT: &str = "
    gravity = 0.0
    [bodies.block]
    kind = 'solid'
    mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
    material = { density = 1000.0, young = 1e5, poisson = 0.3, damping_mass = 2.0, damping_stiffness = 0.002 }";

/// Lengths of all pairs of nodes against their rest lengths: the largest relative error.
fn distortion(bench: &Bench) -> f64 {
    let (x, rest) = (bench.nodes(), &bench.model.rest);
    let mut worst = 0.0_f64;
    for i in 0..x.len() {
        for j in 0..i {
            worst = worst.max(((x[i] - x[j]).norm() / (rest[i] - rest[j]).norm() - 1.0).abs());
        }
    }
    worst
}

/// Signed volume of the block over its rest volume, by the corner tetrahedron of its outermost
/// nodes.
fn is_mirrored(bench: &Bench) -> bool {
    let nearest = |corner: Vec3| {
        let distance = |n: &usize| (bench.model.rest[*n] - corner).norm();
        (0..bench.model.nodes).min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("nodes")
    };
    let corner = |x: f64, y: f64, z: f64| bench.nodes()[nearest(Vec3::new(x, y, z) * 0.05)];
    let origin = corner(-1.0, -1.0, -1.0);
    let edges =
        [corner(1.0, -1.0, -1.0), corner(-1.0, 1.0, -1.0), corner(-1.0, -1.0, 1.0)].map(|x| x - origin);
    edges[0].cross(&edges[1]).dot(&edges[2]) < 0.0
}

/// A corner pushed through the block, the block pressed to a twentieth and to nothing: each finds
/// back to its shape.
#[test]
fn inverted_and_flattened_elements_recover() {
    let spoilt: [fn(&mut [Vec3]); 3] = [
        |x| x.iter_mut().filter(|x| x.sum() > 0.14).for_each(|x| *x *= -0.4),
        |x| x.iter_mut().for_each(|x| x.z *= 0.05),
        |x| x.iter_mut().for_each(|x| x.z *= 1e-9),
    ];
    for damping in ["0.002", "0.02"] {
        for (index, spoil) in spoilt.into_iter().enumerate() {
            let mut bench = Bench::new("key = 'pd'", &SOFT.replace("0.002", damping));
            let nodes = bench.model.nodes;
            spoil(&mut bench.state.blocks[..nodes]);
            for _ in 0..300 {
                bench.step(0.01, 1.0, 30.0);
            }
            let left = distortion(&bench);
            assert!(left < 0.02, "state {index}, damping {damping} s: {left}");
            assert!(!is_mirrored(&bench));
        }
    }
}

/// A light block of 1 GPa on one of 1 kPa with default settings: it comes to rest on top. (A floor
/// of the contact weights of 0.1 % of its stiffness, a thousand times its mass, throws it.)
#[test]
fn a_stiffness_ratio_of_a_million() {
    let text = "
        [bodies.soft]
        kind = 'solid'
        mesh = { tet_box = { size = [0.2, 0.2, 0.1], cells = [4, 4, 2] } }
        material = { density = 100.0, young = 1e3, poisson = 0.3, damping_stiffness = 0.02 }
        thickness = 0.002
        translate = [0, 0, 0.0515]
        [bodies.stiff]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.05], cells = [2, 2, 1] } }
        material = { density = 40.0, young = 1e9, poisson = 0.3, damping_stiffness = 0.02 }
        thickness = 0.002
        translate = [0.003, 0.002, 0.13]
        [colliders.floor]
        plane = { offset = 0 }";
    let mut bench = Bench::new("key = 'pd'", text);
    for _ in 0..80 {
        bench.step(0.01, 0.4, 1.0);
    }
    assert!(bench.lowest() > 0.0);
    // The stiff one does not change its shape, stays above the soft one and rests.
    let stiff = bench.body("stiff");
    let diagonal = stiff.iter().flat_map(|a| stiff.iter().map(move |b| (a - b).norm())).fold(0.0, f64::max);
    assert!((diagonal / 0.15 - 1.0).abs() < 1e-3, "{diagonal}");
    let bottom = stiff.iter().map(|x| x.z).fold(f64::MAX, f64::min);
    assert!(bottom > 0.09, "{bottom}");
    let fastest = bench.state.velocities.iter().map(Vec3::norm).fold(0.0, f64::max);
    assert!(fastest < 0.01, "{fastest} m/s after 0.8 s");
}

/// A sheet of a garment that starts 4 mm inside a round body is out after five times the resolve
/// time (0.05 s by default).
#[test]
fn cloth_that_starts_inside_a_body_is_pushed_out() {
    let text = "
        gravity = 0.0
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.08, 0.08], cells = [8, 8], pattern = 'alternating' } }
        material = { density = 400.0, thickness = 0.001, young = 1e5, poisson = 0.3, damping_stiffness = 0.01 }
        translate = [0, 0, 0.0965]
        [colliders.body]
        sphere = { radius = 0.1 }";
    let mut bench = Bench::new("key = 'pd'", text);
    let first = bench.step(0.01, 0.2, 1.0);
    assert!(first.penetration > 0.003, "the report tells {}", first.penetration);
    for _ in 1..25 {
        bench.step(0.01, 0.2, 1.0);
    }
    let deepest = bench.nodes().iter().map(|x| 0.1005 - x.norm()).fold(f64::MIN, f64::max);
    assert!(deepest < 1e-4, "{deepest} m inside");
}

/// Pins that want a sheet of 0.2 m to be 0.6 m wide, with and without air: it stretches between them,
/// stays in between and comes to rest.
#[test]
fn unreachable_pins_stretch_and_do_not_explode() {
    for air in [0.0, 1.2] {
        let text = format!(
            "gravity = 0.0
            wind = {{ air_density = {air} }}
            [bodies.sheet]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.2, 0.1], cells = [8, 4], pattern = 'alternating' }} }}
            material = {{ density = 400.0, thickness = 0.001, young = 1e6, poisson = 0.3, \
                          strain_limit = 0.05, damping_stiffness = 0.005 }}
            [[bodies.sheet.pins]]
            select = 'left'
            motion = {{ keys = [{{ time = 0 }}, {{ time = 0.2, translate = [-0.2, 0, 0] }}] }}
            [[bodies.sheet.pins]]
            select = 'right'
            motion = {{ keys = [{{ time = 0 }}, {{ time = 0.2, translate = [0.2, 0, 0] }}] }}"
        );
        let mut bench = Bench::new("key = 'pd'", &text);
        for _ in 0..100 {
            bench.step(0.01, 0.35, 10.0);
        }
        let across = bench.nodes().iter().map(|x| x.x);
        let (least, most) = across.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        assert!((least + 0.3).abs() < 1e-9 && (most - 0.3).abs() < 1e-9);
        // Far from the pins a strip stretches evenly, whatever its law: three times as long everywhere.
        let middle = |n: &usize| bench.model.rest[*n].x.abs() < 0.06;
        let uneven = |n: usize| (bench.nodes()[n].x - 3.0 * bench.model.rest[n].x).abs();
        let worst = (0..bench.model.nodes).filter(middle).map(uneven).fold(0.0, f64::max);
        assert!(worst < 0.01, "{worst} m from an even stretch");
        let fastest = bench.state.velocities.iter().map(Vec3::norm).fold(0.0, f64::max);
        assert!(fastest < 1e-3, "{fastest} m/s after the pins have stopped");
    }
}
