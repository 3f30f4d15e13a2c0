//! Preconditioned conjugate gradients for symmetric positive definite operators.

use super::lanczos::LanczosCoefficients;
use super::operator::{LinearOperator, ResidualNorm, advance, residual, xpby};
use super::preconditioner::Preconditioner;
use crate::types::Vec3;
use thiserror::Error;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgParams {
    /// Residual to reach, relative to the residual at the initial guess (b − A x₀, never b).
    pub relative_tolerance: f64,
    /// Residual to reach in the unit of b; whichever of the two is met first ends the solve.
    pub absolute_tolerance: f64,
    /// Iteration cap; hitting it is reported, not an error.
    pub max_iterations: usize,
    /// Norm of the residual for both tolerances.
    pub norm: ResidualNorm,
}

impl Default for PcgParams {
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-8,
            absolute_tolerance: 0.0,
            max_iterations: 1000,
            norm: ResidualNorm::Two,
        }
    }
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgInfo {
    /// Iterations done.
    pub iterations: usize,
    /// Residual at the initial guess.
    pub initial_residual: f64,
    /// Residual by the recurrence at the end.
    pub final_residual: f64,
    /// Whether a tolerance was met.
    pub converged: bool,
}

/// Why a solve cannot go on. The vector `x` then holds the last iterate.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum PcgError {
    /// pᵀAp ≤ 0: the operator is not positive definite along the search direction; regularise or
    /// project it.
    #[error(
        "matrix is not positive definite: curvature {curvature:e} in iteration {iteration} of conjugate gradients"
    )]
    NotPositiveDefinite {
        /// Iteration in which it showed, from 0.
        iteration: usize,
        /// The curvature pᵀAp.
        curvature: f64,
    },
    /// rᵀM⁻¹r ≤ 0: the preconditioner is not positive definite.
    #[error("preconditioner is not positive definite: rᵀM⁻¹r = {product:e} in iteration {iteration}")]
    PreconditionerNotPositiveDefinite {
        /// Iteration in which it showed, from 0.
        iteration: usize,
        /// The product rᵀM⁻¹r.
        product: f64,
    },
    /// A NaN or infinity came in or arose.
    #[error("residual is not finite in iteration {iteration} of conjugate gradients")]
    NotFinite {
        /// Iteration in which it showed, from 0.
        iteration: usize,
    },
}

/// The solver; owns its scratch vectors so that repeated solves do not allocate.
#[derive(Clone, Debug, Default)]
pub struct LinearPcg {
    r: Vec<Vec3>,
    p: Vec<Vec3>,
    /// z = M⁻¹ r, and once that is part of p, A p.
    z: Vec<Vec3>,
    coefficients: LanczosCoefficients,
}

impl LinearPcg {
    /// A solver without scratch yet; it grows at the first solve.
    pub fn new() -> Self {
        Self::default()
    }

    /// Coefficients of the last solve, for estimates of eigenvalues.
    pub fn coefficients(&self) -> &LanczosCoefficients {
        &self.coefficients
    }

