//! The law of one contact point: press, stick, slide or open.
//!
//! With the gap C at the end of the step, the tangential displacement t since the point was free of
//! tangential force, and the shift δ of a round,
//!
//! y_N = −k C + δ,  y_T = −k_t t,  r = |y_T|,  μ̂ = μ k/k_t,  μ̃² = μ² k/k_t
//!
//! * stick, r ≤ μ y_N: γ = y, Hessian k n nᵀ + k_t (1 − n nᵀ)
//! * open, y_N ≤ −μ̂ r: γ = 0
//! * slide: γ_N = (y_N + μ̂ r)/(1 + μ̃²), γ_T = μ γ_N y_T/r,
//!   Hessian k/(1 + μ̃²) (n − μ t̂)(n − μ t̂)ᵀ + (μ γ_N/|t|) b bᵀ, b = n × t̂
//!
//! γ is the projection of y on the Coulomb cone in the metric of the stiffnesses: the gradient of a
//! convex potential for a fixed δ. Without a shift sliding would press the bodies apart by μ|t|; with
//!
//! δ = μ̃² f − μ k |t|, f = max(0, −k C), where the point slides, and 0 elsewhere
//!
//! the fixed point of the rounds has γ_N = −k C: Coulomb's law exactly.

use stiction_numerics::{Mat3, Vec3};

/// Stiffnesses and friction of a contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Unit normal from the second body to the first.
    pub normal: Vec3,
    /// k \[N/m\].
    pub stiffness: f64,
    /// k_t \[N/m\].
    pub stick: f64,
    /// μ.
    pub friction: f64,
}

/// What a contact point does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// No force.
    Open,
    /// Inside the cone.
    Stick,
    /// On the cone.
    Slide,
}

/// Where a contact point is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    /// C \[m\].
    pub gap: f64,
    /// t \[m\], orthogonal to the normal.
    pub slip: Vec3,
}

impl ContactLaw {
    /// Which part of the law holds, with y_N and r.
    fn regime(&self, at: &Displacement, shift: f64) -> (Regime, f64, f64) {
        let press = -self.stiffness * at.gap + shift;
        let hold = self.stick * at.slip.norm();
        let spread = self.friction * self.stiffness / self.stick;
        let regime = match () {
            _ if self.friction > 0.0 && hold <= self.friction * press => Regime::Stick,
            _ if press <= -spread * hold => Regime::Open,
            _ => Regime::Slide,
        };
        (regime, press, hold)
    }

    /// γ: force on the first body \[N\].
    pub fn force(&self, at: &Displacement, shift: f64) -> Vec3 {
        let (regime, press, hold) = self.regime(at, shift);
        match regime {
            Regime::Open => Vec3::zeros(),
            Regime::Stick => self.normal * press - at.slip * self.stick,
            Regime::Slide => {
                (self.normal - self.slip_direction(at) * self.friction) * self.slide(press, hold)
            }
        }
    }

    /// γ_N where the point slides.
    fn slide(&self, press: f64, hold: f64) -> f64 {
        let ratio = self.friction * self.stiffness / self.stick;
        (press + ratio * hold) / (1.0 + ratio * self.friction)
    }

    fn slip_direction(&self, at: &Displacement) -> Vec3 {
        at.slip.try_normalize(0.0).unwrap_or(Vec3::zeros())
    }

    /// −∂γ/∂(displacement) \[N/m\]; symmetric and not negative.
    pub fn hessian(&self, at: &Displacement, shift: f64) -> Mat3 {
        let (regime, press, hold) = self.regime(at, shift);
        match regime {
            Regime::Open => Mat3::zeros(),
            Regime::Stick => self.sticking(),
            Regime::Slide => {
                let (n, t) = (self.normal, self.slip_direction(at));
                let along = n - t * self.friction;
                let ratio = self.friction * self.friction * self.stiffness / self.stick;
                let outer = along * along.transpose() * (self.stiffness / (1.0 + ratio));
                let length = at.slip.norm();
                if self.friction == 0.0 || length == 0.0 {
                    return outer;
                }
                let across = n.cross(&t);
                outer + across * across.transpose() * (self.friction * self.slide(press, hold) / length)
            }
        }
    }

    /// The Hessian of a point that presses and sticks.
    pub fn sticking(&self) -> Mat3 {
        let outer = self.normal * self.normal.transpose();
        match self.friction > 0.0 {
            true => outer * (self.stiffness - self.stick) + Mat3::identity() * self.stick,
            false => outer * self.stiffness,
        }
    }

