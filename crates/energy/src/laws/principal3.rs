//! Second derivative of an isotropic solid law in its principal frame.
//!
//! With `F = U diag(σ) Vᵀ` and an energy `ψ(σ₁,σ₂,σ₃)`, the Hessian seen in the principal frame
//! (`δF = U D Vᵀ`) couples only what symmetry allows:
//!
//! * diagonal entries `D_ii` among themselves, through `ψ_ij` (scaling);
//! * `D_ij` with `D_ji`, whose eigenmodes are the twist `(D_ij − D_ji)/√2` with
//!   `t = (ψ_i+ψ_j)/(σ_i+σ_j)` and the flip `(D_ij + D_ji)/√2` with `f = (ψ_i−ψ_j)/(σ_i−σ_j)`.
//!
//! So nine numbers describe it, and removing negative eigenvalues means clamping `t` and `f` and
//! projecting one 3×3 matrix.   \[Smith2019; the reflection of an inverted F goes to the smallest
//! σ\]

use stiction_numerics::nalgebra::SMatrix;
use stiction_numerics::{Mat3, Vec3, project_spd3};

/// The pairs (i, j) that twists and flips act on; pair `k` leaves axis `k` alone.
pub(crate) const PAIRS: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Second derivative of an isotropic energy density of a 3×3 deformation gradient \[Pa\].
#[derive(Clone, Copy, Debug)]
pub struct PrincipalHessian3 {
    /// Left rotation of the singular value decomposition.
    pub u: Mat3,
    /// Right rotation.
    pub v: Mat3,
    /// `ψ_ij`.
    pub scaling: Mat3,
    /// Eigenvalues of the twists; entry `k` belongs to the plane orthogonal to axis `k`.
    pub twist: Vec3,
    /// Eigenvalues of the flips, in the same order.
    pub flip: Vec3,
}

impl PrincipalHessian3 {
    /// The same Hessian with its negative eigenvalues removed.
    pub fn projected(&self) -> Self {
        PrincipalHessian3 {
            scaling: project_spd3(&self.scaling),
            twist: self.twist.map(|t| t.max(0.0)),
            flip: self.flip.map(|f| f.max(0.0)),
            ..*self
        }
    }

    /// Prepares the evaluation of vertex blocks, all values times `weight` (a rest volume \[m³\]).
    pub(crate) fn weighted(&self, weight: f64) -> Blocks3 {
        let mut blocks = Blocks3 {
            u: self.u,
            own: self.scaling * weight,
            cross: Mat3::zeros(),
            mixed: self.scaling * weight,
        };
        for (k, &(i, j)) in PAIRS.iter().enumerate() {
            // Twist and flip written in the entries D_ij, D_ji: the same entry twice, and one with
            // the other.
            let same = 0.5 * weight * (self.flip[k] + self.twist[k]);
            let swap = 0.5 * weight * (self.flip[k] - self.twist[k]);
            blocks.own[(i, j)] = same;
            blocks.own[(j, i)] = same;
            blocks.cross[(i, j)] = swap;
            blocks.cross[(j, i)] = swap;
        }
        blocks
    }

    /// The 9×9 matrix over the column-major entries of `F`: `H[(i+3j, k+3l)] = ∂²ψ/∂F_ij∂F_kl`.
    pub fn dense(&self) -> SMatrix<f64, 9, 9> {
        let blocks = self.weighted(1.0);
        let mut dense = SMatrix::<f64, 9, 9>::zeros();
        for j in 0..3 {
            for l in 0..3 {
                // A shape function whose gradient is a unit vector picks one column of F.
                let (row_j, row_l) = (self.v.row(j).transpose(), self.v.row(l).transpose());
                dense.fixed_view_mut::<3, 3>(3 * j, 3 * l).copy_from(&blocks.block(&row_j, &row_l));
            }
        }
        dense
    }
}

/// A principal Hessian arranged for the blocks of vertex pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks3 {
    u: Mat3,
    /// `own[(i, j)]` couples `D_ij` with itself.
    own: Mat3,
    /// `cross[(i, j)]` couples `D_ij` with `D_ji`, i ≠ j.
    cross: Mat3,
    /// `mixed[(i, j)]` couples `D_ii` with `D_jj`, i ≠ j.
    mixed: Mat3,
}

impl Blocks3 {
    /// Block of two vertices with shape gradients `a` and `b` in the principal material frame
    /// (`Vᵀ g`):
    /// `U Ĥ Uᵀ`, `Ĥ_ii = Σ_j own_ij a_j b_j`, `Ĥ_ij = mixed_ij a_i b_j + cross_ij a_j b_i`.
    pub(crate) fn block(&self, a: &Vec3, b: &Vec3) -> Mat3 {
        let product = a.component_mul(b);
        let diagonal = self.own * product;
        let mut local = Mat3::from_diagonal(&diagonal);
        for (i, j) in PAIRS {
            let (mixed, cross) = (self.mixed[(i, j)], self.cross[(i, j)]);
            local[(i, j)] = mixed * a[i] * b[j] + cross * a[j] * b[i];
            local[(j, i)] = mixed * a[j] * b[i] + cross * a[i] * b[j];
        }
        self.u * local * self.u.transpose()
    }
}
