//! Triangular solves of one component by our own kernels.
//!
//! The library's solves go through general matrix products, which for one to three right-hand sides
//! cost several times the reading of the factor. The kernels below read every entry of L once
//! forward and once backward, four columns at a time, so that the rows under a panel are loaded
//! once for four of them. L may be rounded to single precision, which halves what is read; sums
//! stay in double.

use faer::sparse::linalg::cholesky::{
    SymbolicCholesky, SymbolicCholeskyRaw, simplicial::SymbolicSimplicialCholesky,
    supernodal::SymbolicSupernodalCholesky,
};
use std::ops::{AddAssign, Mul, SubAssign};
use stiction_numerics::VectorWork;

/// A right-hand-side row: one number, or several solved together.
pub(crate) trait Row: Copy + Default + Mul<f64, Output = Self> + AddAssign + SubAssign + Send {}
impl<T: Copy + Default + Mul<f64, Output = T> + AddAssign + SubAssign + Send> Row for T {}

/// A number of L as it is stored: in double precision, or rounded to single.
pub(crate) trait Entry: Copy + Into<f64> {}
impl<L: Copy + Into<f64>> Entry for L {}

/// L Lᵀ x = b in place; `x` is in elimination order.
pub(crate) struct Triangular<'a, L, T> {
    pub(crate) symbolic: &'a SymbolicCholesky<u32>,
    pub(crate) values: &'a [L],
    /// 1/L_jj.
    pub(crate) inverse_diagonal: &'a [f64],
    pub(crate) x: &'a mut [T],
}

impl<L: Entry, T: Row> VectorWork for Triangular<'_, L, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                solve_simplicial(s, self.values, self.inverse_diagonal, self.x);
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                solve_supernodal(s, self.values, self.inverse_diagonal, self.x);
            }
        }
    }
}

/// Column by column; the diagonal is the first entry of each column.
#[inline(always)]
fn solve_simplicial<L: Entry, T: Row>(
    s: &SymbolicSimplicialCholesky<u32>,
    values: &[L],
    inverse_diagonal: &[f64],
    x: &mut [T],
) {
    let (starts, rows) = (s.col_ptr(), s.row_idx());
    let below = |j: usize| {
        let range = starts[j] as usize + 1..starts[j + 1] as usize;
        (&values[range.clone()], &rows[range])
    };
    for j in 0..s.nrows() {
        let (values, at) = below(j);
        let y = x[j] * inverse_diagonal[j];
        x[j] = y;
        for (&l, &i) in values.iter().zip(at) {
            x[i as usize] -= y * l.into();
        }
    }
    for j in (0..s.nrows()).rev() {
        let (values, at) = below(j);
        let mut sum = x[j];
        for (&l, &i) in values.iter().zip(at) {
            sum -= x[i as usize] * l.into();
        }
        x[j] = sum * inverse_diagonal[j];
    }
}

/// A run of columns with one pattern: a dense panel of `width` columns over `width` + pattern rows.
pub(crate) struct Supernode<'a, L> {
    start: usize,
    pub(crate) width: usize,
    pattern: &'a [u32],
    panel: &'a [L],
}

impl<'a, L: Entry> Supernode<'a, L> {
    #[inline(always)]
    pub(crate) fn new(s: &'a SymbolicSupernodalCholesky<u32>, values: &'a [L], k: usize) -> Self {
        let start = s.supernode_begin()[k] as usize;
        let width = s.supernode_end()[k] as usize - start;
        let first = s.col_ptr_for_row_idx()[k] as usize;
        let pattern = &s.row_idx()[first..first + s.nnz_per_super()[k] as usize];
        let panel = &values[s.col_ptr_for_val()[k] as usize..s.col_ptr_for_val()[k + 1] as usize];
        Self { start, width, pattern, panel }
    }

    #[inline(always)]
    pub(crate) fn column(&self, j: usize) -> &'a [L] {
        let height = self.width + self.pattern.len();
        &self.panel[j * height..(j + 1) * height]
    }

    /// Entries of four columns below the triangle.
    #[inline(always)]
    fn four(&self, j: usize) -> [&'a [L]; 4] {
        [0, 1, 2, 3].map(|k| &self.column(j + k)[self.width..])
    }
}

