//! One strand through given points, for ropes that are wound or knotted.

use super::RawMesh;
use super::strands::strands;
use stiction_numerics::Vec3;

/// Steps of the fine polyline per span; the arc length is measured on it.
const FINE: u32 = 64;

/// A smooth strand through the points, cut into segments of equal length along the curve.
///
/// The curve is a centripetal Catmull–Rom spline: it passes through every point, keeps a continuous
/// tangent, and has no loops of its own where points are unevenly spaced [Yuksel2011]. `points`
/// holds at least two, neighbours apart.
pub fn path(points: &[Vec3], segments: u32) -> RawMesh {
    let fine = fine_polyline(points);
    strands(spaced(&fine, &fine, segments), segments + 1)
}

/// Values given at the points of a polyline, linear in between, at places equally spaced along it.
pub(super) fn spaced(line: &[Vec3], values: &[Vec3], segments: u32) -> Vec<Vec3> {
    let mut length = vec![0.0];
    for pair in line.windows(2) {
        length.push(length[length.len() - 1] + (pair[1] - pair[0]).norm());
    }
    let total = length[length.len() - 1];
    let at = |i: u32| {
        let wanted = total * f64::from(i) / f64::from(segments);
        let k = length.partition_point(|l| *l <= wanted).clamp(1, line.len() - 1);
        let share = (wanted - length[k - 1]) / (length[k] - length[k - 1]);
        values[k - 1] + (values[k] - values[k - 1]) * share.min(1.0)
    };
    (0..=segments).map(at).collect()
}

/// The smooth curve through the points, [`FINE`] steps per span.
pub(super) fn fine_polyline(points: &[Vec3]) -> Vec<Vec3> {
    let last = points.len() - 1;
    // Ends are mirrored, so that the curve starts and stops straight.
    let before = points[0] * 2.0 - points[1];
    let after = points[last] * 2.0 - points[last - 1];
    let mut fine = vec![points[0]];
    for k in 0..last {
        let p0 = if k == 0 { before } else { points[k - 1] };
        let p3 = if k + 1 == last { after } else { points[k + 2] };
        let span = [p0, points[k], points[k + 1], p3];
        fine.extend((1..=FINE).map(|i| spline(&span, f64::from(i) / f64::from(FINE))));
    }
    fine
}

/// The spline between the two middle points, u from 0 to 1, by repeated interpolation over knots
/// spaced as √distance.
fn spline(p: &[Vec3; 4], u: f64) -> Vec3 {
    let mut knot = [0.0; 4];
    for k in 1..4 {
        knot[k] = knot[k - 1] + (p[k] - p[k - 1]).norm().sqrt();
    }
    let t = knot[1] + (knot[2] - knot[1]) * u;
    let blend =
        |a: Vec3, b: Vec3, i: usize, j: usize| (a * (knot[j] - t) + b * (t - knot[i])) / (knot[j] - knot[i]);
    let first = [blend(p[0], p[1], 0, 1), blend(p[1], p[2], 1, 2), blend(p[2], p[3], 2, 3)];
    let second = [blend(first[0], first[1], 0, 2), blend(first[1], first[2], 1, 3)];
    blend(second[0], second[1], 1, 2)
}
