//! Incomplete block Cholesky without fill, IC(0), on the pattern of the matrix.
//!
//! M = (D + Uᵀ) D⁻¹ (D + U) with D block diagonal, U strictly upper on the pattern of A. Row k,
//! once final, updates the
//! rows below it where the pattern has room:  A_ij ← A_ij − U_kiᵀ D_k⁻¹ U_kj  for i ≤ j in row k.
//! A pivot that is not positive restarts the factorisation with a larger shift A + s·diag(A)
//! [Manteuffel 1980].

use super::preconditioner::Preconditioner;
use crate::block::{BlockMatrix, BlockPattern};
use crate::types::{Mat3, Vec3};
use std::sync::{Arc, Mutex};
use thiserror::Error;

/// A pivot block is accepted when its smallest Cholesky pivot exceeds this part of the diagonal
/// entry it came from.
const PIVOT_FLOOR: f64 = 1e-8;
const FIRST_SHIFT: f64 = 1e-3;
const SHIFT_GROWTH: f64 = 4.0;
const MAX_ATTEMPTS: usize = 12;

/// The factorisation found no positive definite approximation.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "incomplete Cholesky fails at block {block} even with the largest shift; its diagonal block is not positive"
)]
pub struct IncompleteCholeskyError {
    /// Block row of the failed pivot.
    pub block: usize,
}

/// Incomplete block Cholesky preconditioner; the triangular solves run on one thread.
#[derive(Debug)]
pub struct PrecondIncompleteCholesky {
    pattern: Arc<BlockPattern>,
    /// U above the diagonal; D⁻¹ on the diagonal slots.
    factor: Vec<Mat3>,
    shift: f64,
    work: Mutex<Vec<Vec3>>,
}

impl PrecondIncompleteCholesky {
    /// Factors a matrix; blocks fixed by the mask get identity rows.
    ///
    /// A component whose diagonal entry is exactly zero (unused, as in twist blocks) acts as an
    /// identity row.
    pub fn new(matrix: &BlockMatrix, fixed: Option<&[bool]>) -> Result<Self, IncompleteCholeskyError> {
        let pattern = matrix.pattern().clone();
        let mut factor = Vec::with_capacity(pattern.stored_count());
        let mut shift = 0.0;
        let mut failed = 0;
        for _ in 0..MAX_ATTEMPTS {
            prepare(matrix, fixed, shift, &mut factor);
            match eliminate(&pattern, &mut factor) {
                Ok(()) => {
                    let work = Mutex::new(vec![Vec3::zeros(); pattern.block_count()]);
                    return Ok(Self { pattern, factor, shift, work });
                }
                Err(block) => failed = block,
            }
            shift = if shift == 0.0 { FIRST_SHIFT } else { shift * SHIFT_GROWTH };
        }
        Err(IncompleteCholeskyError { block: failed })
    }

    /// The shift that the factorisation needed, relative to the diagonal; 0 when it went through at
    /// once.
    pub fn shift(&self) -> f64 {
        self.shift
    }
}

/// Copies the masked and shifted matrix into the factor storage.
fn prepare(matrix: &BlockMatrix, fixed: Option<&[bool]>, shift: f64, factor: &mut Vec<Mat3>) {
    factor.clear();
    factor.extend_from_slice(matrix.values());
    let pattern = matrix.pattern();
    let is_fixed = |i: usize| fixed.is_some_and(|f| f[i]);
    for row in 0..pattern.block_count() {
        let slots = pattern.row_range(row);
        for (slot, &column) in slots.clone().zip(pattern.row(row)).skip(1) {
            if is_fixed(row) || is_fixed(column as usize) {
                factor[slot] = Mat3::zeros();
            }
        }
        let diagonal = &mut factor[slots.start];
        if is_fixed(row) {
            *diagonal = Mat3::identity();
        }
        for k in 0..3 {
            let entry = &mut diagonal[(k, k)];
            *entry = if *entry == 0.0 { 1.0 } else { *entry * (1.0 + shift) };
        }
    }
}

/// The factorisation in place; `Err(row)` at a pivot block that is not positive definite.
fn eliminate(pattern: &BlockPattern, factor: &mut [Mat3]) -> Result<(), usize> {
    for k in 0..pattern.block_count() {
        let range = pattern.row_range(k);
        let pivot_inverse = definite_inverse(&factor[range.start]).ok_or(k)?;
        factor[range.start] = pivot_inverse;
        let columns = pattern.row(k);
        for a in 1..columns.len() {
            let left = factor[range.start + a].transpose() * pivot_inverse;
            if left == Mat3::zeros() {
                continue;
            }
            subtract_row_update(pattern, factor, &columns[a..], range.start + a, &left);
        }
    }
    Ok(())
}

/// A_ij ← A_ij − left · U_kj for the columns j of row k from i on that row i also stores; both
/// lists are sorted.
fn subtract_row_update(
    pattern: &BlockPattern,
    factor: &mut [Mat3],
    columns: &[u32],
    first_slot: usize,
    left: &Mat3,
) {
    let row = columns[0] as usize;
    let (target_start, targets) = (pattern.row_range(row).start, pattern.row(row));
    let mut t = 0;
    for (offset, &column) in columns.iter().enumerate() {
        while t < targets.len() && targets[t] < column {
            t += 1;
        }
        if t == targets.len() {
            break;
        }
        if targets[t] == column {
            let update = left * factor[first_slot + offset];
            factor[target_start + t] -= update;
        }
    }
}

