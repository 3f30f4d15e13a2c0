//! What the iterative solvers ask of a matrix, masks for prescribed blocks, and the parallel vector
//! updates.

use crate::block::BlockMatrix;
use crate::ordered::ordered_dot;
use crate::types::Vec3;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// Blocks per task of a vector update.
const CHUNK: usize = 4096;

/// A square linear map on vectors of blocks.
pub trait LinearOperator {
    /// Number of block rows.
    fn block_count(&self) -> usize;

    /// y = A x.
    fn apply(&self, x: &[Vec3], y: &mut [Vec3]);

    /// y = A x; returns xᵀ A x. Operators that can sum on the way spare large vectors one more
    /// round through memory.
    fn apply_dot(&self, x: &[Vec3], y: &mut [Vec3]) -> f64 {
        self.apply(x, y);
        ordered_dot(x, y)
    }
}

/// An operator whose rows can be asked for by themselves.
pub trait RowOperator: LinearOperator + Sync {
    /// Some rows of A x into `y`, which has no others; returns their part of xᵀ A x.
    fn rows_dot(&self, rows: Range<usize>, x: &[Vec3], y: &mut [Vec3]) -> f64;
}

impl LinearOperator for BlockMatrix {
    fn block_count(&self) -> usize {
        BlockMatrix::block_count(self)
    }

    fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.mul(x, y);
    }
}

impl RowOperator for BlockMatrix {
    fn rows_dot(&self, rows: Range<usize>, x: &[Vec3], y: &mut [Vec3]) -> f64 {
        let mut sum = Vec3::zeros();
        for (row, y) in rows.zip(y) {
            *y = self.row_dot(row, x);
            sum += x[row].component_mul(y);
        }
        sum.sum()
    }
}

/// An operator with the rows and columns of fixed blocks replaced by those of the identity.
///
/// With P the projector on free blocks this is P A P + (I − P), symmetric when A is. For prescribed
/// values `p` solve with the lifted right-hand side P (b − A p) + p: the terms `A_jk p_k` must move
/// over, or free blocks ignore the motion.
pub struct MaskedOperator<'a, O: ?Sized> {
    inner: &'a O,
    fixed: &'a [bool],
    held: Vec<u32>,
    free_part: Mutex<Vec<Vec3>>,
}

impl<'a, O: LinearOperator + ?Sized> MaskedOperator<'a, O> {
    /// Masks `inner`; `fixed` has one entry per block. Panics on another length.
    pub fn new(inner: &'a O, fixed: &'a [bool]) -> Self {
        assert_eq!(fixed.len(), inner.block_count(), "one mask entry per block");
        let held = (0..fixed.len() as u32).filter(|&i| fixed[i as usize]).collect();
        Self { inner, fixed, held, free_part: Mutex::default() }
    }

    /// Whether a vector is its own free part, as all directions of conjugate gradients are that
    /// start from prescribed values.
    fn is_free(&self, x: &[Vec3]) -> bool {
        self.held.iter().all(|&i| x[i as usize] == Vec3::zeros())
    }

    /// Sets the fixed blocks of a product.
    fn restore(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.held.iter().for_each(|&i| y[i as usize] = x[i as usize]);
    }

    /// The right-hand side P (b − A p) + p for prescribed values `p` (read at fixed blocks only).
    pub fn lift(&self, rhs: &mut [Vec3], prescribed: &[Vec3]) {
        let n = self.fixed.len();
        if self.is_free(prescribed) {
            return self.restore(prescribed, rhs);
        }
        let held: Vec<Vec3> =
            (0..n).map(|i| if self.fixed[i] { prescribed[i] } else { Vec3::zeros() }).collect();
        let mut moved = vec![Vec3::zeros(); n];
        self.inner.apply(&held, &mut moved);
        for i in 0..n {
            rhs[i] = if self.fixed[i] { prescribed[i] } else { rhs[i] - moved[i] };
        }
    }
}

impl<O: LinearOperator + ?Sized> LinearOperator for MaskedOperator<'_, O> {
    fn block_count(&self) -> usize {
        self.fixed.len()
    }

    fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        if self.is_free(x) {
            self.inner.apply(x, y);
            return self.restore(x, y);
        }
        let mut free = self.free_part.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        free.clear();
        free.extend_from_slice(x);
        self.held.iter().for_each(|&i| free[i as usize] = Vec3::zeros());
        self.inner.apply(&free, y);
        self.restore(x, y);
    }

    fn apply_dot(&self, x: &[Vec3], y: &mut [Vec3]) -> f64 {
        if !self.is_free(x) {
            self.apply(x, y);
            return ordered_dot(x, y);
        }
        let dot = self.inner.apply_dot(x, y);
        self.restore(x, y);
        dot
    }
}

impl<O: RowOperator + ?Sized> RowOperator for MaskedOperator<'_, O> {
    /// Only for vectors that are their own free part, as directions are.
    fn rows_dot(&self, rows: Range<usize>, x: &[Vec3], y: &mut [Vec3]) -> f64 {
        let dot = self.inner.rows_dot(rows.clone(), x, y);
        let first = self.held.partition_point(|&i| (i as usize) < rows.start);
        let held = self.held[first..].iter().map(|&i| i as usize).take_while(|&i| i < rows.end);
        held.for_each(|i| y[i - rows.start] = x[i]);
        dot
    }
}

