//! A scalar sparse matrix in compressed columns, checked on entry.

use crate::FactorError;

/// A square matrix in compressed-column form with sorted rows and no duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct CscMatrix {
    size: usize,
    column_starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl CscMatrix {
    /// Checks and takes the three arrays of a compressed-column matrix.
    pub fn new(
        size: usize,
        column_starts: Vec<u32>,
        rows: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, FactorError> {
        let malformed = |reason: String| Err(FactorError::Malformed { reason });
        if column_starts.len() != size + 1 || column_starts[0] != 0 {
            return malformed(format!("{size} columns need {} starts, the first 0", size + 1));
        }
        if column_starts[size] as usize != rows.len() || rows.len() != values.len() {
            return malformed("the last column start, the rows and the values differ in count".into());
        }
        for j in 0..size {
            let (start, end) = (column_starts[j] as usize, column_starts[j + 1] as usize);
            if start > end || end > rows.len() {
                return malformed(format!("column {j} starts at {start} and ends at {end}"));
            }
            let column = &rows[start..end];
            if column.windows(2).any(|w| w[0] >= w[1]) || column.last().is_some_and(|&i| i as usize >= size) {
                return malformed(format!("rows of column {j} are not ascending and below {size}"));
            }
        }
        Ok(Self { size, column_starts, rows, values })
    }

    /// Sums triplets (row, column, value) into a matrix; the order of equal places is kept, so sums
    /// are repeatable.
    pub fn from_triplets(size: usize, triplets: &[(u32, u32, f64)]) -> Result<Self, FactorError> {
        let mut order: Vec<usize> = (0..triplets.len()).collect();
        order.sort_by_key(|&k| (triplets[k].1, triplets[k].0));
        let mut starts = vec![0u32; size + 1];
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        let mut last = None;
        for &k in &order {
            let (i, j, value) = triplets[k];
            if i as usize >= size || j as usize >= size {
                return Err(FactorError::Malformed {
                    reason: format!("entry ({i}, {j}) of a matrix of size {size}"),
                });
            }
            if last == Some((i, j)) {
                *values.last_mut().expect("an equal place came before") += value;
            } else {
                rows.push(i);
                values.push(value);
                starts[j as usize + 1] += 1;
                last = Some((i, j));
            }
        }
        for j in 0..size {
            starts[j + 1] += starts[j];
        }
        Self::new(size, starts, rows, values)
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of stored entries.
    pub fn entry_count(&self) -> usize {
        self.rows.len()
    }

    /// Stored values, by columns.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Stored values, to change in place.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Position of the first entry of a column, and its rows.
    pub fn column(&self, j: usize) -> (usize, &[u32]) {
        let range = self.column_starts[j] as usize..self.column_starts[j + 1] as usize;
        (range.start, &self.rows[range])
    }

    pub(crate) fn same_pattern(&self, other: &Self) -> bool {
        self.column_starts == other.column_starts && self.rows == other.rows
    }

    pub(crate) fn indices(&self) -> (&[u32], &[u32]) {
        (&self.column_starts, &self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_are_summed_and_sorted() {
        let m = CscMatrix::from_triplets(2, &[(1, 0, 1.0), (0, 0, 2.0), (1, 0, 3.0), (1, 1, 5.0)]).unwrap();
        assert_eq!(m.column(0), (0, &[0u32, 1][..]));
        assert_eq!(m.values(), &[2.0, 4.0, 5.0]);
    }

    #[test]
    fn malformed_input_is_refused() {
        assert!(CscMatrix::new(2, vec![0, 1], vec![0], vec![1.0]).is_err());
        assert!(CscMatrix::new(2, vec![0, 2, 2], vec![1, 0], vec![1.0; 2]).is_err());
        assert!(CscMatrix::new(2, vec![0, 3, 2], vec![0, 1], vec![1.0; 2]).is_err());
        assert!(CscMatrix::new(1, vec![0, 1], vec![4], vec![1.0]).is_err());
        assert!(CscMatrix::from_triplets(1, &[(0, 3, 1.0)]).is_err());
    }
}
