//! Whole states: made cases and recorded meshes.

mod common;

use common::{cloth, mesh_of, noise, soup};
use std::path::Path;
use stiction_collision::intersection::{check_state, edge_triangle};
use stiction_collision::{BodyTraits, CollisionMesh, MeshInput};
use stiction_numerics::Vec3;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/assets/ipc-toolkit-tests-data");

/// Cube of this half-size around a centre, outward orientation.
fn cube(centre: Vec3, half: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { half } else { -half };
        centre + Vec3::new(sign(0), sign(1), sign(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn bodies_of(parts: &[(Vec<Vec3>, Vec<[u32; 3]>)], thickness: f64) -> (CollisionMesh, Vec<Vec3>) {
    let mut input = MeshInput { bodies: vec![BodyTraits::DEFORMABLE; parts.len()], ..Default::default() };
    let mut x = Vec::new();
    for (body, (points, triangles)) in parts.iter().enumerate() {
        let base = x.len() as u32;
        input.triangles.extend(triangles.iter().map(|t| t.map(|v| v + base)));
        input.triangle_traits.extend(triangles.iter().map(|_| (thickness, body as u32)));
        x.extend(points);
    }
    input.vertex_count = x.len();
    (CollisionMesh::new(input).expect("valid"), x)
}

#[test]
fn cubes_apart_touching_thickness_crossing_and_inside() {
    let big = cube(Vec3::zeros(), 1.0);
    let judge = |centre: Vec3, half: f64, thickness: f64| {
        let (mesh, x) = bodies_of(&[big.clone(), cube(centre, half)], thickness);
        check_state(&mesh, &x).expect("valid")
    };
    let apart = judge(Vec3::new(2.3, 0.1, 0.2), 1.0, 0.1);
    assert!(apart.is_intersection_free() && apart.overlaps.is_empty());
    let thick = judge(Vec3::new(2.3, 0.1, 0.2), 1.0, 0.2);
    assert!(thick.is_intersection_free() && !thick.overlaps.is_empty());
    assert!(
        thick.overlaps.iter().all(|o| o.depth > 0.0 && o.depth < 0.1 + 1e-12 && o.bodies[0] != o.bodies[1])
    );
    let crossing = judge(Vec3::new(1.8, 0.1, 0.2), 1.0, 0.0);
    assert!(!crossing.crossings.is_empty() && !crossing.inside.is_empty());
    assert!(
        crossing.crossings.iter().all(|c| c.depth <= 0.2 + 1e-12 && (c.place.x - 0.9).abs() <= 0.1 + 1e-12)
    );
    assert!(crossing.inside.iter().all(|p| p.depth <= 0.2 + 1e-12));
    let inside = judge(Vec3::new(0.1, 0.2, 0.3), 0.25, 0.0);
    assert!(inside.crossings.is_empty());
    assert_eq!(inside.inside.len(), 8);
    let deepest = inside.inside.iter().map(|p| p.depth).fold(0.0, f64::max);
    // corner (-0.15, -0.05, 0.05) is 0.85 from the nearest face
    assert!((deepest - 0.85).abs() < 1e-14, "{deepest}");
}

#[test]
fn prescribed_and_exempt_pairs_are_not_reported() {
    let parts = [cube(Vec3::zeros(), 1.0), cube(Vec3::new(0.9, 0.8, 0.7), 1.0)];
    let (_, x) = bodies_of(&parts, 0.0);
    let triangles: Vec<[u32; 3]> = parts
        .iter()
        .enumerate()
        .flat_map(|(b, p)| p.1.iter().map(move |t| t.map(|v| v + 8 * b as u32)))
        .collect();
    for (bodies, exempt) in
        [(vec![BodyTraits::PRESCRIBED; 2], vec![]), (vec![BodyTraits::DEFORMABLE; 2], vec![[0, 1]])]
    {
        let input = MeshInput {
            vertex_count: 16,
            triangle_traits: (0..24).map(|t| (0.1, t / 12)).collect(),
            triangles: triangles.clone(),
            bodies,
            exempt,
            ..Default::default()
        };
        let report = check_state(&CollisionMesh::new(input).expect("valid"), &x).expect("valid");
        assert!(report.is_intersection_free());
        assert!(report.overlaps.iter().all(|o| o.bodies[0] == o.bodies[1]));
    }
}

#[test]
fn rods_closer_than_their_radii_overlap_and_may_pierce_cloth() {
    let (mut x, triangles) = cloth(4);
    let base = x.len() as u32;
    x.extend([Vec3::new(0.3, 0.4, -0.5), Vec3::new(0.3, 0.4, 0.5)]);
    x.extend([Vec3::new(0.0, 0.45, 0.3), Vec3::new(1.0, 0.45, 0.3)]);
    let input = MeshInput {
        vertex_count: x.len(),
        triangle_traits: vec![(0.001, 0); triangles.len()],
        triangles,
        segments: vec![[base, base + 1], [base + 2, base + 3]],
        segment_traits: vec![(0.03, 1), (0.03, 2)],
        bodies: vec![BodyTraits::DEFORMABLE; 3],
        ..Default::default()
    };
    let mesh = CollisionMesh::new(input).expect("valid");
    let report = check_state(&mesh, &x).expect("valid");
    assert!(report.crossings.iter().any(|c| c.bodies == [1, 0] && mesh.is_rod(c.edge)));
    let rods: Vec<_> = report.overlaps.iter().filter(|o| o.bodies == [1, 2]).collect();
    assert_eq!(rods.len(), 1);
    assert!(
        (rods[0].depth - 0.01).abs() < 1e-15 && (rods[0].place - Vec3::new(0.3, 0.425, 0.3)).norm() < 1e-14
    );
}

#[test]
fn crossings_equal_brute_force() {
    let (x, triangles) = soup(150, 0.5, 17);
    let mesh = mesh_of(x.len(), &triangles, 0.0);
    let report = check_state(&mesh, &x).expect("valid");
    let mut expected = Vec::new();
    for (e, ends) in mesh.edges().iter().enumerate() {
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let adjacent = ends.iter().any(|v| corners.contains(v));
            let (edge, triangle) = (ends.map(|v| x[v as usize]), corners.map(|v| x[v as usize]));
            if !adjacent && edge_triangle(&edge, &triangle).is_some() {
                expected.push((e as u32, t as u32));
            }
        }
    }
    let found: Vec<(u32, u32)> = report.crossings.iter().map(|c| (c.edge, c.triangle)).collect();
    assert!(expected.len() > 100);
    assert_eq!(found, expected);
}

#[test]
fn inside_points_equal_the_solid_angle() {
    // a wobbly closed surface and scattered small tetrahedra
    let (mut ball, faces) = cube(Vec3::zeros(), 1.0);
    ball.iter_mut().enumerate().for_each(|(k, p)| *p += noise(k, 5) * 0.4);
    let probe = |k: usize| {
        let c = noise(k, 41) * 1.6;
        let points = [c, c + Vec3::x() * 1e-3, c + Vec3::y() * 1e-3, c + Vec3::z() * 1e-3].to_vec();
        (points, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    };
    let mut parts = vec![(ball.clone(), faces.clone())];
    parts.extend((0..300).map(probe));
    let (mesh, x) = bodies_of(&parts, 0.0);
    let report = check_state(&mesh, &x).expect("valid");
    let angle = |p: &Vec3| -> f64 {
        let of_face = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| ball[v as usize] - p);
            let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
            let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            2.0 * a.dot(&b.cross(&c)).atan2(below)
        };
        faces.iter().map(of_face).sum::<f64>() / (4.0 * std::f64::consts::PI)
    };
    let mut inside = 0;
    for v in 8..x.len() as u32 {
        let expected = angle(&x[v as usize]) > 0.5;
        let found = report.inside.iter().any(|p| p.vertex == v && p.bodies[1] == 0);
        assert_eq!(found, expected, "vertex {v} at {}", x[v as usize]);
        inside += usize::from(found);
    }
    assert!(inside > 100 && inside < 1100, "{inside}");
}

/// Minimal reader: binary little-endian, double x y z, faces as a byte count and three 32-bit
/// indices.
fn read_ply(path: &Path) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let bytes = std::fs::read(path).expect("readable");
    let marker = b"end_header\n";
    let body = bytes.windows(marker.len()).position(|w| w == marker).expect("header") + marker.len();
    let header = String::from_utf8_lossy(&bytes[..body]);
    let count = |name: &str| -> usize {
        let line = header.lines().find_map(|l| l.strip_prefix(name)).expect("element");
        line.trim().parse().expect("number")
    };
    let (vertices, faces) = (count("element vertex"), count("element face"));
    let float = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let x = (0..vertices).map(|v| Vec3::from_fn(|k, _| float(body + 24 * v + 8 * k))).collect();
    let base = body + 24 * vertices;
    let index = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let face = |f: usize| {
        assert_eq!(bytes[base + 13 * f], 3);
        std::array::from_fn(|k| index(base + 13 * f + 1 + 4 * k))
    };
    (x, (0..faces).map(face).collect())
}

#[test]
fn recorded_meshes_are_judged_right() {
    if !Path::new(DATA).exists() {
        println!("skipped: the folder of recorded meshes is absent");
        return;
    }
    for (name, is_crossing) in [
        ("cube.ply", false),
        ("bunny.ply", false),
        ("two-cubes-far.ply", false),
        ("two-cubes-close.ply", false),
        ("two-cubes-intersecting.ply", true),
        ("thick-cloth/t0.ply", false),
        ("thick-cloth/t1.ply", true),
        ("height-field.ply", false),
    ] {
        let (x, triangles) = read_ply(&Path::new(DATA).join(name));
        let report = check_state(&mesh_of(x.len(), &triangles, 0.0), &x).expect("valid");
        println!("{name}: {} triangles, {} crossings", triangles.len(), report.crossings.len());
        assert_eq!(!report.crossings.is_empty(), is_crossing, "{name}");
    }
}
