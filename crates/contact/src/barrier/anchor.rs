//! Smooth friction about an anchor that lives as long as its contact.
//!
//! The slip `d = P (X − a)` is measured from an anchor `a` (a material point of the other body),
//! not from the last step. Energy `E = μ f φ(|d|)`, with `φ' = 2y/ε − y²/ε²` for `y < ε` and 1
//! beyond: once differentiable in the force, the full force is reached at `|d| = ε`. After a step
//! the anchor is dragged so that `|d| ≤ ε` (a return map, as in plasticity). A resting contact
//! keeps its elastic slip, so its friction holds without any creep; an anchor that moves along
//! every step would lose it and creep by about ε per step.

use stiction_numerics::{Mat3, Vec3};

/// Slips and forces beyond this share of the full ones slide: their chord is the Hessian. What is
/// left of a limit that changes would hold a slide back otherwise, ε being short.
const FULL: f64 = 0.9;

/// Friction of one contact about its anchor; `limit` is μ f with a lagged normal force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchoredFriction {
    /// Unit normal.
    pub normal: Vec3,
    /// Largest force μ f \[N\].
    pub limit: f64,
    /// Slip at which the full force is reached \[m\].
    pub epsilon: f64,
}

impl AnchoredFriction {
    #[inline]
    fn slip(&self, from_anchor: &Vec3) -> Vec3 {
        from_anchor - self.normal * self.normal.dot(from_anchor)
    }

    /// Energy \[J\] at a displacement from the anchor \[m\].
    pub fn energy(&self, from_anchor: &Vec3) -> f64 {
        let y = self.slip(from_anchor).norm();
        let e = self.epsilon;
        self.limit * if y < e { y * y / e - y.powi(3) / (3.0 * e * e) } else { y - e / 3.0 }
    }

    /// Gradient with respect to the displacement \[N\]; a vertex takes `c_i` times this.
    #[inline]
    pub fn gradient(&self, from_anchor: &Vec3) -> Vec3 {
        let slip = self.slip(from_anchor);
        slip * self.secant(slip.norm())
    }

    /// `μ f φ'(y)/y` \[N/m\]; `2 μ f/ε` at rest.
    #[inline]
    fn secant(&self, y: f64) -> f64 {
        let e = self.epsilon;
        self.limit * if y < e { (2.0 - y / e) / e } else { 1.0 / y }
    }

    /// Curvature of a linear model that meets the law where its force is the expected one \[N/m\],
    /// positive semi-definite; a pair takes `c_i c_j` times this.
    ///
    /// Along the slip it is the chord `μ f (φ'(y) − φ'(z))/(y − z)`, z where the force along the
    /// slip is the expected one, φ' continued as an odd function: the Hessian when that is the
    /// present force, zero beyond ε when it is the full one, so that a slide is found at once. A
    /// slip that must come back to hold less than the full force is far beyond its limit or behind
    /// its anchor; the Hessian throws it to and fro there, while the chord leads it home in one
    /// step. Across the slip it is the secant `μ f φ'(y)/y`.
    ///
    /// `expected` gradient that the last linear solve found \[N\]; zero when none is known: then
    /// the chord is the secant, which lies above the energy.
    #[inline]
    pub fn chord(&self, from_anchor: &Vec3, expected: &Vec3) -> Mat3 {
        let (slip, e) = (self.slip(from_anchor), self.epsilon);
        let plane = Mat3::identity() - self.normal * self.normal.transpose();
        let y = slip.norm();
        let Some(direction) = slip.try_normalize(1e-12 * e) else { return plane * self.secant(0.0) };
        let share = (direction.dot(expected) / self.limit).clamp(-1.0, 1.0);
        let z = match share > FULL && y > FULL * e {
            true => y.min(e),
            false => share.signum() * e * (1.0 - (1.0 - share.abs()).sqrt()),
        };
        let share = if z == y.min(e) { self.secant(y) * y / self.limit } else { share };
        let along = match y < e && z >= 0.0 {
            true => self.limit * (2.0 - (y + z) / e) / e,
            false => (self.secant(y) * y - self.limit * share) / (y - z).max(1e-12 * e),
        };
        let secant = self.secant(y);
        plane * secant + direction * direction.transpose() * (along - secant)
    }

