//! A last look at a step: vertices are held back until no surface goes through another on the way.
//!
//! A pair at distance d₀ stays apart as long as the displacements of its two sides add up to less than d₀. So when continuous
//! detection finds a pair that comes together, its nodes are limited to 0.4 d₀ each and all pairs are asked again with the shortened
//! motion, because a node that is held back may now be in the way of another. When only a few pairs are concerned this ends after
//! one or two rounds. Otherwise, after [`ROUNDS`], all nodes take the same share of their way, up to the earliest impact: along one
//! common motion continuous detection is a proof.
//!
//! Only free nodes can be held back. What a prescribed body runs into, and pairs that touch with d₀ = 0 at the start, are counted.

use super::collider::{Collider, DetectError, INSIDE, StepMotion};
use super::near_pair::{NearPair, passing_clearance};
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_bodies::surfaces::VertexSource;
use stiction_collision::ccd::{Advance, AdvanceOptions, Query};
use stiction_numerics::Vec3;

/// Rounds of shortening before the common share.
const ROUNDS: usize = 12;
/// Share of the distance at the start that each side of a pair may use up.
const SHARE: f64 = 0.4;
/// Share of a distance that is kept: less than 1 − 2·[`SHARE`], so that a limited pair is found free.
const KEPT: f64 = 0.1;

/// Share of the earliest impact that all nodes go to in common: a little before it, so that the pair is found free.
const COMMON: f64 = 0.9;

/// What the filter did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FilterReport {
    /// Nodes that were held back.
    pub limited: usize,
    /// Rounds of detection.
    pub rounds: usize,
    /// Share of the motion that all nodes took in the end: 1 when the limits of single nodes were enough.
    pub share: f64,
    /// Pairs that come together still: prescribed bodies drive them, or they touched at the start.
    pub left: usize,
}

/// A pair that comes together: the vertices, their distance at the start, the safe share of the motion.
struct Blocked {
    vertices: [u32; 4],
    distance: f64,
    time: f64,
}

impl Collider {
    /// Shortens the way from the start of a step to `blocks` so that no surface crosses another on it.
    pub fn limit_step(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        blocks: &mut [Vec3],
    ) -> Result<FilterReport, DetectError> {
        let mut report = FilterReport { share: 1.0, ..FilterReport::default() };
        let mut limits = vec![f64::INFINITY; model.nodes];
        while report.rounds < ROUNDS {
            report.rounds += 1;
            self.place_ends(model, motion, blocks)?;
            let blocked = self.blocked(model, motion);
            report.left = blocked.len();
            if blocked.is_empty() || !self.tighten(model, motion, &blocked, &mut limits, blocks) {
                break;
            }
        }
        if report.left > 0 {
            report.share = self.take_common_share(model, motion, blocks)?;
            self.place_ends(model, motion, blocks)?;
            report.left = self.blocked(model, motion).len();
        }
        report.limited = limits.iter().filter(|limit| limit.is_finite()).count();
        Ok(report)
    }

    /// Puts nodes that were outside of an analytic solid at the start of a step and would end inside on its surface. Contacts linearise the surface,
    /// and sweeps end before all of them agree; a solid that moves as prescribed gives no way. Returns how many nodes were put out.
    pub fn put_out(&self, model: &Model, motion: &StepMotion<'_>, blocks: &mut [Vec3]) -> usize {
        let mut count = 0;
        for shape in self.shapes() {
            let (before, after) = (shape.posed(motion.time), shape.posed(motion.time + motion.h));
            let put = |&vertex: &u32| {
                let VertexSource::Node(node) = model.surfaces.source(vertex as usize) else { return None };
                let n = node as usize;
                if motion.prescription.fixed[n] || self.mesh().is_rooted(vertex, shape.object) {
                    return None;
                }
                let found = after.closest(&blocks[n]);
                let came_in = found.distance < 0.0 && before.closest(&motion.start[n]).distance > -INSIDE;
                came_in.then(|| (n, blocks[n] - found.normal * found.distance))
            };
            let out: Vec<(usize, Vec3)> = self.touching().par_iter().filter_map(put).collect();
            count += out.len();
            out.into_iter().for_each(|(n, place)| blocks[n] = place);
        }
        count
    }

