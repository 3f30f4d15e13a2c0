//! Conjugate gradients on parts of a system that know nothing of each other, side by side.
//!
//! No entry of the matrix couples two parts, so they are systems of their own: each has its own α
//! and β and ends by its own residual. Rows of a part that is solved are not visited again. So a
//! part costs its own iterations, not those of the slowest: bodies that only fall while others
//! collide cost next to nothing.
//!
//! Rows go in *pieces*, some in a row of one part. Pieces are fixed by the parts alone, and sums
//! run over them in order: the same bits for any number of threads.

use super::operator::{ResidualNorm, RowOperator, residual};
use super::pcg::{PcgError, PcgParams};
use super::preconditioner::RowPreconditioner;
use crate::types::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Parts of the unknowns that no entry of the matrix couples. Each must reach the tolerance
/// relative to its own first residual: a far body with large forces does not end the solve for the
/// others.
#[derive(Clone, Copy, Debug)]
pub struct PcgParts<'a> {
    /// Part of each block.
    pub of_block: &'a [u32],
    /// Number of parts.
    pub count: usize,
}

/// First residuals of parts count at least as much as this share of the largest.
const PART_FLOOR: f64 = 1e-6;

/// Rows of a piece at most.
const PIECE: usize = 1024;

/// Rows of one part.
#[derive(Clone, Debug)]
struct Piece {
    rows: Range<usize>,
    part: usize,
}

impl PcgParts<'_> {
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (row, &part) in self.of_block.iter().enumerate() {
            match pieces.last_mut() {
                Some(last) if last.part == part as usize && last.rows.len() < PIECE => {
                    last.rows.end = row + 1
                }
                _ => pieces.push(Piece { rows: row..row + 1, part: part as usize }),
            }
        }
        pieces
    }
}

/// A solve, which may go on with another preconditioner.
pub struct PartsPcg<'a, O> {
    op: &'a O,
    parts: PcgParts<'a>,
    norm: ResidualNorm,
    r: Vec<Vec3>,
    going: Going,
    iterations: usize,
}

impl<'a, O: RowOperator> PartsPcg<'a, O> {
    /// Looks at the residual of a guess `x` of A x = b: the tolerances of the parameters are
    /// relative to it. Blocks that the operator masks have their values in `x` already.
    pub fn new(op: &'a O, b: &[Vec3], x: &[Vec3], params: &PcgParams, parts: PcgParts<'a>) -> Self {
        let n = op.block_count();
        assert!(b.len() == n && x.len() == n && parts.of_block.len() == n, "b, x and parts need {n} blocks");
        let mut r = vec![Vec3::zeros(); n];
        residual(op, b, x, &mut r);
        let mut going = Going::new(&parts, params, &r);
        going.leave_solved(&mut r);
        PartsPcg { op, parts, norm: params.norm, r, going, iterations: 0 }
    }

    /// Whether the part of a block is not solved yet. A preconditioner need not know the others.
    pub fn runs(&self, block: usize) -> bool {
        self.going.runs[self.parts.of_block[block] as usize]
    }

    /// Whether every part has reached its tolerance.
    pub fn is_solved(&self) -> bool {
        self.going.pieces.is_empty()
    }

    /// Iterations so far.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Up to `more` iterations, which improve `x`.
    pub fn go_on(
        &mut self,
        precond: &impl RowPreconditioner,
        x: &mut [Vec3],
        more: usize,
    ) -> Result<(), PcgError> {
        let Self { op, parts, norm, r, going, iterations } = self;
        let (first, count) = (*iterations, parts.count);
        let mut p = vec![Vec3::zeros(); r.len()];
        // z = M⁻¹ r, and once that is part of p, A p.
        let mut z = p.clone();
        let mut rz = vec![0.0; count];
        while !going.pieces.is_empty() && *iterations - first < more {
            let iteration = *iterations;
            going.check_finite(iteration)?;
            precond.look(r, &|block| going.runs[parts.of_block[block] as usize]);
            let rz_new = going.sums(&mut z, |rows, z| precond.rows_dot(rows, r, z));
            if let Some(product) = going.not_positive(&rz_new) {
                return Err(PcgError::PreconditionerNotPositiveDefinite { iteration, product });
            }
            let beta = |part: usize| if iteration == first { 0.0 } else { rz_new[part] / rz[part] };
            going.each([&mut p], |piece, [p]| {
                let (z, beta) = (&z[piece.rows.clone()], beta(piece.part));
                p.iter_mut().zip(z).for_each(|(p, z)| *p = z + *p * beta);
            });
            rz = rz_new;
            let curvature = going.sums(&mut z, |rows, z| op.rows_dot(rows, &p, z));
            if let Some(curvature) = going.not_positive(&curvature) {
                return Err(PcgError::NotPositiveDefinite { iteration, curvature });
            }
            let alpha = |part: usize| rz[part] / curvature[part];
            let left = going.each([x, r], |piece, [x, r]| {
                let (a, rows) = (alpha(piece.part), piece.rows.clone());
                x.iter_mut().zip(&p[rows.clone()]).for_each(|(x, p)| *x += p * a);
                r.iter_mut().zip(&z[rows]).for_each(|(r, q)| *r -= q * a);
                norm.part(r)
            });
            going.measure(&left, *norm);
            going.leave_solved(r);
            *iterations += 1;
        }
        going.check_finite(*iterations)
    }
}

