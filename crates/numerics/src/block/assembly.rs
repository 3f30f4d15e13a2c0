//! Coloured parallel assembly of element matrices and gradients: the same bits for any thread
//! count.

use super::element_colouring::ElementColouring;
use super::matrix::{BlockMatrix, Store};
use super::pattern::BlockPattern;
use super::single::{SingleBlock, add_rounded};
use super::symmetric::SymmetricBlock;
use crate::disjoint::DisjointSlice;
use crate::lanes::{VectorWork, vectorised};
use crate::types::Mat3;
use rayon::prelude::*;
use std::array::from_fn;
use std::ops::AddAssign;
use std::sync::Arc;

/// Where the N(N+1)/2 upper blocks of every element go in a block matrix.
#[derive(Clone, Debug)]
pub struct ElementSlots<const N: usize> {
    colouring: Arc<ElementColouring<N>>,
    pattern: Arc<BlockPattern>,
    places: Places,
}

/// Per element in execution order: places of blocks (a, b), a ≤ b, within their rows of the
/// pattern, row by row. A place takes a quarter of the memory of a slot.
#[derive(Clone, Debug)]
enum Places {
    /// No row is longer than 256 blocks.
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

impl<const N: usize> ElementSlots<N> {
    /// Blocks per element in the upper triangle.
    const STRIDE: usize = N * (N + 1) / 2;

    /// Looks up the slots of all elements. Panics when the pattern lacks a pair of an element's
    /// stencil.
    pub fn new(pattern: Arc<BlockPattern>, colouring: Arc<ElementColouring<N>>) -> Self {
        assert_eq!(pattern.block_count(), colouring.block_count(), "pattern and colouring differ in size");
        let place = |[i, j]: [usize; 2]| {
            let slot = pattern.slot(i, j).unwrap_or_else(|| panic!("pattern lacks block ({i}, {j})"));
            slot - pattern.row_range(i).start
        };
        let places = colouring.stencils.iter().flat_map(upper_pairs).map(place);
        let longest = (0..pattern.block_count()).map(|row| pattern.row(row).len()).max().unwrap_or(0);
        let count = colouring.element_count() * Self::STRIDE;
        let places = match longest <= 1 << 8 {
            true => Places::Narrow(exactly(count, places.map(|p| p as u8))),
            false => Places::Wide(exactly(count, places.map(|p| p as u32))),
        };
        Self { colouring, pattern, places }
    }

    /// The colouring that the slots follow.
    pub fn colouring(&self) -> &Arc<ElementColouring<N>> {
        &self.colouring
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.colouring.element_count()
    }

    /// Whether these are the slots of a pattern.
    pub(super) fn fits(&self, pattern: &Arc<BlockPattern>) -> bool {
        Arc::ptr_eq(&self.pattern, pattern) || *self.pattern == **pattern
    }

    /// Blocks of the element at `position`.
    pub(super) fn stencil(&self, position: usize) -> &[u32; N] {
        &self.colouring.stencils[position]
    }

    /// Calls `visit(a, b, slot)` for the pairs a ≤ b of the element at `position`; the slot is that
    /// of the pair of blocks with the smaller one first.
    #[inline(always)]
    pub(super) fn for_each_slot(&self, position: usize, mut visit: impl FnMut(usize, usize, usize)) {
        let (starts, stencil) = (self.starts(position), self.stencil(position));
        let mut k = position * Self::STRIDE;
        for a in 0..N {
            for b in a..N {
                let row = if stencil[a] <= stencil[b] { a } else { b };
                let place = match &self.places {
                    Places::Narrow(places) => places[k] as usize,
                    Places::Wide(places) => places[k] as usize,
                };
                visit(a, b, starts[row] + place);
                k += 1;
            }
        }
    }
}

/// Values of a matrix that groups of elements write at the same time.
enum Target<'a> {
    Double(DisjointSlice<'a, Mat3>),
    Single { diagonal: DisjointSlice<'a, SymmetricBlock>, upper: DisjointSlice<'a, SingleBlock> },
}

impl<'a> Target<'a> {
    fn new(store: &'a mut Store) -> Self {
        match store {
            Store::Double(values) => Target::Double(DisjointSlice::new(values)),
            Store::Single(values) => Target::Single {
                diagonal: DisjointSlice::new(&mut values.diagonal),
                upper: DisjointSlice::new(&mut values.upper),
            },
        }
    }
}

/// The matrix of an element and where it goes.
struct ElementSum<'a, const N: usize> {
    target: &'a Target<'a>,
    slots: &'a ElementSlots<N>,
    position: usize,
    blocks: &'a [[Mat3; N]; N],
}

