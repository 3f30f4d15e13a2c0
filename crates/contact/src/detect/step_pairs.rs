//! What may touch within one step, found once and asked many times.
//!
//! A solver looks for contacts several times per step, each time on the way from the same start to another trial end. The first
//! search takes boxes over the motion grown by a *reach*; as long as every vertex of a later trial end lies in its box, the pairs
//! found still hold all that can touch. (Later ends are mostly nearer to the start than the first, which knew of no contact.) What is asked of each pair afterwards (do the boxes of this
//! motion overlap, does the pair come together) is the same as without this memory, so contacts do not depend on it. The
//! vector between the closest points at the start is kept with each pair: it tells most of them apart at once.

use super::analytic::PlacedShape;
use super::collider::pair_gap;
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_collision::distance::{edge_edge, point_triangle};
use stiction_collision::{BroadPhase, Candidates, CollisionMesh, MeshError};
use stiction_numerics::{Vec3, ordered_max_by};

/// Share of the largest displacement by which boxes are grown beyond the gap.
const WANDER: f64 = 0.02;

/// A pair of features, and the vector between their closest points at the start, from the second to the first \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pub features: [u32; 2],
    pub offset: Vec3,
}

impl NearPair {
    /// Whether the slab between the two features across `offset` stays wider than `floor` \[m\] up to the given ends of the first
    /// and the second feature: then the pair is apart on the whole straight way, because the width along a fixed axis is a
    /// concave function of time. False says nothing.
    #[inline]
    pub fn keeps_apart(&self, first: &[&Vec3], second: &[&Vec3], floor: f64) -> bool {
        let along = |x: &&Vec3| self.offset.dot(x);
        let lowest = first.iter().map(along).fold(f64::INFINITY, f64::min);
        let highest = second.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let distance = self.offset.norm();
        // Rounding of the products, far above what it can be.
        let rounding = 1e-12 * distance * (first[0].amax() + distance);
        distance > floor && lowest - highest > floor * distance + rounding
    }
}

/// Features within reach of one analytic collider.
#[derive(Clone, Debug, Default)]
pub(super) struct NearFeatures {
    pub vertices: Vec<u32>,
    pub edges: Vec<u32>,
    pub triangles: Vec<u32>,
}

/// Pairs and features of one step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepPairs {
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    time: f64,
    /// How far the end of a vertex may leave the box of its motion before this no longer holds \[m\].
    reach: f64,
    pub vertex_triangle: Vec<NearPair>,
    pub edge_edge: Vec<NearPair>,
    /// Per analytic collider.
    pub analytic: Vec<NearFeatures>,
}

/// What a search works on.
pub(super) struct Search<'a> {
    pub model: &'a Model,
    pub mesh: &'a CollisionMesh,
    pub shapes: &'a [PlacedShape],
    /// Surface vertices of bodies that belong to a primitive.
    pub touching: &'a [u32],
    pub start: &'a [Vec3],
    pub end: &'a [Vec3],
    pub time: f64,
    /// Largest contact gap of a pair of objects \[m\].
    pub widest_gap: f64,
}

impl StepPairs {
    /// Looks again unless what is known covers the motion.
    pub fn update(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), MeshError> {
        let same_start = self.time == search.time && self.start == search.start;
        let escaped = match same_start {
            true => ordered_max_by(self.end.len(), |v| self.distance_to_box(v, &search.end[v])),
            false => 0.0,
        };
        if same_start && escaped <= self.reach {
            return Ok(());
        }
        let largest = ordered_max_by(search.end.len(), |v| (search.end[v] - search.start[v]).norm());
        let more = (WANDER * largest).max(escaped);
        let gap = search.widest_gap + 2.0 * more;
        let candidates = phase.swept_candidates(search.mesh, search.start, search.end, gap)?;
        self.reach = 0.5 * gap;
        self.time = search.time;
        self.start.clear();
        self.start.extend_from_slice(search.start);
        self.end.clear();
        self.end.extend_from_slice(search.end);
        self.take(search, &candidates);
        self.analytic = search.shapes.iter().map(|shape| self.near(search, shape)).collect();
        Ok(())
    }

    /// How far a point is outside the box of a vertex's motion, in its farthest coordinate \[m\].
    fn distance_to_box(&self, vertex: usize, point: &Vec3) -> f64 {
        let (low, high) =
            (self.start[vertex].inf(&self.end[vertex]), self.start[vertex].sup(&self.end[vertex]));
        (low - point).max().max((point - high).max()).max(0.0)
    }

