//! One component: numeric factorisation by the library, triangular solves by our own kernels.
//!
//! The library's solves go through general matrix products, which for one to three right-hand sides cost several times
//! the reading of the factor. The kernels below read every entry of L once forward and once backward.

use crate::FactorError;
use crate::plan::ComponentPlan;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, simplicial::SymbolicSimplicialCholesky,
    supernodal::SymbolicSupernodalCholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side};
use std::ops::{AddAssign, Mul, SubAssign};

/// A right-hand-side row: one number, or several solved together.
pub(crate) trait Row: Copy + Default + Mul<f64, Output = Self> + AddAssign + SubAssign + Send {}
impl<T: Copy + Default + Mul<f64, Output = T> + AddAssign + SubAssign + Send> Row for T {}

/// Cholesky factor L Lᵀ of one component in its elimination order.
#[derive(Debug)]
pub(crate) struct ComponentFactor {
    symbolic: SymbolicCholesky<u32>,
    values: Vec<f64>,
}

impl ComponentFactor {
    /// Symbolic analysis; the plan is already in elimination order.
    pub(crate) fn analyse(plan: &ComponentPlan) -> Result<Self, FactorError> {
        let n = plan.size();
        let upper = SymbolicSparseColMatRef::new_checked(n, n, &plan.column_starts, None, &plan.rows);
        let params = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(upper, Side::Upper, SymmetricOrdering::Identity, params)?;
        Ok(Self { symbolic, values: Vec::new() })
    }

    /// Numeric factorisation of values laid out by the plan.
    pub(crate) fn factor(&mut self, plan: &ComponentPlan, upper_values: &[f64]) -> Result<(), FactorError> {
        let n = plan.size();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &plan.column_starts, None, &plan.rows);
        let upper = SparseColMatRef::new(pattern, upper_values);
        self.values.resize(self.symbolic.len_val(), 0.0);
        let request = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
        let result = self.symbolic.factorize_numeric_llt(
            &mut self.values,
            upper,
            Side::Upper,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        match result {
            Ok(_) => self.check_finite(plan),
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

    /// NaN slips through comparisons of pivots in wide kernels; the diagonal of L shows it.
    fn check_finite(&self, plan: &ComponentPlan) -> Result<(), FactorError> {
        let bad = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                (0..s.nrows()).find(|&j| !is_positive(self.values[s.col_ptr()[j] as usize]))
            }
            SymbolicCholeskyRaw::Supernodal(s) => (0..s.n_supernodes()).find_map(|k| {
                let node = Supernode::new(s, &self.values, k);
                (0..node.width).find(|&j| !is_positive(node.column(j)[j])).map(|j| node.start + j)
            }),
        };
        bad.map_or(Ok(()), |scalar| Err(FactorError::NotPositiveDefinite { block: plan.block_of(scalar) }))
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
        8 * self.symbolic.len_val() + 4 * indices
    }

    /// Solves L Lᵀ x = b in place; `x` is in elimination order.
    pub(crate) fn solve<T: Row>(&self, x: &mut [T]) {
        assert_eq!(self.values.len(), self.symbolic.len_val(), "solve before the first factorisation");
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => solve_simplicial(s, &self.values, x),
            SymbolicCholeskyRaw::Supernodal(s) => solve_supernodal(s, &self.values, x),
        }
    }
}

/// False for NaN.
fn is_positive(pivot: f64) -> bool {
    pivot > 0.0
}

/// Column by column; the diagonal is the first entry of each column.
fn solve_simplicial<T: Row>(s: &SymbolicSimplicialCholesky<u32>, values: &[f64], x: &mut [T]) {
    let (starts, rows) = (s.col_ptr(), s.row_idx());
    let column = |j: usize| {
        let range = starts[j] as usize..starts[j + 1] as usize;
        (values[range.start], &values[range.start + 1..range.end], &rows[range.start + 1..range.end])
    };
    for j in 0..s.nrows() {
        let (diagonal, below, at) = column(j);
        let y = x[j] * (1.0 / diagonal);
        x[j] = y;
        for (&l, &i) in below.iter().zip(at) {
            x[i as usize] -= y * l;
        }
    }
    for j in (0..s.nrows()).rev() {
        let (diagonal, below, at) = column(j);
        let mut sum = x[j];
        for (&l, &i) in below.iter().zip(at) {
            sum -= x[i as usize] * l;
        }
        x[j] = sum * (1.0 / diagonal);
    }
}

