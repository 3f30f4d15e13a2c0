//! Solves with `A + Σ s u uᵀ` by solves with A alone: dense parts of low rank around any solver.
//!
//! A vector u that couples many blocks (the volume gradient of a closed surface) would fill a
//! sparse matrix. With U the columns u and S the weights s (Woodbury):
//! `x = y − Z c`, `y = A⁻¹ b`, `Z = A⁻¹ U`, `(S⁻¹ + Uᵀ Z) c = Uᵀ y`. One more solve per vector.

use crate::types::Vec3;
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

/// `weight · u uᵀ`, u given at some blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankOne {
    /// s.
    pub weight: f64,
    /// u: blocks and their parts; blocks that are not listed have none.
    pub vector: Vec<(u32, Vec3)>,
}

impl RankOne {
    /// `uᵀ x` over the blocks that count.
    pub fn dot(&self, x: &[Vec3], counts: impl Fn(usize) -> bool) -> f64 {
        let part = |(i, u): &(u32, Vec3)| if counts(*i as usize) { u.dot(&x[*i as usize]) } else { 0.0 };
        self.vector.iter().map(part).sum()
    }

    /// `x ← x + factor · u` at the blocks that count.
    pub fn add_to(&self, factor: f64, x: &mut [Vec3], counts: impl Fn(usize) -> bool) {
        for (i, u) in self.vector.iter().filter(|(i, _)| counts(*i as usize)) {
            x[*i as usize] += u * factor;
        }
    }
}

/// What is known about A and the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankOneBase {
    /// A is symmetric positive definite and all weights are positive: so is the small matrix, whose
    /// symmetric part is factored. Solves of a loose tolerance leave it a little unsymmetric.
    #[default]
    Definite,
    /// Any regular A and any weights.
    General,
}

/// Why a system with rank-one parts was not solved.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum WoodburyError<E> {
    /// The solver of A failed.
    #[error(transparent)]
    Solve(E),
    /// The small matrix `S⁻¹ + Uᵀ A⁻¹ U` is singular, or not positive definite where it has to be.
    #[error("the rank-one parts make the matrix singular or indefinite")]
    Singular,
}

/// A system `A + Σ s u uᵀ` with prescribed blocks.
#[derive(Clone, Copy, Debug)]
pub struct RankOneSystem<'a> {
    /// The rank-one parts.
    pub ranks: &'a [RankOne],
    /// Blocks whose value is prescribed.
    pub fixed: &'a [bool],
    /// What is known about A.
    pub base: RankOneBase,
}

