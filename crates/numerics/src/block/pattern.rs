//! Which blocks of a symmetric block matrix are stored: the upper triangle with the diagonal, by
//! rows.

use rayon::prelude::*;

/// Rows handled by one task when rows are sorted in parallel.
const ROWS_PER_TASK: usize = 1024;

/// Rows of up to so many blocks are looked through from their beginning.
const SHORT_ROW: usize = 16;

/// Sparsity of a symmetric block matrix.
///
/// Row `i` holds sorted columns `j ≥ i`; its first entry is always the diagonal. A *slot* is the
/// position of a block in the value array. The lower triangle is kept as links (row, slot) so that
/// products can gather.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPattern {
    row_starts: Vec<u32>,
    columns: Vec<u32>,
    lower_starts: Vec<u32>,
    lower: Vec<LowerLink>,
}

/// An upper block (row, column = this row) seen from its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LowerLink {
    pub(crate) row: u32,
    pub(crate) slot: u32,
}

impl BlockPattern {
    /// Pattern in which all blocks of each stencil couple; every diagonal block is present.
    ///
    /// Panics when a stencil names a block ≥ `block_count` or more than 2³¹ blocks would be stored.
    pub fn from_stencils<'a, I>(block_count: usize, stencils: I) -> Self
    where
        I: IntoIterator<Item = &'a [u32]>,
        I::IntoIter: Clone,
    {
        Self::extended(block_count, None, stencils.into_iter())
    }

    /// This pattern with further stencils added, e.g. those of contacts. Slots change.
    pub fn with_stencils<'a, I>(&self, stencils: I) -> Self
    where
        I: IntoIterator<Item = &'a [u32]>,
        I::IntoIter: Clone,
    {
        Self::extended(self.block_count(), Some(self), stencils.into_iter())
    }

    fn extended<'a>(
        block_count: usize,
        base: Option<&Self>,
        stencils: impl Iterator<Item = &'a [u32]> + Clone,
    ) -> Self {
        // Counting pass: entries per row, duplicates included.
        let mut starts = vec![0usize; block_count + 1];
        for_each_pair(block_count, stencils.clone(), |row, _| starts[row + 1] += 1);
        for row in 0..block_count {
            starts[row + 1] += 1 + base.map_or(0, |b| b.row(row).len() - 1);
            starts[row + 1] += starts[row];
        }
        let mut cursor = starts.clone();
        let mut raw = vec![0u32; starts[block_count]];
        for row in 0..block_count {
            let known = base.map_or(&[][..], |b| &b.row(row)[1..]);
            for column in std::iter::once(row as u32).chain(known.iter().copied()) {
                raw[cursor[row]] = column;
                cursor[row] += 1;
            }
        }
        for_each_pair(block_count, stencils, |row, column| {
            raw[cursor[row]] = column;
            cursor[row] += 1;
        });
        let (row_starts, columns) = sort_rows(&starts, &raw);
        Self::link(row_starts, columns)
    }

    /// Adds the links of the lower triangle.
    fn link(row_starts: Vec<u32>, columns: Vec<u32>) -> Self {
        let block_count = row_starts.len() - 1;
        let mut lower_starts = vec![0u32; block_count + 1];
        for row in 0..block_count {
            for slot in row_starts[row] + 1..row_starts[row + 1] {
                lower_starts[columns[slot as usize] as usize + 1] += 1;
            }
        }
        for row in 0..block_count {
            lower_starts[row + 1] += lower_starts[row];
        }
        let mut cursor = lower_starts.clone();
        let mut lower = vec![LowerLink { row: 0, slot: 0 }; lower_starts[block_count] as usize];
        for row in 0..block_count {
            for slot in row_starts[row] + 1..row_starts[row + 1] {
                let column = columns[slot as usize] as usize;
                lower[cursor[column] as usize] = LowerLink { row: row as u32, slot };
                cursor[column] += 1;
            }
        }
        Self { row_starts, columns, lower_starts, lower }
    }

    /// Number of block rows.
    pub fn block_count(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Number of stored blocks (upper triangle with diagonal).
    pub fn stored_count(&self) -> usize {
        self.columns.len()
    }

    /// Columns ≥ `row` of a row, ascending; the first is `row` itself.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.columns[self.row_range(row)]
    }

    /// Slots of a row, in the order of [`Self::row`].
    pub fn row_range(&self, row: usize) -> std::ops::Range<usize> {
        self.row_starts[row] as usize..self.row_starts[row + 1] as usize
    }

    /// Slot of the diagonal block of a row.
    pub fn diagonal_slot(&self, row: usize) -> usize {
        self.row_starts[row] as usize
    }

    /// Slot of block (row, column); `None` when it is not stored or lies below the diagonal.
    #[inline]
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.row_range(row);
        // Most blocks that are asked for in vain lie beyond the end of the row: in another body.
        if (self.columns[range.end - 1] as usize) < column {
            return None;
        }
        let (columns, column) = (&self.columns[range.clone()], column as u32);
        // Guessing at every turn costs more than looking through a short row.
        let place = match columns.len() <= SHORT_ROW {
            true => columns.iter().position(|&c| c == column),
            false => columns.binary_search(&column).ok(),
        };
        place.map(|k| range.start + k)
    }

    /// Stored blocks (row, slot) above the diagonal whose column is `column`, by ascending row.
    pub fn lower_links(&self, column: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.lower_of(column).iter().map(|l| (l.row as usize, l.slot as usize))
    }

    pub(crate) fn lower_of(&self, column: usize) -> &[LowerLink] {
        &self.lower[self.lower_starts[column] as usize..self.lower_starts[column + 1] as usize]
    }
}

