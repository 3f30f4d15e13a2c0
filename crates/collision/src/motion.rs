//! Candidates of a motion: the largest safe step, and every contact on the way.

use crate::broad_phase::Candidates;
use crate::ccd::{Advance, AdvanceOptions, Query};
use crate::narrow_phase::{CHUNK, PairKind, ProximityPair, edge_edge_pair, vertex_triangle_pair};
use crate::surface::CollisionMesh;
use rayon::prelude::*;
use std::ops::Index;
use stiction_numerics::Vec3;

/// A motion of all vertices: straight from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub struct StraightMotion<'a> {
    /// Positions at t = 0 \[m\].
    pub start: &'a [Vec3],
    /// Positions at t = 1 \[m\].
    pub end: &'a [Vec3],
}

impl StraightMotion<'_> {
    /// Position of a vertex at a time.
    #[inline]
    pub fn at(&self, vertex: u32, time: f64) -> Vec3 {
        self.start[vertex as usize] * (1.0 - time) + self.end[vertex as usize] * time
    }

    fn stencil(&self, vertices: [u32; 4], time: f64) -> Stencil {
        Stencil { vertices, positions: vertices.map(|v| self.at(v, time)) }
    }

    #[inline]
    fn gather(&self, vertices: [u32; 4]) -> ([Vec3; 4], [Vec3; 4]) {
        (vertices.map(|v| self.start[v as usize]), vertices.map(|v| self.end[v as usize]))
    }

    #[inline]
    fn of_triangle(&self, mesh: &CollisionMesh, [v, t]: [u32; 2], options: AdvanceOptions) -> Advance {
        let c = mesh.triangles()[t as usize];
        let (x0, x1) = self.gather([v, c[0], c[1], c[2]]);
        let thickness = mesh.vertex_half_thickness(v) + mesh.triangle_half_thickness(t);
        advance(Query::PointTriangle(x0, x1), thickness, options)
    }

    #[inline]
    fn of_edges(&self, mesh: &CollisionMesh, [a, b]: [u32; 2], options: AdvanceOptions) -> Advance {
        let (ea, eb) = (mesh.edges()[a as usize], mesh.edges()[b as usize]);
        let (x0, x1) = self.gather([ea[0], ea[1], eb[0], eb[1]]);
        let thickness = mesh.edge_half_thickness(a) + mesh.edge_half_thickness(b);
        advance(Query::EdgeEdge(x0, x1), thickness, options)
    }
}

/// Positions of the four vertices of a candidate, by vertex number.
struct Stencil {
    vertices: [u32; 4],
    positions: [Vec3; 4],
}

impl Index<usize> for Stencil {
    type Output = Vec3;

    fn index(&self, vertex: usize) -> &Vec3 {
        let place = self.vertices.iter().position(|&v| v as usize == vertex);
        &self.positions[place.expect("only vertices of the candidate are asked for")]
    }
}

/// The pair that limits a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarliestImpact {
    /// Largest share of the motion that is safe for all candidates, in \[0, 1\].
    pub time: f64,
    /// Vertex–triangle (`true`) or edge–edge candidate that limits it; `None` when all is free.
    pub pair: Option<(bool, [u32; 2])>,
    /// Candidates that start at or below the minimal separation; they give time zero.
    pub too_close: usize,
}

/// The largest step of a motion that keeps every candidate apart by its half-thicknesses plus
/// `options.min_separation` \[m\] (which may be negative, down to minus the thickness, to allow for
/// compression).
pub fn earliest_impact(
    mesh: &CollisionMesh,
    candidates: &Candidates,
    motion: &StraightMotion,
    options: &AdvanceOptions,
) -> EarliestImpact {
    let with = |end_time: f64| AdvanceOptions { end_time, ..*options };
    let first = earliest_of(&candidates.vertex_triangle, true, options.end_time, |&pair, end_time| {
        motion.of_triangle(mesh, pair, with(end_time))
    });
    let second = earliest_of(&candidates.edge_edge, false, options.end_time, |&pair, end_time| {
        motion.of_edges(mesh, pair, with(end_time))
    });
    let mut earliest = if second.time < first.time { second } else { first };
    earliest.too_close = first.too_close + second.too_close;
    earliest
}

