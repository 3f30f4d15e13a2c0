//! Spheres and capsules: closest points of points and segments.

use super::manifold::{ContactPatch, ContactPoint};
use super::polytope::PlacedPolytope;
use stiction_numerics::{Vec3, any_perpendicular};

/// Sine of the angle below which two capsules lie along each other and touch at two points.
const ALONG: f64 = 0.05;

/// Two cores, each a point or a segment.
pub(super) fn cores(a: &[Vec3], b: &[Vec3]) -> ContactPatch {
    let (p, q) = match (a, b) {
        ([p], [q]) => (*p, *q),
        ([p], [c, d]) => (*p, nearest_of_segment(p, c, d)),
        ([c, d], [q]) => (nearest_of_segment(q, c, d), *q),
        ([p0, p1], [q0, q1]) => closest_of_segments(&[*p0, *p1], &[*q0, *q1]),
        _ => return ContactPatch::default(),
    };
    let gap = (p - q).norm();
    let normal = (p - q).try_normalize(0.0).unwrap_or_else(|| sideways(a, b));
    let mut points = vec![ContactPoint { on_a: p, on_b: q, gap, id: 0 }];
    if let ([p0, p1], [q0, q1]) = (a, b) {
        lying_along(&[*p0, *p1], &[*q0, *q1], &normal, &mut points);
    }
    ContactPatch { normal, points }
}

/// A direction for cores that coincide.
fn sideways(a: &[Vec3], b: &[Vec3]) -> Vec3 {
    let along = |core: &[Vec3]| core[core.len() - 1] - core[0];
    let cross = along(a).cross(&along(b));
    let direction = along(a) + along(b);
    let fallback = || match direction.try_normalize(0.0) {
        Some(unit) => any_perpendicular(&unit),
        None => Vec3::z(),
    };
    cross.try_normalize(0.0).unwrap_or_else(fallback)
}

/// Segments that lie along each other touch at the ends of their common part.
fn lying_along(a: &[Vec3; 2], b: &[Vec3; 2], normal: &Vec3, points: &mut Vec<ContactPoint>) {
    let (along, other) = (a[1] - a[0], b[1] - b[0]);
    if along.cross(&other).norm() > ALONG * along.norm() * other.norm() {
        return;
    }
    let ends = [
        (a[0], nearest_of_segment(&a[0], &b[0], &b[1])),
        (a[1], nearest_of_segment(&a[1], &b[0], &b[1])),
        (nearest_of_segment(&b[0], &a[0], &a[1]), b[0]),
        (nearest_of_segment(&b[1], &a[0], &a[1]), b[1]),
    ];
    let nearest = points.pop();
    for (k, (p, q)) in ends.into_iter().enumerate() {
        let gap = normal.dot(&(p - q));
        // Ends beyond the common part are not opposite to what is nearest to them.
        if (p - q - normal * gap).norm() <= ALONG * gap.abs().max(along.norm().min(other.norm())) {
            points.push(ContactPoint { on_a: p, on_b: q, gap, id: k as u32 + 1 });
        }
    }
    if points.len() < 2 {
        points.clear();
        points.extend(nearest);
    }
}

/// A point or a segment and a polyhedron; the normal goes from the polyhedron to the core.
pub(super) fn core_outside(core: &[Vec3], b: &PlacedPolytope<'_>, margin: f64) -> ContactPatch {
    let mut found: Vec<Near> = core.iter().enumerate().map(|(k, p)| Near::of_point(p, b, k as u32)).collect();
    if let [p, q] = core {
        found.extend(b.shape.edges.iter().enumerate().filter_map(|(k, edge)| {
            let ends = edge.vertices.map(|v| b.vertices[v as usize]);
            Near::of_segments(&[*p, *q], &ends, b, k as u32 + 2)
        }));
    }
    let Some(nearest) = found.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).copied() else {
        return ContactPatch::default();
    };
    let points = found.iter().filter_map(|near| {
        // One normal for the patch: what it does not fit is left to the nearest point.
        let gap = nearest.normal.dot(&(near.on_core - near.on_surface));
        let fits = near.normal.dot(&nearest.normal) > 1.0 - ALONG && gap <= margin;
        fits.then_some(ContactPoint { on_a: near.on_core, on_b: near.on_surface, gap, id: near.id })
    });
    ContactPatch { normal: nearest.normal, points: points.collect() }
}

