//! Smooth friction about an anchor that lives as long as its contact.
//!
//! The slip `d = P (X − a)` is measured from an anchor `a` (a material point of the other body), not from the last step.
//! Energy `E = μ f φ(|d|)`, with `φ' = 2y/ε − y²/ε²` for `y < ε` and 1 beyond: once differentiable in the force, the full
//! force is reached at `|d| = ε`. After a step the anchor is dragged so that `|d| ≤ ε` (a return map, as in
//! plasticity). A resting contact keeps its elastic slip, so its friction holds without any creep; an anchor that
//! moves along every step would lose it and creep by about ε per step.

use stiction_numerics::{Mat3, Vec3};

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

    /// Hessian with respect to the displacement \[N/m\], positive semi-definite; a pair takes `c_i c_j` times this.
    #[inline]
    pub fn hessian(&self, from_anchor: &Vec3) -> Mat3 {
        let slip = self.slip(from_anchor);
        let y = slip.norm();
        let plane = Mat3::identity() - self.normal * self.normal.transpose();
        let e = self.epsilon;
        let Some(direction) = slip.try_normalize(1e-12 * e) else { return plane * self.secant(0.0) };
        let along = if y < e { self.limit * 2.0 * (1.0 - y / e) / e } else { 0.0 };
        let secant = self.secant(y);
        plane * secant + direction * direction.transpose() * (along - secant)
    }

    /// The quadratic above the energy that touches it at this displacement: curvature `μ f φ'(y)/y` on the whole tangent plane
    /// \[N/m\]. φ is concave in y², so every step to its minimum lowers the energy; the Hessian, which is zero along the slip beyond ε, sends
    /// Newton's method back and forth across the anchor there.
    #[inline]
    pub fn majoriser(&self, from_anchor: &Vec3) -> Mat3 {
        let plane = Mat3::identity() - self.normal * self.normal.transpose();
        plane * self.secant(self.slip(from_anchor).norm())
    }

    /// Displacement from the anchor after the step is accepted: tangential, at most ε long. The anchor is moved so that
    /// this holds.
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
            let (g, hessian) = (friction.gradient(&d), friction.hessian(&d));
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
        // A point of mass 1 held by friction against a pull below the limit, implicit steps by damped Newton: with a kept
        // anchor the position settles at the elastic slip; it is the same after 10 and after 1000 steps.
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
                let hessian = Mat3::identity() / (h * h) + friction.hessian(&(from_anchor + x - start));
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
    fn the_majoriser_lies_above_the_energy_and_touches_it() {
        let mut random = Random::new(72);
        for scale in [1e-7, 5e-6, 9e-6, 1e-4] {
            let friction = AnchoredFriction { normal: random.unit_vector(), limit: 3.0, epsilon: 1e-5 };
            let d = random.unit_vector() * scale;
            let (energy, gradient, curvature) =
                (friction.energy(&d), friction.gradient(&d), friction.majoriser(&d));
            for _ in 0..100 {
                let step = random.vector(-3e-5, 3e-5);
                let above = energy + gradient.dot(&step) + 0.5 * step.dot(&(curvature * step));
                assert!(friction.energy(&(d + step)) <= above * (1.0 + 1e-12) + 1e-18);
            }
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
