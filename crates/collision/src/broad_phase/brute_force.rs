//! The same candidates by comparing everything with everything: the oracle of the tree.

use super::{BroadPhase, Candidates, VertexTrajectories, hull};
use crate::bvh::Extent;
use crate::surface::CollisionMesh;
use stiction_numerics::Vec3;

/// Twin of [`BroadPhase::proximity_candidates`] (equal `start` and `end`) and
/// [`BroadPhase::swept_candidates`].
pub fn candidates(mesh: &CollisionMesh, start: &[Vec3], end: &[Vec3], gap: f64) -> Candidates {
    let mut phase = BroadPhase::new(mesh, start).expect("valid positions");
    phase.set_vertex_boxes(mesh, |v| hull(&start[v], &end[v]), gap);
    compare(mesh, &phase.vertex_boxes)
}

/// Twin of [`BroadPhase::moving_pairs`].
pub fn moving_candidates(mesh: &CollisionMesh, ways: &VertexTrajectories<'_>) -> Candidates {
    let mut phase = BroadPhase::new(mesh, ways.start).expect("valid positions");
    phase.set_moving_boxes(mesh, ways, |_| true);
    compare(mesh, &phase.moving.vertices)
}

fn compare<B: Extent>(mesh: &CollisionMesh, vertices: &[B]) -> Candidates {
    let boxes = |corners: &[u32]| corners.iter().fold(B::EMPTY, |sum, &v| sum.union(&vertices[v as usize]));
    let mut found = Candidates::default();
    for v in 0..mesh.vertex_count() as u32 {
        let Some(body) = mesh.vertex_body(v) else { continue };
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let t = t as u32;
            if !corners.contains(&v)
                && mesh.bodies_may_touch(body, mesh.triangle_body(t))
                && !mesh.is_excluded_vertex_triangle(v, t)
                && !mesh.is_rooted(v, mesh.triangle_body(t))
                && boxes(&[v]).overlaps(&boxes(corners))
            {
                found.vertex_triangle.push([v, t]);
            }
        }
    }
    for (e, first) in mesh.edges().iter().enumerate() {
        for (f, second) in mesh.edges().iter().enumerate().skip(e + 1) {
            let pair = [e as u32, f as u32];
            if !first.iter().any(|v| second.contains(v))
                && mesh.bodies_may_touch(mesh.edge_body(pair[0]), mesh.edge_body(pair[1]))
                && !mesh.is_excluded_edge_edge(pair)
                && !mesh.is_edge_rooted(*first, mesh.edge_body(pair[1]))
                && !mesh.is_edge_rooted(*second, mesh.edge_body(pair[0]))
                && boxes(first).overlaps(&boxes(second))
            {
                found.edge_edge.push(pair);
            }
        }
    }
    found
}
