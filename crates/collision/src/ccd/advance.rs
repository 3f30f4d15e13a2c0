//! Conservative advancement with a separating axis: the step filter of line searches.
//!
//! From the current time t, the closest points give a unit axis n. Along this axis the gap of every
//! corner pair is linear in time, so the time at which the slab between the two hulls has shrunk to
//! the floor is one division (see `axis.rs` for the proof and the rounding bound). Advance to it,
//! find the new closest points, repeat. The classical additive scheme divides the clearance by the
//! largest relative *speed* of the pair and crawls when things slide past one another; the axis
//! counts only motion that closes the gap.
//!
//! # Guarantee
//!
//! If [`Advance::Free`] is returned, the distance stays above the floor on \[0, 1\]. If
//! [`Advance::Blocked`] is returned, it stays above the floor on \[0, `time`\]; the floor is never
//! below the minimal separation. Both hold in exact arithmetic for the given `f64` input. Proof:
//! the intervals \[t_k, t_{k+1}\] on which `axis::reach` certifies separation cover \[0, `time`\]
//! without a hole, because each starts where the last one ended.

use super::axis::Differences;
use crate::distance::{edge_edge, point_edge, point_triangle};
use stiction_numerics::Vec3;

use super::Query;

/// Settings of the advancement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvanceOptions {
    /// Distance that must never be undercut, e.g. the sum of both half-thicknesses \[m\].
    pub min_separation: f64,
    /// Share of the clearance at the start that is kept: floor = min_separation + slack·(d₀ −
    /// min_separation).
    pub slack: f64,
    /// Cap of the number of advances; reaching it shortens the step, safely.
    pub max_iterations: u32,
    /// Part of the motion that matters, in (0, 1\]: a pair that is safe up to here counts as free.
    pub end_time: f64,
}

impl Default for AdvanceOptions {
    fn default() -> Self {
        Self { min_separation: 0.0, slack: 0.1, max_iterations: 64, end_time: 1.0 }
    }
}

/// What conservative advancement found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advance {
    /// The whole motion, up to the end time that was asked for, keeps the separation.
    Free,
    /// The motion keeps the separation up to this time, which is in \[0, 1\].
    Blocked {
        /// Safe time.
        time: f64,
    },
    /// The pair starts at or below the minimal separation: a state to resolve, not a step to
    /// shorten.
    TooClose {
        /// Distance at t = 0 \[m\].
        distance: f64,
    },
}

impl Advance {
    /// The share of the motion that may be taken: 1 when free, 0 when too close at the start.
    #[inline]
    pub fn safe_time(&self) -> f64 {
        match *self {
            Advance::Free => 1.0,
            Advance::Blocked { time } => time,
            Advance::TooClose { .. } => 0.0,
        }
    }
}

/// Advances a query as far as its separation is certain. See the module for the guarantee.
#[inline]
pub fn advance(query: &Query, options: &AdvanceOptions) -> Advance {
    advance_from(query, offset_at(query, 0.0), options)
}

/// The same where the vector between the closest points at t = 0 is known already, as it is when
/// one start meets many trial ends: most pairs then pass with one dot product per pair of corners.
#[inline]
pub fn advance_from(query: &Query, start: Vec3, options: &AdvanceOptions) -> Advance {
    match query {
        Query::PointPoint(x0, x1) => {
            let gaps = Differences::new([x0[0] - x0[1]], [x1[0] - x1[1]]);
            run(&gaps, start, |t| lerp(&x0[0], &x1[0], t) - lerp(&x0[1], &x1[1], t), options)
        }
        Query::PointEdge(x0, x1) => {
            let gaps = Differences::new(point_edge_gaps(x0), point_edge_gaps(x1));
            run(&gaps, start, |t| point_edge_offset(&at(x0, x1, t)), options)
        }
        Query::PointTriangle(x0, x1) => {
            let gaps = Differences::new(point_triangle_gaps(x0), point_triangle_gaps(x1));
            run(&gaps, start, |t| point_triangle_offset(&at(x0, x1, t)), options)
        }
        Query::EdgeEdge(x0, x1) => {
            let gaps = Differences::new(edge_edge_gaps(x0), edge_edge_gaps(x1));
            run(&gaps, start, |t| edge_edge_offset(&at(x0, x1, t)), options)
        }
    }
}

/// Vector between the closest points at a time, from the second primitive to the first \[m\].
pub(super) fn offset_at(query: &Query, t: f64) -> Vec3 {
    match query {
        Query::PointPoint(x0, x1) => lerp(&x0[0], &x1[0], t) - lerp(&x0[1], &x1[1], t),
        Query::PointEdge(x0, x1) => point_edge_offset(&at(x0, x1, t)),
        Query::PointTriangle(x0, x1) => point_triangle_offset(&at(x0, x1, t)),
        Query::EdgeEdge(x0, x1) => edge_edge_offset(&at(x0, x1, t)),
    }
}

