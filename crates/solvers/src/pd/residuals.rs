//! How far an iteration is from a solution.   [Zhu2024, section 7.1.4, with consistent sizes]
//!
//! primal = (|D x − z|² + |x − x_t − h p|²)^½ , dual = |Dᵀ W_e Δz + h W_c Δp|, combined =
//! primal/primal₁ + dual/dual₁ with the values of the first iteration of the step as scales.

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
    /// primal/primal₁ + dual/dual₁.
    pub combined: f64,
}

/// Follows z and p from iteration to iteration; only where residuals are asked for, since it copies
/// all rows.
#[derive(Default)]
pub struct ResidualMonitor {
    /// λ (before the first pass) or λ − z of the rows.
    held: Vec<Vec3>,
    /// z and p of the iteration before.
    last: Option<(Vec<Vec3>, Vec<Vec3>)>,
    strain: Vec<Vec3>,
    /// Of the first iteration of the step: the scale of the others.
    first: Option<Residuals>,
}

impl ResidualMonitor {
    /// Before the local step at `positions`.
    pub fn before_local_step(&mut self, constraints: &Constraints, local: &LocalStep, positions: &[Vec3]) {
        self.held = local.rows(constraints);
        self.strain = strains(constraints, positions);
    }

    /// After the prediction, which has no residuals: z, and no p yet.
    pub fn after_prediction(&mut self, constraints: &Constraints, local: &LocalStep, nodes: usize) {
        // λ was held, now λ − z is.
        let z = self.held.iter().zip(local.rows(constraints)).map(|(dual, now)| dual - now).collect();
        self.last = Some((z, vec![Vec3::zeros(); nodes]));
    }

    /// Residuals after an iteration that ended at `positions`; none after the first.
    pub fn after_iteration(
        &mut self,
        constraints: &Constraints,
        local: &LocalStep,
        contact: &ContactStep<'_>,
        positions: &[Vec3],
    ) -> Option<Residuals> {
        // λ = held + D x, z = λ − (λ − z).
        let now = local.rows(constraints);
        let z: Vec<Vec3> = (0..now.len()).map(|r| self.held[r] + self.strain[r] - now[r]).collect();
        let before = self.last.replace((z, contact.projected.clone()))?;
        let (z, p) = self.last.as_ref()?;
        let strain = strains(constraints, positions);
        let elastic = ordered_sum_by(z.len(), |r| (strain[r] - z[r]).norm_squared());
        let touching = ordered_sum_by(positions.len(), |n| contact.apart(n, positions).norm_squared());
        let mut force: Vec<Vec3> = (0..positions.len())
            .map(|n| match contact.touched_node(n) {
                true => (p[n] - before.1[n]) * (contact.set.weights()[n] / contact.step_size()),
                false => Vec3::zeros(),
            })
            .collect();
        let mut terms = Vec::new();
        for r in 0..z.len() {
            constraints.row(r, &mut terms);
            let change = (z[r] - before.0[r]) * constraints.stiffness(r).0;
            terms.iter().for_each(|(node, c)| force[*node as usize] += change * *c);
        }
        let dual = ordered_sum_by(force.len(), |n| force[n].norm_squared());
        let (primal, dual) = ((elastic + touching).sqrt(), dual.sqrt());
        let found = Residuals { primal, dual, combined: 0.0 };
        let combined = found.relative_to(self.first.get_or_insert(found));
        Some(Residuals { combined, ..found })
    }
}

/// D x of the projected rows.
fn strains(constraints: &Constraints, positions: &[Vec3]) -> Vec<Vec3> {
    let mut terms = Vec::new();
    (0..constraints.projected_rows())
        .map(|r| {
            constraints.row(r, &mut terms);
            terms.iter().map(|(node, c)| positions[*node as usize] * *c).sum()
        })
        .collect()
}

impl Residuals {
    /// primal/primal₁ + dual/dual₁.
    fn relative_to(&self, first: &Residuals) -> f64 {
        let ratio = |value: f64, scale: f64| if scale > 0.0 { value / scale } else { 0.0 };
        ratio(self.primal, first.primal) + ratio(self.dual, first.dual)
    }
}

/// Iterations whose residuals have names in a report.
pub const LONGEST_PROFILE: usize = 1000;

/// Names of the residuals of every iteration, counted from 1.
pub static PROFILE_NAMES: LazyLock<Vec<[String; 3]>> = LazyLock::new(|| {
    let names = |i: usize| ["primal", "dual", "combined"].map(|kind| format!("{kind}_{i:03}"));
    (1..=LONGEST_PROFILE).map(names).collect()
});
