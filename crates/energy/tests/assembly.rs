//! Groups and lists of groups: agreement with single elements, determinism, weights, kinds and
//! infinite energies.

use stiction_energy::check::TestRandom;
use stiction_energy::{
    AttachmentSpring, Configuration, Curvature, Element, ElementGroup, ElementWeights, Energies, Lame,
    MaterialTable, MembraneLaw, NamedGroup, Potential, SolidLaw, SpringElement, Stencil, TetElement,
    TriangleElement, TriangleRest,
};
use stiction_numerics::nalgebra::DMatrix;
use stiction_numerics::{BlockMatrix, Vec3};

const CELLS: usize = 6;

/// A box of tetrahedra (five per cell are not conforming, six are) whose top carries a membrane and
/// a few springs.
struct Scene {
    rest: Vec<Vec3>,
    tets: Vec<TetElement>,
    triangles: Vec<TriangleElement>,
    springs: Vec<SpringElement>,
    pins: Vec<AttachmentSpring<1>>,
    materials: MaterialTable,
}

fn scene(law: SolidLaw) -> Scene {
    let n = CELLS + 1;
    let node = |c: [usize; 3]| ((c[0] * n + c[1]) * n + c[2]) as u32;
    let rest: Vec<Vec3> = (0..n * n * n)
        .map(|c| Vec3::new((c / (n * n)) as f64, (c / n % n) as f64, (c % n) as f64) * 0.1)
        .collect();
    let mut tets = Vec::new();
    for cell in 0..CELLS * CELLS * CELLS {
        let corner = [cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS];
        for (axes, mirrored) in [([0, 1, 2], false), ([1, 2, 0], false), ([2, 0, 1], false)]
            .into_iter()
            .chain([([0, 2, 1], true), ([2, 1, 0], true), ([1, 0, 2], true)])
        {
            let (mut at, mut nodes) = (corner, [node(corner); 4]);
            for (step, axis) in axes.into_iter().enumerate() {
                at[axis] += 1;
                nodes[step + 1] = node(at);
            }
            if mirrored {
                nodes.swap(2, 3);
            }
            let shape = nodes.map(|i| rest[i as usize]);
            tets.push(TetElement::new(nodes, &shape, 0).unwrap());
        }
    }
    let membrane = MembraneLaw::StVenantKirchhoff(Lame::plane_stress(1e5, 0.3, 1e-3));
    let triangles = (0..CELLS * CELLS)
        .map(|c| {
            let (i, j) = (c / CELLS, c % CELLS);
            let nodes = [node([i, j, CELLS]), node([i + 1, j, CELLS]), node([i + 1, j + 1, CELLS])];
            let shape = nodes.map(|k| rest[k as usize]);
            let rest = TriangleRest::from_positions(nodes, &shape, &Vec3::x()).unwrap();
            TriangleElement { nodes, rest, material: 0 }
        })
        .collect();
    let springs =
        (0..CELLS).map(|i| SpringElement::thread([node([i, 0, 0]), node([i + 1, CELLS, CELLS])], 2.0, 0.5));
    let pins = vec![AttachmentSpring::pin(0, Vec3::zeros(), 100.0)];
    let materials = MaterialTable {
        solids: MaterialTable::of_solid(law, Lame::solid(1e4, 0.3)).solids,
        ..MaterialTable::of_membrane(membrane)
    };
    Scene { springs: springs.collect(), rest, tets, triangles, pins, materials }
}

fn energies(scene: &Scene) -> Energies {
    let n = scene.rest.len();
    Energies::new(
        n,
        vec![
            NamedGroup::new("solid", n, scene.tets.clone()),
            NamedGroup::new("membrane", n, scene.triangles.clone()),
            NamedGroup::new("spring", n, scene.springs.clone()),
            NamedGroup::new("attachment", n, scene.pins.clone()),
        ],
    )
}

fn jittered(rest: &[Vec3], size: f64) -> Vec<Vec3> {
    let mut random = TestRandom::new(3);
    rest.iter().map(|x| x + random.vector() * size).collect()
}

struct Sums {
    energy: f64,
    gradient: Vec<Vec3>,
    hessian: DMatrix<f64>,
}

/// The plain loop that assembly must agree with.
fn add_elements<E: Element<N>, const N: usize>(elements: &[E], at: &Configuration<'_>, sums: &mut Sums) {
    for element in elements {
        let blocks = element.blocks();
        let at = at.gather(blocks);
        sums.energy += element.energy(&at);
        let (gradient, hessian) = (element.gradient(&at), element.hessian(&at, Curvature::Projected));
        for a in 0..N {
            sums.gradient[blocks[a] as usize] += gradient[a];
            for b in 0..N {
                let (row, column) = (3 * blocks[a] as usize, 3 * blocks[b] as usize);
                let mut view = sums.hessian.fixed_view_mut::<3, 3>(row, column);
                view += hessian[a][b];
            }
        }
    }
}

