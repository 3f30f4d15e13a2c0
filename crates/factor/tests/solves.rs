//! Sparse direct solves against dense ones.

use std::sync::Arc;
use stiction_factor::{CscMatrix, FactorError, ScalarCholesky, SparseCholesky, SparseLu};
use stiction_numerics::nalgebra::{DMatrix, DVector};
use stiction_numerics::{BlockMatrix, BlockPattern, Mat3, Random, Vec3};

/// Random diagonally dominant matrix; blocks from `node_count` on are twists (component 0 only).
fn random_definite(n: usize, node_count: usize, stencils: &[[u32; 3]], seed: u64) -> BlockMatrix {
    let mut random = Random::new(seed);
    let pattern = Arc::new(BlockPattern::from_stencils(n, stencils.iter().map(|s| &s[..])));
    let mut matrix = BlockMatrix::zeros(pattern.clone());
    let scalars = |i: usize| if i < node_count { 3 } else { 1 };
    let mut weights = vec![0.1; n];
    for row in 0..n {
        for &column in &pattern.row(row)[1..] {
            let column = column as usize;
            let block = Mat3::from_fn(|r, c| {
                let value = random.range(-1.0, 1.0);
                if r < scalars(row) && c < scalars(column) { value } else { 0.0 }
            });
            matrix.add_block(row, column, &block);
            weights[row] += block.norm();
            weights[column] += block.norm();
        }
    }
    for i in 0..n {
        for k in 0..scalars(i) {
            matrix.diagonal_block_mut(i)[(k, k)] += weights[i];
        }
    }
    matrix
}

fn random_stencils(range: std::ops::Range<usize>, count: usize, random: &mut Random) -> Vec<[u32; 3]> {
    (0..count).map(|_| [0; 3].map(|_| (range.start + random.below(range.len())) as u32)).collect()
}

/// Dense oracle with mask and unused components as identity rows.
fn dense_solution(a: &BlockMatrix, node_count: usize, fixed: &[bool], b: &[Vec3]) -> Vec<Vec3> {
    let n = a.block_count();
    let dense = a.to_dense();
    let identity = |k: usize| fixed[k / 3] || (k / 3 >= node_count && !k.is_multiple_of(3));
    let masked = DMatrix::from_fn(3 * n, 3 * n, |i, j| match (identity(i), identity(j)) {
        (false, false) => dense[(i, j)],
        _ => f64::from(i == j),
    });
    let rhs = DVector::from_iterator(3 * n, b.iter().flat_map(|v| v.iter().copied()));
    let x = masked.cholesky().expect("the oracle matrix is definite").solve(&rhs);
    (0..n).map(|i| Vec3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2])).collect()
}

fn largest_difference(x: &[Vec3], y: &[Vec3]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
}

#[test]
fn rounded_factors_solve_to_single_precision() {
    // A long band: supernodes of all widths, and a factor that is refilled.
    let (n, mut random) = (400, Random::new(17));
    let stencils: Vec<[u32; 3]> = (0..n as u32 - 20).map(|i| [i, i + 7, i + 20]).collect();
    let a = random_definite(n, n, &stencils, 18);
    let fixed = vec![false; n];
    let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
    let exact = dense_solution(&a, n, &fixed, &b);
    let double = SparseCholesky::new(&a, n, None).unwrap();
    let mut rounded = SparseCholesky::analyse(a.pattern(), n).unwrap().rounded();
    for _ in 0..2 {
        rounded.factor(&a, None).unwrap();
        let mut x = b.clone();
        rounded.solve_in_place(&mut x);
        let error = largest_difference(&x, &exact);
        assert!(error < 1e-4 && error > 1e-12, "{error:e}");
        rounded.release_factor();
    }
    // Row indices stay as they are.
    assert!(10 * rounded.factor_bytes() < 7 * double.factor_bytes());
}

