//! Analytic colliders: which vertices, edges and triangles are near, and how far a feature may
//! move.
//!
//! Against a convex solid the nearest point may lie inside of an edge or a triangle; against planes
//! and containers, whose free side is convex, vertices suffice. How far a feature may move:
//! * solid: φ is convex, so with p the nearest point of the feature and n = ∇φ(p),
//!   φ(y) ≥ φ(p) + n·(y − p) everywhere. After a time Δt no point of the feature is nearer than
//!   φ(p) + Δt min_i n·d_i: a separating axis, advanced until the floor. Where a tangent plane of φ
//!   at a corner keeps the whole way free, nothing is advanced.
//! * plane or container: the free side is convex, so the end of the way decides; bisection finds
//!   the place.
//!
//! A moving surface adds its own speed, bounded over the step: `|Ṫ| + (|ω| + |ṡ|/s) r` with r its
//! distance from the centre of the motion.

use super::anchors::AnchorKey;
use super::contacts::{Contact, Scripted, Trajectory, activation_gap, add_vertex};
use super::wall_field::{Field, Placed};
use rayon::prelude::*;
use stiction_bodies::{Controls, Model};
use stiction_collision::CollisionMesh;
use stiction_contact::ContactStencil;
use stiction_contact::barrier::inside_share;
use stiction_contact::detect::{MovingShape, PlacedShape, SurfaceMotion, Travel};
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
    shape: PlacedShape,
    features: Vec<Feature>,
}

/// A wall with the motion that the controls give it.
#[derive(Clone, Copy)]
pub(super) struct MovingWall<'a> {
    pub shape: MovingShape<'a>,
    features: &'a [Feature],
}

/// A motion of surface vertices from `start` to `end` while the time goes from the first to the
/// second.
pub(super) struct WallMotion<'a> {
    pub start: &'a [Vec3],
    pub end: &'a [Vec3],
    pub times: [f64; 2],
}

/// Advances at most; the cap shortens a step, safely.
const ADVANCES: usize = 64;

/// Features per task, at least.
const FEATURES: usize = 512;

impl Wall {
    pub fn new(shape: PlacedShape, model: &Model, mesh: &CollisionMesh) -> Wall {
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
        Wall { shape, features }
    }

    pub fn moving<'a>(&'a self, controls: &'a Controls) -> MovingWall<'a> {
        MovingWall { shape: self.shape.moving(controls), features: &self.features }
    }
}

impl<'a> MovingWall<'a> {
    /// Distance at which a feature touches: both half-thicknesses \[m\].
    fn offset(&self, model: &Model, mesh: &CollisionMesh, feature: &Feature) -> f64 {
        let own = mesh.vertex_half_thickness(feature.corners[0]);
        own + model.surfaces.objects[self.shape.object as usize].half_thickness
    }

