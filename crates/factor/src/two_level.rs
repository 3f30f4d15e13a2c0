//! Block Jacobi and a coarse solve: a preconditioner with two additive levels.
//!
//! `M⁻¹ = D⁻¹ + P (PᵀAP)⁻¹ Pᵀ`: D the diagonal blocks of A, P gives all free nodes of an
//! *aggregate*
//! (a patch of neighbours) one displacement. Waves longer than a patch, which block Jacobi carries
//! by one node per iteration, are solved for at once; couplings connect patches of different
//! meshes.
//! PᵀAP is again a matrix of 3×3 blocks, some twenty times smaller, and is factored.

use crate::{FactorError, SparseCholesky};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, RwLock};
use stiction_numerics::{
    BlockMatrix, BlockPattern, CoupledMatrix, Incidence, PrecondBlockJacobi, Preconditioner,
    RowPreconditioner, Vec3, ordered_sum,
};

/// Nodes of an aggregate at most.
const SIZE: usize = 16;

/// Stored blocks of a system from which its coarse factor is kept in single precision: a solve
/// reads half the bytes, and what rounding changes (6e-8 of the stiffest patches) matters only to
/// waves that are 10⁷ times softer.
const ROUNDED_FROM: usize = 60_000;

/// Aggregates or blocks per task.
const CHUNK: usize = 1024;

/// A block that belongs to no aggregate: scalar unknowns.
const NONE: u32 = u32::MAX;

/// Patches of neighbouring nodes, fixed by the mesh.
struct Aggregates {
    of_block: Vec<u32>,
    members: Incidence,
    count: usize,
    /// Which patches the mesh couples.
    pattern: Arc<BlockPattern>,
}

impl Aggregates {
    /// Patches of the first `node_count` blocks of a pattern; the others belong to none.
    fn new(mesh: &BlockPattern, node_count: usize) -> Aggregates {
        let (of_block, count) = grow_patches(mesh, node_count);
        let mut members = Incidence::default();
        let patches: Vec<&[u32]> =
            of_block.iter().map(|a| if *a == NONE { &[][..] } else { std::slice::from_ref(a) }).collect();
        members.rebuild(count, patches.into_iter());
        let empty = Arc::new(BlockPattern::from_stencils(0, []));
        let mut aggregates = Aggregates { of_block, members, count, pattern: empty };
        let pairs = aggregates.coarse_pairs(mesh_pairs(mesh));
        aggregates.pattern = Arc::new(BlockPattern::from_stencils(count, pairs.iter().map(|p| &p[..])));
        aggregates
    }

    /// The aggregates of two blocks, if both have one.
    fn pair(&self, a: usize, b: usize) -> Option<[u32; 2]> {
        let pair = [self.of_block[a], self.of_block[b]];
        (!pair.contains(&NONE)).then_some(pair)
    }

    /// Pairs of different aggregates that pairs of blocks couple, each once.
    fn coarse_pairs(&self, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<[u32; 2]> {
        let coarse = pairs.filter_map(|(i, j)| self.pair(i, j)).filter(|[a, b]| a != b);
        let mut found: Vec<[u32; 2]> = coarse.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Grows patches breadth first over a pattern: the patch of each block, and their number.
fn grow_patches(mesh: &BlockPattern, node_count: usize) -> (Vec<u32>, usize) {
    let mut of_block = vec![NONE; mesh.block_count()];
    let mut count = 0;
    let mut patch: Vec<usize> = Vec::with_capacity(SIZE);
    for seed in 0..node_count {
        if of_block[seed] != NONE {
            continue;
        }
        patch.clear();
        patch.push(seed);
        of_block[seed] = count;
        let mut next = 0;
        while next < patch.len() && patch.len() < SIZE {
            let block = patch[next];
            let upper = mesh.row(block).iter().map(|&c| c as usize);
            for near in mesh.lower_links(block).map(|(row, _)| row).chain(upper) {
                if near < node_count && of_block[near] == NONE && patch.len() < SIZE {
                    of_block[near] = count;
                    patch.push(near);
                }
            }
            next += 1;
        }
        count += 1;
    }
    (of_block, count as usize)
}

/// Pairs (row, column) of a pattern above the diagonal.
fn mesh_pairs(pattern: &BlockPattern) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..pattern.block_count()).flat_map(|row| pattern.row(row)[1..].iter().map(move |&c| (row, c as usize)))
}

/// Pattern of the coarse matrix and its factor, with the number of couplings that they know.
struct CoarseSolver {
    pattern: Arc<BlockPattern>,
    cholesky: SparseCholesky,
    coupling_count: usize,
}

/// Aggregates of a mesh, and the coarse matrix of the present couplings.
///
/// Aggregates are made once, by the mesh of the first system: one coarse level per mesh.
#[derive(Default)]
pub struct CoarseLevel {
    aggregates: Option<Aggregates>,
    solver: Option<CoarseSolver>,
}

impl CoarseLevel {
    /// Drops the pattern of couplings and its analysis: for couplings that were cleared.
    pub fn clear_couplings(&mut self) {
        self.solver = None;
    }

