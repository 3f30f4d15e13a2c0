//! Until when can four moving points not become coplanar?
//!
//! Point–triangle and edge–edge contact needs four coplanar corners, i.e. a root of the cubic
//! p(s) = det(A(s), B(s), C(s)) with three linear difference vectors. While p has no root there is
//! no contact, whatever else holds. Near a hit this advances quadratically, where a fixed axis must
//! follow a turning face in small steps.
//!
//! # Rounding
//!
//! Bernstein coefficients of p are means of determinants with each vector taken at either end of
//! the motion. With u = 2⁻⁵³, |A| ≤ α etc. over the motion, a determinant of rounded differences
//! has an error ≤ (3 for the differences + 5 for products and sums)·u times the sum of its six
//! products, which is ≤ 6αβγ: below 48(1+O(u))·u·αβγ; the mean adds 3u·αβγ. A polar value (three
//! rounds of interpolation) adds ≤ 12u times the largest coefficient, itself ≤ αβγ. The crossing of
//! two control points is found with a few roundings of a time ≤ 1, which move the line by ≤ 8u
//! times the largest coefficient. Sum ≤ 71u·αβγ; we use E = 160u·αβγ + the smallest normal number.

use stiction_numerics::Vec3;

const ROUNDING: f64 = 160.0 * (f64::EPSILON / 2.0);

/// The cubic of coplanarity in Bernstein form over \[0, 1\].
pub(super) struct Coplanarity {
    coefficients: [f64; 4],
    rounding: f64,
}

impl Coplanarity {
    /// From the three difference vectors at the start and at the end.
    pub(super) fn new(start: &[Vec3; 3], end: &[Vec3; 3]) -> Self {
        let volume = |a: &Vec3, b: &Vec3, c: &Vec3| a.dot(&b.cross(c));
        let ([a, b, c], [d, e, f]) = (start, end);
        let coefficients = [
            volume(a, b, c),
            (volume(d, b, c) + volume(a, e, c) + volume(a, b, f)) / 3.0,
            (volume(a, e, f) + volume(d, b, f) + volume(d, e, c)) / 3.0,
            volume(d, e, f),
        ];
        let size: f64 =
            (0..3).map(|k| start[k].norm().max(end[k].norm()) * (1.0 + 8.0 * f64::EPSILON)).product();
        Self { coefficients, rounding: ROUNDING * size + f64::MIN_POSITIVE }
    }

    /// The latest time t' ≤ 1 for which \[t, t'\] provably holds no root; t itself when nothing can
    /// be said.
    ///
    /// Control values on \[t, 1\] are the polar values b(t,t,t), b(t,t,1), b(t,1,1), b(1,1,1). The
    /// graph lies in the hull of the control points, so it cannot reach zero before the leftmost
    /// crossing of a line between a control point above and one below.
    pub(super) fn reach(&self, t: f64) -> f64 {
        let mix = |a: f64, b: f64| (1.0 - t) * a + t * b;
        let [b0, b1, b2, b3] = self.coefficients;
        let (b01, b12, b23) = (mix(b0, b1), mix(b1, b2), mix(b2, b3));
        let (b012, b123) = (mix(b01, b12), mix(b12, b23));
        let first = mix(b012, b123);
        let sign = if first < 0.0 { -1.0 } else { 1.0 };
        let control = [first, b123, b23, b3].map(|b| sign * b - self.rounding);
        // also left for NaN
        if !(control[0] > 0.0) {
            return t;
        }
        let mut share = 1.0_f64;
        for i in 0..4 {
            for j in 0..4 {
                if control[i] > 0.0 && !(control[j] > 0.0) {
                    let (from, to) = (i as f64 / 3.0, j as f64 / 3.0);
                    let crossing = from + (to - from) * (control[i] / (control[i] - control[j]));
                    if !(crossing >= share) {
                        share = crossing;
                    }
                }
            }
        }
        if share.is_nan() { t } else { (t + (1.0 - t) * share).max(t) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_in_on_the_first_root_from_below() {
        // p(s) = (s − 1/4)(s − 1/2)(s − 3/4) as a product of three linear lengths
        let start = [Vec3::x() * -0.25, Vec3::y() * -0.5, Vec3::z() * -0.75];
        let end = [Vec3::x() * 0.75, Vec3::y() * 0.5, Vec3::z() * 0.25];
        let cubic = Coplanarity::new(&start, &end);
        let mut t = 0.0;
        for _ in 0..8 {
            t = cubic.reach(t);
            assert!(t < 0.25);
        }
        assert!(t > 0.25 - 1e-13, "{t}");
        let beyond = cubic.reach(0.8);
        assert_eq!(beyond, 1.0);
    }

    #[test]
    fn says_nothing_for_flat_or_bad_input() {
        let flat = [Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()];
        assert_eq!(Coplanarity::new(&flat, &flat).reach(0.3), 0.3);
        let bad = [Vec3::x(), Vec3::y(), Vec3::new(0.0, 0.0, f64::NAN)];
        assert_eq!(Coplanarity::new(&bad, &bad).reach(0.3), 0.3);
    }
}
