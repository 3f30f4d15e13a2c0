//! A last look at a step: what would go through each other on the way moves together.
//!
//! Continuous detection asks all pairs from the start of the step to its end. The nodes of those
//! that pass through each other join in zones, which move as stiff pieces for this step
//! ([`StiffMotion`]), and what is near them is asked again, because a zone may now be in the way of
//! something else: zones grow and merge until nothing passes. A surface vertex that ends inside an
//! analytic collider is put on its surface first, with the nodes that carry it. When [`ROUNDS`] are
//! not enough, all nodes take the same share of their way, up to the earliest impact: along one
//! common motion continuous detection is a proof.
//!
//! Only free nodes can be kept off. What prescribed bodies do to each other's surroundings when
//! they change their shape, and pairs that touch with distance 0 at the start, are counted.

use super::analytic::{MovingShape, PosedShape};
use super::contact_finder::{ContactFinder, DetectError, INSIDE, StepMotion};
use super::meetings::through_floor;
use super::near_pair::{NearPair, passing_clearance};
use super::zones::{Makeup, Member, MovingPoint, StiffMotion, Zones};
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_bodies::surfaces::VertexSource;
use stiction_collision::ccd::{Advance, AdvanceOptions, Query};
use stiction_numerics::Vec3;

/// Rounds in which zones grow before the common share.
const ROUNDS: usize = 20;
/// Shifts of a zone, and of the nodes that carry a vertex, out of analytic colliders.
const SHIFTS: usize = 8;
/// Share of its distance that a pair without thickness keeps.
const KEPT: f64 = 0.1;

/// Share of the earliest impact that all nodes go to in common: a little before it, so that the
/// pair is found free.
const COMMON: f64 = 0.9;

/// What the filter did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterReport {
    /// Free nodes that moved with a zone.
    pub limited: usize,
    /// Vertices that were put on the surface of an analytic collider before.
    pub pushed_out: usize,
    /// Rounds of detection.
    pub rounds: usize,
    /// Share of the motion that all nodes took in the end: 1 when zones were enough.
    pub share: f64,
    /// Pairs that come together still: prescribed bodies drive them, or they touched at the start.
    pub left: usize,
}

impl FilterReport {
    /// Nothing was in the way.
    pub const NOTHING: FilterReport =
        FilterReport { limited: 0, pushed_out: 0, rounds: 1, share: 1.0, left: 0 };
}

/// A pair that passes through: the vertices, or one vertex and the analytic collider that it
/// enters, the distance at the start, the safe share of the motion.
struct Blocked {
    vertices: [u32; 4],
    shape: Option<usize>,
    distance: f64,
    time: f64,
}

impl ContactFinder {
    /// Whether no surface crosses another on the way from the start of a step to `blocks`.
    pub fn is_free_way(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        blocks: &[Vec3],
    ) -> Result<bool, DetectError> {
        self.place_ends(model, motion, blocks)?;
        Ok(self.blocked(model, motion, None).is_empty())
    }

    /// Changes the way from the start of a step to `blocks` so that no surface crosses another on
    /// it.
    pub fn limit_step(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        blocks: &mut [Vec3],
    ) -> Result<FilterReport, DetectError> {
        let pushed_out = self.push_out(model, motion, blocks);
        let mut report = FilterReport { pushed_out, ..FilterReport::NOTHING };
        self.place_ends(model, motion, blocks)?;
        let mut blocked = self.blocked(model, motion, None);
        if blocked.is_empty() {
            return Ok(report);
        }
        let aims = blocks[..model.nodes].to_vec();
        let mut zones = Zones::new(model, self.shapes().len());
        while report.rounds < ROUNDS && grow(&mut zones, model, motion, &blocked) {
            report.rounds += 1;
            self.carry(&mut zones, model, motion, &aims, blocks);
            self.place_ends(model, motion, blocks)?;
            blocked = self.blocked(model, motion, Some(&zones));
        }
        let makeups = zones.makeups(motion);
        blocked.retain(|pair| {
            let zone = zones.zone_of(model, pair.touched(), pair.shape);
            !zone.is_some_and(|zone| makeups[zone].is_stiff())
        });
        report.left = blocked.len();
        if report.left > 0 {
            report.share = self.take_common_share(model, motion, blocks)?;
            self.place_ends(model, motion, blocks)?;
            report.left = self.blocked(model, motion, None).len();
        }
        report.limited = zones.node_count(motion);
        Ok(report)
    }

