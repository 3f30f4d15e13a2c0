//! Quasi-static twist: after each step the twists of a strand take the place of least energy for
//! its centreline.
//!
//! Newton over the twists of one strand; joint j couples edges j and j + 1, so the system is
//! tridiagonal. Held twists stay.

use super::strands::{RodTerms, StrandSystem};
use stiction_bodies::{EdgeFrame, Model, Prescription, State};
use stiction_energy::{Curvature, Element, Stencil};
use stiction_numerics::Vec3;
use stiction_numerics::banded::{BandedCholesky, BandedMatrix};

/// Share of the largest pivot that keeps the system definite: a straight strand that is held
/// nowhere can turn freely about itself.
const FREE_TURN: f64 = 1e-9;

/// A strand with its centreline fixed.
pub struct TwistProblem<'a> {
    pub model: &'a Model,
    pub strand: &'a StrandSystem,
    pub terms: RodTerms<'a>,
    pub state: &'a State,
    pub prescription: &'a Prescription,
}

impl TwistProblem<'_> {
    /// Twists of the edges of the strand after relaxation \[rad\].
    pub fn relaxed(&self, iterations: usize) -> Vec<f64> {
        let blocks = self.strand.edges.clone().map(|e| self.model.twist_block(e));
        let mut twists: Vec<f64> = blocks
            .map(|b| match self.prescription.fixed[b] {
                true => self.prescription.target[b].x,
                false => self.state.blocks[b].x,
            })
            .collect();
        let mut here = self.energy(&twists);
        for _ in 0..iterations {
            let Some(step) = self.newton_step(&twists) else { break };
            let moved = |s: f64| -> Vec<f64> { twists.iter().zip(&step).map(|(t, d)| t - s * d).collect() };
            let tried = [1.0, 0.5, 0.25, 0.125].into_iter().map(|s| {
                let next = moved(s);
                let energy = self.energy(&next);
                (next, energy)
            });
            let Some((next, lower)) = { tried }.find(|(_, energy)| *energy <= here) else { break };
            (twists, here) = (next, lower);
        }
        twists
    }

    fn frames(&self) -> &[EdgeFrame] {
        &self.state.frames
    }

    fn stencil(&self, joint: usize, twists: &[f64]) -> Stencil<'_, 5> {
        let [a, b, c] = [0, 1, 2].map(|k| self.state.blocks[self.terms.joints[joint].blocks[k] as usize]);
        let local = joint - self.strand.joints.start;
        let [before, after] = [local, local + 1].map(|k| Vec3::new(twists[k], 0.0, 0.0));
        Stencil { x: [a, b, c, before, after], frames: self.frames(), materials: self.terms.materials }
    }

    fn energy(&self, twists: &[f64]) -> f64 {
        self.strand.joints.clone().map(|j| self.terms.joints[j].energy(&self.stencil(j, twists))).sum()
    }

    fn newton_step(&self, twists: &[f64]) -> Option<Vec<f64>> {
        let mut matrix = BandedMatrix::zeros(twists.len(), 1);
        let mut gradient = vec![0.0; twists.len()];
        let held: Vec<bool> =
            (self.strand.edges.clone()).map(|e| self.prescription.fixed[self.model.twist_block(e)]).collect();
        let mut largest: f64 = 0.0;
        for (k, j) in self.strand.joints.clone().enumerate() {
            let at = self.stencil(j, twists);
            let slope = self.terms.joints[j].gradient(&at);
            let curvature = self.terms.joints[j].hessian(&at, Curvature::Projected);
            for (a, b) in [(0, 0), (1, 0), (1, 1)] {
                if !held[k + a] && !held[k + b] {
                    matrix.add(k + a, k + b, curvature[3 + a][3 + b][(0, 0)]);
                }
            }
            for a in (0..2).filter(|a| !held[k + a]) {
                gradient[k + a] += slope[3 + a].x;
                largest = largest.max(curvature[3 + a][3 + a][(0, 0)]);
            }
        }
        for (k, held) in held.iter().enumerate() {
            matrix.add(k, k, if *held { 1.0 } else { FREE_TURN * largest.max(f64::MIN_POSITIVE) });
        }
        BandedCholesky::new(&matrix).ok()?.solve(&mut gradient);
        Some(gradient)
    }
}
