//! From the global form `M v = q + H r`, `u = Hᵀ v + b` to the local one.

use stiction_numerics::nalgebra::{DMatrix, DVector};

use super::problem::CoulombProblem;
use super::problem_file::{Entries, triples};

/// `W = Hᵀ M⁻¹ H`, `q_local = Hᵀ M⁻¹ q + b`, by a dense factorisation of M. `None` when M is
/// singular.
pub(crate) fn reduce(
    mass: &Entries,
    coupling: &Entries,
    q: &[f64],
    b: &[f64],
    friction: Vec<f64>,
) -> Option<CoulombProblem> {
    let dense = |m: &Entries| {
        let mut matrix = DMatrix::zeros(m.rows, m.columns);
        m.entries.iter().for_each(|&(row, column, value)| matrix[(row, column)] += value);
        matrix
    };
    let h = dense(coupling);
    let factor = dense(mass).lu();
    let spread = factor.solve(&h)?;
    let free = factor.solve(&DVector::from_column_slice(q))?;
    let w = h.transpose() * spread;
    let offset = h.transpose() * free + DVector::from_column_slice(b);
    let finite = w.iter().chain(offset.iter()).all(|value| value.is_finite());
    let size = w.nrows();
    let entries = (0..size * size).map(|k| (k % size, k / size, w[(k % size, k / size)]));
    finite.then(|| CoulombProblem::from_entries(entries, triples(offset.as_slice()), friction))
}
