//! Gauss–Seidel over many small stencils in parallel: no races, and the same bits for any thread
//! count.
//!
//! Comes in: items, each with a short list of the nodes that it reads and writes. The items are cut
//! into chunks of neighbours; chunks that share no node go into one *stage* and run at the same
//! time, stages run one after the other, and what finds no stage runs last, sequentially. Chunks of
//! a stage touch disjoint nodes, so their order does not change a bit of the result. Colouring
//! chunks instead of single items keeps memory access sequential and the order of updates close to
//! the plain sweep.
//!
//! The node indices live in here, behind private fields, because the parallel writes are safe only
//! as long as they are the ones that were coloured.

#![allow(unsafe_code)]

use std::ops::Range;

use rayon::prelude::*;

use crate::lanes::{VectorWork, vectorised};

/// Largest number of parallel stages; one bit of a word each. Between twenty sheets a node meets
/// some twenty chunks: with eight stages three contacts out of five were left to the sequential
/// remainder.
pub const MAX_STAGES: usize = 31;
/// Items per chunk: large enough to hide the cost of a task, small enough to leave chunks for every
/// thread.
pub const CHUNK: usize = 256;
/// Batches shorter than this run sequentially: stages would cost more than they save.
pub const MIN_PARALLEL_BATCH: usize = 2048;

/// How many items ahead the nodes are asked for: in hair they are scattered, and a miss takes as
/// long as a few updates.
const PREFETCH: usize = 8;

/// Stencils that one task checks and copies at least.
const PER_TASK: usize = 2048;

/// Marks a stencil with more than four nodes; its nodes lie in the pool.
const LONG: u32 = u32::MAX;

/// Why a stencil was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StencilError {
    /// A stencil without nodes has nothing to update.
    #[error("stencil {item} of the batch has no node")]
    Empty {
        /// Position in the batch.
        item: usize,
    },
    /// An index beyond the node array.
    #[error("stencil {item} of the batch names node {node}, but there are {nodes} nodes")]
    OutOfRange {
        /// Position in the batch.
        item: usize,
        /// The node it names.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// The same node twice: its update would be lost.
    #[error("stencil {item} of the batch names node {node} twice; add the weights up")]
    Repeated {
        /// Position in the batch.
        item: usize,
        /// The node it names twice.
        node: u32,
    },
}

/// One update of one item: what the stages call.
pub trait StencilKernel<T, I, A> {
    /// Whether the item may be left alone this time.
    fn skip(&self, _item: &I) -> bool {
        false
    }
    /// Whether an item of up to four nodes leaves them as they are: then it is done, and nothing is
    /// stored that a later item would wait for.
    fn idle(&self, _item: &mut I, _nodes: &[T; 4], _tally: &mut A) -> bool {
        false
    }
    /// Updates an item of up to four nodes. Unused slots repeat the first node and are not stored.
    fn short(&self, item: &mut I, at: &[u32; 4], nodes: &mut [T; 4], tally: &mut A);
    /// Updates an item of more than four nodes; `pool` is the place of its indices in the pool.
    fn long(&self, item: &mut I, pool: Range<usize>, at: &[u32], nodes: &mut [T], tally: &mut A);
}

/// Stencils cut into chunks and stages. Grows by batches, never reorders.
#[derive(Clone, Debug, Default)]
pub struct StencilStages {
    node_count: usize,
    stencils: Vec<[u32; 4]>,
    pool: Vec<u32>,
    chunks: Vec<Range<usize>>,
    /// Chunks of each stage; the last list is the sequential remainder.
    stages: [Vec<u32>; MAX_STAGES + 1],
    /// Per node, the stages that already touch it, one bit each.
    taken: Vec<u32>,
}

impl StencilStages {
    /// No stencils over `node_count` nodes.
    pub fn new(node_count: usize) -> Self {
        assert!(node_count < LONG as usize, "node indices are 32 bits wide");
        Self { node_count, taken: vec![0; node_count], ..Self::default() }
    }

    /// Forgets all stencils, keeps the memory.
    pub fn clear(&mut self) {
        self.stencils.clear();
        self.pool.clear();
        self.chunks.clear();
        self.stages.iter_mut().for_each(Vec::clear);
        self.taken.fill(0);
    }

    /// Number of stencils.
    pub fn len(&self) -> usize {
        self.stencils.len()
    }

    /// Whether there is no stencil.
    pub fn is_empty(&self) -> bool {
        self.stencils.is_empty()
    }

