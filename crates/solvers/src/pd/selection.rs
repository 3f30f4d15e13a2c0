//! Rows of the selection matrix D that are not strains of elements: each a fixed combination of
//! nodes, the same for x, y and z.
//!
//! Stored twice: by rows for `D x`, by nodes for `Dᵀ y`. Both products write each entry from one
//! place in a fixed order, so they give the same bits for any thread count.

use rayon::prelude::*;
use stiction_numerics::Vec3;

/// A sparse matrix by lines: twelve bytes per entry.
#[derive(Clone, Debug, Default)]
struct Lines {
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Lines {
    #[inline]
    fn line(&self, line: usize) -> impl Iterator<Item = (u32, f64)> + Clone + '_ {
        let range = self.starts[line] as usize..self.starts[line + 1] as usize;
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The same matrix by columns, entries of each in ascending order.
    fn transposed(&self, columns: usize) -> Lines {
        let mut starts = vec![0u32; columns + 1];
        self.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        (0..columns).for_each(|c| starts[c + 1] += starts[c]);
        let mut next = starts.clone();
        let (mut lines, mut values) = (vec![0; self.columns.len()], vec![0.0; self.values.len()]);
        for line in 0..self.starts.len() - 1 {
            for (column, value) in self.line(line) {
                let slot = &mut next[column as usize];
                (lines[*slot as usize], values[*slot as usize]) = (line as u32, value);
                *slot += 1;
            }
        }
        Lines { starts, columns: lines, values }
    }
}

/// Rows in the making.
#[derive(Clone, Debug)]
pub struct RowList(Lines);

impl Default for RowList {
    fn default() -> Self {
        RowList(Lines { starts: vec![0], ..Lines::default() })
    }
}

impl RowList {
    /// Adds a row of (node, coefficient).
    pub fn push(&mut self, row: &[(u32, f64)]) {
        self.0.columns.extend(row.iter().map(|(node, _)| *node));
        self.0.values.extend(row.iter().map(|(_, coefficient)| *coefficient));
        self.0.starts.push(self.0.columns.len() as u32);
    }
}

/// Sparse D, by rows and by nodes.
#[derive(Clone, Debug, Default)]
pub struct SelectionMatrix {
    by_row: Lines,
    by_node: Lines,
}

impl SelectionMatrix {
    /// From rows over `nodes` nodes.
    pub fn new(nodes: usize, RowList(mut rows): RowList) -> SelectionMatrix {
        rows.columns.shrink_to_fit();
        rows.values.shrink_to_fit();
        SelectionMatrix { by_node: rows.transposed(nodes), by_row: rows }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.by_row.starts.len() - 1
    }

    /// Nodes and coefficients of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + Clone + '_ {
        self.by_row.line(row)
    }

    /// One entry of `D x`.
    #[inline]
    pub fn at(&self, row: usize, x: &[Vec3]) -> Vec3 {
        let mut sum = Vec3::zeros();
        for (node, coefficient) in self.row(row) {
            sum += x[node as usize] * coefficient;
        }
        sum
    }

    /// `out = D x`.
    pub fn apply(&self, x: &[Vec3], out: &mut [Vec3]) {
        out.par_iter_mut().enumerate().with_min_len(1024).for_each(|(row, value)| *value = self.at(row, x));
    }

    /// One entry of `Dᵀ y`.
    #[inline(always)]
    pub fn transposed_at(&self, node: usize, y: &[Vec3]) -> Vec3 {
        let mut sum = Vec3::zeros();
        if !y.is_empty() {
            for (row, coefficient) in self.by_node.line(node) {
                sum += y[row as usize] * coefficient;
            }
        }
        sum
    }

    /// `out = base + Dᵀ y`.
    pub fn add_transposed(&self, y: &[Vec3], base: &[Vec3], out: &mut [Vec3]) {
        out.par_iter_mut().enumerate().with_min_len(512).for_each(|(node, value)| {
            *value = base[node] + self.transposed_at(node, y);
        });
    }
}
