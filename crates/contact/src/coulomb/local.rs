//! The exact one-contact problem with a full 3×3 block.
//!
//! `u = W r + q`, `(u, r) ∈ C_μ`, order (n, t1, t2). Three cases, as in the isotropic solve, but
//! sliding needs a root:
//! with `d = (cos θ, sin θ)` the direction of friction, `u_N = 0` gives `r_N = −q_N/A`,
//! `A = W_NN + μ W_NT·d`, and
//! `r_T = μ r_N d` opposes `u_T` when
//!
//! ```text
//! f(θ) = d × (A q_T − q_N (W_TN + μ W_TT d)) = 0,   A > 0,   u_T·d ≤ 0.
//! ```
//!
//! `f` is a trigonometric polynomial of degree two, so it has at most four roots [after Bonnefon
//! and Daviet 2011]. Newton from the last direction finds the right one almost always; else all are
//! bracketed on a fine circle.

use stiction_numerics::{Mat2, Mat3, Vec2, Vec3};

use crate::cone::{natural_map, project_on_cone};

/// Impulse of one contact; `warm` (the last impulse) guides the search and is never trusted.
pub fn solve_local(w: &Mat3, q: &Vec3, friction: f64, warm: &Vec3) -> Vec3 {
    if q.x >= 0.0 {
        return Vec3::zeros();
    }
    let stick = stick(w, q);
    if let Some(r) = stick
        && r.x >= 0.0
        && r.y.hypot(r.z) <= friction * r.x
    {
        return r;
    }
    let sliding = Sliding::new(w, q, friction);
    if friction == 0.0 {
        return if w.m11 > 0.0 { Vec3::new(-q.x / w.m11, 0.0, 0.0) } else { Vec3::zeros() };
    }
    let guess = [Vec2::new(warm.y, warm.z), stick.map_or(Vec2::zeros(), |r| Vec2::new(r.y, r.z))]
        .into_iter()
        .find(|d| d.norm_squared() > 0.0)
        .unwrap_or_else(|| -Vec2::new(q.y, q.z));
    if let Some(r) = sliding.newton(guess.y.atan2(guess.x)) {
        return r;
    }
    sliding.enumerate(warm).unwrap_or_else(|| descend(w, q, friction, warm))
}

/// `−W⁻¹ q`.
fn stick(w: &Mat3, q: &Vec3) -> Option<Vec3> {
    w.try_inverse().map(|inverse| -(inverse * q)).filter(|r| r.iter().all(|c| c.is_finite()))
}

/// The sliding case as a function of the friction direction.
struct Sliding<'a> {
    w: &'a Mat3,
    q: &'a Vec3,
    friction: f64,
    w_nt: Vec2,
    w_tn: Vec2,
    w_tt: Mat2,
    q_t: Vec2,
}

fn cross(a: &Vec2, b: &Vec2) -> f64 {
    a.x * b.y - a.y * b.x
}

impl<'a> Sliding<'a> {
    fn new(w: &'a Mat3, q: &'a Vec3, friction: f64) -> Self {
        Self {
            w,
            q,
            friction,
            w_nt: Vec2::new(w.m12, w.m13),
            w_tn: Vec2::new(w.m21, w.m31),
            w_tt: Mat2::new(w.m22, w.m23, w.m32, w.m33),
            q_t: Vec2::new(q.y, q.z),
        }
    }

    /// `f` and its derivative.
    fn root_function(&self, angle: f64) -> (f64, f64) {
        let (sin, cos) = angle.sin_cos();
        let (d, turned) = (Vec2::new(cos, sin), Vec2::new(-sin, cos));
        let a = self.w.m11 + self.friction * self.w_nt.dot(&d);
        let g = self.q_t * a - (self.w_tn + self.w_tt * d * self.friction) * self.q.x;
        let dg = (self.q_t * self.w_nt.dot(&turned) - self.w_tt * turned * self.q.x) * self.friction;
        (cross(&d, &g), cross(&turned, &g) + cross(&d, &dg))
    }

    /// The impulse of a direction, if it is a solution.
    fn accept(&self, angle: f64) -> Option<Vec3> {
        let (sin, cos) = angle.sin_cos();
        let d = Vec2::new(cos, sin);
        let a = self.w.m11 + self.friction * self.w_nt.dot(&d);
        if a <= 0.0 {
            return None;
        }
        let normal = -self.q.x / a;
        let slip = self.q_t + (self.w_tn + self.w_tt * d * self.friction) * normal;
        let scale = self.q_t.norm() + normal * self.friction * self.w_tt.norm() + normal * self.w_tn.norm();
        let opposes = slip.dot(&d) <= 1e-14 * scale && cross(&d, &slip).abs() <= 1e-12 * scale;
        (opposes && normal.is_finite())
            .then(|| Vec3::new(normal, self.friction * normal * cos, self.friction * normal * sin))
    }