    /// All pairs that come together on the way, and vertices that enter an analytic collider.
    fn blocked(&self, model: &Model, motion: &StepMotion<'_>) -> Vec<Blocked> {
        let is_free = |near: &NearPair, first: &[u32], second: &[u32], thickness: f64| {
            near.is_retired()
                || near.clearance(&self.end, first, second, KEPT * near.offset.norm()).is_some()
                || passing_clearance([&self.start, &self.end], first, second, thickness).is_some()
        };
        let vertex_triangle = self.pairs.vertex_triangle.par_iter().filter_map(|near| {
            let [v, t] = near.features;
            let [a, b, c] = self.mesh().triangles()[t as usize];
            let thickness = self.mesh().vertex_half_thickness(v) + self.mesh().triangle_half_thickness(t);
            let meet = !is_free(near, &[v], &[a, b, c], thickness);
            meet.then(|| self.block(Query::PointTriangle, [v, a, b, c], near.offset))?
        });
        let edge_edge = self.pairs.edge_edge.par_iter().filter_map(|near| {
            let [e, f] = near.features;
            let ([a, b], [c, d]) = (self.mesh().edges()[e as usize], self.mesh().edges()[f as usize]);
            let thickness = self.mesh().edge_half_thickness(e) + self.mesh().edge_half_thickness(f);
            let meet = !is_free(near, &[a, b], &[c, d], thickness);
            meet.then(|| self.block(Query::EdgeEdge, [a, b, c, d], near.offset))?
        });
        let mut out: Vec<Blocked> = vertex_triangle.chain(edge_edge).collect();
        let end = motion.time + motion.h;
        for (shape, near) in self.shapes().iter().zip(&self.pairs.analytic) {
            let enters = |&vertex: &u32| {
                let v = vertex as usize;
                let distance = shape.closest(&self.start[v], motion.time).distance;
                let enters = distance > 0.0 && shape.closest(&self.end[v], end).distance <= KEPT * distance;
                // One side only moves: it may use up twice the share.
                enters.then_some(Blocked { vertices: [vertex; 4], distance: 2.0 * distance, time: 1.0 })
            };
            let free = |v: &&u32| (**v as usize) < model.surfaces.kinematic_start();
            out.extend(near.vertices.iter().filter(free).filter_map(enters));
        }
        out
    }

    fn block(
        &self,
        query: fn([Vec3; 4], [Vec3; 4]) -> Query,
        vertices: [u32; 4],
        offset: Vec3,
    ) -> Option<Blocked> {
        let (x0, x1) = (vertices.map(|v| self.start[v as usize]), vertices.map(|v| self.end[v as usize]));
        let options = AdvanceOptions { min_separation: 0.0, slack: KEPT, ..AdvanceOptions::default() };
        let time = match query(x0, x1).advance_from(offset, &options) {
            Advance::Free => return None,
            Advance::Blocked { time } => time,
            Advance::TooClose { .. } => 0.0,
        };
        Some(Blocked { vertices, distance: offset.norm(), time })
    }

    /// Lowers the limits of the nodes in these pairs and shortens their ways; false when no way became shorter.
    fn tighten(
        &self,
        model: &Model,
        motion: &StepMotion<'_>,
        blocked: &[Blocked],
        limits: &mut [f64],
        blocks: &mut [Vec3],
    ) -> bool {
        let mut shorter = false;
        for pair in blocked {
            let mut lower = |node: u32| {
                let n = node as usize;
                if motion.prescription.fixed[n] {
                    return;
                }
                let way = blocks[n] - motion.start[n];
                let (length, limit) = (way.norm(), SHARE * pair.distance);
                if length > limit {
                    limits[n] = limit;
                    blocks[n] = motion.start[n] + way * (limit / length);
                    shorter = true;
                }
            };
            for &vertex in &pair.vertices {
                match model.surfaces.source(vertex as usize) {
                    VertexSource::Node(node) => lower(node),
                    VertexSource::Embedded(terms) => terms.iter().for_each(|t| lower(t.0)),
                    VertexSource::Kinematic => {}
                }
            }
        }
        shorter
    }

    /// All free nodes go as far as the earliest impact allows.
    fn take_common_share(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        blocks: &mut [Vec3],
    ) -> Result<f64, DetectError> {
        self.place_ends(model, motion, blocks)?;
        let blocked = self.blocked(model, motion);
        // What prescribed bodies drive comes together however far the free nodes go.
        let is_driven = |vertex: u32| {
            let v = vertex as usize;
            let prescribed = match model.surfaces.source(v) {
                VertexSource::Node(node) => motion.prescription.fixed[node as usize],
                VertexSource::Embedded(_) => false,
                VertexSource::Kinematic => true,
            };
            prescribed && self.start[v] != self.end[v]
        };
        let free = |pair: &&Blocked| pair.distance > 0.0 && !pair.vertices.iter().any(|&v| is_driven(v));
        let earliest = blocked.iter().filter(free).map(|pair| pair.time).fold(1.0, f64::min);
        let share = if earliest < 1.0 { COMMON * earliest } else { 1.0 };
        for n in (0..model.nodes).filter(|&n| !motion.prescription.fixed[n]) {
            blocks[n] = motion.start[n] + (blocks[n] - motion.start[n]) * share;
        }
        Ok(share)
    }
}
