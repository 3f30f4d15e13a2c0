//! The tree against brute force, filters, thread counts, duplicates and motions.

mod common;

use common::{cloth, folded, mesh_of, noise, soup};
use stiction_collision::broad_phase::brute_force;
use stiction_collision::ccd::AdvanceOptions;
use stiction_collision::intersection::crossings;
use stiction_collision::motion::{StraightMotion, earliest_impact, swept_pairs};
use stiction_collision::narrow_phase::{narrow_phase, reevaluate};
use stiction_collision::{BodyTraits, BroadPhase, CollisionMesh, MeshInput, PairKind, SurfaceError};
use stiction_numerics::Vec3;

fn equals_brute_force(name: &str, mesh: &CollisionMesh, start: &[Vec3], end: &[Vec3], gap: f64) {
    let mut phase = BroadPhase::new(mesh, start).expect("valid");
    let still = phase.proximity_candidates(mesh, start, gap).expect("valid");
    assert_eq!(still, brute_force::candidates(mesh, start, start, gap), "{name}: proximity");
    let swept = phase.swept_candidates(mesh, start, end, gap).expect("valid");
    assert_eq!(swept, brute_force::candidates(mesh, start, end, gap), "{name}: swept");
    assert!(!swept.is_empty(), "{name}: nothing was tested");
    for pair in &still.edge_edge {
        assert!(swept.edge_edge.binary_search(pair).is_ok(), "{name}: a sweep contains its start");
    }
}

#[test]
fn random_soup() {
    let (x, triangles) = soup(150, 0.3, 1);
    let end: Vec<Vec3> = x.iter().enumerate().map(|(k, p)| p + noise(k, 5) * 0.1).collect();
    equals_brute_force("soup", &mesh_of(x.len(), &triangles, 0.01), &x, &end, 0.02);
}

#[test]
fn folded_cloth() {
    let (rest, triangles) = cloth(14);
    let x = folded(&rest);
    let end: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.x, p.y, 0.4 * p.z)).collect();
    equals_brute_force("folded", &mesh_of(x.len(), &triangles, 0.004), &x, &end, 0.01);
}

#[test]
fn long_thin_triangles() {
    let (mut x, triangles) = soup(120, 0.02, 3);
    for (k, p) in x.iter_mut().enumerate().filter(|(k, _)| k % 3 == 0) {
        *p += noise(k, 9) * 3.0;
    }
    let end: Vec<Vec3> = x.iter().map(|p| p * 1.01).collect();
    equals_brute_force("thin", &mesh_of(x.len(), &triangles, 0.0), &x, &end, 0.001);
}

#[test]
fn coincident_points_and_far_from_zero() {
    let (mut x, triangles) = soup(60, 0.2, 4);
    let one = x[0];
    x.iter_mut().step_by(2).for_each(|p| *p = one);
    equals_brute_force("coincident", &mesh_of(x.len(), &triangles, 0.0), &x, &x.clone(), 0.0);
    let (x, triangles) = soup(60, 0.3, 6);
    let far: Vec<Vec3> = x.iter().map(|p| p + Vec3::new(1e7, -3e6, 2e8)).collect();
    equals_brute_force("far", &mesh_of(x.len(), &triangles, 0.0), &far, &far.clone(), 0.01);
}

#[test]
fn rods_points_and_odd_meshes() {
    let (mut x, mut triangles) = soup(40, 0.4, 8);
    triangles.push(triangles[0]);
    triangles.push([triangles[1][0], triangles[1][1], triangles[2][2]]);
    triangles.push([triangles[1][0], triangles[1][1], triangles[3][2]]);
    let first = x.len() as u32;
    x.extend((0..60).map(|k| noise(k, 77)));
    let input = MeshInput {
        vertex_count: x.len(),
        triangle_traits: vec![(0.01, 0); triangles.len()],
        triangles,
        segments: (0..39).map(|k| [first + k, first + k + 1]).collect(),
        segment_traits: vec![(0.03, 1); 39],
        points: (45..60).map(|k| first + k).collect(),
        point_traits: vec![(0.05, 2); 15],
        bodies: vec![BodyTraits::DEFORMABLE; 3],
        exempt: vec![],
    };
    let mesh = CollisionMesh::new(input).expect("non-manifold, duplicate and unused parts are legal");
    let end: Vec<Vec3> = x.iter().enumerate().map(|(k, p)| p + noise(k, 3) * 0.2).collect();
    equals_brute_force("mixed", &mesh, &x, &end, 0.05);
    let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
    let candidates = phase.proximity_candidates(&mesh, &x, 0.1).expect("valid");
    let pairs = narrow_phase(&mesh, &candidates, &x, 0.1);
    let is_point = |v: u32| mesh.vertex_body(v) == Some(2);
    assert!(pairs.iter().any(|p| p.kind == PairKind::VertexEdge && is_point(p.features[0])));
}