/// A run of columns with one pattern: a dense panel of `width` columns over `width` + pattern rows.
struct Supernode<'a> {
    start: usize,
    width: usize,
    pattern: &'a [u32],
    panel: &'a [f64],
}

impl<'a> Supernode<'a> {
    fn new(s: &'a SymbolicSupernodalCholesky<u32>, values: &'a [f64], k: usize) -> Self {
        let start = s.supernode_begin()[k] as usize;
        let width = s.supernode_end()[k] as usize - start;
        let first = s.col_ptr_for_row_idx()[k] as usize;
        let pattern = &s.row_idx()[first..first + s.nnz_per_super()[k] as usize];
        let panel = &values[s.col_ptr_for_val()[k] as usize..s.col_ptr_for_val()[k + 1] as usize];
        Self { start, width, pattern, panel }
    }

    #[inline(always)]
    fn column(&self, j: usize) -> &'a [f64] {
        let height = self.width + self.pattern.len();
        &self.panel[j * height..(j + 1) * height]
    }
}

/// Panel by panel; rows below a panel are gathered once, so the inner loops run over contiguous memory.
fn solve_supernodal<T: Row>(s: &SymbolicSupernodalCholesky<u32>, values: &[f64], x: &mut [T]) {
    let mut below: Vec<T> = Vec::new();
    for k in 0..s.n_supernodes() {
        let node = Supernode::new(s, values, k);
        below.clear();
        below.resize(node.pattern.len(), T::default());
        forward_panel(&node, &mut x[node.start..node.start + node.width], &mut below);
        for (&i, &b) in node.pattern.iter().zip(&below) {
            x[i as usize] -= b;
        }
    }
    for k in (0..s.n_supernodes()).rev() {
        let node = Supernode::new(s, values, k);
        below.clear();
        below.extend(node.pattern.iter().map(|&i| x[i as usize]));
        backward_panel(&node, &mut x[node.start..node.start + node.width], &below);
    }
}

/// L₁₁ y = x at the top of the panel, below += L₂₁ y. Two columns at a time halve the traffic on `below`.
fn forward_panel<T: Row>(node: &Supernode, top: &mut [T], below: &mut [T]) {
    let width = node.width;
    for j in 0..width {
        let column = node.column(j);
        let y = top[j] * (1.0 / column[j]);
        top[j] = y;
        for (t, &l) in top[j + 1..].iter_mut().zip(&column[j + 1..width]) {
            *t -= y * l;
        }
    }
    let mut j = 0;
    while j + 1 < width {
        let (a, b) = (&node.column(j)[width..], &node.column(j + 1)[width..]);
        let (ya, yb) = (top[j], top[j + 1]);
        for ((t, &la), &lb) in below.iter_mut().zip(a).zip(b) {
            *t += ya * la;
            *t += yb * lb;
        }
        j += 2;
    }
    if j < width {
        let y = top[j];
        for (t, &l) in below.iter_mut().zip(&node.column(j)[width..]) {
            *t += y * l;
        }
    }
}

/// L₁₁ᵀ x = y − L₂₁ᵀ below. Two partial sums per column hide the latency of the additions.
fn backward_panel<T: Row>(node: &Supernode, top: &mut [T], below: &[T]) {
    let width = node.width;
    for j in (0..width).rev() {
        let column = node.column(j);
        let mut sum = top[j];
        for (t, &l) in top[j + 1..].iter().zip(&column[j + 1..width]) {
            sum -= *t * l;
        }
        let (mut even, mut odd) = (T::default(), T::default());
        let (values, rows) = (column[width..].chunks_exact(2), below.chunks_exact(2));
        if let ([l], [b]) = (values.remainder(), rows.remainder()) {
            even += *b * *l;
        }
        for (l, b) in values.zip(rows) {
            even += b[0] * l[0];
            odd += b[1] * l[1];
        }
        sum -= even;
        sum -= odd;
        top[j] = sum * (1.0 / column[j]);
    }
}
