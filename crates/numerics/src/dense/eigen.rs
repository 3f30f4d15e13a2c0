//! Eigenvalues of small symmetric matrices by cyclic Jacobi, and projection to positive
//! semi-definite ones.
//!
//! Jacobi is chosen over tridiagonal QL for its accuracy: on definite matrices it keeps small
//! eigenvalues that QL drowns in ε|A| [Demmel & Veselić 1992]. Hot paths should prefer analytic
//! eigensystems.

use crate::types::{Mat3, Vec3};
use nalgebra::{SMatrix, SVector};

/// `A = Q diag(λ) Qᵀ` of a symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymmetricEigen3 {
    /// Eigenvalues, descending.
    pub values: Vec3,
    /// Eigenvectors in the columns, in the order of the values; det = +1.
    pub vectors: Mat3,
}

/// A pivot counts as zero when |a_pq| ≤ this · √|a_pp a_qq| …
const RELATIVE: f64 = f64::EPSILON;
/// … or when |a_pq| ≤ this · |A|: far below what the entries of a non-definite matrix can resolve.
const ABSOLUTE: f64 = 1e-4 * f64::EPSILON;
/// Cyclic Jacobi needs four to eight sweeps; the cap only guards against non-finite input.
const MAX_SWEEPS: usize = 24;
/// Larger matrices are projected through tridiagonal QL: three times faster at N = 12, and a
/// projection needs no more than ε|A|.
const JACOBI_UP_TO: usize = 4;

/// Eigenvalues (unsorted) and eigenvectors (columns) of a symmetric matrix; reads the upper
/// triangle only.
pub fn eigen_symmetric<const N: usize>(matrix: &SMatrix<f64, N, N>) -> (SVector<f64, N>, SMatrix<f64, N, N>) {
    let mut a = *matrix;
    let mut q = SMatrix::<f64, N, N>::identity();
    let floor = ABSOLUTE * matrix.amax();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..N {
            for r in p + 1..N {
                rotated |= annihilate(&mut a, &mut q, p, r, floor);
            }
        }
        if !rotated {
            break;
        }
    }
    (SVector::from_fn(|i, _| a[(i, i)]), q)
}

/// One Jacobi rotation on the upper triangle of `a`: t = tan θ is the smaller root of
/// t² + 2ζt − 1 = 0,
/// ζ = (a_rr − a_pp)/(2 a_pr); the diagonal moves by ∓ t a_pr, which keeps small entries accurate.
#[inline(always)]
fn annihilate<const N: usize>(
    a: &mut SMatrix<f64, N, N>,
    q: &mut SMatrix<f64, N, N>,
    p: usize,
    r: usize,
    floor: f64,
) -> bool {
    let (app, arr, apr) = (a[(p, p)], a[(r, r)], a[(p, r)]);
    if apr.abs() <= floor || apr * apr <= RELATIVE * RELATIVE * (app * arr).abs() {
        return false;
    }
    let difference = arr - app;
    let twice = 2.0 * apr;
    let radius = difference.hypot_fast(twice);
    let t = twice / (difference + radius.copysign(difference));
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    a[(p, p)] = app - t * apr;
    a[(r, r)] = arr + t * apr;
    a[(p, r)] = 0.0;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    for k in 0..N {
        if k != p && k != r {
            let (mut x, mut y) = (a[(k.min(p), k.max(p))], a[(k.min(r), k.max(r))]);
            turn(&mut x, &mut y);
            (a[(k.min(p), k.max(p))], a[(k.min(r), k.max(r))]) = (x, y);
        }
        let (mut x, mut y) = (q[(k, p)], q[(k, r)]);
        turn(&mut x, &mut y);
        (q[(k, p)], q[(k, r)]) = (x, y);
    }
    true
}

/// Square root of the sum of squares without the scaling of `f64::hypot`, whose care costs more
/// than the rotation.
trait HypotFast {
    fn hypot_fast(self, other: f64) -> f64;
}

impl HypotFast for f64 {
    #[inline(always)]
    fn hypot_fast(self, other: f64) -> f64 {
        let square = self * self + other * other;
        if (1e-280..1e280).contains(&square) { square.sqrt() } else { self.hypot(other) }
    }
}

/// Eigenvalues (descending) and a right-handed eigenbasis of a symmetric 3×3 matrix.
pub fn eigen_symmetric3(matrix: &Mat3) -> SymmetricEigen3 {
    let (mut values, mut vectors) = eigen_symmetric(matrix);
    // A swap with one sign change is a rotation by a right angle: det stays +1.
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if values[i] < values[j] {
            values.swap_rows(i, j);
            vectors.swap_columns(i, j);
            vectors.column_mut(j).neg_mut();
        }
    }
    SymmetricEigen3 { values, vectors }
}

/// Closest positive semi-definite matrix to a symmetric 3×3 matrix (negative eigenvalues become
/// zero).
pub fn project_spd3(matrix: &Mat3) -> Mat3 {
    project_spd(matrix)
}

