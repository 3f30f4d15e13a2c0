//! Few points for a patch of contact.

use super::manifold::ContactPoint;
use stiction_numerics::Vec3;

/// Points nearer than this share of the extent of the patch are one.
const WELD: f64 = 0.01;
/// A patch keeps at most this many points.
const KEPT: usize = 4;

/// Joins points at one place and keeps at most four: the deepest, the one farthest from it, and one
/// on each side of the line between them. Four corners carry every torque that the patch can.
pub(super) fn reduce(points: &mut Vec<ContactPoint>, normal: &Vec3) {
    weld(points);
    if points.len() <= KEPT {
        return;
    }
    let place = |k: usize| points[k].on_b;
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

fn weld(points: &mut Vec<ContactPoint>) {
    let spread = |p: &ContactPoint| (p.on_b - points[0].on_b).norm();
    let extent = points.iter().map(spread).fold(0.0, f64::max);
    let mut kept: Vec<ContactPoint> = Vec::with_capacity(points.len());
    for point in points.iter() {
        match kept.iter_mut().find(|k| (k.on_b - point.on_b).norm() <= WELD * extent) {
            Some(same) if point.gap < same.gap => *same = *point,
            Some(_) => {}
            None => kept.push(*point),
        }
    }
    *points = kept;
}
