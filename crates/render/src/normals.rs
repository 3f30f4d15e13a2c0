//! Corner normals: area-weighted over the faces around a vertex, except across creases.

use rayon::prelude::*;

use crate::V3;

/// Vertices with more faces than this (fan poles) average over all of them; keeps the work linear.
const CREASE_VALENCE_LIMIT: usize = 64;

/// Faces around each vertex, as offsets into one list.
struct VertexFaces {
    start: Vec<u32>,
    faces: Vec<u32>,
}

impl VertexFaces {
    fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut start = vec![0_u32; vertices + 1];
        triangles.iter().flatten().for_each(|&v| start[v as usize + 1] += 1);
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut next = start.clone();
        let mut faces = vec![0; 3 * triangles.len()];
        for (f, triangle) in triangles.iter().enumerate() {
            for &v in triangle {
                faces[next[v as usize] as usize] = f as u32;
                next[v as usize] += 1;
            }
        }
        VertexFaces { start, faces }
    }

    fn around(&self, v: u32) -> &[u32] {
        &self.faces[self.start[v as usize] as usize..self.start[v as usize + 1] as usize]
    }
}

/// Face normals with length twice the area.
fn area_normals(positions: &[V3], triangles: &[[u32; 3]]) -> Vec<V3> {
    let corner = |t: &[u32; 3], k: usize| positions[t[k] as usize];
    let normal = |t: &[u32; 3]| (corner(t, 1) - corner(t, 0)).cross(&(corner(t, 2) - corner(t, 0)));
    triangles.par_iter().map(normal).collect()
}

fn unit_or(v: V3, fallback: V3) -> V3 {
    let length = v.norm();
    if length > 0.0 && length.is_finite() { v / length } else { fallback }
}

/// Unit normal of every corner. `crease_cos` is the cosine of the crease angle; `smooth = false`
/// gives facets.
pub(crate) fn corner_normals(
    positions: &[V3],
    triangles: &[[u32; 3]],
    smooth: bool,
    crease_cos: f32,
) -> Vec<[V3; 3]> {
    let area = area_normals(positions, triangles);
    let unit: Vec<V3> = area.par_iter().map(|&n| unit_or(n, V3::zeros())).collect();
    if !smooth {
        return unit.par_iter().map(|&n| [n; 3]).collect();
    }
    let adjacency = VertexFaces::new(positions.len(), triangles);
    let corner = |f: usize, v: u32| {
        let around = adjacency.around(v);
        let keep_all = around.len() > CREASE_VALENCE_LIMIT;
        let mut sum = V3::zeros();
        for &g in around {
            if keep_all || unit[f].dot(&unit[g as usize]) > crease_cos {
                sum += area[g as usize];
            }
        }
        unit_or(sum, unit[f])
    };
    triangles.par_iter().enumerate().map(|(f, t)| t.map(|v| corner(f, v))).collect()
}

/// Unit normal of every vertex over all its faces; zero for vertices without a face.
pub(crate) fn vertex_normals(positions: &[V3], triangles: &[[u32; 3]]) -> Vec<V3> {
    let area = area_normals(positions, triangles);
    let adjacency = VertexFaces::new(positions.len(), triangles);
    (0..positions.len())
        .into_par_iter()
        .map(|v| {
            unit_or(adjacency.around(v as u32).iter().map(|&f| area[f as usize]).sum::<V3>(), V3::zeros())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit squares' halves meeting at an edge, the second tilted by `angle`.
    fn hinge(angle: f32) -> (Vec<V3>, Vec<[u32; 3]>) {
        let tip = V3::new(0.5, -angle.cos(), angle.sin());
        (vec![V3::zeros(), V3::x(), V3::new(0.5, 1.0, 0.0), tip], vec![[0, 1, 2], [1, 0, 3]])
    }

    #[test]
    fn gentle_folds_blend_and_sharp_ones_stay() {
        let crease = 50_f32.to_radians().cos();
        let (p, t) = hinge(0.3);
        let n = corner_normals(&p, &t, true, crease);
        assert!((n[0][0] - n[1][1]).norm() < 1e-6);
        let (p, t) = hinge(1.5);
        let n = corner_normals(&p, &t, true, crease);
        assert!((n[0][0] - V3::z()).norm() < 1e-6);
        assert!(n[0][0].dot(&n[1][1]) < 0.2);
    }

    #[test]
    fn flat_shading_uses_facets_and_degenerate_faces_stay_finite() {
        let (p, mut t) = hinge(0.3);
        t.push([0, 0, 1]);
        for smooth in [false, true] {
            let n = corner_normals(&p, &t, smooth, 0.6);
            assert!(n.iter().flatten().all(|v| v.iter().all(|c| c.is_finite())));
        }
        assert_eq!(corner_normals(&p, &t, false, 0.6)[0], [V3::z(); 3]);
    }
}