#[test]
fn assembly_agrees_with_the_plain_loop() {
    let scene = scene(SolidLaw::StableNeoHookean);
    let energies = energies(&scene);
    let x = jittered(&scene.rest, 0.02);
    let at = Configuration { blocks: &x, frames: &[], materials: &scene.materials };
    let n = x.len();
    let mut sums =
        Sums { energy: 0.0, gradient: vec![Vec3::zeros(); n], hessian: DMatrix::zeros(3 * n, 3 * n) };
    add_elements(&scene.tets, &at, &mut sums);
    add_elements(&scene.triangles, &at, &mut sums);
    add_elements(&scene.springs, &at, &mut sums);
    add_elements(&scene.pins, &at, &mut sums);

    assert!((energies.energy(&at) / sums.energy - 1.0).abs() < 1e-13);
    let mut gradient = vec![Vec3::zeros(); n];
    energies.add_gradient(&at, -2.0, &mut gradient);
    let largest = sums.gradient.iter().map(|g| g.amax()).fold(0.0, f64::max);
    for (ours, plain) in gradient.iter().zip(&sums.gradient) {
        assert!((ours + plain * 2.0).amax() < 1e-13 * largest);
    }
    let mut matrix = BlockMatrix::zeros(energies.pattern().clone());
    energies.add_hessian(&at, 0.5, Curvature::Projected, &mut matrix);
    let deviation = (matrix.to_dense() - &sums.hessian * 0.5).amax();
    assert!(deviation < 1e-13 * sums.hessian.amax(), "{deviation:e}");
}

#[test]
fn same_bits_for_any_thread_count() {
    let scene = scene(SolidLaw::FixedCorotated);
    let energies = energies(&scene);
    let x = jittered(&scene.rest, 0.03);
    let at = Configuration { blocks: &x, frames: &[], materials: &scene.materials };
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut gradient = vec![Vec3::zeros(); x.len()];
            let mut matrix = BlockMatrix::zeros(energies.pattern().clone());
            energies.add_gradient(&at, 1.0, &mut gradient);
            energies.add_hessian(&at, 1.0, Curvature::Projected, &mut matrix);
            let energy = energies.energy(&at);
            let numbers = gradient.iter().flat_map(|g| g.iter()).chain(matrix.values().iter().flatten());
            numbers.chain([&energy]).map(|v| v.to_bits()).collect::<Vec<u64>>()
        })
    };
    let one = bits(1);
    assert!(one == bits(2) && one == bits(7));
}

#[test]
fn kinds_add_up_and_keep_their_order() {
    let scene = scene(SolidLaw::Corotated);
    let n = scene.rest.len();
    let (front, back) = scene.springs.split_at(2);
    let energies = Energies::new(
        n,
        vec![
            NamedGroup::new("spring", n, front.to_vec()),
            NamedGroup::new("solid", n, scene.tets.clone()),
            NamedGroup::new("spring", n, back.to_vec()),
        ],
    );
    let x = jittered(&scene.rest, 0.02);
    let at = Configuration { blocks: &x, frames: &[], materials: &scene.materials };
    let kinds = energies.energy_by_kind(&at);
    assert_eq!(kinds.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["spring", "solid"]);
    let springs = ElementGroup::new(n, scene.springs.clone());
    assert!((kinds[0].1 / springs.energy(&at) - 1.0).abs() < 1e-14);
    let total: f64 = kinds.iter().map(|(_, energy)| energy).sum();
    assert!((total / energies.energy(&at) - 1.0).abs() < 1e-14);
}

#[test]
fn weights_per_element_scale_each_contribution() {
    let scene = scene(SolidLaw::Corotated);
    let n = scene.rest.len();
    let x = jittered(&scene.rest, 0.02);
    let at = Configuration { blocks: &x, frames: &[], materials: &scene.materials };
    let count = scene.springs.len();
    let only_last: Vec<f64> = (0..count).map(|e| if e + 1 == count { 3.0 } else { 0.0 }).collect();
    let energies = Energies::new(n, vec![NamedGroup::new("spring", n, scene.springs.clone())]);
    let group = &energies.groups()[0].group;
    let weights = ElementWeights { scale: 2.0, per_element: Some(&only_last) };
    let mut gradient = vec![Vec3::zeros(); n];
    let mut matrix = BlockMatrix::zeros(energies.pattern().clone());
    group.add_gradient(&at, weights, &mut gradient);
    group.add_hessian(&at, weights, Curvature::Exact, &mut matrix);
    let spring = scene.springs[count - 1];
    let [a, b] = spring.nodes.map(|i| i as usize);
    let stencil = Stencil { x: [x[a], x[b]], frames: &[], materials: &scene.materials };
    assert_eq!(gradient[b], spring.gradient(&stencil)[1] * 6.0);
    assert_eq!(gradient.iter().filter(|g| **g != Vec3::zeros()).count(), 2);
    let expected = spring.hessian(&stencil, Curvature::Exact)[0][1] * 6.0;
    assert!((matrix.block(a, b) - expected).amax() <= 1e-14 * expected.amax());
}

#[test]
fn an_inverted_neo_hookean_element_makes_the_energy_infinite() {
    let scene = scene(SolidLaw::NeoHookean);
    let energies = energies(&scene);
    let mut x = scene.rest.clone();
    let energy = |blocks: &[Vec3]| {
        energies.energy(&Configuration { blocks, frames: &[], materials: &scene.materials })
    };
    assert!(energy(&x).is_finite());
    x[0] = Vec3::new(1.0, 1.0, 1.0);
    assert_eq!(energy(&x), f64::INFINITY);
    x[0].x = f64::NAN;
    assert_eq!(energy(&x), f64::INFINITY);
}
