//! Lagged quadratic friction.  [Ando2024, eq. 10, 11]
//!
//! `E = ½ κ_f |P d|²`, `κ_f = μ f/max(ε, |P d|)` frozen, `d = Σ c_i (x_i − x_i^prev)` the relative
//! displacement over the step,
//! `P = I − n nᵀ`, `f` the barrier's normal force. At the frozen point the force is `μ f` once
//! `|P d| ≥ ε`, and less
//! before: a body that should rest creeps by about ε per step.

use stiction_numerics::{Mat3, Vec3};

/// Which Hessian is used once the contact slides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlidingHessian {
    /// `κ_f P`: the quadratic energy's own.
    #[default]
    Plane,
    /// `κ_f t tᵀ`, `t = n × û`: the true one of a force of constant size, without stiffness along
    /// the slip.
    Transverse,
}

/// Friction of one contact, all frozen values resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaggedFriction {
    normal: Vec3,
    /// κ_f \[N/m\].
    stiffness: f64,
    /// κ_f in the Hessian, cap applied \[N/m\].
    hessian: Mat3,
}

impl LaggedFriction {
    /// Freezes the stiffness at a displacement.
    ///
    /// displacement d \[m\] · `limit` μ f \[N\] · `epsilon` ε \[m\] · `cap` largest stiffness in
    /// the Hessian \[N/m\], the
    /// barrier's own curvature in the paper; the force is never capped
    pub fn new(
        normal: Vec3,
        displacement: &Vec3,
        limit: f64,
        epsilon: f64,
        cap: Option<f64>,
        sliding: SlidingHessian,
    ) -> Self {
        let slip = displacement - normal * normal.dot(displacement);
        let length = slip.norm();
        let stiffness = limit / length.max(epsilon);
        let capped = cap.map_or(stiffness, |cap| stiffness.min(cap));
        let hessian = if sliding == SlidingHessian::Transverse && length > epsilon {
            let t = normal.cross(&slip) / length;
            t * t.transpose() * capped
        } else {
            (Mat3::identity() - normal * normal.transpose()) * capped
        };
        Self { normal, stiffness, hessian }
    }

    /// Energy with the frozen stiffness \[J\].
    pub fn energy(&self, displacement: &Vec3) -> f64 {
        0.5 * self.stiffness * (displacement - self.normal * self.normal.dot(displacement)).norm_squared()
    }

    /// Gradient with respect to the relative displacement \[N\]; a vertex takes `c_i` times this.
    pub fn gradient(&self, displacement: &Vec3) -> Vec3 {
        (displacement - self.normal * self.normal.dot(displacement)) * self.stiffness
    }

    /// Hessian with respect to the relative displacement \[N/m\]; a pair of vertices takes
    /// `c_i c_j` times this.
    pub fn hessian(&self) -> Mat3 {
        self.hessian
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn force_and_derivatives() {
        let mut random = Random::new(61);
        for _ in 0..100 {
            let (n, d) = (random.unit_vector(), random.vector(-1e-3, 1e-3));
            let friction = LaggedFriction::new(n, &d, 0.7, 1e-5, None, SlidingHessian::Plane);
            let g = friction.gradient(&d);
            assert!((g.norm() - 0.7).abs() < 1e-12 && g.dot(&n).abs() < 1e-12);
            for k in 0..3 {
                let e = Vec3::ith(k, 1e-6);
                let slope = (friction.energy(&(d + e)) - friction.energy(&(d - e))) / 2e-6;
                assert!((slope - g[k]).abs() < 1e-9);
                let column = (friction.gradient(&(d + e)) - friction.gradient(&(d - e))) / 2e-6;
                assert!((column - friction.hessian().column(k)).norm() < 1e-6 * friction.hessian().norm());
            }
        }
    }

    #[test]
    fn cap_and_transverse_change_the_hessian_only() {
        let (n, d) = (Vec3::z(), Vec3::new(1e-3, 0.0, 0.0));
        let plain = LaggedFriction::new(n, &d, 1.0, 1e-5, None, SlidingHessian::Plane);
        let other = LaggedFriction::new(n, &d, 1.0, 1e-5, Some(10.0), SlidingHessian::Transverse);
        assert_eq!(plain.gradient(&d), other.gradient(&d));
        assert_eq!(other.hessian(), Mat3::from_diagonal(&Vec3::new(0.0, 10.0, 0.0)));
        let rest = LaggedFriction::new(n, &Vec3::zeros(), 1.0, 1e-5, None, SlidingHessian::Transverse);
        assert_eq!(rest.gradient(&Vec3::zeros()), Vec3::zeros());
        assert!((rest.hessian().m11 / 1e5 - 1.0).abs() < 1e-12);
    }
}