/// A place of a core and the surface nearest to it.
#[derive(Clone, Copy)]
struct Near {
    on_core: Vec3,
    on_surface: Vec3,
    normal: Vec3,
    gap: f64,
    id: u32,
}

impl Near {
    /// Outside, the nearest point of any face; inside, that of the face least far away.
    fn of_point(p: &Vec3, b: &PlacedPolytope<'_>, id: u32) -> Near {
        let height = |face: usize| b.normals[face].dot(p) - b.offsets[face];
        let top = (1..b.normals.len()).fold(0, |best, k| if height(k) > height(best) { k } else { best });
        let (normal, gap) = (b.normals[top], height(top));
        let inside = Near { on_core: *p, on_surface: p - normal * gap, normal, gap, id };
        if gap <= 0.0 {
            return inside;
        }
        let mut nearest = inside;
        nearest.gap = f64::INFINITY;
        for face in (0..b.normals.len()).filter(|&face| height(face) > 0.0) {
            let place = nearest_of_face(p, b, face);
            let distance = (p - place).norm();
            if distance < nearest.gap {
                let normal = (p - place).try_normalize(0.0).unwrap_or(b.normals[face]);
                nearest = Near { on_core: *p, on_surface: place, normal, gap: distance, id };
            }
        }
        nearest
    }

    /// The inside of a segment next to an edge; `None` where an end or a face is nearer.
    fn of_segments(core: &[Vec3; 2], edge: &[Vec3; 2], b: &PlacedPolytope<'_>, id: u32) -> Option<Near> {
        let (p, q) = closest_of_segments(core, edge);
        let is_end = core.iter().any(|end| (end - p).norm_squared() == 0.0);
        let near = Near::of_point(&p, b, id);
        let at_edge = near.gap > 0.0 && (near.on_surface - q).norm() <= 1e-9 * (1.0 + q.norm());
        (!is_end && at_edge).then_some(near)
    }
}

/// The point of a face nearest to `p`.
fn nearest_of_face(p: &Vec3, b: &PlacedPolytope<'_>, face: usize) -> Vec3 {
    let n = b.normals[face];
    let ring: Vec<Vec3> = b.ring(face).collect();
    let foot = p - n * (n.dot(p) - b.offsets[face]);
    let sides = || (0..ring.len()).map(|k| (ring[k], ring[(k + 1) % ring.len()]));
    if sides().all(|(from, to)| n.dot(&(to - from).cross(&(foot - from))) >= 0.0) {
        return foot;
    }
    let distance = |q: &Vec3| (p - q).norm_squared();
    sides()
        .map(|(from, to)| nearest_of_segment(p, &from, &to))
        .min_by(|x, y| distance(x).total_cmp(&distance(y)))
        .unwrap_or(foot)
}

/// The point of a segment nearest to `p`.
pub(super) fn nearest_of_segment(p: &Vec3, from: &Vec3, to: &Vec3) -> Vec3 {
    let along = to - from;
    let length = along.norm_squared();
    if length == 0.0 { *from } else { from + along * (along.dot(&(p - from)) / length).clamp(0.0, 1.0) }
}

/// Closest points of two segments.   \[Ericson2005, section 5.1.9\]
pub(super) fn closest_of_segments(a: &[Vec3; 2], b: &[Vec3; 2]) -> (Vec3, Vec3) {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
    let det = uu * vv - uv * uv;
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let s = if det > 1e-12 * uu * vv { ((uv * vw - vv * uw) / det).clamp(0.0, 1.0) } else { 0.5 };
    let q = nearest_of_segment(&(a[0] + u * s), &b[0], &b[1]);
    let p = nearest_of_segment(&q, &a[0], &a[1]);
    (p, nearest_of_segment(&p, &b[0], &b[1]))
}
