//! Gives a cloth sheet its thickness: two shells half a thickness apart and a rim along the border.

use rayon::prelude::*;

use crate::normals::vertex_normals;
use crate::{V3, v3};

/// A sheet turned into a slab.
pub(crate) struct Slab {
    pub positions: Vec<V3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Front shell (vertex `v`), back shell (vertex `v + n`), and two triangles per border edge.
pub(crate) fn thicken(positions: &[[f32; 3]], triangles: &[[u32; 3]], thickness: f32) -> Slab {
    let middle: Vec<V3> = positions.iter().map(|&p| v3(p)).collect();
    let normals = vertex_normals(&middle, triangles);
    let count = middle.len() as u32;
    let offset = |sign: f32| {
        let half = 0.5 * thickness * sign;
        middle.iter().zip(&normals).map(move |(p, n)| p + n * half)
    };
    let shells = offset(1.0).chain(offset(-1.0)).collect();
    let mut faces = triangles.to_vec();
    faces.extend(triangles.iter().map(|&[a, b, c]| [a + count, c + count, b + count]));
    for [a, b] in border_edges(triangles) {
        faces.push([b, a, a + count]);
        faces.push([b, a + count, b + count]);
    }
    Slab { positions: shells, triangles: faces }
}

/// Edges of exactly one triangle, directed as in it, in a fixed order.
fn border_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let key = |e: &[u32; 2]| [e[0].min(e[1]), e[0].max(e[1])];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
    edges.par_sort_unstable_by_key(key);
    edges.chunk_by(|a, b| key(a) == key(b)).filter(|same| same.len() == 1).map(|same| same[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slab_of_a_square_is_closed_and_has_the_right_volume() {
        let p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let slab = thicken(&p, &[[0, 1, 2], [0, 2, 3]], 0.1);
        assert_eq!((slab.positions.len(), slab.triangles.len()), (8, 4 + 8));
        assert!(border_edges(&slab.triangles).is_empty());
        let x = |i: u32| slab.positions[i as usize];
        let volume: f32 = slab.triangles.iter().map(|t| x(t[0]).dot(&x(t[1]).cross(&x(t[2]))) / 6.0).sum();
        assert!((volume - 0.1).abs() < 1e-6, "{volume}");
    }
}