impl<'a, const N: usize> ElementSum<'a, N> {
    /// A sum to be run.
    ///
    /// # Safety
    /// While the sum runs, no other thread may run that of an element which shares a block with
    /// this one.
    #[allow(unsafe_code)]
    unsafe fn new(
        target: &'a Target<'a>,
        slots: &'a ElementSlots<N>,
        position: usize,
        blocks: &'a [[Mat3; N]; N],
    ) -> Self {
        ElementSum { target, slots, position, blocks }
    }

    /// Blocks above the diagonal first, then diagonals with what the others lost.
    #[allow(unsafe_code)]
    #[inline(always)]
    fn add_rounded<P: Copy + Into<u32>>(
        &self,
        places: &[P],
        diagonal: &DisjointSlice<'_, SymmetricBlock>,
        upper: &DisjointSlice<'_, SingleBlock>,
    ) {
        let stencil = &self.slots.colouring.stencils[self.position];
        let starts = self.slots.starts(self.position);
        let mut sums: [SymmetricBlock; N] = from_fn(|a| SymmetricBlock::from_upper(&self.blocks[a][a]));
        let mut k = 0;
        for a in 0..N {
            k += 1;
            for b in a + 1..N {
                let at = (a, b, places[k].into());
                let (slot, block) = self.slots.placed(self.position, &starts, at, self.blocks);
                let row = stencil[a].min(stencil[b]) as usize;
                // SAFETY: a slot (i, j) is touched only by elements that hold both i and j, of
                // which only this one runs.
                let lost = add_rounded(unsafe { upper.at(slot - row - 1) }, &block);
                sums[a].add_scaled(1.0, &lost);
                sums[b].add_scaled(1.0, &lost);
                k += 1;
            }
        }
        for a in 0..N {
            // SAFETY: the diagonal of a row is touched only by elements that hold its block, of
            // which only this one runs.
            unsafe { diagonal.at(stencil[a] as usize) }.add_scaled(1.0, &sums[a]);
        }
    }

    #[allow(unsafe_code)]
    #[inline(always)]
    fn add<P: Copy + Into<u32>>(&self, places: &[P], values: &DisjointSlice<'_, Mat3>) {
        let starts = self.slots.starts(self.position);
        let mut k = 0;
        for a in 0..N {
            for b in a..N {
                let at = (a, b, places[k].into());
                let (slot, block) = self.slots.placed(self.position, &starts, at, self.blocks);
                // SAFETY: as above.
                *unsafe { values.at(slot) } += block;
                k += 1;
            }
        }
    }

    #[inline(always)]
    fn add_at<P: Copy + Into<u32>>(&self, places: &[P]) {
        match self.target {
            Target::Double(values) => self.add(places, values),
            Target::Single { diagonal, upper } => self.add_rounded(places, diagonal, upper),
        }
    }
}

impl<const N: usize> VectorWork for ElementSum<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let stride = ElementSlots::<N>::STRIDE;
        let own = self.position * stride..(self.position + 1) * stride;
        match &self.slots.places {
            Places::Narrow(places) => self.add_at(&places[own]),
            Places::Wide(places) => self.add_at(&places[own]),
        }
    }
}