    /// Sends the free nodes of zones where their zones go.
    fn carry(
        &self,
        zones: &mut Zones,
        model: &Model,
        motion: &StepMotion<'_>,
        aims: &[Vec3],
        blocks: &mut [Vec3],
    ) {
        let (fixed, target) = (&motion.prescription.fixed, &motion.prescription.target);
        let times = [motion.time, motion.time + motion.h];
        let controls = &motion.parameters.controls;
        let (makeups, carried) = (zones.makeups(motion), self.carried_by(model, zones));
        for (number, zone) in zones.all() {
            let free = zone.iter().filter_map(|member| match *member {
                Member::Node(n) if !fixed[n] => Some(n),
                _ => None,
            });
            let free: Vec<usize> = free.collect();
            let aims: Vec<MovingPoint> =
                free.iter().map(|&n| (motion.parameters.mass[n], motion.start[n], aims[n])).collect();
            // Vertices of colliders have no mass: they count like a free node.
            let usual = aims.iter().map(|aim| aim.0).sum::<f64>() / aims.len().max(1) as f64;
            let driven = zone.iter().filter_map(|member| match *member {
                Member::Node(n) if fixed[n] => Some((motion.parameters.mass[n], motion.start[n], target[n])),
                Member::Kinematic(v) => Some((usual.max(f64::MIN_POSITIVE), self.start[v], self.end[v])),
                _ => None,
            });
            let driven: Vec<MovingPoint> = driven.collect();
            let shape = zone.iter().find_map(|member| match *member {
                Member::Shape(s) => Some(self.shapes()[s].moving(controls)),
                _ => None,
            });
            let stiff = match makeups[number] {
                Makeup { driven: false, .. } => {
                    let surface = carried.partition_point(|c| c.0 < number);
                    let surface = carried[surface..].iter().take_while(|c| c.0 == number).map(|c| c.1);
                    self.out_of_shapes(StiffMotion::nearest(&aims), &surface.collect::<Vec<_>>(), motion)
                }
                Makeup { follows: true, .. } => StiffMotion::led_by(&driven, &[]),
                Makeup { follows: false, .. } => StiffMotion::led_by(&driven, &aims),
            };
            for n in free {
                let start = &motion.start[n];
                blocks[n] = shape.map_or_else(|| stiff.apply(start), |shape| shape.carried(start, times));
            }
        }
    }

    /// Surface vertices that zones carry as a whole, with the number of the zone; sorted.
    fn carried_by(&self, model: &Model, zones: &mut Zones) -> Vec<(usize, u32)> {
        let mut out: Vec<(usize, u32)> =
            self.touching().iter().filter_map(|&v| Some((zones.zone_of(model, &[v], None)?, v))).collect();
        out.sort_unstable();
        out
    }

    /// A motion of some surface vertices, shifted until none of those that start outside of the
    /// analytic colliders ends inside, if a few shifts are enough.
    fn out_of_shapes(
        &self,
        mut stiff: StiffMotion,
        vertices: &[u32],
        motion: &StepMotion<'_>,
    ) -> StiffMotion {
        for _ in 0..SHIFTS {
            let mut shift = Vec3::zeros();
            for shape in self.moving_shapes(motion) {
                let (before, after) = (shape.posed(motion.time), shape.posed(motion.time + motion.h));
                let touches = |vertex: &&u32| !self.mesh().is_rooted(**vertex, shape.object);
                let depth = |&vertex: &u32| {
                    let start = &self.start[vertex as usize];
                    let found = after.closest(&stiff.apply(start));
                    let came_in = found.distance < 0.0 && before.closest(start).distance > -INSIDE;
                    came_in.then_some(found)
                };
                let inside = vertices.iter().filter(touches).filter_map(depth);
                if let Some(deepest) = inside.min_by(|a, b| a.distance.total_cmp(&b.distance)) {
                    shift -= deepest.normal * deepest.distance;
                }
            }
            if shift == Vec3::zeros() {
                break;
            }
            stiff = stiff.shifted(shift);
        }
        stiff
    }