#[inline]
fn run<const N: usize>(
    gaps: &Differences<N>,
    start_offset: Vec3,
    offset_at: impl Fn(f64) -> Vec3,
    options: &AdvanceOptions,
) -> Advance {
    let mut offset = start_offset;
    let start = offset.norm();
    if !(start > options.min_separation) {
        return Advance::TooClose { distance: start };
    }
    let clearance = start - options.min_separation;
    let floor = options.min_separation + options.slack * clearance;
    // Below this clearance over the floor another advance gains less than the slack already gives
    // away.
    let enough = floor + 0.05 * options.slack * clearance + gaps.rounding();
    let (mut time, mut distance) = (0.0, start);
    for _ in 0..options.max_iterations {
        let Some(next) = gaps.reach(&(offset / distance), time, floor) else { break };
        if next >= options.end_time {
            return Advance::Free;
        }
        if next <= time {
            break;
        }
        time = next;
        offset = offset_at(time);
        distance = offset.norm();
        if distance <= enough {
            break;
        }
    }
    Advance::Blocked { time }
}

#[inline]
pub(super) fn lerp(a: &Vec3, b: &Vec3, t: f64) -> Vec3 {
    a * (1.0 - t) + b * t
}

#[inline]
pub(super) fn at<const N: usize>(x0: &[Vec3; N], x1: &[Vec3; N], t: f64) -> [Vec3; N] {
    std::array::from_fn(|k| lerp(&x0[k], &x1[k], t))
}

#[inline]
pub(super) fn point_edge_gaps(x: &[Vec3; 3]) -> [Vec3; 2] {
    [x[0] - x[1], x[0] - x[2]]
}

#[inline]
pub(super) fn point_triangle_gaps(x: &[Vec3; 4]) -> [Vec3; 3] {
    [x[0] - x[1], x[0] - x[2], x[0] - x[3]]
}

#[inline]
pub(super) fn edge_edge_gaps(x: &[Vec3; 4]) -> [Vec3; 4] {
    [x[0] - x[2], x[0] - x[3], x[1] - x[2], x[1] - x[3]]
}

#[inline]
pub(super) fn point_edge_offset(x: &[Vec3; 3]) -> Vec3 {
    point_edge(&x[0], &x[1], &x[2]).offset
}

#[inline]
pub(super) fn point_triangle_offset(x: &[Vec3; 4]) -> Vec3 {
    point_triangle(&x[0], &x[1], &x[2], &x[3]).offset
}

#[inline]
pub(super) fn edge_edge_offset(x: &[Vec3; 4]) -> Vec3 {
    edge_edge(&x[0], &x[1], &x[2], &x[3]).offset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approaching(height: f64, fall: f64) -> Query {
        let triangle = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let p = Vec3::new(0.2, 0.2, height);
        let x0 = [p, triangle[0], triangle[1], triangle[2]];
        let x1 = [p - Vec3::z() * fall, triangle[0], triangle[1], triangle[2]];
        Query::PointTriangle(x0, x1)
    }

    #[test]
    fn head_on_stops_at_the_floor() {
        let options = AdvanceOptions { min_separation: 0.1, slack: 0.1, ..Default::default() };
        let Advance::Blocked { time } = approaching(1.0, 2.0).advance(&options) else { panic!("must block") };
        // floor 0.1 + 0.1·0.9 = 0.19, reached after a fall of 0.81 of 2
        assert!((time - 0.405).abs() < 1e-12 && time <= 0.405);
    }

    #[test]
    fn sliding_close_by_is_free_in_one_step() {
        let options = AdvanceOptions { max_iterations: 1, ..Default::default() };
        let ground = [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
        let p = Vec3::new(-1.0, 0.0, 1e-9);
        let x0 = [p, ground[0], ground[1], ground[2]];
        let x1 = [p + Vec3::x() * 2.0, ground[0], ground[1], ground[2]];
        assert_eq!(Query::PointTriangle(x0, x1).advance(&options), Advance::Free);
    }

    #[test]
    fn starts_at_or_below_the_separation_are_named() {
        let options = AdvanceOptions { min_separation: 0.5, ..Default::default() };
        assert_eq!(approaching(0.5, 0.1).advance(&options), Advance::TooClose { distance: 0.5 });
        let still = Query::PointPoint([Vec3::zeros(); 2], [Vec3::zeros(); 2]);
        assert_eq!(still.advance(&AdvanceOptions::default()), Advance::TooClose { distance: 0.0 });
    }

    #[test]
    fn infinite_or_missing_numbers_never_report_free() {
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(approaching(bad, 1.0).advance(&AdvanceOptions::default()).safe_time() < 1.0);
            assert!(approaching(1.0, bad).advance(&AdvanceOptions::default()).safe_time() < 1.0);
        }
    }
}
