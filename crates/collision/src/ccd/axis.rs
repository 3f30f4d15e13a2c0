//! How far two convex hulls with linearly moving corners stay apart along one fixed axis.
//!
//! Let D_ij(s) = a_i(s) − b_j(s) be the differences of the corners; each is linear in time s. For
//! any vector n, if n·D_ij(s) ≥ f·|n| for all i, j then every point of hull A is at least f away
//! from every point of hull B at time s, because a difference of points of the hulls is a convex
//! combination of the D_ij(s). As n·D_ij(s) is linear in s, holding at both ends of \[t, t'\] is
//! holding all along it. Nothing is asked of n: a badly computed axis costs progress, never safety.
//! So the only rounding to bound is that of these dot products.
//!
//! # Rounding
//!
//! u = 2⁻⁵³; M ≥ |D_ij| for all corners at both ends. Computed p̂ = fl(n·D(0)), q̂ = fl(n·D(1)): each
//! component of D has relative error ≤ u (one subtraction), a three-term dot product adds ≤ 3u, so
//! |p̂ − p|, |q̂ − q| ≤ 4u(1+O(u))·|n||D| ≤ 5u·M for |n| ≤ 1 + 4u. The value at t, ĝ = (1−t)p̂ + t·q̂,
//! adds ≤ 3u·M. The crossing time τ of the line through (t, ĝ) and (1, q̂) with the level f takes
//! one division and four more roundings, each of which moves the level by at most u·2M (a relative
//! change of 4u of a time ≤ 1 moves the line by ≤ 4u·|ĝ − q̂| ≤ 8u·M). Their sum is below 24u·M. We
//! ask for f + E with E = 64u·M + the smallest normal number (underflow), which leaves more than a
//! factor of two.

use stiction_numerics::Vec3;

/// 64 unit roundoffs: see the module's bound.
const ROUNDING: f64 = 64.0 * (f64::EPSILON / 2.0);

/// Differences of the corners of two hulls at both ends of the motion.
pub(super) struct Differences<const N: usize> {
    start: [Vec3; N],
    end: [Vec3; N],
    /// Bound of the rounding error of a gap along a unit axis \[m\].
    rounding: f64,
}

impl<const N: usize> Differences<N> {
    #[inline]
    pub(super) fn new(start: [Vec3; N], end: [Vec3; N]) -> Self {
        let mut largest = 0.0_f64;
        for k in 0..N {
            largest = largest.max(start[k].norm_squared()).max(end[k].norm_squared());
        }
        // squared lengths underflow below 1e-154; the largest component keeps the bound honest
        // there
        let mut size = largest.sqrt() * (1.0 + 8.0 * f64::EPSILON);
        if size < 1e-140 {
            for k in 0..N {
                size = size.max(2.0 * start[k].amax()).max(2.0 * end[k].amax());
            }
        }
        Self { start, end, rounding: ROUNDING * size + f64::MIN_POSITIVE }
    }

    /// Bound of the rounding error of a gap along a unit axis \[m\].
    #[inline]
    pub(super) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The latest time t' ≤ 1 such that the hulls are provably at least `floor` apart on \[t, t'\],
    /// by this axis; `None` when that cannot be said at t itself. `axis` has unit length up to
    /// rounding.
    #[inline]
    pub(super) fn reach(&self, axis: &Vec3, t: f64, floor: f64) -> Option<f64> {
        let level = floor * (1.0 + 8.0 * f64::EPSILON) + self.rounding;
        let mut reach = 1.0_f64;
        for k in 0..N {
            let (p, q) = (axis.dot(&self.start[k]), axis.dot(&self.end[k]));
            let now = (1.0 - t) * p + t * q;
            // written so that NaN (overflow of huge input) counts as "cannot say"
            if !(now >= level) {
                return None;
            }
            if !(q >= level) {
                let fraction = (now - level) / (now - q);
                let crossing = t + (1.0 - t) * fraction;
                if !(crossing >= t) {
                    return None;
                }
                reach = reach.min(crossing);
            }
        }
        Some(reach)
    }
}
