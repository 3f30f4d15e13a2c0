//! From candidates to closest features, without duplicates.
//!
//! A candidate is reduced to the features that realise its distance: vertex–vertex, vertex–edge,
//! vertex–triangle or edge–edge. Several candidates may reduce to the same pair (a vertex beside an
//! edge is seen by every face around that edge); such a pair is kept once, with its multiplicity:
//! the number of vertex–triangle candidates that led to it.

mod sections;

pub use sections::visit_pairs;

use crate::broad_phase::Candidates;
use crate::distance::{ClosestFeature, edge_edge, point_edge, point_triangle};
use crate::surface::CollisionMesh;
use rayon::prelude::*;
use std::ops::Index;
use stiction_numerics::Vec3;

/// Candidates per parallel piece of work.
pub(crate) const CHUNK: usize = 1024;

/// Features that realise a distance. The order of the kinds is the order of sorted output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// Two vertices, smaller number first.
    VertexVertex,
    /// A vertex and the interior of an edge.
    VertexEdge,
    /// A vertex and the interior of a triangle.
    VertexTriangle,
    /// The interiors of two edges, smaller number first.
    EdgeEdge,
}

/// A pair within the asked gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximityPair {
    /// What touches what.
    pub kind: PairKind,
    /// Numbers of the two features among vertices, edges or triangles: with `kind`, the identity of
    /// the pair.
    pub features: [u32; 2],
    /// Vertices involved; unused places repeat the last one and have no weight.
    pub vertices: [u32; 4],
    /// Signed weights: Σ wᵢxᵢ is the vector from the second feature to the first. Positive on the
    /// first, they sum to 0.
    pub weights: [f64; 4],
    /// Unit vector from the second feature to the first.
    pub normal: Vec3,
    /// Distance \[m\].
    pub distance: f64,
    /// Distance less both half-thicknesses \[m\].
    pub gap: f64,
    /// Number of vertex–triangle candidates that led here; 1 for the interiors of two edges, 0
    /// where edges alone led to a vertex.
    pub multiplicity: u32,
}

impl ProximityPair {
    /// Sorting key, unique in the output of [`narrow_phase`].
    #[inline]
    pub fn key(&self) -> (PairKind, [u32; 2]) {
        (self.kind, self.features)
    }
}

/// Evaluates candidates at `positions`; keeps pairs with a gap of at most `gap` \[m\], sorted by
/// key, each once.
pub fn narrow_phase(
    mesh: &CollisionMesh,
    candidates: &Candidates,
    positions: &[Vec3],
    gap: f64,
) -> Vec<ProximityPair> {
    let faces = filter_chunks(&candidates.vertex_triangle, PairKind::VertexTriangle, |&[v, t]| {
        vertex_triangle_pair(mesh, positions, v, t).filter_gap(gap)
    });
    let edges = filter_chunks(&candidates.edge_edge, PairKind::EdgeEdge, |&[a, b]| {
        edge_edge_pair(mesh, positions, a, b).filter_gap(gap)
    });
    let borders: Vec<&[ProximityPair]> = faces.iter().chain(&edges).map(|part| &part.borders[..]).collect();
    let mut all = merge_duplicates(&borders.concat());
    // Insides are met by one candidate each, in the order of the candidates, and their kinds come
    // last.
    let insides = faces.iter().chain(&edges).map(|part| &part.insides);
    all.reserve_exact(insides.clone().map(Vec::len).sum());
    insides.for_each(|part| all.extend_from_slice(part));
    all
}

/// Pairs of one chunk of candidates.
#[derive(Default)]
struct Part {
    /// Pairs of the candidates' own kind.
    insides: Vec<ProximityPair>,
    /// Pairs with the border of a feature, which others may lead to as well.
    borders: Vec<ProximityPair>,
}

/// Maps and filters in fixed chunks, in order.
fn filter_chunks(
    candidates: &[[u32; 2]],
    own: PairKind,
    evaluate: impl Fn(&[u32; 2]) -> Option<ProximityPair> + Sync,
) -> Vec<Part> {
    debug_assert!(candidates.is_sorted(), "candidates come sorted");
    let of_chunk = |chunk: &[[u32; 2]]| {
        let mut part = Part::default();
        for pair in chunk.iter().filter_map(&evaluate) {
            if pair.kind == own { &mut part.insides } else { &mut part.borders }.push(pair);
        }
        part
    };
    candidates.par_chunks(CHUNK).map(of_chunk).collect()
}

