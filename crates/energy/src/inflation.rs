//! Pressure inside closed surfaces.
//!
//! `E(V) = −∫ p dV`, `f = p ∂V/∂x`; a triangle with area vector `N/2` gives `N/6` of ∂V/∂x to each
//! of its corners.
//!
//! * linear: `p = p₀ + B (1 − V/V₀)`, `E = −p₀ (V − V₀) + B (V − V₀)²/2V₀`
//! * gas at constant temperature: `p = (p_a + p₀) V₀/V − p_a`,
//!   `E = p_a (V − V₀) − (p_a + p₀) V₀ ln(V/V₀)`
//!
//! p gauge pressure \[Pa\] · V, V₀ volume and volume at rest \[m³\] · p₀ gauge pressure at rest · B
//! bulk modulus · p_a pressure outside.
//!
//! The curvature is `−p' ∇V ∇Vᵀ − p ∇²V`. The first part couples all nodes of a surface and is kept
//! apart as one vector and one number ([`RankOne`]); the second is indefinite and left out, so that
//! what remains is positive semi-definite.

use stiction_bodies::{Body, Model, Parameters};
use stiction_numerics::{RankOne, Vec3, ordered_sum_by};
use stiction_scene::resolved::{Inflation, InflationLaw, RestShape};

/// All closed surfaces under pressure of a model.
#[derive(Clone, Debug, Default)]
pub struct Inflations {
    surfaces: Vec<ClosedSurface>,
}

#[derive(Clone, Debug)]
struct ClosedSurface {
    triangles: Vec<[u32; 3]>,
    first: usize,
    count: usize,
    inflation: Inflation,
    rest_volume: f64,
}

impl Inflations {
    /// The inflated bodies of a model.
    pub fn new(model: &Model, parameters: &Parameters) -> Inflations {
        let surface = |(body, inflation): (&Body, &Option<Inflation>)| {
            inflation.map(|inflation| {
                let rest = if body.rest_shape == RestShape::Mesh { &model.rest } else { &model.initial };
                ClosedSurface {
                    triangles: body.triangles.clone(),
                    first: body.nodes.start,
                    count: body.nodes.len(),
                    inflation,
                    rest_volume: volume(&body.triangles, rest),
                }
            })
        };
        Inflations { surfaces: model.bodies.iter().zip(&parameters.inflation).filter_map(surface).collect() }
    }

    /// Whether nothing is inflated.
    pub fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// Energy \[J\]; +∞ for a gas without volume.
    pub fn energy(&self, blocks: &[Vec3]) -> f64 {
        self.surfaces.iter().map(|s| s.energy(volume(&s.triangles, blocks))).sum()
    }

    /// Adds the gradient \[N\].
    pub fn add_gradient(&self, blocks: &[Vec3], target: &mut [Vec3]) {
        for surface in &self.surfaces {
            let (pressure, _) = surface.pressure(volume(&surface.triangles, blocks));
            for (node, g) in surface.volume_gradient(blocks) {
                target[node as usize] -= g * pressure;
            }
        }
    }

    /// The part of the curvature that couples whole surfaces: weights −dp/dV \[Pa/m³\], vectors
    /// ∂V/∂x by node \[m²\]. Surfaces of constant pressure have none.
    pub fn rank_ones(&self, blocks: &[Vec3]) -> Vec<RankOne> {
        let part = |surface: &ClosedSurface| {
            let (_, slope) = surface.pressure(volume(&surface.triangles, blocks));
            (slope < 0.0)
                .then(|| RankOne { weight: -slope, vector: surface.volume_gradient(blocks).collect() })
        };
        self.surfaces.iter().filter_map(part).collect()
    }
}

impl ClosedSurface {
    /// p \[Pa\] and dp/dV \[Pa/m³\].
    fn pressure(&self, volume: f64) -> (f64, f64) {
        let (start, rest) = (self.inflation.pressure, self.rest_volume);
        match self.inflation.law {
            InflationLaw::Linear { bulk_modulus } => {
                (start + bulk_modulus * (1.0 - volume / rest), -bulk_modulus / rest)
            }
            InflationLaw::Gas { ambient } => {
                let inside = (ambient + start) * rest / volume;
                (inside - ambient, -inside / volume)
            }
        }
    }