/// How the length of a residual is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidualNorm {
    /// Square root of the sum of squares.
    #[default]
    Two,
    /// Largest component: a small body cannot hide behind a large one.
    Infinity,
}

impl ResidualNorm {
    /// The norm of a vector of blocks; NaN shows through.
    pub fn of(self, x: &[Vec3]) -> f64 {
        let parts: Vec<f64> = x.par_chunks(CHUNK).map(|part| self.part(part)).collect();
        self.whole(&parts)
    }

    /// What a chunk contributes: the sum of squares, or the largest component.
    pub(super) fn part(self, x: &[Vec3]) -> f64 {
        let larger = |a: f64, b: f64| if a >= b || a.is_nan() { a } else { b };
        match self {
            Self::Two => x.iter().map(Vec3::norm_squared).sum(),
            Self::Infinity => {
                x.iter().map(|v| if v.sum().is_nan() { f64::NAN } else { v.amax() }).fold(0.0, larger)
            }
        }
    }

    /// The norm from its parts, in order.
    pub(super) fn whole(self, parts: &[f64]) -> f64 {
        match self {
            Self::Two => parts.iter().sum::<f64>().sqrt(),
            Self::Infinity => parts.iter().fold(0.0, |a: f64, &b| if a >= b || a.is_nan() { a } else { b }),
        }
    }
}

/// x ← x + a p and r ← r − a q in one pass; the norm of r.
pub(super) fn advance(a: f64, [p, q]: [&[Vec3]; 2], [x, r]: [&mut [Vec3]; 2], norm: ResidualNorm) -> f64 {
    let from = p.par_chunks(CHUNK).zip(q.par_chunks(CHUNK));
    let parts = x.par_chunks_mut(CHUNK).zip(r.par_chunks_mut(CHUNK)).zip(from);
    let parts: Vec<f64> = parts
        .map(|((x, r), (p, q))| {
            x.iter_mut().zip(p).for_each(|(x, p)| *x += p * a);
            r.iter_mut().zip(q).for_each(|(r, q)| *r -= q * a);
            norm.part(r)
        })
        .collect();
    norm.whole(&parts)
}

/// y ← y + a x.
pub(super) fn axpy(a: f64, x: &[Vec3], y: &mut [Vec3]) {
    let pairs = y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK));
    pairs.for_each(|(y, x)| y.iter_mut().zip(x).for_each(|(y, x)| *y += x * a));
}

/// y ← x + b y.
pub(super) fn xpby(x: &[Vec3], b: f64, y: &mut [Vec3]) {
    let pairs = y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK));
    pairs.for_each(|(y, x)| y.iter_mut().zip(x).for_each(|(y, x)| *y = x + *y * b));
}

/// r ← b − A x.
pub(super) fn residual<O: LinearOperator + ?Sized>(op: &O, b: &[Vec3], x: &[Vec3], r: &mut [Vec3]) {
    op.apply(x, r);
    let pairs = r.par_chunks_mut(CHUNK).zip(b.par_chunks(CHUNK));
    pairs.for_each(|(r, b)| r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::matrix::tests::{flat, random_definite};
    use crate::random::Random;

    #[test]
    fn mask_gives_identity_rows_and_lifting_solves_the_constrained_system() {
        let n = 20;
        let a = random_definite(n, 30, 71);
        let mut random = Random::new(72);
        let fixed: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
        let op = MaskedOperator::new(&a, &fixed);
        let dense = a.to_dense();
        let is_fixed = |k: usize| fixed[k / 3];
        let masked = nalgebra::DMatrix::from_fn(3 * n, 3 * n, |i, j| match (is_fixed(i), is_fixed(j)) {
            (false, false) => dense[(i, j)],
            _ => f64::from(i == j),
        });
        let x: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        // A vector that is free already takes the short way.
        let free: Vec<Vec3> = (0..n).map(|i| if fixed[i] { Vec3::zeros() } else { x[i] }).collect();
        for x in [&x, &free] {
            let mut y = vec![Vec3::zeros(); n];
            op.apply(x, &mut y);
            assert!((&masked * flat(x) - flat(&y)).amax() < 1e-13);
            let dot = op.apply_dot(x, &mut y);
            assert!((&masked * flat(x) - flat(&y)).amax() < 1e-13);
            assert!((dot - flat(x).dot(&(&masked * flat(x)))).abs() < 1e-12 * dot);
        }
        // x itself solves the constrained problem with b = A x and prescribed values x.
        let mut b = vec![Vec3::zeros(); n];
        a.mul(&x, &mut b);
        let at_rest = b.clone();
        op.lift(&mut b, &x);
        assert!((&masked * flat(&x) - flat(&b)).amax() < 1e-12);
        // Blocks that do not move push nothing.
        let mut lifted = at_rest.clone();
        op.lift(&mut lifted, &free);
        assert!((0..n).all(|i| lifted[i] == if fixed[i] { Vec3::zeros() } else { at_rest[i] }));
    }

    #[test]
    fn norms() {
        let x = [Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.0, -4.0, 0.0)];
        assert_eq!(ResidualNorm::Two.of(&x), 5.0);
        assert_eq!(ResidualNorm::Infinity.of(&x), 4.0);
        assert!(ResidualNorm::Infinity.of(&[x[0], Vec3::new(f64::NAN, 1.0, 2.0)]).is_nan());
    }
}