impl ProximityPair {
    #[inline]
    fn filter_gap(self, gap: f64) -> Option<Self> {
        (self.gap <= gap).then_some(self)
    }
}

/// Where a pair belongs in sorted output: by kind and features, then by gap, then larger
/// multiplicities first. Eight times smaller than the pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    kind: PairKind,
    features: [u32; 2],
    /// The bits of the gap, in an order that is that of the numbers.
    gap: i64,
    fewer: u32,
    index: u32,
}

impl Place {
    fn of((index, pair): (usize, &ProximityPair)) -> Place {
        let bits = pair.gap.to_bits() as i64;
        let gap = if bits < 0 { bits ^ i64::MAX } else { bits };
        let fewer = u32::MAX - pair.multiplicity;
        Place { kind: pair.kind, features: pair.features, gap, fewer, index: index as u32 }
    }

    fn multiplicity(&self) -> u32 {
        u32::MAX - self.fewer
    }
}

/// Sorts by key; of equal keys the smallest gap stays (thickness may differ by the face that led
/// here) and the multiplicities add up.
fn merge_duplicates(pairs: &[ProximityPair]) -> Vec<ProximityPair> {
    let mut places: Vec<Place> = pairs.iter().enumerate().map(Place::of).collect();
    places.par_sort_unstable();
    let mut merged: Vec<ProximityPair> = Vec::with_capacity(places.len());
    for place in places {
        let pair = &pairs[place.index as usize];
        match merged.last_mut().filter(|kept| kept.key() == pair.key()) {
            Some(kept) => kept.multiplicity += pair.multiplicity,
            None => merged.push(*pair),
        }
    }
    merged
}

/// Gap of a vertex and a triangle \[m\].
pub(crate) fn vertex_triangle_gap(mesh: &CollisionMesh, x: &[Vec3], vertex: u32, triangle: u32) -> f64 {
    vertex_triangle_pair(mesh, x, vertex, triangle).gap
}

/// Gap of two edges \[m\].
pub(crate) fn edge_edge_gap(mesh: &CollisionMesh, x: &[Vec3], a: u32, b: u32) -> f64 {
    edge_edge_pair(mesh, x, a, b).gap
}

/// Closest features of a vertex and a triangle; `x` gives positions by vertex.
#[inline]
pub fn vertex_triangle_pair(
    mesh: &CollisionMesh,
    x: &(impl Index<usize, Output = Vec3> + ?Sized),
    vertex: u32,
    triangle: u32,
) -> ProximityPair {
    let corners = mesh.triangles()[triangle as usize];
    let [p, a, b, c] = [vertex, corners[0], corners[1], corners[2]].map(|v| &x[v as usize]);
    let found = point_triangle(p, a, b, c);
    let distance = found.distance_squared.sqrt();
    let thickness = mesh.vertex_half_thickness(vertex) + mesh.triangle_half_thickness(triangle);
    let w = found.weights;
    let (kind, features, vertices, weights, sign) = match found.feature {
        ClosestFeature::Face => {
            let vertices = [vertex, corners[0], corners[1], corners[2]];
            (PairKind::VertexTriangle, [vertex, triangle], vertices, [1.0, -w[0], -w[1], -w[2]], 1.0)
        }
        ClosestFeature::Edge(k) => {
            let edge = mesh.triangle_edges()[triangle as usize][k as usize];
            let (i, j) = (k as usize, (k as usize + 1) % 3);
            let (vertices, weights) = vertex_edge(vertex, [corners[i], corners[j]], [w[i], w[j]]);
            (PairKind::VertexEdge, [vertex, edge], vertices, weights, 1.0)
        }
        ClosestFeature::Vertex(k) => vertex_vertex(vertex, corners[k as usize]),
    };
    let fallback = || (b - a).cross(&(c - a));
    let normal = unit(&found.offset, distance, fallback) * sign;
    ProximityPair {
        kind,
        features,
        vertices,
        weights,
        normal,
        distance,
        gap: distance - thickness,
        multiplicity: 1,
    }
}