/// Calls `visit(row, column)` with row < column for every pair of distinct blocks of every stencil.
fn for_each_pair<'a>(
    block_count: usize,
    stencils: impl Iterator<Item = &'a [u32]>,
    mut visit: impl FnMut(usize, u32),
) {
    for stencil in stencils {
        for (k, &i) in stencil.iter().enumerate() {
            assert!((i as usize) < block_count, "stencil names block {i} of {block_count}");
            for &j in &stencil[k + 1..] {
                if i != j {
                    visit(i.min(j) as usize, i.max(j));
                }
            }
        }
    }
}

/// Sorts every row and drops duplicates; rows are independent, so tasks take fixed runs of rows.
fn sort_rows(starts: &[usize], raw: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let block_count = starts.len() - 1;
    let runs: Vec<(Vec<u32>, Vec<u32>)> = (0..block_count.div_ceil(ROWS_PER_TASK))
        .into_par_iter()
        .map(|run| {
            let rows = run * ROWS_PER_TASK..((run + 1) * ROWS_PER_TASK).min(block_count);
            let mut columns = Vec::with_capacity(starts[rows.end] - starts[rows.start]);
            let mut lengths = Vec::with_capacity(rows.len());
            let mut row_columns = Vec::new();
            for row in rows {
                row_columns.clear();
                row_columns.extend_from_slice(&raw[starts[row]..starts[row + 1]]);
                row_columns.sort_unstable();
                row_columns.dedup();
                lengths.push(row_columns.len() as u32);
                columns.extend_from_slice(&row_columns);
            }
            (lengths, columns)
        })
        .collect();
    let mut row_starts = Vec::with_capacity(block_count + 1);
    row_starts.push(0);
    let stored = runs.iter().map(|r| r.1.len()).sum();
    assert!(stored < 1 << 31, "a block pattern of {stored} blocks is too large");
    let mut columns = Vec::with_capacity(stored);
    for (lengths, run_columns) in runs {
        for length in lengths {
            row_starts.push(row_starts[row_starts.len() - 1] + length);
        }
        columns.extend_from_slice(&run_columns);
    }
    (row_starts, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn holds_exactly_the_pairs_of_the_stencils() {
        let mut random = Random::new(31);
        let n = 3000;
        let stencils: Vec<[u32; 4]> = (0..4000).map(|_| [0; 4].map(|_| random.below(n) as u32)).collect();
        let pattern = BlockPattern::from_stencils(n, stencils.iter().map(|s| &s[..]));
        let mut expected: BTreeSet<(usize, u32)> = (0..n).map(|i| (i, i as u32)).collect();
        for s in &stencils {
            for &i in s {
                expected.extend(s.iter().filter(|&&j| j >= i).map(|&j| (i as usize, j)));
            }
        }
        let stored: Vec<(usize, u32)> =
            (0..n).flat_map(|i| pattern.row(i).iter().map(move |&j| (i, j))).collect();
        assert!(stored.iter().copied().eq(expected.iter().copied()));
        for (slot, &(i, j)) in stored.iter().enumerate() {
            assert_eq!(pattern.slot(i, j as usize), Some(slot));
            assert_eq!(pattern.lower_links(j as usize).any(|l| l == (i, slot)), i != j as usize);
        }
        assert_eq!(pattern.slot(5, 4), None);
        let halves = BlockPattern::from_stencils(n, stencils[..2000].iter().map(|s| &s[..]))
            .with_stencils(stencils[2000..].iter().map(|s| &s[..]));
        assert_eq!(halves, pattern);
    }

    #[test]
    fn empty_pattern_is_diagonal() {
        let pattern = BlockPattern::from_stencils(3, std::iter::empty());
        assert_eq!(pattern.stored_count(), 3);
        assert_eq!(BlockPattern::from_stencils(0, std::iter::empty()).block_count(), 0);
    }
}
