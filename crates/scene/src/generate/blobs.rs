//! Smooth closed shapes from a few round parts: animals, heads, torsos.

use super::RawMesh;
use crate::geometry::{bounds, closest_on_segment};
use crate::resolved::Cells;
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// A ball, or a capsule whose radius runs from one end to the other.
#[derive(Clone, Copy, Debug)]
pub struct BlobPart {
    /// One end of the axis.
    pub start: Vec3,
    /// Other end; a ball when it is the same.
    pub end: Vec3,
    /// Radius at `start`.
    pub radius: f64,
    /// Radius at `end`.
    pub end_radius: f64,
}

/// Steps that pull a vertex onto the surface; the average of crossings lies within a cell of it.
const PULLS: usize = 4;

/// Surface of the smooth union of parts. One vertex per lattice cube that the surface crosses, one
/// quad per lattice edge that it cuts, so that triangles are even [Gibson1998]. `cells` along the
/// longest side; `blend` is the width over which parts run into each other.
pub fn blobs(parts: &[BlobPart], blend: f64, cells: u32) -> RawMesh {
    let field = Field { parts, blend };
    let (low, high) = field.bounds();
    let step = (high - low).max() / f64::from(cells);
    let count = [0, 1, 2].map(|k| ((high - low)[k] / step).ceil() as u32 + 1);
    let origin = (low + high) * 0.5 - Vec3::from(count.map(f64::from)) * (0.5 * step);
    let corner = |p: [u32; 3]| origin + Vec3::from(p.map(f64::from)) * step;
    let index = |p: [u32; 3]| ((p[2] * (count[1] + 1) + p[1]) * (count[0] + 1) + p[0]) as usize;
    let lattice = |extra: u32| cube_range(count.map(|n| n + extra));
    let values: Vec<f64> = lattice(1).map(|p| field.value(&corner(p))).collect();
    let mut vertices = Vec::new();
    let mut vertex_of = BTreeMap::new();
    for cube in lattice(0) {
        let corners = CORNERS.map(|c| [cube[0] + c[0], cube[1] + c[1], cube[2] + c[2]]);
        let at = corners.map(|c| (corner(c), values[index(c)]));
        if let Some(middle) = mean_crossing(&at) {
            vertex_of.insert(cube, vertices.len() as u32);
            vertices.push(field.pulled(middle));
        }
    }
    let mut triangles = Vec::new();
    for p in lattice(1) {
        for axis in 0..3 {
            let mut q = p;
            q[axis] += 1;
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            if q[axis] > count[axis] || p[u] == 0 || p[v] == 0 || p[u] == count[u] || p[v] == count[v] {
                continue;
            }
            let inside = values[index(p)] < 0.0;
            if inside != (values[index(q)] < 0.0) {
                let around = [(1, 1), (0, 1), (0, 0), (1, 0)].map(|(du, dv)| {
                    let mut cube = p;
                    cube[u] -= du;
                    cube[v] -= dv;
                    vertex_of[&cube]
                });
                let [a, b, c, d] = if inside { around } else { [around[3], around[2], around[1], around[0]] };
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    RawMesh::new(vertices, Cells::Triangles(triangles))
}

const CORNERS: [[u32; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]];

fn cube_range(count: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..count[2]).flat_map(move |z| (0..count[1]).flat_map(move |y| (0..count[0]).map(move |x| [x, y, z])))
}

/// Mean of the points where the edges of a cube cross the surface.
fn mean_crossing(corners: &[(Vec3, f64); 8]) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for a in 0..8_usize {
        for axis in 0..3 {
            let b = a | 1 << axis;
            let ((p, fp), (q, fq)) = (corners[a], corners[b]);
            if a != b && (fp < 0.0) != (fq < 0.0) {
                sum += p + (q - p) * (fp / (fp - fq));
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum / count)
}

struct Field<'a> {
    parts: &'a [BlobPart],
    blend: f64,
}

impl Field<'_> {
    /// Smooth union −k ln Σ exp(−dᵢ/k), k = `blend`/4: negative inside, does not depend on the
    /// order of the parts.
    fn value(&self, p: &Vec3) -> f64 {
        let k = 0.25 * self.blend;
        let distance = |part: &BlobPart| {
            let t = closest_on_segment(p, &part.start, &part.end);
            (part.start + (part.end - part.start) * t - p).norm()
                - part.radius
                - (part.end_radius - part.radius) * t
        };
        let least = self.parts.iter().map(distance).fold(f64::INFINITY, f64::min);
        if k == 0.0 {
            return least;
        }
        let sum: f64 = self.parts.iter().map(|part| ((least - distance(part)) / k).exp()).sum();
        least - k * sum.ln()
    }

    /// Newton steps along the gradient onto the surface.
    fn pulled(&self, mut p: Vec3) -> Vec3 {
        let step = 1e-4 * self.parts.iter().map(|part| part.radius).fold(f64::INFINITY, f64::min);
        for _ in 0..PULLS {
            let slope = [Vec3::x(), Vec3::y(), Vec3::z()]
                .map(|e| (self.value(&(p + e * step)) - self.value(&(p - e * step))) / (2.0 * step));
            let slope = Vec3::from(slope);
            // Parts of changing radius have slopes below one; half guards the places between parts
            // where it nearly vanishes.
            p -= slope * (self.value(&p) / slope.norm_squared().max(0.5));
        }
        p
    }

    /// Bounds with room for what blending adds: k ln n.
    fn bounds(&self) -> (Vec3, Vec3) {
        let room = 0.25 * self.blend * (self.parts.len() as f64).ln();
        let corners: Vec<Vec3> = self
            .parts
            .iter()
            .flat_map(|part| [(part.start, part.radius), (part.end, part.end_radius)])
            .flat_map(|(c, r)| [c - Vec3::repeat(r + room), c + Vec3::repeat(r + room)])
            .collect();
        bounds(&corners)
    }
}
