//! The diagonal W that ties the two velocities together.

use rayon::prelude::*;
use stiction_numerics::{BlockMatrix, eigen_symmetric3};

/// w_j = max(σ η_j, min(β m_j, η_j)) per node \[kg\], 0 for scalar blocks     [Daviet2020, section 6.2.6]
/// η_j smallest eigenvalue of the diagonal block A_jj · m_j mass
///
/// η alone would overrate nodes that are stiffly tied to others but move freely with them.
pub fn contact_weights(system: &BlockMatrix, mass: &[f64], nodes: usize, beta: f64, sigma: f64) -> Vec<f64> {
    let weight = |j: usize| {
        if j >= nodes {
            return 0.0;
        }
        let eta = eigen_symmetric3(system.diagonal_block(j)).values.min();
        (sigma * eta).max((beta * mass[j]).min(eta))
    };
    (0..system.block_count()).into_par_iter().with_min_len(256).map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::contact_weights;
    use std::sync::Arc;
    use stiction_numerics::{BlockMatrix, BlockPattern, Mat3, Vec3};

    #[test]
    fn weights_follow_the_three_cases() {
        let pattern = Arc::new(BlockPattern::from_stencils(4, [[0u32, 1].as_slice(), &[2, 3]]));
        let mut system = BlockMatrix::zeros(pattern);
        for (block, least) in [(0, 5.0), (1, 1e3), (2, 1e6)] {
            let turn = stiction_numerics::rotation_from_vector(&Vec3::new(0.3, 1.0, -0.4));
            *system.diagonal_block_mut(block) =
                turn * Mat3::from_diagonal(&Vec3::new(7.0 * least, least, 2.0 * least)) * turn.transpose();
        }
        let weights = contact_weights(&system, &[1.0, 1.0, 1.0, 1.0], 3, 25.0, 1e-3);
        let expected = [5.0, 25.0, 1e3, 0.0];
        for (w, e) in weights.iter().zip(expected) {
            assert!((w - e).abs() <= 1e-12 * e, "{weights:?}");
        }
    }
}
