//! One component: numeric factorisation by the library.

use crate::FactorError;
use crate::panels::{Row, Supernode, Triangular};
use crate::plan::ComponentPlan;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};
use stiction_numerics::vectorised;

/// Cholesky factor L Lᵀ of one component in its elimination order.
#[derive(Debug)]
pub(crate) struct ComponentFactor {
    symbolic: SymbolicCholesky<u32>,
    values: Values,
    /// 1/L_jj: divisions would make up a good part of a solve.
    inverse_diagonal: Vec<f64>,
}

/// The numbers of L.
#[derive(Debug)]
enum Values {
    Double(Vec<f64>),
    Single(Vec<f32>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Double(values) => values.len(),
            Values::Single(values) => values.len(),
        }
    }
}

/// Numbers that are rounded at a time.
const SECTION: usize = 1 << 16;

/// Numbers in single precision. From the end on, freeing those that are done: both lists at once
/// would be the most that a caller holds.
fn rounded(mut values: Vec<f64>) -> Vec<f32> {
    let mut rounded = vec![0.0; values.len()];
    while !values.is_empty() {
        let start = values.len().saturating_sub(SECTION);
        let section = rounded[start..].iter_mut().zip(values.drain(start..));
        section.for_each(|(single, double)| *single = double as f32);
        values.shrink_to_fit();
    }
    rounded
}

impl ComponentFactor {
    /// Symbolic analysis; the plan is already in elimination order.
    pub(crate) fn analyse(plan: &ComponentPlan) -> Result<Self, FactorError> {
        let n = plan.size();
        let upper = SymbolicSparseColMatRef::new_checked(n, n, &plan.column_starts, None, &plan.rows);
        let params = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(upper, Side::Upper, SymmetricOrdering::Identity, params)?;
        Ok(Self { symbolic, values: Values::Double(Vec::new()), inverse_diagonal: Vec::new() })
    }

    /// Keeps L in single precision from the next factorisation on; that itself is done in double.
    pub(crate) fn round(&mut self) {
        self.values = Values::Single(Vec::new());
    }

    /// Whether L is kept in single precision.
    pub(crate) fn is_rounded(&self) -> bool {
        matches!(self.values, Values::Single(_))
    }

    /// Numeric factorisation of values laid out by the plan.
    pub(crate) fn factor(&mut self, plan: &ComponentPlan, upper_values: &[f64]) -> Result<(), FactorError> {
        let n = plan.size();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &plan.column_starts, None, &plan.rows);
        let upper = SparseColMatRef::new(pattern, upper_values);
        let mut values = match &mut self.values {
            Values::Double(values) => std::mem::take(values),
            // Both at once would be the most that a caller holds.
            Values::Single(values) => {
                *values = Vec::new();
                Vec::new()
            }
        };
        values.resize(self.symbolic.len_val(), 0.0);
        let request = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
        let result = self.symbolic.factorize_numeric_llt(
            &mut values,
            upper,
            Side::Upper,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        match result {
            Ok(_) => {
                self.invert_diagonal(plan, &values)?;
                self.keep(values);
                Ok(())
            }
            Err(LltError::NonPositivePivot { index }) => {
                // The simplicial kernel counts pivots from one, the supernodal one from zero.
                let scalar = match self.symbolic.raw() {
                    SymbolicCholeskyRaw::Simplicial(_) => index - 1,
                    SymbolicCholeskyRaw::Supernodal(_) => index,
                };
                Err(FactorError::NotPositiveDefinite { block: plan.block_of(scalar) })
            }
        }
    }

    /// Frees the numbers of L where each factorisation makes them anew; memory that is used again
    /// stays.
    pub(crate) fn release(&mut self) {
        if self.is_rounded() {
            self.round();
        }
    }

    /// Takes over the numbers of L.
    fn keep(&mut self, values: Vec<f64>) {
        match &mut self.values {
            Values::Double(kept) => *kept = values,
            Values::Single(kept) => *kept = rounded(values),
        }
    }

    /// Takes the diagonal. NaN slips through comparisons of pivots in wide kernels; it shows here.
    fn invert_diagonal(&mut self, plan: &ComponentPlan, values: &[f64]) -> Result<(), FactorError> {
        let mut diagonal = Vec::with_capacity(plan.size());
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                diagonal.extend((0..s.nrows()).map(|j| values[s.col_ptr()[j] as usize]));
            }
            SymbolicCholeskyRaw::Supernodal(s) => (0..s.n_supernodes()).for_each(|k| {
                let node = Supernode::new(s, values, k);
                diagonal.extend((0..node.width).map(|j| node.column(j)[j]));
            }),
        }
        if let Some(scalar) = diagonal.iter().position(|&pivot| !is_positive(pivot)) {
            return Err(FactorError::NotPositiveDefinite { block: plan.block_of(scalar) });
        }
        self.inverse_diagonal = diagonal.into_iter().map(|pivot| 1.0 / pivot).collect();
        Ok(())
    }

    /// Stored entries of L (with the zeros that supernodes pad).
    pub(crate) fn entry_count(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Bytes that a solve reads once forward and once backward: values and row indices.
    pub(crate) fn bytes(&self) -> usize {
        let indices = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => s.row_idx().len(),
            SymbolicCholeskyRaw::Supernodal(s) => s.row_idx().len(),
        };
        let number = if self.is_rounded() { 4 } else { 8 };
        number * self.symbolic.len_val() + 4 * indices
    }

    /// Solves L Lᵀ x = b in place; `x` is in elimination order.
    pub(crate) fn solve<T: Row>(&self, x: &mut [T]) {
        assert_eq!(self.values.len(), self.symbolic.len_val(), "solve before the first factorisation");
        let (symbolic, inverse_diagonal) = (&self.symbolic, &self.inverse_diagonal[..]);
        match &self.values {
            Values::Double(values) => vectorised(Triangular { symbolic, values, inverse_diagonal, x }),
            Values::Single(values) => vectorised(Triangular { symbolic, values, inverse_diagonal, x }),
        }
    }
}

/// False for NaN.
fn is_positive(pivot: f64) -> bool {
    pivot > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_any_length_are_rounded_in_place() {
        for length in [0, 1, SECTION - 1, SECTION, 2 * SECTION + 5] {
            let values: Vec<f64> = (0..length).map(|k| 1.0 / (k as f64 - 7.5)).collect();
            let expected: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            assert_eq!(rounded(values), expected);
        }
    }
}
