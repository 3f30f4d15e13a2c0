use super::*;
use crate::convex::Polytope;
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Random};

const SEARCH: Search = Search { margin: 0.01, flush: 1e-4 };

fn cube(half: f64) -> Polytope {
    Polytope::cuboid(Vec3::zeros(), Vec3::repeat(half), &Mat3::identity())
}

fn placed<'a>(shape: &'a Polytope, centre: Vec3, turn: Vec3) -> PlacedPolytope<'a> {
    PlacedPolytope::new(shape, &centre, &UnitQuaternion::from_scaled_axis(turn))
}

/// A cube on a cube: four corners, their gap and the upward normal; turned by 45° the common
/// octagon is carried by four of its corners.
#[test]
fn a_cube_stands_on_another_at_four_points() {
    let (upper, lower) = (cube(0.5), cube(1.0));
    for turn in [0.0, 0.3, std::f64::consts::FRAC_PI_4] {
        let a = placed(&upper, Vec3::new(0.1, 0.2, 1.499), Vec3::new(0.0, 0.0, turn));
        let b = placed(&lower, Vec3::zeros(), Vec3::zeros());
        let patch = touching(&a, &b, &SEARCH);
        assert_eq!(patch.points.len(), 4);
        assert!((patch.normal - Vec3::z()).norm() < 1e-12);
        for point in &patch.points {
            assert!((point.gap + 0.001).abs() < 1e-12);
            assert!((point.on_a - point.on_b - patch.normal * point.gap).norm() < 1e-12);
        }
    }
}

/// Exchanging the pieces exchanges the points and turns the normal.
#[test]
fn a_patch_does_not_depend_on_which_piece_is_first() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let (one, two) = (cube(0.5), cube(0.4));
        let a = placed(&one, Vec3::zeros(), random.vector(-2.0, 2.0));
        let b = placed(&two, random.vector(-0.8, 0.8), random.vector(-2.0, 2.0));
        let (ab, ba) = (touching(&a, &b, &SEARCH), touching(&b, &a, &SEARCH));
        let deepest = |p: &ContactPatch| p.points.iter().map(|q| q.gap).fold(f64::INFINITY, f64::min);
        if !ab.points.is_empty() && !ba.points.is_empty() {
            assert!((ab.normal + ba.normal).norm() < 1e-9, "{ab:?}\n{ba:?}");
            assert!((deepest(&ab) - deepest(&ba)).abs() < 1e-9);
        }
    }
}

/// Moved apart along the normal by its depth, no pair of pieces overlaps any more.
#[test]
fn the_deepest_point_tells_how_far_to_part() {
    let mut random = Random::new(4);
    let mut overlapping = 0;
    for _ in 0..500 {
        let (one, two) = (cube(0.5), cube(0.4));
        let (turn, other) = (random.vector(-2.0, 2.0), random.vector(-2.0, 2.0));
        let centre = random.vector(-0.8, 0.8);
        let b = placed(&two, Vec3::zeros(), other);
        let a = placed(&one, centre, turn);
        let search = Search { margin: 0.0, flush: 0.0 };
        let patch = touching(&a, &b, &search);
        let Some(depth) = patch.points.iter().map(|p| -p.gap).max_by(f64::total_cmp) else { continue };
        // A normal between two faces parts along neither of them.
        let is_face = |p: &PlacedPolytope<'_>| p.normals.iter().any(|n| n.cross(&patch.normal).norm() < 1e-9);
        if patch.points.len() > 1 && !is_face(&a) && !is_face(&b) {
            continue;
        }
        overlapping += 1;
        let parted = placed(&one, centre + patch.normal * (depth + 1e-9), turn);
        let left = touching(&parted, &b, &search);
        assert!(left.points.is_empty(), "{depth}: {left:?}");
    }
    assert!(overlapping > 100, "{overlapping}");
}

