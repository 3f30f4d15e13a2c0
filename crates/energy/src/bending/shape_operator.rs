//! Plate bending by the shape operator of a triangle: a Morley element for large rotations.
//!
//! `E = ½ βᵀ C β` over the inner edges of the triangle; β_i = tilt of the shell's normal at the
//! middle of edge i, outward from
//! the normal of the triangle, minus its rest value \[rad\]; C \[J\] from [`super::shape_rest`],
//! where the derivation is. Equals `½ A D [(1−ν) tr(S²) + ν tr(S)²]` of the curvature
//! `S = Σ (l_i/A) β_i t_i t_iᵀ`, on every mesh.
//!
//! **Tilt.** The normal at an edge is an unknown that both triangles share: director d, carried in
//! parallel from the start of the step to the tangent t, turned by φ about t
//! (`stiction_bodies::shells`). With ψ the angle of the triangle's normal about t, measured from d,
//! `β = r (φ − ψ)`, where r = ±1 says which way the triangle walks the edge. Each tilt is about
//! half of a dihedral angle, so that a fold of half a turn is far from any jump. At rest the normal
//! halves the dihedral angle; another choice would shift φ by a constant and change nothing else.
//!
//! **Derivatives.** About the edge the triangle turns as a wing of [`super::dihedral`]; the carried
//! director turns by `−k·δt` with `k = t₀×t/(1 + t₀·t)`. Hence
//! `δβ = r δφ + wing·δx − k·(δb − δa)/l`, and to the wing's second derivative comes, over
//! e = b − a, `(r/2l²)(k gᵀ + g kᵀ)` with `g = ((2 + t₀·t) t + t₀)/(1 + t₀·t)`.
//!
//! Projected Hessian: Gauss–Newton plus the positive part of `Σ (Cβ)_i` times the wings' second
//! derivatives (all share one normal: one 2×2 problem). The director's part is left out; it
//! vanishes with the rotation since the start of the step.
//!
//! Blocks: the three corners, then one angle per inner edge (4 to 6 blocks). A triangle without any
//! has no element.

use super::dihedral::{PairedTerm, Wing};
use super::local::{add_outer_sum, add_term, mirror, outer_sum};
use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_bodies::EdgeFrame;
use stiction_bodies::frames::unwrap_angle;
use stiction_numerics::{Mat3, Vec3};

/// One edge of a triangle that carries a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Side {
    /// Opposite corner.
    pub corner: u8,
    /// Whether the triangle walks the edge against the tangent of its frame (r = −1).
    pub backward: bool,
    /// Whether the triangle's normal lies on the other side of the surface than the edge's.
    pub opposed: bool,
    /// Frame of the edge.
    pub frame: u32,
    /// Tilt at rest \[rad\].
    pub rest_tilt: f64,
}

/// One triangle with `N` − 3 edges that carry a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeOperatorElement<const N: usize> {
    /// Corners, then the angles of the sides.
    pub(super) blocks: [u32; N],
    pub(super) sides: [Side; 3],
    /// Place of its factor in the material table.
    pub(super) factor: u32,
}

/// Smallest 1 + t₀·t: an edge that turns right round in one step has no defined transport.
const SMALLEST_TURN: f64 = 1e-12;
/// Stands for the length of an edge that vanished.
const SMALLEST_LENGTH: f64 = 1e-60;

impl Side {
    fn sign(&self) -> f64 {
        if self.backward { -1.0 } else { 1.0 }
    }

    /// Corners a, b and apex.
    #[inline]
    fn places(&self) -> [usize; 3] {
        let apex = self.corner as usize;
        [(apex + 1) % 3, (apex + 2) % 3, apex]
    }

    /// Unit tangent along the frame for the edge vector a→b.
    #[inline]
    fn tangent(&self, edge: Vec3, frame: &EdgeFrame) -> Vec3 {
        let length = edge.norm();
        if length > SMALLEST_LENGTH { edge * (self.sign() / length) } else { frame.tangent }
    }

