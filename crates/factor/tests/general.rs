//! Nonsymmetric systems: LU and preconditioned BiCGSTAB against dense solves.

use std::sync::Arc;
use stiction_factor::{BlockLu, FactorError, SparseCholesky};
use stiction_numerics::nalgebra::{DMatrix, DVector};
use stiction_numerics::{
    BicgstabParams, BlockPattern, GeneralBlockMatrix, LinearBicgstab, MaskedOperator, Mat3,
    PrecondGeneralBlockJacobi, PrecondIdentity, Preconditioner, Random, Vec3,
};

/// Blocks; those from `NODES` on are scalars.
const N: usize = 90;
const NODES: usize = 80;

fn scalars(block: usize) -> usize {
    if block < NODES { 3 } else { 1 }
}

/// Two random components with a symmetric part that dominates a skew one of a given size.
fn random_general(seed: u64, skew: f64) -> GeneralBlockMatrix {
    let mut random = Random::new(seed);
    let ranges = [0..50, 50..N];
    let stencils: Vec<[u32; 3]> = ranges
        .iter()
        .flat_map(|range| {
            let chain = (range.start..range.end - 2).map(|i| [i, i + 1, i + 2]);
            chain.collect::<Vec<_>>()
        })
        .map(|s| s.map(|i| i as u32))
        .collect();
    let pattern = Arc::new(BlockPattern::from_stencils(N, stencils.iter().map(|s| &s[..])));
    let mut matrix = GeneralBlockMatrix::zeros(pattern.clone());
    for row in 0..N {
        for &column in pattern.row(row) {
            let column = column as usize;
            let used = |r: usize, c: usize| r < scalars(row) && c < scalars(column);
            let same = Mat3::from_fn(|r, c| if used(r, c) { random.range(-0.2, 0.0) } else { 0.0 });
            let turn = Mat3::from_fn(|r, c| if used(r, c) { random.range(-skew, skew) } else { 0.0 });
            let own = Mat3::from_fn(|r, c| if r == c && used(r, c) { 2.6 } else { 0.0 });
            match row == column {
                true => matrix.add_block(row, row, &(own + turn - turn.transpose())),
                false => {
                    matrix.add_block(row, column, &(same + turn));
                    matrix.add_block(column, row, &(same - turn).transpose());
                }
            }
        }
    }
    matrix
}

fn fixed() -> Vec<bool> {
    (0..N).map(|i| i % 7 == 3).collect()
}

/// Dense matrix with mask and unused components as identity rows.
fn dense(matrix: &GeneralBlockMatrix, fixed: &[bool]) -> DMatrix<f64> {
    let dense = matrix.to_dense();
    let identity = |k: usize| fixed[k / 3] || k % 3 >= scalars(k / 3);
    DMatrix::from_fn(3 * N, 3 * N, |i, j| match identity(i) || identity(j) {
        true => f64::from(i == j),
        false => dense[(i, j)],
    })
}

fn flat(x: &[Vec3]) -> DVector<f64> {
    DVector::from_iterator(3 * x.len(), x.iter().flat_map(|v| v.iter().copied()))
}

fn random_rhs(seed: u64) -> Vec<Vec3> {
    let mut random = Random::new(seed);
    (0..N).map(|_| random.vector(-1.0, 1.0)).collect()
}

#[test]
fn lu_solves_and_its_transpose_agree_with_dense_for_several_values() {
    let mut lu = BlockLu::analyse(random_general(1, 1.0).pattern(), NODES).expect("an analysis");
    assert_eq!(lu.component_count(), 2);
    for seed in 1..4 {
        let (matrix, fixed, rhs) = (random_general(seed, 2.0), fixed(), random_rhs(seed));
        lu.factor(&matrix, Some(&fixed)).expect("a regular matrix");
        let dense = dense(&matrix, &fixed);
        for (transposed, oracle) in [(false, dense.clone()), (true, dense.transpose())] {
            let mut x = rhs.clone();
            match transposed {
                true => lu.solve_transposed_in_place(&mut x).expect("a solution"),
                false => lu.solve_in_place(&mut x).expect("a solution"),
            }
            let expected = oracle.lu().solve(&flat(&rhs)).expect("a regular oracle");
            assert!((flat(&x) - expected).amax() < 1e-11, "transposed: {transposed}");
        }
    }
}

#[test]
fn lu_has_the_same_bits_for_any_thread_count() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let matrix = random_general(5, 2.0);
            let mut lu = BlockLu::analyse(matrix.pattern(), NODES).expect("an analysis");
            lu.factor(&matrix, None).expect("a regular matrix");
            let mut x = random_rhs(6);
            lu.solve_in_place(&mut x).expect("a solution");
            x
        })
    };
    assert!(run(1) == run(2) && run(1) == run(7));
}

