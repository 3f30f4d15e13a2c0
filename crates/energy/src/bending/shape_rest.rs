//! Rest data of the shape operator: how angles over the edges of a triangle measure its curvature.
//!
//! The energy of a triangle is quadratic in the angles `φ_i = θ_i − θ₀_i` over its edges, `E = ½ φᵀ C φ`; this file finds C
//! from the rest shape, its flaps unfolded into the plane of the triangle.
//!
//! **Edge average** (default). Each side of an edge takes half of the angle: `S = Σ φ_i l_i/(2A) t_i t_iᵀ` with t_i the
//! in-plane normal of edge i, `C_ij = D l_i l_j/(4A) [(1−ν)(t_i·t_j)² + ν]`. A constant moment is in equilibrium on every mesh.
//! The curvature is exact where each flap is the triangle turned by half a turn about the middle of the edge (grids with
//! equal diagonals, equilateral meshes), and for bends along the edges of a grid with alternating diagonals; elsewhere it
//! is overestimated by an amount that refinement does not remove. A free edge takes the angle that costs least, so that
//! its moment vanishes (the natural condition of a free border).
//!
//! **Quadratic fit**. Six vertices fix a quadratic height field with curvature K. On it the angle over edge i is
//! `L_i : K = −(1/2h_i) Σ_{k<l} λ_k λ_l (x_k−x_l)ᵀ K (x_k−x_l)` with λ the barycentric coordinates of the flap vertex and h_i its
//! height. C is the energy of the plate under the K that costs least among those with the given angles,
//! `C = A (L 𝔻⁻¹ Lᵀ)⁻¹`: exact for every given quadratic surface on every mesh. But then a constant moment is in
//! equilibrium on regular meshes only: on others a free shell finds ripples that lower its energy. Where the six
//! vertices lie on one conic, L is singular; a small added compliance bounds the stiffness.
//!
//! Energy over that of a plate bent to a cylinder, on a given shape / after all inner nodes relaxed (`strip_tests`):
//!
//! | mesh, axis | edge average | quadratic fit |
//! | --- | --- | --- |
//! | equal diagonals or equilateral, any | 1.00 / 1.00 | 1.00 / 1.00 |
//! | alternating diagonals, along edges | 1.00 / 1.00 | 1.00 / 0.63 |
//! | alternating diagonals, at 23° | 1.33 / 1.33 | 1.00 / 0.63 |
//! | irregular, 0° | 1.15 / 1.11 | 1.00 / 0.87 |
//! | irregular, 23° | 1.33 / 1.27 | 1.00 / 0.87 |
//!
//! To be right in both senses on irregular meshes the share of each side must be an unknown of its own (one angle per
//! edge, as in Morley's plate); neither choice here has that unknown.
//!
//! A *clamped* edge has a node in the clamping plane instead of a flap: the angle to that plane is half of what a mirror
//! image of the triangle would show, so it counts twice.

use super::plate::{BendError, Plate, vanishes};
use stiction_numerics::{Mat3, Vec2, Vec3};

/// How curvature is read from the angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShapeFit {
    /// Half of each angle goes to each side: right on regular meshes, too stiff on others.
    #[default]
    EdgeAverage,
    /// Exact for given quadratic surfaces on every mesh; too soft in equilibrium on irregular ones.
    Quadratic,
}

/// What lies across an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeSupport {
    /// Nothing: no moment is carried.
    Free,
    /// The neighbour's vertex.
    Flap(u32),
    /// A (pinned) node in the plane in which the shell is clamped along this edge, on the far side.
    Clamped(u32),
}

/// Compliance added to the fit, relative to its diagonal.
const COMPLIANCE: f64 = 1e-4;

/// An edge of the triangle with its flap unfolded into the plane.
struct Side {
    edge: usize,
    apex: Vec2,
    height: f64,
    multiple: f64,
}

/// The triangle in its own plane.
struct Flat {
    corners: [Vec2; 3],
    area: f64,
}

impl Flat {
    fn new(x: [Vec3; 3]) -> Option<Flat> {
        let (first, second) = (x[1] - x[0], x[2] - x[0]);
        let length = first.norm();
        let area = 0.5 * first.cross(&second).norm();
        if vanishes(area, first.norm_squared().max(second.norm_squared())) {
            return None;
        }
        let corners = [
            Vec2::zeros(),
            Vec2::new(length, 0.0),
            Vec2::new(first.dot(&second) / length, 2.0 * area / length),
        ];
        Some(Flat { corners, area })
    }

