//! Nanoseconds per element of energy, gradient and projected Hessian for every law, on one and on two threads.
//!
//! `cargo run --release -p stiction-energy --example kernels [cells]`; wall time, best of several rounds, Hessians
//! assembled into the sparse matrix.

use std::time::Instant;
use stiction_energy::check::Random;
use stiction_energy::{
    Attachment, BaraffWitkin, Configuration, Curvature, Energies, Lame, MembraneLaw, NamedGroup, Orthotropic,
    RadialSpring, SolidLaw, SpringElement, TetElement, TriangleElement, TriangleRest,
};
use stiction_numerics::{BlockMatrix, Vec3};

const ROUNDS: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cells: usize = std::env::args().nth(1).map_or(Ok(24), |text| text.parse())?;
    println!("wall ns per element: energy, gradient, Hessian (projected, assembled), Hessian exact");
    solids(cells)?;
    membranes(4 * cells)?;
    springs(4 * cells);
    Ok(())
}

/// Box of cells, six tetrahedra each, deformed at random (stretches about 0.7 to 1.3).
fn solids(cells: usize) -> Result<(), Box<dyn std::error::Error>> {
    let n = cells + 1;
    let node = |i: usize, j: usize, k: usize| ((i * n + j) * n + k) as u32;
    let rest: Vec<Vec3> =
        (0..n * n * n).map(|c| Vec3::new((c / (n * n)) as f64, (c / n % n) as f64, (c % n) as f64)).collect();
    let mut tets = Vec::new();
    for cell in 0..cells * cells * cells {
        let corner = [cell / (cells * cells), cell / cells % cells, cell % cells];
        for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let (mut at, mut tet) = (corner, [node(corner[0], corner[1], corner[2]); 4]);
            for (step, axis) in axes.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = node(at[0], at[1], at[2]);
            }
            // The last three orders are mirror images.
            let edge = |k: usize| rest[tet[k] as usize] - rest[tet[0] as usize];
            if edge(1).cross(&edge(2)).dot(&edge(3)) < 0.0 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    let moved = jittered(&rest);
    let lame = Lame::solid(1e5, 0.4);
    for law in SolidLaw::ALL {
        let elements: Result<Vec<_>, _> =
            tets.iter().map(|t| TetElement::new(*t, &t.map(|i| rest[i as usize]), law, lame)).collect();
        let group = NamedGroup::new("solid", rest.len(), elements?);
        report(&format!("{law:?}"), group, &moved);
    }
    Ok(())
}

/// Sheet of quadrilaterals cut in two, deformed at random.
fn membranes(cells: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (rest, triangles) = sheet(cells);
    let moved = jittered(&rest);
    let lame = Lame::plane_stress(1e5, 0.3, 1e-3);
    for law in [
        MembraneLaw::StVenantKirchhoff(lame),
        MembraneLaw::Orthotropic(Orthotropic::from_moduli(2e5, 1e5, 0.3, 1e4, 1e-3)),
        MembraneLaw::NeoHookean(lame),
        MembraneLaw::StableNeoHookean(lame),
        MembraneLaw::Corotated(lame),
        MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(2e5, 1e5, 1e4, 1e-3)),
    ] {
        let elements: Result<Vec<_>, _> = (triangles.iter())
            .map(|t| {
                let rest = TriangleRest::from_positions(*t, &t.map(|i| rest[i as usize]), &Vec3::x())?;
                Ok::<_, stiction_energy::RestShapeError>(TriangleElement { nodes: *t, rest, law })
            })
            .collect();
        let name = format!("{law:?}");
        let group = NamedGroup::new("membrane", rest.len(), elements?);
        report(&format!("membrane {}", name.split('(').next().unwrap_or(&name)), group, &moved);
    }
    Ok(())
}

fn springs(cells: usize) {
    let (rest, triangles) = sheet(cells);
    let moved = jittered(&rest);
    let springs = triangles.iter().map(|t| SpringElement::thread([t[0], t[1]], 10.0, 1.0)).collect();
    report("spring", NamedGroup::new("spring", rest.len(), springs), &moved);
    let spring = RadialSpring { stiffness: 10.0, rest_length: 0.0 };
    let ties = (triangles.iter().zip(&triangles[9..]))
        .filter_map(|(t, far)| Attachment::node_to_triangle(far[1], *t, [0.2, 0.3, 0.5], spring).ok())
        .collect();
    report("attachment", NamedGroup::new("attachment", rest.len(), ties), &moved);
}

fn sheet(cells: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let n = cells + 1;
    let rest = (0..n * n).map(|c| Vec3::new((c / n) as f64, (c % n) as f64, 0.0)).collect();
    let triangles = (0..cells * cells)
        .flat_map(|c| {
            let a = ((c / cells) * n + c % cells) as u32;
            let b = a + n as u32;
            [[a, b, b + 1], [a, b + 1, a + 1]]
        })
        .collect();
    (rest, triangles)
}

fn jittered(rest: &[Vec3]) -> Vec<Vec3> {
    let mut random = Random::new(1);
    let turn = random.rotation();
    rest.iter().map(|x| turn * (x + random.vector() * 0.12)).collect()
}

fn report(name: &str, group: NamedGroup, blocks: &[Vec3]) {
    let count = group.group.len() as f64;
    let energies = Energies::new(blocks.len(), vec![group]);
    let at = Configuration { blocks, frames: &[] };
    for threads in [1, 2] {
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { return };
        let mut gradient = vec![Vec3::zeros(); blocks.len()];
        let mut matrix = BlockMatrix::zeros(energies.pattern().clone());
        let mut sum = 0.0;
        let figures = pool.install(|| {
            [
                best(|| sum += energies.energy(&at)),
                best(|| energies.add_gradient(&at, 1.0, &mut gradient)),
                best(|| energies.add_hessian(&at, 1.0, Curvature::Projected, &mut matrix)),
                best(|| energies.add_hessian(&at, 1.0, Curvature::Exact, &mut matrix)),
            ]
        });
        let [energy, force, projected, exact] = figures.map(|seconds| 1e9 * seconds / count);
        println!(
            "{name:28} {threads} thread(s), {count:7} elements: {energy:6.1} {force:6.1} {projected:7.1} {exact:7.1}"
        );
        assert!(sum.is_finite() && gradient[0].x.is_finite() && matrix.values()[0][0].is_finite());
    }
}

/// Shortest wall time of several rounds [s].
fn best(mut work: impl FnMut()) -> f64 {
    let timed = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    timed.fold(f64::INFINITY, f64::min)
}