#[test]
fn lu_reports_singular_matrices_and_other_patterns() {
    let matrix = random_general(1, 1.0);
    let mut lu = BlockLu::analyse(matrix.pattern(), NODES).expect("an analysis");
    let mut x = random_rhs(2);
    let zeros = GeneralBlockMatrix::zeros(matrix.pattern().clone());
    let outcome = lu.factor(&zeros, None).and_then(|()| lu.solve_in_place(&mut x));
    assert_eq!(outcome, Err(FactorError::Singular));
    let other = GeneralBlockMatrix::zeros(Arc::new(BlockPattern::from_stencils(N, [])));
    assert_eq!(lu.factor(&other, None), Err(FactorError::PatternChanged));
}

/// A chain of springs whose stiffness varies by a thousand, with a small skew coupling: what
/// friction adds to an elastic matrix.
fn skewed_chain() -> GeneralBlockMatrix {
    let mut random = Random::new(3);
    let springs: Vec<[u32; 2]> = (0..N as u32 - 1).map(|i| [i, i + 1]).collect();
    let pattern = Arc::new(BlockPattern::from_stencils(N, springs.iter().map(|s| &s[..])));
    let mut matrix = GeneralBlockMatrix::zeros(pattern);
    matrix.add_diagonal(&[0.1; N]);
    for [a, b] in springs.iter().map(|s| s.map(|i| i as usize)) {
        let stiffness = Mat3::identity() * 10f64.powf(random.range(-1.0, 2.0));
        let skew = Mat3::from_fn(|_, _| random.range(-0.05, 0.05));
        matrix.add_block(a, a, &stiffness);
        matrix.add_block(b, b, &stiffness);
        matrix.add_block(a, b, &(skew - stiffness));
        matrix.add_block(b, a, &(-skew.transpose() - stiffness));
    }
    matrix
}

#[test]
fn bicgstab_takes_fewer_iterations_with_better_preconditioners() {
    let (matrix, rhs) = (skewed_chain(), random_rhs(4));
    let expected = matrix.to_dense().lu().solve(&flat(&rhs)).expect("a regular oracle");
    let jacobi = PrecondGeneralBlockJacobi::new(&matrix, None);
    let symmetric = SparseCholesky::new(&matrix.symmetric_part(), N, None).expect("a definite part");
    let preconditioners: [&dyn Preconditioner; 3] = [&PrecondIdentity, &jacobi, &symmetric];
    let params = BicgstabParams { relative_tolerance: 1e-12, ..Default::default() };
    let iterations = preconditioners.map(|precond| {
        let mut x = vec![Vec3::zeros(); N];
        let info = LinearBicgstab::new().solve(&matrix, precond, &rhs, &mut x, &params).expect("a solution");
        // The smallest eigenvalue is about 0.1, the right-hand side of size one.
        assert!(info.converged && (flat(&x) - &expected).amax() < 1e-7, "{info:?}");
        info.iterations
    });
    assert!(4 * iterations[2] < iterations[1] && iterations[1] < iterations[0], "{iterations:?}");
}

#[test]
fn bicgstab_and_lu_agree_on_prescribed_blocks() {
    let mut matrix = random_general(8, 0.4);
    for block in NODES..N {
        matrix.add_block(block, block, &Mat3::from_diagonal(&Vec3::new(0.0, 1.0, 1.0)));
    }
    let (fixed, mut rhs) = (fixed(), random_rhs(9));
    rhs[NODES..].iter_mut().for_each(|b| (b.y, b.z) = (0.0, 0.0));
    let masked = MaskedOperator::new(&matrix, &fixed);
    let prescribed: Vec<Vec3> =
        fixed.iter().map(|&f| if f { Vec3::new(0.2, 0.0, 0.0) } else { Vec3::zeros() }).collect();
    masked.lift(&mut rhs, &prescribed);
    let mut direct = rhs.clone();
    let mut lu = BlockLu::analyse(matrix.pattern(), NODES).expect("an analysis");
    lu.factor(&matrix, Some(&fixed)).expect("a regular matrix");
    lu.solve_in_place(&mut direct).expect("a solution");
    let mut x = prescribed;
    let jacobi = PrecondGeneralBlockJacobi::new(&matrix, Some(&fixed));
    let params = BicgstabParams { relative_tolerance: 1e-12, ..Default::default() };
    LinearBicgstab::new().solve(&masked, &jacobi, &rhs, &mut x, &params).expect("a solution");
    assert!((flat(&x) - flat(&direct)).amax() < 1e-9);
    // The same with a matrix that is masked in place.
    matrix.mask(&fixed);
    lu.factor(&matrix, None).expect("a regular matrix");
    let mut again = rhs;
    lu.solve_in_place(&mut again).expect("a solution");
    assert!((flat(&again) - flat(&direct)).amax() < 1e-12);
}
