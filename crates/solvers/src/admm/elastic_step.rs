//! The linearised dynamics of a Newton iteration, and solves with them.
//!
//! A v = f + Bᵀ r with A = h² ∇²Φ ≈ M + h D + h² K \[kg\], f = A v_k − h ∇Φ(x_t + h v_k) \[kg
//! m/s\].   [Daviet2020, eq. 5]
//! Prescribed blocks have their velocity from the start: their columns move to the right-hand side.

use super::options::AdmmOptions;
use super::weights::Weights;
use crate::object_factors::{Coupled, ObjectFactors};
use crate::solver::StepError;
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_factor::FactorError;
use stiction_numerics::{
    BlockMatrix, LinearOperator, LinearPcg, MaskedOperator, Mat3, PcgParams, ResidualNorm, Vec3,
};

/// Blocks per task of an update of vectors.
pub const PER_TASK: usize = 4096;

/// Residual of the start velocity, relative to that of the velocity before.
const PREDICTION: f64 = 1e-8;
/// Residual of a solve, relative to that of the velocity before. Its change is what the residual of
/// the ADMM iteration measures, so this is the paper's 1e-4 of that residual with a margin for
/// ill-conditioned twists.   [Daviet2020, section 6.2.5]
const ACCURACY: f64 = 1e-6;
/// Below this fraction of the right-hand side a residual is rounding.
const ROUNDING: f64 = 1e-14;
/// Most iterations of conjugate gradients per solve, and the relative residual that must then be
/// reached at least.
const MOST: usize = 2000;
const LEAST_ACCURACY: f64 = 1e-3;

/// The system of one Newton iteration.
pub struct Linearised<'a> {
    /// A.
    pub matrix: &'a BlockMatrix,
    /// f with the columns of prescribed blocks moved over.
    pub force: Vec<Vec3>,
    /// Velocities of prescribed blocks; zero elsewhere.
    pub prescribed: Vec<Vec3>,
    /// Which blocks are prescribed.
    pub fixed: &'a [bool],
}

impl<'a> Linearised<'a> {
    /// Gathers the system at the velocity `v` with the gradient ∇Φ \[N\] there.
    pub fn new(
        matrix: &'a BlockMatrix,
        fixed: &'a [bool],
        velocity: &[Vec3],
        prescribed: &[Vec3],
        gradient: &[Vec3],
        h: f64,
    ) -> Self {
        let held: Vec<Vec3> =
            prescribed.iter().zip(fixed).map(|(v, f)| if *f { *v } else { Vec3::zeros() }).collect();
        // A (v_k − v_held) − h ∇Φ in one product.
        let difference: Vec<Vec3> = velocity.iter().zip(&held).map(|(v, held)| v - held).collect();
        let mut force = vec![Vec3::zeros(); velocity.len()];
        matrix.mul(&difference, &mut force);
        force.iter_mut().zip(gradient).for_each(|(f, g)| *f -= g * h);
        Linearised { matrix, force, prescribed: held, fixed }
    }

    /// Puts the prescribed velocities into a solution.
    fn complete(&self, velocity: &mut [Vec3]) {
        velocity.par_iter_mut().with_min_len(PER_TASK).enumerate().for_each(|(i, v)| {
            if self.fixed[i] {
                *v = self.prescribed[i];
            }
        });
    }

    /// The same right-hand side or guess with nothing at prescribed blocks.
    fn masked(&self, mut vector: Vec<Vec3>) -> Vec<Vec3> {
        vector.iter_mut().zip(self.fixed).filter(|(_, f)| **f).for_each(|(v, _)| *v = Vec3::zeros());
        vector
    }
}

/// A + W.
struct Shifted<'a> {
    matrix: &'a BlockMatrix,
    weights: &'a Weights,
}

impl LinearOperator for Shifted<'_> {
    fn block_count(&self) -> usize {
        self.matrix.block_count()
    }

    fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.matrix.mul(x, y);
        let add = |(i, y): (usize, &mut Vec3)| *y += self.weights.times(i, &x[i]);
        y.par_iter_mut().with_min_len(PER_TASK).enumerate().for_each(add);
    }
}

/// Factors, kept over steps so that the symbolic analysis is done once.
pub struct ElasticSolver {
    factors: ObjectFactors,
    pcg: LinearPcg,
    /// Iterations of conjugate gradients so far.
    pub iterations: usize,
}

