//! Small dense maths, sparse blocks, Krylov solvers, colouring and ordered reductions.
//!
//! Comes in: plain numbers and index lists. Goes out: the same. Knows no physics, no files, no scene.
//!
//! Matrices of 3×3 blocks: [`BlockMatrix`] (symmetric), [`GeneralBlockMatrix`] (not), both on a
//! [`BlockPattern`]; [`Couplings`] for pairs that come and go; [`BlockDiagonal`] without a pattern.
//! Iterations: [`LinearPcg`], [`PartsPcg`], [`LinearBicgstab`]; [`RankOneSystem`] adds dense parts of
//! low rank to any solver. Factorisations live in `stiction-factor`.
//!
//! Everything parallel here gives the same bits for any thread count: chunks are fixed by the size of the
//! problem, partial results combine in a fixed order, and writes are disjoint by colouring.

mod allocation;
pub mod banded;
pub mod block;
pub mod dense;
mod disjoint;
pub mod krylov;
pub mod lane_vectors;
pub mod lanes;
pub mod ordered;
pub mod random;
pub mod stencil_stages;
pub mod types;
mod woodbury;

pub use allocation::{map_large_arrays, return_freed_memory};
pub use banded::{BandedCholesky, BandedMatrix};
pub use block::{
    BlockDiagonal, BlockDiagonalFactor, BlockMatrix, BlockNotDefinite, BlockPattern, CoupledMatrix,
    CouplingTerms, Couplings, ElementColouring, ElementSlots, GeneralBlockMatrix, Incidence, Precision,
    SymmetricBlock, assemble, assemble_general, colour_elements, scatter_add,
};
pub use dense::{
    Svd3, Svd3x2, SymmetricEigen3, any_perpendicular, eigen_symmetric, eigen_symmetric3, polar2, polar3,
    polar3x2, project_spd, project_spd3, rotation_from_vector, rotation_jacobian, skew, svd3, svd3x2,
};
pub use krylov::{
    BicgstabError, BicgstabInfo, BicgstabParams, LanczosCoefficients, LinearBicgstab, LinearOperator,
    LinearPcg, MaskedOperator, PartsPcg, PcgError, PcgInfo, PcgParams, PcgParts, PrecondBlockJacobi,
    PrecondGeneralBlockJacobi, PrecondIdentity, PrecondIncompleteCholesky, Preconditioner, ResidualNorm,
    RowOperator, RowPreconditioner,
};
pub use lanes::{Lanes, VectorWork, vectorised};
pub use nalgebra;
pub use ordered::{ordered_dot, ordered_max, ordered_max_by, ordered_sum, ordered_sum_by};
pub use random::Random;
pub use types::{Mat2, Mat3, Mat3x2, Vec2, Vec3};
pub use woodbury::{RankOne, RankOneBase, RankOneSystem, WoodburyError};
