//! The matrix of one connected part before it is factored: entries of elements, and what stands on
//! the diagonal.
//!
//! Copies of one body have the same entries in the same order, so that they are told to be alike
//! before anything is sorted.

use super::constraints::Constraints;
use stiction_factor::{CscMatrix, FactorError};

/// Matrices whose entries differ by less than this share of the largest one count as equal.
const SAME: f64 = 1e-10;

/// A part of `A` and of `A + W_c` in numbers of its own.
#[derive(Debug, Default)]
pub struct PartMatrix {
    /// Entries (row, column, value) of the lower triangle, as elements give them.
    entries: Vec<(u32, u32, f64)>,
    /// Diagonals beside the elements, without and with contact weights.
    diagonals: Vec<[f64; 2]>,
}

/// What a matrix is made of.
pub struct Ingredients<'a> {
    /// The rows of D.
    pub constraints: &'a Constraints,
    /// h² W + h β K of each.
    pub row_weights: &'a [f64],
    /// Which nodes are prescribed.
    pub fixed: &'a [bool],
    /// M (1 + h α) per node \[kg\].
    pub mass: &'a [f64],
    /// h² W_c per node \[kg\].
    pub contact: &'a [f64],
    /// Number of each node within its part.
    pub local: &'a [u32],
}

impl PartMatrix {
    /// Gathers the rows of a part; entries (free, prescribed, value) go to `held`.
    pub fn new(
        from: &Ingredients<'_>,
        nodes: &[u32],
        rows: &[u32],
        held: &mut Vec<(u32, u32, f64)>,
    ) -> PartMatrix {
        let mut entries = Vec::new();
        let (mut terms, mut gram): (Vec<(u32, f64)>, Vec<f64>) = Default::default();
        let mut at: Vec<u32> = Vec::new();
        for &row in rows {
            from.constraints.row(row as usize, &mut terms);
            // The rows of one element have the same nodes: their squares add up.
            if terms.iter().map(|t| t.0).ne(at.iter().copied()) {
                flush(from, &at, &mut gram, &mut entries, held);
                at.clear();
                at.extend(terms.iter().map(|t| t.0));
                gram.resize(at.len() * (at.len() + 1) / 2, 0.0);
            }
            let weight = from.row_weights[row as usize];
            let mut slot = gram.iter_mut();
            for (a, (_, ca)) in terms.iter().enumerate() {
                for (_, cb) in &terms[a..] {
                    slot.next().into_iter().for_each(|sum| *sum += weight * ca * cb);
                }
            }
        }
        flush(from, &at, &mut gram, &mut entries, held);
        let diagonal = |&node: &u32| match from.fixed[node as usize] {
            true => [1.0; 2],
            false => {
                let mass = from.mass[node as usize];
                [mass, mass + from.contact[node as usize]]
            }
        };
        PartMatrix { entries, diagonals: nodes.iter().map(diagonal).collect() }
    }

    /// Whether another part has the same matrices.
    pub fn is_like(&self, other: &PartMatrix) -> bool {
        if self.entries.len() != other.entries.len() || self.diagonals.len() != other.diagonals.len() {
            return false;
        }
        let largest = self.entries.iter().fold(0.0, |m: f64, e| m.max(e.2.abs()));
        let largest = self.diagonals.iter().fold(largest, |m, d| m.max(d[1]));
        let close = |a: f64, b: f64| (a - b).abs() <= SAME * largest;
        self.diagonals.iter().zip(&other.diagonals).all(|(a, b)| (0..2).all(|k| close(a[k], b[k])))
            && (self.entries.iter().zip(&other.entries))
                .all(|(a, b)| a.0 == b.0 && a.1 == b.1 && close(a.2, b.2))
    }

    /// `A` and `A + W_c`.
    pub fn assemble(&self) -> Result<[CscMatrix; 2], FactorError> {
        let mut triplets = self.entries.clone();
        let mut with = |k: usize| {
            triplets.truncate(self.entries.len());
            triplets.extend((0u32..).zip(&self.diagonals).map(|(n, d)| (n, n, d[k])));
            CscMatrix::from_triplets(self.diagonals.len(), &triplets)
        };
        Ok([with(0)?, with(1)?])
    }
}

/// Hands the squares over the nodes `at` on.
fn flush(
    from: &Ingredients<'_>,
    at: &[u32],
    gram: &mut Vec<f64>,
    entries: &mut Vec<(u32, u32, f64)>,
    held: &mut Vec<(u32, u32, f64)>,
) {
    let mut values = gram.iter();
    for (k, &a) in at.iter().enumerate() {
        for (&b, &value) in at[k..].iter().zip(&mut values) {
            match (from.fixed[a as usize], from.fixed[b as usize]) {
                (false, false) => {
                    let (i, j) = (from.local[a as usize], from.local[b as usize]);
                    entries.push((i.max(j), i.min(j), value));
                }
                (false, true) => held.push((a, b, value)),
                (true, false) => held.push((b, a, value)),
                (true, true) => {}
            }
        }
    }
    gram.clear();
}
