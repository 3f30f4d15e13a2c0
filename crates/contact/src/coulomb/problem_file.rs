//! Reader for discrete frictional contact problems in text form, local and global.
//!
//! Numbers apart by white space. *Local*: dimension (3), contacts, matrix W, q, μ. *Global*:
//! dimension, contacts, matrix M, matrix H, q, b, μ, with `M v = q + H r`, `u = Hᵀ v + b`; reduced
//! here to `W = Hᵀ M⁻¹ H`, `q_local = Hᵀ M⁻¹ q + b`. A last number (a flag of the writer) may
//! follow. Matrix: storage, rows, columns, then
//! * storage 0: rows, columns again, values by column;
//! * storage 1: number of blocks, block rows, block columns, the ends of the block rows and of the
//!   block columns (scalars, cumulative), lengths of the two index arrays, row starts, block
//!   columns; then per block its number and its values by column.

use std::path::{Path, PathBuf};

use stiction_numerics::Vec3;

use super::delassus::reduce;
use super::problem::CoulombProblem;

/// Why a problem file was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemFileError {
    /// The file or folder cannot be read.
    #[error("{}: {reason}", file.display())]
    Unreadable {
        /// File or folder.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The contents are not what the format says.
    #[error("{}: number {at}: {reason}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// Position of the number, from 1.
        at: usize,
        /// What is wrong.
        reason: String,
    },
    /// The mass matrix of a global problem has no inverse.
    #[error("{}: the matrix M is singular, so the problem has no local form; remove the file or regularise M", file.display())]
    Singular {
        /// The file.
        file: PathBuf,
    },
}

/// Reads a local or global problem; which one follows from the amount of numbers.
pub fn read_problem(path: &Path) -> Result<CoulombProblem, ProblemFileError> {
    let text = std::fs::read_to_string(path).map_err(|error| ProblemFileError::Unreadable {
        file: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    parse_problem(&text).map_err(|error| match error {
        ParseError::Malformed { at, reason } => {
            ProblemFileError::Malformed { file: path.to_path_buf(), at, reason }
        }
        ParseError::Singular => ProblemFileError::Singular { file: path.to_path_buf() },
    })
}

/// [`ProblemFileError`] without the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParseError {
    Malformed { at: usize, reason: String },
    Singular,
}

/// Entries of a matrix as read.
pub(crate) struct Entries {
    pub rows: usize,
    pub columns: usize,
    pub entries: Vec<(usize, usize, f64)>,
}

pub(crate) fn parse_problem(text: &str) -> Result<CoulombProblem, ParseError> {
    let mut numbers = Numbers { tokens: text.split_ascii_whitespace().collect(), at: 0 };
    if numbers.count("the dimension")? != 3 {
        return numbers.fail("only problems in three dimensions are supported");
    }
    let contacts = numbers.count("the number of contacts")?;
    let first = numbers.matrix()?;
    let size = 3 * contacts;
    if first.rows != first.columns {
        return numbers.fail("the first matrix is not square");
    }
    let rest = numbers.tokens.len() - numbers.at;
    if rest == size + contacts || rest == size + contacts + 1 {
        if first.rows != size {
            return numbers.fail("the matrix does not fit the number of contacts");
        }
        let q = numbers.values(size)?;
        let friction = numbers.frictions(contacts)?;
        return Ok(CoulombProblem::from_entries(first.entries, triples(&q), friction));
    }
    let coupling = numbers.matrix()?;
    if coupling.rows != first.rows || coupling.columns != size {
        return numbers.fail("the matrix H does not fit M and the number of contacts");
    }
    let q = numbers.values(first.rows)?;
    let b = numbers.values(size)?;
    let friction = numbers.frictions(contacts)?;
    if numbers.tokens.len() - numbers.at > 1 {
        return numbers.fail("more numbers than the problem needs");
    }
    reduce(&first, &coupling, &q, &b, friction).ok_or(ParseError::Singular)
}

pub(crate) fn triples(flat: &[f64]) -> Vec<Vec3> {
    flat.chunks_exact(3).map(Vec3::from_column_slice).collect()
}

/// The numbers of the file, one after the other.
struct Numbers<'a> {
    tokens: Vec<&'a str>,
    at: usize,
}