    /// β \[rad\]; none for a triangle that collapsed.
    #[inline]
    fn tilt(&self, tangent: Vec3, normal: Vec3, angle: f64, frame: &EdgeFrame) -> f64 {
        if normal == Vec3::zeros() {
            return 0.0;
        }
        let (start, director) = (frame.tangent, frame.director);
        // The normal carried back to the start is cheaper than the director carried here: the angle
        // is the same.
        let carried = normal.dot(&start) / (1.0 + start.dot(&tangent)).max(SMALLEST_TURN);
        let binormal = start.cross(&director);
        let cosine = normal.dot(&director) - carried * tangent.dot(&director);
        let sine = normal.dot(&binormal) - carried * tangent.dot(&binormal);
        let lean = if self.opposed { (-sine).atan2(-cosine) } else { sine.atan2(cosine) };
        unwrap_angle(self.sign() * (angle - lean) - self.rest_tilt, 0.0)
    }
}

/// Tilts and their first derivatives at one configuration.
struct Tilts {
    tilt: Vec3,
    wings: [Wing; 3],
    /// Tangents along the frames.
    tangents: [Vec3; 3],
    /// ∂β of each side over the corners.
    gradients: [[Vec3; 3]; 3],
}

impl<const N: usize> ShapeOperatorElement<N> {
    const SIDES: usize = N - 3;

    /// The three nodes of the triangle.
    pub fn triangle(&self) -> [u32; 3] {
        [self.blocks[0], self.blocks[1], self.blocks[2]]
    }

    /// Takes the flat shape as free of stress.
    pub(super) fn flatten(&mut self) {
        self.sides.iter_mut().for_each(|side| side.rest_tilt = 0.0);
    }

    fn tilts(&self, at: &Stencil<'_, N>) -> Tilts {
        let x = &at.x;
        let normal = (x[1] - x[0]).cross(&(x[2] - x[0]));
        let idle = Wing::new(Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        let mut out = Tilts {
            tilt: Vec3::zeros(),
            wings: [idle; 3],
            tangents: [Vec3::zeros(); 3],
            gradients: [[Vec3::zeros(); 3]; 3],
        };
        for (s, side) in self.sides[..Self::SIDES].iter().enumerate() {
            let [a, b, apex] = side.places();
            let (edge, frame) = (x[b] - x[a], &at.frames[side.frame as usize]);
            let tangent = side.tangent(edge, frame);
            out.tilt[s] = side.tilt(tangent, normal, x[3 + s].x, frame);
            out.wings[s] = Wing::new(edge, x[apex] - x[a], normal);
            out.tangents[s] = tangent;
            let wing = out.wings[s].gradient();
            let turn = director_turn(frame.tangent, tangent) / edge.norm().max(SMALLEST_LENGTH);
            out.gradients[a][s] = wing[0] + turn;
            out.gradients[b][s] = wing[1] - turn;
            out.gradients[apex][s] = wing[2];
        }
        out
    }

    /// Adds what the carried directors contribute to the exact second derivative.
    fn add_director_terms(
        &self,
        at: &Stencil<'_, N>,
        tilts: &Tilts,
        moments: &Vec3,
        hessian: &mut LocalHessian<N>,
    ) {
        for (s, side) in self.sides[..Self::SIDES].iter().enumerate() {
            let [a, b, _] = side.places();
            let (start, tangent) = (at.frames[side.frame as usize].tangent, tilts.tangents[s]);
            let length = (at.x[b] - at.x[a]).norm().max(SMALLEST_LENGTH);
            let cosine = start.dot(&tangent);
            let k = director_turn(start, tangent) * (side.sign() * moments[s] / (2.0 * length * length));
            let g = (tangent * (2.0 + cosine) + start) / (1.0 + cosine).max(SMALLEST_TURN);
            let (low, high) = (a.min(b), a.max(b));
            add_outer_sum(&mut hessian[a][a], &[k, g], &[g, k]);
            add_outer_sum(&mut hessian[b][b], &[k, g], &[g, k]);
            add_outer_sum(&mut hessian[low][high], &[-k, -g], &[g, k]);
        }
    }
}

/// k = t₀×t / (1 + t₀·t): minus the turn of a carried director about t per change of t.
#[inline]
fn director_turn(start: Vec3, tangent: Vec3) -> Vec3 {
    start.cross(&tangent) / (1.0 + start.dot(&tangent)).max(SMALLEST_TURN)
}

impl<const N: usize> Element<N> for ShapeOperatorElement<N> {
    fn blocks(&self) -> [u32; N] {
        self.blocks
    }

