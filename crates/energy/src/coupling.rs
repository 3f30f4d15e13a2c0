//! Springs between material points of bodies, over as many nodes as the points need: attachments
//! and stitches.
//!
//! `d = Σ c_i x_i − offset`, `E = ½ k (|d| − L)²`; one that is switched off at the start of a step
//! counts for nothing.

use crate::element::Curvature;
use crate::spring::RadialSpring;
use stiction_bodies::{Coupling, SpringTable};
use stiction_numerics::{BlockMatrix, Vec3};

/// All couplings of a model. There are few of them, so they run one after the other.
#[derive(Clone, Debug, Default)]
pub struct CouplingSprings {
    springs: Vec<(Coupling, RadialSpring)>,
}

impl CouplingSprings {
    /// The couplings of a model with the stiffness that its parameters give them.
    pub fn new(couplings: &[Coupling], stiffness: &SpringTable) -> CouplingSprings {
        let spring = |c: &Coupling| RadialSpring {
            stiffness: stiffness.stiffness(c.spring),
            rest_length: c.rest_length,
        };
        CouplingSprings { springs: couplings.iter().map(|c| (c.clone(), spring(c))).collect() }
    }

    /// Nodes of every coupling, for the pattern.
    pub fn stencils(&self) -> Vec<Vec<u32>> {
        self.springs.iter().map(|(c, _)| c.terms.iter().map(|t| t.0).collect()).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.springs.is_empty()
    }

    fn active(&self, time: f64) -> impl Iterator<Item = &(Coupling, RadialSpring)> {
        self.springs.iter().filter(move |(c, _)| c.is_active(time))
    }

    /// Energy \[J\] of those active in a step that begins at `time`.
    pub fn energy(&self, blocks: &[Vec3], time: f64) -> f64 {
        self.active(time).map(|(c, spring)| spring.energy(&difference(c, blocks))).sum()
    }

    /// Adds their gradient.
    pub fn add_gradient(&self, blocks: &[Vec3], time: f64, target: &mut [Vec3]) {
        for (c, spring) in self.active(time) {
            let pull = spring.gradient(&difference(c, blocks));
            c.terms.iter().for_each(|&(node, weight)| target[node as usize] += pull * weight);
        }
    }

    /// Adds their Hessian.
    pub fn add_hessian(&self, blocks: &[Vec3], time: f64, curvature: Curvature, target: &mut BlockMatrix) {
        for (c, spring) in self.active(time) {
            let block = spring.curvature(&difference(c, blocks), curvature);
            for &(row, p) in &c.terms {
                for &(column, q) in c.terms.iter().filter(|t| t.0 >= row) {
                    target.add_block(row as usize, column as usize, &(block * (p * q)));
                }
            }
        }
    }
}

fn difference(coupling: &Coupling, blocks: &[Vec3]) -> Vec3 {
    let sum: Vec3 = coupling.terms.iter().map(|&(node, weight)| blocks[node as usize] * weight).sum();
    sum - coupling.offset
}
