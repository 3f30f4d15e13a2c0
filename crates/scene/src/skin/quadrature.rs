//! Points at which a skinned body is elastic: one per tet, two through the thickness of a sheet per
//! triangle.

use super::MAX_FRAMES;
use super::nodes::FrameTet;
use crate::geometry::tet_volume;
use crate::resolved::{Cells, MaterialPoint, Mesh};
use stiction_numerics::{Mat3, Vec3};

/// A point of the material with the weights of its frames.
pub struct QuadraturePoint {
    /// Rest place \[m\].
    pub place: Vec3,
    /// Volume that it stands for \[m³\].
    pub volume: f64,
    /// Frame, weight and gradient of the weight \[1/m\]; weights sum to one, gradients to zero.
    pub weights: Vec<(u32, f64, Vec3)>,
}

impl QuadraturePoint {
    /// Shape gradients ∇(w β_k) = w ∇β_k + β_k ∇w of all nodes.
    pub fn material_point(&self, tets: &[FrameTet]) -> MaterialPoint {
        let mut point = MaterialPoint { nodes: Vec::new(), gradients: Vec::new(), volume: self.volume };
        for &(frame, w, slope) in &self.weights {
            let tet = &tets[frame as usize];
            let (beta, gradients) = (tet.coordinates(&self.place), tet.gradients());
            for k in 0..4 {
                point.nodes.push(4 * frame + k as u32);
                point.gradients.push(gradients[k] * w + slope * beta[k]);
            }
        }
        point
    }
}

/// All points of a mesh. Weights run linearly between the vertices of a cell; a sheet has the
/// weights of its mid-surface.
pub fn samples(mesh: &Mesh, thickness: f64, weights: &[Vec<(u32, f64)>]) -> Vec<QuadraturePoint> {
    match &mesh.cells {
        Cells::Tets(tets) => tets.iter().map(|t| tet_sample(mesh, t, weights)).collect(),
        Cells::Triangles(cells) => {
            cells.iter().flat_map(|t| sheet_samples(mesh, t, thickness, weights)).collect()
        }
        Cells::Strands(_) => Vec::new(),
    }
}

fn tet_sample(mesh: &Mesh, tet: &[u32; 4], weights: &[Vec<(u32, f64)>]) -> QuadraturePoint {
    let [a, b, c, d] = tet.map(|i| mesh.vertices[i as usize]);
    let inverse = Mat3::from_columns(&[b - a, c - a, d - a]).try_inverse().unwrap_or_else(Mat3::zeros);
    let [p, q, r] = [0, 1, 2].map(|i| inverse.row(i).transpose());
    let corners = [-(p + q + r), p, q, r];
    QuadraturePoint {
        place: (a + b + c + d) * 0.25,
        volume: tet_volume(&mesh.vertices, tet),
        weights: blended(tet, &corners, weights),
    }
}

/// Gauss points at ± t/(2√3): exact for stretching and for bending of the sheet.
fn sheet_samples(
    mesh: &Mesh,
    triangle: &[u32; 3],
    thickness: f64,
    weights: &[Vec<(u32, f64)>],
) -> [QuadraturePoint; 2] {
    let [a, b, c] = triangle.map(|i| mesh.vertices[i as usize]);
    let cross = (b - a).cross(&(c - a));
    let (area, normal) = (0.5 * cross.norm(), cross.normalize());
    // Gradient of the barycentric coordinate of a corner: along the height over the opposite side.
    let slope = |from: Vec3, to: Vec3| normal.cross(&(to - from)) / (2.0 * area);
    let corners = [slope(b, c), slope(c, a), slope(a, b)];
    let blend = blended(triangle, &corners, weights);
    let offset = normal * (thickness / 12_f64.sqrt());
    [-1.0, 1.0].map(|side| QuadraturePoint {
        place: (a + b + c) / 3.0 + offset * side,
        volume: 0.5 * area * thickness,
        weights: blend.clone(),
    })
}

/// Mean weights of the corners and their gradients, the least ones given to the largest when there
/// are too many frames.
fn blended<const N: usize>(
    cell: &[u32; N],
    corners: &[Vec3; N],
    weights: &[Vec<(u32, f64)>],
) -> Vec<(u32, f64, Vec3)> {
    let mut list: Vec<(u32, f64, Vec3)> = Vec::new();
    for (&vertex, corner) in cell.iter().zip(corners) {
        for &(frame, w) in &weights[vertex as usize] {
            match list.iter_mut().find(|entry| entry.0 == frame) {
                Some(entry) => {
                    entry.1 += w / N as f64;
                    entry.2 += corner * w;
                }
                None => list.push((frame, w / N as f64, corner * w)),
            }
        }
    }
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for (_, w, slope) in list.split_off(list.len().min(MAX_FRAMES)) {
        list[0].1 += w;
        list[0].2 += slope;
    }
    list.sort_by_key(|entry| entry.0);
    list
}