impl Numbers<'_> {
    fn fail<T>(&self, reason: &str) -> Result<T, ParseError> {
        Err(ParseError::Malformed { at: self.at, reason: reason.to_owned() })
    }

    fn token(&mut self, what: &str) -> Result<&str, ParseError> {
        let Some(token) = self.tokens.get(self.at) else {
            return self.fail(&format!("the file ends where {what} should stand"));
        };
        self.at += 1;
        Ok(token)
    }

    fn count(&mut self, what: &str) -> Result<usize, ParseError> {
        let parsed = self.token(what)?.parse::<u32>();
        match parsed {
            Ok(count) if count <= 50_000_000 => Ok(count as usize),
            _ => self.fail(&format!("{what} should be a whole number")),
        }
    }

    fn counts(&mut self, what: &str, length: usize) -> Result<Vec<usize>, ParseError> {
        self.expect(length)?;
        (0..length).map(|_| self.count(what)).collect()
    }

    /// Refuses before memory is asked for: a file cannot hold fewer numbers than it promises.
    fn expect(&self, length: usize) -> Result<(), ParseError> {
        if length > self.tokens.len() - self.at {
            self.fail("the file promises more numbers than it holds")
        } else {
            Ok(())
        }
    }

    fn value(&mut self) -> Result<f64, ParseError> {
        match self.token("a value")?.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => self.fail("not a finite number"),
        }
    }

    fn values(&mut self, length: usize) -> Result<Vec<f64>, ParseError> {
        self.expect(length)?;
        (0..length).map(|_| self.value()).collect()
    }

    fn frictions(&mut self, contacts: usize) -> Result<Vec<f64>, ParseError> {
        let values = self.values(contacts)?;
        if values.iter().any(|&value| value < 0.0) {
            self.fail("a friction coefficient is negative")
        } else {
            Ok(values)
        }
    }

    fn matrix(&mut self) -> Result<Entries, ParseError> {
        let storage = self.count("the storage")?;
        let (rows, columns) = (self.count("the number of rows")?, self.count("the number of columns")?);
        match storage {
            0 => self.dense(rows, columns),
            1 => self.blocks(rows, columns),
            _ => self.fail("only storage 0 (dense) and 1 (blocks) are supported"),
        }
    }

    fn dense(&mut self, rows: usize, columns: usize) -> Result<Entries, ParseError> {
        if (self.count("the number of rows")?, self.count("the number of columns")?) != (rows, columns) {
            return self.fail("the matrix gives its size twice, differently");
        }
        let values = self.values(rows.saturating_mul(columns))?;
        let entries = values.into_iter().enumerate().map(|(k, value)| (k % rows, k / rows, value));
        Ok(Entries { rows, columns, entries: entries.collect() })
    }

    fn blocks(&mut self, rows: usize, columns: usize) -> Result<Entries, ParseError> {
        let count = self.count("the number of blocks")?;
        let block_rows = self.count("the number of block rows")?;
        let block_columns = self.count("the number of block columns")?;
        let row_ends = self.counts("the end of a block row", block_rows)?;
        let column_ends = self.counts("the end of a block column", block_columns)?;
        let (starts, indices) =
            (self.count("the length of the row starts")?, self.count("the number of blocks")?);
        let row_starts = self.counts("a row start", starts)?;
        let block_column = self.counts("a block column", indices)?;
        let ordered =
            |ends: &[usize], total: usize| ends.is_sorted() && ends.last().copied().unwrap_or(0) == total;
        let fits = ordered(&row_ends, rows) && ordered(&column_ends, columns) && ordered(&row_starts, count);
        let known = block_column.iter().all(|&column| column < block_columns);
        if !fits || !known || starts != block_rows + 1 || indices != count {
            return self.fail("the block structure contradicts itself");
        }
        let extent = |ends: &[usize], k: usize| (if k == 0 { 0 } else { ends[k - 1] }, ends[k]);
        let mut entries = Vec::new();
        for block_row in 0..block_rows {
            let (top, bottom) = extent(&row_ends, block_row);
            for block in row_starts[block_row]..row_starts[block_row + 1] {
                let (left, right) = extent(&column_ends, block_column[block]);
                if self.count("the number of a block")? != block {
                    return self.fail("blocks are out of order");
                }
                for column in left..right {
                    for row in top..bottom {
                        entries.push((row, column, self.value()?));
                    }
                }
            }
        }
        Ok(Entries { rows, columns, entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: &str = "3 1 0 3 3 3 3  15 -1 -2  -1 14 1  -2 1 16  -1 2 3  0.1";

    #[test]
    fn dense_blocks_and_global_forms_agree() {
        let dense = parse_problem("3 1  0 3 3 3 3  2 1 0  5 4 0  0 0 8  -1 2 3  0.1 0").unwrap();
        assert_eq!(dense.diagonal[0].m12, 5.0);
        let blocks =
            parse_problem("3 1  1 3 3 1 1 1  3 3  2 1  0 1  0  0  2 1 0  5 4 0  0 0 8  -1 2 3  0.1 0")
                .unwrap();
        assert_eq!(dense.diagonal, blocks.diagonal);
        // M = 2 I, H = 2 I: W = 2 I, q = q + b.
        let identity = "0 3 3 3 3  2 0 0  0 2 0  0 0 2";
        let global = parse_problem(&format!("3 1 {identity} {identity} 1 2 3  4 5 6  0.5 0")).unwrap();
        assert!((global.diagonal[0] - stiction_numerics::Mat3::identity() * 2.0).norm() < 1e-15);
        assert!((global.q[0] - Vec3::new(5.0, 7.0, 9.0)).norm() < 1e-15);
    }

    #[test]
    fn bad_files_are_errors() {
        assert!(parse_problem(LOCAL).is_ok());
        let refused = |text: &str| format!("{:?}", parse_problem(text).map(|_| ()).unwrap_err());
        assert!(refused("").contains("dimension"));
        assert!(refused(&LOCAL.replacen('3', "2", 1)).contains("three dimensions"));
        assert!(refused(&LOCAL.replace("14", "nan")).contains("finite"));
        assert!(refused(&LOCAL.replace("0.1", "")).contains("Malformed"));
        assert!(refused(&LOCAL.replace("0.1", "-0.1")).contains("negative"));
        assert!(refused("3 1 0 40000000 40000000 40000000 40000000 1").contains("promises"));
        assert!(refused("3 1 7 3 3").contains("storage"));
        assert!(refused("3 1 1 3 3 1 1 1 3 3 2 1 0 1 4 0").contains("contradicts"));
        let zero = "0 3 3 3 3  0 0 0  0 0 0  0 0 0";
        assert!(refused(&format!("3 1 {zero} {zero} 1 2 3  4 5 6  0.5 0")).contains("Singular"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read_problem(Path::new("no-such-file.dat")).unwrap_err();
        assert!(error.to_string().contains("no-such-file.dat"));
    }
}
