//! Prints the cost of the hot kernels in nanoseconds: `cargo run --release -p stiction-numerics --example kernels`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use stiction_numerics::banded::ROD_HALF_BANDWIDTH;
use stiction_numerics::nalgebra::SMatrix;
use stiction_numerics::*;

fn main() {
    dense_kernels();
    banded_kernels();
    for cells in [22, 55] {
        sparse_kernels(cells, false);
    }
    sparse_kernels(55, true);
}

fn ignore<T>(_: T) {}

/// Best of a few rounds, per item.
fn nanoseconds(name: &str, items: usize, mut work: impl FnMut()) {
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_nanos() as f64 / items as f64
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<44} {best:>10.1} ns");
}

fn dense_kernels() {
    let mut random = Random::new(1);
    let n = 20_000;
    let near: Vec<Mat3> =
        (0..n).map(|_| random.rotation() + Mat3::from_fn(|_, _| random.range(-0.2, 0.2))).collect();
    let wild: Vec<Mat3> = (0..n).map(|_| Mat3::from_fn(|_, _| random.range(-1.0, 1.0))).collect();
    let surface: Vec<Mat3x2> = wild.iter().map(|m| m.fixed_columns::<2>(0).into()).collect();
    nanoseconds("svd3, near a rotation", n, || near.iter().for_each(|f| ignore(black_box(svd3(f)))));
    nanoseconds("svd3, random", n, || wild.iter().for_each(|f| ignore(black_box(svd3(f)))));
    nanoseconds("nalgebra svd 3x3, random", n, || {
        wild.iter().for_each(|f| ignore(black_box(f.svd(true, true))))
    });
    nanoseconds("svd3x2, random", n, || surface.iter().for_each(|f| ignore(black_box(svd3x2(f)))));
    let symmetric: Vec<Mat3> = wild.iter().map(|m| m + m.transpose()).collect();
    nanoseconds("eigen_symmetric3", n, || {
        symmetric.iter().for_each(|m| ignore(black_box(eigen_symmetric3(m))))
    });
    nanoseconds("project_spd3", n, || symmetric.iter().for_each(|m| ignore(black_box(project_spd3(m)))));
    let large: Vec<SMatrix<f64, 12, 12>> = (0..1000)
        .map(|_| {
            let b = SMatrix::<f64, 12, 12>::from_fn(|_, _| random.range(-1.0, 1.0));
            b + b.transpose()
        })
        .collect();
    nanoseconds("project_spd 12x12, indefinite", 1000, || {
        large.iter().for_each(|m| ignore(black_box(project_spd(m))))
    });
    let definite: Vec<_> = large.iter().map(|m| m * m).collect();
    nanoseconds("project_spd 12x12, definite", 1000, || {
        definite.iter().for_each(|m| ignore(black_box(project_spd(m))))
    });
}

fn banded_kernels() {
    let mut random = Random::new(2);
    let rows = 31 * 3 + 30;
    let mut matrix = BandedMatrix::zeros(rows, ROD_HALF_BANDWIDTH);
    for j in 0..rows {
        matrix.add(j, j, 25.0);
        for i in j + 1..(j + 11).min(rows) {
            matrix.add(i, j, random.range(-1.0, 1.0));
        }
    }
    let mut factor = BandedCholesky::default();
    nanoseconds("banded factor, rod of 30 segments, per row", 1000 * rows, || {
        (0..1000).for_each(|_| factor.refactor(black_box(&matrix)).unwrap())
    });
    let mut b = vec![1.0; rows];
    nanoseconds("banded solve, per row", 1000 * rows, || {
        (0..1000).for_each(|_| factor.solve(black_box(&mut b)))
    });
}

