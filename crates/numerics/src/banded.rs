//! Symmetric positive definite banded systems: one rod, one matrix.
//!
//! With the unknowns of a rod in the order x₀ θ₀ x₁ θ₁ … every bending element couples at most 11
//! neighbours (half-bandwidth 10), and Cholesky without pivoting keeps the band: O(n·kd²) to
//! factor, O(n·kd) to solve.

use crate::types::Vec3;
use std::ops::{AddAssign, Mul, SubAssign};
use thiserror::Error;

/// Half-bandwidth of a discrete elastic rod: x₀ θ₀ x₁ θ₁ x₂ is 11 unknowns, so 10 off-diagonals.
pub const ROD_HALF_BANDWIDTH: usize = 10;

/// A pivot of the factorisation was not positive.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("banded matrix is not positive definite: pivot {pivot:e} in row {row}")]
pub struct BandedNotPositiveDefinite {
    /// Scalar row of the pivot.
    pub row: usize,
    /// The pivot before its square root.
    pub pivot: f64,
}

/// A symmetric banded matrix; column `j` holds the entries of rows j..=j+kd, contiguous.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BandedMatrix {
    size: usize,
    half_bandwidth: usize,
    data: Vec<f64>,
}

impl BandedMatrix {
    /// The zero matrix of `size` rows with `half_bandwidth` off-diagonals on either side.
    pub fn zeros(size: usize, half_bandwidth: usize) -> Self {
        Self { size, half_bandwidth, data: vec![0.0; size * (half_bandwidth + 1)] }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Off-diagonals on either side.
    pub fn half_bandwidth(&self) -> usize {
        self.half_bandwidth
    }

    /// Makes it the zero matrix of another size, in the same memory where that suffices.
    pub fn reshape(&mut self, size: usize, half_bandwidth: usize) {
        (self.size, self.half_bandwidth) = (size, half_bandwidth);
        self.data.clear();
        self.data.resize(size * (half_bandwidth + 1), 0.0);
    }

    /// Adds to entry (row, column) and, being symmetric, to (column, row). Panics outside the band.
    #[inline]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        let index = self.index(row, column);
        self.data[index] += value;
    }

    /// Entry (row, column); zero outside the band.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        if row.abs_diff(column) > self.half_bandwidth { 0.0 } else { self.data[self.index(row, column)] }
    }

    fn index(&self, row: usize, column: usize) -> usize {
        let (i, j) = (row.max(column), row.min(column));
        assert!(i < self.size && i - j <= self.half_bandwidth, "entry ({row}, {column}) is outside the band");
        j * (self.half_bandwidth + 1) + (i - j)
    }

    /// y = A x.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == self.size && y.len() == self.size, "x and y need {} entries", self.size);
        y.fill(0.0);
        for (j, column) in self.data.chunks_exact(self.half_bandwidth + 1).enumerate() {
            y[j] += column[0] * x[j];
            for (k, &a) in column.iter().enumerate().take(self.size - j).skip(1) {
                y[j + k] += a * x[j];
                y[j] += a * x[j + k];
            }
        }
    }
}

/// Cholesky factor L Lᵀ of a banded matrix.
#[derive(Clone, Debug, Default)]
pub struct BandedCholesky {
    size: usize,
    half_bandwidth: usize,
    /// Columns of L below the diagonal as in [`BandedMatrix`]; the diagonal holds 1/L_jj.
    factor: Vec<f64>,
}

impl BandedCholesky {
    /// Factors a matrix.
    pub fn new(matrix: &BandedMatrix) -> Result<Self, BandedNotPositiveDefinite> {
        let mut result = Self::default();
        result.refactor(matrix)?;
        Ok(result)
    }

    /// Factors another matrix into the same storage.
    pub fn refactor(&mut self, matrix: &BandedMatrix) -> Result<(), BandedNotPositiveDefinite> {
        self.size = matrix.size;
        self.half_bandwidth = matrix.half_bandwidth;
        self.factor.clear();
        self.factor.extend_from_slice(&matrix.data);
        if self.half_bandwidth == ROD_HALF_BANDWIDTH {
            factor_fixed::<{ ROD_HALF_BANDWIDTH + 1 }>(&mut self.factor, self.size)
        } else {
            factor_any(&mut self.factor, self.size, self.half_bandwidth + 1)
        }
    }

    /// Solves A x = b in place for one right-hand side.
    pub fn solve(&self, b: &mut [f64]) {
        if self.half_bandwidth == ROD_HALF_BANDWIDTH && self.size > ROD_HALF_BANDWIDTH {
            solve_fixed::<{ ROD_HALF_BANDWIDTH }>(&self.factor, self.size, b);
        } else {
            self.solve_generic(b);
        }
    }

