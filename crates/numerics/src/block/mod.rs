//! Symmetric sparse matrices of 3×3 blocks: pattern, values, parallel products, coloured assembly.

mod assembly;
mod couplings;
mod element_colouring;
mod incidence;
pub(crate) mod matrix;
mod pattern;
mod row_product;
mod single;
mod symmetric;

pub use assembly::{ElementSlots, assemble, scatter_add};
pub use couplings::{CoupledMatrix, CouplingTerms, Couplings};
pub use element_colouring::{ElementColouring, colour_elements};
pub use incidence::Incidence;
pub use matrix::{BlockMatrix, Precision};
pub use pattern::BlockPattern;
pub use symmetric::SymmetricBlock;
