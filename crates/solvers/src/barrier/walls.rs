//! Analytic colliders: which vertices, edges and triangles are near, and how far a feature may move.
//!
//! Against a convex solid the nearest point may lie inside of an edge or a triangle; against planes and containers, whose free
//! side is convex, vertices suffice. How far a feature may move:
//! * solid: φ is convex, so with p the nearest point of the feature and n = ∇φ(p), φ(y) ≥ φ(p) + n·(y − p) everywhere. After a
//!   time Δt no point of the feature is nearer than φ(p) + Δt min_i n·d_i: a separating axis, advanced until the floor.
//! * plane or container: the free side is convex, so the end of the way decides; bisection finds the place.
//!
//! A moving surface adds its own speed, bounded over the step: `|Ṫ| + (|ω| + |ṡ|/s) r` with r its distance from the centre of the motion.

use super::anchors::AnchorKey;
use super::contacts::{Contact, Scripted, Way, activation_gap, add_vertex};
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_collision::CollisionMesh;
use stiction_collision::distance::{point_edge, point_triangle};
use stiction_contact::ContactStencil;
use stiction_contact::detect::{PlacedShape, nearest_in_triangle, nearest_on_segment};
use stiction_numerics::Vec3;

/// A vertex, edge or triangle of a body: as many corners as count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    pub corners: [u32; 3],
    pub size: usize,
}

impl Feature {
    pub fn corners(&self) -> &[u32] {
        &self.corners[..self.size]
    }
}

/// An analytic collider and the features that may touch it.
pub(super) struct Wall {
    pub shape: PlacedShape,
    moves: bool,
    features: Vec<Feature>,
}

/// A motion of surface vertices from `start` to `end` while the time goes from the first to the second.
pub(super) struct WallMotion<'a> {
    pub start: &'a [Vec3],
    pub end: &'a [Vec3],
    pub times: [f64; 2],
}

/// Weights at most this far from the border of a feature belong to the border.
const BORDER: f64 = 0.02;

/// Advances at most; the cap shortens a step, safely.
const ADVANCES: usize = 64;

impl Wall {
    pub fn new(shape: PlacedShape, moves: bool, model: &Model, mesh: &CollisionMesh) -> Wall {
        let dynamic = model.surfaces.kinematic_start() as u32;
        let mut features: Vec<Feature> = (0..dynamic)
            .filter(|&v| mesh.vertex_body(v).is_some())
            .map(|v| Feature { corners: [v; 3], size: 1 })
            .collect();
        if shape.is_convex_solid() {
            let edges = mesh.edges().iter().filter(|e| e[0] < dynamic);
            features.extend(edges.map(|&[a, b]| Feature { corners: [a, b, b], size: 2 }));
            let triangles = mesh.triangles().iter().filter(|t| t[0] < dynamic);
            features.extend(triangles.map(|&corners| Feature { corners, size: 3 }));
        }
        Wall { shape, moves, features }
    }

    /// Distance at which a feature touches: both half-thicknesses \[m\].
    fn offset(&self, model: &Model, mesh: &CollisionMesh, feature: &Feature) -> f64 {
        let own = mesh.vertex_half_thickness(feature.corners[0]);
        own + model.surfaces.objects[self.shape.object as usize].half_thickness
    }

    /// A distance that the feature is never nearer than, from its first corner alone: φ is 1-Lipschitz.
    fn at_least(&self, feature: &Feature, x: &[Vec3], time: f64) -> f64 {
        let place = x[feature.corners[0] as usize];
        let extent = feature.corners().iter().map(|&v| (x[v as usize] - place).norm()).fold(0.0, f64::max);
        self.shape.closest(&place, time).distance - extent
    }

    /// Appends the contacts of this wall.
    pub fn contacts(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        way: Way<'_>,
        x: &[Vec3],
        out: &mut Vec<Contact>,
    ) {
        let contact = |(number, feature): (usize, &Feature)| {
            let mut contact = self.contact(model, mesh, way, x, feature)?;
            contact.key = AnchorKey::of_wall(number as u32, self.shape.object);
            Some(contact)
        };
        out.par_extend(self.features.par_iter().enumerate().filter_map(contact));
    }

