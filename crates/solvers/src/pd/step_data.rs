//! What holds for one step: which rows act, where their targets are, and the forces from outside.

use super::constraints::{Constraints, Source};
use crate::solver::World;
use stiction_bodies::State;
use stiction_energy::Elasticity;
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::resolved::is_active;

/// Switches and targets of the springs and the quadratic forms.
#[derive(Clone, Debug, Default)]
pub struct RowTargets {
    /// Whether each spring acts, and its offset o.
    pub springs: Vec<(bool, Vec3)>,
    /// The same for quadratic forms.
    pub quadratics: Vec<(bool, Vec3)>,
}

impl RowTargets {
    /// For a step from `start` to `end` \[s\].
    pub fn new(constraints: &Constraints, world: World<'_>, start: f64, end: f64) -> RowTargets {
        let model = world.model;
        let groups = &model.anchors.groups;
        let controls = &world.parameters.controls;
        let motions = groups.iter().enumerate().map(|(g, group)| controls.anchor(g, group));
        let poses: Vec<_> = motions.map(|motion| motion.pose(end)).collect();
        let target = |source: Source| match source {
            Source::Body => (true, Vec3::zeros()),
            Source::Anchor(g, k) => {
                (is_active(&groups[g].active, start), poses[g].apply(&groups[g].reference[k]))
            }
            Source::Coupling(c) => (model.couplings[c].is_active(start), model.couplings[c].offset),
        };
        RowTargets {
            springs: constraints.springs.iter().map(|s| target(s.source)).collect(),
            quadratics: constraints.quadratics.iter().map(|q| target(q.source)).collect(),
        }
    }

    /// The switches alone: the matrix depends on nothing else of a step.
    pub fn switches(&self) -> Vec<bool> {
        self.springs.iter().chain(&self.quadratics).map(|(on, _)| *on).collect()
    }
}

/// The step size of the matrices \[s\]: a step size to 32 bits, a function of it alone, so that a
/// resumed run takes the same. The clock hands out differences of times, which vary in their last
/// bits; each variant had its factors made.
pub fn nominal_step(h: f64) -> f64 {
    const LOW: u64 = (1 << 20) - 1;
    f64::from_bits((h.to_bits() + LOW / 2) & !LOW)
}

/// Gravity, external forces and drag per node \[N\].
///
/// Drag is lumped at the nodes and implicit in the velocity, `f = (1 + h D/m)⁻¹ f(v₀)` with D the sum
/// of the node's row of the damping matrix: it never reverses a motion, whatever the step size.
pub fn outer_forces(world: World<'_>, elasticity: Option<&Elasticity>, state: &State, h: f64) -> Vec<Vec3> {
    let (model, parameters) = (world.model, world.parameters);
    let gravity = parameters.gravity.at(state.time + h);
    let mut force: Vec<Vec3> = parameters.mass[..model.nodes].iter().map(|m| gravity * *m).collect();
    parameters.add_external(&mut force);
    if let Some(elasticity) = elasticity.filter(|_| parameters.wind.air_density > 0.0) {
        let drag = elasticity.drag_at_nodes(&state.blocks, &state.velocities, &parameters.wind, state.time);
        for ((f, drag), mass) in force.iter_mut().zip(&drag).zip(&parameters.mass) {
            let resisted = Mat3::identity() + drag.damping * (h / mass);
            // Positive definite; only numbers that are not finite have no factor, and commit refuses those.
            *f += resisted.cholesky().map_or(drag.force, |factor| factor.solve(&drag.force));
        }
    }
    force
}

/// α m per node \[kg/s\].
pub fn mass_damping(world: World<'_>) -> Vec<f64> {
    let model = world.model;
    let alpha = |node: usize| world.parameters.materials[model.body_of_node[node] as usize].damping().mass;
    (0..model.nodes).map(|node| alpha(node) * world.parameters.mass[node]).collect()
}

#[cfg(test)]
mod tests {
    use super::nominal_step;

    #[test]
    fn steps_of_one_clock_are_one() {
        for h in [1.0 / 60.0, 1.0 / 30.0, 0.04, 0.025, 1e-3] {
            let one = nominal_step(h);
            assert!((one - h).abs() <= 2e-10 * h);
            for k in 0..10_000 {
                let time = f64::from(k);
                assert_eq!(nominal_step((time + 1.0) * h - time * h), one, "{h} {k}");
            }
        }
        assert_ne!(nominal_step(0.01), nominal_step(0.01 * (1.0 + 1e-8)));
    }
}
