//! Preconditioners without coupling: the identity and block Jacobi.

use crate::block::{BlockMatrix, GeneralBlockMatrix, SymmetricBlock};
use crate::dense::eigen_symmetric3;
use crate::ordered::{ordered_dot, ordered_sum};
use crate::types::{Mat3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Eigenvalues of a diagonal block below this part of the largest are raised to it before
/// inversion: keeps a nearly singular block (a node in a thin sheet, the unused components of a
/// twist) from dominating the search direction.
const EIGENVALUE_FLOOR: f64 = 1e-10;
const CHUNK: usize = 2048;

/// An approximate inverse, symmetric positive definite where the solver needs it.
pub trait Preconditioner {
    /// z = M⁻¹ r.
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]);

    /// z = M⁻¹ r; returns rᵀ z. Preconditioners that can sum on the way spare large vectors one
    /// more round through memory.
    fn apply_dot(&self, r: &[Vec3], z: &mut [Vec3]) -> f64 {
        self.apply(r, z);
        ordered_dot(r, z)
    }
}

/// A preconditioner whose rows can be asked for by themselves.
pub trait RowPreconditioner: Preconditioner + Sync {
    /// Sees the whole residual before its rows are asked for; blocks that are not `wanted` are zero
    /// in it, and will not be asked for.
    fn look(&self, r: &[Vec3], wanted: &(dyn Fn(usize) -> bool + Sync));

    /// Some rows of M⁻¹ r into `z`, which has no others; returns their part of rᵀ M⁻¹ r.
    fn rows_dot(&self, rows: Range<usize>, r: &[Vec3], z: &mut [Vec3]) -> f64;
}

/// No preconditioning, z = r.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrecondIdentity;

impl Preconditioner for PrecondIdentity {
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        z.copy_from_slice(r);
    }
}

/// Inverses of the diagonal blocks.
#[derive(Clone, Debug, Default)]
pub struct PrecondBlockJacobi {
    inverses: Vec<SymmetricBlock>,
}

impl PrecondBlockJacobi {
    /// Inverts the diagonal blocks of a matrix; blocks fixed by the mask get the identity.
    pub fn new(matrix: &BlockMatrix, fixed: Option<&[bool]>) -> Self {
        Self::from_blocks(matrix.block_count(), |i| matrix.diagonal_block(i), fixed)
    }

    /// Inverts given symmetric diagonal blocks, e.g. of a matrix-free operator.
    pub fn from_blocks(
        block_count: usize,
        block: impl Fn(usize) -> Mat3 + Sync,
        fixed: Option<&[bool]>,
    ) -> Self {
        let invert = |i: usize| {
            let held = fixed.is_some_and(|f| f[i]);
            let inverse = if held { Mat3::identity() } else { floored_inverse(&block(i)) };
            SymmetricBlock::from_upper(&inverse)
        };
        Self { inverses: (0..block_count).into_par_iter().with_min_len(256).map(invert).collect() }
    }

    /// The inverse blocks.
    pub fn inverses(&self) -> &[SymmetricBlock] {
        &self.inverses
    }
}

impl Preconditioner for PrecondBlockJacobi {
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        let items = z.par_chunks_mut(CHUNK).zip(r.par_chunks(CHUNK)).zip(self.inverses.par_chunks(CHUNK));
        items.for_each(|((z, r), m)| z.iter_mut().zip(r).zip(m).for_each(|((z, r), m)| *z = m.mul(r)));
    }

    fn apply_dot(&self, r: &[Vec3], z: &mut [Vec3]) -> f64 {
        let items = z.par_chunks_mut(CHUNK).zip(r.par_chunks(CHUNK)).zip(self.inverses.par_chunks(CHUNK));
        let products = items.map(|((z, r), m)| product(m, r, z));
        ordered_sum(&products.collect::<Vec<f64>>())
    }
}

impl RowPreconditioner for PrecondBlockJacobi {
    fn look(&self, _: &[Vec3], _: &(dyn Fn(usize) -> bool + Sync)) {}

    fn rows_dot(&self, rows: Range<usize>, r: &[Vec3], z: &mut [Vec3]) -> f64 {
        product(&self.inverses[rows.clone()], &r[rows], z)
    }
}

/// Inverses of the diagonal blocks of a general matrix, for solvers of nonsymmetric systems.
#[derive(Clone, Debug, Default)]
pub struct PrecondGeneralBlockJacobi {
    inverses: Vec<Mat3>,
}