    /// Improves the guess in `x` until A x = b to the wanted tolerance.
    pub fn solve(
        &mut self,
        op: &(impl LinearOperator + ?Sized),
        precond: &(impl Preconditioner + ?Sized),
        b: &[Vec3],
        x: &mut [Vec3],
        params: &PcgParams,
    ) -> Result<PcgInfo, PcgError> {
        let n = op.block_count();
        assert!(b.len() == n && x.len() == n, "b and x need {n} blocks");
        for scratch in [&mut self.r, &mut self.z, &mut self.p] {
            scratch.clear();
            scratch.resize(n, Vec3::zeros());
        }
        self.coefficients.clear();
        residual(op, b, x, &mut self.r);
        let initial = params.norm.of(&self.r);
        let target = (params.relative_tolerance * initial).max(params.absolute_tolerance);
        let mut info =
            PcgInfo { iterations: 0, initial_residual: initial, final_residual: initial, converged: false };
        let mut rz = 0.0;
        loop {
            let iteration = info.iterations;
            if !info.final_residual.is_finite() {
                return Err(PcgError::NotFinite { iteration });
            }
            info.converged = info.final_residual <= target || info.final_residual == 0.0;
            if info.converged || iteration >= params.max_iterations {
                return Ok(info);
            }
            let rz_new = precond.apply_dot(&self.r, &mut self.z);
            if rz_new.is_nan() || rz_new <= 0.0 {
                return Err(PcgError::PreconditionerNotPositiveDefinite { iteration, product: rz_new });
            }
            let beta = if iteration == 0 { 0.0 } else { rz_new / rz };
            rz = rz_new;
            xpby(&self.z, beta, &mut self.p);
            let curvature = op.apply_dot(&self.p, &mut self.z);
            if curvature.is_nan() || curvature <= 0.0 {
                return Err(PcgError::NotPositiveDefinite { iteration, curvature });
            }
            let alpha = rz / curvature;
            self.coefficients.steps.push(alpha);
            self.coefficients.improvements.push(beta);
            info.final_residual = advance(alpha, [&self.p, &self.z], [x, &mut self.r], params.norm);
            info.iterations += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MaskedOperator, PrecondBlockJacobi, PrecondIdentity, PrecondIncompleteCholesky};
    use super::*;
    use crate::block::matrix::tests::{flat, random_definite};
    use crate::random::Random;

    #[test]
    fn every_preconditioner_reaches_the_dense_solution() {
        let n = 80;
        let a = random_definite(n, 120, 91);
        let mut random = Random::new(92);
        let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let exact = a.to_dense().cholesky().unwrap().solve(&flat(&b));
        let jacobi = PrecondBlockJacobi::new(&a, None);
        let incomplete = PrecondIncompleteCholesky::new(&a, None).unwrap();
        let preconditioners: [&dyn Preconditioner; 3] = [&PrecondIdentity, &jacobi, &incomplete];
        let mut iterations = Vec::new();
        for precond in preconditioners {
            for norm in [ResidualNorm::Two, ResidualNorm::Infinity] {
                let params = PcgParams { relative_tolerance: 1e-12, norm, ..Default::default() };
                let mut x = vec![Vec3::zeros(); n];
                let info = LinearPcg::new().solve(&a, precond, &b, &mut x, &params).unwrap();
                assert!(info.converged);
                assert!((flat(&x) - &exact).amax() < 1e-10, "{info:?}");
                iterations.push(info.iterations);
            }
        }
        assert!(iterations[4] < iterations[2], "incomplete Cholesky must beat block Jacobi: {iterations:?}");
    }

    #[test]
    fn tolerance_is_relative_to_the_initial_guess() {
        let n = 50;
        let a = random_definite(n, 70, 93);
        let b = vec![Vec3::new(1.0, -2.0, 0.5); n];
        let mut x = vec![Vec3::zeros(); n];
        let mut solver = LinearPcg::new();
        let precond = PrecondBlockJacobi::new(&a, None);
        let params = PcgParams { relative_tolerance: 1e-3, ..Default::default() };
        let first = solver.solve(&a, &precond, &b, &mut x, &params).unwrap();
        let second = solver.solve(&a, &precond, &b, &mut x, &params).unwrap();
        assert!(second.iterations > 0 && second.initial_residual <= 1.01 * first.final_residual);
        assert!(second.final_residual <= 1e-3 * second.initial_residual);
        let capped = PcgParams { relative_tolerance: 0.0, max_iterations: 1, ..params };
        let info = solver.solve(&a, &precond, &b, &mut x, &capped).unwrap();
        assert!(!info.converged && info.iterations == 1);
    }

    #[test]
    fn masked_blocks_keep_their_prescribed_values() {
        let n = 60;
        let a = random_definite(n, 90, 94);
        let fixed: Vec<bool> = (0..n).map(|i| i % 4 == 1).collect();
        let prescribed: Vec<Vec3> = (0..n).map(|i| Vec3::repeat(i as f64)).collect();
        let op = MaskedOperator::new(&a, &fixed);
        let mut b = vec![Vec3::x(); n];
        op.lift(&mut b, &prescribed);
        let precond = PrecondIncompleteCholesky::new(&a, Some(&fixed)).unwrap();
        let mut x: Vec<Vec3> = (0..n).map(|i| if fixed[i] { prescribed[i] } else { Vec3::zeros() }).collect();
        let params = PcgParams { relative_tolerance: 1e-12, ..Default::default() };
        assert!(LinearPcg::new().solve(&op, &precond, &b, &mut x, &params).unwrap().converged);
        let mut ax = vec![Vec3::zeros(); n];
        a.mul(&x, &mut ax);
        for i in 0..n {
            if fixed[i] {
                assert_eq!(x[i], prescribed[i]);
            } else {
                assert!((ax[i] - Vec3::x()).norm() < 1e-8);
            }
        }
    }

    #[test]
    fn errors_are_values() {
        let mut a = random_definite(10, 10, 95);
        let b = vec![Vec3::x(); 10];
        let run = |a: &crate::BlockMatrix, b: &[Vec3]| {
            let mut x = vec![Vec3::zeros(); 10];
            LinearPcg::new().solve(a, &PrecondIdentity, b, &mut x, &PcgParams::default())
        };
        assert!(matches!(run(&a, &[Vec3::repeat(f64::NAN); 10]), Err(PcgError::NotFinite { iteration: 0 })));
        assert_eq!(run(&a, &[Vec3::zeros(); 10]).unwrap().iterations, 0);
        a.scale(-1.0);
        assert!(matches!(run(&a, &b), Err(PcgError::NotPositiveDefinite { iteration: 0, .. })));
    }

    #[test]
    fn same_bits_for_any_thread_count() {
        let n = 20_000;
        let a = random_definite(n, 30_000, 96);
        let b = vec![Vec3::new(1.0, 2.0, 3.0); n];
        let precond = PrecondBlockJacobi::new(&a, None);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut x = vec![Vec3::zeros(); n];
            let params = PcgParams { max_iterations: 10, ..Default::default() };
            pool.install(|| LinearPcg::new().solve(&a, &precond, &b, &mut x, &params)).unwrap();
            x
        };
        assert!(run(1) == run(2) && run(1) == run(7));
    }
}
