//! `ccd` and `coulomb`: every file of recorded problems below a folder.
//!
//! * `ccd`: continuous collision queries `…/{edge-edge,vertex-face}/*.csv` with their truth and,
//!   beside them, the exact time of impact. Measured per file: answers that are unsafe, that is
//!   hits missed, times later than the true one (by more than 1e-12) or zero where the true one is
//!   positive; all must be zero. False alarms are reported over all files.
//! * `coulomb`: frictional contact problems `*.dat`, u = W r + q. Measured per file: the
//!   natural-map residual
//!   |r − P_K(r − u − μ|u_T| n)|/|q| of the general solver, within 1e-8.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use std::path::Path;
use stiction_collision::ccd::VerdictOptions;
use stiction_collision::ccd::queries::{QueryError, judge, query_files, read_queries};
use stiction_contact::coulomb::{CoulombOptions, solve_folder};

/// Runs `ccd`.
pub fn ccd(folder: &Path) -> Result<Finding, VerifyError> {
    let files = query_files(folder).map_err(|error| match error {
        QueryError::Empty { path } => VerifyError::NoData { what: "file of queries", folder: path },
        other => other.into(),
    })?;
    let options = VerdictOptions::default();
    let mut out = Finding::new();
    let (mut queries, mut alarms) = (0, 0);
    for file in files {
        let report = judge(&read_queries(&file)?, |query| query.verdict(&options).map(|impact| impact.time));
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        let bad = report.misses + report.late + report.zero_times;
        let quantity = format!("unsafe answers to {} queries, {name}", report.queries);
        out.push(Quantity::within(0.0, quantity, 0.0, bad as f64));
        queries += report.queries;
        alarms += report.false_alarms;
    }
    out.push(Quantity::reported(format!("false alarms in {queries} queries"), 0.0, alarms as f64));
    Ok(out)
}

/// Runs `coulomb`.
pub fn coulomb(folder: &Path) -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    for report in solve_folder(folder, &CoulombOptions::default())? {
        let report = report?;
        let quantity = format!("residual of {} contacts, {}", report.solve.contacts, report.file);
        out.push(Quantity::within(1e-8, quantity, 0.0, report.solve.residual));
    }
    match out.is_empty() {
        true => Err(VerifyError::NoData { what: "problem file (.dat)", folder: folder.into() }),
        false => Ok(out),
    }
}
