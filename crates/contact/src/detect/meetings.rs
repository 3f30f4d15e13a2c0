//! Pairs that meet on the way from the start of a step to a trial end.

use super::contact_finder::{ContactFinder, pair_gap};
use super::convert::pair_key;
use super::near_pair::{Farthest, NearPair, Settled, Wandered, floor, passing_clearance};
use rayon::prelude::*;
use std::ops::Index;
use stiction_bodies::Model;
use stiction_collision::ProximityPair;
use stiction_collision::ccd::{Advance, AdvanceOptions, Query};
use stiction_collision::distance::{edge_edge, point_triangle};
use stiction_collision::narrow_phase::{edge_edge_pair, vertex_triangle_pair};
use stiction_numerics::Vec3;

/// The contacts that there are already, and what a search may assume of their pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownContacts<'a> {
    /// Their sorted keys. A pair that has a contact gets no other one, unless it is rechecked.
    keys: &'a [u64],
    /// Whether all that [`ContactFinder::proximity`] found for this step is among them. A pair that
    /// was near from the start then has its contact: it is asked for another place only if it moves
    /// by more than its thickness and gap, or, where pairs are rechecked, if it passes through.
    has_all_near: bool,
    /// Whether a pair whose centrelines or mid-surfaces pass through each other all the same gets
    /// another contact at the place of the crossing: one whose weights and normal were taken
    /// elsewhere may let its pair slip past.
    rechecked: bool,
}

impl<'a> KnownContacts<'a> {
    /// Contacts by their sorted keys; they keep their pairs apart.
    pub fn new(keys: &'a [u64]) -> KnownContacts<'a> {
        KnownContacts { keys, has_all_near: false, rechecked: false }
    }

    /// The same, with all that [`ContactFinder::proximity`] found for this step among them.
    #[must_use]
    pub fn with_all_near(self) -> KnownContacts<'a> {
        KnownContacts { has_all_near: true, ..self }
    }

    /// The same, but pairs that pass through each other all the same get another contact.
    #[must_use]
    pub fn rechecked(self) -> KnownContacts<'a> {
        KnownContacts { rechecked: true, ..self }
    }

    /// Whether a contact with this key is not among them.
    pub(super) fn misses(&self, key: u64) -> bool {
        self.keys.binary_search(&key).is_err()
    }

    /// What settles a pair that was near from the start, if all of those have their contacts.
    fn settles_near(&self) -> Option<Settled> {
        match (self.has_all_near, self.rechecked) {
            (true, false) => Some(Settled::Held),
            (true, true) => Some(Settled::Open),
            (false, _) => None,
        }
    }
}

/// Rechecked pairs must start at this share of their thickness: those pressed closer, and surfaces
/// without thickness, which touch at distance zero, would be found over and over for a tolerance's
/// worth of motion.
const RECHECKED: f64 = 0.02;

/// Rechecked pairs pass through each other where their distance falls below this share of their
/// thickness, wherever they come from: one that starts many thicknesses away and ends in its
/// contact is held.
const THROUGH: f64 = 0.1;

/// Pairs per task.
const PER_TASK: usize = 1024;

/// A pair of features with its corners: the first `split` belong to the first feature.
struct Corners {
    vertices: [u32; 4],
    split: usize,
}

impl Corners {
    fn sides(&self) -> (&[u32], &[u32]) {
        self.vertices.split_at(self.split)
    }
}

impl ContactFinder {
    /// Pairs that meet, as they are when they do, with their thickness \[m\].
    pub(super) fn meetings(&mut self, model: &Model, known: KnownContacts<'_>) -> Vec<(ProximityPair, f64)> {
        let mut vertex_triangle = std::mem::take(&mut self.pairs.vertex_triangle);
        let mut edge_edge = std::mem::take(&mut self.pairs.edge_edge);
        let finder = &*self;
        let farthest = Farthest::new(self.mesh(), &self.pairs.wandered);
        let farthest = &farthest;
        let first = vertex_triangle.par_iter_mut().with_min_len(PER_TASK);
        let second = edge_edge.par_iter_mut().with_min_len(PER_TASK);
        let first = first.filter_map(|near| finder.vertex_meets_triangle(model, near, farthest, known));
        let second = second.filter_map(|near| finder.edges_meet(model, near, farthest, known));
        let met = first.chain(second).collect();
        (self.pairs.vertex_triangle, self.pairs.edge_edge) = (vertex_triangle, edge_edge);
        met
    }

