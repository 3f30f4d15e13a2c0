//! Rest data of the shape operator: the stiffness of a triangle against the tilts of the normals at
//! its edges.
//!
//! **From tilts to curvature.** Let w be a quadratic height over a flat triangle of area A, with
//! curvature K = ∇∇w, and w̄ its linear interpolation. q = w − w̄ vanishes at the corners and has the
//! same curvature. By the divergence theorem
//!
//! `A K = ∫ ∇∇q = Σ_i ∫_i ∇q tᵀ ds`, t_i the outward in-plane normal of edge i.
//!
//! Along an edge the tangential part of ∇q integrates to nothing, since q is zero at both ends; the
//! normal part is linear along the edge, so that its integral is the value at the middle times the
//! length l_i. Thus, *exactly*,
//!
//! `K = Σ_i (l_i/A) γ_i t_i t_iᵀ`,  γ_i = t_i·(∇w at the middle of edge i − ∇w̄).
//!
//! γ_i is minus the angle by which the normal of the surface at the middle of the edge leans
//! outward from the normal of the triangle: the *tilt* β_i. With S = −K (a ridge is positive)
//! `S = Σ_i (l_i/A) β_i t_i t_iᵀ`, the curvature of Morley's plate triangle [Morley1968] and of the
//! general shape operator of [Grinspun2006]. When the two triangles of an edge share the dihedral
//! angle in halves, β = θ/2, this is the edge average `Σ θ_i l_i/(2A) t_i t_iᵀ`, which is right on
//! regular meshes only: on others the share is not one half, and so it is an unknown of its own.
//!
//! **Stiffness.** The energy of the plate, `½ A D [(1−ν) tr(S²) + ν tr(S)²]`, is `½ βᵀ C β` with
//! (t_i·t_j = ê_i·ê_j)
//!
//! `C_ij = (D/A) [(1−ν) (e_i·e_j)²/(l_i l_j) + ν l_i l_j]`.
//!
//! **Free edges** carry no moment: ∂E/∂β_i = 0 there, so β_i is eliminated from C (Schur
//! complement) and needs no unknown.

use super::plate::{Plate, vanishes};
use stiction_numerics::{Mat3, Vec3};

/// Rest shape of a triangle that bends, as far as its stiffness needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateTriangle {
    /// e_i·e_j of the edges 00, 11, 22, 01, 12, 20 (edge i is opposite corner i) \[m²\].
    products: [f64; 6],
    /// Area A \[m²\].
    area: f64,
    /// Which edges carry a moment.
    carrying: [bool; 3],
    /// Its place among the sheets of the material table.
    pub(crate) sheet: u32,
}

/// Lower Cholesky factor of C \[√J\] over the edges that carry a moment, in their order: entries
/// 11, 21, 31, 22, 32, 33; rows and columns beyond are zero. Kept: its square roots and divisions
/// would be made again in every evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateFactor([f64; 6]);

impl PlateFactor {
    /// As a matrix.
    #[inline(always)]
    pub(super) fn matrix(&self) -> Mat3 {
        let [m11, m21, m31, m22, m32, m33] = self.0;
        Mat3::new(m11, 0.0, 0.0, m21, m22, 0.0, m31, m32, m33)
    }
}