    /// Edge i as (start, vector, unit in-plane normal towards vertex i).
    fn edge(&self, i: usize) -> (Vec2, Vec2, Vec2) {
        let (a, b) = (self.corners[(i + 1) % 3], self.corners[(i + 2) % 3]);
        let along = b - a;
        (a, along, Vec2::new(-along.y, along.x) / along.norm())
    }

    /// Barycentric coordinates of a point in the plane.
    fn barycentric(&self, point: Vec2) -> [f64; 3] {
        std::array::from_fn(|i| {
            let (a, along, inward) = self.edge(i);
            inward.dot(&(point - a)) * along.norm() / (2.0 * self.area)
        })
    }

    fn unfold(&self, i: usize, x: [Vec3; 3], flap: Vec3, clamped: bool) -> Option<Side> {
        let (a, along, inward) = self.edge(i);
        let start = x[(i + 1) % 3];
        let edge = x[(i + 2) % 3] - start;
        let arm = flap - start;
        let height = edge.cross(&arm).norm() / edge.norm();
        if vanishes(height, edge.norm().max(arm.norm())) {
            return None;
        }
        if clamped {
            // Mirror image of the triangle itself.
            let height = inward.dot(&(self.corners[i] - a));
            let apex = self.corners[i] - inward * (2.0 * height);
            return Some(Side { edge: i, apex, height, multiple: 2.0 });
        }
        let apex = a + along * (edge.dot(&arm) / edge.norm_squared()) - inward * height;
        Some(Side { edge: i, apex, height, multiple: 1.0 })
    }

    /// Row L_i over (k₁₁, k₂₂, k₁₂).
    fn fit_row(&self, side: &Side) -> Vec3 {
        let weights = self.barycentric(side.apex);
        let mut row = Vec3::zeros();
        for (k, l) in [(0, 1), (1, 2), (2, 0)] {
            let e = self.corners[k] - self.corners[l];
            row += Vec3::new(e.x * e.x, e.y * e.y, 2.0 * e.x * e.y) * (weights[k] * weights[l]);
        }
        row * (-0.5 / side.height)
    }
}

/// Lower Cholesky factor R of C (rows and columns beyond the number of flaps are zero) for rest corners `x` and the
/// flaps or clamping nodes `across` = (edge, rest position, clamped).
pub(super) fn stiffness_factor(
    nodes: [u32; 3],
    x: [Vec3; 3],
    across: &[(usize, u32, Vec3, bool)],
    plate: &Plate,
    fit: ShapeFit,
) -> Result<Mat3, BendError> {
    let flat = Flat::new(x).ok_or(BendError::DegenerateTriangle { nodes })?;
    let mut sides = Vec::with_capacity(3);
    for &(edge, node, place, clamped) in across {
        let ends = [nodes[(edge + 1) % 3], nodes[(edge + 2) % 3], node];
        let side = flat.unfold(edge, x, place, clamped);
        sides.push(side.ok_or(BendError::DegenerateTriangle { nodes: ends })?);
    }
    let unit = match fit {
        ShapeFit::Quadratic => fitted(&flat, &sides, plate),
        ShapeFit::EdgeAverage => averaged(&flat, &sides, plate),
    };
    let scaled = Mat3::from_fn(|r, c| {
        let multiple = |i: usize| sides.get(i).map_or(0.0, |s| s.multiple);
        unit[(r, c)] * multiple(r) * multiple(c)
    });
    Ok(cholesky(&scaled, sides.len()) * plate.stiffness.sqrt())
}

