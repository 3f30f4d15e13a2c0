//! Geometry that reading needs: surface of tets, barycentric embedding, nearest points, mesh
//! checks.

mod check;
mod embed;
mod nearest;

pub use check::{check_coordinates, check_mesh};
pub use embed::embed;
pub use nearest::{closest_on_segment, closest_on_triangle, nearest_point};

use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// Signed volume of a tet [m³], (b−a)·((c−a)×(d−a))/6.
pub fn tet_volume(vertices: &[Vec3], tet: &[u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|i| vertices[i as usize]);
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}

/// Triangles that belong to one tet only, outward, in the order of their tets.
pub fn surface_of_tets(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    // Faces opposite to a, b, c, d of a positive tet, counter-clockwise from outside.
    const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
    let mut uses: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let key = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let faces = || tets.iter().flat_map(|t| FACES.map(|f| f.map(|i| t[i])));
    for face in faces() {
        *uses.entry(key(face)).or_default() += 1;
    }
    faces().filter(|f| uses[&key(*f)] == 1).collect()
}

/// Smallest and largest corner of a set of points.
pub fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    points.iter().fold(start, |(low, high), p| (low.inf(p), high.sup(p)))
}

/// Mean of a set of points; the origin when empty.
pub fn mean(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}
