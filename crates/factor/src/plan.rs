//! From a symmetric block graph to scalar matrices ready to factor: components, ordering,
//! expansion.
//!
//! The graph comes as upper rows: row `i` lists columns `j ≥ i`, the diagonal first, each entry
//! with a slot. (The columns of a lower triangle are the same thing.) Blocks have one or three
//! scalars.

use crate::FactorError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// A symmetric block graph by upper rows.
pub(crate) trait UpperGraph: Sync {
    fn block_count(&self) -> usize;
    /// Slot of the first entry of a row, and the columns, ascending from the diagonal.
    fn row(&self, row: usize) -> (usize, &[u32]);
    /// Scalars of a block.
    fn scalars(&self, block: usize) -> usize;
}

/// One connected component in elimination order, with its upper triangle expanded to scalars by
/// columns.
#[derive(Clone, Debug)]
pub(crate) struct ComponentPlan {
    /// Blocks by elimination position.
    pub(crate) blocks: Vec<u32>,
    /// First scalar of each position, and the total.
    pub(crate) offsets: Vec<u32>,
    entry_starts: Vec<u32>,
    entries: Vec<PlanEntry>,
    pub(crate) column_starts: Vec<u32>,
    pub(crate) rows: Vec<u32>,
}

/// An upper block of a column: its row position and where its values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PlanEntry {
    position: u32,
    slot: u32,
    /// The stored block is the transpose of the wanted one (elimination swapped the two).
    transposed: bool,
}

impl ComponentPlan {
    /// Number of scalars.
    pub(crate) fn size(&self) -> usize {
        self.offsets[self.blocks.len()] as usize
    }

    /// Block of a scalar row.
    pub(crate) fn block_of(&self, scalar: usize) -> usize {
        let position = self.offsets.partition_point(|&o| o as usize <= scalar) - 1;
        self.blocks[position.min(self.blocks.len() - 1)] as usize
    }

    /// Calls `visit(row position, column position, entry, r, c)` for every scalar of the upper
    /// triangle, by columns.
    fn for_each_scalar(&self, mut visit: impl FnMut(&PlanEntry, usize, usize, usize)) {
        for column in 0..self.blocks.len() {
            let entries =
                &self.entries[self.entry_starts[column] as usize..self.entry_starts[column + 1] as usize];
            for c in 0..self.scalars(column) {
                for entry in entries {
                    let position = entry.position as usize;
                    let rows = if position == column { c + 1 } else { self.scalars(position) };
                    for r in 0..rows {
                        visit(entry, column, r, c);
                    }
                }
            }
        }
    }

    fn scalars(&self, position: usize) -> usize {
        (self.offsets[position + 1] - self.offsets[position]) as usize
    }

    /// Values of the expanded matrix; rows and columns of fixed blocks become those of the
    /// identity.
    pub(crate) fn fill(
        &self,
        value: impl Fn(usize, usize, usize) -> f64,
        fixed: Option<&[bool]>,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        out.reserve(self.rows.len());
        let is_fixed = |position: usize| fixed.is_some_and(|f| f[self.blocks[position] as usize]);
        self.for_each_scalar(|entry, column, r, c| {
            let position = entry.position as usize;
            out.push(if is_fixed(position) || is_fixed(column) {
                f64::from(position == column && r == c)
            } else if entry.transposed {
                value(entry.slot as usize, c, r)
            } else {
                value(entry.slot as usize, r, c)
            });
        });
    }

    fn expand(&mut self) {
        let mut rows = Vec::new();
        let mut starts = vec![0u32; self.size() + 1];
        self.for_each_scalar(|entry, column, r, c| {
            rows.push(self.offsets[entry.position as usize] + r as u32);
            starts[self.offsets[column] as usize + c + 1] = rows.len() as u32;
        });
        self.rows = rows;
        self.column_starts = starts;
    }
}