    fn contact(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        way: Way<'_>,
        x: &[Vec3],
        feature: &Feature,
    ) -> Option<Contact> {
        let body = model.surfaces.object_of_vertex[feature.corners[0] as usize];
        let objects = [body, self.shape.object];
        let (activation, offset) = (activation_gap(model, objects), self.offset(model, mesh, feature));
        if self.at_least(feature, x, way.now.time) >= offset + activation {
            return None;
        }
        let corners = feature.corners.map(|v| x[v as usize]);
        let weights = self.inner_weights(&corners[..feature.size], way.now.time)?;
        let place = weighted(&corners, &weights);
        let found = self.shape.closest(&place, way.now.time);
        let gap = found.distance - offset;
        if gap >= activation {
            return None;
        }
        let mut stencil = ContactStencil::default();
        for (&vertex, &weight) in feature.corners().iter().zip(&weights) {
            add_vertex(model, &mut stencil, vertex, weight);
        }
        let (moved, ahead) = self.surface_motion(way, &place);
        Some(Contact {
            stencil,
            held: (0, 0.0),
            normal: found.normal,
            gap,
            activation,
            multiplicity: 1,
            script: Scripted::kept(moved, ahead),
            objects,
            key: AnchorKey::default(),
            slip: Vec3::zeros(),
        })
    }

    /// The prescribed part of `e` is minus the surface: how it moved since the start, and how it will.
    fn surface_motion(&self, way: Way<'_>, place: &Vec3) -> (Vec3, Vec3) {
        if !self.moves {
            return (Vec3::zeros(), Vec3::zeros());
        }
        let over = |from: f64, to: f64| match to > from {
            true => {
                let found = self.shape.closest(place, from);
                self.shape.surface_velocity(place, &found, from, to - from) * (from - to)
            }
            false => Vec3::zeros(),
        };
        (over(way.start.time, way.now.time), over(way.now.time, way.target.time))
    }

    /// Weights of the nearest point when it is inside of the feature; a border belongs to a smaller feature.
    fn inner_weights(&self, corners: &[Vec3], time: f64) -> Option<[f64; 3]> {
        let posed = self.shape.posed(time);
        let slope = |x: &Vec3| posed.closest(x).normal;
        match (corners, self.shape.ball_centre(time)) {
            ([_], _) => Some([1.0, 0.0, 0.0]),
            ([a, b], Some(centre)) => {
                let s = point_edge(&centre, a, b).weights[1];
                (BORDER..1.0 - BORDER).contains(&s).then_some([1.0 - s, s, 0.0])
            }
            ([a, b], None) => nearest_on_segment(*a, *b, slope).map(|s| [1.0 - s, s, 0.0]),
            ([a, b, c], Some(centre)) => {
                let weights = point_triangle(&centre, a, b, c).weights;
                weights.iter().all(|w| *w > BORDER).then_some(weights)
            }
            ([a, b, c], None) => nearest_in_triangle([*a, *b, *c], slope),
            _ => None,
        }
    }

    /// Nearest point of a whole feature: inside, or the nearest on its border.
    fn nearest(&self, corners: &[Vec3], time: f64) -> Vec3 {
        if let Some(weights) = self.inner_weights(corners, time) {
            return corners.iter().zip(&weights).map(|(x, w)| x * *w).sum();
        }
        let border: Vec<Vec3> = match corners {
            [a, b, c] => [[*a, *b], [*b, *c], [*c, *a]].iter().map(|e| self.nearest(e, time)).collect(),
            _ => corners.to_vec(),
        };
        let posed = self.shape.posed(time);
        let distance = |x: &Vec3| posed.closest(x).distance;
        border.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default()
    }

    /// The smallest gap of all features \[m\] and the first corner of the feature that has it; infinite when all are farther than `limit`.
    pub fn smallest_gap(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        x: &[Vec3],
        time: f64,
        limit: f64,
    ) -> (f64, u32) {
        let gap = |feature: &Feature| {
            let offset = self.offset(model, mesh, feature);
            let near = self.at_least(feature, x, time) - offset;
            if near > limit {
                return (f64::INFINITY, feature.corners[0]);
            }
            let corners = feature.corners.map(|v| x[v as usize]);
            let place = self.nearest(&corners[..feature.size], time);
            (self.shape.closest(&place, time).distance - offset, feature.corners[0])
        };
        let gaps: Vec<(f64, u32)> = self.features.par_iter().map(gap).collect();
        gaps.into_iter().fold((f64::INFINITY, 0), |best, this| if this.0 < best.0 { this } else { best })
    }

