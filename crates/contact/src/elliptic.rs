//! Anisotropic friction: the elliptic cone of two structured surfaces ("matchsticks").
//!
//! Each surface carries a unit direction field. At a contact the two directions `s1`, `s2` give the
//! axes
//! `t = (s1 + s2)/|s1 + s2|`, `b = n × t` and, with `d = 1 − (2/π) acos|s1·s2|`,
//! `μ_t = d μ_1 + (1 − d) μ_iso`, `μ_b = d μ_2 + (1 − d) μ_iso`.  [Zhu2024, eq. 17]
//! A direction has no sign, so `s2` is flipped when `s1·s2 < 0`; else `t` would jump by 90° between
//! equal fields.

use std::f64::consts::FRAC_2_PI;

use stiction_numerics::Vec3;
pub use stiction_scene::resolved::EllipseRule as EllipticRule;

/// Friction values of a pair of structured surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matchstick {
    /// Coefficient when the directions cross at 90°.
    pub isotropic: f64,
    /// Coefficient along aligned directions.
    pub along: f64,
    /// Coefficient across aligned directions.
    pub across: f64,
    /// Law on the ellipse.
    pub rule: EllipticRule,
}

/// `{ r : (r_t/μ_t)² + (r_b/μ_b)² ≤ r_N² }` about a normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipticCone {
    /// First axis, unit, tangent to the contact.
    pub tangent: Vec3,
    /// Coefficient along the first axis.
    pub friction_tangent: f64,
    /// Coefficient along the second axis `n × t`.
    pub friction_binormal: f64,
    /// Law on the ellipse.
    pub rule: EllipticRule,
}

impl Matchstick {
    /// The cone at a contact; `None` when a direction vanishes in the tangent plane (friction is
    /// then isotropic).
    pub fn cone(&self, normal: &Vec3, first: &Vec3, second: &Vec3) -> Option<EllipticCone> {
        let in_plane = |s: &Vec3| (s - normal * s.dot(normal)).try_normalize(1e-9);
        let (s1, s2) = (in_plane(first)?, in_plane(second)?);
        let s2 = if s1.dot(&s2) < 0.0 { -s2 } else { s2 };
        let aligned = 1.0 - FRAC_2_PI * s1.dot(&s2).clamp(0.0, 1.0).acos();
        Some(EllipticCone {
            // |s1 + s2| ≥ √2 after the flip.
            tangent: (s1 + s2).normalize(),
            friction_tangent: aligned * self.along + (1.0 - aligned) * self.isotropic,
            friction_binormal: aligned * self.across + (1.0 - aligned) * self.isotropic,
            rule: self.rule,
        })
    }
}

impl EllipticCone {
    /// Exact solution `u` of the isotropic local problem under this cone; see
    /// [`crate::solve_isotropic`].
    pub fn solve(&self, free: Vec3, normal: &Vec3) -> Vec3 {
        let impulse_normal = -free.dot(normal);
        if impulse_normal <= 0.0 {
            return free;
        }
        let binormal = normal.cross(&self.tangent);
        // The impulse that would stick, and the half axes of the ellipse at this normal impulse.
        let wanted = [-free.dot(&self.tangent), -free.dot(&binormal)];
        let axes = [self.friction_tangent * impulse_normal, self.friction_binormal * impulse_normal];
        let kept = match self.rule {
            EllipticRule::Ray => truncate_along_ray(wanted, axes),
            EllipticRule::MaximumDissipation => nearest_on_ellipse(wanted, axes),
        };
        self.tangent * (kept[0] - wanted[0]) + binormal * (kept[1] - wanted[1])
    }
}

/// The last point of the segment from 0 to `wanted` inside the ellipse.
fn truncate_along_ray(wanted: [f64; 2], axes: [f64; 2]) -> [f64; 2] {
    let along = |k: usize| if wanted[k] == 0.0 { 0.0 } else { wanted[k] / axes[k] };
    let radius = along(0).hypot(along(1));
    if radius <= 1.0 {
        return wanted;
    }
    // An axis of zero length gives an infinite radius: nothing is kept.
    [wanted[0] / radius, wanted[1] / radius]
}

