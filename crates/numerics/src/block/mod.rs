//! Sparse matrices of 3×3 blocks, symmetric and general: pattern, values, parallel products,
//! coloured assembly; block diagonals without a pattern.

mod assembly;
mod block_diagonal;
mod couplings;
mod element_colouring;
mod general;
mod incidence;
pub(crate) mod matrix;
mod pattern;
mod row_product;
mod single;
mod symmetric;

pub use assembly::{ElementSlots, assemble, scatter_add};
pub use block_diagonal::{BlockDiagonal, BlockDiagonalFactor, BlockNotDefinite};
pub use couplings::{CoupledMatrix, CouplingTerms, Couplings};
pub use element_colouring::{ElementColouring, colour_elements};
pub use general::{GeneralBlockMatrix, assemble_general};
pub use incidence::Incidence;
pub use matrix::{BlockMatrix, Precision};
pub use pattern::BlockPattern;
pub use symmetric::SymmetricBlock;