    /// Whether the collider moves at all.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// The share of a motion that is safe for each feature that comes near, with its first corner.
    pub fn safe_shares(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        motion: &WallMotion<'_>,
        slack: f64,
    ) -> Vec<(f64, u32)> {
        let share = |feature: &Feature| {
            let share = self.feature_share(self.offset(model, mesh, feature), motion, feature, slack)?;
            Some((share, feature.corners[0]))
        };
        self.features.par_iter().filter_map(share).collect()
    }

    /// `None` for a feature that stays far away.
    fn feature_share(
        &self,
        offset: f64,
        motion: &WallMotion<'_>,
        feature: &Feature,
        slack: f64,
    ) -> Option<f64> {
        let reach = |&v: &u32| (motion.end[v as usize] - motion.start[v as usize]).norm();
        let travel = feature.corners().iter().map(reach).fold(0.0, f64::max);
        let place = &motion.start[feature.corners[0] as usize];
        let extent = feature.corners().iter().map(|&v| (motion.start[v as usize] - place).norm());
        let reach = extent.fold(travel, |most, extent| most.max(extent + travel));
        let surface = self.shape.travel_bound(place, reach, motion.times);
        if self.at_least(feature, motion.start, motion.times[0]) - offset > travel + surface {
            return None;
        }
        Some(match self.shape.is_convex_solid() {
            true => self.advance_to_solid(offset, motion, feature, slack, surface),
            false => self.bisect_free_side(offset, motion, feature.corners[0], slack),
        })
    }

    fn advance_to_solid(
        &self,
        offset: f64,
        motion: &WallMotion<'_>,
        feature: &Feature,
        slack: f64,
        surface: f64,
    ) -> f64 {
        let [from, to] = motion.times;
        let at = |share: f64| {
            feature.corners.map(|v| {
                let v = v as usize;
                motion.start[v] + (motion.end[v] - motion.start[v]) * share
            })
        };
        let closest = |share: f64| {
            let (corners, time) = (at(share), from + (to - from) * share);
            let found = self.shape.closest(&self.nearest(&corners[..feature.size], time), time);
            (found.distance - offset, found.normal)
        };
        let (mut share, (mut gap, mut normal)) = (0.0, closest(0.0));
        if gap <= 0.0 {
            return 0.0;
        }
        let floor = slack * gap;
        for _ in 0..ADVANCES {
            let approach = |&v: &u32| -normal.dot(&(motion.end[v as usize] - motion.start[v as usize]));
            let speed = feature.corners().iter().map(approach).fold(0.0, f64::max) + surface;
            let step = (gap - floor) / speed;
            if share + step >= 1.0 {
                return 1.0;
            }
            share += step;
            (gap, normal) = closest(share);
            if gap <= 1.05 * floor {
                break;
            }
        }
        share
    }

    fn bisect_free_side(&self, offset: f64, motion: &WallMotion<'_>, vertex: u32, slack: f64) -> f64 {
        let ([from, to], v) = (motion.times, vertex as usize);
        let gap = |share: f64| {
            let place = motion.start[v] + (motion.end[v] - motion.start[v]) * share;
            self.shape.closest(&place, from + (to - from) * share).distance - offset
        };
        let first = gap(0.0);
        if first <= 0.0 {
            return 0.0;
        }
        let floor = slack * first;
        let (mut low, mut high) = match self.moves {
            true => return self.advance_freely(&gap, floor, motion, v),
            false if gap(1.0) >= floor => return 1.0,
            false => (0.0, 1.0),
        };
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if gap(middle) < floor { high = middle } else { low = middle }
        }
        low
    }

    /// A moving container or plane: advances by the clearance over the fastest approach, until the floor.
    fn advance_freely(
        &self,
        gap: &impl Fn(f64) -> f64,
        floor: f64,
        motion: &WallMotion<'_>,
        vertex: usize,
    ) -> f64 {
        let way = (motion.end[vertex] - motion.start[vertex]).norm();
        let speed = way + self.shape.travel_bound(&motion.start[vertex], way, motion.times);
        let (mut share, mut clearance) = (0.0, gap(0.0) - floor);
        for _ in 0..ADVANCES {
            let next = share + clearance / speed;
            if next >= 1.0 {
                return 1.0;
            }
            (share, clearance) = (next, gap(next) - floor);
            if clearance <= 0.05 * floor {
                break;
            }
        }
        share
    }
}

fn weighted(corners: &[Vec3; 3], weights: &[f64; 3]) -> Vec3 {
    corners.iter().zip(weights).map(|(x, w)| x * *w).sum()
}
