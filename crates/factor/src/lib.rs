//! Sparse direct solves for Stiction, and what is built on them: the only crate that knows the
//! factorisation library.
//!
//! Comes in: block matrices, scalar matrices in compressed columns, right-hand sides. Goes out:
//! solutions, sizes of factors, or the block at which a matrix stops being positive definite. Knows
//! no physics and no meshes.
//!
//! [`SparseCholesky`], [`ScalarCholesky`]: symmetric definite matrices. [`BlockLu`], [`SparseLu`]:
//! general ones. [`CoupledSolver`]: systems whose couplings come and go, by conjugate gradients,
//! with a [`CoarseLevel`] or by a [`MergedCholesky`]. `docs/design.md` says which one to use when.
//!
//! Connected components factor separately: each on one thread, different ones in parallel, so
//! results have the same bits for any thread count. Orderings of Cholesky factors act on the block
//! graph (a third of the rows, the same fill) and expand to scalars.

mod block_cholesky;
mod block_lu;
mod coupled_solver;
mod csc;
mod error;
mod llt;
mod lu;
mod merged;
mod panels;
mod plan;
mod scalar_cholesky;
mod two_level;
mod wide;

pub use block_cholesky::SparseCholesky;
pub use block_lu::BlockLu;
pub use coupled_solver::{
    CoupledSolveError, CoupledSolveInfo, CoupledSolver, CoupledSolverOptions, CoupledSystem, SolverHistory,
    SolverPolicy,
};
pub use csc::CscMatrix;
pub use error::FactorError;
pub use lu::SparseLu;
pub use merged::MergedCholesky;
pub use scalar_cholesky::ScalarCholesky;
pub use two_level::{CoarseLevel, PrecondTwoLevel};