/// The largest number; NaN shows through.
fn largest(values: &[f64]) -> f64 {
    ResidualNorm::Infinity.whole(values)
}

/// Parts that are not solved yet.
struct Going {
    pieces: Vec<Piece>,
    runs: Vec<bool>,
    /// Residual of each part, and the one to reach.
    norms: Vec<f64>,
    targets: Vec<f64>,
}

impl Going {
    fn new(parts: &PcgParts<'_>, params: &PcgParams, r: &[Vec3]) -> Going {
        let count = parts.count;
        let mut going = Going {
            pieces: parts.pieces(),
            runs: vec![true; count],
            norms: vec![0.0; count],
            targets: Vec::new(),
        };
        let squares = going.each([], |piece, []| params.norm.part(&r[piece.rows.clone()]));
        going.measure(&squares, params.norm);
        let floor = PART_FLOOR * largest(&going.norms);
        let target =
            |&norm: &f64| (params.relative_tolerance * norm.max(floor)).max(params.absolute_tolerance);
        going.targets = going.norms.iter().map(target).collect();
        going
    }

    /// Ends the parts that have reached their tolerance; their residual is zero from now on.
    fn leave_solved(&mut self, r: &mut [Vec3]) {
        for part in 0..self.runs.len() {
            // What is not a number has reached nothing.
            self.runs[part] &= self.norms[part].is_nan() || self.norms[part] > self.targets[part];
        }
        let runs = &self.runs;
        let (running, solved) = self.pieces.drain(..).partition(|piece| runs[piece.part]);
        self.pieces = running;
        solved.into_iter().for_each(|piece: Piece| r[piece.rows].fill(Vec3::zeros()));
    }

    /// Changes the rows of every piece in some vectors; what that gives, in order.
    fn each<T: Send, const N: usize>(
        &self,
        vectors: [&mut [Vec3]; N],
        work: impl Fn(&Piece, [&mut [Vec3]; N]) -> T + Sync,
    ) -> Vec<T> {
        let mut rows: [_; N] = vectors.map(|vector| self.cut(vector).into_iter());
        let cut: Vec<[&mut [Vec3]; N]> = (0..self.pieces.len())
            .map(|_| rows.each_mut().map(|v| v.next().expect("a slice per piece")))
            .collect();
        let both = self.pieces.par_iter().zip(cut).with_min_len(self.pieces_per_task());
        both.map(|(piece, rows)| work(piece, rows)).collect()
    }

    /// The same with one vector, summed up by part.
    fn sums(
        &self,
        vector: &mut [Vec3],
        work: impl Fn(Range<usize>, &mut [Vec3]) -> f64 + Sync + Send,
    ) -> Vec<f64> {
        let mut sums = vec![0.0; self.runs.len()];
        let parts = self.each([vector], |piece, [rows]| work(piece.rows.clone(), rows));
        self.pieces.iter().zip(parts).for_each(|(piece, sum)| sums[piece.part] += sum);
        sums
    }

    /// Residuals of parts from what their pieces have of them. Those of solved parts stay as they
    /// were.
    fn measure(&mut self, of_pieces: &[f64], norm: ResidualNorm) {
        let mut lists = vec![Vec::new(); self.runs.len()];
        self.pieces.iter().zip(of_pieces).for_each(|(piece, &own)| lists[piece.part].push(own));
        for (part, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            self.norms[part] = norm.whole(list);
        }
    }

