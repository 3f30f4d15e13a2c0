//! The kernels against a slow search that shares nothing with them: nested grids over the weights,
//! which close in on the minimum because the squared distance is convex in the weights.

use super::*;

fn hash(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*state >> 11) as f64) / (1u64 << 53) as f64 * 2.0 - 1.0
}

fn vector(state: &mut u64) -> Vec3 {
    Vec3::new(hash(state), hash(state), hash(state))
}

/// Smallest value of a convex function over the unit square (`triangle`: over u+v ≤ 1), by zooming
/// grids.
fn zoom(triangle: bool, f: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut centre, mut half, mut best) = ((0.5, 0.5), 0.5, f64::INFINITY);
    for _ in 0..60 {
        let mid = centre;
        for i in -8..=8 {
            for j in -8..=8 {
                let mut u = (mid.0 + half * i as f64 / 8.0).clamp(0.0, 1.0);
                let mut v = (mid.1 + half * j as f64 / 8.0).clamp(0.0, 1.0);
                if triangle && u + v > 1.0 {
                    let excess = 0.5 * (u + v - 1.0);
                    u = (u - excess).max(0.0);
                    v = (1.0 - u).min((v - excess).max(0.0));
                }
                let value = f(u, v);
                if value < best {
                    (best, centre) = (value, (u, v));
                }
            }
        }
        half *= 0.6;
    }
    best
}

/// Corner sets: generic, obtuse, thin, nearly collinear, zero area, coincident.
fn triangle_of(kind: usize, state: &mut u64) -> [Vec3; 3] {
    let (a, d) = (vector(state), vector(state));
    match kind {
        0 => [a, vector(state), vector(state)],
        1 => [a, a + d, a + d * 0.02 + vector(state) * 0.3],
        2 => [a, a + d, a + d * 0.5 + vector(state) * 1e-5],
        3 => [a, a + d, a + d * 0.7 + vector(state) * 1e-12],
        4 => [a, a + d, a + d * 2.0],
        _ => [a, a, a],
    }
}

#[test]
fn point_triangle_matches_the_search() {
    let mut state = 7;
    for round in 0..240 {
        let [a, b, c] = triangle_of(round % 6, &mut state);
        let p = if round % 4 == 0 { a + vector(&mut state) * 0.05 } else { vector(&mut state) * 1.5 };
        let found = point_triangle(&p, &a, &b, &c);
        let rebuilt = p - (a * found.weights[0] + b * found.weights[1] + c * found.weights[2]);
        assert!((rebuilt - found.offset).norm() < 1e-14, "weights and offset disagree: {found:?}");
        assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 4e-16);
        let expected = zoom(true, |u, v| (p - (a + (b - a) * u + (c - a) * v)).norm_squared());
        // the search is at least as far as the minimum; rounding of the squared length is about
        // 1e-15
        assert!(found.distance_squared <= expected + 1e-14, "round {round}: {found:?} against {expected}");
        assert!(found.distance_squared >= expected - 1e-6, "round {round}: {found:?} against {expected}");
    }
}

#[test]
fn edge_edge_matches_the_search() {
    let mut state = 11;
    for round in 0..240 {
        let (a0, a1, b0) = (vector(&mut state), vector(&mut state), vector(&mut state));
        let along = a1 - a0;
        let b1 = match round % 6 {
            0 => vector(&mut state),
            1 => b0 + along * 0.8,
            2 => b0 - along * 1.3 + vector(&mut state) * 1e-6,
            3 => b0 + along + vector(&mut state) * 1e-13,
            4 => b0,
            _ => a0 + along * 0.3 - (b0 - a0) * 0.5,
        };
        let (a1, b0) = if round % 12 == 4 { (a0, b0) } else { (a1, b0) };
        let found = edge_edge(&a0, &a1, &b0, &b1);
        let (wa, wb) = (found.weights_a, found.weights_b);
        let rebuilt = a0 * wa[0] + a1 * wa[1] - b0 * wb[0] - b1 * wb[1];
        assert!((rebuilt - found.offset).norm() < 1e-14);
        let expected = zoom(false, |s, u| ((a0 + (a1 - a0) * s) - (b0 + (b1 - b0) * u)).norm_squared());
        assert!(found.distance_squared <= expected + 1e-14, "round {round}: {found:?} against {expected}");
        assert!(found.distance_squared >= expected - 1e-6, "round {round}: {found:?} against {expected}");
    }
}

#[test]
fn features_name_where_the_closest_point_lies() {
    let [a, b, c] = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    let at = |x: f64, y: f64| point_triangle(&Vec3::new(x, y, 0.3), &a, &b, &c).feature;
    assert_eq!(at(0.2, 0.2), ClosestFeature::Face);
    assert_eq!(at(0.5, -0.1), ClosestFeature::Edge(0));
    assert_eq!(at(0.6, 0.6), ClosestFeature::Edge(1));
    assert_eq!(at(-0.1, 0.5), ClosestFeature::Edge(2));
    assert_eq!(at(-0.1, -0.1), ClosestFeature::Vertex(0));
    assert_eq!(at(1.5, -0.1), ClosestFeature::Vertex(1));
    assert_eq!(at(-0.1, 1.5), ClosestFeature::Vertex(2));
    let crossing = edge_edge(&-Vec3::x(), &Vec3::x(), &Vec3::new(0.0, -1.0, 0.5), &Vec3::new(0.0, 1.0, 0.5));
    assert_eq!((crossing.feature_a, crossing.feature_b), (ClosestFeature::Edge(0), ClosestFeature::Edge(0)));
    assert_eq!(crossing.distance_squared, 0.25);
    assert_eq!(point_point(&a, &b), 1.0);
}

#[test]
fn scale_does_not_matter() {
    let mut state = 3;
    for scale in [1e-60, 1e-9, 1e9, 1e60] {
        for round in 0..30 {
            let [a, b, c] = triangle_of(round % 3, &mut state);
            let p = vector(&mut state);
            let unit = point_triangle(&p, &a, &b, &c).distance_squared.sqrt();
            let scaled = point_triangle(&(p * scale), &(a * scale), &(b * scale), &(c * scale));
            assert!((scaled.distance_squared.sqrt() / scale - unit).abs() < 1e-10);
        }
    }
}
