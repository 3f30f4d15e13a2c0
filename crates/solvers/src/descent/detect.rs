//! Which pieces may touch in a step, and where.
//!
//! Pieces whose bounds, widened by how far they can come in the step, overlap are looked at: the
//! margin is 2 g h² + h (|Δv| + |ω| R). Points up to that far apart are contacts: the law opens those
//! that do not close.

use super::motion::Moving;
use super::pieces::{Owner, Piece, Pieces, Wall};
use rayon::prelude::*;
use stiction_collision::bvh::{Box32, Bvh};
use stiction_collision::convex::{ContactPatch, ContactPoint, PlacedPolytope, Search, touching};
use stiction_numerics::Vec3;

/// Two pieces with the points at which they may touch.
#[derive(Clone, Debug)]
pub struct PairPatch {
    /// The same from step to step: numbers of both pieces; walls count after all pieces.
    pub key: [u32; 2],
    /// Who moves them.
    pub owners: [Owner; 2],
    /// The same among all objects.
    pub objects: [u32; 2],
    /// Half of the smallest extent of the thinner one \[m\].
    pub half_width: f64,
    /// The points.
    pub patch: ContactPatch,
}

/// All pairs that may touch, in the order of their keys.
pub fn find(pieces: &Pieces, moving: &Moving, flush: f64) -> Vec<PairPatch> {
    let placed: Vec<PlacedPolytope<'_>> = pieces
        .convex
        .par_iter()
        .map(|piece| {
            let frame = moving.frame(piece.owner);
            PlacedPolytope::new(&piece.shape, &frame.origin, &frame.orientation)
        })
        .collect();
    let finder = Finder { pieces, moving, placed: &placed, flush };
    let mut keys = finder.near_pieces();
    for wall in 0..pieces.walls.len() {
        keys.extend((0..pieces.convex.len() as u32).map(|k| [k, (pieces.convex.len() + wall) as u32]));
    }
    keys.sort_unstable();
    let found = keys.par_iter().filter_map(|&key| finder.look(key));
    found.filter(|pair| !pair.patch.points.is_empty()).collect()
}

struct Finder<'a> {
    pieces: &'a Pieces,
    moving: &'a Moving,
    placed: &'a [PlacedPolytope<'a>],
    flush: f64,
}