    /// The shift of the next round.
    pub fn next_shift(&self, at: &Displacement) -> f64 {
        let press = (-self.stiffness * at.gap).max(0.0);
        let length = at.slip.norm();
        match self.stick * length <= self.friction * press {
            true => 0.0,
            false => {
                let ratio = self.friction * self.friction * self.stiffness / self.stick;
                ratio * press - self.friction * self.stiffness * length
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    fn random_point(random: &mut Random) -> (ContactLaw, Displacement, f64) {
        let normal = random.vector(-1.0, 1.0).normalize();
        let stiffness = random.range(0.5, 2.0);
        let law = ContactLaw {
            normal,
            stiffness,
            stick: stiffness * random.range(0.5, 3.0),
            friction: random.range(0.1, 1.5),
        };
        let any = random.vector(-1.0, 1.0);
        let slip = any - normal * normal.dot(&any);
        (law, Displacement { gap: random.range(-1.0, 0.5), slip }, random.range(-0.3, 0.3))
    }

    fn moved(law: &ContactLaw, at: &Displacement, by: &Vec3) -> Displacement {
        let along = law.normal.dot(by);
        Displacement { gap: at.gap + along, slip: at.slip + by - law.normal * along }
    }

    #[test]
    fn the_hessian_is_the_derivative_of_the_force() {
        let mut random = Random::new(1);
        let mut seen = [0; 3];
        for _ in 0..3000 {
            let (law, at, shift) = random_point(&mut random);
            let (regime, ..) = law.regime(&at, shift);
            let step = 1e-6;
            let by = random.vector(-1.0, 1.0);
            let [ahead, behind] = [step, -step].map(|s| moved(&law, &at, &(by * s)));
            if law.regime(&ahead, shift).0 != regime || law.regime(&behind, shift).0 != regime {
                continue;
            }
            seen[regime as usize] += 1;
            let difference = (law.force(&behind, shift) - law.force(&ahead, shift)) / (2.0 * step);
            let product = law.hessian(&at, shift) * by;
            assert!((difference - product).norm() < 1e-6 * (1.0 + product.norm()), "{regime:?}");
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    #[test]
    fn the_force_is_in_the_cone_and_continuous() {
        let mut random = Random::new(2);
        for _ in 0..3000 {
            let (law, at, shift) = random_point(&mut random);
            let force = law.force(&at, shift);
            let along = law.normal.dot(&force);
            let across = (force - law.normal * along).norm();
            assert!(along >= 0.0 && across <= law.friction * along * (1.0 + 1e-12) + 1e-15);
            let near = moved(&law, &at, &(random.vector(-1.0, 1.0) * 1e-9));
            assert!((law.force(&near, shift) - force).norm() < 1e-7);
        }
    }

    /// The rounds end at Coulomb's law: the normal force is −k C, friction μ times that.
    #[test]
    fn shifts_converge_to_coulombs_law() {
        let law = ContactLaw { normal: Vec3::z(), stiffness: 1e4, stick: 2e4, friction: 0.5 };
        // A point under a load that slides by a given length: C solves γ_N(C) = load.
        let (load, slip) = (10.0, Vec3::x() * 0.01);
        let mut shift = 0.0;
        for _ in 0..60 {
            let (mut low, mut high) = (-1.0, 1.0);
            for _ in 0..80 {
                let gap = 0.5 * (low + high);
                let pressed = law.force(&Displacement { gap, slip }, shift).z > load;
                if pressed { low = gap } else { high = gap }
            }
            let at = Displacement { gap: low, slip };
            shift = law.next_shift(&at);
            let force = law.force(&at, shift);
            if (force.z - load).abs() < 1e-9 * load {
                assert!((-law.stiffness * at.gap / load - 1.0).abs() < 1e-6);
                assert!((force.x + law.friction * load).abs() < 1e-6 * load);
                return;
            }
        }
        panic!("the rounds do not converge");
    }

    #[test]
    fn without_friction_nothing_holds_along_the_surface() {
        let law = ContactLaw { normal: Vec3::z(), stiffness: 1.0, stick: 2.0, friction: 0.0 };
        for slip in [Vec3::zeros(), Vec3::x()] {
            let at = Displacement { gap: -0.5, slip };
            assert_eq!(law.force(&at, 0.0), Vec3::z() * 0.5);
            assert_eq!(law.hessian(&at, 0.0), Vec3::z() * Vec3::z().transpose());
            assert_eq!(law.next_shift(&at), 0.0);
        }
    }
}