    /// Frees the numbers of the factor until the next system.
    pub fn release_factor(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.cholesky.release_factor();
        }
    }

    /// The preconditioner of a system whose first `node_count` blocks are nodes; `None` when the
    /// coarse matrix is not positive definite. Couplings may only have grown since the last call.
    pub fn prepare<'a>(
        &'a mut self,
        system: CoupledMatrix<'_>,
        fixed: &'a [bool],
        node_count: usize,
    ) -> Result<Option<PrecondTwoLevel<'a>>, FactorError> {
        let mesh = system.base.pattern();
        let aggregates = self.aggregates.get_or_insert_with(|| Aggregates::new(mesh, node_count));
        let known = system.couplings.stored_count();
        if self.solver.as_ref().is_none_or(|solver| solver.coupling_count != known) {
            self.solver = None;
            self.solver = Some(CoarseSolver::analyse(aggregates, system)?);
        }
        let solver = self.solver.as_mut().expect("it was just made");
        let free = |&member: &u32| !fixed[member as usize];
        let held: Vec<bool> =
            (0..aggregates.count).map(|a| !aggregates.members.of(a).iter().any(free)).collect();
        let matrix = coarse_matrix(aggregates, system, fixed, solver.pattern.clone());
        solver.cholesky.take(&matrix, Some(&held))?;
        // The factor in double precision is the most that a step holds: the matrix goes first.
        drop(matrix);
        match solver.cholesky.factor_taken() {
            Ok(()) => {}
            Err(FactorError::NotPositiveDefinite { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let jacobi = PrecondBlockJacobi::new(system.base, Some(fixed));
        let coarse = RwLock::new(vec![Vec3::zeros(); aggregates.count]);
        Ok(Some(PrecondTwoLevel { jacobi, aggregates, cholesky: &solver.cholesky, fixed, held, coarse }))
    }
}

impl CoarseSolver {
    /// Symbolic analysis of PᵀAP with all couplings of a system.
    fn analyse(aggregates: &Aggregates, system: CoupledMatrix<'_>) -> Result<CoarseSolver, FactorError> {
        let pairs = aggregates.coarse_pairs(system.couplings.entries().map(|(i, j, _)| (i, j)));
        let pattern = Arc::new(aggregates.pattern.with_stencils(pairs.iter().map(|p| &p[..])));
        let cholesky = SparseCholesky::analyse(&pattern, aggregates.count)?;
        let is_large = system.base.pattern().stored_count() >= ROUNDED_FROM;
        let cholesky = if is_large { cholesky.rounded() } else { cholesky };
        Ok(CoarseSolver { pattern, cholesky, coupling_count: system.couplings.stored_count() })
    }
}

/// PᵀAP over the free blocks.
fn coarse_matrix(
    aggregates: &Aggregates,
    system: CoupledMatrix<'_>,
    fixed: &[bool],
    pattern: Arc<BlockPattern>,
) -> BlockMatrix {
    let mut out = BlockMatrix::zeros(pattern);
    let base = system.base.pattern();
    for row in (0..base.block_count()).filter(|&row| !fixed[row]) {
        for (slot, &column) in base.row_range(row).zip(base.row(row)) {
            let column = column as usize;
            if let (false, Some([a, b])) = (fixed[column], aggregates.pair(row, column)) {
                let block = system.base.stored(row, slot);
                match a == b && row != column {
                    true => *out.diagonal_block_mut(a as usize) += block + block.transpose(),
                    false => out.add_block(a as usize, b as usize, &block),
                }
            }
        }
    }
    for (row, column, block) in system.couplings.entries() {
        if let (false, false, Some([a, b])) = (fixed[row], fixed[column], aggregates.pair(row, column)) {
            match a == b {
                true => block.add_to(2.0, out.diagonal_block_mut(a as usize)),
                false => out.add_block(a as usize, b as usize, &block.to_matrix()),
            }
        }
    }
    out
}

/// Block Jacobi with a coarse level, made by [`CoarseLevel::prepare`].
pub struct PrecondTwoLevel<'a> {
    jacobi: PrecondBlockJacobi,
    aggregates: &'a Aggregates,
    cholesky: &'a SparseCholesky,
    fixed: &'a [bool],
    /// Aggregates without a free node.
    held: Vec<bool>,
    coarse: RwLock<Vec<Vec3>>,
}

