//! What can go wrong in a factorisation.

use thiserror::Error;

/// Why a matrix could not be analysed or factored.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FactorError {
    /// A pivot was not positive; regularise the matrix near this block and try again.
    #[error("matrix is not positive definite: the pivot of block {block} is not positive")]
    NotPositiveDefinite {
        /// Block (or scalar row, for a scalar matrix) whose pivot failed.
        block: usize,
    },
    /// A general matrix has no usable pivot.
    #[error("matrix is singular")]
    Singular,
    /// An index array does not describe a compressed-column matrix of the stated size.
    #[error("malformed sparse matrix: {reason}")]
    Malformed {
        /// What is wrong and where.
        reason: String,
    },
    /// Values on another pattern than the one that was analysed.
    #[error("matrix has another sparsity pattern than the one that was analysed; analyse it anew")]
    PatternChanged,
    /// The factor would hold more than 2³¹ entries.
    #[error("the factor is too large for 32-bit indices; split the object or use an iterative solver")]
    TooLarge,
    /// The allocator refused.
    #[error("out of memory while factoring")]
    OutOfMemory,
}

impl From<faer::sparse::FaerError> for FactorError {
    fn from(error: faer::sparse::FaerError) -> Self {
        match error {
            faer::sparse::FaerError::OutOfMemory => Self::OutOfMemory,
            _ => Self::TooLarge,
        }
    }
}
