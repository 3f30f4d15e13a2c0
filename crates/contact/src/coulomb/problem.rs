//! The problem `u = W r + q` with 3×3 blocks, and its residual.

use stiction_numerics::{Mat3, Vec3};

use crate::cone::natural_map;

/// `u = W r + q` in contact frames, order (n, t1, t2), with Coulomb friction.
///
/// `W` need not be symmetric. Rows hold the diagonal block and the sorted other blocks.
#[derive(Clone, Debug, Default)]
pub struct CoulombProblem {
    /// Start of each row in `columns` and `blocks`, and the end.
    pub(crate) rows: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) blocks: Vec<Mat3>,
    /// Diagonal blocks, also contained in `blocks`.
    pub(crate) diagonal: Vec<Mat3>,
    pub(crate) q: Vec<Vec3>,
    pub(crate) friction: Vec<f64>,
    /// `|q|` of the problem that was asked for; a proximal neighbour keeps it, so that residuals
    /// compare.
    scale: f64,
}

impl CoulombProblem {
    /// From scalar entries (row, column, value) in any order; equal places are added up.
    pub fn from_entries(
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
        q: Vec<Vec3>,
        friction: Vec<f64>,
    ) -> Self {
        let mut by_row: Vec<std::collections::BTreeMap<u32, Mat3>> = vec![Default::default(); q.len()];
        for (row, column, value) in entries {
            by_row[row / 3].entry((column / 3) as u32).or_insert_with(Mat3::zeros)[(row % 3, column % 3)] +=
                value;
        }
        let norm = q.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
        let scale = if norm > 0.0 { norm } else { 1.0 };
        let mut problem = Self { rows: vec![0], q, friction, scale, ..Self::default() };
        for (row, blocks) in by_row.into_iter().enumerate() {
            problem.diagonal.push(blocks.get(&(row as u32)).copied().unwrap_or_else(Mat3::zeros));
            for (column, block) in blocks.into_iter().filter(|(_, block)| *block != Mat3::zeros()) {
                problem.columns.push(column);
                problem.blocks.push(block);
            }
            problem.rows.push(problem.columns.len());
        }
        problem
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.q.len()
    }

    /// Free relative velocities.
    pub fn q(&self) -> &[Vec3] {
        &self.q
    }

    /// Friction coefficients.
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// Blocks of a row: (column, block).
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Mat3)> {
        let range = self.rows[row]..self.rows[row + 1];
        self.columns[range.clone()].iter().map(|&c| c as usize).zip(&self.blocks[range])
    }

    /// Relative velocity of a contact.
    pub fn velocity(&self, contact: usize, impulses: &[Vec3]) -> Vec3 {
        self.row(contact).fold(self.q[contact], |u, (other, block)| u + block * impulses[other])
    }

    /// `|r − P_K(r − u − μ|u_T| n)| / |q|` over all contacts, Euclidean norms (absolute when q =
    /// 0).
    pub fn residual(&self, impulses: &[Vec3]) -> f64 {
        let contact = |c: usize| {
            natural_map(&self.velocity(c, impulses), &impulses[c], &Vec3::x(), self.friction[c]).powi(2)
        };
        (0..self.contacts()).map(contact).sum::<f64>().sqrt() / self.scale
    }

    /// The proximal neighbour `u = (W + ρ I) r + (q − ρ r_k)`: the same solution once `r = r_k`.
    pub(crate) fn proximal(&self, weights: &[f64], at: &[Vec3]) -> Self {
        let mut near = self.clone();
        for c in 0..self.contacts() {
            near.q[c] -= at[c] * weights[c];
            near.diagonal[c] += Mat3::identity() * weights[c];
            let place = (self.rows[c]..self.rows[c + 1]).find(|&k| self.columns[k] as usize == c);
            // A row without a diagonal block cannot take the shift; such a contact has no response
            // of its own.
            if let Some(place) = place {
                near.blocks[place] += Mat3::identity() * weights[c];
            }
        }
        near
    }
}