/// Inverse of a block by its Cholesky factor; `None` unless clearly positive definite.
fn definite_inverse(block: &Mat3) -> Option<Mat3> {
    let l11 = block.m11;
    let l21 = block.m12 / l11;
    let l31 = block.m13 / l11;
    let d2 = block.m22 - l21 * block.m12;
    let m23 = block.m23 - l21 * block.m13;
    let d3 = block.m33 - l31 * block.m13 - m23 * m23 / d2;
    let positive = l11 > 0.0 && d2 > PIVOT_FLOOR * block.m22.abs() && d3 > PIVOT_FLOOR * block.m33.abs();
    if !positive || !(l11 + d2 + d3).is_finite() {
        return None;
    }
    let l32 = m23 / d2;
    // A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹ with unit lower L; L⁻¹ rows: (1,0,0), (−l21,1,0), (l21 l32 − l31, −l32, 1).
    let inverse_l = Mat3::new(1.0, 0.0, 0.0, -l21, 1.0, 0.0, l21 * l32 - l31, -l32, 1.0);
    Some(inverse_l.transpose() * Mat3::from_diagonal(&Vec3::new(1.0 / l11, 1.0 / d2, 1.0 / d3)) * inverse_l)
}

impl Preconditioner for PrecondIncompleteCholesky {
    /// (D + Uᵀ) y = r forward, then (D + U) z = D y backward.
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        let mut work = self.work.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        work.copy_from_slice(r);
        let n = self.pattern.block_count();
        for i in 0..n {
            let range = self.pattern.row_range(i);
            let y = self.factor[range.start] * work[i];
            work[i] = y;
            for (block, &j) in self.factor[range].iter().zip(self.pattern.row(i)).skip(1) {
                work[j as usize] -= block.tr_mul(&y);
            }
        }
        for i in (0..n).rev() {
            let range = self.pattern.row_range(i);
            let mut sum = Vec3::zeros();
            for (block, &j) in self.factor[range.clone()].iter().zip(self.pattern.row(i)).skip(1) {
                sum += block * z[j as usize];
            }
            z[i] = work[i] - self.factor[range.start] * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::matrix::tests::{flat, random_definite};
    use crate::random::Random;

    /// Without fill-in to drop (a block tree) IC(0) is the exact factorisation.
    #[test]
    fn exact_on_a_block_tree() {
        let mut random = Random::new(101);
        let n = 40;
        let edges: Vec<[u32; 2]> = (0..n as u32 - 1)
            .map(|i| [i, i + 1 + random.below((n - 1 - i as usize).min(1)) as u32])
            .collect();
        let pattern = Arc::new(BlockPattern::from_stencils(n, edges.iter().map(|e| &e[..])));
        let mut a = BlockMatrix::zeros(pattern.clone());
        for row in 0..n {
            for &column in &pattern.row(row)[1..] {
                a.add_block(row, column as usize, &Mat3::from_fn(|_, _| random.range(-1.0, 1.0)));
            }
        }
        a.add_diagonal(&vec![6.0; n]);
        let precond = PrecondIncompleteCholesky::new(&a, None).unwrap();
        assert_eq!(precond.shift(), 0.0);
        let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut x = vec![Vec3::zeros(); n];
        precond.apply(&b, &mut x);
        assert!((a.to_dense() * flat(&x) - flat(&b)).amax() < 1e-12);
    }

    #[test]
    fn shifts_when_a_pivot_breaks_down_and_gives_up_on_negative_diagonals() {
        let mut a = random_definite(30, 60, 102);
        // Take away definiteness but keep positive diagonal blocks.
        for i in 0..30 {
            *a.diagonal_block_mut(i) *= 0.05;
        }
        let precond = PrecondIncompleteCholesky::new(&a, None).unwrap();
        assert!(precond.shift() > 0.0);
        *a.diagonal_block_mut(4) = -Mat3::identity();
        assert!(PrecondIncompleteCholesky::new(&a, None).is_err());
    }

    #[test]
    fn unused_components_and_fixed_blocks_are_identity_rows() {
        let mut a = BlockMatrix::zeros(Arc::new(BlockPattern::from_stencils(3, [&[0u32, 1, 2][..]])));
        for i in 0..3 {
            *a.diagonal_block_mut(i) = Mat3::from_diagonal(&Vec3::new(4.0, 0.0, 0.0));
        }
        a.add_block(0, 1, &Mat3::from_diagonal(&Vec3::new(1.0, 0.0, 0.0)));
        let precond = PrecondIncompleteCholesky::new(&a, Some(&[false, false, true])).unwrap();
        let mut z = vec![Vec3::zeros(); 3];
        precond
            .apply(&[Vec3::new(5.0, 2.0, 3.0), Vec3::new(5.0, 0.0, 0.0), Vec3::new(7.0, 8.0, 9.0)], &mut z);
        let expected = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(7.0, 8.0, 9.0)];
        for i in 0..3 {
            assert!((z[i] - expected[i]).norm() < 1e-14);
        }
    }
}
