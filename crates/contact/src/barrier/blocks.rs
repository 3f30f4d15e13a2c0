//! Gradient and Hessian blocks of a barrier contact with a frozen normal.
//!
//! `∂g/∂x_i = c_i n`, second derivatives of the gap dropped: gradient `κ b' c_i n`, Hessian
//! `κ b'' c_i c_j n nᵀ`, which is of rank one and positive semi-definite.

use stiction_numerics::{Mat3, Vec3};

use super::shape::Barrier;

/// Energy and derivatives of one contact, stiffness included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierTerms {
    /// Energy \[J\].
    pub energy: f64,
    /// Normal force `−κ b'` ≥ 0 \[N\].
    pub force: f64,
    /// `κ b''` ≥ 0 \[N/m\].
    pub curvature: f64,
    /// Unit normal.
    pub normal: Vec3,
}

impl BarrierTerms {
    /// Evaluates a barrier; `None` when the gap is not below the activation gap.
    pub fn new(
        barrier: &Barrier,
        gap: f64,
        activation_gap: f64,
        stiffness: f64,
        normal: Vec3,
    ) -> Option<Self> {
        (gap < activation_gap).then(|| {
            let at = barrier.at(gap, activation_gap);
            Self {
                energy: stiffness * at.value,
                force: -stiffness * at.slope,
                curvature: stiffness * at.curvature,
                normal,
            }
        })
    }

    /// Adds the part of the curvature that comes from `κ = m/g² + …` growing as the gap closes,
    /// `2 m/g³ |b'|`, at most `cap` times the barrier's own. With κ frozen alone, iterations swing
    /// about their fixed point once `g < ĝ/2`; the whole of it would shrink directions without
    /// bound as g → 0.
    ///
    /// `inertial` m/g² \[N/m\], as it stands in the stiffness · `gap` g \[m\] · `slope` b' for unit
    /// stiffness \[m\]
    pub fn stiffen(&mut self, inertial: f64, gap: f64, slope: f64, cap: f64) {
        let growth = 2.0 * inertial / gap * slope.abs();
        self.curvature += growth.min(cap * self.curvature);
    }

    /// Gradient block of a vertex with coefficient `c_i` \[N\].
    #[inline]
    pub fn gradient(&self, coefficient: f64) -> Vec3 {
        self.normal * (-self.force * coefficient)
    }

    /// Hessian block of two vertices with coefficients `c_i`, `c_j` \[N/m\].
    #[inline]
    pub fn hessian(&self, first: f64, second: f64) -> Mat3 {
        self.normal * (self.normal * (self.curvature * first * second)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn blocks_are_the_derivatives_along_the_frozen_normal() {
        let mut random = Random::new(51);
        let n = random.unit_vector();
        let c = [1.0, -0.2, -0.5, -0.3];
        let x: [Vec3; 4] = std::array::from_fn(|_| random.vector(-1e-4, 1e-4));
        let terms = |x: &[Vec3; 4]| {
            let gap = 5e-4 + (0..4).map(|i| c[i] * n.dot(&x[i])).sum::<f64>();
            BarrierTerms::new(&Barrier::Cubic, gap, 1e-3, 1e5, n).unwrap()
        };
        let at = terms(&x);
        let h = 1e-8;
        for i in 0..4 {
            for k in 0..3 {
                let moved = |sign: f64| {
                    let mut y = x;
                    y[i][k] += sign * h;
                    terms(&y)
                };
                let (low, high) = (moved(-1.0), moved(1.0));
                let slope = (high.energy - low.energy) / (2.0 * h);
                assert!((slope - at.gradient(c[i])[k]).abs() < 1e-6 * at.force);
                for j in 0..4 {
                    let column = (high.gradient(c[j]) - low.gradient(c[j])) / (2.0 * h);
                    assert!((column - at.hessian(c[j], c[i]).column(k)).norm() < 1e-6 * at.curvature);
                }
            }
        }
        assert!(BarrierTerms::new(&Barrier::Cubic, 1e-3, 1e-3, 1.0, n).is_none());
    }

    /// Uncapped, the curvature is the slope of the force with its moving stiffness.
    #[test]
    fn stiffening_is_the_derivative_of_the_moving_stiffness() {
        let (mass, elastic, activation) = (2e-4, 30.0, 1e-3);
        let terms = |gap: f64| {
            let stiffness = mass / (gap * gap) + elastic;
            BarrierTerms::new(&Barrier::Cubic, gap, activation, stiffness, Vec3::z()).unwrap()
        };
        for gap in [2e-4, 5e-4, 9e-4] {
            let mut at = terms(gap);
            let slope = Barrier::Cubic.at(gap, activation).slope;
            let (plain, h) = (at.curvature, 1e-9);
            at.stiffen(mass / (gap * gap), gap, slope, f64::INFINITY);
            let expected = (terms(gap - h).force - terms(gap + h).force) / (2.0 * h);
            assert!((at.curvature / expected - 1.0).abs() < 1e-6, "{} {expected}", at.curvature);
            let mut capped = terms(gap);
            capped.stiffen(mass / (gap * gap), gap, slope, 0.25);
            assert!(capped.curvature <= 1.25 * plain + 1e-9);
        }
    }
}
