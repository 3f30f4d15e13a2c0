//! Generators: volumes and areas converge to the closed form, orientation is outward, meshes are
//! closed.

use super::*;
use crate::file::{GridPattern, PlaneName};
use crate::geometry::{surface_of_tets, tet_volume};
use std::collections::BTreeMap;
use std::f64::consts::PI;

fn triangles(mesh: &RawMesh) -> &[[u32; 3]] {
    match &mesh.cells {
        Cells::Triangles(t) => t,
        _ => panic!("triangles expected"),
    }
}

fn tets(mesh: &RawMesh) -> &[[u32; 4]] {
    match &mesh.cells {
        Cells::Tets(t) => t,
        _ => panic!("tets expected"),
    }
}

fn enclosed(vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let part = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        a.dot(&b.cross(&c)) / 6.0
    };
    triangles.iter().map(part).sum()
}

fn area(mesh: &RawMesh) -> f64 {
    let part = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    triangles(mesh).iter().map(part).sum()
}

/// Every directed edge once, and its opposite once.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            *edges.entry((t[k], t[(k + 1) % 3])).or_insert(0) += 1;
        }
    }
    edges.iter().all(|(&(a, b), &n)| n == 1 && edges.get(&(b, a)) == Some(&1))
}

#[test]
fn closed_surfaces_enclose_their_volume() {
    for (mesh, volume, tolerance) in [
        (box_surface([1.0, 2.0, 3.0], [2, 3, 4]), 6.0, 1e-12),
        (ico_sphere(0.5, 4), PI / 6.0, 5e-3),
        (uv_sphere(0.5, 64, 32), PI / 6.0, 5e-3),
        (torus(1.0, 0.3, 96, 48), 2.0 * PI * PI * 0.09, 5e-3),
        (cylinder(0.5, 2.0, 64, 10, true), PI * 0.5, 2e-3),
        (capsule(0.5, 1.0, 64, 8), PI * (0.25 + 1.0 / 6.0), 5e-3),
    ] {
        assert!(is_closed(triangles(&mesh)));
        let found = enclosed(&mesh.vertices, triangles(&mesh));
        assert!((found / volume - 1.0).abs() < tolerance, "{found} {volume}");
    }
}

