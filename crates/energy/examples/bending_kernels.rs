//! Nanoseconds per element of the bending and rod elements: energy, gradient, projected and exact Hessian.
//!
//! `cargo run --release -p stiction-energy --example bending_kernels`; one thread, kernels only (no assembly), over 20 000 elements of a crumpled sheet and a coiled rod.

use std::hint::black_box;
use std::time::Instant;
use stiction_bodies::EdgeFrame;
use stiction_bodies::frames::frames_along;
use stiction_bodies::shells::{bisecting_frames, shell_edges};
use stiction_energy::bending::{
    EdgeNumbering, HingeElement, HingeScale, Plate, QuadraticBend, ShapeElements, Topology,
};
use stiction_energy::check::Random;
use stiction_energy::rod::{JointRest, RodBendTwist, RodStretch};
use stiction_energy::{Curvature, Element, LocalHessian, Stencil};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::SMatrix;

const ROUNDS: usize = 9;
const CELLS: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:28} {:>8} {:>8} {:>10} {:>10}", "ns per element", "energy", "gradient", "projected", "exact");
    shells()?;
    rods();
    Ok(())
}

fn shells() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = Random::new(1);
    let id = |i: usize, j: usize| (j * (CELLS + 1) + i) as u32;
    let rest: Vec<Vec3> = (0..(CELLS + 1).pow(2))
        .map(|n| Vec3::new((n % (CELLS + 1)) as f64, (n / (CELLS + 1)) as f64, 0.0))
        .collect();
    let moved: Vec<Vec3> = rest.iter().map(|x| x + random.vector() * 0.3).collect();
    let mut triangles = Vec::new();
    for (i, j) in (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| (i, j))) {
        triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
        triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
    }
    let topology = Topology::new(&triangles);
    let plate = Plate::new(1e-3, 0.3)?;
    let at = |node: u32| rest[node as usize];
    let mut hinges = Vec::new();
    let mut quadratics = Vec::new();
    for hinge in &topology.hinges {
        let corners = hinge.nodes.map(at);
        hinges.push(HingeElement::new(hinge.nodes, corners, &plate, HingeScale::Cylinder)?);
        quadratics.push(QuadraticBend::new(hinge.nodes, corners, &plate, HingeScale::Cylinder)?);
    }
    let edges = shell_edges(&triangles, 0);
    let first = EdgeNumbering { block: rest.len(), frame: 0 };
    let corners = |t: usize| triangles[t].map(at);
    let shape = ShapeElements::new(&triangles, &edges, first, &rest, corners, &plate)?;
    let frames = bisecting_frames(&edges, |_| &triangles[..], &rest);
    let angles = edges.iter().map(|_| Vec3::new(random.range(-0.3, 0.3), 0.0, 0.0));
    let blocks: Vec<Vec3> = moved.iter().copied().chain(angles).collect();
    report("hinge", &hinges, &moved, &[]);
    report("quadratic", &quadratics, &moved, &[]);
    report("shape operator, inside", &shape.six, &blocks, &frames);
    report("shape operator, border", &shape.five, &blocks, &frames);
    Ok(())
}

fn rods() {
    let mut random = Random::new(2);
    let count = 2 * CELLS * CELLS;
    let points: Vec<Vec3> = (0..count)
        .map(|i| 0.3 * i as f64)
        .map(|s| Vec3::new(s.cos(), s.sin(), 0.1 * s) + random.vector() * 0.02)
        .collect();
    let frames = frames_along(&points, Vec3::z());
    let moved: Vec<Vec3> = points.iter().map(|x| x + random.vector() * 0.02).collect();
    let twists = (1..count).map(|_| Vec3::new(random.range(-0.3, 0.3), 0.0, 0.0));
    let blocks: Vec<Vec3> = moved.iter().copied().chain(twists).collect();
    let n = count as u32;
    let stretch: Vec<RodStretch> =
        (0..n - 1).map(|i| RodStretch { nodes: [i, i + 1], stiffness: 10.0, length: 0.3 }).collect();
    let joints: Vec<RodBendTwist> = (0..n - 2)
        .map(|i| RodBendTwist {
            blocks: [i, i + 1, i + 2, n + i, n + i + 1],
            edges: [i, i + 1],
            bend: [1.0, 2.0],
            twist: 1.0,
            rest: JointRest::straight([0.3, 0.3]),
        })
        .collect();
    report("rod stretch", &stretch, &blocks, &frames);
    report("rod bend and twist", &joints, &blocks, &frames);
    let clamped =
        nanoseconds(&joints, &blocks, &frames, |joint, at| clamped_sum(&joint.hessian(at, Curvature::Exact)));
    println!("{:28} {:>8} {:>8} {clamped:>10.0}", "  eigenvalue clamp instead", "", "");
}

/// The alternative for rods: all eigenvalues of the exact 11×11 Hessian, the negative ones removed.
fn clamped_sum(hessian: &LocalHessian<5>) -> f64 {
    let place = |r: usize| if r < 9 { (r / 3, r % 3) } else { (r - 6, 0) };
    let matrix = SMatrix::<f64, 11, 11>::from_fn(|r, c| {
        let ((a, i), (b, j)) = (place(r), place(c));
        hessian[a][b][(i, j)]
    });
    let mut eigen = matrix.symmetric_eigen();
    eigen.eigenvalues.apply(|value| *value = value.max(0.0));
    eigen.recompose()[(0, 0)]
}

fn report<const N: usize, E: Element<N>>(name: &str, elements: &[E], blocks: &[Vec3], frames: &[EdgeFrame]) {
    let energy = nanoseconds(elements, blocks, frames, |e, at| e.energy(at));
    let gradient = nanoseconds(elements, blocks, frames, |e, at| black_box(e.gradient(at))[0].x);
    let hessian = |curvature| {
        nanoseconds(elements, blocks, frames, move |e: &E, at: &Stencil<'_, N>| {
            let hessian = e.hessian(at, curvature);
            black_box(&hessian)[0][0].m11
        })
    };
    let (projected, exact) = (hessian(Curvature::Projected), hessian(Curvature::Exact));
    println!("{name:28} {energy:>8.0} {gradient:>8.0} {projected:>10.0} {exact:>10.0}");
}

/// Time per element: batches short enough to fall between interruptions, each at its best over all rounds.
fn nanoseconds<const N: usize, E: Element<N>>(
    elements: &[E],
    blocks: &[Vec3],
    frames: &[EdgeFrame],
    work: impl Fn(&E, &Stencil<'_, N>) -> f64,
) -> f64 {
    let mut total = 0.0;
    for batch in elements.chunks(256) {
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let mut sum = 0.0;
            for element in batch {
                let x = element.blocks().map(|b| blocks[b as usize]);
                sum += work(element, &Stencil { x, frames });
            }
            black_box(sum);
            best = best.min(start.elapsed().as_secs_f64());
        }
        total += best;
    }
    total * 1e9 / elements.len() as f64
}
