//! Hit or no hit: conservative advancement to the limit of `f64`, then exact arithmetic where it
//! cannot tell.
//!
//! The advancement of [`super::advance`] is run with the floor at the minimal separation itself. A
//! `None` answer is a proof of separation over the whole motion. With no separation asked, the
//! cubic of coplanarity also counts: while it has no root there is no contact (`cubic.rs`). When
//! the certified time grows poorly, further axes are tried (face normal, edge × edge, in-plane
//! normals of the sides), which stay accurate when the closest vector has drowned in rounding. What
//! still stalls is within about 1e-14 of its own size of a touch: that is reported as a hit at the
//! certified time, or, with [`VerdictOptions::exact`], handed to the exact inclusion test, which
//! drops false alarms and sharpens the time. Both times are lower bounds of the true one.

use super::advance::{at, edge_edge_gaps, offset_at, point_edge_gaps, point_triangle_gaps};
use super::axis::Differences;
use super::cubic::Coplanarity;
use super::{Query, exact};
use stiction_numerics::Vec3;

/// Settings of the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictOptions {
    /// Distance at which a pair counts as touching \[m\]. The exact test serves only zero.
    pub min_separation: f64,
    /// Settle what `f64` cannot tell in exact integers (about 0.1 ms for each such pair).
    pub exact: bool,
    /// Cap of the number of advances; reaching it reports a hit, safely.
    pub max_iterations: u32,
}

impl Default for VerdictOptions {
    fn default() -> Self {
        Self { min_separation: 0.0, exact: true, max_iterations: 256 }
    }
}

/// A hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// A time in \[0, 1\] that is never later than the first contact.
    pub time: f64,
}

/// The first contact of a query, or `None` as a proof that there is none.
pub fn verdict(query: &Query, options: &VerdictOptions) -> Option<Impact> {
    let time = match query {
        Query::PointPoint(x0, x1) => run(query, &Differences::new([x0[0] - x0[1]], [x1[0] - x1[1]]), options),
        Query::PointEdge(x0, x1) => {
            run(query, &Differences::new(point_edge_gaps(x0), point_edge_gaps(x1)), options)
        }
        Query::PointTriangle(x0, x1) => {
            run(query, &Differences::new(point_triangle_gaps(x0), point_triangle_gaps(x1)), options)
        }
        Query::EdgeEdge(x0, x1) => {
            run(query, &Differences::new(edge_edge_gaps(x0), edge_edge_gaps(x1)), options)
        }
    }?;
    if options.exact && options.min_separation == 0.0 {
        let sharpened = exact::first_impact(query)?;
        return Some(Impact { time: sharpened.time.max(time) });
    }
    Some(Impact { time })
}

/// The time at which the advancement stops, or `None` when it reaches the end.
fn run<const N: usize>(query: &Query, gaps: &Differences<N>, options: &VerdictOptions) -> Option<f64> {
    let floor = options.min_separation;
    let cubic = if floor == 0.0 { coplanarity(query) } else { None };
    let mut time = 0.0;
    for _ in 0..options.max_iterations {
        let offset = offset_at(query, time);
        // a zero distance gives NaN here, along which nothing can be reached
        let mut next = gaps.reach(&(offset / offset.norm()), time, floor).unwrap_or(time);
        if let Some(cubic) = cubic.as_ref().filter(|_| next < 1.0) {
            next = next.max(cubic.reach(time));
        }
        // progress has become poor: look for a better axis
        if next < 1.0 && next - time <= POOR_PROGRESS * (1.0 - time) {
            for axis in further_axes(query, time, &offset) {
                for axis in [axis, -axis] {
                    next = next.max(gaps.reach(&axis, time, floor).unwrap_or(time));
                }
            }
        }
        if next >= 1.0 {
            return None;
        }
        let gained = next - time;
        time = next;
        if gained <= STALL * next {
            break;
        }
    }
    Some(time)
}

/// The cubic whose roots are the times at which the four corners are coplanar; only pairs of four
/// corners have one.
fn coplanarity(query: &Query) -> Option<Coplanarity> {
    let from_first = |x: &[Vec3; 4]| [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    match query {
        Query::PointTriangle(x0, x1) | Query::EdgeEdge(x0, x1) => {
            Some(Coplanarity::new(&from_first(x0), &from_first(x1)))
        }
        _ => None,
    }
}

/// Share of the remaining way below which more axes are tried.
const POOR_PROGRESS: f64 = 1e-3;

/// Relative gain of certified time below which the advancement has converged.
const STALL: f64 = 16.0 * f64::EPSILON;

/// Unit axes that stay accurate when the closest vector drowns in rounding. The sign is left open,
/// as the sign of a drowned distance is; degenerate ones are NaN, along which nothing can be
/// reached.
pub(super) fn further_axes(query: &Query, t: f64, offset: &Vec3) -> [Vec3; 7] {
    let across = |e: &Vec3| offset - e * (offset.dot(e) / e.norm_squared());
    let axes = match query {
        Query::PointTriangle(x0, x1) => {
            let x = at(x0, x1, t);
            let [ab, bc, ca] = [x[2] - x[1], x[3] - x[2], x[1] - x[3]];
            let n = ab.cross(&bc);
            [n, ab.cross(&n), bc.cross(&n), ca.cross(&n), across(&ab), across(&bc), across(&ca)]
        }
        Query::EdgeEdge(x0, x1) => {
            let x = at(x0, x1, t);
            let (a, b) = (x[1] - x[0], x[3] - x[2]);
            let n = a.cross(&b);
            [n, a.cross(&n), b.cross(&n), across(&a), across(&b), a, b]
        }
        Query::PointEdge(x0, x1) => {
            let x = at(x0, x1, t);
            let e = x[2] - x[1];
            [across(&e), e, *offset, *offset, *offset, *offset, *offset]
        }
        Query::PointPoint(..) => [*offset; 7],
    };
    // scaled by the largest component first: squares of tiny areas underflow
    axes.map(|axis| {
        let scaled = axis / axis.amax();
        scaled / scaled.norm()
    })
}