    /// Candidates within a gap at the start \[m\].
    pub fn within(&self, mesh: &CollisionMesh, gap: f64) -> Candidates {
        let near = |pairs: &[NearPair], thickness: &(dyn Fn([u32; 2]) -> f64 + Sync)| {
            let limit = |pair: &NearPair| thickness(pair.features) + gap;
            // A hair more than the limit: the narrow phase decides.
            let is_near = |pair: &&NearPair| pair.offset.norm() <= limit(pair) * (1.0 + 1e-9);
            pairs.par_iter().filter(is_near).map(|pair| pair.features).collect()
        };
        Candidates {
            vertex_triangle: near(&self.vertex_triangle, &|[v, t]| {
                mesh.vertex_half_thickness(v) + mesh.triangle_half_thickness(t)
            }),
            edge_edge: near(&self.edge_edge, &|[e, f]| {
                mesh.edge_half_thickness(e) + mesh.edge_half_thickness(f)
            }),
        }
    }

    fn take(&mut self, search: &Search<'_>, candidates: &Candidates) {
        let (mesh, x) = (search.mesh, search.start);
        let at = |v: u32| &x[v as usize];
        candidates
            .vertex_triangle
            .par_iter()
            .with_min_len(1024)
            .map(|&[v, t]| {
                let [a, b, c] = mesh.triangles()[t as usize];
                NearPair { features: [v, t], offset: point_triangle(at(v), at(a), at(b), at(c)).offset }
            })
            .collect_into_vec(&mut self.vertex_triangle);
        candidates
            .edge_edge
            .par_iter()
            .with_min_len(1024)
            .map(|&[e, f]| {
                let ([a, b], [c, d]) = (mesh.edges()[e as usize], mesh.edges()[f as usize]);
                NearPair { features: [e, f], offset: edge_edge(at(a), at(b), at(c), at(d)).offset }
            })
            .collect_into_vec(&mut self.edge_edge);
    }

    /// φ is 1-Lipschitz: what is farther than its extent, its motion, the reach, the thicknesses and the gap cannot touch a
    /// collider that stands still. One that moves takes all vertices.
    fn near(&self, search: &Search<'_>, shape: &PlacedShape) -> NearFeatures {
        let (mesh, surfaces) = (search.mesh, &search.model.surfaces);
        let far = |vertex: u32| {
            let v = vertex as usize;
            let object = surfaces.object_of_vertex[v];
            let thickness =
                mesh.vertex_half_thickness(vertex) + surfaces.objects[shape.object as usize].half_thickness;
            // No point of the grown box is farther from the start than this.
            let motion = (search.end[v] - search.start[v]).norm() + 3f64.sqrt() * self.reach;
            let gap = pair_gap(search.model, [object, shape.object]);
            shape.closest(&search.start[v], search.time).distance - (motion + thickness + gap)
        };
        let mut clearance = vec![f64::INFINITY; search.start.len()];
        let distances: Vec<f64> = search.touching.par_iter().with_min_len(512).map(|&v| far(v)).collect();
        search.touching.iter().zip(&distances).for_each(|(&v, d)| clearance[v as usize] = *d);
        let is_free = |v: u32| !mesh.is_rooted(v, shape.object);
        let is_near = |&v: &u32| is_free(v) && (shape.moves() || clearance[v as usize] <= 0.0);
        let vertices = search.touching.iter().copied().filter(is_near).collect();
        if !shape.is_convex_solid() {
            return NearFeatures { vertices, ..NearFeatures::default() };
        }
        // The reach of a feature counts its extent and its fastest vertex; each of its vertices has a bound of its own, the
        // smallest of which plus the extent is below that of the whole.
        let close = |corners: &[u32]| {
            if !corners.iter().all(|&v| is_free(v)) {
                return false;
            }
            let first = search.start[corners[0] as usize];
            let nearest = corners.iter().map(|&v| clearance[v as usize]).fold(f64::INFINITY, f64::min);
            let extent =
                corners.iter().map(|&v| (search.start[v as usize] - first).norm()).fold(0.0, f64::max);
            nearest <= 2.0 * extent
        };
        let edges = mesh.edges().par_iter().enumerate().with_min_len(1024);
        let triangles = mesh.triangles().par_iter().enumerate().with_min_len(1024);
        NearFeatures {
            vertices,
            edges: edges.filter(|(_, ends)| close(*ends)).map(|(e, _)| e as u32).collect(),
            triangles: triangles.filter(|(_, corners)| close(*corners)).map(|(t, _)| t as u32).collect(),
        }
    }
}