    /// Solves A x = b in place for three right-hand sides at once, one per component.
    pub fn solve3(&self, b: &mut [Vec3]) {
        self.solve_generic(b);
    }

    /// The entries of A⁻¹ within the band, at the cost of a factorisation or two.
    ///
    /// Lᵀ Z = L⁻¹ with Z = A⁻¹, read from the last column to the first:
    /// Z_ij = −1/L_jj Σ_k L_kj Z_ki for i > j,   Z_jj = 1/L_jj (1/L_jj − Σ_k L_kj Z_kj),   k = j + 1
    /// … j + kd
    pub fn inverse_band(&self, out: &mut BandedMatrix) {
        out.reshape(self.size, self.half_bandwidth);
        let width = self.half_bandwidth + 1;
        let mut sums = vec![0.0; self.half_bandwidth];
        for j in (0..self.size).rev() {
            let below = (self.size - 1 - j).min(self.half_bandwidth);
            let (inverse, l) = (self.factor[j * width], &self.factor[j * width + 1..][..below]);
            let (column, after) = out.data[j * width..].split_at_mut(width);
            sums.fill(0.0);
            for (c, z) in after.chunks_exact(width).take(below).enumerate() {
                sums[c] += z[0] * l[c];
                for k in 1..below - c {
                    sums[c + k] += z[k] * l[c];
                    sums[c] += z[k] * l[c + k];
                }
            }
            column[1..].iter_mut().zip(&sums[..below]).for_each(|(z, sum)| *z = -inverse * sum);
            let own: f64 = l.iter().zip(&column[1..]).map(|(l, z)| l * z).sum();
            column[0] = inverse * (inverse - own);
        }
    }

    fn solve_generic<T>(&self, b: &mut [T])
    where
        T: Copy + Mul<f64, Output = T> + AddAssign + SubAssign,
    {
        assert_eq!(b.len(), self.size, "right-hand side needs {} rows", self.size);
        let width = self.half_bandwidth + 1;
        for (j, column) in self.factor.chunks_exact(width).enumerate() {
            let y = b[j] * column[0];
            b[j] = y;
            for (l, target) in column[1..].iter().zip(&mut b[j + 1..]) {
                *target -= y * *l;
            }
        }
        for (j, column) in self.factor.chunks_exact(width).enumerate().rev() {
            let mut sum = b[j];
            for (l, known) in column[1..].iter().zip(&b[j + 1..]) {
                sum -= *known * *l;
            }
            b[j] = sum * column[0];
        }
    }
}

/// Right-looking factorisation: column j, once scaled, updates the `width − 1` columns after it.
fn factor_any(a: &mut [f64], size: usize, width: usize) -> Result<(), BandedNotPositiveDefinite> {
    for j in 0..size {
        let (head, tail) = a[j * width..].split_at_mut(width);
        scale_column(head, j)?;
        for k in 1..width.min(size - j) {
            let target = &mut tail[(k - 1) * width..k * width];
            let l = head[k];
            for (t, &h) in target.iter_mut().zip(&head[k..]) {
                *t -= l * h;
            }
        }
    }
    Ok(())
}

/// The same with the width known to the compiler, which unrolls the inner loops.
fn factor_fixed<const WIDTH: usize>(a: &mut [f64], size: usize) -> Result<(), BandedNotPositiveDefinite> {
    for j in 0..size {
        let (head, tail) = a[j * WIDTH..].split_at_mut(WIDTH);
        scale_column(head, j)?;
        let column: [f64; WIDTH] = std::array::from_fn(|k| head[k]);
        let (targets, _) = tail.as_chunks_mut::<WIDTH>();
        for (k, target) in targets.iter_mut().take(WIDTH - 1).enumerate() {
            let l = column[k + 1];
            for m in 0..WIDTH - 1 - k {
                target[m] -= l * column[k + 1 + m];
            }
        }
    }
    Ok(())
}

