//! Pairs that meet on the way from the start of a step to a trial end.

use super::collider::{Collider, pair_gap};
use super::convert::pair_key;
use super::near_pair::{NearPair, floor, passes_by};
use rayon::prelude::*;
use std::ops::Index;
use stiction_bodies::Model;
use stiction_collision::ProximityPair;
use stiction_collision::ccd::{Advance, AdvanceOptions, Query};
use stiction_collision::narrow_phase::{edge_edge_pair, vertex_triangle_pair};
use stiction_numerics::Vec3;

/// What is done with pairs that have a contact already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Their contact keeps them apart.
    Trusted,
    /// The same, and all pairs that were near at the start have one.
    Held,
    /// They are looked at again.
    Watched,
}

/// Watched pairs must start at this share of their thickness: those pressed closer, and surfaces without thickness, which touch at
/// distance zero, would be found over and over for a tolerance's worth of motion.
const WATCHED: f64 = 0.02;

/// Pairs per task.
const PER_TASK: usize = 1024;

/// A pair of features with its corners: the first `split` belong to the first feature.
struct Corners {
    vertices: [u32; 4],
    split: usize,
    objects: [u32; 2],
    thickness: f64,
}

impl Corners {
    fn sides(&self) -> (&[u32], &[u32]) {
        self.vertices.split_at(self.split)
    }
}

impl Collider {
    /// Pairs that meet, as they are when they do, with their thickness \[m\].
    pub(super) fn meetings(&self, model: &Model, known: (&[u64], Known)) -> Vec<(ProximityPair, f64)> {
        let mesh = self.mesh();
        let vertex_triangle = |near: &NearPair| {
            let [v, t] = near.features;
            let [a, b, c] = mesh.triangles()[t as usize];
            let corners = Corners {
                vertices: [v, a, b, c],
                split: 1,
                objects: [mesh.vertex_body(v)?, mesh.triangle_body(t)],
                thickness: mesh.vertex_half_thickness(v) + mesh.triangle_half_thickness(t),
            };
            if self.is_free(model, near, &corners, known.1) {
                return None;
            }
            let place = |kept: f64| self.touching_place(Query::PointTriangle, near, corners.vertices, kept);
            let pair = |kept: f64| Some(vertex_triangle_pair(mesh, &place(kept)?, v, t));
            meeting(pair, near.offset.norm(), corners.thickness, known)
        };
        let edge_edge = |near: &NearPair| {
            let [e, f] = near.features;
            let ([a, b], [c, d]) = (mesh.edges()[e as usize], mesh.edges()[f as usize]);
            let corners = Corners {
                vertices: [a, b, c, d],
                split: 2,
                objects: [mesh.edge_body(e), mesh.edge_body(f)],
                thickness: mesh.edge_half_thickness(e) + mesh.edge_half_thickness(f),
            };
            if self.is_free(model, near, &corners, known.1) {
                return None;
            }
            let place = |kept: f64| self.touching_place(Query::EdgeEdge, near, corners.vertices, kept);
            let pair = |kept: f64| Some(edge_edge_pair(mesh, &place(kept)?, e, f));
            meeting(pair, near.offset.norm(), corners.thickness, known)
        };
        let pairs = self.step_pairs();
        let first = pairs.vertex_triangle.par_iter().with_min_len(PER_TASK).filter_map(vertex_triangle);
        let second = pairs.edge_edge.par_iter().with_min_len(PER_TASK).filter_map(edge_edge);
        first.chain(second).collect()
    }

    /// Whether a pair needs no new contact: it keeps apart all the way, or the contact it has from the start holds it.
    fn is_free(&self, model: &Model, near: &NearPair, corners: &Corners, known: Known) -> bool {
        let (first, second) = corners.sides();
        let (thickness, distance) = (corners.thickness, near.offset.norm());
        let stop = floor(distance, thickness, self.options.slack);
        if near.keeps_apart(&self.end, first, second, stop) {
            return true;
        }
        let gap = pair_gap(model, corners.objects);
        if known == Known::Held && distance - thickness <= gap {
            // Pressed together they would be found at the start, where their contact is.
            return distance <= thickness || self.moves_less(corners, thickness + gap);
        }
        passes_by([&self.start, &self.end], first, second, thickness + self.widest_gap)
    }

    /// Whether no corner of one feature moves against one of the other by more than a distance \[m\]: then no point does.
    fn moves_less(&self, corners: &Corners, distance: f64) -> bool {
        let (first, second) = corners.sides();
        let way = |v: u32| self.end[v as usize] - self.start[v as usize];
        let longest = distance * distance;
        first.iter().all(|&a| {
            let own = way(a);
            second.iter().all(|&b| (own - way(b)).norm_squared() <= longest)
        })
    }

    /// The positions of four vertices at the moment when they touch; `None` when they pass free.
    fn touching_place(
        &self,
        query: fn([Vec3; 4], [Vec3; 4]) -> Query,
        near: &NearPair,
        vertices: [u32; 4],
        thickness: f64,
    ) -> Option<FourPlaces> {
        let (x0, x1) = (vertices.map(|v| self.start[v as usize]), vertices.map(|v| self.end[v as usize]));
        let options = AdvanceOptions {
            min_separation: thickness,
            slack: self.options.slack,
            ..AdvanceOptions::default()
        };
        let time = match query(x0, x1).advance_from(near.offset, &options) {
            Advance::Free => return None,
            Advance::Blocked { time } => time,
            Advance::TooClose { .. } => 0.0,
        };
        let places = std::array::from_fn(|k| x0[k] + (x1[k] - x0[k]) * time);
        Some(FourPlaces { vertices, places })
    }
}

/// A new pair that comes closer than its thickness, or a watched one that passes through; `pair` gives it where a distance \[m\] is met.
fn meeting(
    pair: impl Fn(f64) -> Option<ProximityPair>,
    start: f64,
    thickness: f64,
    (known, trust): (&[u64], Known),
) -> Option<(ProximityPair, f64)> {
    let touching = pair(thickness)?;
    if known.binary_search(&pair_key(&touching)).is_err() {
        return Some((touching, thickness));
    }
    let watched = trust == Known::Watched && start > WATCHED * thickness && thickness > 0.0;
    if watched { Some((pair(0.0)?, thickness)) } else { None }
}

/// Positions of the four vertices of a pair, by vertex.
struct FourPlaces {
    vertices: [u32; 4],
    places: [Vec3; 4],
}

impl Index<usize> for FourPlaces {
    type Output = Vec3;

    fn index(&self, vertex: usize) -> &Vec3 {
        let place = self.vertices.iter().position(|&v| v as usize == vertex);
        &self.places[place.expect("a pair asks for its own vertices only")]
    }
}
