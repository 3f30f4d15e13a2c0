//! Symmetric sparse matrices of 3×3 blocks: pattern, values, parallel products, coloured assembly.

mod assembly;
mod element_colouring;
pub(crate) mod matrix;
mod pattern;

pub use assembly::{ElementSlots, assemble, scatter_add};
pub use element_colouring::{ElementColouring, colour_elements};
pub use matrix::BlockMatrix;
pub use pattern::BlockPattern;