/// Closest positive semi-definite matrix to a symmetric one (negative eigenvalues become zero).
///
/// A matrix that is semi-definite to round-off already is returned as it is. The result is exactly
/// symmetric.
pub fn project_spd<const N: usize>(matrix: &SMatrix<f64, N, N>) -> SMatrix<f64, N, N> {
    if is_semidefinite_to_round_off(matrix) {
        return *matrix;
    }
    if N <= JACOBI_UP_TO {
        let (values, vectors) = eigen_symmetric(matrix);
        return positive_part(values.as_slice(), vectors.as_slice());
    }
    let eigen = nalgebra::DMatrix::from_column_slice(N, N, matrix.as_slice()).symmetric_eigen();
    positive_part(eigen.eigenvalues.as_slice(), eigen.eigenvectors.as_slice())
}

/// Σ λ q qᵀ over the positive eigenvalues; `vectors` holds the columns one after the other.
fn positive_part<const N: usize>(values: &[f64], vectors: &[f64]) -> SMatrix<f64, N, N> {
    let mut result = SMatrix::<f64, N, N>::zeros();
    for (&value, vector) in values.iter().zip(vectors.chunks_exact(N)).filter(|(v, _)| **v > 0.0) {
        for j in 0..N {
            let weight = value * vector[j];
            for i in 0..=j {
                result[(i, j)] += weight * vector[i];
            }
        }
    }
    result.fill_lower_triangle_with_upper_triangle();
    result
}

/// Cholesky of A + N ε |A| I: success means λ_min ≥ −N ε |A|, at a tenth of the cost of the
/// eigenvalues.
fn is_semidefinite_to_round_off<const N: usize>(matrix: &SMatrix<f64, N, N>) -> bool {
    let shift = N as f64 * f64::EPSILON * matrix.amax();
    let mut l = *matrix;
    for j in 0..N {
        // Column j of the lower triangle is read from the upper one (row j), as everywhere in this
        // file.
        for i in j..N {
            let mut sum = matrix[(j, i)];
            for k in 0..j {
                sum -= l[(i, k)] * l[(j, k)];
            }
            l[(i, j)] = sum;
        }
        let pivot = l[(j, j)] + shift;
        if pivot.is_nan() || pivot <= 0.0 {
            return shift == 0.0 && matrix.amax() == 0.0;
        }
        let inverse = 1.0 / pivot.sqrt();
        for i in j..N {
            l[(i, j)] *= inverse;
        }
        l[(j, j)] = pivot.sqrt();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn random_symmetric<const N: usize>(random: &mut Random) -> SMatrix<f64, N, N> {
        let b = SMatrix::<f64, N, N>::from_fn(|_, _| random.range(-1.0, 1.0));
        b + b.transpose()
    }

    #[test]
    fn eigen3_reconstructs_sorts_and_is_a_rotation() {
        let mut random = Random::new(21);
        for _ in 0..1000 {
            let a = random_symmetric::<3>(&mut random);
            let e = eigen_symmetric3(&a);
            let back = e.vectors * Mat3::from_diagonal(&e.values) * e.vectors.transpose();
            assert!((back - a).norm() < 4e-15 * a.norm());
            assert!(e.values.x >= e.values.y && e.values.y >= e.values.z);
            assert!((e.vectors.determinant() - 1.0).abs() < 4e-15);
        }
    }

    #[test]
    fn eigen3_keeps_small_eigenvalues_of_scaled_definite_matrices() {
        // D B D with a well conditioned B: relative accuracy holds although the scales span 1e16.
        let b = Mat3::new(2.0, 0.5, 0.3, 0.5, 2.0, 0.4, 0.3, 0.4, 2.0);
        let d = Mat3::from_diagonal(&Vec3::new(1.0, 1e-5, 1e-8));
        let e = eigen_symmetric3(&(d * b * d));
        let det = b.determinant() * 1e-26;
        assert!((e.values.product() / det - 1.0).abs() < 1e-13, "{:?}", e.values);
    }

    #[test]
    fn projection_clamps_negative_eigenvalues_only() {
        let mut random = Random::new(22);
        for _ in 0..50 {
            let a = random_symmetric::<9>(&mut random);
            let projected = project_spd(&a);
            let (before, q) = eigen_symmetric(&a);
            let expected =
                q * SMatrix::<f64, 9, 9>::from_diagonal(&before.map(|l: f64| l.max(0.0))) * q.transpose();
            assert!((projected - expected).norm() < 1e-13 * a.norm());
            assert!(projected == projected.transpose());
            assert!(eigen_symmetric(&projected).0.min() > -1e-14 * a.norm());
            let definite = a * a.transpose();
            assert!(project_spd(&definite) == definite);
        }
        assert_eq!(project_spd3(&Mat3::zeros()), Mat3::zeros());
        assert_eq!(project_spd3(&-Mat3::identity()), Mat3::zeros());
    }

    #[test]
    fn agrees_with_the_library_on_twelve_by_twelve() {
        let mut random = Random::new(23);
        let a = random_symmetric::<12>(&mut random);
        let mut ours: Vec<f64> = eigen_symmetric(&a).0.iter().copied().collect();
        let mut theirs: Vec<f64> = a.symmetric_eigenvalues().iter().copied().collect();
        ours.sort_by(f64::total_cmp);
        theirs.sort_by(f64::total_cmp);
        for (x, y) in ours.iter().zip(&theirs) {
            assert!((x - y).abs() < 1e-13 * a.norm());
        }
    }
}
