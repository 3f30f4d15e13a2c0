//! Few points for a patch of contact.

use super::manifold::ContactPoint;
use stiction_numerics::Vec3;

/// Points nearer than this share of the extent of the patch are one.
const WELD: f64 = 0.01;
/// A patch keeps at most this many points.
const KEPT: usize = 4;

/// Joins points at one place and keeps at most four: the deepest, the one farthest from it, and one
/// on each side of the line between them. Four corners carry every torque that the patch can.
/// Places are compared as seen along the normal: of two corners of a thin plate above each other the
/// deeper one stays.
pub(super) fn reduce(points: &mut Vec<ContactPoint>, normal: &Vec3) {
    weld(points, normal);
    if points.len() <= KEPT {
        return;
    }
    let place = |k: usize| flat(&points[k], normal);
    let pick = |value: &dyn Fn(usize) -> f64| {
        (0..points.len()).fold(0, |best, k| if value(k) > value(best) { k } else { best })
    };
    let deepest = pick(&|k| -points[k].gap);
    let farthest = pick(&|k| (place(k) - place(deepest)).norm_squared());
    let line = place(farthest) - place(deepest);
    let side = |k: usize| normal.dot(&line.cross(&(place(k) - place(deepest))));
    let (left, right) = (pick(&side), pick(&|k| -side(k)));
    let mut kept = vec![deepest, farthest, left, right];
    kept.sort_unstable();
    kept.dedup();
    let chosen: Vec<ContactPoint> = kept.iter().map(|&k| points[k]).collect();
    *points = chosen;
}

/// The place of a point in the plane across the normal.
fn flat(point: &ContactPoint, normal: &Vec3) -> Vec3 {
    point.on_b - normal * normal.dot(&point.on_b)
}

fn weld(points: &mut Vec<ContactPoint>, normal: &Vec3) {
    let distance = |p: &ContactPoint, q: &ContactPoint| (flat(p, normal) - flat(q, normal)).norm();
    let extent = points.iter().map(|p| distance(p, &points[0])).fold(0.0, f64::max);
    let mut kept: Vec<ContactPoint> = Vec::with_capacity(points.len());
    for point in points.iter() {
        match kept.iter_mut().find(|k| distance(k, point) <= WELD * extent) {
            Some(same) if point.gap < same.gap => *same = *point,
            Some(_) => {}
            None => kept.push(*point),
        }
    }
    *points = kept;
}
