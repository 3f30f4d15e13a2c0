//! Friction of one contact at the present iterate.
//!
//! Lagged: `E = ½ κ_f |P d|²`, `κ_f = μ f/max(ε, |P d|)` frozen at each Newton iteration, d the relative displacement since the start
//! of the step, f the barrier's force.   [Ando2024, eq. 10, 11]
//! Anchored: `E = μ f φ(|P d|)`, f frozen, d from an anchor that lives as long as the contact (see `anchors.rs`).

use super::contacts::{Contact, Way};
use super::options::{BarrierOptions, FrictionModel};
use stiction_contact::barrier::{AnchoredFriction, BarrierTerms, LaggedFriction, SlidingHessian};
use stiction_numerics::{Mat3, Vec3};

/// Gradient and Hessian with respect to the relative displacement.
pub(super) fn friction_terms(
    options: &BarrierOptions,
    contact: &Contact,
    coefficient: f64,
    way: Way<'_>,
    barrier: &BarrierTerms,
) -> (Vec3, Mat3) {
    if coefficient <= 0.0 || barrier.force <= 0.0 {
        return (Vec3::zeros(), Mat3::zeros());
    }
    let (normal, epsilon) = (contact.normal, options.friction_epsilon);
    let displacement = contact.displacement(&way.start.blocks, &way.now.blocks) + contact.moved;
    let limit = coefficient * barrier.force;
    match options.friction {
        FrictionModel::None => (Vec3::zeros(), Mat3::zeros()),
        FrictionModel::Lagged => {
            let cap = options.friction_cap.then_some(barrier.curvature);
            let sliding = SlidingHessian::Plane;
            let friction = LaggedFriction::new(normal, &displacement, limit, epsilon, cap, sliding);
            (friction.gradient(&displacement), friction.hessian())
        }
        FrictionModel::Anchored => {
            let friction = AnchoredFriction { normal, limit, epsilon };
            let from_anchor = contact.slip + displacement;
            (friction.gradient(&from_anchor), friction.majoriser(&from_anchor))
        }
    }
}