    /// Puts surface vertices that were outside of an analytic solid at the start of a step and
    /// would end inside on its surface: nodes, and with embedded vertices the nodes that carry
    /// them. Contacts linearise the surface, and sweeps end before all of them agree; a solid that
    /// moves as prescribed gives no way. Returns how many vertices were put out.
    pub fn push_out(&self, model: &Model, motion: &StepMotion<'_>, blocks: &mut [Vec3]) -> usize {
        let mut count = 0;
        for shape in self.moving_shapes(motion) {
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
            count += self.push_out_embedded((&shape, [before, after]), model, motion, blocks);
        }
        count
    }

    /// Moves the free nodes that carry embedded vertices, each by as little as it takes, until the
    /// vertices are out; some rounds, since vertices share nodes.
    fn push_out_embedded(
        &self,
        (shape, [before, after]): (&MovingShape<'_>, [PosedShape<'_>; 2]),
        model: &Model,
        motion: &StepMotion<'_>,
        blocks: &mut [Vec3],
    ) -> usize {
        let place = |terms: &[(u32, f64)], blocks: &[Vec3]| -> Vec3 {
            terms.iter().map(|&(n, w)| blocks[n as usize] * w).sum()
        };
        let found = |&vertex: &u32| {
            let VertexSource::Embedded(terms) = model.surfaces.source(vertex as usize) else { return None };
            let came_in = !self.mesh().is_rooted(vertex, shape.object)
                && after.closest(&place(terms, blocks)).distance < 0.0
                && before.closest(&place(terms, motion.start)).distance > -INSIDE;
            came_in.then_some(terms)
        };
        let inside: Vec<&[(u32, f64)]> = self.touching().par_iter().filter_map(found).collect();
        for _ in 0..SHIFTS {
            let mut moved = false;
            for terms in &inside {
                let deep = after.closest(&place(terms, blocks));
                let free = || terms.iter().filter(|t| !motion.prescription.fixed[t.0 as usize]);
                let squares: f64 = free().map(|t| t.1 * t.1).sum();
                if deep.distance < 0.0 && squares > 0.0 {
                    moved = true;
                    free().for_each(|&(n, w)| {
                        blocks[n as usize] -= deep.normal * (deep.distance * w / squares);
                    });
                }
            }
            if !moved {
                break;
            }
        }
        inside.len()
    }

    /// All pairs that pass through each other on the way, and vertices that enter an analytic
    /// collider; of those that move with zones only, if there are any.
    fn blocked(&self, model: &Model, motion: &StepMotion<'_>, zones: Option<&Zones>) -> Vec<Blocked> {
        let moved = zones.map(|zones| self.moved_by(model, zones));
        let asks = |vertices: &[u32]| moved.as_ref().is_none_or(|m| vertices.iter().any(|&v| m[v as usize]));
        let is_free = |near: &NearPair, first: &[u32], second: &[u32], thickness: f64| {
            let floor = kept(near.offset.norm(), thickness);
            near.is_retired()
                || near.clearance(&self.end, first, second, floor).is_some()
                || passing_clearance([&self.start, &self.end], first, second, thickness).is_some()
        };
        let vertex_triangle = self.pairs.vertex_triangle.par_iter().filter_map(|near| {
            let [v, t] = near.features;
            let [a, b, c] = self.mesh().triangles()[t as usize];
            let thickness = self.mesh().vertex_half_thickness(v) + self.mesh().triangle_half_thickness(t);
            let meet = asks(&[v, a, b, c]) && !is_free(near, &[v], &[a, b, c], thickness);
            meet.then(|| self.block(Query::PointTriangle, [v, a, b, c], near.offset, thickness))?
        });
        let edge_edge = self.pairs.edge_edge.par_iter().filter_map(|near| {
            let [e, f] = near.features;
            let ([a, b], [c, d]) = (self.mesh().edges()[e as usize], self.mesh().edges()[f as usize]);
            let thickness = self.mesh().edge_half_thickness(e) + self.mesh().edge_half_thickness(f);
            let meet = asks(&[a, b, c, d]) && !is_free(near, &[a, b], &[c, d], thickness);
            meet.then(|| self.block(Query::EdgeEdge, [a, b, c, d], near.offset, thickness))?
        });
        let mut out: Vec<Blocked> = vertex_triangle.chain(edge_edge).collect();
        for (s, (shape, near)) in self.moving_shapes(motion).zip(&self.pairs.analytic).enumerate() {
            let (before, after) = (shape.posed(motion.time), shape.posed(motion.time + motion.h));
            let enters = |&vertex: &u32| {
                let v = vertex as usize;
                let enters = after.closest(&self.end[v]).distance < -INSIDE
                    && before.closest(&self.start[v]).distance > -INSIDE;
                enters.then_some(Blocked { vertices: [vertex; 4], shape: Some(s), distance: 0.0, time: 1.0 })
            };
            let free = |v: &&u32| (**v as usize) < model.surfaces.kinematic_start() && asks(&[**v]);
            out.extend(near.vertices.iter().filter(free).filter_map(enters));
        }
        out
    }

    /// Which vertices move with a zone.
    fn moved_by(&self, model: &Model, zones: &Zones) -> Vec<bool> {
        let moves = |vertex: usize| match model.surfaces.source(vertex) {
            VertexSource::Node(node) => zones.holds(node as usize),
            VertexSource::Embedded(terms) => terms.iter().any(|t| zones.holds(t.0 as usize)),
            VertexSource::Rigid { .. } | VertexSource::Kinematic => false,
        };
        (0..model.surfaces.vertices()).map(moves).collect()
    }

    fn block(
        &self,
        query: fn([Vec3; 4], [Vec3; 4]) -> Query,
        vertices: [u32; 4],
        offset: Vec3,
        thickness: f64,
    ) -> Option<Blocked> {
        let (x0, x1) = (vertices.map(|v| self.start[v as usize]), vertices.map(|v| self.end[v as usize]));
        let distance = offset.norm();
        let slack = if distance > 0.0 { kept(distance, thickness) / distance } else { KEPT };
        let options = AdvanceOptions { min_separation: 0.0, slack, ..AdvanceOptions::default() };
        let time = match query(x0, x1).advance_from(offset, &options) {
            Advance::Free => return None,
            Advance::Blocked { time } => time,
            Advance::TooClose { .. } => 0.0,
        };
        Some(Blocked { vertices, shape: None, distance, time })
    }

    /// All free nodes go as far as the earliest impact allows.
    fn take_common_share(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        blocks: &mut [Vec3],
    ) -> Result<f64, DetectError> {
        self.place_ends(model, motion, blocks)?;
        let blocked = self.blocked(model, motion, None);
        // What prescribed bodies drive comes together however far the free nodes go.
        let is_driven = |vertex: u32| {
            let v = vertex as usize;
            let prescribed = match model.surfaces.source(v) {
                VertexSource::Node(node) => motion.prescription.fixed[node as usize],
                VertexSource::Embedded(_) => false,
                VertexSource::Rigid { .. } | VertexSource::Kinematic => true,
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

/// Joins what passes through each other; false when nothing can be joined any more. A vertex that
/// enters an analytic collider makes a zone first, which is shifted out; it joins the collider when
/// it had been in one. A pair that passes within a zone lets it move as its prescribed points do.
fn grow(zones: &mut Zones, model: &Model, motion: &StepMotion<'_>, blocked: &[Blocked]) -> bool {
    let makeups = zones.makeups(motion);
    let before: Vec<Option<usize>> =
        blocked.iter().map(|pair| zones.zone_of(model, pair.touched(), None)).collect();
    let mut grown = false;
    for (pair, zone) in blocked.iter().zip(before) {
        match (zone, pair.shape) {
            (None, _) => zones.join(model, pair.touched(), None),
            (Some(_), Some(_)) if zones.zone_of(model, pair.touched(), pair.shape).is_none() => {
                zones.join(model, pair.touched(), pair.shape);
            }
            (Some(zone), None) if makeups[zone].driven && !makeups[zone].follows => {
                zones.follow(model, pair.vertices[0]);
            }
            _ => continue,
        }
        grown = true;
    }
    grown
}

impl Blocked {
    /// The vertices, one of them where a collider is entered.
    fn touched(&self) -> &[u32] {
        if self.shape.is_some() { &self.vertices[..1] } else { &self.vertices }
    }
}

/// The distance that a pair keeps which starts at a distance \[m\].
fn kept(distance: f64, thickness: f64) -> f64 {
    if thickness > 0.0 { through_floor(distance, thickness) } else { KEPT * distance }
}