/// C = A (L 𝔻⁻¹ Lᵀ + small)⁻¹ for D = 1.
fn fitted(flat: &Flat, sides: &[Side], plate: &Plate) -> Mat3 {
    let nu = plate.poisson;
    let scale = 1.0 / (1.0 - nu * nu);
    let compliance = Mat3::new(scale, -nu * scale, 0.0, -nu * scale, scale, 0.0, 0.0, 0.0, 0.5 / (1.0 - nu));
    let rows: Vec<Vec3> = sides.iter().map(|s| flat.fit_row(s)).collect();
    // Unused rows become the identity, which leaves the inverse of the used part alone.
    let mut gram = Mat3::identity();
    for r in 0..rows.len() {
        for c in 0..rows.len() {
            gram[(r, c)] = rows[r].dot(&(compliance * rows[c]));
        }
    }
    for r in 0..rows.len() {
        gram[(r, r)] *= 1.0 + COMPLIANCE;
    }
    gram.try_inverse().unwrap_or_else(Mat3::zeros) * flat.area
}

/// C of the edge average for D = 1, edges without a flap eliminated.
fn averaged(flat: &Flat, sides: &[Side], plate: &Plate) -> Mat3 {
    let rows: [Vec3; 3] = std::array::from_fn(|i| {
        let (_, along, t) = flat.edge(i);
        Vec3::new(t.x * t.x, t.y * t.y, t.x * t.y) * (along.norm() / (2.0 * flat.area))
    });
    let matrix = plate.unit_matrix();
    let mut full = Mat3::from_fn(|r, c| flat.area * rows[r].dot(&(matrix * rows[c])));
    for free in (0..3).filter(|i| sides.iter().all(|s| s.edge != *i)) {
        let (column, pivot) = (full.column(free).into_owned(), full[(free, free)]);
        if pivot > 0.0 {
            full -= column * column.transpose() / pivot;
        }
    }
    let mut used = Mat3::zeros();
    for r in 0..sides.len() {
        for c in 0..sides.len() {
            used[(r, c)] = full[(sides[r].edge, sides[c].edge)];
        }
    }
    used
}

/// Cholesky factor of the leading `size` rows; directions without stiffness get a zero column.
fn cholesky(matrix: &Mat3, size: usize) -> Mat3 {
    let mut factor = Mat3::zeros();
    for c in 0..size {
        let pivot = matrix[(c, c)] - (0..c).map(|k| factor[(c, k)].powi(2)).sum::<f64>();
        if pivot <= 1e-14 * matrix[(c, c)] {
            continue;
        }
        factor[(c, c)] = pivot.sqrt();
        for r in c + 1..size {
            let rest = (0..c).map(|k| factor[(r, k)] * factor[(c, k)]).sum::<f64>();
            factor[(r, c)] = (matrix[(r, c)] - rest) / factor[(c, c)];
        }
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The angles of a quadratic height field over a random stencil give back the energy of its curvature.
    #[test]
    fn quadratic_surfaces_are_exact_on_any_stencil() {
        let plate = Plate::new(2.0, 0.3).unwrap();
        let corners = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.1, 0.2, 0.0), Vec3::new(0.3, 0.9, 0.0)];
        let flaps = [Vec3::new(1.3, 1.2, 0.0), Vec3::new(-0.8, 0.7, 0.0), Vec3::new(0.4, -0.7, 0.0)];
        let across: Vec<_> = (0..3).map(|i| (i, 3 + i as u32, flaps[i], false)).collect();
        let factor = stiffness_factor([0, 1, 2], corners, &across, &plate, ShapeFit::Quadratic).unwrap();
        let (k11, k22, k12) = (0.7, -0.4, 0.25);
        let slope = 1e-4;
        let lift = |x: Vec3| {
            let z = 0.5 * (k11 * x.x * x.x + k22 * x.y * x.y) + k12 * x.x * x.y + 0.3 * x.x;
            Vec3::new(x.x, x.y, slope * z)
        };
        let angles = Vec3::from_fn(|i, _| {
            let (a, b) = (lift(corners[(i + 1) % 3]), lift(corners[(i + 2) % 3]));
            super::super::dihedral_angle(a, b, lift(corners[i]), lift(flaps[i])) / slope
        });
        let energy = 0.5 * (factor.transpose() * angles).norm_squared();
        let trace: f64 = k11 + k22;
        let density = 0.5 * 2.0 * (0.7 * (k11 * k11 + k22 * k22 + 2.0 * k12 * k12) + 0.3 * trace * trace);
        let area = 0.5 * (corners[1].cross(&corners[2])).norm();
        assert!((energy / (density * area) - 1.0).abs() < 1e-3, "{}", energy / (density * area));
    }
}
