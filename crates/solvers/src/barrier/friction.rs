//! Friction of one contact at the present iterate.
//!
//! Lagged: `E = ½ κ_f |P d|²`, `κ_f = μ f/max(ε, |P d|)` frozen at each Newton iteration, d the
//! relative displacement since the start of the step, f the barrier's force.   [Ando2024, eq. 10,
//! 11]
//! Anchored: `E = μ f φ(|P d|)`, f frozen, d from an anchor that lives as long as the contact (see
//! `anchors.rs`).
//!
//! Which f: the barrier's own is thousands of times what a contact will carry while its gap is
//! being looked for, and friction that follows it throws stiff bodies along. So f is the force that
//! the last linear solve found, which balances the step. Which curvature: the chord towards the
//! friction that this solve found (`AnchoredFriction::chord`).

use super::assembly::Terms;
use super::contacts::{Contact, Trajectory};
use super::options::{BarrierOptions, FrictionModel};
use stiction_contact::barrier::{AnchoredFriction, BarrierTerms, LaggedFriction};
use stiction_numerics::{Mat3, Vec3};

/// Gradient and Hessian with respect to the relative displacement.
pub(super) fn friction_terms(
    options: &BarrierOptions,
    contact: &Contact,
    coefficient: f64,
    trajectory: Trajectory<'_>,
    barrier: &BarrierTerms,
) -> (Vec3, Mat3) {
    if coefficient <= 0.0 || barrier.force <= 0.0 {
        return (Vec3::zeros(), Mat3::zeros());
    }
    let (normal, epsilon) = (contact.normal, options.friction_epsilon);
    let displacement =
        contact.displacement(&trajectory.start.blocks, &trajectory.now.blocks) + contact.moved();
    let limit = coefficient * pressing(options, contact, &displacement, barrier.force);
    if limit <= 0.0 {
        return (Vec3::zeros(), Mat3::zeros());
    }
    match options.friction {
        FrictionModel::None => (Vec3::zeros(), Mat3::zeros()),
        FrictionModel::Lagged => {
            let cap = options.friction_cap.then_some(barrier.curvature);
            let sliding = options.sliding_hessian.of_contact();
            let friction = LaggedFriction::new(normal, &displacement, limit, epsilon, cap, sliding);
            (friction.gradient(&displacement), friction.hessian())
        }
        FrictionModel::Anchored => {
            let friction = AnchoredFriction { normal, limit, epsilon };
            let from_anchor = contact.slip(trajectory.anchors) + displacement;
            let expected = -contact.expected_here(options).unwrap_or_default();
            (friction.gradient(&from_anchor), friction.chord(&from_anchor, &expected))
        }
    }
}

/// The normal force that limits friction \[N\]: the barrier's own, held near the expected one. A
/// new contact that has not slid in this step holds as its barrier pushes; one that has waits until
/// its force is known.
fn pressing(options: &BarrierOptions, contact: &Contact, displacement: &Vec3, push: f64) -> f64 {
    let slid = || tangential(contact, *displacement).norm() > options.friction_epsilon;
    match contact.expected_here(options) {
        Some(force) => {
            let expected = contact.normal.dot(&force).max(0.0);
            push.clamp(expected / FROM_EXPECTED, expected * FROM_EXPECTED)
        }
        None if options.forecast && slid() => 0.0,
        None => push,
    }
}

/// The force on the first object at the end of a direction \[N\]. Friction that comes back below ε
/// is at most what it will be there: the linear model of a slide keeps its full force.
pub(super) fn forecast(
    options: &BarrierOptions,
    (contact, terms): (&Contact, &Terms),
    coefficient: f64,
    (trajectory, direction): (Trajectory<'_>, &[Vec3]),
) -> Vec3 {
    let (force, epsilon) = (terms.force(contact, direction), options.friction_epsilon);
    let displacement =
        contact.displacement(&trajectory.start.blocks, &trajectory.now.blocks) + contact.moved();
    let slip = tangential(contact, contact.slip(trajectory.anchors) + displacement);
    let next = slip + tangential(contact, contact.relative(direction) + contact.ahead());
    if options.friction != FrictionModel::Anchored || next.norm() >= epsilon || next.dot(&slip) <= 0.0 {
        return force;
    }
    let limit = coefficient * pressing(options, contact, &displacement, terms.present_push(contact));
    let there = AnchoredFriction { normal: contact.normal, limit, epsilon }.gradient(&next).norm();
    let friction = tangential(contact, force);
    match friction.norm() > there {
        true => force - friction * (1.0 - there / friction.norm()),
        false => force,
    }
}

/// Trajectory from the anchor with which a contact that is `from_anchor` away at the end of a step
/// begins the next one; anchors are dragged along.
pub(super) fn slip_to_keep(options: &BarrierOptions, contact: &Contact, from_anchor: &Vec3) -> Vec3 {
    let epsilon = options.friction_epsilon;
    match options.friction {
        FrictionModel::Anchored => {
            AnchoredFriction { normal: contact.normal, limit: 1.0, epsilon }.dragged(from_anchor)
        }
        FrictionModel::Lagged | FrictionModel::None => Vec3::zeros(),
    }
}

/// The barrier's own force is taken as long as it is within this factor of the expected one; so a
/// gap that is nearly found limits friction without delay.
const FROM_EXPECTED: f64 = 1.1;

fn tangential(contact: &Contact, d: Vec3) -> Vec3 {
    d - contact.normal * contact.normal.dot(&d)
}

/// Slips that grow by more than this share of ε, and limits that change by more than this share,
/// are still being looked for.
const SETTLED: f64 = 0.1;

/// Beyond this share of ε friction is full within 1 %, and its force no longer depends on the way.
const FULL: f64 = 0.9;

/// Masses of the blocks, and which of them are held.
#[derive(Clone, Copy)]
pub(super) struct Masses<'a> {
    pub of_block: &'a [f64],
    pub fixed: &'a [bool],
}