    fn energy(&self, volume: f64) -> f64 {
        let (start, rest) = (self.inflation.pressure, self.rest_volume);
        let grown = volume - rest;
        match self.inflation.law {
            InflationLaw::Linear { bulk_modulus } => {
                -start * grown + 0.5 * bulk_modulus * grown * grown / rest
            }
            InflationLaw::Gas { .. } if volume <= 0.0 => f64::INFINITY,
            InflationLaw::Gas { ambient } => {
                ambient * grown - (ambient + start) * rest * (volume / rest).ln()
            }
        }
    }

    fn volume_gradient(&self, blocks: &[Vec3]) -> impl Iterator<Item = (u32, Vec3)> {
        let mut sums = vec![Vec3::zeros(); self.count];
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| blocks[i as usize]);
            let share = (b - a).cross(&(c - a)) / 6.0;
            t.iter().for_each(|&i| sums[i as usize - self.first] += share);
        }
        let first = self.first as u32;
        sums.into_iter().enumerate().map(move |(k, g)| (first + k as u32, g))
    }
}

/// Volume inside closed triangles \[m³\], measured from one of their own corners: exact far from
/// the origin too.
fn volume(triangles: &[[u32; 3]], x: &[Vec3]) -> f64 {
    let origin = triangles.first().map_or_else(Vec3::zeros, |t| x[t[0] as usize]);
    ordered_sum_by(triangles.len(), |k| {
        let [a, b, c] = triangles[k].map(|i| x[i as usize] - origin);
        a.dot(&b.cross(&c)) / 6.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron inside out of the origin, inflated by a law.
    fn surface(law: InflationLaw) -> (Inflations, Vec<Vec3>) {
        let x = [[0.1, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.2, 0.1], [0.2, 0.0, 0.9]];
        let x: Vec<Vec3> = x.iter().map(|p| Vec3::new(p[0], p[1], p[2]) * 0.1).collect();
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let rest_volume = 0.8 * volume(&triangles, &x);
        let inflation = Inflation { pressure: 300.0, law };
        let one = ClosedSurface { triangles, first: 0, count: 4, inflation, rest_volume };
        (Inflations { surfaces: vec![one] }, x)
    }

    /// Gradient and rank one against differences: both laws, every coordinate.
    #[test]
    fn derivatives_match_differences() {
        let linear = InflationLaw::Linear { bulk_modulus: 5e3 };
        for law in [linear, InflationLaw::Gas { ambient: 1e5 }] {
            let (inflations, mut x) = surface(law);
            let (mut gradient, step) = (vec![Vec3::zeros(); 4], 1e-6);
            inflations.add_gradient(&x, &mut gradient);
            let one = inflations.rank_ones(&x).pop().expect("one surface");
            let slopes =
                |x: &[Vec3]| inflations.surfaces[0].pressure(volume(&inflations.surfaces[0].triangles, x)).0;
            for i in 0..4 {
                for k in 0..3 {
                    let at = |shift: f64| {
                        let mut moved = x.clone();
                        moved[i][k] += shift;
                        (inflations.energy(&moved), slopes(&moved))
                    };
                    let (high, low) = (at(step), at(-step));
                    let slope = (high.0 - low.0) / (2.0 * step);
                    assert!((slope - gradient[i][k]).abs() < 1e-6 * gradient[i].norm(), "{law:?} {i} {k}");
                    let fall = (high.1 - low.1) / (2.0 * step);
                    let expected = -one.weight * one.vector[i].1[k];
                    assert!((fall - expected).abs() < 1e-6 * one.weight * one.vector[i].1.norm());
                }
            }
            // No force in sum, wherever it stands.
            assert!(gradient.iter().sum::<Vec3>().norm() < 1e-9 * gradient[0].norm());
            let before = inflations.energy(&x);
            x.iter_mut().for_each(|p| *p += Vec3::new(30.0, 0.0, 0.0));
            assert!((inflations.energy(&x) - before).abs() < 1e-9 * before.abs());
        }
    }
}