#[test]
fn block_solves_agree_with_dense_over_components_masks_and_twists() {
    let mut random = Random::new(1);
    let (n, node_count) = (90, 60);
    // Two components of nodes and twists, and isolated blocks besides.
    let mut stencils = random_stencils(0..30, 50, &mut random);
    stencils.extend(random_stencils(35..85, 90, &mut random));
    let a = random_definite(n, node_count, &stencils, 2);
    let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
    let mut factor = SparseCholesky::analyse(a.pattern(), node_count).unwrap();
    assert!(factor.component_count() >= 12);
    let some = |i: usize| i % 5 == 2;
    // A component that is held as a whole has no factor until it is let go.
    let masks: [&dyn Fn(usize) -> bool; 5] = [&|_| false, &some, &|i| i < 30, &|_| true, &some];
    for mask in masks.map(|is_fixed| (0..n).map(is_fixed).collect::<Vec<bool>>()) {
        factor.factor(&a, Some(&mask)).unwrap();
        let exact = dense_solution(&a, node_count, &mask, &b);
        let mut x = b.clone();
        factor.solve_in_place(&mut x);
        assert!(largest_difference(&x, &exact) < 1e-12);
        let mut many: Vec<Vec<Vec3>> =
            (0..5).map(|k| b.iter().map(|v| v * (k as f64 - 1.5)).collect()).collect();
        factor.solve_many(&mut many);
        for (k, column) in many.iter().enumerate() {
            let scaled: Vec<Vec3> = exact.iter().map(|v| v * (k as f64 - 1.5)).collect();
            assert!(largest_difference(column, &scaled) < 1e-12);
        }
        factor.release_factor();
    }
    assert!(factor.factor_entries() > 0 && factor.factor_bytes() > 8 * factor.factor_entries());
}

/// Cells of a grid as stencils of eight: dense enough for supernodes.
fn grid_matrix(n: usize) -> BlockMatrix {
    let node = |i, j, k| ((i * (n + 1) + j) * (n + 1) + k) as u32;
    let mut stencils = Vec::new();
    for c in 0..n * n * n {
        let (i, j, k) = (c / (n * n), c / n % n, c % n);
        stencils.push([0, 1, 2, 3, 4, 5, 6, 7].map(|v| node(i + v / 4, j + v / 2 % 2, k + v % 2)));
    }
    let pattern = Arc::new(BlockPattern::from_stencils((n + 1).pow(3), stencils.iter().map(|s| &s[..])));
    let mut a = BlockMatrix::zeros(pattern.clone());
    let mut random = Random::new(3);
    for row in 0..a.block_count() {
        *a.diagonal_block_mut(row) = Mat3::identity() * 40.0;
        for &column in &pattern.row(row)[1..] {
            a.add_block(row, column as usize, &Mat3::from_fn(|_, _| random.range(-1.0, 1.0)));
        }
    }
    a
}

#[test]
fn large_factors_solve_to_round_off_with_the_same_bits_on_any_thread_count() {
    let a = grid_matrix(9);
    let n = a.block_count();
    let b: Vec<Vec3> = (0..n).map(|i| Vec3::new(1.0, i as f64 / n as f64, -1.0)).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let factor = SparseCholesky::new(&a, n, None).unwrap();
            let mut x = b.clone();
            factor.solve_in_place(&mut x);
            x
        })
    };
    let x = run(1);
    let mut back = vec![Vec3::zeros(); n];
    a.mul(&x, &mut back);
    assert!(largest_difference(&back, &b) < 1e-12);
    assert!(run(2) == x && run(7) == x);
}

#[test]
fn a_failing_pivot_names_its_block() {
    // Supernodal (grid) and simplicial (chain) kernels both must point at the one bad block.
    let mut grid = grid_matrix(7);
    let middle = grid.block_count() / 2;
    let chain: Vec<[u32; 3]> = (0..40).map(|i| [i, i + 1, i + 1]).collect();
    let mut line = random_definite(41, 41, &chain, 5);
    for (matrix, bad) in [(&mut grid, middle), (&mut line, 17)] {
        let n = matrix.block_count();
        let mut factor = SparseCholesky::new(matrix, n, None).unwrap();
        let good = matrix.diagonal_block(bad);
        *matrix.diagonal_block_mut(bad) = Mat3::from_diagonal(&Vec3::new(1.0, -1e4, 1.0));
        assert_eq!(factor.factor(matrix, None), Err(FactorError::NotPositiveDefinite { block: bad }));
        matrix.diagonal_block_mut(bad)[(1, 1)] = f64::NAN;
        assert!(matches!(factor.factor(matrix, None), Err(FactorError::NotPositiveDefinite { .. })));
        // The same analysis serves again once the matrix is repaired, or the block is fixed.
        let mask: Vec<bool> = (0..n).map(|i| i == bad).collect();
        factor.factor(matrix, Some(&mask)).unwrap();
        *matrix.diagonal_block_mut(bad) = good;
        factor.factor(matrix, None).unwrap();
    }
    let other = random_definite(41, 41, &[], 6);
    let mut factor = SparseCholesky::new(&line, 41, None).unwrap();
    assert_eq!(factor.factor(&other, None), Err(FactorError::PatternChanged));
}

