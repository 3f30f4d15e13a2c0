//! Coloured parallel assembly of element matrices and gradients: the same bits for any thread count.

use super::element_colouring::ElementColouring;
use super::matrix::BlockMatrix;
use super::pattern::BlockPattern;
use crate::disjoint::DisjointSlice;
use crate::types::{Mat3, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Top bit of a stored slot: the block goes in transposed (its row index is above its column index).
const TRANSPOSED: u32 = 1 << 31;

/// Where the N(N+1)/2 upper blocks of every element go in a block matrix.
#[derive(Clone, Debug)]
pub struct ElementSlots<const N: usize> {
    colouring: Arc<ElementColouring<N>>,
    pattern: Arc<BlockPattern>,
    /// Per element in execution order: slots of blocks (a, b), a ≤ b, row by row.
    slots: Vec<u32>,
}

impl<const N: usize> ElementSlots<N> {
    /// Blocks per element in the upper triangle.
    const STRIDE: usize = N * (N + 1) / 2;

    /// Looks up the slots of all elements. Panics when the pattern lacks a pair of an element's stencil.
    pub fn new(pattern: Arc<BlockPattern>, colouring: Arc<ElementColouring<N>>) -> Self {
        assert_eq!(pattern.block_count(), colouring.block_count(), "pattern and colouring differ in size");
        let mut slots = Vec::with_capacity(colouring.element_count() * Self::STRIDE);
        for stencil in &colouring.stencils {
            for a in 0..N {
                for b in a..N {
                    let (i, j) = (stencil[a].min(stencil[b]), stencil[a].max(stencil[b]));
                    let slot = pattern.slot(i as usize, j as usize);
                    let slot = slot.unwrap_or_else(|| panic!("pattern lacks block ({i}, {j})")) as u32;
                    slots.push(if stencil[a] > stencil[b] { slot | TRANSPOSED } else { slot });
                }
            }
        }
        Self { colouring, pattern, slots }
    }

    /// The colouring that the slots follow.
    pub fn colouring(&self) -> &Arc<ElementColouring<N>> {
        &self.colouring
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.colouring.element_count()
    }
}

/// Adds the symmetric element matrices `element(e)` to `matrix`; reads blocks `[a][b]` with a ≤ b only.
///
/// Colours run one after the other, groups of a colour in parallel, elements of a group in order.
/// Panics when the matrix has another pattern than the slots.
#[allow(unsafe_code)]
pub fn assemble<const N: usize>(
    matrix: &mut BlockMatrix,
    slots: &ElementSlots<N>,
    element: impl Fn(usize) -> [[Mat3; N]; N] + Sync,
) {
    assert!(matrix.shares_pattern(&slots.pattern), "assemble needs the pattern of the slots");
    let values = DisjointSlice::new(matrix.values_mut());
    run_coloured(&slots.colouring, |position, e| {
        for_each_block(slots, position, &element(e), |slot, block| {
            // SAFETY: only groups of one colour run at the same time, and they share no block row. A slot (i, j) is
            // touched only by elements that hold both i and j, so no other running group has this slot. The
            // fields of `ElementColouring` and `ElementSlots` are private and built to satisfy this.
            unsafe { values.update(slot, |v| *v += block) };
        });
    });
}

/// Adds the element vectors `element(e)` to `target`, block by block, in the same order as [`assemble`].
///
/// Panics when `target` has fewer blocks than the colouring.
#[allow(unsafe_code)]
pub fn scatter_add<const N: usize>(
    target: &mut [Vec3],
    colouring: &ElementColouring<N>,
    element: impl Fn(usize) -> [Vec3; N] + Sync,
) {
    assert!(target.len() >= colouring.block_count(), "target has {} blocks", target.len());
    let target = DisjointSlice::new(target);
    run_coloured(colouring, |position, e| {
        let contribution = element(e);
        for (&i, c) in colouring.stencils[position].iter().zip(&contribution) {
            // SAFETY: groups of one colour share no block (checked by construction of the colouring), and colours
            // run one after the other.
            unsafe { target.update(i as usize, |t| *t += c) };
        }
    });
}

/// Calls `visit(slot, block)` for the upper blocks of the element at `position`, transposed where needed.
#[inline(always)]
fn for_each_block<const N: usize>(
    slots: &ElementSlots<N>,
    position: usize,
    blocks: &[[Mat3; N]; N],
    mut visit: impl FnMut(usize, Mat3),
) {
    let stride = ElementSlots::<N>::STRIDE;
    let places = &slots.slots[position * stride..(position + 1) * stride];
    let mut k = 0;
    for a in 0..N {
        for b in a..N {
            let (slot, block) = (places[k] & !TRANSPOSED, &blocks[a][b]);
            visit(slot as usize, if places[k] & TRANSPOSED == 0 { *block } else { block.transpose() });
            k += 1;
        }
    }
}

/// Runs `work(position, element)` over all elements: colours in sequence, groups of a colour in parallel.
fn run_coloured<const N: usize>(colouring: &ElementColouring<N>, work: impl Fn(usize, usize) + Sync) {
    for starts in colouring.passes() {
        (0..starts.len() - 1).into_par_iter().for_each(|g| {
            for position in starts[g] as usize..starts[g + 1] as usize {
                work(position, colouring.order[position] as usize);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::colour_elements;
    use super::*;
    use crate::random::Random;

    /// Checked sequential twin of [`assemble`]: plain indexing, same order.
    fn assemble_checked<const N: usize>(
        matrix: &mut BlockMatrix,
        slots: &ElementSlots<N>,
        element: impl Fn(usize) -> [[Mat3; N]; N],
    ) {
        for position in 0..slots.element_count() {
            let e = slots.colouring.order[position] as usize;
            for_each_block(slots, position, &element(e), |slot, block| matrix.values_mut()[slot] += block);
        }
    }

    /// Tetrahedra of a jittered grid, six per cell, nodes numbered at random.
    fn grid_tets(n: usize, shuffle: bool) -> (usize, Vec<[u32; 4]>) {
        let count = (n + 1) * (n + 1) * (n + 1);
        let number: Vec<u32> =
            if shuffle { Random::new(61).permutation(count) } else { (0..count as u32).collect() };
        let node = |i: usize, j: usize, k: usize| number[(i * (n + 1) + j) * (n + 1) + k];
        let paths = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut tets = Vec::new();
        for (i, j, k) in (0..n * n * n).map(|c| (c / (n * n), c / n % n, c % n)) {
            for path in paths {
                let mut corner = [i, j, k];
                let mut tet = [node(i, j, k); 4];
                for (step, &axis) in path.iter().enumerate() {
                    corner[axis] += 1;
                    tet[step + 1] = node(corner[0], corner[1], corner[2]);
                }
                tets.push(tet);
            }
        }
        (count, tets)
    }

    fn element_matrix(e: usize) -> [[Mat3; 4]; 4] {
        let mut random = Random::new(e as u64);
        let mut h = [[Mat3::zeros(); 4]; 4];
        for a in 0..4 {
            for b in a..4 {
                let block = Mat3::from_fn(|_, _| random.range(-1.0, 1.0));
                h[a][b] = if a == b { block + block.transpose() } else { block };
                h[b][a] = h[a][b].transpose();
            }
        }
        h
    }

    #[test]
    fn assembly_equals_the_checked_twin_for_any_thread_count() {
        for shuffle in [false, true] {
            let (n, tets) = grid_tets(12, shuffle);
            let pattern = Arc::new(BlockPattern::from_stencils(n, tets.iter().map(|t| &t[..])));
            let colouring = Arc::new(colour_elements(n, &tets));
            let slots = ElementSlots::new(pattern.clone(), colouring.clone());
            let mut oracle = BlockMatrix::zeros(pattern.clone());
            assemble_checked(&mut oracle, &slots, element_matrix);
            for threads in [1, 2, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut matrix = BlockMatrix::zeros(pattern.clone());
                let mut vector = vec![Vec3::zeros(); n];
                pool.install(|| assemble(&mut matrix, &slots, element_matrix));
                assert!(matrix.values() == oracle.values());
                pool.install(|| {
                    scatter_add(&mut vector, &colouring, |e| element_matrix(e)[0].map(|b| b.column(1).into()))
                });
                let mut expected = vec![Vec3::zeros(); n];
                for (position, &e) in colouring.order.iter().enumerate() {
                    for a in 0..4 {
                        expected[colouring.stencils[position][a] as usize] +=
                            element_matrix(e as usize)[0][a].column(1);
                    }
                }
                assert!(vector == expected);
            }
        }
    }

    #[test]
    fn assembly_equals_dense_addition() {
        let (n, tets) = grid_tets(2, true);
        let pattern = Arc::new(BlockPattern::from_stencils(n, tets.iter().map(|t| &t[..])));
        let slots = ElementSlots::new(pattern.clone(), Arc::new(colour_elements(n, &tets)));
        let mut matrix = BlockMatrix::zeros(pattern);
        assemble(&mut matrix, &slots, element_matrix);
        let mut dense = nalgebra::DMatrix::<f64>::zeros(3 * n, 3 * n);
        for (e, tet) in tets.iter().enumerate() {
            let h = element_matrix(e);
            for (a, b) in (0..16).map(|k| (k / 4, k % 4)) {
                let mut view = dense.fixed_view_mut::<3, 3>(3 * tet[a] as usize, 3 * tet[b] as usize);
                view += h[a][b];
            }
        }
        assert!((matrix.to_dense() - dense).amax() < 1e-13);
    }
}
