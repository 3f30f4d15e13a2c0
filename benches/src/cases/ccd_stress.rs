//! Continuous detection under stress: random and nearly degenerate queries whose contact is exact
//! by construction.
//!
//! A million queries; ten millions with `full`. One in 1024 is also put to the exact oracle.

use crate::measure::measure;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use stiction::collision::ccd::stress::stress;

const SEED: u64 = 3;

/// One record.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let count: u64 = if settings.full { 10_000_000 } else { 1_000_000 };
    let (spent, report) = measure(0.0, || stress(count, SEED));
    let mut record = Record::new(case, format!("{count} queries, {} threads", rayon::current_num_threads()));
    let none = FigureLimit::AtMost(0.0);
    record.number("queries", count as f64).number("planned_hits", report.planned.true_hits as f64);
    record.number("misses", (report.planned.misses + report.sampled.misses) as f64).limit(none);
    record.number("late", (report.planned.late + report.sampled.late) as f64).limit(none);
    record.number("zero_times", report.sampled.zero_times as f64).limit(none);
    record.number("unsafe_advances", report.unsafe_advances as f64).limit(none);
    record.number("oracle_queries", report.sampled.queries as f64);
    record.number("oracle_undecided", report.undecided as f64);
    record.number("false_alarm_rate", report.sampled.false_alarm_rate());
    record.time("ns_per_query", spent.per(1e-9, count as usize));
    record.note = Some("time of a query includes making it, the advance and the oracle's share".to_owned());
    Ok(vec![record])
}
