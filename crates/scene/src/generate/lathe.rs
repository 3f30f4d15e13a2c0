//! Surfaces turned on a lathe: vases, bodies, bowls, skirts.

use super::RawMesh;
use super::revolve::revolve;

/// Turns a smooth curve through `profile` (radius, height) about z, with `along` cells of equal
/// share of the points' chord length. Ends with radius 0 become poles. Groups: bottom and top, the
/// first and the last ring.
pub fn lathe(profile: &[[f64; 2]], around: u32, along: u32) -> RawMesh {
    let mut chords = vec![0.0];
    for pair in profile.windows(2) {
        let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        chords.push(chords[chords.len() - 1] + length);
    }
    let whole = chords[chords.len() - 1];
    let point = |k: u32| {
        let s = whole * f64::from(k) / f64::from(along);
        let [r, z] = curve(profile, &chords, s);
        let end = if k == 0 { profile.first() } else { profile.last().filter(|_| k == along) };
        end.map_or((r.max(0.0), z), |p| (p[0], p[1]))
    };
    let rings: Vec<_> = (0..=along).map(point).collect();
    let mut mesh = revolve(&rings, around);
    let count = |r: f64| if r == 0.0 { 1 } else { around };
    let (first, last, all) = (count(rings[0].0), count(rings[along as usize].0), mesh.vertices.len() as u32);
    mesh.groups =
        vec![("bottom".to_owned(), (0..first).collect()), ("top".to_owned(), (all - last..all).collect())];
    mesh
}

/// Cubic Hermite curve through the points at parameter s, with the slopes of the parabola through
/// each point and its neighbours (Catmull–Rom with chord lengths).
fn curve(points: &[[f64; 2]], s: &[f64], at: f64) -> [f64; 2] {
    let last = points.len() - 1;
    let i = s.partition_point(|v| *v <= at).clamp(1, last) - 1;
    let secant = |i: usize, axis: usize| (points[i + 1][axis] - points[i][axis]) / (s[i + 1] - s[i]);
    let slope = |i: usize, axis: usize| match i {
        0 => secant(0, axis),
        i if i == last => secant(last - 1, axis),
        i => {
            let (left, right) = (s[i] - s[i - 1], s[i + 1] - s[i]);
            (secant(i - 1, axis) * right + secant(i, axis) * left) / (left + right)
        }
    };
    let h = s[i + 1] - s[i];
    let t = (at - s[i]) / h;
    [0, 1].map(|axis| {
        let (a, b) = (points[i][axis], points[i + 1][axis]);
        (2.0 * t.powi(3) - 3.0 * t * t + 1.0) * a
            + (3.0 * t * t - 2.0 * t.powi(3)) * b
            + h * (t - 1.0).powi(2) * t * slope(i, axis)
            + h * t * t * (t - 1.0) * slope(i + 1, axis)
    })
}