    /// Number of nodes that stencils may name.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// Number of chunks, hence of tallies that [`Self::run`] asks for.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Items that run in parallel stages, out of [`Self::len`].
    pub fn parallel_items(&self) -> usize {
        let items = |c: &u32| self.chunks[*c as usize].len();
        self.stages[..MAX_STAGES].iter().flatten().map(items).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.stencils.capacity() * 16
            + self.pool.capacity() * 4
            + self.taken.capacity() * 4
            + self.chunks.capacity() * 16
    }

    /// Nodes of one stencil, and their place in the pool if there are more than four.
    pub fn nodes_of(&self, item: usize) -> (&[u32], Option<Range<usize>>) {
        let stencil = &self.stencils[item];
        if stencil[0] == LONG {
            let range = pool_range(stencil);
            return (&self.pool[range.clone()], Some(range));
        }
        let length = 1 + stencil[1..].iter().filter(|&&n| n != stencil[0]).count();
        (&stencil[..length], None)
    }

    /// Appends a batch of stencils (lists of distinct nodes) and gives them stages. All or nothing.
    pub fn append<'a>(
        &mut self,
        count: usize,
        nodes_of: impl Fn(usize) -> &'a [u32] + Sync,
    ) -> Result<(), StencilError> {
        let items = || (0..count).into_par_iter().with_min_len(PER_TASK);
        if let Some(error) = items().find_map_first(|item| self.check(item, nodes_of(item)).err()) {
            return Err(error);
        }
        let start = self.stencils.len();
        if start == 0 {
            self.stencils.reserve_exact(count);
        }
        self.stencils.par_extend(items().map(|item| padded(nodes_of(item))));
        for item in (0..count).filter(|item| self.stencils[start + item][0] == LONG).collect::<Vec<_>>() {
            let nodes = nodes_of(item);
            let offset = u32::try_from(self.pool.len()).expect("the pool of long stencils outgrew 32 bits");
            self.stencils[start + item] = [LONG, offset, nodes.len() as u32, 0];
            self.pool.extend_from_slice(nodes);
        }
        self.colour(start);
        Ok(())
    }

    fn check(&self, item: usize, nodes: &[u32]) -> Result<(), StencilError> {
        if nodes.is_empty() {
            return Err(StencilError::Empty { item });
        }
        for (k, &node) in nodes.iter().enumerate() {
            if node as usize >= self.node_count {
                return Err(StencilError::OutOfRange { item, node, nodes: self.node_count });
            }
            if nodes[..k].contains(&node) {
                return Err(StencilError::Repeated { item, node });
            }
        }
        Ok(())
    }

    /// Cuts the items from `start` on into chunks and gives each the first stage that none of its
    /// nodes knows.
    fn colour(&mut self, start: usize) {
        let end = self.stencils.len();
        if end - start < MIN_PARALLEL_BATCH {
            if end > start {
                self.stages[MAX_STAGES].push(self.chunks.len() as u32);
                self.chunks.push(start..end);
            }
            return;
        }
        for first in (start..end).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(end);
            let mut seen = 0u32;
            for item in chunk.clone() {
                for &node in self.nodes_of(item).0 {
                    seen |= self.taken[node as usize];
                }
            }
            let stage = seen.trailing_ones() as usize;
            if stage < MAX_STAGES {
                for item in chunk.clone() {
                    let stencil = self.stencils[item];
                    let nodes =
                        if stencil[0] == LONG { &self.pool[pool_range(&stencil)] } else { &stencil[..] };
                    for &node in nodes {
                        self.taken[node as usize] |= 1 << stage;
                    }
                }
            }
            self.stages[stage].push(self.chunks.len() as u32);
            self.chunks.push(chunk);
        }
    }

    /// Runs the kernel once over every item: stages in order, chunks of a stage in parallel, the
    /// remainder last.
    ///
    /// `tallies` has one entry per chunk. The result does not depend on the number of threads.
    pub fn run<T, I, A, K>(&self, nodes: &mut [T], items: &mut [I], tallies: &mut [A], kernel: &K)
    where
        T: Copy + Send + Sync,
        I: Send,
        A: Send,
        K: StencilKernel<T, I, A> + Sync,
    {
        assert_eq!(nodes.len(), self.node_count, "node array of another size");
        assert_eq!(items.len(), self.stencils.len(), "item array of another size");
        assert_eq!(tallies.len(), self.chunks.len(), "one tally per chunk");
        let shared =
            Shared { nodes: nodes.as_mut_ptr(), items: items.as_mut_ptr(), tallies: tallies.as_mut_ptr() };
        let parallel = rayon::current_num_threads() > 1;
        for (stage, chunks) in self.stages.iter().enumerate() {
            if parallel && stage < MAX_STAGES && chunks.len() > 1 {
                // SAFETY: chunks of one stage name disjoint nodes (`colour`), each chunk owns its
                // range of items and its tally, and all lengths were checked above.
                chunks.par_iter().for_each(|&chunk| {
                    vectorised(ChunkWork { stages: self, chunk: chunk as usize, shared: &shared, kernel });
                });
            } else {
                // SAFETY: one thread; lengths were checked above.
                chunks.iter().for_each(|&chunk| {
                    vectorised(ChunkWork { stages: self, chunk: chunk as usize, shared: &shared, kernel });
                });
            }
        }
    }

    /// # Safety
    /// No other thread touches the items, the tally or the nodes of this chunk meanwhile.
    #[inline(always)]
    unsafe fn run_chunk<T: Copy, I, A, K>(&self, chunk: usize, shared: &Shared<T, I, A>, kernel: &K)
    where
        K: StencilKernel<T, I, A>,
    {
        let mut scratch = Vec::new();
        // SAFETY: `chunk` is below the checked length of the tallies and owned by this call.
        let tally = unsafe { &mut *shared.tallies.add(chunk) };
        for index in self.chunks[chunk].clone() {
            // SAFETY: `index` is below the checked length of the items and owned by this chunk.
            let item = unsafe { &mut *shared.items.add(index) };
            if kernel.skip(item) {
                continue;
            }
            if let Some(ahead) = self.stencils.get(index + PREFETCH) {
                ahead.iter().for_each(|&n| prefetch(shared.nodes.wrapping_add(n as usize)));
            }
            let at = &self.stencils[index];
            if at[0] != LONG {
                // SAFETY: every index was checked against `node_count` on entry; nodes belong to
                // this chunk.
                unsafe {
                    let mut local = at.map(|n| *shared.nodes.add(n as usize));
                    if kernel.idle(item, &local, tally) {
                        continue;
                    }
                    kernel.short(item, at, &mut local, tally);
                    // Backwards: unused slots hold the old value of the first node, which must be
                    // stored last.
                    for slot in (0..4).rev() {
                        *shared.nodes.add(at[slot] as usize) = local[slot];
                    }
                }
            } else {
                let range = pool_range(at);
                let at = &self.pool[range.clone()];
                scratch.clear();
                // SAFETY: as above.
                scratch.extend(at.iter().map(|&n| unsafe { *shared.nodes.add(n as usize) }));
                kernel.long(item, range, at, &mut scratch, tally);
                for (&n, value) in at.iter().zip(&scratch) {
                    // SAFETY: as above.
                    unsafe { *shared.nodes.add(n as usize) = *value };
                }
            }
        }
    }
}