impl RowPreconditioner for PrecondTwoLevel<'_> {
    /// (PᵀAP)⁻¹ Pᵀ r, by aggregate. An aggregate lies in one connected mesh: it is wanted as a
    /// whole.
    fn look(&self, r: &[Vec3], wanted: &(dyn Fn(usize) -> bool + Sync)) {
        let mut coarse = self.coarse.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        coarse.par_iter_mut().with_min_len(CHUNK / SIZE).enumerate().for_each(|(a, sum)| {
            let members = self.aggregates.members.of(a);
            *sum = match wanted(members[0] as usize) {
                true => members.iter().map(|&m| m as usize).filter(|&m| !self.fixed[m]).map(|m| r[m]).sum(),
                false => Vec3::zeros(),
            };
        });
        self.cholesky.solve_in_place(&mut coarse);
    }

    fn rows_dot(&self, rows: Range<usize>, r: &[Vec3], z: &mut [Vec3]) -> f64 {
        let coarse = self.coarse.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut sum = Vec3::zeros();
        for (block, z) in rows.zip(z) {
            *z = self.jacobi.inverses()[block].mul(&r[block]);
            let aggregate = self.aggregates.of_block[block];
            if aggregate != NONE && !self.fixed[block] && !self.held[aggregate as usize] {
                *z += coarse[aggregate as usize];
            }
            sum += r[block].component_mul(z);
        }
        sum.sum()
    }
}