impl PrecondGeneralBlockJacobi {
    /// Inverts the diagonal blocks; blocks fixed by the mask and singular ones get the identity.
    pub fn new(matrix: &GeneralBlockMatrix, fixed: Option<&[bool]>) -> Self {
        let invert = |i: usize| {
            let block = matrix.upper(matrix.pattern().diagonal_slot(i));
            match fixed.is_some_and(|f| f[i]) {
                true => Mat3::identity(),
                false => block.try_inverse().unwrap_or_else(Mat3::identity),
            }
        };
        let blocks = (0..matrix.block_count()).into_par_iter().with_min_len(256);
        Self { inverses: blocks.map(invert).collect() }
    }
}

impl Preconditioner for PrecondGeneralBlockJacobi {
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        let items = z.par_chunks_mut(CHUNK).zip(r.par_chunks(CHUNK)).zip(self.inverses.par_chunks(CHUNK));
        items.for_each(|((z, r), m)| z.iter_mut().zip(r).zip(m).for_each(|((z, r), m)| *z = m * r));
    }
}

/// z = D⁻¹ r; returns rᵀ z.
fn product(inverses: &[SymmetricBlock], r: &[Vec3], z: &mut [Vec3]) -> f64 {
    let mut sum = Vec3::zeros();
    for ((z, r), m) in z.iter_mut().zip(r).zip(inverses) {
        *z = m.mul(r);
        sum += r.component_mul(z);
    }
    sum.sum()
}

/// Inverse of a symmetric block with eigenvalues raised to a floor relative to the largest; the
/// identity for a block without any positive eigenvalue.
pub(super) fn floored_inverse(block: &Mat3) -> Mat3 {
    if let Some(inverse) = well_conditioned_inverse(block) {
        return inverse;
    }
    let eigen = eigen_symmetric3(block);
    let largest = eigen.values.x;
    if largest.is_nan() || largest <= 0.0 {
        return Mat3::identity();
    }
    let inverse = eigen.values.map(|l| 1.0 / l.max(EIGENVALUE_FLOOR * largest));
    eigen.vectors * Mat3::from_diagonal(&inverse) * eigen.vectors.transpose()
}

/// Inverse by cofactors when the block is clearly definite and far from the floor, the common case.
///
/// λ_min ≥ det/(trace/2)² for positive eigenvalues (the two larger ones multiply to at most
/// (trace/2)²), so det > 4·1e-8·(trace/2)³ puts λ_min/λ_max well above the floor and leaves the
/// cofactors accurate to 1e-8.
fn well_conditioned_inverse(b: &Mat3) -> Option<Mat3> {
    let c11 = b.m22 * b.m33 - b.m23 * b.m23;
    let c12 = b.m13 * b.m23 - b.m12 * b.m33;
    let c13 = b.m12 * b.m23 - b.m13 * b.m22;
    let det = b.m11 * c11 + b.m12 * c12 + b.m13 * c13;
    let half_trace = 0.5 * b.trace();
    let definite = b.m11 > 0.0 && b.m11 * b.m22 - b.m12 * b.m12 > 0.0;
    let clear = definite && det > 4e-8 * half_trace * half_trace * half_trace && det.is_normal();
    if !clear {
        return None;
    }
    let (c22, c23) = (b.m11 * b.m33 - b.m13 * b.m13, b.m12 * b.m13 - b.m11 * b.m23);
    let c33 = b.m11 * b.m22 - b.m12 * b.m12;
    Some(Mat3::new(c11, c12, c13, c12, c22, c23, c13, c23, c33) / det)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn inverse_is_exact_for_definite_and_floored_for_singular_blocks() {
        let mut random = Random::new(81);
        for _ in 0..200 {
            let q = random.rotation();
            let values = Vec3::new(3.0, 0.5, 10f64.powf(random.range(-4.0, 0.0)));
            let block = q * Mat3::from_diagonal(&values) * q.transpose();
            let block = (block + block.transpose()) * 0.5;
            assert!((floored_inverse(&block) * block - Mat3::identity()).norm() < 1e-9);
        }
        let twist = Mat3::from_diagonal(&Vec3::new(4.0, 0.0, 0.0));
        let expected = Vec3::new(0.25, 0.25 / EIGENVALUE_FLOOR, 0.25 / EIGENVALUE_FLOOR);
        assert!((floored_inverse(&twist) - Mat3::from_diagonal(&expected)).amax() < 1e-5);
        assert_eq!(floored_inverse(&Mat3::zeros()), Mat3::identity());
        assert!(floored_inverse(&Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0))).min() >= 0.0);
    }
}