/// Orthogonal projection on the filled ellipse with half axes `a`: `r_k = a_k² w_k/(a_k² + λ)`,
/// with `λ ≥ 0` the root of the convex decreasing `Σ (a_k w_k/(a_k² + λ))² = 1`; Newton from
/// `λ = 0` rises to it without overshoot.
fn nearest_on_ellipse(wanted: [f64; 2], axes: [f64; 2]) -> [f64; 2] {
    let largest = axes[0].max(axes[1]);
    // Axes below round-off of the other one are segments: clamp along the long axis.
    for k in 0..2 {
        if axes[k] <= 1e-12 * largest {
            let mut kept = [0.0; 2];
            kept[1 - k] = wanted[1 - k].clamp(-axes[1 - k], axes[1 - k]);
            return kept;
        }
    }
    let (w, a) = (wanted.map(|w| w / largest), axes.map(|a| a / largest));
    let inside = (w[0] / a[0]).powi(2) + (w[1] / a[1]).powi(2);
    if inside <= 1.0 {
        return wanted;
    }
    let mut lambda = 0.0f64;
    for _ in 0..100 {
        let (mut value, mut slope) = (-1.0, 0.0);
        for k in 0..2 {
            let denominator = a[k] * a[k] + lambda;
            let term = (a[k] * w[k] / denominator).powi(2);
            value += term;
            slope -= 2.0 * term / denominator;
        }
        let step = -value / slope;
        lambda += step;
        if step <= 1e-15 * lambda {
            break;
        }
    }
    let part = |k: usize| largest * a[k] * a[k] * w[k] / (a[k] * a[k] + lambda);
    [part(0), part(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::solve_isotropic;
    use stiction_numerics::Random;

    fn cone(friction_tangent: f64, friction_binormal: f64, rule: EllipticRule) -> EllipticCone {
        EllipticCone { tangent: Vec3::x(), friction_tangent, friction_binormal, rule }
    }

    #[test]
    fn equal_axes_are_the_isotropic_law() {
        let mut random = Random::new(9);
        for rule in [EllipticRule::Ray, EllipticRule::MaximumDissipation] {
            for _ in 0..500 {
                let free = Vec3::new(random.normal(), random.normal(), random.normal());
                let expected = solve_isotropic(free, &Vec3::z(), 0.4).0;
                assert!((cone(0.4, 0.4, rule).solve(free, &Vec3::z()) - expected).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn maximum_dissipation_beats_every_other_point_of_the_ellipse() {
        let mut random = Random::new(11);
        for _ in 0..300 {
            let free = Vec3::new(random.normal(), random.normal(), -0.3);
            let law = cone(0.2, 0.9, EllipticRule::MaximumDissipation);
            let u = law.solve(free, &Vec3::z());
            let r = u - free;
            let power = |angle: f64| 0.3 * (0.2 * angle.cos() * u.x + 0.9 * angle.sin() * u.y);
            let best =
                (0..720).map(|k| power(f64::from(k) * 0.5f64.to_radians())).fold(f64::INFINITY, f64::min);
            assert!(r.x * u.x + r.y * u.y <= best + 1e-12 * (1.0 + free.norm()));
            assert!((r.x / 0.2).hypot(r.y / 0.9) <= 0.3 * (1.0 + 1e-12));
        }
    }

    #[test]
    fn ray_rule_keeps_the_direction() {
        let free = Vec3::new(-1.0, -2.0, -0.5);
        let r = cone(0.3, 0.6, EllipticRule::Ray).solve(free, &Vec3::z()) - free;
        assert!((r.y / r.x - 2.0).abs() < 1e-14);
        assert!(((r.x / 0.15).hypot(r.y / 0.3) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn matchstick_limits() {
        let law = Matchstick { isotropic: 0.5, along: 0.1, across: 0.9, rule: EllipticRule::Ray };
        let parallel = law.cone(&Vec3::z(), &Vec3::x(), &-Vec3::x()).unwrap();
        assert!(
            (parallel.friction_tangent - 0.1).abs() < 1e-12 && (parallel.tangent.x.abs() - 1.0).abs() < 1e-12
        );
        let crossed = law.cone(&Vec3::z(), &Vec3::x(), &Vec3::y()).unwrap();
        assert!((crossed.friction_tangent - 0.5).abs() < 1e-12);
        assert!((crossed.friction_binormal - 0.5).abs() < 1e-12);
        assert!(law.cone(&Vec3::z(), &Vec3::z(), &Vec3::y()).is_none());
    }

    #[test]
    fn flat_ellipses_stay_finite() {
        for rule in [EllipticRule::Ray, EllipticRule::MaximumDissipation] {
            for (t, b) in [(0.0, 0.0), (0.0, 0.7), (0.7, 0.0), (1e-200, 0.7)] {
                let u = cone(t, b, rule).solve(Vec3::new(0.3, 0.4, -1.0), &Vec3::z());
                assert!(u.iter().all(|c| c.is_finite()) && u.z == 0.0, "{rule:?} {t} {b}: {u}");
            }
        }
    }
}