/// Panel by panel; rows below a panel are gathered once, so the inner loops run over contiguous
/// memory.
#[inline(always)]
fn solve_supernodal<L: Entry, T: Row>(
    s: &SymbolicSupernodalCholesky<u32>,
    values: &[L],
    inverse_diagonal: &[f64],
    x: &mut [T],
) {
    let mut below: Vec<T> = Vec::new();
    for k in 0..s.n_supernodes() {
        let node = Supernode::new(s, values, k);
        let own = node.start..node.start + node.width;
        below.clear();
        below.resize(node.pattern.len(), T::default());
        forward_panel(&node, &inverse_diagonal[own.clone()], &mut x[own], &mut below);
        for (&i, &b) in node.pattern.iter().zip(&below) {
            x[i as usize] -= b;
        }
    }
    for k in (0..s.n_supernodes()).rev() {
        let node = Supernode::new(s, values, k);
        let own = node.start..node.start + node.width;
        below.clear();
        below.extend(node.pattern.iter().map(|&i| x[i as usize]));
        backward_panel(&node, &inverse_diagonal[own.clone()], &mut x[own], &below);
    }
}

/// L₁₁ y = x at the top of the panel, below += L₂₁ y.
#[inline(always)]
fn forward_panel<L: Entry, T: Row>(
    node: &Supernode<'_, L>,
    inverse_diagonal: &[f64],
    top: &mut [T],
    below: &mut [T],
) {
    let width = node.width;
    for j in 0..width {
        let column = node.column(j);
        let y = top[j] * inverse_diagonal[j];
        top[j] = y;
        for (t, &l) in top[j + 1..].iter_mut().zip(&column[j + 1..width]) {
            *t -= y * l.into();
        }
    }
    let mut j = 0;
    while j + 4 <= width {
        let [a, b, c, d] = node.four(j);
        let y = [top[j], top[j + 1], top[j + 2], top[j + 3]];
        for ((((t, &a), &b), &c), &d) in below.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let mut sum = *t;
            sum += y[0] * a.into();
            sum += y[1] * b.into();
            sum += y[2] * c.into();
            sum += y[3] * d.into();
            *t = sum;
        }
        j += 4;
    }
    for j in j..width {
        let y = top[j];
        for (t, &l) in below.iter_mut().zip(&node.column(j)[width..]) {
            *t += y * l.into();
        }
    }
}

/// L₁₁ᵀ x = y − L₂₁ᵀ below.
#[inline(always)]
fn backward_panel<L: Entry, T: Row>(
    node: &Supernode<'_, L>,
    inverse_diagonal: &[f64],
    top: &mut [T],
    below: &[T],
) {
    let width = node.width;
    let mut j = 0;
    while j + 4 <= width {
        let [a, b, c, d] = node.four(j);
        let mut sums = [T::default(); 4];
        for ((((&t, &a), &b), &c), &d) in below.iter().zip(a).zip(b).zip(c).zip(d) {
            sums[0] += t * a.into();
            sums[1] += t * b.into();
            sums[2] += t * c.into();
            sums[3] += t * d.into();
        }
        (0..4).for_each(|k| top[j + k] -= sums[k]);
        j += 4;
    }
    for j in j..width {
        // Two partial sums hide the latency of the additions.
        let (mut even, mut odd) = (T::default(), T::default());
        let (values, rows) = (node.column(j)[width..].chunks_exact(2), below.chunks_exact(2));
        if let ([l], [b]) = (values.remainder(), rows.remainder()) {
            even += *b * (*l).into();
        }
        for (l, b) in values.zip(rows) {
            even += b[0] * l[0].into();
            odd += b[1] * l[1].into();
        }
        top[j] -= even;
        top[j] -= odd;
    }
    for j in (0..width).rev() {
        let mut sum = top[j];
        for (t, &l) in top[j + 1..].iter().zip(&node.column(j)[j + 1..width]) {
            sum -= *t * l.into();
        }
        top[j] = sum * inverse_diagonal[j];
    }
}
