//! Does an edge meet a triangle? Decided by the signs of exact predicates; place and depth are
//! plain `f64`.

use crate::distance::{edge_edge, point_edge};
use robust::{Coord, Coord3D, orient2d, orient3d};
use stiction_numerics::Vec3;

/// A common point of an edge and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The common point \[m\].
    pub place: Vec3,
    /// About how far one of the two must move to come free \[m\].
    pub depth: f64,
}

fn coord(p: &Vec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Sign of the volume of the tetrahedron, exact.
fn side(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// The common point of a closed edge and a closed triangle, if there is one: touching counts.
///
/// Ends on strictly the same side of the plane: no. Not both in the plane: the line of the edge
/// meets the triangle iff the three tetrahedra over its sides and the edge do not have both signs.
/// Both in the plane (this covers triangles of zero area, too): a test in the coordinate plane in
/// which the triangle is largest.
pub fn edge_triangle(edge: &[Vec3; 2], corners: &[Vec3; 3]) -> Option<Crossing> {
    let ([p, q], [a, b, c]) = (edge, corners);
    let (of_p, of_q) = (side(a, b, c, p), side(a, b, c, q));
    if (of_p > 0.0 && of_q > 0.0) || (of_p < 0.0 && of_q < 0.0) {
        return None;
    }
    if of_p == 0.0 && of_q == 0.0 {
        return coplanar(edge, corners).then(|| flat_crossing(edge, corners));
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    let is_outside = around.iter().any(|&s| s > 0.0) && around.iter().any(|&s| s < 0.0);
    (!is_outside).then(|| piercing(edge, corners, of_p, of_q))
}

/// Place from the ratio of the two signed volumes; depth as the shortest way out: an end back
/// through the plane, or the piercing point over a side.
fn piercing(edge: &[Vec3; 2], corners: &[Vec3; 3], of_p: f64, of_q: f64) -> Crossing {
    let place = edge[0] + (edge[1] - edge[0]) * (of_p / (of_p - of_q)).clamp(0.0, 1.0);
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    let unit = normal / normal.norm().max(f64::MIN_POSITIVE);
    let behind = |end: &Vec3| unit.dot(&(end - corners[0])).abs();
    let mut depth = behind(&edge[0]).min(behind(&edge[1]));
    for k in 0..3 {
        let over = point_edge(&place, &corners[k], &corners[(k + 1) % 3]);
        depth = depth.min(over.distance_squared.sqrt());
    }
    Crossing { place, depth }
}

/// Coplanar pieces come free by any motion out of the plane: their depth is zero.
fn flat_crossing(edge: &[Vec3; 2], corners: &[Vec3; 3]) -> Crossing {
    let mut nearest = (f64::INFINITY, edge[0]);
    for k in 0..3 {
        let found = edge_edge(&edge[0], &edge[1], &corners[k], &corners[(k + 1) % 3]);
        if found.distance_squared < nearest.0 {
            let place = edge[0] * found.weights_a[0] + edge[1] * found.weights_a[1];
            nearest = (found.distance_squared, place);
        }
    }
    Crossing { place: nearest.1, depth: 0.0 }
}

/// Exact overlap of a segment and a triangle that lie in one plane. Dropping the axis along which
/// the normal is largest is a one-to-one map of that plane, so signs in the remaining two
/// coordinates decide. A triangle whose area vanishes is a segment; two segments meet iff they are
/// coplanar, which is asked again because everything is coplanar with a line, and all three of
/// their shadows meet.
fn coplanar(edge: &[Vec3; 2], corners: &[Vec3; 3]) -> bool {
    let shadows = |drop: usize| {
        let flat = |p: &Vec3| Coord { x: p[(drop + 1) % 3], y: p[(drop + 2) % 3] };
        (edge.each_ref().map(flat), corners.each_ref().map(flat))
    };
    let area = |drop: usize| {
        let (_, t) = shadows(drop);
        orient2d(t[0], t[1], t[2]).abs()
    };
    let largest = (1..3).fold(0, |best, k| if area(k) > area(best) { k } else { best });
    let meets = |drop: usize| {
        let (e, t) = shadows(drop);
        meets_in_plane(&e, &t)
    };
    if area(largest) > 0.0 {
        return meets(largest);
    }
    let ([p, q], [a, b, c]) = (edge, corners);
    let is_flat = [side(a, b, p, q), side(b, c, p, q), side(c, a, p, q)].iter().all(|&s| s == 0.0);
    is_flat && (0..3).all(meets)
}

fn meets_in_plane(e: &[Coord<f64>; 2], t: &[Coord<f64>; 3]) -> bool {
    contains(t, e[0]) || (0..3).any(|k| segments_meet(e, &[t[k], t[(k + 1) % 3]]))
}

fn contains(t: &[Coord<f64>; 3], p: Coord<f64>) -> bool {
    let turns = [orient2d(t[0], t[1], p), orient2d(t[1], t[2], p), orient2d(t[2], t[0], p)];
    orient2d(t[0], t[1], t[2]) != 0.0 && (turns.iter().all(|&s| s >= 0.0) || turns.iter().all(|&s| s <= 0.0))
}

fn segments_meet(e: &[Coord<f64>; 2], f: &[Coord<f64>; 2]) -> bool {
    let (e0, e1) = (orient2d(f[0], f[1], e[0]), orient2d(f[0], f[1], e[1]));
    let (f0, f1) = (orient2d(e[0], e[1], f[0]), orient2d(e[0], e[1], f[1]));
    let same_side = |a: f64, b: f64| (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0);
    if same_side(e0, e1) || same_side(f0, f1) {
        return false;
    }
    // collinear or touching: the bounding boxes decide
    let apart = |a: [f64; 2], b: [f64; 2]| a[0].max(a[1]) < b[0].min(b[1]) || b[0].max(b[1]) < a[0].min(a[1]);
    !(apart([e[0].x, e[1].x], [f[0].x, f[1].x]) || apart([e[0].y, e[1].y], [f[0].y, f[1].y]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> [Vec3; 3] {
        [Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0)]
    }

    fn meets(p: [f64; 3], q: [f64; 3]) -> bool {
        edge_triangle(&[Vec3::from(p), Vec3::from(q)], &triangle()).is_some()
    }

    #[test]
    fn through_beside_and_short_of_the_face() {
        assert!(meets([0.5, 0.5, -1.0], [0.5, 0.5, 1.0]));
        assert!(!meets([1.5, 1.5, -1.0], [1.5, 1.5, 1.0]));
        assert!(!meets([0.5, 0.5, 1e-300], [0.5, 0.5, 1.0]));
        assert!(meets([0.5, 0.5, 0.0], [0.5, 0.5, 1.0]));
        assert!(meets([1.0, 1.0, -1.0], [1.0, 1.0, 1.0]), "through a side");
        assert!(meets([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]), "through a corner");
        let nudged = 1.0_f64.next_up();
        assert!(!meets([1.0, nudged, -1.0], [1.0, nudged, 1.0]), "past a side by one bit");
    }

    #[test]
    fn coplanar_cases() {
        assert!(meets([0.2, 0.2, 0.0], [0.3, 0.3, 0.0]), "inside");
        assert!(meets([-1.0, 0.5, 0.0], [3.0, 0.5, 0.0]), "across");
        assert!(meets([-1.0, 0.0, 0.0], [0.5, 0.0, 0.0]), "along a side");
        assert!(!meets([-1.0, 0.0, 0.0], [-0.5, 0.0, 0.0]), "short of a side");
        assert!(!meets([2.0, 2.0, 0.0], [3.0, 0.5, 0.0]), "beside");
    }

    #[test]
    fn zero_area_and_zero_length() {
        let line = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0];
        let cut = |p: Vec3, q: Vec3| edge_triangle(&[p, q], &line).is_some();
        assert!(cut(Vec3::new(0.5, -1.0, 0.0), Vec3::new(0.5, 1.0, 0.0)));
        assert!(!cut(Vec3::new(0.5, -1.0, 0.1), Vec3::new(0.5, 1.0, 0.1)));
        assert!(!cut(Vec3::new(-1.0, -2.0, -3.0), Vec3::new(3.0, 2.5, 2.0)), "skew, though all shadows meet");
        assert!(!cut(Vec3::new(2.5, -1.0, 0.0), Vec3::new(2.5, 1.0, 0.0)));
        assert!(meets([0.5, 0.5, 0.0], [0.5, 0.5, 0.0]));
        assert!(!meets([0.5, 0.5, 0.1], [0.5, 0.5, 0.1]));
    }

    #[test]
    fn place_and_depth() {
        let edge = [Vec3::new(0.5, 0.5, -0.25), Vec3::new(0.5, 0.5, 0.75)];
        let found = edge_triangle(&edge, &triangle()).expect("through");
        assert!((found.place - Vec3::new(0.5, 0.5, 0.0)).norm() < 1e-15);
        assert!((found.depth - 0.25).abs() < 1e-15);
        let edge = [Vec3::new(0.1, 0.5, -9.0), Vec3::new(0.1, 0.5, 9.0)];
        assert!((edge_triangle(&edge, &triangle()).expect("through").depth - 0.1).abs() < 1e-15);
    }
}