impl Finder<'_> {
    /// Pieces of two owners, one of which is free, with overlapping bounds.
    fn near_pieces(&self) -> Vec<[u32; 2]> {
        let middle = self.placed.iter().map(|p| p.middle).sum::<Vec3>() / self.placed.len().max(1) as f64;
        let boxes: Vec<Box32> = (self.pieces.convex.iter().zip(self.placed))
            .map(|(piece, placed)| self.bounds(piece, placed, &middle))
            .collect();
        let tree = Bvh::build(&boxes, |element| element);
        let order = tree.order();
        let parts = tree.self_pairs(
            |a, b| a != b,
            Vec::new,
            |i, j, out: &mut Vec<[u32; 2]>| {
                let pair = [order[i].min(order[j]), order[i].max(order[j])];
                if self.may_touch(pair) {
                    out.push(pair);
                }
            },
        );
        parts.into_iter().flatten().collect()
    }

    fn may_touch(&self, pair: [u32; 2]) -> bool {
        let owners = pair.map(|k| self.pieces.convex[k as usize].owner);
        if owners[0] == owners[1] || owners.iter().all(|&o| self.moving.unknown(o).is_none()) {
            return false;
        }
        match owners {
            [Owner::Rigid(a), Owner::Rigid(b)] => {
                self.pieces.exempt.binary_search(&[a.min(b), a.max(b)]).is_err()
            }
            _ => true,
        }
    }

    /// Bounds widened by half of what two pieces at rest need and by the own motion, rounded outward.
    fn bounds(&self, piece: &Piece, placed: &PlacedPolytope<'_>, origin: &Vec3) -> Box32 {
        let Moving { h, weight, .. } = *self.moving;
        let [low, high] = placed.bounds();
        let way = self.moving.expected_velocity(piece.owner, &placed.middle).norm() * h;
        let wide = weight * h * h + way + self.turning(piece.owner, placed);
        let least = |x: f64| (x as f32).next_down();
        let most = |x: f64| (x as f32).next_up();
        Box32 {
            lo: [0, 1, 2].map(|k| least(low[k] - wide - origin[k])),
            hi: [0, 1, 2].map(|k| most(high[k] + wide - origin[k])),
        }
    }

    /// How far the surface of a piece moves by the turning of its owner \[m\].
    fn turning(&self, owner: Owner, placed: &PlacedPolytope<'_>) -> f64 {
        let h = self.moving.h;
        match owner {
            Owner::Rigid(body) => {
                let body = &self.moving.bodies[body as usize];
                body.prescribed.unwrap_or(body.free).angular.norm() * h * placed.shape.reach()
            }
            Owner::Collider(collider) => {
                let reach = placed.vertices.iter().map(|v| (v - placed.middle).norm()).fold(0.0, f64::max);
                self.moving.colliders[collider as usize].angular().norm() * h * reach
            }
        }
    }

    fn look(&self, key: [u32; 2]) -> Option<PairPatch> {
        let first = &self.pieces.convex[key[0] as usize];
        let a = &self.placed[key[0] as usize];
        let Some(second) = self.pieces.convex.get(key[1] as usize) else {
            let wall = &self.pieces.walls[key[1] as usize - self.pieces.convex.len()];
            return self.look_at_wall(key, first, a, wall);
        };
        let b = &self.placed[key[1] as usize];
        let search = Search { margin: self.margin([first.owner, second.owner], [a, b]), flush: self.flush };
        Some(PairPatch {
            key,
            owners: [first.owner, second.owner],
            objects: [first.object, second.object],
            half_width: first.shape.half_width.min(second.shape.half_width),
            patch: touching(a, b, &search),
        })
    }

    fn margin(&self, owners: [Owner; 2], placed: [&PlacedPolytope<'_>; 2]) -> f64 {
        let Moving { h, weight, .. } = *self.moving;
        let velocity = |k: usize| self.moving.expected_velocity(owners[k], &placed[k].middle);
        let turning: f64 = (0..2).map(|k| self.turning(owners[k], placed[k])).sum();
        2.0 * weight * h * h + h * (velocity(0) - velocity(1)).norm() + turning
    }

    fn look_at_wall(
        &self,
        key: [u32; 2],
        piece: &Piece,
        placed: &PlacedPolytope<'_>,
        wall: &Wall,
    ) -> Option<PairPatch> {
        self.moving.unknown(piece.owner)?;
        let owner = Owner::Collider(wall.collider);
        let frame = self.moving.frame(owner);
        let normal = frame.orientation * wall.normal;
        let on_wall = frame.origin + frame.orientation * wall.point;
        let (h, radius) = (self.moving.h, placed.shape.radius);
        let below = placed.middle - normal * normal.dot(&(placed.middle - on_wall));
        let relative = self.moving.expected_velocity(piece.owner, &placed.middle)
            - self.moving.expected_velocity(owner, &below);
        let margin =
            2.0 * self.moving.weight * h * h + h * relative.norm() + self.turning(piece.owner, placed);
        let point = |(id, vertex): (usize, &Vec3)| {
            let gap = normal.dot(&(vertex - on_wall)) - radius;
            let on_a = vertex - normal * radius;
            ContactPoint { on_a, on_b: on_a - normal * gap, gap, id: id as u32 }
        };
        let points = placed.vertices.iter().enumerate().map(point).filter(|p| p.gap <= margin).collect();
        let mut patch = ContactPatch { normal, points };
        patch.reduce();
        let objects = [piece.object, wall.object];
        let half_width = piece.shape.half_width;
        Some(PairPatch { key, owners: [piece.owner, owner], objects, half_width, patch })
    }
}
