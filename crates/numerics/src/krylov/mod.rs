//! Iterative linear solvers on vectors of blocks, their operators and preconditioners.
//!
//! Each solver comes with a triple: parameters in, an info report out, an error for what cannot go
//! on. Hitting the iteration cap is a report (`converged: false`), not an error.

mod bicgstab;
mod incomplete_cholesky;
mod lanczos;
mod operator;
mod pcg;
mod pcg_parts;
mod preconditioner;

pub use bicgstab::{BicgstabError, BicgstabInfo, BicgstabParams, LinearBicgstab};
pub use incomplete_cholesky::{IncompleteCholeskyError, PrecondIncompleteCholesky};
pub use lanczos::LanczosCoefficients;
pub use operator::{LinearOperator, MaskedOperator, ResidualNorm, RowOperator};
pub use pcg::{LinearPcg, PcgError, PcgInfo, PcgParams};
pub use pcg_parts::{PartsPcg, PcgParts};
pub use preconditioner::{
    PrecondBlockJacobi, PrecondGeneralBlockJacobi, PrecondIdentity, Preconditioner, RowPreconditioner,
};
