//! A node held at a height above a point of a triangle: the direction of a hair on cloth.
//!
//! `r = x₀ − Σ b_i y_i − c n(y)`, `E = ½ k |r|²`; n unit normal of the triangle y. With N =
//! (y₁−y₀)×(y₂−y₀), A = |N|/2 and e_i the
//! side opposite to corner i (counter-clockwise): ∂n/∂y_i = (e_i × n) nᵀ / 2A, by which the normal
//! turns about that side.
//!
//! The Hessian is that of Gauss and Newton, k JᵀJ, also where the exact one is asked for: the rest
//! is of the order of r, which a stiff root keeps small. It is positive semi-definite as it stands.

use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_bodies::RaisedRoot;
use stiction_numerics::{Mat3, Vec3};

/// Elastic root over the held node and the triangle.
#[derive(Clone, Copy, Debug)]
pub struct RaisedRootElement {
    /// The root.
    pub root: RaisedRoot,
    /// Stiffness k \[N/m\].
    pub stiffness: f64,
}

impl RaisedRootElement {
    /// Deviation r and its derivatives by the four nodes.
    fn linearised(&self, x: &[Vec3; 4]) -> (Vec3, [Mat3; 4]) {
        let [held, a, b, c] = *x;
        let cross = (b - a).cross(&(c - a));
        let twice_area = cross.norm().max(f64::MIN_POSITIVE);
        let normal = cross / twice_area;
        let RaisedRoot { weights, height, .. } = self.root;
        let turn = |side: Vec3| side.cross(&normal) * normal.transpose() * (height / twice_area);
        let part = |w: f64, side: Vec3| -turn(side) - Mat3::identity() * w;
        let deviation = held - a * weights[0] - b * weights[1] - c * weights[2] - normal * height;
        let slopes =
            [Mat3::identity(), part(weights[0], c - b), part(weights[1], a - c), part(weights[2], b - a)];
        (deviation, slopes)
    }
}

impl Element<4> for RaisedRootElement {
    fn blocks(&self) -> [u32; 4] {
        self.root.nodes
    }

    fn energy(&self, at: &Stencil<'_, 4>) -> f64 {
        0.5 * self.stiffness * self.linearised(&at.x).0.norm_squared()
    }

    fn gradient(&self, at: &Stencil<'_, 4>) -> [Vec3; 4] {
        let (deviation, slopes) = self.linearised(&at.x);
        slopes.map(|s| s.tr_mul(&deviation) * self.stiffness)
    }

    fn hessian(&self, at: &Stencil<'_, 4>, _: Curvature) -> LocalHessian<4> {
        let slopes = self.linearised(&at.x).1;
        slopes.map(|a| slopes.map(|b| a.tr_mul(&b) * self.stiffness))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::TestRandom;
    use crate::material_table::NO_MATERIALS;
    use stiction_bodies::SpringId;

    fn element(height: f64) -> RaisedRootElement {
        let root =
            RaisedRoot { nodes: [0, 1, 2, 3], weights: [0.2, 0.5, 0.3], height, spring: SpringId::Root(0) };
        RaisedRootElement { root, stiffness: 40.0 }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_energy_and_moves_nothing_as_a_whole() {
        let mut random = TestRandom::new(7);
        let element = element(0.3);
        for _ in 0..20 {
            let x: [Vec3; 4] = std::array::from_fn(|_| random.vector());
            let at = |x: [Vec3; 4]| Stencil { x, frames: &[], materials: &NO_MATERIALS };
            let gradient = element.gradient(&at(x));
            let scale = gradient.iter().map(|g| g.amax()).fold(1e-3, f64::max);
            for a in 0..4 {
                for i in 0..3 {
                    let moved = |step: f64| {
                        let mut y = x;
                        y[a][i] += step;
                        element.energy(&at(y))
                    };
                    let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    assert!((slope - gradient[a][i]).abs() < 1e-6 * scale.max(1.0) * 10.0);
                }
            }
            let torque: Vec3 = x.iter().zip(&gradient).map(|(x, g)| x.cross(g)).sum();
            assert!(gradient.iter().sum::<Vec3>().norm() < 1e-12 * scale && torque.norm() < 1e-11 * scale);
        }
    }

    #[test]
    fn the_hessian_is_exact_where_nothing_is_strained() {
        let element = element(0.25);
        let [a, b, c] = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let held = a * 0.2 + b * 0.5 + c * 0.3 + Vec3::z() * 0.25;
        let x = [held, a, b, c];
        let hessian =
            element.hessian(&Stencil { x, frames: &[], materials: &NO_MATERIALS }, Curvature::Exact);
        for p in 0..4 {
            for i in 0..3 {
                let moved = |step: f64| {
                    let mut y = x;
                    y[p][i] += step;
                    element.gradient(&Stencil { x: y, frames: &[], materials: &NO_MATERIALS })
                };
                let (up, down) = (moved(1e-5), moved(-1e-5));
                for q in 0..4 {
                    let column = (up[q] - down[q]) / 2e-5;
                    assert!((hessian[q][p].column(i) - column).norm() < 1e-6 * 40.0);
                }
            }
        }
    }
}