/// The solve with the width known to the compiler; the last columns, which reach beyond the end,
/// are cut short.
fn solve_fixed<const KD: usize>(factor: &[f64], size: usize, b: &mut [f64]) {
    assert_eq!(b.len(), size, "right-hand side needs {size} rows");
    let whole = size - KD;
    let column = |j: usize| &factor[j * (KD + 1)..(j + 1) * (KD + 1)];
    for j in 0..whole {
        let (column, rows) = (column(j), &mut b[j..=j + KD]);
        let y = rows[0] * column[0];
        rows[0] = y;
        (1..=KD).for_each(|k| rows[k] -= y * column[k]);
    }
    for j in whole..size {
        let (column, rows) = (column(j), &mut b[j..]);
        let y = rows[0] * column[0];
        rows[0] = y;
        rows[1..].iter_mut().zip(&column[1..]).for_each(|(target, l)| *target -= y * l);
    }
    for j in (whole..size).rev() {
        let (column, rows) = (column(j), &mut b[j..]);
        let below: f64 = rows[1..].iter().zip(&column[1..]).map(|(known, l)| known * l).sum();
        rows[0] = (rows[0] - below) * column[0];
    }
    for j in (0..whole).rev() {
        let (column, rows) = (column(j), &mut b[j..=j + KD]);
        // Two sums hide the latency of the additions.
        let (mut even, mut odd) = (0.0, 0.0);
        for k in 0..KD / 2 {
            even += rows[2 * k + 2] * column[2 * k + 2];
            odd += rows[2 * k + 1] * column[2 * k + 1];
        }
        rows[0] = (rows[0] - (even + odd)) * column[0];
    }
}

/// Divides a column by the root of its pivot and stores the reciprocal of the root in its place.
#[inline(always)]
fn scale_column(column: &mut [f64], row: usize) -> Result<(), BandedNotPositiveDefinite> {
    let pivot = column[0];
    // Written so that NaN fails.
    if !(pivot > 0.0 && pivot.is_finite()) {
        return Err(BandedNotPositiveDefinite { row, pivot });
    }
    let inverse = 1.0 / pivot.sqrt();
    column[0] = inverse;
    column[1..].iter_mut().for_each(|l| *l *= inverse);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use nalgebra::{DMatrix, DVector};

    fn random_banded(size: usize, kd: usize, seed: u64) -> BandedMatrix {
        let mut random = Random::new(seed);
        let mut matrix = BandedMatrix::zeros(size, kd);
        for j in 0..size {
            matrix.add(j, j, 2.0 * kd as f64 + 0.1);
            for i in j + 1..(j + kd + 1).min(size) {
                matrix.add(i, j, random.range(-1.0, 1.0));
            }
        }
        matrix
    }

    #[test]
    fn solves_agree_with_dense() {
        let mut random = Random::new(121);
        for (size, kd) in [(1, 10), (7, 10), (11, 10), (124, 10), (50, 3), (20, 0)] {
            let matrix = random_banded(size, kd, 122);
            let dense = DMatrix::from_fn(size, size, |i, j| matrix.get(i, j));
            let b: Vec<Vec3> = (0..size).map(|_| random.vector(-1.0, 1.0)).collect();
            let factor = BandedCholesky::new(&matrix).unwrap();
            let mut three = b.clone();
            factor.solve3(&mut three);
            for c in 0..3 {
                let rhs: Vec<f64> = b.iter().map(|v| v[c]).collect();
                let exact = dense.clone().cholesky().unwrap().solve(&DVector::from_vec(rhs.clone()));
                let mut one = rhs.clone();
                factor.solve(&mut one);
                for i in 0..size {
                    assert!((one[i] - exact[i]).abs() < 1e-13);
                    assert!((three[i][c] - one[i]).abs() < 1e-14);
                }
                let mut back = vec![0.0; size];
                matrix.mul(&one, &mut back);
                assert!(back.iter().zip(&rhs).all(|(x, y)| (x - y).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn the_band_of_the_inverse_agrees_with_dense() {
        for (size, kd) in [(1, 10), (7, 10), (124, 10), (50, 3), (20, 0)] {
            let matrix = random_banded(size, kd, 126);
            let dense = DMatrix::from_fn(size, size, |i, j| matrix.get(i, j)).try_inverse().unwrap();
            let mut band = BandedMatrix::zeros(1, 1);
            BandedCholesky::new(&matrix).unwrap().inverse_band(&mut band);
            for i in 0..size {
                for j in i.saturating_sub(kd)..size.min(i + kd + 1) {
                    assert!((band.get(i, j) - dense[(i, j)]).abs() < 1e-14, "{size} {kd}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn reports_the_row_of_a_bad_pivot() {
        let mut matrix = random_banded(30, 10, 123);
        matrix.add(17, 17, -100.0);
        assert_eq!(BandedCholesky::new(&matrix).unwrap_err().row, 17);
        let mut factor = BandedCholesky::new(&random_banded(30, 10, 124)).unwrap();
        assert!(factor.refactor(&random_banded(12, 4, 125)).is_ok());
    }
}