impl Preconditioner for PrecondTwoLevel<'_> {
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        self.apply_dot(r, z);
    }

    fn apply_dot(&self, r: &[Vec3], z: &mut [Vec3]) -> f64 {
        self.look(r, &|_| true);
        let chunks = z.par_chunks_mut(CHUNK).enumerate();
        let products =
            chunks.map(|(k, z)| self.rows_dot(k * CHUNK..k * CHUNK + z.len(), r, z)).collect::<Vec<f64>>();
        ordered_sum(&products)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::nalgebra::{DMatrix, DVector};
    use stiction_numerics::{
        CouplingTerms, Couplings, LinearPcg, MaskedOperator, Mat3, PcgParams, SymmetricBlock, ordered_dot,
    };

    /// Two chains of springs with a few contacts between them.
    struct Links([([u32; 2], SymmetricBlock); 3]);

    impl CouplingTerms for Links {
        fn stencil(&self, term: usize) -> (&[u32], &[f64]) {
            (&self.0[term].0, &[1.0, -1.0])
        }
        fn block(&self, term: usize) -> &SymmetricBlock {
            &self.0[term].1
        }
        fn pull(&self, _: usize) -> Vec3 {
            Vec3::zeros()
        }
    }

    const N: usize = 200;

    fn system() -> (BlockMatrix, Couplings, Vec<bool>) {
        let chain: Vec<[u32; 2]> =
            (0..2 * N as u32 - 1).filter(|i| *i != N as u32 - 1).map(|i| [i, i + 1]).collect();
        let pattern = Arc::new(BlockPattern::from_stencils(2 * N, chain.iter().map(|s| &s[..])));
        let mut base = BlockMatrix::zeros(pattern);
        base.add_diagonal(&vec![1e-3; 2 * N]);
        for [a, b] in chain.iter().map(|s| s.map(|i| i as usize)) {
            base.add_block(a, b, &-Mat3::identity());
            *base.diagonal_block_mut(a) += Mat3::identity();
            *base.diagonal_block_mut(b) += Mat3::identity();
        }
        let k = SymmetricBlock::outer(&Vec3::z(), 5.0);
        let links = Links([([3, 300], k), ([90, 390], k), ([198, 201], k)]);
        let (mut couplings, mut incidence) = (Couplings::default(), Incidence::default());
        incidence.rebuild(2 * N, links.0.iter().map(|l| &l.0[..]));
        couplings.begin(2 * N);
        couplings.add(&mut base, &mut vec![Vec3::zeros(); 2 * N], &incidence, &links);
        couplings.end();
        (base, couplings, (0..2 * N).map(|i| i == 0 || (20..60).contains(&i)).collect())
    }

    #[test]
    fn it_is_the_sum_of_both_levels() {
        let (base, couplings, fixed) = system();
        let matrix = CoupledMatrix { base: &base, couplings: &couplings };
        let mut level = CoarseLevel::default();
        let two = level.prepare(matrix, &fixed, 2 * N).unwrap().unwrap();
        let free = |b: usize| if fixed[b] { 0.0 } else { 1.0 };
        let aggregates = two.aggregates;
        let p = DMatrix::from_fn(6 * N, 3 * aggregates.count, |i, j| {
            let same = aggregates.of_block[i / 3] as usize == j / 3 && i % 3 == j % 3;
            if same { free(i / 3) } else { 0.0 }
        });
        let mut a = base.to_dense();
        for (i, j, k) in couplings.entries() {
            for (i, j) in [(i, j), (j, i)] {
                let mut view = a.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                view += k.to_matrix();
            }
        }
        let coarse = (p.transpose() * &a * &p).pseudo_inverse(1e-12).unwrap();
        let r: Vec<Vec3> = (0..2 * N).map(|i| Vec3::new(i as f64, 1.0, -2.0) * free(i)).collect();
        let flat = DVector::from_iterator(6 * N, r.iter().flat_map(|v| v.iter().copied()));
        let expected = &p * coarse * p.transpose() * &flat;
        let mut z = vec![Vec3::zeros(); 2 * N];
        let dot = two.apply_dot(&r, &mut z);
        assert!((dot - ordered_dot(&r, &z)).abs() < 1e-12 * dot);
        for (i, z) in z.iter().enumerate() {
            let jacobi = two.jacobi.inverses()[i].mul(&r[i]);
            let error = (z - jacobi - expected.fixed_rows::<3>(3 * i)).norm();
            assert!(error < 1e-6 * (1.0 + z.norm()), "{i}: {error}");
        }
    }

    #[test]
    fn it_takes_far_fewer_iterations_than_block_jacobi() {
        let (base, couplings, fixed) = system();
        let matrix = CoupledMatrix { base: &base, couplings: &couplings };
        let masked = MaskedOperator::new(&matrix, &fixed);
        let rhs: Vec<Vec3> = (0..2 * N).map(|i| if fixed[i] { Vec3::zeros() } else { Vec3::x() }).collect();
        let params = PcgParams { relative_tolerance: 1e-6, ..PcgParams::default() };
        let iterations = |precond: &dyn Preconditioner| {
            let mut x = vec![Vec3::zeros(); 2 * N];
            LinearPcg::new().solve(&masked, precond, &rhs, &mut x, &params).unwrap().iterations
        };
        let alone = iterations(&PrecondBlockJacobi::new(&base, Some(&fixed)));
        let mut level = CoarseLevel::default();
        let both = iterations(&level.prepare(matrix, &fixed, 2 * N).unwrap().unwrap());
        assert!(2 * both < alone, "{both} against {alone}");
    }
}