    /// Displacement from the anchor after the step is accepted: tangential, at most ε long. The
    /// anchor is moved so that this holds.
    pub fn dragged(&self, from_anchor: &Vec3) -> Vec3 {
        let slip = self.slip(from_anchor);
        let y = slip.norm();
        if y > self.epsilon { slip * (self.epsilon / y) } else { slip }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn derivatives_agree_with_differences() {
        let mut random = Random::new(71);
        for scale in [1e-7, 5e-6, 9e-6, 1e-4] {
            let friction = AnchoredFriction { normal: random.unit_vector(), limit: 3.0, epsilon: 1e-5 };
            let d = random.unit_vector() * scale;
            let g = friction.gradient(&d);
            let hessian = friction.chord(&d, &g);
            let h = 1e-4 * scale;
            for k in 0..3 {
                let e = Vec3::ith(k, h);
                let slope = (friction.energy(&(d + e)) - friction.energy(&(d - e))) / (2.0 * h);
                assert!((slope - g[k]).abs() < 1e-6 * 3.0, "{slope} {g}");
                let column = (friction.gradient(&(d + e)) - friction.gradient(&(d - e))) / (2.0 * h);
                assert!((column - hessian.column(k)).norm() < 1e-5 * (hessian.norm() + 1.0));
            }
            assert!(hessian.symmetric_eigenvalues().min() > -1e-10 * hessian.norm());
        }
    }

    #[test]
    fn a_resting_contact_does_not_creep() {
        // A point of mass 1 held by friction against a pull below the limit, implicit steps by
        // damped Newton: with a kept anchor the position settles at the elastic slip; it is the
        // same after 10 and after 1000 steps.
        let friction = AnchoredFriction { normal: Vec3::z(), limit: 1.0, epsilon: 1e-5 };
        let pull = Vec3::new(0.9, 0.0, 0.0);
        let h = 0.01;
        let (mut x, mut v, mut from_anchor) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        let mut at_ten = x;
        for step in 0..1000 {
            let target = x + v * h;
            let start = x;
            for _ in 0..60 {
                let gradient = (x - target) / (h * h) - pull + friction.gradient(&(from_anchor + x - start));
                let at = from_anchor + x - start;
                let hessian = Mat3::identity() / (h * h) + friction.chord(&at, &friction.gradient(&at));
                x -= hessian.try_inverse().unwrap() * gradient;
            }
            from_anchor = friction.dragged(&(from_anchor + x - start));
            v = (x - start) / h;
            if step == 10 {
                at_ten = x;
            }
        }
        assert!((x - at_ten).norm() < 1e-9, "crept by {} m", (x - at_ten).norm());
        // 2y/ε − y²/ε² = 0.9.
        let expected = 1e-5 * (1.0 - 0.1f64.sqrt());
        assert!((x.x - expected).abs() < 1e-8, "{} {expected}", x.x);
    }

    #[test]
    fn a_chord_to_nothing_lies_above_the_energy_and_touches_it() {
        let mut random = Random::new(72);
        for scale in [1e-7, 5e-6, 9e-6, 1e-4] {
            let friction = AnchoredFriction { normal: random.unit_vector(), limit: 3.0, epsilon: 1e-5 };
            let d = random.unit_vector() * scale;
            let (energy, gradient) = (friction.energy(&d), friction.gradient(&d));
            let curvature = friction.chord(&d, &Vec3::zeros());
            for _ in 0..100 {
                let step = random.vector(-3e-5, 3e-5);
                let above = energy + gradient.dot(&step) + 0.5 * step.dot(&(curvature * step));
                assert!(friction.energy(&(d + step)) <= above * (1.0 + 1e-12) + 1e-18);
            }
        }
    }

    /// A point that slid by 200 ε before its limit was known comes back within few steps even where
    /// it hardly holds; by secants alone it would come nearer by 1 % each.
    #[test]
    fn what_slid_too_far_comes_back() {
        let friction = AnchoredFriction { normal: Vec3::z(), limit: 1.0, epsilon: 1e-5 };
        for (pull, mut x) in [(0.99, 2e-3), (0.99, -2e-3), (0.2, 2e-3)] {
            let mass = 1.0;
            let mut expected = Vec3::zeros();
            for _ in 0..8 {
                let at = Vec3::x() * x;
                let (gradient, curvature) = (friction.gradient(&at), friction.chord(&at, &expected));
                let step = (pull - mass * x - gradient.x) / (mass + curvature.m11);
                expected = gradient + curvature * Vec3::x() * step;
                x += step;
            }
            let left = pull - mass * x - friction.gradient(&(Vec3::x() * x)).x;
            assert!(x.abs() < 1e-5 && left.abs() < 1e-6, "{x} {left}");
        }
    }

    #[test]
    fn dragging_bounds_the_slip_and_keeps_the_force_direction() {
        let friction = AnchoredFriction { normal: Vec3::z(), limit: 1.0, epsilon: 1e-5 };
        let far = Vec3::new(3e-4, 4e-4, 0.2);
        let kept = friction.dragged(&far);
        assert!((kept.norm() - 1e-5).abs() < 1e-18 && kept.z == 0.0);
        assert!((friction.gradient(&kept) - friction.gradient(&far)).norm() < 1e-9);
    }
}