#[test]
fn tet_meshes_are_positive_conforming_and_fill_their_volume() {
    for (mesh, volume, tolerance) in [
        (tet_box([1.0, 2.0, 3.0], [2, 3, 4]), 6.0, 1e-12),
        // A faceted ball lacks a share of order 1/n² (measured 1.5/n²).
        (tet_sphere(0.5, 12), PI / 6.0, 2.0 / 144.0),
        (tet_torus(1.0, 0.3, 64, 6), 2.0 * PI * PI * 0.09, 1e-2),
        (tet_cylinder(0.5, 2.0, 8, 7), PI * 0.5, 5e-3),
    ] {
        let volumes: Vec<f64> = tets(&mesh).iter().map(|t| tet_volume(&mesh.vertices, t)).collect();
        let total: f64 = volumes.iter().sum();
        let mean = total / volumes.len() as f64;
        assert!(volumes.iter().all(|&v| v > 0.05 * mean));
        assert!((total / volume - 1.0).abs() < tolerance, "{total} {volume}");
        let surface = surface_of_tets(tets(&mesh));
        assert!(is_closed(&surface));
        // Only a conforming mesh has a surface that encloses the sum of its tets.
        assert!((enclosed(&mesh.vertices, &surface) / total - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_ball_converges_at_second_order() {
    let lack = |n: u32| {
        let ball = tet_sphere(1.0, n);
        4.0 / 3.0 * PI - tets(&ball).iter().map(|t| tet_volume(&ball.vertices, t)).sum::<f64>()
    };
    let ratio = lack(6) / lack(12);
    assert!((ratio - 4.0).abs() < 0.4, "{ratio}");
}

#[test]
fn the_ball_has_eight_n_cubed_tets() {
    assert_eq!(tets(&tet_sphere(1.0, 5)).len(), 8 * 125);
}

#[test]
fn grids_cover_their_area_in_every_pattern() {
    use GridPattern::*;
    for pattern in [Regular, Alternating, Crossed, Irregular] {
        let options = GridOptions { size: [2.0, 3.0], cells: [7, 9], plane: PlaneName::Xy, pattern, seed: 4 };
        let mesh = grid(&options);
        assert!((area(&mesh) - 6.0).abs() < 1e-12, "{pattern:?}");
        assert_eq!(mesh.groups[0].1.len(), 10);
        for t in triangles(&mesh) {
            let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
            assert!((b - a).cross(&(c - a)).z > 0.0);
        }
    }
}

#[test]
fn the_disc_has_the_area_of_its_polygon() {
    let mesh = disc(2.0, 5, PlaneName::Xy);
    let polygon = 0.5 * 30.0 * 4.0 * (2.0 * PI / 30.0).sin();
    assert!((area(&mesh) - polygon).abs() < 1e-12);
    assert_eq!(triangles(&mesh).len(), 6 * 25);
}

#[test]
fn an_open_cylinder_has_two_rims() {
    let mesh = cylinder(0.5, 2.0, 16, 4, false);
    assert!(!is_closed(triangles(&mesh)));
    assert_eq!(mesh.groups.iter().map(|g| g.1.len()).collect::<Vec<_>>(), [16, 16]);
}

#[test]
fn the_helix_has_its_length() {
    let options = HelixOptions { radius: 0.1, pitch: 0.05, turns: 3.0, segments: 3000, taper: 1.0 };
    let mesh = helix(&options);
    let length: f64 = mesh.vertices.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
    let exact = 3.0 * ((2.0 * PI * 0.1_f64).powi(2) + 0.05 * 0.05).sqrt();
    // A chord is shorter than its arc by θ²/24, with θ = 2π/1000.
    assert!((length / exact - 1.0).abs() < 2e-6);
}

#[test]
fn hair_grows_outward_and_is_the_same_for_a_seed() {
    let ball = ico_sphere(0.1, 3);
    let options = GroomOptions {
        count: 200,
        length: 0.05,
        length_jitter: 0.0,
        segments: 10,
        direction: Vec3::zeros(),
        direction_weight: 0.0,
        curl_radius: 0.0,
        curl_pitch: 0.0,
        min_up: 0.0,
        seed: 7,
    };
    let hair = groom(&ball.vertices, triangles(&ball), &options);
    assert_eq!(hair, groom(&ball.vertices, triangles(&ball), &options));
    assert_eq!(hair.cells.len(), 200);
    for strand in hair.vertices.chunks(11) {
        assert!(strand[0].z > -0.01 && strand[10].norm() > 0.14);
        assert!(((strand[10] - strand[0]).norm() - 0.05).abs() < 1e-12);
    }
}

#[test]
fn stones_of_an_arch_meet_in_planes_across_the_centre_line() {
    let options = ArchOptions {
        span: 60.0,
        rise: 60.0,
        stones: 25,
        foot: 10.0,
        crown: 7.0,
        sharpness: 4.0 / 3.0,
        spread: 0.0,
    };
    let mesh = tet_arch(&options);
    assert_eq!((mesh.vertices.len(), tets(&mesh).len()), (200, 150));
    for (k, pair) in mesh.vertices.windows(16).step_by(8).enumerate() {
        let middle = |face: &[Vec3]| face.iter().sum::<Vec3>() / 4.0;
        let (above, below) = (&pair[4..8], &pair[8..12]);
        assert!((middle(above) - middle(below)).norm() < 1e-9, "joint {k}");
        let normal = (above[1] - above[0]).cross(&(above[2] - above[0])).normalize();
        assert!(below.iter().all(|p| (p - middle(above)).dot(&normal).abs() < 1e-9), "joint {k} is no plane");
    }
    // The middle of the first foot, and stones of equal length along the centre line (chords:
    // shorter by less than 1 %).
    assert!((mesh.vertices[..4].iter().sum::<Vec3>() / 4.0 - Vec3::new(-30.0, 0.0, 0.0)).norm() < 1e-9);
    let chord = |k: usize| {
        let stone = &mesh.vertices[8 * k..8 * k + 8];
        (stone[4..].iter().sum::<Vec3>() - stone[..4].iter().sum::<Vec3>()).norm() / 4.0
    };
    assert!((0..25).all(|k| (chord(k) / chord(0) - 1.0).abs() < 0.02));
}

#[test]
fn a_lathe_turns_its_profile() {
    // A half circle through nine points: the smooth curve encloses a ball to the order of the
    // spacing.
    let at = |k: u32| PI * f64::from(k) / 8.0;
    let mut profile: Vec<[f64; 2]> = (0..=8).map(|k| [at(k).sin(), -at(k).cos()]).collect();
    profile[8][0] = 0.0;
    let ball = lathe(&profile, 96, 48);
    assert!(is_closed(triangles(&ball)));
    assert!((enclosed(&ball.vertices, triangles(&ball)) / (4.0 / 3.0 * PI) - 1.0).abs() < 0.02);
    let tube = lathe(&[[0.5, 0.0], [0.5, 2.0]], 64, 10);
    assert!((area(&tube) / (2.0 * PI) - 1.0).abs() < 1e-3);
    assert_eq!(tube.groups[1].1.len(), 64);
    assert!(tube.groups[1].1.iter().all(|&i| tube.vertices[i as usize].z == 2.0));
}

#[test]
fn a_path_passes_through_its_points_with_equal_segments() {
    let turn = |k: u32| {
        let angle = PI * f64::from(k) / 6.0;
        Vec3::new(angle.cos(), angle.sin(), 0.02 * f64::from(k))
    };
    let points: Vec<Vec3> = (0..=24).map(turn).collect();
    let mesh = path(&points, 240);
    assert_eq!(mesh.vertices.len(), 241);
    let lengths: Vec<f64> = mesh.vertices.windows(2).map(|p| (p[1] - p[0]).norm()).collect();
    let mean = lengths.iter().sum::<f64>() / 240.0;
    // Chords of equal arcs differ by their curvature only: (mean κ)²/24.
    assert!(lengths.iter().all(|l| (l / mean - 1.0).abs() < 1e-3), "{lengths:?}");
    for p in &points {
        let near = mesh.vertices.iter().map(|v| (v - p).norm()).fold(f64::INFINITY, f64::min);
        assert!(near < 0.51 * mean, "a vertex lies within half a segment of each point: {near}");
    }
    let helix_length = 24.0 * ((PI / 6.0).powi(2) + 0.02_f64.powi(2)).sqrt();
    assert!((mean * 240.0 / helix_length - 1.0).abs() < 5e-3);
    assert!((mesh.vertices[240] - points[24]).norm() < 1e-12);
}

#[test]
fn a_belt_has_the_length_of_its_loop() {
    let options = BeltOptions { radius: 0.2, distance: 1.0, width: 0.3, around: 200, across: 4 };
    let mesh = belt(&options);
    assert!((area(&mesh) / (0.3 * (2.0 + 0.4 * PI)) - 1.0).abs() < 1e-3);
    // Faces look away from the origin.
    assert!(enclosed(&mesh.vertices, triangles(&mesh)) > 0.0);
    assert_eq!(mesh.groups.iter().map(|g| g.1.len()).collect::<Vec<_>>(), [200, 200]);
}

#[test]
fn a_lattice_covers_its_surface_and_no_more_than_a_layer() {
    // A torus has a hole that the lattice must leave open.
    let surface = torus(0.3, 0.1, 64, 32);
    let mesh = tet_lattice(&surface.vertices, triangles(&surface), 40);
    let cell: f64 = 0.8 / 40.0;
    let volume: f64 = tets(&mesh).iter().map(|t| tet_volume(&mesh.vertices, t)).sum();
    let exact = 2.0 * PI * PI * 0.3 * 0.01;
    let layer = 4.0 * PI * PI * 0.3 * 0.1 * cell;
    assert!(volume > exact && volume < exact + 1.2 * layer, "{volume} {exact} {layer}");
    assert!(tets(&mesh).iter().all(|t| tet_volume(&mesh.vertices, t) > 0.0));
    assert!(mesh.vertices.iter().all(|v| v.xy().norm() > 0.2 - 1.8 * cell));
    let carried = crate::resolved::Mesh {
        vertices: surface.vertices.clone(),
        cells: surface.cells.clone(),
        uv: None,
        rest_vertices: None,
        source: "torus".to_owned(),
    };
    let embedded = crate::geometry::embed(carried, &mesh.vertices, tets(&mesh));
    assert!(embedded.max_outside < 1e-12);
}

#[test]
fn blobs_are_closed_smooth_and_of_the_right_size() {
    let ball = BlobPart { start: Vec3::zeros(), end: Vec3::zeros(), radius: 0.5, end_radius: 0.5 };
    let mesh = blobs(&[ball], 0.1, 24);
    assert!(is_closed(triangles(&mesh)));
    assert!(mesh.vertices.iter().all(|v| (v.norm() - 0.5).abs() < 1e-9), "vertices lie on the ball");
    let volume = enclosed(&mesh.vertices, triangles(&mesh));
    assert!((volume / (PI / 6.0) - 1.0).abs() < 0.02, "{volume}");
    let arm = BlobPart { start: Vec3::zeros(), end: Vec3::new(0.0, 0.0, 1.2), radius: 0.2, end_radius: 0.1 };
    let both = blobs(&[ball, arm], 0.1, 40);
    assert!(is_closed(triangles(&both)));
    assert!(enclosed(&both.vertices, triangles(&both)) > volume);
    let top = both.vertices.iter().map(|v| v.z).fold(0.0, f64::max);
    assert!((top - 1.3).abs() < 0.01, "{top}");
    let least = triangles(&both).iter().map(|t| {
        let [a, b, c] = t.map(|i| both.vertices[i as usize]);
        (b - a).cross(&(c - a)).norm()
    });
    assert!(least.fold(f64::INFINITY, f64::min) > 1e-3 * (1.8_f64 / 40.0).powi(2), "no slivers");
}
