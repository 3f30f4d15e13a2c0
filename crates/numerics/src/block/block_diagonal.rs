//! Block-diagonal matrices assembled without a pattern: per-node blocks for descent methods, 6×6
//! blocks for rigid bodies.
//!
//! A method that moves one node (or body) at a time needs its own block of the Hessian, never the
//! couplings to its neighbours: memory of N² numbers per block, and a factor without fill.

use super::assembly::scatter_add;
use super::element_colouring::ElementColouring;
use nalgebra::{Cholesky, Const, SMatrix, SVector};
use rayon::prelude::*;
use thiserror::Error;

/// Blocks per parallel task.
const CHUNK: usize = 512;

/// Symmetric N×N blocks on a diagonal.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockDiagonal<const N: usize> {
    blocks: Vec<SMatrix<f64, N, N>>,
}

impl<const N: usize> BlockDiagonal<N> {
    /// So many zero blocks.
    pub fn zeros(count: usize) -> Self {
        Self { blocks: vec![SMatrix::zeros(); count] }
    }

    /// The blocks.
    pub fn blocks(&self) -> &[SMatrix<f64, N, N>] {
        &self.blocks
    }

    /// The blocks, to write.
    pub fn blocks_mut(&mut self) -> &mut [SMatrix<f64, N, N>] {
        &mut self.blocks
    }

    /// Sets every block to zero.
    pub fn set_zero(&mut self) {
        self.blocks.fill(SMatrix::zeros());
    }

    /// Adds `weights[i]` times the identity to block `i`.
    pub fn add_diagonal(&mut self, weights: &[f64]) {
        assert_eq!(weights.len(), self.blocks.len(), "one weight per block");
        for (block, &weight) in self.blocks.iter_mut().zip(weights) {
            (0..N).for_each(|k| block[(k, k)] += weight);
        }
    }

    /// Adds the diagonal blocks `element(e, stencil)` of elements with K blocks each, in the order
    /// of their colouring: the same bits for any thread count.
    pub fn assemble<const K: usize>(
        &mut self,
        colouring: &ElementColouring<K>,
        element: impl Fn(usize, &[u32; K]) -> [SMatrix<f64, N, N>; K] + Sync,
    ) {
        scatter_add(&mut self.blocks, colouring, element);
    }

    /// Cholesky factors of all blocks; blocks marked in `fixed` count as the identity.
    ///
    /// The error names the first block that is not positive definite.
    pub fn factor(&self, fixed: Option<&[bool]>) -> Result<BlockDiagonalFactor<N>, BlockNotDefinite> {
        if let Some(fixed) = fixed {
            assert_eq!(fixed.len(), self.blocks.len(), "one mask entry per block");
        }
        let factor = |(i, block): (usize, &SMatrix<f64, N, N>)| match fixed.is_some_and(|f| f[i]) {
            true => Ok(Cholesky::pack_dirty(SMatrix::identity())),
            false => Cholesky::new(*block).ok_or(BlockNotDefinite { block: i }),
        };
        let factors: Vec<_> = self.blocks.par_iter().enumerate().with_min_len(CHUNK).map(factor).collect();
        Ok(BlockDiagonalFactor { factors: factors.into_iter().collect::<Result<_, _>>()? })
    }
}

/// A block of a [`BlockDiagonal`] is not positive definite.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("block {block} of a block-diagonal matrix is not positive definite: project or shift it")]
pub struct BlockNotDefinite {
    /// Which block.
    pub block: usize,
}

/// Cholesky factors of the blocks of a [`BlockDiagonal`].
#[derive(Clone, Debug)]
pub struct BlockDiagonalFactor<const N: usize> {
    factors: Vec<Cholesky<f64, Const<N>>>,
}

impl<const N: usize> BlockDiagonalFactor<N> {
    /// Solves all blocks in place.
    pub fn solve_in_place(&self, rhs: &mut [SVector<f64, N>]) {
        assert_eq!(rhs.len(), self.factors.len(), "one vector per block");
        let pairs = rhs.par_iter_mut().zip(&self.factors).with_min_len(CHUNK);
        pairs.for_each(|(b, factor)| factor.solve_mut(b));
    }

