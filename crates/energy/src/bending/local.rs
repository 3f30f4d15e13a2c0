//! Sums of outer products in the upper triangle of a local Hessian.

use super::dihedral::PairedTerm;
use crate::element::{Curvature, LocalHessian};
use stiction_numerics::{Mat3, Vec3};

/// `g gᵀ` in the upper triangle.
#[inline]
pub(super) fn squares<const N: usize>(g: &[Vec3; N]) -> LocalHessian<N> {
    let mut hessian = [[Mat3::zeros(); N]; N];
    for a in 0..N {
        for b in a..N {
            hessian[a][b] = g[a] * g[b].transpose();
        }
    }
    hessian
}

/// Adds a triangle's second-order term, whole or without its negative eigenvalues, to the blocks `slots`.
#[inline]
pub(super) fn add_term<const N: usize>(
    hessian: &mut LocalHessian<N>,
    slots: [usize; 3],
    term: &PairedTerm,
    curvature: Curvature,
) {
    match curvature {
        Curvature::Exact => {
            let (z, f) = term.columns();
            add_upper(hessian, slots, |r, c| {
                let pair = |i: usize| z[i][r] * f[i][c].transpose() + f[i][r] * z[i][c].transpose();
                pair(0) + pair(1)
            });
        }
        Curvature::Projected => {
            if let Some(y) = term.positive_part() {
                add_upper(hessian, slots, |r, c| {
                    y[0][r] * y[0][c].transpose() + y[1][r] * y[1][c].transpose()
                });
            }
        }
    }
}

#[inline]
fn add_upper<const N: usize>(
    hessian: &mut LocalHessian<N>,
    slots: [usize; 3],
    block: impl Fn(usize, usize) -> Mat3,
) {
    for r in 0..3 {
        for c in r..3 {
            let (i, j) = (slots[r], slots[c]);
            if i <= j {
                hessian[i][j] += block(r, c);
            } else {
                hessian[j][i] += block(c, r);
            }
        }
    }
}

/// Copies the upper triangle to the lower one.
#[inline]
pub(super) fn mirror<const N: usize>(hessian: &mut LocalHessian<N>) {
    for a in 0..N {
        for b in 0..a {
            hessian[a][b] = hessian[b][a].transpose();
        }
    }
}
