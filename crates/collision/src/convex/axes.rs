//! Separating axes of two convex polyhedra.
//!
//! Two convex polyhedra are apart exactly when a plane separates them, and such a plane can be
//! taken parallel to a face of one of them or to an edge of each. The largest separation over these
//! directions is the distance when a face or two crossing edges are nearest, and minus the depth
//! when they overlap.   \[Gottschalk1996; Gregorius2013 for the test by Gauss maps\]

use super::polytope::{Edge, PlacedPolytope};
use stiction_numerics::Vec3;

/// A direction along which two pieces were compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Which one it is.
    pub kind: AxisKind,
    /// Unit vector from the first piece to the second.
    pub direction: Vec3,
    /// Separation of the unrounded pieces along it \[m\]; negative where they overlap.
    pub separation: f64,
}

/// Where a direction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// A face of the first piece.
    FaceA(u32),
    /// A face of the second piece.
    FaceB(u32),
    /// An edge of each.
    Edges(u32, u32),
}

/// The best face of `a`: the one that `b` is farthest outside of.
pub fn best_face(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>) -> (u32, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for face in 0..a.normals.len() {
        let separation = face_separation(a, face, b);
        if separation > best.1 {
            best = (face as u32, separation);
        }
    }
    best
}

/// How far `b` is outside of a face of `a` \[m\].
pub fn face_separation(a: &PlacedPolytope<'_>, face: usize, b: &PlacedPolytope<'_>) -> f64 {
    b.lowest(&a.normals[face]) - a.offsets[face]
}

/// The best faces of both as axes from the first to the second.
pub fn face_axes(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>) -> [Axis; 2] {
    let (of_a, of_b) = (best_face(a, b), best_face(b, a));
    [
        Axis { kind: AxisKind::FaceA(of_a.0), direction: a.normals[of_a.0 as usize], separation: of_a.1 },
        Axis { kind: AxisKind::FaceB(of_b.0), direction: -b.normals[of_b.0 as usize], separation: of_b.1 },
    ]
}

/// Sine of the angle below which two edges count as parallel.
const PARALLEL: f64 = 1e-6;

/// The best pair of edges with a separation above `floor`, if there is one.
///
/// Only pairs whose arcs cross on the Gauss map bound the Minkowski difference; the others separate
/// less.
pub fn edge_axis(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>, floor: f64) -> Option<Axis> {
    let mut best: Option<Axis> = None;
    let arcs_b: Vec<Arc> = b.shape.edges.iter().map(|edge| Arc::new(b, edge, -1.0)).collect();
    for (i, edge_a) in a.shape.edges.iter().enumerate() {
        let arc_a = Arc::new(a, edge_a, 1.0);
        for (j, (edge_b, arc_b)) in b.shape.edges.iter().zip(&arcs_b).enumerate() {
            if !arc_a.crosses(arc_b) {
                continue;
            }
            let cross = arc_a.pole.cross(&arc_b.pole);
            let length = cross.norm();
            if length < PARALLEL {
                continue;
            }
            let p = a.vertices[edge_a.vertices[0] as usize];
            let q = b.vertices[edge_b.vertices[0] as usize];
            let mut direction = cross / length;
            if direction.dot(&(p - a.middle)) < 0.0 {
                direction = -direction;
            }
            let separation = direction.dot(&(q - p));
            if separation > best.map_or(floor, |axis| axis.separation) {
                let kind = AxisKind::Edges(i as u32, j as u32);
                best = Some(Axis { kind, direction, separation });
            }
        }
    }
    best
}

/// The arc of an edge on the Gauss map: normals of its two faces, and their pole.
struct Arc {
    ends: [Vec3; 2],
    pole: Vec3,
}

impl Arc {
    fn new(piece: &PlacedPolytope<'_>, edge: &Edge, sign: f64) -> Arc {
        let ends = edge.faces.map(|f| piece.normals[f as usize] * sign);
        let pole = ends[1].cross(&ends[0]).try_normalize(0.0).unwrap_or(Vec3::zeros());
        Arc { ends, pole }
    }

    fn crosses(&self, other: &Arc) -> bool {
        let [c, d] = other.ends.map(|n| n.dot(&self.pole));
        let [a, b] = self.ends.map(|n| n.dot(&other.pole));
        c * d < 0.0 && a * b < 0.0 && c * b > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::Polytope;
    use stiction_numerics::nalgebra::UnitQuaternion;
    use stiction_numerics::{Mat3, Random};

    /// The largest separation over all candidate axes, without any pruning.
    fn brute_force(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>) -> f64 {
        let highest = |p: &PlacedPolytope<'_>, n: &Vec3| -p.lowest(&-n);
        let separation = |n: Vec3| (b.lowest(&n) - highest(a, &n)).max(a.lowest(&n) - highest(b, &n));
        let faces = a.normals.iter().chain(&b.normals).map(|n| separation(*n));
        let along = |p: &PlacedPolytope<'_>, e: &Edge| {
            p.vertices[e.vertices[1] as usize] - p.vertices[e.vertices[0] as usize]
        };
        let pairs = a.shape.edges.iter().flat_map(|e| b.shape.edges.iter().map(move |f| (e, f)));
        let edges = pairs.filter_map(|(e, f)| {
            along(a, e).normalize().cross(&along(b, f).normalize()).try_normalize(1e-9).map(separation)
        });
        faces.chain(edges).fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn the_best_axis_is_that_of_all_axes() {
        let mut random = Random::new(11);
        let mut by_edges = 0;
        for _ in 0..2000 {
            let shapes =
                [0, 1].map(|_| Polytope::cuboid(Vec3::zeros(), random.vector(0.2, 1.0), &Mat3::identity()));
            let centre = random.vector(-1.2, 1.2);
            let turns = [0, 1].map(|_| UnitQuaternion::from_scaled_axis(random.vector(-3.0, 3.0)));
            let a = PlacedPolytope::new(&shapes[0], &Vec3::zeros(), &turns[0]);
            let b = PlacedPolytope::new(&shapes[1], &centre, &turns[1]);
            let faces = face_axes(&a, &b).map(|axis| axis.separation);
            let floor = faces[0].max(faces[1]);
            let edge = edge_axis(&a, &b, floor);
            by_edges += usize::from(edge.is_some());
            let found = edge.map_or(floor, |axis| axis.separation);
            let expected = brute_force(&a, &b);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert!(by_edges > 200, "{by_edges} pairs of edges");
    }
}