/// One chunk. Only `StencilStages::run` makes one, under the conditions of `run_chunk`.
struct ChunkWork<'a, T, I, A, K> {
    stages: &'a StencilStages,
    chunk: usize,
    shared: &'a Shared<T, I, A>,
    kernel: &'a K,
}

impl<T: Copy, I, A, K: StencilKernel<T, I, A>> VectorWork for ChunkWork<'_, T, I, A, K> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        // SAFETY: see above.
        unsafe { self.stages.run_chunk(self.chunk, self.shared, self.kernel) }
    }
}

/// Asks for a cache line; any address is fine, the hint never faults.
#[inline(always)]
fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program can see and ignores addresses that are not
    // mapped.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Up to four nodes, unused places with the first one; a mark where there are more.
fn padded(nodes: &[u32]) -> [u32; 4] {
    let mut out = [if nodes.len() <= 4 { nodes[0] } else { LONG }; 4];
    if nodes.len() <= 4 {
        out[..nodes.len()].copy_from_slice(nodes);
    }
    out
}

fn pool_range(stencil: &[u32; 4]) -> Range<usize> {
    stencil[1] as usize..(stencil[1] + stencil[2]) as usize
}

/// The arrays that the chunks of a stage share.
struct Shared<T, I, A> {
    nodes: *mut T,
    items: *mut I,
    tallies: *mut A,
}

