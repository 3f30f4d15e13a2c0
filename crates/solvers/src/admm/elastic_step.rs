//! The linearised dynamics of a Newton iteration, and solves with them.
//!
//! A v = f + Bᵀ r with A = h² ∇²Φ ≈ M + h D + h² K \[kg\], f = A v_k − h ∇Φ(x_t + h v_k) \[kg m/s\].   [Daviet2020, eq. 5]
//! Prescribed blocks have their velocity from the start: their columns move to the right-hand side.

use crate::linear::{LinearChoice, LinearSolver};
use crate::solver::StepError;
use stiction_numerics::{BlockMatrix, Vec3};

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
        for i in 0..velocity.len() {
            if self.fixed[i] {
                velocity[i] = self.prescribed[i];
            }
        }
    }
}

/// Factors, kept over steps so that the symbolic analysis is done once.
pub struct ElasticSolver {
    linear: LinearSolver,
    /// A + W.
    shifted: BlockMatrix,
}

impl ElasticSolver {
    /// A solver for matrices like the given one.
    pub fn new(matrix: &BlockMatrix, node_count: usize) -> ElasticSolver {
        ElasticSolver { linear: LinearSolver::new(LinearChoice::Direct, node_count), shifted: matrix.clone() }
    }

    /// v with A v = f + W λ: the velocity under the contact forces of the step before.
    pub fn predicted(
        &mut self,
        system: &Linearised<'_>,
        dual_force: &[Vec3],
    ) -> Result<Vec<Vec3>, StepError> {
        let mut velocity: Vec<Vec3> = system.force.iter().zip(dual_force).map(|(f, d)| f + d).collect();
        self.linear.solve(system.matrix, system.fixed, &mut velocity)?;
        system.complete(&mut velocity);
        Ok(velocity)
    }

    /// Factors A + W.
    pub fn factor(&mut self, system: &Linearised<'_>, weights: &[f64]) -> Result<(), StepError> {
        self.shifted.values_mut().copy_from_slice(system.matrix.values());
        self.shifted.add_diagonal(weights);
        self.linear.factor(&self.shifted, system.fixed)
    }

    /// v ← (A + W)⁻¹ (f + W (p + λ)).
    pub fn solve(
        &self,
        system: &Linearised<'_>,
        weights: &[f64],
        projected: &[Vec3],
        dual: &[Vec3],
        velocity: &mut [Vec3],
    ) {
        for i in 0..velocity.len() {
            velocity[i] = system.force[i] + (projected[i] + dual[i]) * weights[i];
        }
        self.linear.solve_factored(velocity);
        system.complete(velocity);
    }
}