impl PlateTriangle {
    /// From the flat rest shape; `None` for a triangle without area.
    pub(super) fn new(x: [Vec3; 3], carrying: [bool; 3], sheet: u32) -> Option<PlateTriangle> {
        let edges: [Vec3; 3] = std::array::from_fn(|i| x[(i + 2) % 3] - x[(i + 1) % 3]);
        let area = 0.5 * edges[2].cross(&edges[1]).norm();
        if vanishes(area, edges[1].norm_squared().max(edges[2].norm_squared())) {
            return None;
        }
        let products = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)].map(|(i, j)| edges[i].dot(&edges[j]));
        Some(PlateTriangle { products, area, carrying, sheet })
    }

    /// Factor of its stiffness for a plate.
    pub(crate) fn factor(&self, plate: &Plate) -> PlateFactor {
        let nu = plate.poisson;
        let mut full = Mat3::from_fn(|r, c| {
            let lengths = self.products[r].sqrt() * self.products[c].sqrt();
            let product = self.products[if r == c { r } else { [4, 5, 3][3 - r - c] }];
            ((1.0 - nu) * product.powi(2) / lengths + nu * lengths) / self.area
        });
        for free in (0..3).filter(|i| !self.carrying[*i]) {
            let (column, pivot) = (full.column(free).into_owned(), full[(free, free)]);
            full -= column * column.transpose() / pivot;
            // Exactly nothing, so that a second elimination does not act on what rounding left.
            full.row_mut(free).fill(0.0);
            full.column_mut(free).fill(0.0);
        }
        let mut used = Mat3::zeros();
        let places = (0..3).filter(|i| self.carrying[*i]);
        for (r, row) in places.clone().enumerate() {
            for (c, column) in places.clone().enumerate() {
                used[(r, c)] = full[(row, column)];
            }
        }
        let lower = cholesky(&used, places.count()) * plate.stiffness.sqrt();
        PlateFactor([lower.m11, lower.m21, lower.m31, lower.m22, lower.m32, lower.m33])
    }
}

/// Cholesky factor of the leading `size` rows. C is positive definite for −1 < ν ≤ ½, since the t_i
/// t_iᵀ of a triangle are independent; a pivot lost to rounding in a needle becomes a zero column.
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

    const CORNERS: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.1, 0.2, 0.0), Vec3::new(0.3, 0.9, 0.0)];

    fn factor_of(carrying: [bool; 3], plate: &Plate) -> Mat3 {
        PlateTriangle::new(CORNERS, carrying, 0).unwrap().factor(plate).matrix()
    }

    /// Tilts of the quadratic height ½ xᵀ K x + g·x over the triangle.
    fn tilts(k: [f64; 3]) -> Vec3 {
        let slope = |p: Vec3| Vec3::new(k[0] * p.x + k[2] * p.y + 0.3, k[2] * p.x + k[1] * p.y - 0.7, 0.0);
        let height = |p: Vec3| 0.5 * p.dot(&(slope(p) + Vec3::new(0.3, -0.7, 0.0)));
        let [a, b, c] = CORNERS.map(|p| p + Vec3::z() * height(p));
        let normal = (b - a).cross(&(c - a));
        let linear = -normal.xy() / normal.z;
        Vec3::from_fn(|i, _| {
            let (p, q) = (CORNERS[(i + 1) % 3], CORNERS[(i + 2) % 3]);
            let outward = (q - p).cross(&Vec3::z()).normalize();
            -outward.xy().dot(&(slope(0.5 * (p + q)).xy() - linear))
        })
    }

    #[test]
    fn quadratic_surfaces_have_exactly_the_energy_of_the_plate() {
        let plate = Plate::new(2.0, 0.3).unwrap();
        let factor = factor_of([true; 3], &plate);
        let area = 0.5 * CORNERS[1].cross(&CORNERS[2]).norm();
        for k in [[0.7, -0.4, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]] {
            let energy = 0.5 * factor.tr_mul(&tilts(k)).norm_squared();
            let trace: f64 = k[0] + k[1];
            let square = k[0] * k[0] + k[1] * k[1] + 2.0 * k[2] * k[2];
            let expected = 0.5 * area * 2.0 * (0.7 * square + 0.3 * trace * trace);
            assert!((energy / expected - 1.0).abs() < 1e-12, "{k:?}: {}", energy / expected);
        }
    }

    #[test]
    fn a_free_edge_takes_the_tilt_that_costs_least() {
        let plate = Plate::new(1.0, 0.3).unwrap();
        let full = factor_of([true; 3], &plate);
        let free = factor_of([true, false, true], &plate);
        let c = full * full.transpose();
        for (first, third) in [(1.0, 0.0), (0.0, 1.0), (0.6, -0.9)] {
            let second = -(c[(1, 0)] * first + c[(1, 2)] * third) / c[(1, 1)];
            let least = full.tr_mul(&Vec3::new(first, second, third)).norm_squared();
            let found = free.tr_mul(&Vec3::new(first, third, 0.0)).norm_squared();
            assert!((found / least - 1.0).abs() < 1e-12);
        }
    }
}