// SAFETY: only `StencilStages::run` makes one, and hands out disjoint parts of the arrays.
unsafe impl<T: Send, I: Send, A: Send> Sync for Shared<T, I, A> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the item to its nodes after mixing them, so that a lost or reordered update shows.
    struct Mix;

    impl StencilKernel<u64, u64, u64> for Mix {
        fn skip(&self, item: &u64) -> bool {
            item.is_multiple_of(11)
        }
        fn short(&self, item: &mut u64, at: &[u32; 4], nodes: &mut [u64; 4], tally: &mut u64) {
            let mut distinct = 1;
            while distinct < 4 && at[distinct] != at[0] {
                distinct += 1;
            }
            self.long(item, 0..0, at, &mut nodes[..distinct], tally);
        }
        fn long(&self, item: &mut u64, _: Range<usize>, _: &[u32], nodes: &mut [u64], tally: &mut u64) {
            for node in nodes.iter_mut() {
                *item = item.wrapping_mul(6364136223846793005).wrapping_add(*node | 1);
                *node = node.rotate_left(7) ^ *item;
            }
            *tally += 1;
        }
    }

    fn random_stencils(count: usize, nodes: u32) -> Vec<Vec<u32>> {
        let mut seed = 1u32;
        let mut next = move || {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            seed >> 8
        };
        (0..count)
            .map(|i| {
                let centre = (i as u64 * u64::from(nodes) / count as u64) as u32;
                let wanted = if next() % 16 == 0 { 7 } else { 1 + next() % 4 };
                let mut list: Vec<u32> = Vec::new();
                while list.len() < wanted as usize {
                    let node = (centre + next() % 64) % nodes;
                    if !list.contains(&node) {
                        list.push(node);
                    }
                }
                list
            })
            .collect()
    }

    fn run_with(threads: usize, stages: &StencilStages) -> (Vec<u64>, Vec<u64>, u64) {
        let mut nodes: Vec<u64> = (0..stages.node_count() as u64).collect();
        let mut items: Vec<u64> = (0..stages.len() as u64).collect();
        let mut tallies = vec![0; stages.chunk_count()];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (0..3).for_each(|_| stages.run(&mut nodes, &mut items, &mut tallies, &Mix)));
        (nodes, items, tallies.iter().sum())
    }

    #[test]
    fn any_thread_count_gives_the_bits_of_a_checked_sequential_twin() {
        let lists = random_stencils(9000, 6000);
        let mut stages = StencilStages::new(6000);
        stages.append(8000, |k| &lists[k]).unwrap();
        stages.append(1000, |k| &lists[8000 + k]).unwrap();
        assert!(stages.parallel_items() > 4000, "only {} items run in parallel", stages.parallel_items());

        // The twin: plain indexing in stage order.
        let mut nodes: Vec<u64> = (0..6000).collect();
        let mut items: Vec<u64> = (0..9000).collect();
        let mut updates = 0;
        for _ in 0..3 {
            for &chunk in stages.stages.iter().flatten() {
                for index in stages.chunks[chunk as usize].clone() {
                    if Mix.skip(&items[index]) {
                        continue;
                    }
                    let mut local: Vec<u64> = lists[index].iter().map(|&n| nodes[n as usize]).collect();
                    Mix.long(&mut items[index], 0..0, &[], &mut local, &mut updates);
                    lists[index].iter().zip(&local).for_each(|(&n, &value)| nodes[n as usize] = value);
                }
            }
        }
        for threads in [1, 2, 7] {
            assert_eq!(run_with(threads, &stages), (nodes.clone(), items.clone(), updates));
        }
    }

    #[test]
    fn stages_never_share_a_node() {
        let lists = random_stencils(9000, 3000);
        let mut stages = StencilStages::new(3000);
        stages.append(9000, |k| &lists[k]).unwrap();
        for stage in &stages.stages[..MAX_STAGES] {
            let mut owner = vec![None; 3000];
            for &chunk in stage {
                for item in stages.chunks[chunk as usize].clone() {
                    for &node in stages.nodes_of(item).0 {
                        assert_eq!(*owner[node as usize].get_or_insert(chunk), chunk);
                    }
                }
            }
        }
        let items: usize = stages.stages.iter().flatten().map(|&c| stages.chunks[c as usize].len()).sum();
        assert_eq!(items, 9000);
    }

    #[test]
    fn bad_stencils_are_refused_and_leave_no_trace() {
        let mut stages = StencilStages::new(5);
        let try_append =
            |stages: &mut StencilStages, bad: &[u32]| stages.append(2, |k| [&[0u32, 1][..], bad][k]);
        assert_eq!(try_append(&mut stages, &[]), Err(StencilError::Empty { item: 1 }));
        assert_eq!(
            try_append(&mut stages, &[5]),
            Err(StencilError::OutOfRange { item: 1, node: 5, nodes: 5 })
        );
        assert_eq!(try_append(&mut stages, &[2, 2]), Err(StencilError::Repeated { item: 1, node: 2 }));
        assert!(stages.is_empty() && stages.chunk_count() == 0);
        assert_eq!(try_append(&mut stages, &[4, 3, 2]), Ok(()));
        assert_eq!(stages.nodes_of(1).0, &[4, 3, 2]);
    }
}
