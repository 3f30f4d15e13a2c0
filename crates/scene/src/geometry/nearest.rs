//! Nearest points on segments, triangles and whole meshes, as weights over vertices.

use super::surface_of_tets;
use crate::resolved::{Cells, WeightedPoint};
use stiction_numerics::Vec3;

/// Parameter in [0, 1] of the nearest point of a segment.
pub fn closest_on_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let edge = b - a;
    let length = edge.norm_squared();
    if length == 0.0 { 0.0 } else { ((p - a).dot(&edge) / length).clamp(0.0, 1.0) }
}

/// Barycentric weights of the nearest point of a triangle: the interior foot if it is inside, else
/// the best of the three edges. All candidates are compared, so obtuse triangles need no case
/// table.
pub fn closest_on_triangle(p: &Vec3, corners: &[Vec3; 3]) -> [f64; 3] {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    let size = normal.norm_squared();
    if size > 0.0 {
        let w0 = (b - p).cross(&(c - p)).dot(&normal) / size;
        let w1 = (c - p).cross(&(a - p)).dot(&normal) / size;
        let w2 = 1.0 - w0 - w1;
        if w0 >= 0.0 && w1 >= 0.0 && w2 >= 0.0 {
            return [w0, w1, w2];
        }
    }
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0]);
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        let t = closest_on_segment(p, &corners[i], &corners[j]);
        let distance = (corners[i] * (1.0 - t) + corners[j] * t - p).norm_squared();
        if distance < best.0 {
            let mut weights = [0.0; 3];
            weights[i] = 1.0 - t;
            weights[j] = t;
            best = (distance, weights);
        }
    }
    best.1
}

/// Nearest material point of a mesh (surface of tets, strands, triangles) and its distance.
///
/// Ties go to the first cell, so the answer does not depend on threads.
pub fn nearest_point(p: &Vec3, vertices: &[Vec3], cells: &Cells) -> (WeightedPoint, f64) {
    let mut best = (WeightedPoint { terms: Vec::new() }, f64::INFINITY);
    let mut offer = |terms: Vec<(u32, f64)>| {
        let at: Vec3 = terms.iter().map(|&(i, w)| vertices[i as usize] * w).sum();
        let distance = (at - p).norm();
        if distance < best.1 {
            best = (WeightedPoint { terms }, distance);
        }
    };
    let mut triangle = |t: &[u32; 3]| {
        let weights = closest_on_triangle(p, &t.map(|i| vertices[i as usize]));
        offer((0..3).filter(|&k| weights[k] != 0.0).map(|k| (t[k], weights[k])).collect());
    };
    match cells {
        Cells::Triangles(list) => list.iter().for_each(&mut triangle),
        Cells::Tets(list) => surface_of_tets(list).iter().for_each(&mut triangle),
        Cells::Strands(list) => {
            for pair in list.iter().flat_map(|s| s.windows(2)) {
                let t = closest_on_segment(p, &vertices[pair[0] as usize], &vertices[pair[1] as usize]);
                offer([(pair[0], 1.0 - t), (pair[1], t)].into_iter().filter(|(_, w)| *w != 0.0).collect());
            }
        }
    }
    best
}
