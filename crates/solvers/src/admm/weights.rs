//! The weights W that tie the two velocities together: a number per node, or a full block for the
//! non-isotropic baseline.

use rayon::prelude::*;
use stiction_numerics::{BlockMatrix, Mat3, Vec3, eigen_symmetric3};

/// Limits of the weights against inertia and stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightRule<'a> {
    /// How much mass a push at a node has to move, a_j \[kg\].
    pub inertia: &'a [f64],
    /// Smallest share of stiffness, σ.
    pub sigma: f64,
}

impl WeightRule<'_> {
    /// max(σ η, min(a, η))     [Daviet2020, section 6.2.6, with a = β m]
    /// η eigenvalue of the diagonal block A_jj \[kg\] · a inertia \[kg\]
    ///
    /// η alone would overrate nodes that are stiffly tied to others but move freely with them.
    fn weight(&self, eta: f64, node: usize) -> f64 {
        (self.sigma * eta).max(self.inertia[node].min(eta))
    }
}

/// W \[kg\]; zero for scalar blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// w_j from the smallest eigenvalue of A_jj.
    pub scalars: Vec<f64>,
    /// Full blocks that take the place of the scalars, if there are any.
    pub blocks: Option<Vec<Mat3>>,
    /// Number of nodes; blocks after them have no weight.
    pub nodes: usize,
}

impl Weights {
    /// One number per node, from the smallest eigenvalue.
    pub fn isotropic(system: &BlockMatrix, rule: WeightRule<'_>) -> Weights {
        let nodes = rule.inertia.len();
        let weight = |j: usize| {
            let eta = || eigen_symmetric3(&system.diagonal_block(j)).values.min();
            if j < nodes { rule.weight(eta(), j) } else { 0.0 }
        };
        let all = (0..system.block_count()).into_par_iter().with_min_len(256);
        Weights { scalars: all.map(weight).collect(), blocks: None, nodes }
    }

    /// The same rule for every eigenvalue of A_jj, which keeps its eigenvectors.
    pub fn full(system: &BlockMatrix, rule: WeightRule<'_>) -> Weights {
        let weight = |j: usize| {
            if j >= rule.inertia.len() {
                return Mat3::zeros();
            }
            let eigen = eigen_symmetric3(&system.diagonal_block(j));
            let values = eigen.values.map(|eta| rule.weight(eta, j));
            eigen.vectors * Mat3::from_diagonal(&values) * eigen.vectors.transpose()
        };
        let all = (0..system.block_count()).into_par_iter().with_min_len(256);
        Weights { blocks: Some(all.map(weight).collect()), ..Weights::isotropic(system, rule) }
    }

    /// W_j as a block.
    pub fn block(&self, j: usize) -> Mat3 {
        self.blocks.as_ref().map_or_else(|| Mat3::identity() * self.scalars[j], |blocks| blocks[j])
    }

    /// W_j v.
    pub fn times(&self, j: usize, v: &Vec3) -> Vec3 {
        self.blocks.as_ref().map_or_else(|| v * self.scalars[j], |blocks| blocks[j] * v)
    }

    /// W_j⁻¹ f; nothing where there is no weight.
    pub fn solve(&self, j: usize, force: &Vec3) -> Vec3 {
        match &self.blocks {
            _ if self.scalars[j] <= 0.0 => Vec3::zeros(),
            None => force / self.scalars[j],
            Some(blocks) => inverse(&blocks[j]) * force,
        }
    }

    /// W_j⁻¹ of all nodes; zero where there is no weight.
    pub fn inverse_blocks(&self) -> Vec<Mat3> {
        let of = |j: usize| if self.scalars[j] > 0.0 { inverse(&self.block(j)) } else { Mat3::zeros() };
        (0..self.scalars.len()).into_par_iter().with_min_len(256).map(of).collect()
    }
}

/// Inverse of a symmetric positive definite block; zero where it has none.
pub fn inverse(block: &Mat3) -> Mat3 {
    block.try_inverse().unwrap_or_else(Mat3::zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stiction_numerics::BlockPattern;

    const RULE: WeightRule<'_> = WeightRule { inertia: &[25.0; 3], sigma: 1e-3 };

    /// Blocks with eigenvalues (7, 1, 2) times 5, 1e3 and 1e6, turned; a fourth, scalar block.
    fn system() -> (BlockMatrix, Mat3) {
        let pattern = Arc::new(BlockPattern::from_stencils(4, [[0u32, 1].as_slice(), &[2, 3]]));
        let mut system = BlockMatrix::zeros(pattern);
        let turn = stiction_numerics::rotation_from_vector(&Vec3::new(0.3, 1.0, -0.4));
        for (block, least) in [(0, 5.0), (1, 1e3), (2, 1e6)] {
            *system.diagonal_block_mut(block) =
                turn * Mat3::from_diagonal(&Vec3::new(7.0 * least, least, 2.0 * least)) * turn.transpose();
        }
        (system, turn)
    }

    #[test]
    fn weights_follow_the_three_cases() {
        let weights = Weights::isotropic(&system().0, RULE).scalars;
        let expected = [5.0, 25.0, 1e3, 0.0];
        for (w, e) in weights.iter().zip(expected) {
            assert!((w - e).abs() <= 1e-12 * e, "{weights:?}");
        }
    }

    #[test]
    fn full_weights_follow_them_in_every_direction() {
        let (system, turn) = system();
        let weights = Weights::full(&system, RULE);
        let expected = [[25.0, 5.0, 10.0], [25.0; 3], [7e3, 1e3, 2e3], [0.0; 3]];
        for (j, e) in expected.into_iter().enumerate() {
            let straight = turn.transpose() * weights.block(j) * turn;
            let error = (straight - Mat3::from_diagonal(&Vec3::from(e))).amax();
            assert!(error <= 1e-12 * 7e3, "{straight}");
            let v = Vec3::new(1.0, -2.0, 0.5);
            let back = weights.solve(j, &weights.times(j, &v));
            assert!((back - if j < 3 { v } else { Vec3::zeros() }).norm() < 1e-12);
        }
    }
}