    fn vertex_meets_triangle(
        &self,
        model: &Model,
        near: &mut NearPair,
        farthest: &Farthest<'_>,
        known: KnownContacts<'_>,
    ) -> Option<(ProximityPair, f64)> {
        let (mesh, [v, t]) = (self.mesh(), near.features);
        if is_settled(near, farthest.vertices[v as usize] + farthest.triangles[t as usize], known) {
            return None;
        }
        let [a, b, c] = mesh.triangles()[t as usize];
        let corners = Corners { vertices: [v, a, b, c], split: 1 };
        let wandered = self.wandered(&corners);
        let thickness = mesh.vertex_half_thickness(v) + mesh.triangle_half_thickness(t);
        let objects = [mesh.vertex_body(v)?, mesh.triangle_body(t)];
        let asked = Asked { corners: &corners, query: Query::PointTriangle, objects, thickness, wandered };
        if self.is_free(model, near, &asked, known) {
            return None;
        }
        let place = |kept: Kept| self.touching_place(&asked, near.offset, kept);
        let pair = |kept: Kept| Some(vertex_triangle_pair(mesh, &place(kept)?, v, t));
        meeting(pair, self.start_of(near, thickness), known)
    }

    fn edges_meet(
        &self,
        model: &Model,
        near: &mut NearPair,
        farthest: &Farthest<'_>,
        known: KnownContacts<'_>,
    ) -> Option<(ProximityPair, f64)> {
        let (mesh, [e, f]) = (self.mesh(), near.features);
        if is_settled(near, farthest.edges[e as usize] + farthest.edges[f as usize], known) {
            return None;
        }
        let ([a, b], [c, d]) = (mesh.edges()[e as usize], mesh.edges()[f as usize]);
        let corners = Corners { vertices: [a, b, c, d], split: 2 };
        let wandered = self.wandered(&corners);
        let thickness = mesh.edge_half_thickness(e) + mesh.edge_half_thickness(f);
        let objects = [mesh.edge_body(e), mesh.edge_body(f)];
        let asked = Asked { corners: &corners, query: Query::EdgeEdge, objects, thickness, wandered };
        if self.is_free(model, near, &asked, known) {
            return None;
        }
        let place = |kept: Kept| self.touching_place(&asked, near.offset, kept);
        let pair = |kept: Kept| Some(edge_edge_pair(mesh, &place(kept)?, e, f));
        meeting(pair, self.start_of(near, thickness), known)
    }

    fn start_of(&self, near: &NearPair, thickness: f64) -> PairStart {
        PairStart { distance: near.offset.norm(), thickness, slack: self.options.slack }
    }

    /// How far the ends of two features have wandered in this step.
    fn wandered(&self, corners: &Corners) -> Wandered {
        let least = |side: &[u32]| {
            side.iter().map(|&v| self.pairs.wandered[v as usize]).fold(f64::INFINITY, f64::min)
        };
        let (first, second) = corners.sides();
        Wandered(least(first) + least(second))
    }

    /// Whether a pair needs no new contact: it keeps apart all the way, or the contact it has holds
    /// it.
    fn is_free(
        &self,
        model: &Model,
        near: &mut NearPair,
        asked: &Asked<'_>,
        known: KnownContacts<'_>,
    ) -> bool {
        let (first, second) = asked.corners.sides();
        let Asked { thickness, wandered, .. } = *asked;
        let (ways, distance) = ([&self.start[..], &self.end[..]], near.offset.norm());
        let stop = floor(distance, thickness, self.options.slack);
        let mut clearance = near.clearance(&self.end, first, second, stop);
        if clearance.is_none() {
            let gap = pair_gap(model, asked.objects);
            let is_near = distance - thickness <= gap;
            let near_settles = known.settles_near().filter(|_| is_near);
            if let Some(Settled::Held) = near_settles {
                // Pressed together they would be found at the start, where their contact is.
                let pressed = (distance <= thickness).then_some(f64::INFINITY);
                let held = pressed.or_else(|| self.moves_less(asked.corners, thickness + gap));
                near.settle(Settled::Held, wandered, held);
                if held.is_some() {
                    return true;
                }
            } else if let Some(Settled::Open) = near_settles {
                // A slab that stays open lets nothing through.
                let open = near.clearance(&self.end, first, second, through_floor(distance, thickness));
                near.settle(Settled::Open, wandered, open);
                if open.is_some() {
                    return true;
                }
            } else {
                clearance = passing_clearance(ways, first, second, thickness + self.widest_gap);
            }
        }
        let turned = || near.turned_clearance(ways, first, second, (self.offset_at_end(asked.corners), stop));
        let clearance = clearance.or_else(turned);
        near.settle(Settled::Free, wandered, clearance);
        clearance.is_some()
    }