    fn check_finite(&self, iteration: usize) -> Result<(), PcgError> {
        match largest(&self.norms).is_finite() {
            true => Ok(()),
            false => Err(PcgError::NotFinite { iteration }),
        }
    }

    /// A number of a running part that is not positive.
    fn not_positive(&self, values: &[f64]) -> Option<f64> {
        let running = self.runs.iter().zip(values).filter(|(runs, _)| **runs);
        running.map(|(_, &value)| value).find(|value| value.is_nan() || *value <= 0.0)
    }

    /// Small bodies make small pieces: some of them for a task.
    fn pieces_per_task(&self) -> usize {
        let rows: usize = self.pieces.iter().map(|p| p.rows.len()).sum();
        (PIECE * self.pieces.len() / rows.max(1)).max(1)
    }

    /// The rows of each piece.
    fn cut<'a>(&self, mut vector: &'a mut [Vec3]) -> Vec<&'a mut [Vec3]> {
        let mut taken = 0;
        let mut out = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let (_, from) = vector.split_at_mut(piece.rows.start - taken);
            let (own, rest) = from.split_at_mut(piece.rows.len());
            out.push(own);
            (vector, taken) = (rest, piece.rows.end);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LinearOperator, LinearPcg, MaskedOperator, PrecondBlockJacobi};
    use super::*;
    use crate::block::BlockMatrix;
    use crate::block::matrix::tests::random_definite;
    use crate::random::Random;
    use crate::types::Mat3;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const N: usize = 3000;

    /// Rows in stretches of 700 belong to parts 0, 1 and 2 by turns; part 2 is an identity.
    fn part(row: usize) -> u32 {
        (row / 700 % 3) as u32
    }

    /// A matrix without an entry between parts.
    fn matrix() -> BlockMatrix {
        let mut matrix = random_definite(N, 6000, 205);
        let pattern = matrix.pattern().clone();
        for row in 0..N {
            for (slot, &column) in pattern.row_range(row).zip(pattern.row(row)) {
                let column = column as usize;
                if part(row) == 2 || part(column) != part(row) {
                    let own = row == column;
                    matrix.values_mut()[slot] = if own { Mat3::identity() } else { Mat3::zeros() };
                }
            }
        }
        matrix
    }

    /// An operator that counts the rows it is asked for.
    struct Counted<'a>(&'a BlockMatrix, [AtomicUsize; 3]);

    impl LinearOperator for Counted<'_> {
        fn block_count(&self) -> usize {
            self.0.block_count()
        }
        fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
            self.0.apply(x, y);
        }
    }

    impl RowOperator for Counted<'_> {
        fn rows_dot(&self, rows: Range<usize>, x: &[Vec3], y: &mut [Vec3]) -> f64 {
            rows.clone().for_each(|row| {
                self.1[part(row) as usize].fetch_add(1, Ordering::Relaxed);
            });
            self.0.rows_dot(rows, x, y)
        }
    }

    /// Every part ends where it would end alone, and what is solved is not looked at again.
    #[test]
    fn a_part_does_not_notice_the_others() {
        let (matrix, mut random) = (matrix(), Random::new(206));
        let of_block: Vec<u32> = (0..N).map(part).collect();
        let parts = PcgParts { of_block: &of_block, count: 3 };
        let fixed: Vec<bool> = (0..N).map(|i| i % 50 == 7).collect();
        let precond = PrecondBlockJacobi::new(&matrix, Some(&fixed));
        let push = |i: usize| if fixed[i] { Vec3::zeros() } else { random.vector(-1.0, 1.0) };
        let b: Vec<Vec3> = (0..N).map(push).collect();
        let params =
            PcgParams { relative_tolerance: 1e-6, norm: ResidualNorm::Infinity, ..PcgParams::default() };
        let solve = |b: &[Vec3], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let counted = Counted(&matrix, [0; 3].map(AtomicUsize::new));
            let mut x = vec![Vec3::zeros(); N];
            let masked = MaskedOperator::new(&counted, &fixed);
            let iterations = pool.install(|| {
                let mut pcg = PartsPcg::new(&masked, b, &x, &params, parts);
                pcg.go_on(&precond, &mut x, 1000).expect("a definite matrix");
                assert!(pcg.is_solved());
                pcg.iterations()
            });
            (x, counted.1.map(AtomicUsize::into_inner), iterations)
        };
        let (x, rows, iterations) = solve(&b, 1);
        assert!(solve(&b, 2).0 == x && solve(&b, 7).0 == x);
        for own in 0..3 {
            let alone: Vec<Vec3> =
                (0..N).map(|i| if part(i) == own { b[i] } else { Vec3::zeros() }).collect();
            let (alone, ..) = solve(&alone, 1);
            assert!((0..N).all(|i| alone[i] == if part(i) == own { x[i] } else { Vec3::zeros() }));
        }
        let size = |own: u32| (0..N).filter(|&i| part(i) == own).count();
        assert_eq!(rows[2], size(2), "an identity takes one iteration");
        assert!(rows[0].max(rows[1]) >= iterations * size(1), "{rows:?} in {iterations}");
        let mut whole = vec![Vec3::zeros(); N];
        let masked = MaskedOperator::new(&matrix, &fixed);
        let tight = PcgParams { relative_tolerance: 1e-12, ..params };
        LinearPcg::new().solve(&masked, &precond, &b, &mut whole, &tight).expect("a definite matrix");
        let apart = x.iter().zip(&whole).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        assert!(apart < 1e-5, "{apart:e}");
    }

    #[test]
    fn errors_are_values() {
        let (mut matrix, of_block) = (matrix(), (0..N).map(part).collect::<Vec<u32>>());
        let parts = PcgParts { of_block: &of_block, count: 3 };
        let precond = PrecondBlockJacobi::from_blocks(N, |_| Mat3::identity(), None);
        let run = |matrix: &BlockMatrix, b: &[Vec3]| {
            let mut x = vec![Vec3::zeros(); N];
            let mut pcg = PartsPcg::new(matrix, b, &x, &PcgParams::default(), parts);
            pcg.go_on(&precond, &mut x, 1000).map(|()| pcg.iterations())
        };
        let mut b = vec![Vec3::x(); N];
        *matrix.diagonal_block_mut(800) = -Mat3::identity() * 1e3;
        assert!(matches!(run(&matrix, &b), Err(PcgError::NotPositiveDefinite { .. })));
        b[2999] = Vec3::repeat(f64::NAN);
        assert!(matches!(run(&matrix, &b), Err(PcgError::NotFinite { iteration: 0 })));
        assert_eq!(run(&matrix, &[Vec3::zeros(); N]), Ok(0));
    }

    /// Two systems side by side, the easy one with forces ten thousand times larger: each reaches
    /// its own tolerance.
    #[test]
    fn parts_reach_their_own_tolerance() {
        let (mut matrix, n) = (random_definite(40, 90, 203), 40);
        let mut random = Random::new(204);
        // The first half is an identity of its own.
        let easy = |i: usize| i < n / 2;
        let pattern = matrix.pattern().clone();
        for row in 0..n {
            for (slot, &column) in pattern.row_range(row).zip(pattern.row(row)) {
                if easy(row) {
                    let own = row == column as usize;
                    matrix.values_mut()[slot] = if own { Mat3::identity() } else { Mat3::zeros() };
                }
            }
        }
        let scale = |i: usize| if easy(i) { 1e4 } else { 1.0 };
        let b: Vec<Vec3> = (0..n).map(|i| random.vector(-1.0, 1.0) * scale(i)).collect();
        let of_block: Vec<u32> = (0..n).map(|i| u32::from(easy(i))).collect();
        let params =
            PcgParams { relative_tolerance: 1e-3, norm: ResidualNorm::Infinity, ..PcgParams::default() };
        let precond = PrecondBlockJacobi::new(&matrix, None);
        let error = |parts: PcgParts<'_>| {
            let mut x = vec![Vec3::zeros(); n];
            let mut pcg = PartsPcg::new(&matrix, &b, &x, &params, parts);
            // Going on does not change the tolerance.
            pcg.go_on(&precond, &mut x, 1).expect("a definite matrix");
            assert_eq!(pcg.iterations(), 1);
            pcg.go_on(&precond, &mut x, 1000).expect("a definite matrix");
            assert!(pcg.is_solved() && (0..n).all(|block| !pcg.runs(block)));
            let mut r = vec![Vec3::zeros(); n];
            residual(&matrix, &b, &x, &mut r);
            r[n / 2..].iter().map(|r| r.amax()).fold(0.0, f64::max)
        };
        let alone = error(PcgParts { of_block: &vec![0; n], count: 1 });
        let together = error(PcgParts { of_block: &of_block, count: 2 });
        assert!(together <= 1.01e-3 && alone > 2e-3, "{together} {alone}");
    }
}