#[test]
fn filters_of_bodies() {
    let (x, triangles) = soup(100, 0.5, 12);
    let build = |bodies: Vec<BodyTraits>, exempt: Vec<[u32; 2]>| {
        let traits = (0..triangles.len()).map(|t| (0.0, (t % bodies.len()) as u32)).collect();
        let input = MeshInput {
            vertex_count: x.len(),
            triangles: triangles.clone(),
            triangle_traits: traits,
            bodies,
            exempt,
            ..Default::default()
        };
        CollisionMesh::new(input).expect("valid")
    };
    let count = |mesh: &CollisionMesh, inner: bool| {
        let found = brute_force::candidates(mesh, &x, &x, 0.0);
        let mut phase = BroadPhase::new(mesh, &x).expect("valid");
        assert_eq!(phase.proximity_candidates(mesh, &x, 0.0).expect("valid"), found);
        found.edge_edge.iter().filter(|e| (mesh.edge_body(e[0]) == mesh.edge_body(e[1])) == inner).count()
    };
    let soft = build(vec![BodyTraits::DEFORMABLE; 2], vec![]);
    let rigid = build(vec![BodyTraits::RIGID; 2], vec![]);
    let prescribed = build(vec![BodyTraits::PRESCRIBED; 2], vec![]);
    let exempt = build(vec![BodyTraits::DEFORMABLE; 2], vec![[1, 0]]);
    assert!(count(&soft, true) > 0 && count(&soft, false) > 0);
    assert_eq!((count(&rigid, true), count(&rigid, false)), (0, count(&soft, false)));
    assert_eq!((count(&prescribed, true), count(&prescribed, false)), (0, 0));
    assert_eq!((count(&exempt, true), count(&exempt, false)), (count(&soft, true), 0));
}

#[test]
fn rest_neighbours_are_left_out() {
    let (x, triangles) = cloth(12);
    // thicker than an edge is long: neighbours overlap at rest
    let mut mesh = mesh_of(x.len(), &triangles, 0.06);
    let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
    let before = phase.proximity_candidates(&mesh, &x, 0.0).expect("valid");
    assert!(narrow_phase(&mesh, &before, &x, -1e-9).len() > 100);
    let excluded = mesh.exclude_rest_neighbours(&x).expect("valid");
    let after = phase.proximity_candidates(&mesh, &x, 0.0).expect("valid");
    assert_eq!(before.len() - after.len(), excluded);
    assert!(narrow_phase(&mesh, &after, &x, 0.0).is_empty());
    equals_brute_force("excluded", &mesh, &folded(&x), &x, 0.01);
}

#[test]
fn identical_for_any_number_of_threads() {
    let (rest, triangles) = cloth(60);
    let x = folded(&rest);
    let end: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.x, p.y, -0.5 * p.z)).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        pool.install(|| {
            let mesh = mesh_of(x.len(), &triangles, 0.002);
            let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
            let near = phase.proximity_candidates(&mesh, &x, 0.01).expect("valid");
            let pairs = narrow_phase(&mesh, &near, &x, 0.01);
            let swept = phase.swept_candidates(&mesh, &x, &end, 0.0).expect("valid");
            let options = AdvanceOptions { min_separation: -0.004, ..Default::default() };
            let motion = StraightMotion { start: &x, end: &end };
            let impact = earliest_impact(&mesh, &swept, &motion, &options);
            let contacts = swept_pairs(&mesh, &swept, &motion, &options);
            assert_eq!(contacts.iter().map(|c| c.time).fold(1.0, f64::min), impact.time);
            assert!(contacts.windows(2).all(|w| w[0].pair.key() < w[1].pair.key()));
            (near, pairs, swept, impact, contacts)
        })
    };
    let one = run(1);
    assert!(one.1.len() > 1000 && one.3.pair.is_some() && one.3.time > 0.0, "{:?}", one.3);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}