impl Masses<'_> {
    /// How much one newton at a contact speeds up the node that it moves most \[1/kg\].
    fn mobility(&self, contact: &Contact) -> f64 {
        let nodes = contact.stencil.nodes().iter().zip(contact.stencil.weights());
        let of_node = |(&n, w): (&u32, &f64)| match self.fixed[n as usize] {
            true => 0.0,
            false => w.abs() / self.of_block[n as usize],
        };
        nodes.map(of_node).fold(0.0, f64::max)
    }
}

/// Whether friction of a contact is not yet what it will be, by enough to speed a node up by more
/// than `slowest` \[m/s²\]: its limit μ f changes by more than a tenth (where a body is set down
/// within the gap, directions may be short before friction has lost what it has too much), or its
/// slip still changes its force.
pub(super) fn is_settling(
    options: &BarrierOptions,
    (contact, terms): (&Contact, &Terms),
    coefficient: f64,
    masses: Masses<'_>,
    (trajectory, direction): (Trajectory<'_>, &[Vec3]),
    slowest: f64,
) -> bool {
    let moved = contact.displacement(&trajectory.start.blocks, &trajectory.now.blocks);
    let displacement = moved + contact.moved();
    let used = pressing(options, contact, &displacement, terms.present_push(contact));
    let next = contact.normal.dot(&terms.force(contact, direction));
    let matters = |force: f64| coefficient * force * masses.mobility(contact) > slowest;
    let change = (next.max(0.0) - used).abs();
    let anchored = options.friction == FrictionModel::Anchored;
    let from_anchor = || contact.slip(trajectory.anchors) + moved + contact.moved();
    (change > SETTLED * used && matters(change))
        || (anchored && slip_is_settling(options, contact, from_anchor(), direction) && matters(used))
}

/// Whether anchored friction of a contact still changes its force: a direction that is short beside
/// the tolerance may be long beside ε. A block thrown along the ground begins with zero slip, where
/// friction is stiff, and its first direction is a few ε whatever its speed.
fn slip_is_settling(
    options: &BarrierOptions,
    contact: &Contact,
    from_anchor: Vec3,
    direction: &[Vec3],
) -> bool {
    let slip = tangential(contact, from_anchor);
    let onward = tangential(contact, contact.relative(direction) + contact.ahead());
    let least = slip.norm().min((slip + onward).norm());
    onward.norm() > SETTLED * options.friction_epsilon && least < FULL * options.friction_epsilon
}

#[cfg(test)]
mod tests {
    use super::super::options::SlidingHessian;
    use super::*;
    use stiction_contact::ContactStencil;

    /// Lagged friction of a contact with the floor that has slid by 100 ε along x: μ f = 0.5 N over
    /// 1 mm.
    fn sliding(options: &BarrierOptions) -> (Vec3, Mat3) {
        let contact =
            Contact { stencil: ContactStencil::new(&[(0, 1.0)]), normal: Vec3::z(), ..Contact::default() };
        let at = |x: f64| {
            let blocks = std::borrow::Cow::Owned(vec![Vec3::new(x, 0.0, 0.0)]);
            super::super::contacts::Configuration { blocks, kinematic: Vec::new(), time: 0.0 }
        };
        let (start, now) = (at(0.0), at(1e-3));
        let trajectory = Trajectory { start: &start, now: &now, target: &now, anchors: &Default::default() };
        let terms = BarrierTerms { energy: 0.0, force: 1.0, curvature: 7.0, normal: Vec3::z() };
        friction_terms(options, &contact, 0.5, trajectory, &terms)
    }

    /// Friction in the plane holds a slide back that the transverse one lets go; the force is the
    /// same. The cap lowers the Hessian to the barrier's 7 N/m.
    #[test]
    fn options_of_lagged_friction_change_its_hessian_only() {
        let lagged =
            BarrierOptions { friction: FrictionModel::Lagged, forecast: false, ..BarrierOptions::default() };
        let transverse = BarrierOptions { sliding_hessian: SlidingHessian::Transverse, ..lagged.clone() };
        let capped = BarrierOptions { friction_cap: true, ..lagged.clone() };
        let expected = [(&lagged, [500.0, 500.0]), (&transverse, [0.0, 500.0]), (&capped, [7.0, 7.0])];
        for (options, [along, across]) in expected {
            let (slope, hessian) = sliding(options);
            assert!((slope - Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-12, "{slope}");
            let diagonal = Mat3::from_diagonal(&Vec3::new(along, across, 0.0));
            assert!((hessian - diagonal).norm() < 1e-9, "{options:?}: {hessian}");
        }
    }

    #[test]
    fn a_fresh_slip_is_settling_and_a_sliding_or_resting_one_is_not() {
        let contact =
            Contact { stencil: ContactStencil::new(&[(0, 1.0)]), normal: Vec3::z(), ..Contact::default() };
        let options = BarrierOptions::default();
        let ask = |slip: f64, onward: f64| {
            let along = |x: f64| Vec3::new(x * options.friction_epsilon, 0.0, 5.0);
            slip_is_settling(&options, &contact, along(slip), &[along(onward)])
        };
        assert!(ask(0.0, 1.5) && ask(0.5, -0.2));
        assert!(ask(3.0, -3.0), "it comes back to its anchor");
        assert!(!ask(1.0, 200.0), "the force is full before and after");
        assert!(!ask(0.5, 0.01), "it rests");
    }
}
