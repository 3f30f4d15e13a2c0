//! Files of exact queries, and their judgement.
//!
//! A folder holds `…/edge-edge/*.csv` and `…/vertex-face/*.csv`: no header, eight rows a query
//! (four points at t = 0, four at t = 1), seven columns
//! `x_num,x_den,y_num,y_den,z_num,z_den,truth`; every quotient is exactly a double. Edge–edge rows
//! are a0, a1, b0, b1; vertex–face rows are v, f0, f1, f2. A file `name.toi.csv` beside `name.csv`
//! may give the true time: header, then `query,ground_truth,class,toi` with an empty time for no
//! hit.

use super::{Query, VerdictOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stiction_numerics::Vec3;

/// Lateness below this is the rounding of the recorded times, not of ours.
const TIME_TOLERANCE: f64 = 1e-12;

/// A query with its truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedQuery {
    /// The pair and its motion.
    pub query: Query,
    /// Whether the pair touches; touching counts as a hit.
    pub hits: bool,
    /// The true time of first contact, where it is recorded.
    pub time: Option<f64>,
}

/// What went wrong while reading queries.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A file or folder could not be read.
    #[error("cannot read `{path}`: {source}; check that the folder exists and is readable")]
    Read {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line does not follow the format.
    #[error(
        "`{path}` line {line}: {what}; expected x_num,x_den,y_num,y_den,z_num,z_den,truth, eight lines a query"
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// Line number from one.
        line: usize,
        /// The finding.
        what: String,
    },
    /// The folder has no query file.
    #[error("no query file below `{path}`: expected folders `edge-edge` or `vertex-face` with .csv files")]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// How a detector did on a set of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueryReport {
    /// Number of queries.
    pub queries: usize,
    /// Queries that truly hit.
    pub true_hits: usize,
    /// Hits reported where the truth is a hit.
    pub hits: usize,
    /// True hits that were not reported: must be zero.
    pub misses: usize,
    /// Hits reported where the truth is none.
    pub false_alarms: usize,
    /// Times later than the true one: must be zero.
    pub late: usize,
    /// Times reported as zero where the true one is positive: must be zero.
    pub zero_times: usize,
    /// Largest (true time − reported time) over the hits.
    pub largest_earliness: f64,
    /// Mean wall time of a query \[ns\].
    pub ns_per_query: f64,
}

impl QueryReport {
    /// Share of false alarms among the queries that truly do not hit.
    pub fn false_alarm_rate(&self) -> f64 {
        self.false_alarms as f64 / (self.queries - self.true_hits).max(1) as f64
    }

    /// Whether nothing was missed, late or zero.
    pub fn is_safe(&self) -> bool {
        self.misses == 0 && self.late == 0 && self.zero_times == 0
    }

    /// Counts one answer.
    pub fn count(&mut self, judged: &JudgedQuery, answer: Option<f64>) {
        self.queries += 1;
        self.true_hits += usize::from(judged.hits);
        match (judged.hits, answer) {
            (true, None) => self.misses += 1,
            (false, Some(_)) => self.false_alarms += 1,
            (false, None) => {}
            (true, Some(time)) => {
                self.hits += 1;
                if let Some(truth) = judged.time {
                    self.late += usize::from(time > truth + TIME_TOLERANCE);
                    self.zero_times += usize::from(truth > 0.0 && time <= 0.0);
                    self.largest_earliness = self.largest_earliness.max(truth - time);
                }
            }
        }
    }
}

/// All query files below a folder, sorted by path.
pub fn query_files(folder: &Path) -> Result<Vec<PathBuf>, QueryError> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(QueryError::Empty { path: folder.into() });
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), QueryError> {
    let wrap = |source| QueryError::Read { path: folder.into(), source };
    for entry in fs::read_dir(folder).map_err(wrap)? {
        let path = entry.map_err(wrap)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, files)?;
        } else if name.ends_with(".csv") && !name.ends_with(".toi.csv") && kind_of(&path).is_some() {
            files.push(path);
        }
    }
    Ok(())
}