/// Splits a graph into components and orders each by approximate minimum degree.
pub(crate) fn plan_components(graph: &impl UpperGraph) -> Result<Vec<ComponentPlan>, FactorError> {
    let n = graph.block_count();
    let (component, count) = label_components(graph);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut local = vec![0u32; n];
    for block in 0..n {
        let list = &mut members[component[block] as usize];
        local[block] = list.len() as u32;
        list.push(block as u32);
    }
    members.iter().map(|blocks| plan_component(graph, blocks, &local)).collect()
}

/// Component of every block, numbered by lowest block, by union of sets with path halving.
pub(crate) fn label_components(graph: &impl UpperGraph) -> (Vec<u32>, usize) {
    let n = graph.block_count();
    let mut parent: Vec<u32> = (0..n as u32).collect();
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            parent[i as usize] = parent[parent[i as usize] as usize];
            i = parent[i as usize];
        }
        i
    }
    for row in 0..n {
        for &column in graph.row(row).1 {
            let (a, b) = (root(&mut parent, row as u32), root(&mut parent, column));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut label = vec![0u32; n];
    let mut count = 0;
    for block in 0..n {
        let r = root(&mut parent, block as u32) as usize;
        // Roots are the lowest block of their set, so a root is met before its members.
        if r == block {
            label[block] = count;
            count += 1;
        } else {
            label[block] = label[r];
        }
    }
    (label, count as usize)
}

fn plan_component(
    graph: &impl UpperGraph,
    members: &[u32],
    local: &[u32],
) -> Result<ComponentPlan, FactorError> {
    let position_of = elimination_order(graph, members, local)?;
    let mut blocks = vec![0u32; members.len()];
    for (k, &block) in members.iter().enumerate() {
        blocks[position_of[k] as usize] = block;
    }
    let mut offsets = vec![0u32; members.len() + 1];
    for (k, &block) in blocks.iter().enumerate() {
        offsets[k + 1] = offsets[k] + graph.scalars(block as usize) as u32;
    }
    // Upper blocks by column position.
    let mut columns: Vec<(u32, PlanEntry)> = Vec::new();
    for &row in members {
        let (start, cols) = graph.row(row as usize);
        let p = position_of[local[row as usize] as usize];
        for (k, &column) in cols.iter().enumerate() {
            let q = position_of[local[column as usize] as usize];
            let entry = PlanEntry { position: p.min(q), slot: (start + k) as u32, transposed: p > q };
            columns.push((p.max(q), entry));
        }
    }
    columns.sort_unstable();
    let mut entry_starts = vec![0u32; members.len() + 1];
    columns.iter().for_each(|&(q, _)| entry_starts[q as usize + 1] += 1);
    for k in 0..members.len() {
        entry_starts[k + 1] += entry_starts[k];
    }
    let entries = columns.into_iter().map(|(_, entry)| entry).collect();
    let mut plan =
        ComponentPlan { blocks, offsets, entry_starts, entries, column_starts: Vec::new(), rows: Vec::new() };
    plan.expand();
    Ok(plan)
}

/// Elimination position of each member by approximate minimum degree on the block graph.
fn elimination_order(
    graph: &impl UpperGraph,
    members: &[u32],
    local: &[u32],
) -> Result<Vec<u32>, FactorError> {
    let n = members.len();
    let mut starts = vec![0u32];
    let mut rows: Vec<u32> = Vec::new();
    // The upper rows of the graph, read as the columns of a lower triangle.
    for &block in members {
        rows.extend(graph.row(block as usize).1.iter().map(|&c| local[c as usize]));
        starts.push(rows.len() as u32);
    }
    let lower = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let (mut forward, mut inverse) = (vec![0u32; n], vec![0u32; n]);
    let request = amd::order_maybe_unsorted_scratch::<u32>(n, rows.len());
    let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
    let stack = MemStack::new(&mut memory);
    amd::order_maybe_unsorted(&mut forward, &mut inverse, lower, amd::Control::default(), stack)?;
    Ok(inverse)
}