    fn newton(&self, mut angle: f64) -> Option<Vec3> {
        for _ in 0..12 {
            let (value, slope) = self.root_function(angle);
            let step = -value / slope;
            if !step.is_finite() || step.abs() > 1.0 {
                return None;
            }
            angle += step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        self.accept(angle)
    }

    /// All roots on a circle of 64 brackets, split at extrema so that close pairs of roots are
    /// seen; of several solutions the one nearest to the last impulse.
    fn enumerate(&self, warm: &Vec3) -> Option<Vec3> {
        const BRACKETS: usize = 64;
        let angle = |k: usize| k as f64 * std::f64::consts::TAU / BRACKETS as f64;
        let value = |angle: f64| self.root_function(angle).0;
        let slope = |angle: f64| self.root_function(angle).1;
        let mut best: Option<Vec3> = None;
        let mut keep = |root: Option<f64>| {
            if let Some(r) = root.and_then(|angle| self.accept(angle))
                && best.is_none_or(|b| (r - warm).norm_squared() < (b - warm).norm_squared())
            {
                best = Some(r);
            }
        };
        for k in 0..BRACKETS {
            let (low, high) = (angle(k), angle(k + 1));
            match bisect(slope, low, high) {
                Some(extremum) => {
                    keep(bisect(value, low, extremum));
                    keep(bisect(value, extremum, high));
                    // A double root: f only touches zero.
                    keep(Some(extremum));
                }
                None => keep(bisect(value, low, high)),
            }
        }
        best
    }
}

/// A change of sign of `f` between two angles, to the last bit; `None` when the ends have the same
/// sign.
fn bisect(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> Option<f64> {
    let positive = f(low) > 0.0;
    if positive == (f(high) > 0.0) {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (f(middle) > 0.0) == positive { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Last resort for degenerate blocks: projected steps on the natural map, the best iterate kept.
fn descend(w: &Mat3, q: &Vec3, friction: f64, warm: &Vec3) -> Vec3 {
    let normal = Vec3::x();
    let scale = w.norm();
    if scale == 0.0 || !scale.is_finite() {
        return Vec3::zeros();
    }
    let mut r = project_on_cone(*warm, &normal, friction);
    let (mut best, mut smallest) = (r, f64::INFINITY);
    for _ in 0..500 {
        let u = w * r + q;
        let residual = natural_map(&(u / scale), &r, &normal, friction);
        if residual < smallest {
            (best, smallest) = (r, residual);
        }
        let shifted = u + normal * (friction * u.y.hypot(u.z));
        r = project_on_cone(r - shifted / scale, &normal, friction);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    fn random_block(random: &mut Random, stretch: f64) -> Mat3 {
        let rotation = random.rotation();
        let eigen = Vec3::from_fn(|_, _| stretch.powf(random.range(-1.0, 1.0)));
        rotation * Mat3::from_diagonal(&eigen) * rotation.transpose()
    }

    #[test]
    fn full_blocks_are_solved_exactly() {
        let mut random = Random::new(21);
        for stretch in [1.0, 3.0, 30.0] {
            for _ in 0..4000 {
                let w = random_block(&mut random, stretch);
                let q = random.unit_vector();
                let friction = [0.0, 0.1, 0.7, 2.0][random.below(4)];
                let r = solve_local(&w, &q, friction, &random.unit_vector());
                let residual = natural_map(&(w * r + q), &r, &Vec3::x(), friction);
                let scale = (1.0 + r.norm()) * (1.0 + w.norm());
                assert!(
                    residual < 1e-10 * scale,
                    "residual {residual:e}, friction {friction}, W {w}, q {q}, r {r}"
                );
            }
        }
    }

    #[test]
    fn a_multiple_of_the_identity_is_the_isotropic_solve() {
        let mut random = Random::new(22);
        for _ in 0..1000 {
            let (q, s) = (random.unit_vector(), random.range(0.1, 10.0));
            let r = solve_local(&(Mat3::identity() * s), &q, 0.5, &Vec3::zeros());
            let (u, _) = crate::cone::solve_isotropic(q, &Vec3::x(), 0.5);
            assert!(((u - q) / s - r).norm() < 1e-12);
        }
    }

    #[test]
    fn degenerate_blocks_give_numbers() {
        let blocks = [Mat3::zeros(), Mat3::from_element(1.0), Mat3::from_diagonal(&Vec3::new(1.0, 0.0, 0.0))];
        for w in blocks {
            for q in [Vec3::zeros(), Vec3::new(-1.0, 2.0, 0.0), Vec3::new(-1.0, 0.0, 0.0)] {
                let r = solve_local(&w, &q, 0.3, &Vec3::zeros());
                assert!(r.iter().all(|c| c.is_finite()), "{w} {q} {r}");
            }
        }
    }
}