#[test]
fn pairs_are_unique_and_their_weights_rebuild_the_distance() {
    let (x, triangles) = soup(120, 0.4, 21);
    let mesh = mesh_of(x.len(), &triangles, 0.01);
    let candidates =
        BroadPhase::new(&mesh, &x).expect("valid").proximity_candidates(&mesh, &x, 0.1).expect("valid");
    let pairs = narrow_phase(&mesh, &candidates, &x, 0.1);
    assert!(pairs.windows(2).all(|w| w[0].key() < w[1].key()));
    for kind in [PairKind::VertexVertex, PairKind::VertexEdge, PairKind::VertexTriangle, PairKind::EdgeEdge] {
        assert!(pairs.iter().any(|pair| pair.kind == kind), "{kind:?}");
    }
    for pair in &pairs {
        let offset: Vec3 = pair.vertices.iter().zip(pair.weights).map(|(&v, w)| x[v as usize] * w).sum();
        assert!((offset - pair.normal * pair.distance).norm() < 1e-13, "{pair:?}");
        assert!(pair.weights.iter().sum::<f64>().abs() < 1e-14);
        let inner = matches!(pair.kind, PairKind::VertexTriangle | PairKind::EdgeEdge);
        assert!(!inner || pair.multiplicity == 1);
        assert!(pair.gap <= 0.1 && (pair.distance - pair.gap - 0.02).abs() < 1e-15);
    }
}

#[test]
fn known_pairs_are_evaluated_anew() {
    let (x, triangles) = soup(120, 0.4, 21);
    let mesh = mesh_of(x.len(), &triangles, 0.01);
    let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
    let candidates = phase.proximity_candidates(&mesh, &x, 0.1).expect("valid");
    let moved: Vec<Vec3> = x.iter().enumerate().map(|(k, p)| p + noise(k, 8) * 1e-3).collect();
    for pair in narrow_phase(&mesh, &candidates, &x, 0.1) {
        let same = reevaluate(&pair, &x);
        assert!((same.gap - pair.gap).abs() < 1e-15 && (same.normal - pair.normal).norm() < 1e-9, "{pair:?}");
        let other = reevaluate(&pair, &moved);
        assert_eq!((other.key(), other.vertices), (pair.key(), pair.vertices));
        let offset: Vec3 =
            other.vertices.iter().zip(other.weights).map(|(&v, w)| moved[v as usize] * w).sum();
        assert!((offset - other.normal * other.distance).norm() < 1e-13);
        // two points move by less than √3·1e-3 each
        assert!((other.gap - pair.gap).abs() < 4e-3 && (other.distance - other.gap - 0.02).abs() < 1e-14);
    }
}

#[test]
fn a_vertex_over_a_shared_edge_is_one_pair_seen_twice() {
    // a ridge along x, and a vertex above it that belongs to a far triangle
    let x = vec![
        Vec3::new(-1.0, 0.0, 0.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 1.0, -1.0),
        Vec3::new(0.0, -1.0, -1.0),
        Vec3::new(0.1, 0.0, 0.05),
        Vec3::new(0.1, 0.5, 2.0),
        Vec3::new(0.1, -0.5, 2.0),
    ];
    let mesh = mesh_of(x.len(), &[[0, 1, 2], [1, 0, 3], [4, 5, 6]], 0.0);
    let candidates =
        BroadPhase::new(&mesh, &x).expect("valid").proximity_candidates(&mesh, &x, 0.1).expect("valid");
    let pairs = narrow_phase(&mesh, &candidates, &x, 0.1);
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    assert_eq!((pairs[0].kind, pairs[0].multiplicity), (PairKind::VertexEdge, 2));
    assert!((pairs[0].normal - Vec3::z()).norm() < 1e-15 && (pairs[0].distance - 0.05).abs() < 1e-15);
}