/// Adds the symmetric element matrices `element(e, stencil)` to `matrix`; reads blocks `[a][b]`
/// with a ≤ b only.
///
/// Colours run one after the other, groups of a colour in parallel, elements of a group in order.
/// Panics when the matrix has another pattern than the slots.
#[allow(unsafe_code)]
pub fn assemble<const N: usize>(
    matrix: &mut BlockMatrix,
    slots: &ElementSlots<N>,
    element: impl Fn(usize, &[u32; N]) -> [[Mat3; N]; N] + Sync,
) {
    assert!(matrix.shares_pattern(&slots.pattern), "assemble needs the pattern of the slots");
    let target = Target::new(matrix.store_mut());
    run_coloured(&slots.colouring, |position, e| {
        let blocks = element(e, &slots.colouring.stencils[position]);
        // SAFETY: only groups of one colour run at the same time, and they share no block. The
        // fields of `ElementColouring` and `ElementSlots` are private and built to satisfy this.
        let sum = unsafe { ElementSum::new(&target, slots, position, &blocks) };
        // Sums alone gain nothing from wide vectors, which would wait for the narrow stores of the
        // element; rounding does.
        match &target {
            Target::Double(_) => sum.run(),
            Target::Single { .. } => vectorised(sum),
        }
    });
}

/// Adds the element vectors `element(e, stencil)` to `target`, block by block, in the same order as
/// [`assemble`].
///
/// Panics when `target` has fewer blocks than the colouring.
#[allow(unsafe_code)]
pub fn scatter_add<T: Copy + AddAssign + Send, const N: usize>(
    target: &mut [T],
    colouring: &ElementColouring<N>,
    element: impl Fn(usize, &[u32; N]) -> [T; N] + Sync,
) {
    assert!(target.len() >= colouring.block_count(), "target has {} blocks", target.len());
    let target = DisjointSlice::new(target);
    run_coloured(colouring, |position, e| {
        let stencil = &colouring.stencils[position];
        for (&i, c) in stencil.iter().zip(element(e, stencil)) {
            // SAFETY: groups of one colour share no block (checked by construction of the
            // colouring), and colours run one after the other.
            *unsafe { target.at(i as usize) } += c;
        }
    });
}

/// A list without memory to spare.
fn exactly<T>(count: usize, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::with_capacity(count);
    list.extend(items);
    list
}

/// Rows and columns of the upper blocks of a stencil, smaller number first, row by row of the
/// element.
fn upper_pairs<const N: usize>(stencil: &[u32; N]) -> impl Iterator<Item = [usize; 2]> + '_ {
    (0..N).flat_map(move |a| {
        (a..N).map(move |b| [stencil[a].min(stencil[b]) as usize, stencil[a].max(stencil[b]) as usize])
    })
}

impl<const N: usize> ElementSlots<N> {
    /// First slots of the rows of the element at `position`.
    #[inline(always)]
    fn starts(&self, position: usize) -> [usize; N] {
        self.colouring.stencils[position].map(|block| self.pattern.diagonal_slot(block as usize))
    }

    /// Slot of the upper block (a, b) of an element from its place, and the block as it goes in:
    /// transposed where its row is above its column.
    #[inline(always)]
    fn placed(
        &self,
        position: usize,
        starts: &[usize; N],
        (a, b, place): (usize, usize, u32),
        blocks: &[[Mat3; N]; N],
    ) -> (usize, Mat3) {
        let stencil = &self.colouring.stencils[position];
        match stencil[a] <= stencil[b] {
            true => (starts[a] + place as usize, blocks[a][b]),
            false => (starts[b] + place as usize, blocks[a][b].transpose()),
        }
    }
}

