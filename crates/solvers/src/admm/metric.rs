//! The metric W in which velocities are projected on the contacts: isotropic as in algorithm 2, or
//! that of a baseline.
//!
//! Baselines serve comparisons in one run: full blocks per node, and NL-ICA, which takes the
//! diagonal blocks of A and relaxes instead of running ADMM.   [Daviet2020, section 7]

use super::admm_loop::{AdmmLoop, AdmmReport, Iterate};
use super::elastic_step::Linearised;
use super::nested_relaxation::{self, contact_impulses, inverse_diagonal};
use super::options::Projection;
use super::weights::{WeightRule, Weights};
use crate::solver::StepError;
use stiction_contact::ContactSet;
use stiction_numerics::{BlockMatrix, Mat3, Vec3};

/// W, and its inverse blocks where a baseline has them.
pub struct Metric {
    projection: Projection,
    /// W.
    pub weights: Weights,
    /// W⁻¹ or D⁻¹ by block, for contacts of a baseline.
    inverse_blocks: Option<Vec<Mat3>>,
}

impl Metric {
    /// From the diagonal blocks of a system.
    pub fn new(projection: Projection, system: &BlockMatrix, rule: WeightRule<'_>) -> Metric {
        let nodes = rule.inertia.len();
        let weights = match projection {
            Projection::NonIsotropic => Weights::full(system, rule),
            Projection::Isotropic | Projection::NlIca => Weights::isotropic(system, rule),
        };
        let inverse_blocks = match projection {
            Projection::Isotropic => None,
            Projection::NonIsotropic => Some(weights.inverse_blocks()),
            Projection::NlIca => Some(inverse_diagonal(system, nodes)),
        };
        Metric { projection, weights, inverse_blocks }
    }

    /// One weight per node \[kg\].
    pub fn of_nodes(&self) -> &[f64] {
        &self.weights.scalars[..self.weights.nodes]
    }

    /// Inverse blocks of the nodes, where contacts need them.
    pub fn inverse_of_nodes(&self) -> Option<&[Mat3]> {
        self.inverse_blocks.as_ref().map(|blocks| &blocks[..self.weights.nodes])
    }

    /// λ = W⁻¹ of the dual forces.
    pub fn dual(&self, force: &[Vec3]) -> Vec<Vec3> {
        force.iter().enumerate().map(|(j, f)| self.weights.solve(j, f)).collect()
    }

    /// Solves A v = f + Bᵀ r with the contacts: ADMM, or the relaxation of NL-ICA.
    pub fn solve(
        &self,
        admm: &mut AdmmLoop<'_>,
        system: &Linearised<'_>,
        iterate: &mut Iterate,
    ) -> Result<AdmmReport, StepError> {
        match (self.projection, &self.inverse_blocks) {
            (Projection::NlIca, Some(inverse)) => nested_relaxation::run(admm, system, inverse, iterate),
            _ => admm.run(system, &self.weights, iterate),
        }
    }

    /// Dual forces W λ after a solve; NL-ICA has the impulses of its contacts.
    pub fn dual_force(&self, contacts: &ContactSet, dual: &[Vec3]) -> Vec<Vec3> {
        match self.projection {
            Projection::NlIca => contact_impulses(contacts, dual.len()),
            _ => dual.iter().enumerate().map(|(j, dual)| self.weights.times(j, dual)).collect(),
        }
    }
}