impl RankOneSystem<'_> {
    /// Improves the guess in `x` as `solve(rhs, x)` does for A.
    ///
    /// Fixed blocks of `x` keep their values, and `rhs` already has A times them subtracted; their
    /// share of the rank-one parts is subtracted here. `solve` must leave fixed blocks alone.
    pub fn solve<E>(
        &self,
        rhs: &mut [Vec3],
        x: &mut [Vec3],
        mut solve: impl FnMut(&[Vec3], &mut [Vec3]) -> Result<(), E>,
    ) -> Result<(), WoodburyError<E>> {
        let free = |i: usize| !self.fixed[i];
        for rank in self.ranks {
            let prescribed = rank.weight * rank.dot(x, |i| self.fixed[i]);
            rank.add_to(-prescribed, rhs, free);
        }
        solve(rhs, x).map_err(WoodburyError::Solve)?;
        if self.ranks.is_empty() {
            return Ok(());
        }
        let mut columns = Vec::with_capacity(self.ranks.len());
        for rank in self.ranks {
            let (mut u, mut z) = (vec![Vec3::zeros(); x.len()], vec![Vec3::zeros(); x.len()]);
            rank.add_to(1.0, &mut u, free);
            solve(&u, &mut z).map_err(WoodburyError::Solve)?;
            columns.push(z);
        }
        let wanted = DVector::from_fn(self.ranks.len(), |i, _| self.ranks[i].dot(x, free));
        let amounts = match self.base {
            RankOneBase::Definite => self.definite_amounts(&columns, &wanted),
            RankOneBase::General => self.general_amounts(&columns, &wanted),
        };
        for (z, amount) in columns.iter().zip(amounts.ok_or(WoodburyError::Singular)?.iter()) {
            x.iter_mut().zip(z).for_each(|(x, z)| *x -= z * *amount);
        }
        Ok(())
    }

    /// c of `(S⁻¹ + Uᵀ Z) c = Uᵀ y` by Cholesky.
    fn definite_amounts(&self, columns: &[Vec<Vec3>], wanted: &DVector<f64>) -> Option<DVector<f64>> {
        let ranks = self.ranks;
        let free = |i: usize| !self.fixed[i];
        let small = DMatrix::from_fn(ranks.len(), ranks.len(), |i, j| {
            let own = if i == j { 1.0 / ranks[i].weight } else { 0.0 };
            // Symmetric whatever the tolerance of the solves.
            own + 0.5 * (ranks[i].dot(&columns[j], free) + ranks[j].dot(&columns[i], free))
        });
        small.cholesky().map(|factor| factor.solve(wanted))
    }

    /// c of `(1 + S Uᵀ Z) c = S Uᵀ y` by LU: also for weights that are zero.
    fn general_amounts(&self, columns: &[Vec<Vec3>], wanted: &DVector<f64>) -> Option<DVector<f64>> {
        let ranks = self.ranks;
        let small = DMatrix::from_fn(ranks.len(), ranks.len(), |i, j| {
            f64::from(i == j) + ranks[i].weight * ranks[i].dot(&columns[j], |i| !self.fixed[i])
        });
        let scaled = DVector::from_fn(ranks.len(), |i, _| ranks[i].weight * wanted[i]);
        small.lu().solve(&scaled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::convert::Infallible;

    const N: usize = 6;

    fn random_rank(random: &mut Random, weight: f64, blocks: std::ops::Range<u32>) -> RankOne {
        RankOne { weight, vector: blocks.map(|i| (i, random.vector(-1.0, 1.0))).collect() }
    }

    /// Dense A of size 3N, and its rows and columns of free blocks with identities elsewhere.
    fn masked(dense: &DMatrix<f64>, fixed: &[bool]) -> DMatrix<f64> {
        DMatrix::from_fn(3 * N, 3 * N, |i, j| match fixed[i / 3] || fixed[j / 3] {
            true => f64::from(i == j),
            false => dense[(i, j)],
        })
    }

    fn flat(x: &[Vec3]) -> DVector<f64> {
        DVector::from_iterator(3 * x.len(), x.iter().flat_map(|v| v.iter().copied()))
    }

    /// Solves by Woodbury around a dense solver and returns what `A + Σ s u uᵀ` leaves at free
    /// blocks.
    fn residual_of(dense: DMatrix<f64>, ranks: &[RankOne], base: RankOneBase) -> f64 {
        let mut random = Random::new(5);
        let mut fixed = vec![false; N];
        fixed[3] = true;
        let forces: Vec<Vec3> = (0..N).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut x = vec![Vec3::zeros(); N];
        x[3] = Vec3::new(0.3, -0.2, 0.5);
        // Lifted: A times the prescribed values is subtracted.
        let pushed = &dense * flat(&x);
        let mut rhs: Vec<Vec3> = (0..N).map(|i| forces[i] - pushed.fixed_rows::<3>(3 * i)).collect();
        rhs[3] = x[3];
        let lu = masked(&dense, &fixed).lu();
        let system = RankOneSystem { ranks, fixed: &fixed, base };
        let solved = system.solve::<Infallible>(&mut rhs, &mut x, |rhs, x| {
            let solution = lu.solve(&flat(rhs)).expect("a regular matrix");
            let free = (0..N).filter(|&i| !fixed[i]);
            free.for_each(|i| x[i] = solution.fixed_rows::<3>(3 * i).into());
            Ok(())
        });
        solved.expect("a solution");
        assert_eq!(x[3], Vec3::new(0.3, -0.2, 0.5));
        let mut whole = dense;
        for rank in ranks {
            let mut u = vec![Vec3::zeros(); N];
            rank.add_to(1.0, &mut u, |_| true);
            whole += flat(&u) * flat(&u).transpose() * rank.weight;
        }
        let left = whole * flat(&x) - flat(&forces);
        let free = (0..3 * N).filter(|i| !fixed[i / 3]);
        free.map(|i| left[i].abs()).fold(0.0, f64::max)
    }

    #[test]
    fn two_coupled_ranks_on_a_definite_matrix() {
        let mut random = Random::new(3);
        let root = DMatrix::from_fn(3 * N, 3 * N, |_, _| random.range(-1.0, 1.0));
        let dense = &root * root.transpose() + DMatrix::identity(3 * N, 3 * N);
        let ranks = [random_rank(&mut random, 40.0, 0..4), random_rank(&mut random, 40.0, 2..6)];
        for base in [RankOneBase::Definite, RankOneBase::General] {
            let left = residual_of(dense.clone(), &ranks, base);
            assert!(left < 1e-11, "{base:?}: {left:e}");
        }
    }

    #[test]
    fn any_weights_on_a_nonsymmetric_matrix() {
        let mut random = Random::new(4);
        let noise = DMatrix::from_fn(3 * N, 3 * N, |_, _| random.range(-1.0, 1.0));
        let dense = noise + DMatrix::identity(3 * N, 3 * N) * 8.0;
        let ranks = [
            random_rank(&mut random, -0.3, 0..4),
            random_rank(&mut random, 0.0, 1..5),
            random_rank(&mut random, 2.0, 2..6),
        ];
        let left = residual_of(dense, &ranks, RankOneBase::General);
        assert!(left < 1e-11, "{left:e}");
    }

    #[test]
    fn parts_that_take_all_stiffness_away_are_reported() {
        // 1 − 1·u uᵀ with |u| = 1 is singular, and so is the small matrix.
        let rank = RankOne { weight: -1.0, vector: vec![(0, Vec3::x())] };
        for base in [RankOneBase::Definite, RankOneBase::General] {
            let system = RankOneSystem { ranks: std::slice::from_ref(&rank), fixed: &[false], base };
            let (mut rhs, mut x) = (vec![Vec3::x()], vec![Vec3::zeros()]);
            let identity = |rhs: &[Vec3], x: &mut [Vec3]| {
                x.copy_from_slice(rhs);
                Ok::<(), Infallible>(())
            };
            assert_eq!(system.solve(&mut rhs, &mut x, identity), Err(WoodburyError::Singular));
        }
    }
}
