//! Features within reach of one analytic collider during a step.
//!
//! The signed distance φ is 1-Lipschitz: what is farther from the collider than its own way, the
//! collider's, the thicknesses and the gap cannot touch it. For edges and triangles the nearest
//! place at the start is worked out once and serves the whole step.

use super::analytic::{MovingShape, PosedShape, Travel};
use super::analytic_search::{nearest_edge_place, nearest_triangle_place};
use super::contact_finder::pair_gap;
use super::near_pair::merge;
use super::step_pairs::Search;
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Features and, for edges and triangles, the weights of their nearest place at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct NearFeatures {
    pub vertices: Vec<u32>,
    pub edges: Vec<(u32, [f64; 2])>,
    pub triangles: Vec<(u32, [f64; 3])>,
}

/// Farthest way of a vertex, by number \[m\].
type LongestTravel<'a> = dyn Fn(u32) -> f64 + Sync + 'a;
/// Which features are looked at, by their vertices.
type FeatureFilter<'a> = dyn Fn(&[u32]) -> bool + Sync + 'a;

/// The question for one collider.
struct Looking<'a> {
    search: &'a Search<'a>,
    shape: &'a MovingShape<'a>,
    posed: PosedShape<'a>,
    travel: Option<Travel>,
    ways: &'a LongestTravel<'a>,
}

impl NearFeatures {
    /// Wanted features within reach of a collider.
    pub fn new(
        search: &Search<'_>,
        shape: &MovingShape<'_>,
        ways: &(impl Fn(u32) -> f64 + Sync),
        wanted: &(impl Fn(&[u32]) -> bool + Sync),
    ) -> NearFeatures {
        let (posed, travel) = (shape.posed(search.times[0]), shape.travel(search.times));
        Looking { search, shape, posed, travel, ways }.features(wanted)
    }

    /// Looks again at changed features.
    pub fn replace(
        &mut self,
        search: &Search<'_>,
        shape: &MovingShape<'_>,
        ways: &(impl Fn(u32) -> f64 + Sync),
        changed: &(impl Fn(&[u32]) -> bool + Sync),
    ) {
        let new = NearFeatures::new(search, shape, ways, changed);
        let (edges, triangles) = (search.mesh.edges(), search.mesh.triangles());
        self.vertices.retain(|&v| !changed(&[v]));
        self.edges.retain(|(e, _)| !changed(&edges[*e as usize]));
        self.triangles.retain(|(t, _)| !changed(&triangles[*t as usize]));
        merge(&mut self.vertices, new.vertices, |v| *v);
        merge(&mut self.edges, new.edges, |e| e.0);
        merge(&mut self.triangles, new.triangles, |t| t.0);
    }
}

impl Looking<'_> {
    fn features(&self, wanted: &FeatureFilter<'_>) -> NearFeatures {
        let Search { mesh, touching, model, .. } = self.search;
        let near = |&&v: &&u32| wanted(&[v]) && self.is_near(&[v]);
        let vertices = touching.par_iter().with_min_len(512).filter(near).copied().collect();
        if !self.shape.is_convex_solid() {
            return NearFeatures { vertices, ..NearFeatures::default() };
        }
        // Features of mesh colliders have nothing that is free.
        let free = model.surfaces.kinematic_start();
        let asked =
            |corners: &[u32]| (corners[0] as usize) < free && wanted(corners) && self.is_near(corners);
        let (time, at) = (self.search.times[0], |v: u32| self.search.start[v as usize]);
        let edge = |(e, ends): (usize, &[u32; 2])| {
            let place =
                asked(ends).then(|| nearest_edge_place(self.shape, &self.posed, time, ends.map(at)))?;
            Some((e as u32, place?))
        };
        let triangle = |(t, corners): (usize, &[u32; 3])| {
            let place = || nearest_triangle_place(self.shape, &self.posed, time, corners.map(at));
            Some((t as u32, asked(corners).then(place)??))
        };
        NearFeatures {
            vertices,
            edges: mesh.edges().par_iter().enumerate().with_min_len(512).filter_map(edge).collect(),
            triangles: mesh
                .triangles()
                .par_iter()
                .enumerate()
                .with_min_len(512)
                .filter_map(triangle)
                .collect(),
        }
    }

    /// Whether a feature may touch. φ of a convex solid lies above its tangent plane at the middle
    /// of the feature, which is lowest at a corner; other shapes are asked for vertices alone.
    fn is_near(&self, corners: &[u32]) -> bool {
        let Search { start, mesh, model, .. } = self.search;
        // What is rooted in the collider never touches it.
        if corners.iter().any(|&v| mesh.is_rooted(v, self.shape.object)) {
            return false;
        }
        let at = |v: &u32| start[*v as usize];
        let middle = corners.iter().map(at).sum::<Vec3>() / corners.len() as f64;
        let found = self.posed.closest(&middle);
        let lowest =
            corners.iter().map(|v| found.normal.dot(&(at(v) - middle))).fold(f64::INFINITY, f64::min);
        let extent = corners.iter().map(|v| (at(v) - middle).norm()).fold(0.0, f64::max);
        let way = corners.iter().map(|&v| (self.ways)(v)).fold(0.0, f64::max);
        let objects = [model.surfaces.object_of_vertex[corners[0] as usize], self.shape.object];
        let thickness = mesh.vertex_half_thickness(corners[0])
            + model.surfaces.objects[self.shape.object as usize].half_thickness;
        let travel = |travel: &Travel| travel.bound(&middle, extent + way, found.distance);
        let reach = way + self.travel.as_ref().map_or(0.0, travel) + thickness + pair_gap(model, objects);
        // And the rounding of these sums.
        found.distance + lowest <= reach + 1e-12 * (middle.amax() + extent + reach)
    }
}