/// A contact on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptPair {
    /// Safe time just before the contact, in \[0, 1\]; zero when the pair starts too close.
    pub time: f64,
    /// Closest features at that time.
    pub pair: ProximityPair,
}

/// Every candidate that does not stay apart by its half-thicknesses plus `options.min_separation`,
/// with its features at its own time of impact; sorted by key, each pair of features once, at its
/// earliest time.
pub fn swept_pairs(
    mesh: &CollisionMesh,
    candidates: &Candidates,
    motion: &StraightMotion,
    options: &AdvanceOptions,
) -> Vec<SweptPair> {
    let mut pairs = blocked_chunks(&candidates.vertex_triangle, |&[v, t]| {
        let time = blocked_time(motion.of_triangle(mesh, [v, t], *options))?;
        let c = mesh.triangles()[t as usize];
        let x = motion.stencil([v, c[0], c[1], c[2]], time);
        Some(SweptPair { time, pair: vertex_triangle_pair(mesh, &x, v, t) })
    });
    pairs.extend(blocked_chunks(&candidates.edge_edge, |&[a, b]| {
        let time = blocked_time(motion.of_edges(mesh, [a, b], *options))?;
        let (ea, eb) = (mesh.edges()[a as usize], mesh.edges()[b as usize]);
        let x = motion.stencil([ea[0], ea[1], eb[0], eb[1]], time);
        Some(SweptPair { time, pair: edge_edge_pair(mesh, &x, a, b) })
    }));
    let key = |swept: &SweptPair| -> (PairKind, [u32; 2]) { swept.pair.key() };
    // equal key and time mean the same two features at the same instant: which one stays makes no
    // difference but for the thickness, so the gap decides
    pairs.par_sort_unstable_by(|a, b| {
        let by_key = key(a).cmp(&key(b));
        by_key.then_with(|| a.time.total_cmp(&b.time)).then_with(|| a.pair.gap.total_cmp(&b.pair.gap))
    });
    pairs.dedup_by(|later, kept| key(later) == key(kept));
    for swept in &mut pairs {
        swept.pair.multiplicity = swept.pair.multiplicity.max(1);
    }
    pairs
}

fn blocked_time(found: Advance) -> Option<f64> {
    (found != Advance::Free).then_some(found.safe_time())
}

fn blocked_chunks(
    candidates: &[[u32; 2]],
    evaluate: impl Fn(&[u32; 2]) -> Option<SweptPair> + Sync,
) -> Vec<SweptPair> {
    let parts: Vec<Vec<SweptPair>> =
        candidates.par_chunks(CHUNK).map(|chunk| chunk.iter().filter_map(&evaluate).collect()).collect();
    parts.concat()
}

#[inline]
fn advance(query: Query, thickness: f64, options: AdvanceOptions) -> Advance {
    let min_separation = (thickness + options.min_separation).max(0.0);
    query.advance(&AdvanceOptions { min_separation, ..options })
}

/// Minimum over fixed chunks; ties go to the first candidate. Inside a chunk nothing is advanced
/// beyond the earliest time found so far: that cannot change the minimum, and saves most of the
/// work when many pairs are close.
fn earliest_of(
    candidates: &[[u32; 2]],
    is_triangle: bool,
    end_time: f64,
    evaluate: impl Fn(&[u32; 2], f64) -> Advance + Sync,
) -> EarliestImpact {
    let free = EarliestImpact { time: end_time, pair: None, too_close: 0 };
    let parts: Vec<EarliestImpact> = candidates
        .par_chunks(CHUNK)
        .map(|chunk| {
            chunk.iter().fold(free, |mut best, pair| {
                let found = evaluate(pair, best.time);
                best.too_close += usize::from(matches!(found, Advance::TooClose { .. }));
                if found != Advance::Free && (best.pair.is_none() || found.safe_time() < best.time) {
                    (best.time, best.pair) = (found.safe_time(), Some((is_triangle, *pair)));
                }
                best
            })
        })
        .collect();
    parts.into_iter().fold(free, |mut best, part| {
        best.too_close += part.too_close;
        if part.pair.is_some() && (best.pair.is_none() || part.time < best.time) {
            (best.time, best.pair) = (part.time, part.pair);
        }
        best
    })
}
