//! Judges a whole state: what crosses, what overlaps, what lies inside.
//!
//! *Crossings* are true intersections of mid-surfaces: an edge through a triangle, judged with
//! exact predicates, coplanar cases included. Centrelines of rods are edges, too, so a rod through
//! cloth is a crossing. *Overlaps* are pairs closer than the sum of their half-thicknesses or radii
//! (two rods, or two sheets, closer than they are thick). *Inside* are vertices in the interior of
//! a closed surface of another body. The three are counted apart.

mod edge_triangle;
mod inside;

pub use edge_triangle::{Crossing, edge_triangle};
pub use inside::{ClosedSurfaces, Containment, nearest_triangle};

use crate::broad_phase::PackedPair;
use crate::surface::{CollisionMesh, SurfaceError};
use crate::{BroadPhase, PairKind, narrow_phase};
use stiction_numerics::Vec3;

/// An edge through a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossingPair {
    /// The edge.
    pub edge: u32,
    /// The triangle.
    pub triangle: u32,
    /// Bodies of both.
    pub bodies: [u32; 2],
    /// A common point \[m\].
    pub place: Vec3,
    /// About how far one of the two must move to come free \[m\].
    pub depth: f64,
}

/// Two features closer than their thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapPair {
    /// What overlaps what.
    pub kind: PairKind,
    /// Numbers of the features.
    pub features: [u32; 2],
    /// Bodies of both.
    pub bodies: [u32; 2],
    /// The point half way between the closest points \[m\].
    pub place: Vec3,
    /// How far the gap is below zero \[m\].
    pub depth: f64,
}

/// A vertex in the interior of a closed body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsidePoint {
    /// The vertex.
    pub vertex: u32,
    /// Its body and the closed body around it.
    pub bodies: [u32; 2],
    /// Where the vertex is \[m\].
    pub place: Vec3,
    /// Distance to the surface of the closed body \[m\].
    pub depth: f64,
}

/// All findings, each list sorted by its numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateReport {
    /// True intersections of mid-surfaces and centrelines.
    pub crossings: Vec<CrossingPair>,
    /// Pairs closer than their thickness.
    pub overlaps: Vec<OverlapPair>,
    /// Vertices inside closed bodies.
    pub inside: Vec<InsidePoint>,
}

impl StateReport {
    /// Whether no mid-surface crosses another and nothing lies inside: overlaps of thickness are
    /// allowed.
    pub fn is_intersection_free(&self) -> bool {
        self.crossings.is_empty() && self.inside.is_empty()
    }
}

/// Judges a state. Pairs that the mesh's filters forbid (adjacent, same rigid body, both
/// prescribed, exempt) are not reported.
pub fn check_state(mesh: &CollisionMesh, positions: &[Vec3]) -> Result<StateReport, SurfaceError> {
    check_state_with(&mut BroadPhase::new(mesh, positions)?, &ClosedSurfaces::new(mesh), mesh, positions)
}

/// The same with a tree and a table that persist over states.
pub fn check_state_with(
    phase: &mut BroadPhase,
    closed: &ClosedSurfaces,
    mesh: &CollisionMesh,
    positions: &[Vec3],
) -> Result<StateReport, SurfaceError> {
    let crossings = crossings(phase, mesh, positions)?;
    let overlaps = overlaps(phase, mesh, positions)?;
    phase.refit(mesh, positions, 0.0)?;
    let inside = inside::inside_points(phase, closed, mesh, positions);
    Ok(StateReport { crossings, overlaps, inside })
}

/// Edges through triangles. Candidates are tested where they are found: a list of all of them would be the
/// most that a step of a method holds.
pub fn crossings(
    phase: &mut BroadPhase,
    mesh: &CollisionMesh,
    positions: &[Vec3],
) -> Result<Vec<CrossingPair>, SurfaceError> {
    let test = |pair: PackedPair| {
        let [edge, triangle] = pair.features();
        let ends = mesh.edges()[edge as usize].map(|v| positions[v as usize]);
        let corners = mesh.triangles()[triangle as usize].map(|v| positions[v as usize]);
        let found = edge_triangle(&ends, &corners)?;
        let bodies = [mesh.edge_body(edge), mesh.triangle_body(triangle)];
        Some(CrossingPair { edge, triangle, bodies, place: found.place, depth: found.depth })
    };
    let test_all = |part: Vec<PackedPair>| part.into_iter().filter_map(test).collect::<Vec<_>>();
    let mut found = phase.crossing_parts(mesh, positions, test_all)?.concat();
    found.sort_unstable_by_key(|c| [c.edge, c.triangle]);
    Ok(found)
}

/// Pairs closer than their thickness.
pub fn overlaps(
    phase: &mut BroadPhase,
    mesh: &CollisionMesh,
    positions: &[Vec3],
) -> Result<Vec<OverlapPair>, SurfaceError> {
    let candidates = phase.proximity_candidates(mesh, positions, 0.0)?;
    let pairs = narrow_phase::narrow_phase(mesh, &candidates, positions, 0.0);
    let describe = |pair: &narrow_phase::ProximityPair| {
        let (mut first, mut second) = (Vec3::zeros(), Vec3::zeros());
        for (&v, &w) in pair.vertices.iter().zip(&pair.weights) {
            let part = positions[v as usize] * w;
            if w > 0.0 { first += part } else { second -= part }
        }
        let place = (first + second) * 0.5;
        let bodies = pair_bodies(mesh, pair.kind, pair.features);
        OverlapPair { kind: pair.kind, features: pair.features, bodies, place, depth: -pair.gap }
    };
    Ok(pairs.iter().filter(|pair| pair.gap < 0.0).map(describe).collect())
}

fn pair_bodies(mesh: &CollisionMesh, kind: PairKind, [a, b]: [u32; 2]) -> [u32; 2] {
    let vertex = |v| mesh.vertex_body(v).expect("a vertex of a pair is used");
    match kind {
        PairKind::VertexVertex => [vertex(a), vertex(b)],
        PairKind::VertexEdge => [vertex(a), mesh.edge_body(b)],
        PairKind::VertexTriangle => [vertex(a), mesh.triangle_body(b)],
        PairKind::EdgeEdge => [mesh.edge_body(a), mesh.edge_body(b)],
    }
}
