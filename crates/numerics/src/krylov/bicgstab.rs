//! Stabilised bi-conjugate gradients for nonsymmetric operators [van der Vorst 1992], right
//! preconditioned.

use super::operator::{LinearOperator, ResidualNorm, axpy, residual, xpby};
use super::preconditioner::Preconditioner;
use crate::ordered::ordered_dot;
use crate::types::Vec3;
use thiserror::Error;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BicgstabParams {
    /// Residual to reach, relative to the residual at the initial guess.
    pub relative_tolerance: f64,
    /// Residual to reach in the unit of b; whichever of the two is met first ends the solve.
    pub absolute_tolerance: f64,
    /// Iteration cap (two products each); hitting it is reported, not an error.
    pub max_iterations: usize,
    /// Norm of the residual for both tolerances.
    pub norm: ResidualNorm,
}

impl Default for BicgstabParams {
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
pub struct BicgstabInfo {
    /// Iterations done.
    pub iterations: usize,
    /// Restarts with a fresh shadow residual after r̂·r or r̂·v vanished.
    pub restarts: usize,
    /// Residual at the initial guess.
    pub initial_residual: f64,
    /// Residual by the recurrence at the end.
    pub final_residual: f64,
    /// Whether a tolerance was met.
    pub converged: bool,
}

/// Why a solve cannot go on. The vector `x` then holds the last iterate.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum BicgstabError {
    /// A scalar of the recurrence vanished although the shadow residual was fresh: the operator is
    /// (nearly) singular.
    #[error("breakdown in iteration {iteration} of BiCGSTAB: the matrix is singular or nearly so")]
    Breakdown {
        /// Iteration in which it showed, from 0.
        iteration: usize,
    },
    /// A NaN or infinity came in or arose.
    #[error("residual is not finite in iteration {iteration} of BiCGSTAB")]
    NotFinite {
        /// Iteration in which it showed, from 0.
        iteration: usize,
    },
}

/// |r̂·r| below this part of |r̂||r| counts as lost orthogonality information.
const BREAKDOWN: f64 = 1e-14;

/// The solver; owns its scratch vectors so that repeated solves do not allocate.
#[derive(Clone, Debug, Default)]
pub struct LinearBicgstab {
    r: Vec<Vec3>,
    shadow: Vec<Vec3>,
    p: Vec<Vec3>,
    v: Vec<Vec3>,
    t: Vec<Vec3>,
    preconditioned: Vec<Vec3>,
}

impl LinearBicgstab {
    /// A solver without scratch yet; it grows at the first solve.
    pub fn new() -> Self {
        Self::default()
    }

    /// Improves the guess in `x` until A x = b to the wanted tolerance.
    pub fn solve(
        &mut self,
        op: &(impl LinearOperator + ?Sized),
        precond: &(impl Preconditioner + ?Sized),
        b: &[Vec3],
        x: &mut [Vec3],
        params: &BicgstabParams,
    ) -> Result<BicgstabInfo, BicgstabError> {
        let n = op.block_count();
        assert!(b.len() == n && x.len() == n, "b and x need {n} blocks");
        let all =
            [&mut self.r, &mut self.shadow, &mut self.p, &mut self.v, &mut self.t, &mut self.preconditioned];
        for scratch in all {
            scratch.clear();
            scratch.resize(n, Vec3::zeros());
        }
        residual(op, b, x, &mut self.r);
        let initial = params.norm.of(&self.r);
        let target = (params.relative_tolerance * initial).max(params.absolute_tolerance);
        let mut info = BicgstabInfo {
            iterations: 0,
            restarts: 0,
            initial_residual: initial,
            final_residual: initial,
            converged: false,
        };
        // ρ = r̂·r with r̂ = r: starting from ρ = 1 instead would give a wrong first β.
        let mut rho = self.restart();
        let mut fresh = true;
        loop {
            let iteration = info.iterations;
            if !info.final_residual.is_finite() {
                return Err(BicgstabError::NotFinite { iteration });
            }
            info.converged = info.final_residual <= target || info.final_residual == 0.0;
            if info.converged || iteration >= params.max_iterations {
                return Ok(info);
            }
            match self.step(op, precond, x, rho) {
                Some(next) => {
                    rho = next;
                    fresh = false;
                }
                None if fresh => return Err(BicgstabError::Breakdown { iteration }),
                None => {
                    rho = self.restart();
                    info.restarts += 1;
                    fresh = true;
                    continue;
                }
            }
            info.final_residual = params.norm.of(&self.r);
            info.iterations += 1;
        }
    }

    /// r̂ = p = r; returns ρ = r̂·r.
    fn restart(&mut self) -> f64 {
        self.shadow.copy_from_slice(&self.r);
        self.p.copy_from_slice(&self.r);
        ordered_dot(&self.shadow, &self.r)
    }