#[test]
fn scalar_solves_agree_with_dense() {
    let mut random = Random::new(7);
    let n = 120;
    let mut triplets: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, i, 9.0)).collect();
    let mut dense = DMatrix::<f64>::identity(n, n) * 9.0;
    for _ in 0..180 {
        // Two components: entries never cross the middle.
        let half = random.below(2) * n / 2;
        let (i, j) = (half + random.below(n / 2), half + random.below(n / 2));
        if i != j {
            let value = random.range(-0.5, 0.5);
            triplets.push((i.max(j) as u32, i.min(j) as u32, value));
            dense[(i, j)] += value;
            dense[(j, i)] += value;
        }
    }
    let lower = CscMatrix::from_triplets(n, &triplets).unwrap();
    let factor = ScalarCholesky::new(&lower).unwrap();
    assert!(factor.component_count() >= 2 && factor.factor_entries() >= lower.entry_count());
    let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
    let mut x = b.clone();
    factor.solve_in_place(&mut x);
    let cholesky = dense.cholesky().unwrap();
    for c in 0..3 {
        let exact = cholesky.solve(&DVector::from_iterator(n, b.iter().map(|v| v[c])));
        assert!((0..n).all(|i| (exact[i] - x[i][c]).abs() < 1e-13));
    }
    // Together the same bits as one by one, for any number of systems.
    let mut systems: Vec<Vec<Vec3>> =
        (0..7).map(|_| (0..n).map(|_| random.vector(-1.0, 1.0)).collect()).collect();
    let mut alone = systems.clone();
    alone.iter_mut().for_each(|system| factor.solve_in_place(system));
    factor.solve_many(&mut systems);
    assert_eq!(systems, alone);
    let mut negative = lower.clone();
    let (start, _) = lower.column(64);
    negative.values_mut()[start] = -1.0;
    assert_eq!(ScalarCholesky::new(&negative).unwrap_err(), FactorError::NotPositiveDefinite { block: 64 });
    let hole = CscMatrix::from_triplets(2, &[(0, 0, 1.0)]).unwrap();
    assert!(matches!(ScalarCholesky::new(&hole), Err(FactorError::Malformed { .. })));
}

#[test]
fn lu_reuses_its_analysis_on_nonsymmetric_matrices() {
    let mut random = Random::new(8);
    for (n, entries) in [(60, 200), (150, 6000)] {
        let mut triplets: Vec<(u32, u32, f64)> = (0..entries)
            .map(|_| (random.below(n) as u32, random.below(n) as u32, random.range(-1.0, 1.0)))
            .collect();
        // A shifted diagonal: pivoting is needed.
        triplets.extend((0..n).map(|i| (((i + 1) % n) as u32, i as u32, 4.0)));
        let mut matrix = CscMatrix::from_triplets(n, &triplets).unwrap();
        let mut lu = SparseLu::new(&matrix).unwrap();
        for round in 0..3 {
            matrix.values_mut().iter_mut().for_each(|v| *v *= 1.0 + 0.1 * random.uniform() * round as f64);
            lu.factor(&matrix).unwrap();
            let mut dense = DMatrix::<f64>::zeros(n, n);
            for j in 0..n {
                let (start, rows) = matrix.column(j);
                rows.iter()
                    .enumerate()
                    .for_each(|(k, &i)| dense[(i as usize, j)] = matrix.values()[start + k]);
            }
            let exact = DVector::from_fn(n, |i, _| (i as f64).sin());
            let b = &dense * &exact;
            let mut x: Vec<f64> = b.iter().copied().collect();
            lu.solve_in_place(&mut x).unwrap();
            let error = x.iter().zip(exact.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-9, "n = {n}: {error:e}");
        }
    }
}

#[test]
fn lu_reports_singular_matrices() {
    let singular =
        CscMatrix::from_triplets(2, &[(0, 0, 1.0), (1, 0, 2.0), (0, 1, 2.0), (1, 1, 4.0)]).unwrap();
    let outcome = SparseLu::new(&singular).and_then(|lu| lu.solve_in_place(&mut [1.0, 1.0]));
    assert_eq!(outcome, Err(FactorError::Singular));
    let structural = CscMatrix::from_triplets(2, &[(0, 0, 1.0)]).unwrap();
    let outcome = SparseLu::new(&structural).and_then(|lu| lu.solve_in_place(&mut [1.0, 1.0]));
    assert_eq!(outcome, Err(FactorError::Singular));
}