    /// The vector between the closest points of two features at the end \[m\].
    fn offset_at_end(&self, corners: &Corners) -> Vec3 {
        let [a, b, c, d] = corners.vertices.map(|v| &self.end[v as usize]);
        match corners.split {
            1 => point_triangle(a, b, c, d).offset,
            _ => edge_edge(a, b, c, d).offset,
        }
    }

    /// By how much less than a distance the corners of one feature move against those of the other,
    /// if none moves by more \[m\]: then no point does.
    fn moves_less(&self, corners: &Corners, distance: f64) -> Option<f64> {
        let (first, second) = corners.sides();
        let way = |v: u32| self.end[v as usize] - self.start[v as usize];
        let mut longest = 0.0f64;
        for &a in first {
            let own = way(a);
            longest = second.iter().map(|&b| (own - way(b)).norm_squared()).fold(longest, f64::max);
        }
        let left = distance - longest.sqrt();
        (left >= 0.0).then_some(left)
    }

    /// The positions of four vertices at the moment when they touch; `None` when they pass free.
    fn touching_place(&self, asked: &Asked<'_>, offset: Vec3, kept: Kept) -> Option<FourPlaces> {
        let vertices = asked.corners.vertices;
        let (x0, x1) = (vertices.map(|v| self.start[v as usize]), vertices.map(|v| self.end[v as usize]));
        let options =
            AdvanceOptions { min_separation: kept.distance, slack: kept.slack, ..AdvanceOptions::default() };
        let time = match (asked.query)(x0, x1).advance_from(offset, &options) {
            Advance::Free => return None,
            Advance::Blocked { time } => time,
            Advance::TooClose { .. } => 0.0,
        };
        let places = std::array::from_fn(|k| x0[k] + (x1[k] - x0[k]) * time);
        Some(FourPlaces { vertices, places })
    }
}

/// A pair that is asked.
struct Asked<'a> {
    corners: &'a Corners,
    query: fn([Vec3; 4], [Vec3; 4]) -> Query,
    /// To which the features belong.
    objects: [u32; 2],
    /// Of both features together \[m\].
    thickness: f64,
    wandered: Wandered,
}

/// Whether nothing can have changed for a pair since it was asked and found free, held by its
/// contact or open.
#[inline]
fn is_settled(near: &NearPair, most: f64, known: KnownContacts<'_>) -> bool {
    near.is_settled(Settled::Free, most)
        || known.settles_near().is_some_and(|settled| near.is_settled(settled, most))
}

/// Where a pair that starts at a distance passes through \[m\].
pub(super) fn through_floor(start: f64, thickness: f64) -> f64 {
    THROUGH * thickness.min(start)
}

/// What a pair must keep of its distance: `distance` \[m\], and a share `slack` of what it has
/// beyond that at the start.
#[derive(Clone, Copy)]
struct Kept {
    distance: f64,
    slack: f64,
}

/// A pair at the start of a step.
#[derive(Clone, Copy)]
struct PairStart {
    /// Of its closest points \[m\].
    distance: f64,
    /// Of both features together \[m\].
    thickness: f64,
    /// Fraction of the distance that it keeps.
    slack: f64,
}

/// A new pair that comes closer than its thickness, or a rechecked one that passes through; `pair`
/// gives it where it no longer keeps its distance.
fn meeting(
    pair: impl Fn(Kept) -> Option<ProximityPair>,
    start: PairStart,
    known: KnownContacts<'_>,
) -> Option<(ProximityPair, f64)> {
    let PairStart { distance, thickness, slack } = start;
    let touching = pair(Kept { distance: thickness, slack })?;
    if known.misses(pair_key(&touching)) {
        return Some((touching, thickness));
    }
    let rechecked = known.rechecked && distance > RECHECKED * thickness && thickness > 0.0;
    let through = Kept { distance: 0.0, slack: slack.min(through_floor(distance, thickness) / distance) };
    if rechecked { Some((pair(through)?, thickness)) } else { None }
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