    /// One iteration; returns the next ρ, or `None` before touching `x` and `r` when r̂ has become
    /// useless.
    fn step(
        &mut self,
        op: &(impl LinearOperator + ?Sized),
        precond: &(impl Preconditioner + ?Sized),
        x: &mut [Vec3],
        rho: f64,
    ) -> Option<f64> {
        let size = (ordered_dot(&self.shadow, &self.shadow) * ordered_dot(&self.r, &self.r)).sqrt();
        precond.apply(&self.p, &mut self.preconditioned);
        op.apply(&self.preconditioned, &mut self.v);
        let projection = ordered_dot(&self.shadow, &self.v);
        if rho.abs() <= BREAKDOWN * size || projection == 0.0 {
            return None;
        }
        let alpha = rho / projection;
        axpy(alpha, &self.preconditioned, x);
        axpy(-alpha, &self.v, &mut self.r);
        precond.apply(&self.r, &mut self.preconditioned);
        op.apply(&self.preconditioned, &mut self.t);
        let tt = ordered_dot(&self.t, &self.t);
        // t = 0 only when r = 0 (or A is singular on it): the half step was the whole step.
        let omega = if tt > 0.0 { ordered_dot(&self.t, &self.r) / tt } else { 0.0 };
        axpy(omega, &self.preconditioned, x);
        axpy(-omega, &self.t, &mut self.r);
        let next = ordered_dot(&self.shadow, &self.r);
        // ω = 0 stalls the recurrence: a zero ρ makes the next step restart.
        let beta = if omega == 0.0 { 0.0 } else { next / rho * (alpha / omega) };
        axpy(-omega, &self.v, &mut self.p);
        xpby(&self.r, beta, &mut self.p);
        Some(if omega == 0.0 { 0.0 } else { next })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PrecondBlockJacobi, PrecondIdentity};
    use super::*;
    use crate::block::matrix::tests::{flat, random_definite};
    use crate::random::Random;
    use crate::types::Mat3;

    /// A block matrix plus an upwind chain coupling: clearly nonsymmetric.
    struct Convection(crate::BlockMatrix, Mat3);

    impl LinearOperator for Convection {
        fn block_count(&self) -> usize {
            self.0.block_count()
        }
        fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
            self.0.mul(x, y);
            for i in 1..x.len() {
                y[i] += self.1 * x[i - 1];
            }
        }
    }

    #[test]
    fn solves_a_nonsymmetric_system() {
        let n = 70;
        let coupling = Mat3::new(2.0, 0.3, 0.0, -0.4, 1.0, 0.2, 0.0, 0.5, -1.5);
        let op = Convection(random_definite(n, 100, 111), coupling);
        let mut dense = op.0.to_dense();
        for i in 1..n {
            let mut view = dense.fixed_view_mut::<3, 3>(3 * i, 3 * i - 3);
            view += coupling;
        }
        let mut random = Random::new(112);
        let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let exact = dense.lu().solve(&flat(&b)).unwrap();
        let jacobi = PrecondBlockJacobi::new(&op.0, None);
        let preconditioners: [&dyn Preconditioner; 2] = [&PrecondIdentity, &jacobi];
        for precond in preconditioners {
            let mut x = vec![Vec3::zeros(); n];
            let params = BicgstabParams { relative_tolerance: 1e-12, ..Default::default() };
            let info = LinearBicgstab::new().solve(&op, precond, &b, &mut x, &params).unwrap();
            assert!(info.converged, "{info:?}");
            assert!((flat(&x) - &exact).amax() < 1e-9, "{info:?}");
            let mut r = vec![Vec3::zeros(); n];
            residual(&op, &b, &x, &mut r);
            assert!(ResidualNorm::Two.of(&r) < 1e-10 * info.initial_residual);
        }
    }

    /// On a multiple of the identity one iteration is exact only if ρ starts as r̂·r.
    #[test]
    fn first_step_is_exact_on_the_identity() {
        let mut a = crate::BlockMatrix::zeros(std::sync::Arc::new(crate::BlockPattern::from_stencils(4, [])));
        a.add_diagonal(&[3.0; 4]);
        let mut x = vec![Vec3::zeros(); 4];
        let b = vec![Vec3::new(3.0, 6.0, 9.0); 4];
        let info = LinearBicgstab::new()
            .solve(&a, &PrecondIdentity, &b, &mut x, &BicgstabParams::default())
            .unwrap();
        assert_eq!(info.iterations, 1);
        assert!((x[0] - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-15);
    }

    #[test]
    fn singular_and_non_finite_input_are_errors() {
        let a = crate::BlockMatrix::zeros(std::sync::Arc::new(crate::BlockPattern::from_stencils(2, [])));
        let run = |b: Vec3| {
            let mut x = vec![Vec3::zeros(); 2];
            LinearBicgstab::new().solve(&a, &PrecondIdentity, &[b; 2], &mut x, &BicgstabParams::default())
        };
        assert!(matches!(run(Vec3::x()), Err(BicgstabError::Breakdown { iteration: 0 })));
        assert!(matches!(run(Vec3::repeat(f64::NAN)), Err(BicgstabError::NotFinite { .. })));
    }
}
