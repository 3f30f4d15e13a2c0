//! Candidates of motions whose ends are known up to a reach: the tree against brute force, and
//! against what really touches.

mod common;

use common::{cloth, folded, mesh_of, noise, soup};
use stiction_collision::broad_phase::{VertexTrajectories, brute_force};
use stiction_collision::ccd::AdvanceOptions;
use stiction_collision::motion::{StraightMotion, swept_pairs};
use stiction_collision::{BroadPhase, CollisionMesh};
use stiction_numerics::Vec3;

/// Vertices that all travel far together and a little on their own.
fn carried(x: &[Vec3], own: f64) -> Vec<Vec3> {
    x.iter().enumerate().map(|(k, p)| p + Vec3::new(1.0, -0.5, 0.25) + noise(k, 5) * own).collect()
}

fn scenes() -> Vec<(CollisionMesh, Vec<Vec3>)> {
    let (rest, triangles) = cloth(12);
    let sheet = folded(&rest);
    let (cloud, pieces) = soup(120, 0.2, 1);
    vec![(mesh_of(sheet.len(), &triangles, 0.004), sheet), (mesh_of(cloud.len(), &pieces, 0.01), cloud)]
}

#[test]
fn the_tree_equals_brute_force_and_sees_less_than_boxes_around_the_motion() {
    for (mesh, start) in scenes() {
        let end = carried(&start, 0.02);
        let reach: Vec<Vec3> =
            (0..start.len()).map(|v| Vec3::new((v % 7) as f64, (v % 5) as f64, 1.0) * 0.001).collect();
        let ways = VertexTrajectories { start: &start, end: &end, reach: &reach, gap: 0.01 };
        let mut phase = BroadPhase::new(&mesh, &start).expect("valid");
        let found = phase.moving_pairs(&mesh, &ways).expect("valid").candidates();
        assert_eq!(found, brute_force::moving_candidates(&mesh, &ways));
        phase.release_boxes();
        let changed = vec![true; start.len()];
        assert_eq!(phase.moving_pairs_of(&mesh, &ways, &changed).expect("valid").candidates(), found);
        let boxes = phase.swept_candidates(&mesh, &start, &end, 0.01).expect("valid");
        assert!(!found.is_empty() && 2 * found.len() < boxes.len(), "{} of {}", found.len(), boxes.len());
    }
}

#[test]
fn all_that_touches_within_reach_is_found() {
    for (mesh, start) in scenes() {
        let end = carried(&start, 0.05);
        let reach = vec![Vec3::repeat(0.02); start.len()];
        let ways = VertexTrajectories { start: &start, end: &end, reach: &reach, gap: 0.0 };
        let mut phase = BroadPhase::new(&mesh, &start).expect("valid");
        let found = phase.moving_pairs(&mesh, &ways).expect("valid").candidates();
        let trial: Vec<Vec3> = end.iter().enumerate().map(|(k, p)| p + noise(k, 9) * 0.02).collect();
        let strayed = trial.iter().zip(&end).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        assert!(strayed <= 0.02 && strayed > 0.005, "{strayed}");
        let all = phase.swept_candidates(&mesh, &start, &trial, 0.0).expect("valid");
        let motion = StraightMotion { start: &start, end: &trial };
        // No slack: only what comes within its thickness counts.
        let options = AdvanceOptions { slack: 1e-6, ..AdvanceOptions::default() };
        let touching = swept_pairs(&mesh, &all, &motion, &options);
        assert!(touching.len() > 10, "{}", touching.len());
        assert_eq!(swept_pairs(&mesh, &found, &motion, &options), touching);
    }
}

#[test]
fn a_search_around_changed_vertices_completes_the_list() {
    for (mesh, start) in scenes() {
        let end = carried(&start, 0.02);
        let mut reach = vec![Vec3::repeat(0.001); start.len()];
        let mut phase = BroadPhase::new(&mesh, &start).expect("valid");
        let ways = VertexTrajectories { start: &start, end: &end, reach: &reach, gap: 0.01 };
        let before = phase.moving_pairs(&mesh, &ways).expect("valid").candidates();
        let is_changed: Vec<bool> = (0..start.len()).map(|v| v % 29 == 3).collect();
        reach
            .iter_mut()
            .zip(&is_changed)
            .for_each(|(r, changed)| *r = if *changed { Vec3::repeat(0.15) } else { *r });
        let ways = VertexTrajectories { start: &start, end: &end, reach: &reach, gap: 0.01 };
        let around = phase.moving_pairs_of(&mesh, &ways, &is_changed).expect("valid").candidates();
        let all = phase.moving_pairs(&mesh, &ways).expect("valid").candidates();
        let touched = |vertices: &[u32]| vertices.iter().any(|&v| is_changed[v as usize]);
        let edges = |&[a, b]: &[u32; 2]| [mesh.edges()[a as usize], mesh.edges()[b as usize]].concat();
        let corners = |&[v, t]: &[u32; 2]| [&[v][..], &mesh.triangles()[t as usize]].concat();
        let split = |list: &[[u32; 2]], of: &dyn Fn(&[u32; 2]) -> Vec<u32>| -> (Vec<_>, Vec<_>) {
            list.iter().copied().partition(|pair| touched(&of(pair)))
        };
        let (new_edges, old_edges) = split(&all.edge_edge, &edges);
        let (new_faces, old_faces) = split(&all.vertex_triangle, &corners);
        assert_eq!((around.edge_edge, around.vertex_triangle), (new_edges.clone(), new_faces));
        assert_eq!(split(&before.edge_edge, &edges).1, old_edges);
        assert_eq!(split(&before.vertex_triangle, &corners).1, old_faces);
        assert!(new_edges.len() > split(&before.edge_edge, &edges).0.len());
    }
}