impl ElasticSolver {
    /// A solver for matrices like the given one.
    pub fn new(matrix: &BlockMatrix, model: &Model, coupled: Coupled) -> Result<ElasticSolver, FactorError> {
        let factors = ObjectFactors::new(matrix.pattern(), model, coupled)?;
        Ok(ElasticSolver { factors, pcg: LinearPcg::new(), iterations: 0 })
    }

    /// v with A v = f + W λ: the velocity under the contact forces of the step before. Leaves A
    /// factored.
    pub fn predicted(
        &mut self,
        system: &Linearised<'_>,
        dual_force: &[Vec3],
        guess: &[Vec3],
    ) -> Result<Vec<Vec3>, StepError> {
        let rhs: Vec<Vec3> = system.force.iter().zip(dual_force).map(|(f, d)| f + d).collect();
        self.factors.factor(system.matrix, |_| Mat3::zeros(), system.fixed)?;
        let mut velocity;
        if self.factors.is_exact() {
            velocity = rhs;
            self.factors.solve_in_place(&mut velocity);
        } else {
            velocity = system.masked(guess.to_vec());
            let operator = MaskedOperator::new(system.matrix, system.fixed);
            self.conjugate_gradients(&operator, &system.masked(rhs), &mut velocity, PREDICTION)?;
        }
        system.complete(&mut velocity);
        Ok(velocity)
    }

    /// How much mass a push at a node has to move \[kg\]: β m, or κ times the effective inertia
    /// where the factors of A tell it and it is more.
    pub fn inertia(&self, mass: &[f64], options: &AdmmOptions) -> Vec<f64> {
        let mut effective = vec![0.0; mass.len()];
        if options.strand_inertia > 0.0 {
            self.factors.effective_inertia(&mut effective);
        }
        let larger = |(m, own): (&f64, f64)| (options.beta * m).max(options.strand_inertia * own);
        mass.iter().zip(effective).map(larger).collect()
    }

    /// Factors A + W.
    pub fn factor(&mut self, system: &Linearised<'_>, weights: &Weights) -> Result<(), StepError> {
        self.factors.factor(system.matrix, |j| weights.block(j), system.fixed)
    }

    /// v ← (A + W)⁻¹ (f + W (p + λ)), starting from a guess where ties between objects need
    /// conjugate gradients.
    pub fn solve(
        &mut self,
        system: &Linearised<'_>,
        weights: &Weights,
        projected: &[Vec3],
        dual: &[Vec3],
        guess: &[Vec3],
        velocity: &mut [Vec3],
    ) -> Result<(), StepError> {
        let right = |i: usize| system.force[i] + weights.times(i, &(projected[i] + dual[i]));
        if self.factors.is_exact() {
            let (nodes, scalars) = velocity.split_at_mut(weights.nodes);
            let each = nodes.par_iter_mut().with_min_len(PER_TASK).enumerate();
            each.for_each(|(i, v)| *v = right(i));
            scalars.copy_from_slice(&system.force[weights.nodes..]);
            self.factors.solve_in_place(velocity);
        } else {
            let rhs = system.masked((0..velocity.len()).map(right).collect());
            let mut solution = system.masked(guess.to_vec());
            let shifted = Shifted { matrix: system.matrix, weights };
            let operator = MaskedOperator::new(&shifted, system.fixed);
            self.conjugate_gradients(&operator, &rhs, &mut solution, ACCURACY)?;
            velocity.copy_from_slice(&solution);
        }
        system.complete(velocity);
        Ok(())
    }

    fn conjugate_gradients(
        &mut self,
        operator: &impl LinearOperator,
        rhs: &[Vec3],
        x: &mut [Vec3],
        accuracy: f64,
    ) -> Result<(), StepError> {
        let params = PcgParams {
            relative_tolerance: accuracy,
            absolute_tolerance: ROUNDING * ResidualNorm::Infinity.of(rhs),
            max_iterations: MOST,
            norm: ResidualNorm::Infinity,
        };
        let failed = |reason: String| StepError::LinearSolver { reason };
        let info = self.pcg.solve(operator, &self.factors, rhs, x, &params);
        let info = info.map_err(|error| failed(error.to_string()))?;
        self.iterations += info.iterations;
        let reached = info.final_residual / info.initial_residual;
        if !info.converged && reached > LEAST_ACCURACY {
            let reason = format!("{} iterations of conjugate gradients reached {reached:e}", info.iterations);
            return Err(failed(reason));
        }
        Ok(())
    }
}