#[test]
fn a_ball_meets_a_face_an_edge_and_a_corner() {
    let (ball, block) = (Polytope::ball(Vec3::zeros(), 0.3), cube(0.5));
    let b = placed(&block, Vec3::zeros(), Vec3::zeros());
    let diagonal = Vec3::new(1.0, 1.0, 0.0).normalize();
    let corner = Vec3::repeat(1.0).normalize();
    let cases = [
        (Vec3::new(0.1, 0.2, 0.795), Vec3::z(), -0.005),
        (Vec3::new(0.5, 0.5, 0.1) + diagonal * 0.304, diagonal, 0.004),
        (Vec3::repeat(0.5) + corner * 0.3, corner, 0.0),
        (Vec3::new(0.0, 0.0, 0.45), Vec3::z(), -0.35),
    ];
    for (centre, normal, gap) in cases {
        let a = placed(&ball, centre, Vec3::zeros());
        let patch = touching(&a, &b, &SEARCH);
        assert_eq!(patch.points.len(), 1);
        assert!((patch.normal - normal).norm() < 1e-12 && (patch.points[0].gap - gap).abs() < 1e-12);
        let other = touching(&b, &a, &SEARCH);
        assert!((other.normal + normal).norm() < 1e-12);
    }
}

#[test]
fn a_capsule_lies_on_a_face_with_both_ends_and_hangs_over_an_edge() {
    let ends = [Vec3::new(-0.4, 0.0, 0.0), Vec3::new(0.4, 0.0, 0.0)];
    let (capsule, block) = (Polytope::capsule(ends, 0.1), cube(0.5));
    let b = placed(&block, Vec3::zeros(), Vec3::zeros());
    let lying = touching(&placed(&capsule, Vec3::new(0.0, 0.0, 0.599), Vec3::zeros()), &b, &SEARCH);
    assert_eq!(lying.points.len(), 2);
    // Half of it stands out: the end inside and the place above the edge.
    let over = touching(&placed(&capsule, Vec3::new(0.5, 0.0, 0.599), Vec3::zeros()), &b, &SEARCH);
    assert_eq!(over.points.len(), 2, "{over:?}");
    assert!((over.normal - Vec3::z()).norm() < 1e-9);
    let crossed = touching(
        &placed(&capsule, Vec3::new(0.0, 0.0, 0.195), Vec3::new(0.0, 0.0, 1.0)),
        &placed(&capsule, Vec3::zeros(), Vec3::zeros()),
        &SEARCH,
    );
    assert_eq!(crossed.points.len(), 1);
    assert!((crossed.points[0].gap + 0.005).abs() < 1e-12);
    let along = touching(
        &placed(&capsule, Vec3::new(0.3, 0.0, 0.2), Vec3::zeros()),
        &placed(&capsule, Vec3::zeros(), Vec3::zeros()),
        &SEARCH,
    );
    assert_eq!(along.points.len(), 2, "{along:?}");
}

/// A cube that comes to the joint of two flush tiles has no contact with the side of the next one.
#[test]
fn flush_neighbours_do_not_catch() {
    let (tile, slider) = (cube(0.5), cube(0.1));
    let next = placed(&tile, Vec3::new(1.0, 0.0, -0.5), Vec3::zeros());
    let a = placed(&slider, Vec3::new(0.398, 0.0, 0.099_99), Vec3::zeros());
    assert!(touching(&a, &next, &SEARCH).points.is_empty());
    let deeper = placed(&slider, Vec3::new(0.398, 0.0, 0.05), Vec3::zeros());
    assert!(!touching(&deeper, &next, &SEARCH).points.is_empty(), "a step is an obstacle");
    let on_it = placed(&slider, Vec3::new(0.8, 0.0, 0.099_99), Vec3::zeros());
    assert_eq!(touching(&on_it, &next, &SEARCH).points.len(), 4);
}

/// Two equal leaning cards meet along an edge; the normal lies between their faces.
#[test]
fn leaning_cards_meet_with_a_level_normal() {
    let card = Polytope::cuboid(Vec3::zeros(), Vec3::new(0.05, 0.03, 0.0005), &Mat3::identity());
    let angle = 65f64.to_radians();
    let along = Vec3::new(angle.cos(), 0.0, angle.sin());
    let inner = Vec3::new(angle.sin(), 0.0, -angle.cos());
    // The inner upper edge at the origin.
    let centre = -along * 0.05 - inner * 0.0005;
    let left = placed(&card, centre, Vec3::new(0.0, -angle, 0.0));
    let mirrored = Vec3::new(-centre.x, 0.0, centre.z);
    let right = placed(&card, mirrored, Vec3::new(0.0, angle, 0.0));
    let patch = touching(&left, &right, &Search { margin: 1e-4, flush: 1e-5 });
    assert!((patch.normal + Vec3::x()).norm() < 1e-6, "{patch:?}");
    assert_eq!(patch.points.len(), 2, "{patch:?}");
    assert!(patch.points.iter().all(|p| p.gap.abs() < 1e-12 && p.on_a.xz().norm() < 1e-9));
}