/// Closest features of two edges; `x` gives positions by vertex.
#[inline]
pub fn edge_edge_pair(
    mesh: &CollisionMesh,
    x: &(impl Index<usize, Output = Vec3> + ?Sized),
    first: u32,
    second: u32,
) -> ProximityPair {
    let (ea, eb) = (mesh.edges()[first as usize], mesh.edges()[second as usize]);
    let [a0, a1, b0, b1] = [ea[0], ea[1], eb[0], eb[1]].map(|v| &x[v as usize]);
    let found = edge_edge(a0, a1, b0, b1);
    let distance = found.distance_squared.sqrt();
    let thickness = mesh.edge_half_thickness(first) + mesh.edge_half_thickness(second);
    let (wa, wb) = (found.weights_a, found.weights_b);
    let (kind, features, vertices, weights, sign) = match (found.feature_a, found.feature_b) {
        (ClosestFeature::Vertex(i), ClosestFeature::Vertex(j)) => {
            vertex_vertex(ea[i as usize], eb[j as usize])
        }
        (ClosestFeature::Vertex(i), _) => {
            let (vertices, weights) = vertex_edge(ea[i as usize], eb, wb);
            (PairKind::VertexEdge, [ea[i as usize], second], vertices, weights, 1.0)
        }
        (_, ClosestFeature::Vertex(j)) => {
            let (vertices, weights) = vertex_edge(eb[j as usize], ea, wa);
            (PairKind::VertexEdge, [eb[j as usize], first], vertices, weights, -1.0)
        }
        _ => {
            let vertices = [ea[0], ea[1], eb[0], eb[1]];
            (PairKind::EdgeEdge, [first, second], vertices, [wa[0], wa[1], -wb[0], -wb[1]], 1.0)
        }
    };
    let fallback = || (a1 - a0).cross(&(b1 - b0));
    let normal = unit(&found.offset, distance, fallback) * sign;
    let multiplicity = u32::from(kind == PairKind::EdgeEdge);
    ProximityPair {
        kind,
        features,
        vertices,
        weights,
        normal,
        distance,
        gap: distance - thickness,
        multiplicity,
    }
}

type Reduced = (PairKind, [u32; 2], [u32; 4], [f64; 4], f64);

/// Smaller vertex first; the sign turns the offset when they swap places.
#[inline]
fn vertex_vertex(a: u32, b: u32) -> Reduced {
    let (low, high, sign) = if a < b { (a, b, 1.0) } else { (b, a, -1.0) };
    (PairKind::VertexVertex, [low, high], [low, high, high, high], [1.0, -1.0, 0.0, 0.0], sign)
}

/// Ends in the order of the edge table, so that the same pair looks the same from every face.
#[inline]
fn vertex_edge(vertex: u32, ends: [u32; 2], w: [f64; 2]) -> ([u32; 4], [f64; 4]) {
    let (ends, w) = if ends[0] < ends[1] { (ends, w) } else { ([ends[1], ends[0]], [w[1], w[0]]) };
    ([vertex, ends[0], ends[1], ends[1]], [1.0, -w[0], -w[1], 0.0])
}

/// Direction of an offset. At zero distance any unit normal of the features is as good; up if there
/// is none.
#[inline]
fn unit(offset: &Vec3, distance: f64, fallback: impl Fn() -> Vec3) -> Vec3 {
    if distance > 1e-150 {
        return offset / distance;
    }
    let normal = fallback();
    let scale = normal.amax();
    if scale > 0.0 { (normal / scale).normalize() } else { Vec3::z() }
}

/// The same features at other positions: weights, normal and gap anew, kind and identity kept, even
/// where another feature would now be closer. Serves known contacts at trial configurations.
pub fn reevaluate(pair: &ProximityPair, x: &[Vec3]) -> ProximityPair {
    let [p, q, r, s] = pair.vertices.map(|v| x[v as usize]);
    let (offset, weights) = match pair.kind {
        PairKind::VertexVertex => (p - q, pair.weights),
        PairKind::VertexEdge => {
            let found = point_edge(&p, &q, &r);
            (found.offset, [1.0, -found.weights[0], -found.weights[1], 0.0])
        }
        PairKind::VertexTriangle => {
            let found = point_triangle(&p, &q, &r, &s);
            let w = found.weights;
            (found.offset, [1.0, -w[0], -w[1], -w[2]])
        }
        PairKind::EdgeEdge => {
            let found = edge_edge(&p, &q, &r, &s);
            let (a, b) = (found.weights_a, found.weights_b);
            (found.offset, [a[0], a[1], -b[0], -b[1]])
        }
    };
    let thickness = pair.distance - pair.gap;
    let distance = offset.norm();
    let normal = unit(&offset, distance, || pair.normal);
    ProximityPair { weights, normal, distance, gap: distance - thickness, ..*pair }
}
