//! LU factorisation of a general sparse matrix with reuse of the symbolic analysis.

use crate::{CscMatrix, FactorError};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};

/// LU factor with partial pivoting of a nonsymmetric matrix: analyse once, factor and solve many
/// times.
#[derive(Debug)]
pub struct SparseLu {
    pattern: CscMatrix,
    symbolic: SymbolicLu<u32>,
    numeric: NumericLu<u32, f64>,
    factored: bool,
}

impl SparseLu {
    /// Symbolic analysis of a pattern; values do not matter.
    pub fn analyse(matrix: &CscMatrix) -> Result<Self, FactorError> {
        let n = matrix.size();
        let (starts, rows) = matrix.indices();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows);
        let symbolic = factorize_symbolic_lu(pattern, Default::default())?;
        Ok(Self { pattern: matrix.clone(), symbolic, numeric: NumericLu::new(), factored: false })
    }

    /// Symbolic analysis and first factorisation.
    pub fn new(matrix: &CscMatrix) -> Result<Self, FactorError> {
        let mut result = Self::analyse(matrix)?;
        result.factor(matrix)?;
        Ok(result)
    }

    /// Factors other values on the same pattern.
    pub fn factor(&mut self, matrix: &CscMatrix) -> Result<(), FactorError> {
        if !self.pattern.same_pattern(matrix) {
            return Err(FactorError::PatternChanged);
        }
        self.factored = false;
        // Comparisons of pivots let NaN pass: refuse it here.
        if !matrix.values().iter().all(|v| v.is_finite()) {
            return Err(FactorError::Singular);
        }
        let n = matrix.size();
        let (starts, rows) = matrix.indices();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows);
        let values = SparseColMatRef::new(pattern, matrix.values());
        let request = self.symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
        let stack = MemStack::new(&mut memory);
        let result = self.symbolic.factorize_numeric_lu(
            &mut self.numeric,
            values,
            Par::Seq,
            stack,
            Default::default(),
        );
        match result {
            Ok(_) => self.factored = true,
            Err(LuError::SymbolicSingular { .. }) => return Err(FactorError::Singular),
            Err(LuError::Generic(error)) => return Err(error.into()),
        }
        Ok(())
    }

    /// Solves A x = b in place; an error when the factor is singular to working precision.
    pub fn solve_in_place(&self, rhs: &mut [f64]) -> Result<(), FactorError> {
        self.solve(rhs, false)
    }

    /// Solves Aᵀ x = b in place; an error when the factor is singular to working precision.
    pub fn solve_transposed_in_place(&self, rhs: &mut [f64]) -> Result<(), FactorError> {
        self.solve(rhs, true)
    }

    fn solve(&self, rhs: &mut [f64], is_transposed: bool) -> Result<(), FactorError> {
        let n = self.pattern.size();
        assert_eq!(rhs.len(), n, "right-hand side needs {n} rows");
        if !self.factored {
            return Err(FactorError::Singular);
        }
        let request = match is_transposed {
            true => self.symbolic.solve_transpose_in_place_scratch::<f64>(1, Par::Seq),
            false => self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        };
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
        let factor = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        let finite = rhs.iter().all(|v| v.is_finite());
        let columns = MatMut::from_column_major_slice_mut(rhs, n, 1);
        let stack = MemStack::new(&mut memory);
        match is_transposed {
            true => factor.solve_transpose_in_place_with_conj(Conj::No, columns, Par::Seq, stack),
            false => factor.solve_in_place_with_conj(Conj::No, columns, Par::Seq, stack),
        }
        // A vanishing pivot divides by zero: the library does not report it, the solution does.
        if finite && rhs.iter().any(|v| !v.is_finite()) {
            return Err(FactorError::Singular);
        }
        Ok(())
    }
}
