//! Friction of one contact at the present iterate.
//!
//! Lagged: `E = ½ κ_f |P d|²`, `κ_f = μ f/max(ε, |P d|)` frozen at each Newton iteration, d the relative displacement since the start
//! of the step, f the barrier's force.   [Ando2024, eq. 10, 11]
//! Anchored: `E = μ f φ(|P d|)`, f frozen, d from an anchor that lives as long as the contact (see `anchors.rs`).
//!
//! Which curvature: φ' is concave, so Newton's method with the true Hessian comes from below without ever passing the limit, and beyond ε, where
//! the Hessian is zero along the slip, it finds the sliding step at once. On the way *back* the same Hessian would throw the contact across
//! its anchor and back; there the majoriser descends. What tells the two apart is the last motion of the contact.

use super::assembly::Terms;
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
    let displacement = contact.displacement(&way.start.blocks, &way.now.blocks) + contact.moved();
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
            let curvature = match way.lately.carries_on(contact, &from_anchor) {
                true => friction.hessian(&from_anchor),
                false => friction.majoriser(&from_anchor),
            };
            (friction.gradient(&from_anchor), curvature)
        }
    }
}

/// Slips that grow by more than this share of ε, and limits that change by more than this share, are still being looked for.
const SETTLED: f64 = 0.1;

/// Beyond this share of ε friction is full within 1 %, and its force no longer depends on the way.
const FULL: f64 = 0.9;

/// Whether anchored friction of a contact still changes its force: a direction that is short beside the tolerance may be long beside ε. A block
/// thrown along the ground begins with zero slip, where friction is stiff, and its first direction is a few ε whatever its speed.
pub(super) fn slip_is_settling(
    options: &BarrierOptions,
    contact: &Contact,
    [start, now]: [&[Vec3]; 2],
    direction: &[Vec3],
) -> bool {
    let tangential = |d: Vec3| d - contact.normal * contact.normal.dot(&d);
    let slip = tangential(contact.slip + contact.displacement(start, now) + contact.moved());
    let onward = tangential(contact.relative(direction) + contact.ahead());
    let least = slip.norm().min((slip + onward).norm());
    onward.norm() > SETTLED * options.friction_epsilon && least < FULL * options.friction_epsilon
}

/// Masses of the blocks, and which of them are held.
#[derive(Clone, Copy)]
pub(super) struct Masses<'a> {
    pub of_block: &'a [f64],
    pub fixed: &'a [bool],
}

/// Whether the limit μ f of friction still changes by more than a tenth, and by enough to speed a node up by more than `slowest` \[m/s²\]. The force
/// of a cubic barrier falls to a quarter per iteration on its way out of a gap, while the way left falls to a half: where a body is
/// set down within the gap, directions are short long before friction has lost what it has too much.
pub(super) fn limit_is_settling(
    contact: &Contact,
    terms: &Terms,
    coefficient: f64,
    masses: Masses<'_>,
    direction: &[Vec3],
    slowest: f64,
) -> bool {
    let n = &contact.normal;
    let ahead = contact.ahead();
    let force = -n.dot(&(terms.pull - terms.hessian.mul(&ahead)));
    let change = n.dot(&terms.hessian.mul(&(contact.relative(direction) + ahead))).abs();
    let nodes = contact.stencil.nodes().iter().zip(contact.stencil.weights());
    let mobility = |(&n, w): (&u32, &f64)| match masses.fixed[n as usize] {
        true => 0.0,
        false => w.abs() / masses.of_block[n as usize],
    };
    let lightest = nodes.map(mobility).fold(0.0, f64::max);
    change > SETTLED * force && coefficient * change * lightest > slowest
}

/// How everything moved last: in the last iteration, or in the last step when this is the first.
#[derive(Clone, Copy)]
pub(super) struct Lately<'a> {
    /// Motion of the blocks \[m\].
    pub blocks: &'a [Vec3],
    /// Share of the scripted motion since the start of the step that the last iteration made; `None` in the first iteration.
    pub share: Option<f64>,
}

impl Lately<'_> {
    /// Whether a contact goes on in the direction of its slip, without having passed its anchor.
    fn carries_on(&self, contact: &Contact, from_anchor: &Vec3) -> bool {
        let normal = &contact.normal;
        let slip = from_anchor - normal * normal.dot(from_anchor);
        let prescribed = self.share.map_or_else(|| contact.ahead(), |share| contact.moved() * share);
        let onward = slip.dot(&(contact.relative(self.blocks) + prescribed));
        onward > 0.0 && (self.share.is_none() || onward <= slip.norm_squared())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::ContactStencil;

    #[test]
    fn a_fresh_slip_is_settling_and_a_sliding_or_resting_one_is_not() {
        let contact =
            Contact { stencil: ContactStencil::new(&[(0, 1.0)]), normal: Vec3::z(), ..Contact::default() };
        let options = BarrierOptions::default();
        let ask = |slip: f64, onward: f64| {
            let along = |x: f64| [Vec3::new(x * options.friction_epsilon, 0.0, 5.0)];
            slip_is_settling(&options, &contact, [&along(0.0), &along(slip)], &along(onward))
        };
        assert!(ask(0.0, 1.5) && ask(0.5, -0.2));
        assert!(ask(3.0, -3.0), "it comes back to its anchor");
        assert!(!ask(1.0, 200.0), "the force is full before and after");
        assert!(!ask(0.5, 0.01), "it rests");
    }

    #[test]
    fn a_slip_carries_on_unless_it_turned_or_passed_its_anchor() {
        let contact =
            Contact { stencil: ContactStencil::new(&[(0, 1.0)]), normal: Vec3::z(), ..Contact::default() };
        let ask = |slip: f64, last: f64, share: Option<f64>| {
            let blocks = [Vec3::new(last, 0.0, 5.0)];
            Lately { blocks: &blocks, share }.carries_on(&contact, &Vec3::new(slip, 0.0, -7.0))
        };
        assert!(ask(2.0, 1.0, Some(1.0)) && ask(-2.0, -1.0, Some(1.0)));
        assert!(!ask(2.0, -1.0, Some(1.0)), "it turned");
        assert!(!ask(2.0, 3.0, Some(1.0)), "it came from the other side of its anchor");
        assert!(ask(2.0, 3.0, None), "the last step knows of no anchor");
        assert!(!ask(0.0, 0.0, None));
    }
}
