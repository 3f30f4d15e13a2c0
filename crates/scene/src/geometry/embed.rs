//! A surface carried by a tet mesh: each surface vertex becomes four weights in one tet.

use super::{bounds, closest_on_triangle};
use crate::resolved::{EmbeddedSurface, Mesh, WeightedPoint};
use stiction_numerics::{Mat3, Vec3};

/// Embeds a surface. Vertices outside take the nearest tet and weights that may be slightly
/// negative; how far outside the worst one lies is reported in `max_outside`.
pub fn embed(surface: Mesh, vertices: &[Vec3], tets: &[[u32; 4]]) -> EmbeddedSurface {
    let buckets = Buckets::new(vertices, tets);
    let mut embedded = EmbeddedSurface {
        carriers: Vec::with_capacity(surface.vertices.len()),
        max_outside: 0.0,
        mesh: surface,
    };
    for p in &embedded.mesh.vertices {
        let (tet, outside) = buckets.find(p, vertices, tets);
        let nodes = tets[tet as usize];
        let weights = barycentric(p, &nodes.map(|i| vertices[i as usize]));
        embedded.carriers.push(WeightedPoint { terms: nodes.into_iter().zip(weights).collect() });
        embedded.max_outside = f64::max(embedded.max_outside, outside);
    }
    embedded
}

fn barycentric(p: &Vec3, corners: &[Vec3; 4]) -> [f64; 4] {
    let [a, b, c, d] = corners;
    let frame = Mat3::from_columns(&[b - a, c - a, d - a]);
    let w = frame.try_inverse().unwrap_or_else(Mat3::zeros) * (p - a);
    [1.0 - w.sum(), w.x, w.y, w.z]
}

/// Distance of a point from a tet: 0 inside, else to the nearest face.
fn distance(p: &Vec3, corners: &[Vec3; 4]) -> f64 {
    if barycentric(p, corners).iter().all(|w| *w >= -1e-12) {
        return 0.0;
    }
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
        .map(|face| {
            let face = face.map(|i: usize| corners[i]);
            let w = closest_on_triangle(p, &face);
            (face[0] * w[0] + face[1] * w[1] + face[2] * w[2] - p).norm()
        })
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// Tets sorted into a regular lattice of boxes.
struct Buckets {
    low: Vec3,
    step: f64,
    count: [usize; 3],
    lists: Vec<Vec<u32>>,
}

impl Buckets {
    fn new(vertices: &[Vec3], tets: &[[u32; 4]]) -> Self {
        let (low, high) = bounds(vertices);
        let extent = high - low;
        // About one tet per box.
        let step = (extent.product() / tets.len().max(1) as f64).cbrt().max(1e-3 * extent.max());
        let count = [0, 1, 2].map(|k| (extent[k] / step).ceil().max(1.0) as usize);
        let mut buckets = Buckets { low, step, count, lists: vec![Vec::new(); count.iter().product()] };
        for (index, tet) in tets.iter().enumerate() {
            let (a, b) = bounds(&tet.map(|i| vertices[i as usize]));
            let (from, to) = (buckets.cell(&a), buckets.cell(&b));
            for k in from[2]..=to[2] {
                for j in from[1]..=to[1] {
                    for i in from[0]..=to[0] {
                        buckets.lists[(k * count[1] + j) * count[0] + i].push(index as u32);
                    }
                }
            }
        }
        buckets
    }

    fn cell(&self, p: &Vec3) -> [usize; 3] {
        [0, 1, 2].map(|k| (((p[k] - self.low[k]) / self.step).max(0.0) as usize).min(self.count[k] - 1))
    }

    /// Tet that holds the point and 0, or the nearest tet of all and its distance.
    fn find(&self, p: &Vec3, vertices: &[Vec3], tets: &[[u32; 4]]) -> (u32, f64) {
        let [i, j, k] = self.cell(p);
        let gap = |t: u32| distance(p, &tets[t as usize].map(|v| vertices[v as usize]));
        let here = &self.lists[(k * self.count[1] + j) * self.count[0] + i];
        if let Some(&inside) = here.iter().find(|t| gap(**t) == 0.0) {
            return (inside, 0.0);
        }
        (0..tets.len() as u32).fold((0, f64::INFINITY), |best, t| {
            let d = gap(t);
            if d < best.1 { (t, d) } else { best }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{ico_sphere, tet_sphere};
    use crate::resolved::Cells;

    #[test]
    fn weights_rebuild_the_surface_and_report_how_far_it_sticks_out() {
        let ball = tet_sphere(1.0, 6);
        let Cells::Tets(tets) = ball.cells else { panic!("tets expected") };
        let skin = ico_sphere(0.999, 3);
        let mesh = Mesh {
            vertices: skin.vertices.clone(),
            cells: skin.cells,
            uv: None,
            rest_vertices: None,
            source: "skin".into(),
        };
        let embedded = embed(mesh, &ball.vertices, &tets);
        for (i, p) in skin.vertices.iter().enumerate() {
            let terms = &embedded.carriers[i].terms;
            let rebuilt: Vec3 = terms.iter().map(|&(v, w)| ball.vertices[v as usize] * w).sum();
            assert!((rebuilt - p).norm() < 1e-12);
            assert!((terms.iter().map(|t| t.1).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // The faceted ball lies inside the sphere by at most the sagitta of its largest face.
        assert!(embedded.max_outside > 1e-4 && embedded.max_outside < 0.05, "{}", embedded.max_outside);
    }
}