/// Runs `work(position, element)` over all elements: colours in sequence, groups of a colour in
/// parallel.
pub(super) fn run_coloured<const N: usize>(
    colouring: &ElementColouring<N>,
    work: impl Fn(usize, usize) + Sync,
) {
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
    use super::super::{Precision, colour_elements};
    use super::*;
    use crate::random::Random;
    use crate::types::Vec3;

    /// Checked sequential twin of [`assemble`]: plain indexing, same order.
    fn assemble_checked<const N: usize>(
        matrix: &mut BlockMatrix,
        slots: &ElementSlots<N>,
        element: impl Fn(usize) -> [[Mat3; N]; N],
    ) {
        for position in 0..slots.element_count() {
            let e = slots.colouring.order[position] as usize;
            let (blocks, stencil) = (element(e), slots.colouring.stencils[position]);
            for (a, b) in (0..N).flat_map(|a| (a..N).map(move |b| (a, b))) {
                matrix.add_block(stencil[a] as usize, stencil[b] as usize, &blocks[a][b]);
            }
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
                pool.install(|| assemble(&mut matrix, &slots, |e, _| element_matrix(e)));
                assert!(matrix.values() == oracle.values());
                pool.install(|| {
                    scatter_add(&mut vector, &colouring, |e, _| {
                        element_matrix(e)[0].map(|b| b.column(1).into())
                    })
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
    fn single_precision_keeps_row_sums_for_any_thread_count() {
        let (n, tets) = grid_tets(12, true);
        let pattern = Arc::new(BlockPattern::from_stencils(n, tets.iter().map(|t| &t[..])));
        let slots = ElementSlots::new(pattern.clone(), Arc::new(colour_elements(n, &tets)));
        let run = |threads: usize, precision: Precision| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut matrix = BlockMatrix::zeros_in(pattern.clone(), precision);
            pool.install(|| assemble(&mut matrix, &slots, |e, _| element_matrix(e)));
            let mut random = Random::new(63);
            let motions =
                [vec![Vec3::new(1.0, -2.0, 0.5); n], (0..n).map(|_| random.vector(-1.0, 1.0)).collect()];
            motions.map(|motion: Vec<Vec3>| matrix.quadratic_form(&motion))
        };
        let (exact, single) = (run(1, Precision::Double), run(1, Precision::Single));
        assert!(single == run(2, Precision::Single) && single == run(7, Precision::Single));
        // A common motion to double precision, any other to single.
        let [common, other] = [0, 1].map(|k| (single[k] - exact[k]).abs());
        assert!(common < 1e-9 && other < 1e-3 && other > 1e-7, "{common:e} {other:e} of {exact:?}");
    }

    #[test]
    fn a_row_longer_than_a_byte_counts() {
        // Block 3 couples with 400 others, in elements that name it last: all its blocks go in
        // transposed.
        let star: Vec<[u32; 2]> = (0..400).filter(|i| *i != 3).map(|i| [i, 3]).collect();
        let pattern = Arc::new(BlockPattern::from_stencils(400, star.iter().map(|s| &s[..])));
        let slots = ElementSlots::new(pattern.clone(), Arc::new(colour_elements(400, &star)));
        assert!(matches!(slots.places, Places::Wide(_)));
        let mut matrix = BlockMatrix::zeros(pattern);
        let block = |e: usize| Mat3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, e as f64);
        assemble(&mut matrix, &slots, |e, _| [[Mat3::zeros(), block(e)], [Mat3::zeros(), Mat3::identity()]]);
        for (e, [other, _]) in star.iter().enumerate() {
            assert_eq!(matrix.block(*other as usize, 3), block(e));
        }
        assert_eq!(matrix.diagonal_block(3), Mat3::identity() * 399.0);
    }

    #[test]
    fn assembly_equals_dense_addition() {
        let (n, tets) = grid_tets(2, true);
        let pattern = Arc::new(BlockPattern::from_stencils(n, tets.iter().map(|t| &t[..])));
        let slots = ElementSlots::new(pattern.clone(), Arc::new(colour_elements(n, &tets)));
        let mut matrix = BlockMatrix::zeros(pattern);
        assemble(&mut matrix, &slots, |e, _| element_matrix(e));
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
