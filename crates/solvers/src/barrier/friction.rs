//! Friction of one contact at the present iterate.   [Ando2024, eq. 10, 11]
//!
//! `E = ½ κ_f |P d|²`, `κ_f = μ f/max(ε, |P d|)` frozen at each Newton iteration, d the relative displacement since the start of
//! the step, f the barrier's force.

use super::contacts::{Contact, Way};
use super::options::BarrierOptions;
use stiction_contact::barrier::{BarrierTerms, LaggedFriction, SlidingHessian};
use stiction_numerics::{Mat3, Vec3};

/// Gradient and Hessian with respect to the relative displacement.
pub(super) fn friction_terms(
    options: &BarrierOptions,
    contact: &Contact,
    coefficient: f64,
    way: Way<'_>,
    barrier: &BarrierTerms,
) -> (Vec3, Mat3) {
    if !options.friction || coefficient <= 0.0 || barrier.force <= 0.0 {
        return (Vec3::zeros(), Mat3::zeros());
    }
    let pairs = contact.stencil.nodes().iter().zip(contact.stencil.weights());
    let own: Vec3 =
        pairs.map(|(&n, &w)| (way.now.blocks[n as usize] - way.start.blocks[n as usize]) * w).sum();
    let displacement = own + contact.moved;
    let cap = options.friction_cap.then_some(barrier.curvature);
    let limit = coefficient * barrier.force;
    let friction = LaggedFriction::new(
        contact.normal,
        &displacement,
        limit,
        options.friction_epsilon,
        cap,
        SlidingHessian::Plane,
    );
    (friction.gradient(&displacement), friction.hessian())
}
