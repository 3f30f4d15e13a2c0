//! Condition numbers from the coefficients of conjugate gradients.
//!
//! After k iterations with steps α and improvements β the tridiagonal matrix with diagonal
//! `1/α_j + β_{j−1}/α_{j−1}` and off-diagonal `√β_j/α_j` is the Lanczos matrix of M⁻¹A: its extreme
//! eigenvalues approach those of M⁻¹A from inside.   [Saad2003, section 6.7.3]

/// Coefficients of one solve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LanczosCoefficients {
    /// Step lengths α.
    pub(super) steps: Vec<f64>,
    /// Improvements β, the first unused.
    pub(super) improvements: Vec<f64>,
}

impl LanczosCoefficients {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.improvements.clear();
    }

    /// Smallest and largest eigenvalue of the preconditioned operator as far as the solve has seen
    /// them; `None` without an iteration.
    pub fn extreme_eigenvalues(&self) -> Option<[f64; 2]> {
        let (diagonal, squares) = self.tridiagonal();
        let radius = |k: usize| {
            let near = |j: Option<&f64>| j.map_or(0.0, |square| square.sqrt());
            near(squares.get(k)) + if k > 0 { squares[k - 1].sqrt() } else { 0.0 }
        };
        let top = (0..diagonal.len()).map(|k| diagonal[k] + radius(k)).reduce(f64::max)?;
        Some([
            nth_eigenvalue(&diagonal, &squares, 0, top),
            nth_eigenvalue(&diagonal, &squares, diagonal.len() - 1, top),
        ])
    }

    /// Diagonal, and squares of the off-diagonal.
    fn tridiagonal(&self) -> (Vec<f64>, Vec<f64>) {
        let (a, b) = (&self.steps, &self.improvements);
        let diagonal = (0..a.len()).map(|k| 1.0 / a[k] + if k > 0 { b[k] / a[k - 1] } else { 0.0 }).collect();
        let squares = (1..a.len()).map(|k| b[k] / (a[k - 1] * a[k - 1])).collect();
        (diagonal, squares)
    }
}

/// The n-th smallest eigenvalue in [0, top] by bisection: the signs of a Sturm sequence count the
/// eigenvalues below a number.
fn nth_eigenvalue(diagonal: &[f64], squares: &[f64], n: usize, top: f64) -> f64 {
    let below = |x: f64| {
        let (mut count, mut pivot) = (0, 1.0_f64);
        for (k, d) in diagonal.iter().enumerate() {
            let coupling = if k > 0 { squares[k - 1] / pivot } else { 0.0 };
            pivot = d - x - coupling;
            if pivot == 0.0 {
                pivot = f64::MIN_POSITIVE;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    };
    let (mut low, mut high) = (0.0, top);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if below(middle) > n { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::super::{LinearPcg, PcgParams, PrecondIdentity};
    use crate::block::matrix::tests::random_definite;
    use crate::random::Random;
    use crate::types::Vec3;

    #[test]
    fn the_extremes_are_those_of_the_matrix() {
        let n = 30;
        let a = random_definite(n, 40, 151);
        let mut random = Random::new(152);
        let b: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let (mut x, mut solver) = (vec![Vec3::zeros(); n], LinearPcg::new());
        assert_eq!(solver.coefficients().extreme_eigenvalues(), None);
        let params = PcgParams { relative_tolerance: 1e-13, ..Default::default() };
        solver.solve(&a, &PrecondIdentity, &b, &mut x, &params).unwrap();
        let [low, high] = solver.coefficients().extreme_eigenvalues().unwrap();
        let values = a.to_dense().symmetric_eigenvalues();
        assert!((low / values.min() - 1.0).abs() < 1e-6, "{low} {}", values.min());
        assert!((high / values.max() - 1.0).abs() < 1e-6, "{high} {}", values.max());
    }
}
