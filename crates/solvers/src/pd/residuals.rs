//! How far an iteration is from a solution.   [Zhu2024, section 7.1.4, with consistent sizes]
//!
//! primal = (|D x − z|² + |x − x_t − h p|²)^½ , dual = |Dᵀ W_e Δz + h W_c Δp|, combined = primal/primal₁ + dual/dual₁ with the values
//! of the first iteration of the step as scales.

use super::constraints::Constraints;
use super::contact_step::ContactStep;
use super::local_step::LocalStep;
use std::sync::LazyLock;
use stiction_numerics::{Vec3, ordered_sum_by};

/// Residuals of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Distance of the copies from what they copy.
    pub primal: f64,
    /// Change of the copies, as a force \[N\].
    pub dual: f64,
}

/// z and p before an iteration, to tell how far they moved.
pub struct Before {
    projected: Vec<Vec3>,
    velocity: Vec<Vec3>,
}

impl Before {
    /// Copies both.
    pub fn new(local: &LocalStep, contact: &ContactStep<'_>) -> Before {
        Before { projected: local.projected.clone(), velocity: contact.projected.clone() }
    }

    /// Residuals after an iteration that ended at `positions`.
    pub fn residuals(
        self,
        constraints: &Constraints,
        local: &LocalStep,
        contact: &ContactStep<'_>,
        positions: &[Vec3],
        h: f64,
    ) -> Residuals {
        let selection = &constraints.selection;
        let apart = |r: usize| (selection.at(r, positions) - local.projected[r]).norm_squared();
        let elastic = ordered_sum_by(selection.rows(), apart);
        let touching = ordered_sum_by(positions.len(), |n| contact.apart(n, positions).norm_squared());
        let mut change = self.projected;
        for (r, weight) in weights(constraints).enumerate() {
            change[r] = (local.projected[r] - change[r]) * weight;
        }
        let base: Vec<Vec3> = (0..positions.len())
            .map(|n| match contact.touched_node(n) {
                true => (contact.projected[n] - self.velocity[n]) * (contact.set.weights()[n] / h),
                false => Vec3::zeros(),
            })
            .collect();
        let mut force = vec![Vec3::zeros(); positions.len()];
        selection.add_transposed(&change, &base, &mut force);
        let dual = ordered_sum_by(force.len(), |n| force[n].norm_squared());
        Residuals { primal: (elastic + touching).sqrt(), dual: dual.sqrt() }
    }
}

/// w of the projected rows.
fn weights(constraints: &Constraints) -> impl Iterator<Item = f64> + '_ {
    let triangles = constraints.triangles.iter().flat_map(|c| [c.weight; 2]);
    let tets = constraints.tets.iter().flat_map(|c| [c.weight; 3]);
    triangles.chain(tets).chain(constraints.springs.iter().map(|s| s.weight))
}

/// primal/primal₁ + dual/dual₁.
pub fn combined(first: &Residuals, now: &Residuals) -> f64 {
    let share = |value: f64, scale: f64| if scale > 0.0 { value / scale } else { 0.0 };
    share(now.primal, first.primal) + share(now.dual, first.dual)
}

/// Iterations whose residuals have names in a report.
pub const LONGEST_PROFILE: usize = 1000;

/// Names of the residuals of every iteration, counted from 1.
pub static PROFILE_NAMES: LazyLock<Vec<[String; 3]>> = LazyLock::new(|| {
    let names = |i: usize| ["primal", "dual", "combined"].map(|kind| format!("{kind}_{i:03}"));
    (1..=LONGEST_PROFILE).map(names).collect()
});