/// Tetrahedra of a grid, six per cell.
fn grid_tets(n: usize, shuffle: bool) -> (usize, Vec<[u32; 4]>) {
    let count = (n + 1).pow(3);
    let number: Vec<u32> =
        if shuffle { Random::new(3).permutation(count) } else { (0..count as u32).collect() };
    let node = |c: [usize; 3]| number[(c[0] * (n + 1) + c[1]) * (n + 1) + c[2]];
    let mut tets = Vec::new();
    for cell in 0..n * n * n {
        for path in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut corner = [cell / (n * n), cell / n % n, cell % n];
            let mut tet = [node(corner); 4];
            for (step, &axis) in path.iter().enumerate() {
                corner[axis] += 1;
                tet[step + 1] = node(corner);
            }
            tets.push(tet);
        }
    }
    (count, tets)
}

/// Stiffness-like element matrix with little arithmetic: what is measured is the assembly.
fn element(e: usize) -> [[Mat3; 4]; 4] {
    let k = 1.0 + (e % 7) as f64;
    let mut h = [[Mat3::identity() * -k; 4]; 4];
    (0..4).for_each(|a| h[a][a] = Mat3::identity() * (3.0 * k));
    h
}

fn sparse_kernels(cells: usize, shuffle: bool) {
    let (n, tets) = grid_tets(cells, shuffle);
    let order = if shuffle { "random numbering" } else { "grid numbering" };
    println!("-- {} tets, {n} nodes, {} threads, {order}", tets.len(), rayon::current_num_threads());
    let start = Instant::now();
    let pattern = Arc::new(BlockPattern::from_stencils(n, tets.iter().map(|t| &t[..])));
    let built = start.elapsed();
    let colouring = Arc::new(colour_elements(n, &tets));
    let coloured = start.elapsed();
    let slots = ElementSlots::new(pattern.clone(), colouring.clone());
    println!(
        "pattern {:.0} ms, colouring {:.0} ms ({} colours), slots {:.0} ms, {} blocks",
        built.as_secs_f64() * 1e3,
        (coloured - built).as_secs_f64() * 1e3,
        colouring.colour_count(),
        (start.elapsed() - coloured).as_secs_f64() * 1e3,
        pattern.stored_count()
    );
    let mut matrix = BlockMatrix::zeros(pattern);
    nanoseconds("set_zero, per block", matrix.values().len(), || matrix.set_zero());
    nanoseconds("assembly, per tet", tets.len(), || assemble(&mut matrix, &slots, element));
    nanoseconds("element matrices alone, per tet (one core)", tets.len(), || {
        (0..tets.len()).for_each(|e| ignore(black_box(element(e))))
    });
    let mut gradient = vec![Vec3::zeros(); n];
    nanoseconds("gradient scatter, per tet", tets.len(), || {
        scatter_add(&mut gradient, &colouring, |e| [Vec3::repeat(e as f64); 4])
    });
    matrix.add_diagonal(&vec![1.0; n]);
    let x: Vec<Vec3> = (0..n).map(|i| Vec3::new(i as f64, 1.0, -1.0)).collect();
    let mut y = vec![Vec3::zeros(); n];
    nanoseconds("mat-vec, per stored block", matrix.values().len(), || matrix.mul(&x, &mut y));
    nanoseconds("ordered_dot, per block", n, || ignore(black_box(ordered_dot(&x, &y))));
    let jacobi = PrecondBlockJacobi::new(&matrix, None);
    let params = PcgParams { relative_tolerance: 0.0, max_iterations: 20, ..Default::default() };
    let mut solver = LinearPcg::new();
    nanoseconds("PCG iteration, block Jacobi, per block row", 20 * n, || {
        let mut z = vec![Vec3::zeros(); n];
        solver.solve(&matrix, &jacobi, &x, &mut z, &params).expect("the matrix is definite");
    });
    nanoseconds("incomplete Cholesky factor, per block row", n, || {
        ignore(black_box(PrecondIncompleteCholesky::new(&matrix, None)))
    });
    let incomplete = PrecondIncompleteCholesky::new(&matrix, None).expect("the matrix is definite");
    nanoseconds("incomplete Cholesky apply, per block row", n, || incomplete.apply(&x, &mut y));
}
