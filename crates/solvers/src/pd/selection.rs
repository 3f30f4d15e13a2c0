//! The selection matrix D: every row is a fixed combination of nodes, the same for x, y and z.
//!
//! Stored twice: by rows for `D x`, by nodes for `Dᵀ y`. Both products write each entry from one place in a fixed order, so
//! they give the same bits for any thread count.

use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Sparse D, by rows and by nodes.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    row_starts: Vec<u32>,
    row_entries: Vec<(u32, f64)>,
    node_starts: Vec<u32>,
    node_entries: Vec<(u32, f64)>,
}

impl Selection {
    /// From rows of (node, coefficient) over `nodes` nodes.
    pub fn new(nodes: usize, rows: impl Iterator<Item = Vec<(u32, f64)>>) -> Selection {
        let (mut row_starts, mut row_entries) = (vec![0u32], Vec::new());
        for row in rows {
            row_entries.extend(row);
            row_starts.push(row_entries.len() as u32);
        }
        let mut node_starts = vec![0u32; nodes + 1];
        row_entries.iter().for_each(|&(node, _): &(u32, f64)| node_starts[node as usize + 1] += 1);
        for node in 0..nodes {
            node_starts[node + 1] += node_starts[node];
        }
        let mut next = node_starts.clone();
        let mut node_entries = vec![(0, 0.0); row_entries.len()];
        for row in 0..row_starts.len() - 1 {
            for &(node, coefficient) in &row_entries[row_starts[row] as usize..row_starts[row + 1] as usize] {
                node_entries[next[node as usize] as usize] = (row as u32, coefficient);
                next[node as usize] += 1;
            }
        }
        Selection { row_starts, row_entries, node_starts, node_entries }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Nodes and coefficients of a row.
    pub fn row(&self, row: usize) -> &[(u32, f64)] {
        &self.row_entries[self.row_starts[row] as usize..self.row_starts[row + 1] as usize]
    }

    /// `out = D x`.
    pub fn apply(&self, x: &[Vec3], out: &mut [Vec3]) {
        out.par_iter_mut().enumerate().with_min_len(1024).for_each(|(row, value)| {
            let mut sum = Vec3::zeros();
            for &(node, coefficient) in self.row(row) {
                sum += x[node as usize] * coefficient;
            }
            *value = sum;
        });
    }

    /// `out = base + Dᵀ y`.
    pub fn add_transposed(&self, y: &[Vec3], base: &[Vec3], out: &mut [Vec3]) {
        out.par_iter_mut().enumerate().with_min_len(512).for_each(|(node, value)| {
            let range = self.node_starts[node] as usize..self.node_starts[node + 1] as usize;
            let mut sum = base[node];
            for &(row, coefficient) in &self.node_entries[range] {
                sum += y[row as usize] * coefficient;
            }
            *value = sum;
        });
    }
}
