//! Pressure in closed surfaces: solves with `H + Σ s g gᵀ` by solves with H alone.
//!
//! With G the columns g and S the weights s (Woodbury): `d = y − Z c`, `y = H⁻¹ r`, `Z = H⁻¹ G`, `(S⁻¹ + Gᵀ Z) c = Gᵀ y`. One solve
//! more per surface whose pressure changes with its volume; the small matrix is positive definite as H is.

use super::linear_solve::Solved;
use crate::solver::StepError;
use stiction_energy::RankOne;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{DMatrix, DVector};

/// Improves the guess in `d` as `solve` does for H; fixed blocks of `d` keep their way, and `rhs` knows H times it already.
pub(super) fn solve_with_pressure(
    ranks: &[RankOne],
    fixed: &[bool],
    rhs: &mut [Vec3],
    d: &mut [Vec3],
    mut solve: impl FnMut(&[Vec3], &mut [Vec3]) -> Result<Solved, StepError>,
) -> Result<Solved, StepError> {
    for rank in ranks {
        let scripted = rank.weight * dot(rank, d, |i| fixed[i]);
        add(rank, -scripted, rhs, |i| !fixed[i]);
    }
    let mut solved = solve(rhs, d)?;
    if ranks.is_empty() {
        return Ok(solved);
    }
    let mut columns = Vec::with_capacity(ranks.len());
    for rank in ranks {
        let (mut column, mut z) = (vec![Vec3::zeros(); d.len()], vec![Vec3::zeros(); d.len()]);
        add(rank, 1.0, &mut column, |i| !fixed[i]);
        let extra = solve(&column, &mut z)?;
        solved.pcg_iterations += extra.pcg_iterations;
        solved.converged &= extra.converged;
        columns.push(z);
    }
    let free = |i: usize| !fixed[i];
    let small = DMatrix::from_fn(ranks.len(), ranks.len(), |i, j| {
        let own = if i == j { 1.0 / ranks[i].weight } else { 0.0 };
        // Symmetric whatever the tolerance of the solves.
        own + 0.5 * (dot(&ranks[i], &columns[j], free) + dot(&ranks[j], &columns[i], free))
    });
    let wanted = DVector::from_fn(ranks.len(), |i, _| dot(&ranks[i], d, free));
    let shares =
        small.cholesky().map(|factor| factor.solve(&wanted)).ok_or_else(|| StepError::LinearSolver {
            reason: "the volumes of inflated surfaces do not determine a step".to_owned(),
        })?;
    for (z, share) in columns.iter().zip(shares.iter()) {
        d.iter_mut().zip(z).for_each(|(d, z)| *d -= z * *share);
    }
    Ok(solved)
}

fn dot(rank: &RankOne, x: &[Vec3], counts: impl Fn(usize) -> bool) -> f64 {
    let part = |(i, g): &(u32, Vec3)| if counts(*i as usize) { g.dot(&x[*i as usize]) } else { 0.0 };
    rank.gradient.iter().map(part).sum()
}

fn add(rank: &RankOne, factor: f64, x: &mut [Vec3], counts: impl Fn(usize) -> bool) {
    for (i, g) in rank.gradient.iter().filter(|(i, _)| counts(*i as usize)) {
        x[*i as usize] += g * factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    /// Two coupled ranks over a diagonal H, one block held: the answer solves the whole system.
    #[test]
    fn the_answer_solves_the_sum() {
        let (n, mut random) = (6, Random::new(3));
        let stiffness: Vec<f64> = (0..n).map(|_| random.range(1.0, 3.0)).collect();
        let rank = |random: &mut Random, nodes: std::ops::Range<u32>| RankOne {
            weight: 40.0,
            gradient: nodes.map(|i| (i, random.vector(-1.0, 1.0))).collect(),
        };
        let ranks = [rank(&mut random, 0..4), rank(&mut random, 2..6)];
        let mut fixed = vec![false; n];
        fixed[3] = true;
        let forces: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut d = vec![Vec3::zeros(); n];
        d[3] = Vec3::new(0.3, -0.2, 0.5);
        let mut rhs = forces.clone();
        rhs[3] = d[3];
        let solve = |rhs: &[Vec3], d: &mut [Vec3]| {
            (0..n).filter(|i| !fixed[*i]).for_each(|i| d[i] = rhs[i] / stiffness[i]);
            Ok(Solved { converged: true, ..Solved::default() })
        };
        solve_with_pressure(&ranks, &fixed, &mut rhs, &mut d, solve).expect("a solution");
        let mut got: Vec<Vec3> = d.iter().zip(&stiffness).map(|(d, k)| d * *k).collect();
        for rank in &ranks {
            let whole = rank.weight * dot(rank, &d, |_| true);
            add(rank, whole, &mut got, |_| true);
        }
        for i in (0..n).filter(|i| !fixed[*i]) {
            assert!((got[i] - forces[i]).norm() < 1e-12, "block {i}: {} against {}", got[i], forces[i]);
        }
        assert_eq!(d[3], Vec3::new(0.3, -0.2, 0.5));
    }
}