    /// φ where vertices of bodies are at a time.
    fn field(&self, model: &Model, x: &[Vec3], time: f64) -> Field<'a> {
        Field::new(&self.shape, x, model.surfaces.kinematic_start(), time)
    }

    /// Appends the contacts of this wall.
    pub fn contacts(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        trajectory: Trajectory<'_>,
        x: &[Vec3],
        out: &mut Vec<Contact>,
    ) {
        let near = NearWall {
            wall: self,
            field: self.field(model, x, trajectory.now.time),
            moved: self.shape.surface_motion([trajectory.start.time, trajectory.now.time]),
            ahead: self.shape.surface_motion([trajectory.now.time, trajectory.target.time]),
        };
        let contact = |(number, feature): (usize, &Feature)| {
            let mut contact = near.contact(model, mesh, x, feature)?;
            contact.key = AnchorKey::of_wall(number as u32, self.shape.object);
            Some(contact)
        };
        out.par_extend(self.features.par_iter().with_min_len(FEATURES).enumerate().filter_map(contact));
    }

    /// The smallest gap of all features \[m\] and the first corner of the feature that has it;
    /// infinite when all are farther than `limit`. The border of a feature is a feature of its own.
    pub fn smallest_gap(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        x: &[Vec3],
        time: f64,
        limit: f64,
    ) -> (f64, u32) {
        let field = self.field(model, x, time);
        let gap = |feature: &Feature| {
            let offset = self.offset(model, mesh, feature);
            let near = field.at_least(feature, [x, x]) - offset <= limit && field.may_dip(feature, x);
            let inside = || {
                let corners = feature.corners.map(|v| x[v as usize]);
                let weights = field.placed.inner_weights(&corners[..feature.size])?;
                Some(field.placed.closest(&weighted(&corners, &weights)).distance - offset)
            };
            let found = if near { inside() } else { None };
            (found.unwrap_or(f64::INFINITY), feature.corners[0])
        };
        let gaps: Vec<(f64, u32)> = self.features.par_iter().with_min_len(FEATURES).map(gap).collect();
        gaps.into_iter().fold((f64::INFINITY, 0), |best, this| if this.0 < best.0 { this } else { best })
    }

    /// Whether the collider moves at all.
    pub fn moves(&self) -> bool {
        self.shape.moves()
    }

    /// The share of a motion that is safe for each feature that comes near, with its first corner.
    pub fn safe_shares(
        &self,
        model: &Model,
        mesh: &CollisionMesh,
        motion: &WallMotion<'_>,
        slack: f64,
    ) -> Vec<(f64, u32)> {
        let field = self.field(model, motion.start, motion.times[0]);
        let travel = self.shape.travel(motion.times);
        let share = |feature: &Feature| {
            let offset = self.offset(model, mesh, feature);
            let share = self.feature_share((&field, travel.as_ref()), offset, motion, feature, slack)?;
            Some((share, feature.corners[0]))
        };
        self.features.par_iter().with_min_len(FEATURES).filter_map(share).collect()
    }

    /// `None` for a feature that stays far away.
    fn feature_share(
        &self,
        (field, travel): (&Field<'_>, Option<&Travel>),
        offset: f64,
        motion: &WallMotion<'_>,
        feature: &Feature,
        slack: f64,
    ) -> Option<f64> {
        let WallMotion { start, end, .. } = *motion;
        let corners = feature.corners();
        let trajectory = |&v: &u32| (end[v as usize] - start[v as usize]).norm();
        let longest = corners.iter().map(trajectory).fold(0.0, f64::max);
        let surface = travel.map_or(0.0, |travel| {
            let place = &start[corners[0] as usize];
            let extent = corners.iter().map(|&v| (start[v as usize] - place).norm()).fold(0.0, f64::max);
            travel.bound(place, extent + longest, field.distance(corners[0]))
        });
        if field.at_least(feature, [start, start]) - offset > longest + surface {
            return None;
        }
        if !self.shape.is_convex_solid() {
            return Some(self.bisect_free_side(offset, motion, corners[0], (slack, surface)));
        }
        let gap = field.at_most(feature) - offset;
        if gap > 0.0 && field.at_least(feature, [start, end]) - offset - surface > slack * gap {
            return Some(1.0);
        }
        Some(self.advance_to_solid(offset, motion, feature, slack, surface))
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
            let found = Placed::new(&self.shape, time).nearest(&corners[..feature.size]);
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

    fn bisect_free_side(
        &self,
        offset: f64,
        motion: &WallMotion<'_>,
        vertex: u32,
        (slack, surface): (f64, f64),
    ) -> f64 {
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
        let (mut low, mut high) = match self.moves() {
            true => return advance_freely(&gap, floor, (motion.end[v] - motion.start[v]).norm() + surface),
            false if gap(1.0) >= floor => return 1.0,
            false => (0.0, 1.0),
        };
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if gap(middle) < floor { high = middle } else { low = middle }
        }
        low
    }
}

/// A moving container or plane: advances by the clearance over the fastest approach \[m\], until
/// the floor.
fn advance_freely(gap: &impl Fn(f64) -> f64, floor: f64, speed: f64) -> f64 {
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

/// A wall, its φ at the vertices and its motion since the start of the step and up to its end.
struct NearWall<'a> {
    wall: &'a MovingWall<'a>,
    field: Field<'a>,
    moved: Option<SurfaceMotion<'a>>,
    ahead: Option<SurfaceMotion<'a>>,
}

impl NearWall<'_> {
    fn contact(&self, model: &Model, mesh: &CollisionMesh, x: &[Vec3], feature: &Feature) -> Option<Contact> {
        let NearWall { wall, field, .. } = self;
        let body = model.surfaces.object_of_vertex[feature.corners[0] as usize];
        let objects = [body, wall.shape.object];
        let (activation, offset) = (activation_gap(model, objects), wall.offset(model, mesh, feature));
        if field.at_least(feature, [x, x]) >= offset + activation || !field.may_dip(feature, x) {
            return None;
        }
        let corners = feature.corners.map(|v| x[v as usize]);
        let weights = field.placed.inner_weights(&corners[..feature.size])?;
        let place = weighted(&corners, &weights);
        let found = field.placed.closest(&place);
        let gap = found.distance - offset;
        if gap >= activation {
            return None;
        }
        let mut stencil = ContactStencil::default();
        for (&vertex, &weight) in feature.corners().iter().zip(&weights) {
            add_vertex(model, &mut stencil, vertex, weight);
        }
        // The prescribed part of `e` is minus the surface.
        let opposite = |motion: &Option<SurfaceMotion<'_>>| {
            let motion = motion.as_ref();
            motion.map_or(Vec3::zeros(), |m| -m.displacement(&place, &m.closest(&place)))
        };
        Some(Contact {
            stencil,
            normal: found.normal,
            gap,
            weight: inside_share(field.lead(feature, &corners, found.distance), activation),
            script: Scripted::kept(opposite(&self.moved), opposite(&self.ahead)),
            first_object: body,
            ..Contact::default()
        })
    }
}

fn weighted(corners: &[Vec3; 3], weights: &[f64; 3]) -> Vec3 {
    corners.iter().zip(weights).map(|(x, w)| x * *w).sum()
}
