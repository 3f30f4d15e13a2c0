//! Uniform deformations of a whole body and the work of its assembled forces on them.

use crate::error::VerifyError;
use crate::specimen::Specimen;
use stiction::energy::Elasticity;
use stiction::numerics::{Mat3, Vec3};

/// Strain of the differences.
const STRAIN: f64 = 1e-5;

/// A body that is deformed as a whole.
pub(super) struct Block<'a> {
    specimen: &'a Specimen,
    elasticity: Elasticity,
    volume: f64,
}

/// A uniaxial test: pulled along one axis, free to yield along others.
pub(super) struct Pull {
    pub axis: usize,
    pub sideways: Vec<usize>,
}

/// What a uniaxial test finds.
pub(super) struct Moduli {
    /// dσ/dε \[Pa\].
    pub young: f64,
    /// −dε'/dε, mean of the free directions.
    pub poisson: f64,
}

impl<'a> Block<'a> {
    /// A body of known volume \[m³\] whose rest shape is its initial one.
    pub fn new(specimen: &'a Specimen, volume: f64) -> Result<Block<'a>, VerifyError> {
        Ok(Block { specimen, elasticity: specimen.elasticity()?, volume })
    }

    /// Assembled gradient \[N\] of the nodes where x = F X.
    fn gradient(&self, deformation: &Mat3) -> Vec<Vec3> {
        let (model, state) = (&self.specimen.simulation.model, self.specimen.state());
        let mut blocks = state.blocks.clone();
        for (x, rest) in blocks.iter_mut().zip(&model.rest) {
            *x = deformation * rest;
        }
        let mut gradient = vec![Vec3::zeros(); blocks.len()];
        self.elasticity.add_gradient(&blocks, &state.frames, state.time, &mut gradient);
        gradient.truncate(model.nodes);
        gradient
    }

    /// ∂V/∂F_rc per volume: first Piola–Kirchhoff stress, as the work of all forces on x_r = X_c.
    fn stress(&self, deformation: &Mat3) -> Mat3 {
        let rest = &self.specimen.simulation.model.rest;
        let work: Mat3 = self.gradient(deformation).iter().zip(rest).map(|(g, x)| g * x.transpose()).sum();
        work / self.volume
    }

    /// The deformation at axial strain `strain` whose free directions carry no stress, by secant
    /// steps.
    fn relaxed(&self, pull: &Pull, strain: f64) -> Mat3 {
        let mut deformation = Mat3::identity();
        deformation[(pull.axis, pull.axis)] += strain;
        let stress = |side: f64| {
            let mut f = deformation;
            pull.sideways.iter().for_each(|&k| f[(k, k)] += side);
            (f, pull.sideways.iter().map(|&k| self.stress(&f)[(k, k)]).sum::<f64>())
        };
        let (mut a, mut b) = (0.0, -0.1 * strain);
        let (mut at_a, mut at_b) = (stress(a).1, stress(b).1);
        for _ in 0..20 {
            // Rounding stops the secant; it has converged long before.
            if at_a == at_b {
                break;
            }
            let next = b - at_b * (b - a) / (at_b - at_a);
            (a, at_a) = (b, at_b);
            (b, at_b) = (next, stress(next).1);
        }
        stress(b).0
    }

    /// A uniaxial test by central differences.
    pub fn pulled(&self, pull: &Pull) -> Moduli {
        let [low, high] = [-STRAIN, STRAIN].map(|strain| self.relaxed(pull, strain));
        let axial = |f: &Mat3| self.stress(f)[(pull.axis, pull.axis)];
        let side =
            |f: &Mat3| pull.sideways.iter().map(|&k| f[(k, k)]).sum::<f64>() / pull.sideways.len() as f64;
        Moduli {
            young: (axial(&high) - axial(&low)) / (2.0 * STRAIN),
            poisson: (side(&low) - side(&high)) / (2.0 * STRAIN),
        }
    }

    /// dτ/dγ of a symmetric shear in the plane of two axes.
    pub fn sheared(&self, a: usize, b: usize) -> f64 {
        let stress = |shear: f64| {
            let mut f = Mat3::identity();
            f[(a, b)] = 0.5 * shear;
            f[(b, a)] = 0.5 * shear;
            self.stress(&f)[(a, b)]
        };
        (stress(STRAIN) - stress(-STRAIN)) / (2.0 * STRAIN)
    }

    /// Largest force at the inner nodes over the largest of all, in a pulled block.
    pub fn inner_force(&self, inner: impl Fn(&[f64; 3]) -> bool) -> f64 {
        let pulled = self.relaxed(&Pull { axis: 0, sideways: vec![1, 2] }, 1e3 * STRAIN);
        let gradient = self.gradient(&pulled);
        let rest = &self.specimen.simulation.model.rest;
        let largest = gradient.iter().map(Vec3::norm).fold(0.0, f64::max);
        let inside = gradient.iter().zip(rest).filter(|(_, x)| inner(&[x.x, x.y, x.z]));
        inside.map(|(g, _)| g.norm()).fold(0.0, f64::max) / largest
    }
}
