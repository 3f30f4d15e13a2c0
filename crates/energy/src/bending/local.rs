//! Sums of outer products in the upper triangle of a local Hessian.

use super::dihedral::PairedTerm;
use crate::element::{Curvature, LocalHessian};
use stiction_numerics::{Mat3, Vec3};

/// `Σ_k a_k b_kᵀ`, written out: the general matrix product is several times slower at this size.
#[inline(always)]
pub(crate) fn outer_sum<const K: usize>(a: &[Vec3; K], b: &[Vec3; K]) -> Mat3 {
    let mut block = Mat3::zeros();
    add_outer_sum(&mut block, a, b);
    block
}

/// Adds `Σ_k a_k b_kᵀ`.
#[inline(always)]
pub(crate) fn add_outer_sum<const K: usize>(block: &mut Mat3, a: &[Vec3; K], b: &[Vec3; K]) {
    for column in 0..3 {
        for row in 0..3 {
            let mut sum = block.data.0[column][row];
            for k in 0..K {
                sum += a[k].data.0[0][row] * b[k].data.0[0][column];
            }
            block.data.0[column][row] = sum;
        }
    }
}

/// `Σ_k g_k g_kᵀ` in the upper triangle, with `g[block][k]`.
#[inline(always)]
pub(crate) fn squares<const N: usize, const K: usize>(g: &[[Vec3; K]; N]) -> LocalHessian<N> {
    let mut hessian = [[Mat3::zeros(); N]; N];
    for a in 0..N {
        for b in a..N {
            hessian[a][b] = outer_sum(&g[a], &g[b]);
        }
    }
    hessian
}

/// Adds a triangle's second-order term, whole or without its negative eigenvalues, to the blocks
/// `slots`.
#[inline(always)]
pub(super) fn add_term<const N: usize>(
    hessian: &mut LocalHessian<N>,
    slots: [usize; 3],
    term: &PairedTerm,
    curvature: Curvature,
) {
    match curvature {
        Curvature::Exact => {
            let (z, f) = term.columns();
            let left: [[Vec3; 4]; 3] = std::array::from_fn(|v| [z[0][v], z[1][v], f[0][v], f[1][v]]);
            let right: [[Vec3; 4]; 3] = std::array::from_fn(|v| [f[0][v], f[1][v], z[0][v], z[1][v]]);
            add_upper(hessian, slots, &left, &right);
        }
        Curvature::Projected => {
            if let Some(y) = term.positive_part() {
                let columns: [[Vec3; 2]; 3] = std::array::from_fn(|v| [y[0][v], y[1][v]]);
                add_upper(hessian, slots, &columns, &columns);
            }
        }
    }
}

#[inline(always)]
fn add_upper<const N: usize, const K: usize>(
    hessian: &mut LocalHessian<N>,
    slots: [usize; 3],
    left: &[[Vec3; K]; 3],
    right: &[[Vec3; K]; 3],
) {
    for r in 0..3 {
        for c in r..3 {
            let (i, j) = (slots[r], slots[c]);
            if i <= j {
                add_outer_sum(&mut hessian[i][j], &left[r], &right[c]);
            } else {
                add_outer_sum(&mut hessian[j][i], &left[c], &right[r]);
            }
        }
    }
}

/// Copies the upper triangle to the lower one.
#[inline(always)]
pub(crate) fn mirror<const N: usize>(hessian: &mut LocalHessian<N>) {
    for a in 0..N {
        for b in 0..a {
            hessian[a][b] = hessian[b][a].transpose();
        }
    }
}
