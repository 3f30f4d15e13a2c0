//! The Coulomb cone and the exact isotropic Signorini–Coulomb solve.
//!
//! `K_μ = { r : |r_T| ≤ μ r_N }`, with `r_N = r·n` and `r_T = r − r_N n`. A pair `(u, r)` obeys the
//! law when
//! `0 ≤ u_N ⟂ r_N ≥ 0`, `r ∈ K_μ`, and `r_T = −μ r_N u_T/|u_T|` while sliding. [Daviet2020, eq. 1,
//! 2]

use stiction_numerics::Vec3;

/// Which of the three cases of the law holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coulomb {
    /// Separating: no impulse.
    TakeOff,
    /// Sticking: no relative velocity.
    Stick,
    /// Sliding: impulse on the cone, against the slip.
    Slide,
}

/// Exact solution `u` of `(u, u − u*) ∈ C_μ`: the local problem when the contact's own block is a
/// multiple of the identity; enumerates take-off, stick and slide. [Daviet2020, section 5.2.2,
/// appendix B]
///
/// u* velocity without this contact's impulse \[m/s\] · n unit normal · μ friction coefficient,
/// finite, ≥ 0
#[inline(always)]
pub fn solve_isotropic(free: Vec3, normal: &Vec3, friction: f64) -> (Vec3, Coulomb) {
    let free_normal = free.dot(normal);
    if free_normal >= 0.0 {
        return (free, Coulomb::TakeOff);
    }
    let tangential = free - normal * free_normal;
    let slip = tangential.norm();
    let bound = -friction * free_normal;
    if slip <= bound {
        return (Vec3::zeros(), Coulomb::Stick);
    }
    (tangential * (1.0 - bound / slip), Coulomb::Slide)
}

/// The velocity of [`solve_isotropic`] without branches: what the sweep calls, where the case is
/// hard to predict.
///
/// `u = c (u* − u*_N n) + max(u*_N, 0) n`, with `c = 1` when separating and
/// `max(0, 1 + μ u*_N/|u*_T|)` otherwise. A slip of
/// zero makes the quotient −∞ or NaN; `max` turns both into 0.
#[inline(always)]
pub fn isotropic_velocity(free: Vec3, normal: &Vec3, friction: f64) -> Vec3 {
    let free_normal = free.dot(normal);
    let tangential = free - normal * free_normal;
    let slip = tangential.norm();
    let braked = (1.0 + friction * free_normal / slip).max(0.0);
    let kept = if free_normal >= 0.0 { 1.0 } else { braked };
    tangential * kept + normal * free_normal.max(0.0)
}

/// Orthogonal projection onto `K_μ`.
///
/// Inside: itself; in the polar cone (`μ|z_T| ≤ −z_N`): zero; else
/// `z_N' = (z_N + μ|z_T|)/(1 + μ²)`, `|z_T'| = μ z_N'`.
#[inline]
pub fn project_on_cone(z: Vec3, normal: &Vec3, friction: f64) -> Vec3 {
    let z_n = z.dot(normal);
    let tangential = z - normal * z_n;
    let z_t = tangential.norm();
    if z_t <= friction * z_n {
        return z;
    }
    if friction * z_t <= -z_n {
        return Vec3::zeros();
    }
    // (z_N + μ z_T)/(1 + μ²), with numerator and denominator divided by μ² when μ is large: no
    // overflow.
    let onto = if friction > 1.0 {
        let inverse = 1.0 / friction;
        (z_n * inverse + z_t) * inverse / (1.0 + inverse * inverse)
    } else {
        (z_n + friction * z_t) / (1.0 + friction * friction)
    };
    if z_t == 0.0 {
        return normal * onto.max(0.0);
    }
    normal * onto + tangential * (friction * onto / z_t)
}

/// Natural-map residual `|r − P_K(r − u − μ|u_T| n)|`: zero exactly when `(u, r)` obeys
/// Signorini–Coulomb.
///
/// `u` and `r` must be in the same units; the sweep gives the scaled impulse `r̄ = s r` \[m/s\].
#[inline]
pub fn natural_map(velocity: &Vec3, impulse: &Vec3, normal: &Vec3, friction: f64) -> f64 {
    let slip = (velocity - normal * velocity.dot(normal)).norm();
    (impulse - project_on_cone(impulse - velocity - normal * (friction * slip), normal, friction)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    fn unit(random: &mut Random) -> Vec3 {
        Vec3::new(random.normal(), random.normal(), random.normal()).normalize()
    }

    #[test]
    fn local_solution_obeys_the_law_in_every_case() {
        let mut random = Random::new(3);
        let mut seen = [0; 3];
        for _ in 0..3000 {
            let n = unit(&mut random);
            let friction = [0.0, 0.3, 1.0, 5.0, 1e8][(random.uniform() * 5.0) as usize];
            let free = unit(&mut random);
            let (u, case) = solve_isotropic(free, &n, friction);
            seen[case as usize] += 1;
            assert!((isotropic_velocity(free, &n, friction) - u).norm() < 1e-15);
            assert!(natural_map(&u, &(u - free), &n, friction) < 1e-14 * (1.0 + friction));
        }
        assert!(seen.iter().all(|&count| count > 100), "cases seen: {seen:?}");
    }

    #[test]
    fn wrong_pairs_are_noticed() {
        let n = Vec3::z();
        assert!(natural_map(&Vec3::new(0.0, 0.0, -1.0), &Vec3::zeros(), &n, 0.5) > 0.1);
        assert!(natural_map(&Vec3::new(1.0, 0.0, 0.0), &Vec3::new(0.5, 0.0, 1.0), &n, 0.5) > 0.1);
        assert!(natural_map(&Vec3::z(), &Vec3::z(), &n, 0.5) > 0.1);
    }

    #[test]
    fn projection_is_the_nearest_point_of_the_cone() {
        // Moreau: z = P_K z + P_K° z with orthogonal parts, the second in the polar cone.
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let n = unit(&mut random);
            let friction = [0.0, 0.2, 1.0, 40.0][(random.uniform() * 4.0) as usize];
            let z = unit(&mut random);
            let p = project_on_cone(z, &n, friction);
            let rest = z - p;
            let (p_n, rest_n) = (p.dot(&n), rest.dot(&n));
            assert!((p - n * p_n).norm() <= friction * p_n + 1e-12);
            assert!(friction * (rest - n * rest_n).norm() <= -rest_n + 1e-12 * (1.0 + friction));
            assert!(p.dot(&rest).abs() < 1e-13);
        }
    }

    #[test]
    fn zero_and_huge_inputs_stay_finite() {
        let n = Vec3::x();
        for free in [Vec3::zeros(), Vec3::new(-1e-300, 0.0, 0.0), Vec3::new(-1e150, 1e150, 0.0)] {
            for friction in [0.0, 1.0, 1e150] {
                assert!(solve_isotropic(free, &n, friction).0.iter().all(|c| c.is_finite()));
                assert!(isotropic_velocity(free, &n, friction).iter().all(|c| c.is_finite()));
                assert!(project_on_cone(free, &n, friction).iter().all(|c| c.is_finite()));
            }
        }
    }
}
