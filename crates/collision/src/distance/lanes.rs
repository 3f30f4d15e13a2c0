//! Distances of four pairs side by side: the vectors between their closest points, without the
//! features that realise them.

use stiction_numerics::Lanes;
use stiction_numerics::lane_vectors::{Column, add, all, cross, dot, scale, select, sub};

/// The shorter of two vectors, with their squared lengths; the first wins ties.
#[inline(always)]
fn shorter((a, a_squared): (Column, Lanes), (b, b_squared): (Column, Lanes)) -> (Column, Lanes) {
    let other = a_squared.above(b_squared);
    (select(other, b, a), b_squared.min(a_squared))
}

/// Vector from the closest point of the edge `a`–`b` to `p`, and its squared length.
#[inline(always)]
fn point_edge(p: &Column, a: &Column, b: &Column) -> (Column, Lanes) {
    let (edge, from_a) = (sub(*b, *a), sub(*p, *a));
    let length_squared = dot(&edge, &edge);
    let zero = Lanes::default();
    // An edge of no length answers with its first end, as 0/0 fails the comparison.
    let along = dot(&from_a, &edge) / length_squared;
    let s = along.select(along.above(zero), zero).min(Lanes::splat(1.0));
    let offset = sub(from_a, scale(edge, s));
    (offset, dot(&offset, &offset))
}

/// The same towards the edge.
#[inline(always)]
fn edge_point(p: &Column, a: &Column, b: &Column) -> (Column, Lanes) {
    let (offset, squared) = point_edge(p, a, b);
    ([-offset[0], -offset[1], -offset[2]], squared)
}

/// Lanes with 0 < value < end.
#[inline(always)]
fn within(value: Lanes, end: Lanes) -> [bool; 4] {
    all(value.above(Lanes::default()), end.above(value))
}

/// Vectors from the closest points of triangles `a b c` to points `p` \[m\]; see
/// [`super::point_triangle`].
#[inline(always)]
pub fn point_triangle_offsets([p, a, b, c]: &[Column; 4]) -> Column {
    let (e1, e2, q) = (sub(*b, *a), sub(*c, *a), sub(*p, *a));
    let normal = cross(&e1, &e2);
    let area_squared = dot(&normal, &normal);
    let (wb, wc) = (dot(&normal, &cross(&q, &e2)), dot(&normal, &cross(&e1, &q)));
    let edges = shorter(shorter(point_edge(p, a, b), point_edge(p, b, c)), point_edge(p, c, a));
    let zero = Lanes::default();
    let is_inside = all(all(wb.above(zero), wc.above(zero)), area_squared.above(wb + wc));
    let (wb, wc) = (wb / area_squared, wc / area_squared);
    let face = sub(sub(q, scale(e1, wb)), scale(e2, wc));
    let face_squared = dot(&face, &face).select(is_inside, Lanes::splat(f64::INFINITY));
    shorter((face, face_squared), edges).0
}

/// Vectors from the closest points of the edges `b0 b1` to those of the edges `a0 a1` \[m\]; see
/// [`super::edge_edge`].
#[inline(always)]
pub fn edge_edge_offsets([a0, a1, b0, b1]: &[Column; 4]) -> Column {
    let of_a = shorter(point_edge(a0, b0, b1), point_edge(a1, b0, b1));
    let of_b = shorter(edge_point(b0, a0, a1), edge_point(b1, a0, a1));
    let ends = shorter(of_a, of_b);
    let (ea, eb, r) = (sub(*a1, *a0), sub(*b1, *b0), sub(*b0, *a0));
    let normal = cross(&ea, &eb);
    let square = dot(&normal, &normal);
    let (s, u) = (dot(&cross(&r, &eb), &normal), dot(&cross(&r, &ea), &normal));
    let (zero, one) = (Lanes::default(), Lanes::splat(1.0));
    let before = all(within(s, square), within(u, square));
    // The coordinate descent of the scalar form, against the loss of digits between nearly parallel
    // edges.
    let s = s / square;
    let u = (dot(&sub(scale(ea, s), r), &eb) / dot(&eb, &eb)).max(zero).min(one);
    let s = (dot(&add(r, scale(eb, u)), &ea) / dot(&ea, &ea)).max(zero).min(one);
    let offset = sub(sub(scale(ea, s), scale(eb, u)), r);
    let is_inside = all(before, all(within(s, one), within(u, one)));
    let squared = dot(&offset, &offset).select(is_inside, Lanes::splat(f64::INFINITY));
    shorter((offset, squared), ends).0
}

#[cfg(test)]
mod tests {
    use super::super::{edge_edge, point_triangle};
    use super::*;
    use stiction_numerics::lane_vectors::{column_of, gather};
    use stiction_numerics::{Random, Vec3};

    /// Random corners, on a coarse grid every other time, so that ties, parallel edges and edges of
    /// no length come up.
    fn corners(random: &mut Random, round: usize) -> Vec<Vec3> {
        let point = |random: &mut Random| random.vector(-1.0, 1.0);
        let snap = |x: Vec3| if round.is_multiple_of(2) { x.map(|c| (2.0 * c).round()) } else { x };
        (0..16).map(|_| snap(point(random))).collect()
    }

    #[test]
    fn four_at_a_time_equal_one_by_one() {
        let mut random = Random::new(21);
        for round in 0..20_000 {
            let x = corners(&mut random, round);
            let lanes = [0u32, 4, 8, 12].map(|first| gather(&[first, first + 1, first + 2, first + 3], &x));
            let (triangle, edges) = (point_triangle_offsets(&lanes), edge_edge_offsets(&lanes));
            for k in 0..4 {
                let [a, b, c, d] = [x[k], x[4 + k], x[8 + k], x[12 + k]];
                // Several places may be equally near: the distance is what is compared.
                let near = |found: Vec3, distance_squared: f64| {
                    (found.norm() - distance_squared.sqrt()).abs() < 1e-12
                };
                let expected = point_triangle(&a, &b, &c, &d).distance_squared;
                assert!(near(column_of(&triangle, k), expected), "{a} {b} {c} {d}");
                let expected = edge_edge(&a, &b, &c, &d).distance_squared;
                assert!(near(column_of(&edges, k), expected), "{a} {b} {c} {d}");
            }
        }
    }
}