/// `Some(true)` for edge–edge files.
fn kind_of(path: &Path) -> Option<bool> {
    match path.parent()?.file_name()?.to_str()? {
        "edge-edge" => Some(true),
        "vertex-face" => Some(false),
        _ => None,
    }
}

/// Reads one file of queries and the times beside it.
pub fn read_queries(path: &Path) -> Result<Vec<JudgedQuery>, QueryError> {
    let read = |p: &Path| fs::read_to_string(p).map_err(|source| QueryError::Read { path: p.into(), source });
    let text = read(path)?;
    let times_path = path.with_extension("toi.csv");
    let times = if times_path.exists() { parse_times(&read(&times_path)?, &times_path)? } else { Vec::new() };
    let rows = parse_rows(&text, path)?;
    let is_edge_edge = kind_of(path).unwrap_or(false);
    let build = |(index, rows): (usize, &[(Vec3, bool)])| {
        let (x0, x1) = (std::array::from_fn(|k| rows[k].0), std::array::from_fn(|k| rows[k + 4].0));
        let query = if is_edge_edge { Query::EdgeEdge(x0, x1) } else { Query::PointTriangle(x0, x1) };
        JudgedQuery { query, hits: rows[0].1, time: times.get(index).copied().flatten() }
    };
    Ok(rows.chunks_exact(8).enumerate().map(build).collect())
}

fn parse_rows(text: &str, path: &Path) -> Result<Vec<(Vec3, bool)>, QueryError> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fail = |what: &str| QueryError::Format { path: path.into(), line: number + 1, what: what.into() };
        let fields: Vec<f64> = line
            .split(',')
            .map(|field| field.trim().parse().map_err(|_| fail(&format!("`{field}` is not a number"))))
            .collect::<Result<_, _>>()?;
        let &[xn, xd, yn, yd, zn, zd, truth] = fields.as_slice() else {
            return Err(fail(&format!("{} columns", fields.len())));
        };
        let point = Vec3::new(xn / xd, yn / yd, zn / zd);
        if !point.iter().all(|c| c.is_finite()) {
            return Err(fail("a coordinate is not finite"));
        }
        rows.push((point, truth != 0.0));
    }
    if !rows.len().is_multiple_of(8) {
        let what = format!("{} rows are not a multiple of eight", rows.len());
        return Err(QueryError::Format { path: path.into(), line: text.lines().count(), what });
    }
    Ok(rows)
}

fn parse_times(text: &str, path: &Path) -> Result<Vec<Option<f64>>, QueryError> {
    let parse = |(number, line): (usize, &str)| {
        let field = line.split(',').nth(3).unwrap_or("").trim();
        if field.is_empty() {
            return Ok(None);
        }
        field.parse().map(Some).map_err(|_| QueryError::Format {
            path: path.into(),
            line: number + 1,
            what: format!("`{field}` is not a time"),
        })
    };
    text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// Judges the verdict test on every query file below a folder.
pub fn judge_folder(folder: &Path, options: &VerdictOptions) -> Result<QueryReport, QueryError> {
    let mut all = Vec::new();
    for file in query_files(folder)? {
        all.extend(read_queries(&file)?);
    }
    Ok(judge(&all, |query| query.verdict(options).map(|impact| impact.time)))
}

/// Judges any detector on a list of queries.
pub fn judge(queries: &[JudgedQuery], detector: impl Fn(&Query) -> Option<f64>) -> QueryReport {
    let start = Instant::now();
    let answers: Vec<Option<f64>> = queries.iter().map(|judged| detector(&judged.query)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let mut report = QueryReport::default();
    for (judged, answer) in queries.iter().zip(answers) {
        report.count(judged, answer);
    }
    report.ns_per_query = seconds * 1e9 / queries.len().max(1) as f64;
    report
}