#[test]
fn a_tree_that_decays_is_rebuilt() {
    let (x, triangles) = soup(400, 0.05, 31);
    let mesh = mesh_of(x.len(), &triangles, 0.0);
    let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
    let shuffled: Vec<Vec3> = (0..x.len()).map(|k| x[(k % 3 + (k / 3 * 7 % 400) * 3) % x.len()]).collect();
    phase.proximity_candidates(&mesh, &shuffled, 0.0).expect("valid");
    assert_eq!(phase.rebuilds(), 2);
    equals_brute_force("shuffled", &mesh, &shuffled, &x, 0.0);
}

#[test]
fn a_released_tree_takes_less_and_answers_as_before() {
    let (x, triangles) = soup(150, 0.3, 1);
    let mesh = mesh_of(x.len(), &triangles, 0.01);
    let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
    let (pairs, crossing) = (phase.proximity_candidates(&mesh, &x, 0.02), crossings(&mut phase, &mesh, &x));
    assert!(crossing.as_ref().is_ok_and(|c| c.len() > 50), "too few crossings to test");
    let held = phase.memory_bytes();
    for release in [BroadPhase::release_boxes, BroadPhase::release] {
        release(&mut phase);
        assert!(2 * phase.memory_bytes() < held, "{} of {held} bytes", phase.memory_bytes());
        assert_eq!(phase.proximity_candidates(&mesh, &x, 0.02), pairs);
        release(&mut phase);
        assert_eq!(crossings(&mut phase, &mesh, &x), crossing);
        assert_eq!((phase.memory_bytes(), phase.rebuilds()), (held, 1));
    }
    phase.release();
    assert!(phase.memory_bytes() <= 8 * triangles.len(), "{} bytes", phase.memory_bytes());
}

#[test]
fn bad_input_is_named() {
    let input = |triangles: Vec<[u32; 3]>| MeshInput {
        vertex_count: 3,
        triangle_traits: vec![(0.0, 0); triangles.len()],
        triangles,
        bodies: vec![BodyTraits::DEFORMABLE],
        ..Default::default()
    };
    let error = |input: MeshInput| CollisionMesh::new(input).expect_err("refused");
    assert!(matches!(error(input(vec![[0, 1, 3]])), SurfaceError::VertexOutOfRange { vertex: 3, .. }));
    assert!(matches!(error(input(vec![[0, 1, 1]])), SurfaceError::RepeatedVertex { vertex: 1, .. }));
    let thin = MeshInput { triangle_traits: vec![(-1.0, 0)], ..input(vec![[0, 1, 2]]) };
    assert!(error(thin).to_string().contains("half-thickness -1 m"));
    let other = MeshInput { triangle_traits: vec![(0.0, 1)], ..input(vec![[0, 1, 2]]) };
    assert!(matches!(error(other), SurfaceError::BodyOutOfRange { body: 1, .. }));
    let short = MeshInput { triangle_traits: vec![], ..input(vec![[0, 1, 2]]) };
    assert!(matches!(error(short), SurfaceError::TraitCount { expected: 1, found: 0, .. }));
    let mesh = CollisionMesh::new(input(vec![[0, 1, 2]])).expect("valid");
    assert!(matches!(
        BroadPhase::new(&mesh, &[]),
        Err(SurfaceError::PositionCount { expected: 3, found: 0 })
    ));
    let bad = [Vec3::zeros(), Vec3::new(f64::NAN, 0.0, 0.0), Vec3::zeros()];
    assert!(matches!(BroadPhase::new(&mesh, &bad), Err(SurfaceError::Position { vertex: 1 })));
    let flat = [Vec3::zeros(); 3];
    assert!(BroadPhase::new(&mesh, &flat).is_ok(), "zero area is legal");
    let empty = CollisionMesh::new(MeshInput::default()).expect("valid");
    let none =
        BroadPhase::new(&empty, &[]).expect("valid").proximity_candidates(&empty, &[], 1.0).expect("valid");
    assert!(none.is_empty());
}