    fn energy(&self, at: &Stencil<'_, N>) -> f64 {
        let x = &at.x;
        let normal = (x[1] - x[0]).cross(&(x[2] - x[0]));
        let mut tilt = Vec3::zeros();
        for (s, side) in self.sides[..Self::SIDES].iter().enumerate() {
            let [a, b, _] = side.places();
            let frame = &at.frames[side.frame as usize];
            tilt[s] = side.tilt(side.tangent(x[b] - x[a], frame), normal, x[3 + s].x, frame);
        }
        0.5 * at.materials.plate_factor(self.factor).matrix().tr_mul(&tilt).norm_squared()
    }

    fn gradient(&self, at: &Stencil<'_, N>) -> [Vec3; N] {
        let tilts = self.tilts(at);
        let factor = at.materials.plate_factor(self.factor).matrix();
        let moments = factor * factor.tr_mul(&tilts.tilt);
        let mut out = [Vec3::zeros(); N];
        for corner in 0..3 {
            let g = &tilts.gradients[corner];
            out[corner] = g[0] * moments[0] + g[1] * moments[1] + g[2] * moments[2];
        }
        for s in 0..Self::SIDES {
            out[3 + s].x = self.sides[s].sign() * moments[s];
        }
        out
    }

    fn hessian(&self, at: &Stencil<'_, N>, curvature: Curvature) -> LocalHessian<N> {
        let tilts = self.tilts(at);
        let factor = at.materials.plate_factor(self.factor).matrix();
        let moments = factor * factor.tr_mul(&tilts.tilt);
        let mut hessian = self.gauss_newton(&tilts, &factor);
        let mut second = PairedTerm::default();
        for s in 0..Self::SIDES {
            tilts.wings[s].add_paired(moments[s], self.sides[s].places(), &mut second);
        }
        add_term(&mut hessian, [0, 1, 2], &second, curvature);
        if curvature == Curvature::Exact {
            self.add_director_terms(at, &tilts, &moments, &mut hessian);
        }
        mirror(&mut hessian);
        hessian
    }
}

impl<const N: usize> ShapeOperatorElement<N> {
    /// `∇βᵀ C ∇β` in the upper triangle.
    #[inline]
    fn gauss_newton(&self, tilts: &Tilts, r: &Mat3) -> LocalHessian<N> {
        let mut hessian = [[Mat3::zeros(); N]; N];
        // Columns of ∇β R, R lower triangular; those over φ are r_s times the rows of R.
        let columns = tilts
            .gradients
            .map(|g| [g[0] * r.m11 + g[1] * r.m21 + g[2] * r.m31, g[1] * r.m22 + g[2] * r.m32, g[2] * r.m33]);
        for a in 0..3 {
            for b in a..3 {
                hessian[a][b] = outer_sum(&columns[a], &columns[b]);
            }
            for s in 0..Self::SIDES {
                let q = &columns[a];
                let column = (q[0] * r[(s, 0)] + q[1] * r[(s, 1)] + q[2] * r[(s, 2)]) * self.sides[s].sign();
                hessian[a][3 + s].set_column(0, &column);
            }
        }
        for s in 0..Self::SIDES {
            for other in s..Self::SIDES {
                let product =
                    r[(s, 0)] * r[(other, 0)] + r[(s, 1)] * r[(other, 1)] + r[(s, 2)] * r[(other, 2)];
                hessian[3 + s][3 + other].m11 = product * self.sides[s].sign() * self.sides[other].sign();
            }
        }
        hessian
    }
}