    /// The solution of one block.
    pub fn solve_block(&self, block: usize, rhs: &SVector<f64, N>) -> SVector<f64, N> {
        self.factors[block].solve(rhs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ElementSlots, assemble, colour_elements};
    use super::*;
    use crate::random::Random;
    use crate::{BlockMatrix, BlockPattern, Mat3, Vec3};
    use std::sync::Arc;

    fn chain(n: u32) -> Vec<[u32; 2]> {
        (0..n - 1).map(|i| [i, i + 1]).collect()
    }

    fn definite<const N: usize>(random: &mut Random) -> SMatrix<f64, N, N> {
        let root = SMatrix::<f64, N, N>::from_fn(|_, _| random.range(-1.0, 1.0));
        root * root.transpose() + SMatrix::identity() * 0.1
    }

    /// Blocks of elements of a chain, from 1, 2 and 7 threads.
    fn assembled<const N: usize>(n: u32) -> BlockDiagonal<N> {
        let colouring = colour_elements(n as usize, &chain(n));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut blocks = BlockDiagonal::<N>::zeros(n as usize);
            pool.install(|| {
                blocks.assemble(&colouring, |e, _| {
                    let mut random = Random::new(e as u64);
                    [definite(&mut random), definite(&mut random)]
                });
            });
            blocks
        };
        let blocks = run(1);
        assert!([2, 7].iter().all(|&threads| run(threads) == blocks));
        blocks
    }

    #[test]
    fn blocks_are_those_of_the_full_matrix() {
        let n = 3000;
        let pattern = Arc::new(BlockPattern::from_stencils(n, chain(n as u32).iter().map(|s| &s[..])));
        let colouring = Arc::new(colour_elements(n, &chain(n as u32)));
        let mut full = BlockMatrix::zeros(pattern.clone());
        assemble(&mut full, &ElementSlots::new(pattern, colouring), |e, _| {
            let mut random = Random::new(e as u64);
            let [a, b] = [definite(&mut random), definite(&mut random)];
            [[a, Mat3::identity()], [Mat3::identity(), b]]
        });
        let mut blocks = assembled::<3>(n as u32);
        assert!((0..n).all(|i| blocks.blocks()[i] == full.diagonal_block(i)));
        full.add_diagonal(&vec![0.5; n]);
        blocks.add_diagonal(&vec![0.5; n]);
        assert!((0..n).all(|i| blocks.blocks()[i] == full.diagonal_block(i)));
        blocks.set_zero();
        assert!(blocks.blocks().iter().all(|b| *b == Mat3::zeros()));
    }

    #[test]
    fn solves_of_six_agree_with_dense_inverses_and_fixed_blocks_stay() {
        let (n, mut random) = (1500, Random::new(21));
        let blocks = assembled::<6>(n);
        let fixed: Vec<bool> = (0..n).map(|i| i % 5 == 0).collect();
        let factor = blocks.factor(Some(&fixed)).expect("definite blocks");
        let rhs: Vec<SVector<f64, 6>> =
            (0..n).map(|_| SVector::from_fn(|_, _| random.range(-1.0, 1.0))).collect();
        let mut x = rhs.clone();
        factor.solve_in_place(&mut x);
        for (i, (x, b)) in x.iter().zip(&rhs).enumerate() {
            assert_eq!(*x, factor.solve_block(i, b));
            match fixed[i] {
                true => assert_eq!(x, b),
                false => assert!((blocks.blocks()[i] * x - b).amax() < 1e-10, "block {i}"),
            }
        }
    }

    #[test]
    fn an_indefinite_block_is_named_unless_it_is_fixed() {
        let mut blocks = BlockDiagonal::<3>::zeros(4);
        blocks.add_diagonal(&[1.0; 4]);
        blocks.blocks_mut()[2] = Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1.0));
        assert_eq!(blocks.factor(None).unwrap_err(), BlockNotDefinite { block: 2 });
        assert!(blocks.factor(Some(&[false, false, true, false])).is_ok());
    }
}
