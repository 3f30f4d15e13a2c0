//! Growth of cost with the number of soft donuts that fall on a plane: 40 iterations, 5 sweeps, steps of 25 ms.   [Zhu2024, figure 3]
//!
//! Donuts of 1,300 vertices as in the document with `--full`, where 800 of them have 1.04 million vertices; else coarse ones.

use super::pd::{frames, scene};
use crate::machine::MemoryMark;
use crate::record::{Limit, Record};
use crate::registry::{Settings, Stopped};

/// Time per frame of the document with 800 donuts \[ms\], and what is allowed here.
const DOCUMENT: f64 = 33_191.0;
const FACTOR: f64 = 2.5;
/// Largest memory \[bytes\].
const MEMORY: f64 = 6e9;
/// Largest exponent of cost in the number of donuts.
const EXPONENT: f64 = 1.1;

/// Piles of growing size, and the exponent between the smallest and the largest.
pub fn run(case: &'static str, settings: &Settings) -> Result<Vec<Record>, Stopped> {
    let (sizes, cells): (&[[usize; 3]], [usize; 2]) = match settings.full {
        true => (&[[2, 2, 3], [5, 5, 4], [10, 10, 4], [10, 20, 4]], [35, 3]),
        false => (&[[2, 2, 3], [4, 4, 3], [8, 8, 3]], [14, 1]),
    };
    let mut records: Vec<Record> = Vec::new();
    let mut times: Vec<(f64, f64, f64)> = Vec::new();
    for &lattice in sizes {
        let count: usize = lattice.iter().product();
        let mark = MemoryMark::set();
        let done = frames(scene(&pile(lattice, cells))?, 6, 2)?;
        let mut record = done.record(case, &format!("{count} donuts"));
        if count == 800 {
            record.limit(Limit::AtMost(FACTOR * DOCUMENT));
        }
        if let Some(bytes) = mark.and_then(|mark| mark.peak_growth()) {
            record.number("gigabytes", 1e-9 * bytes as f64);
            record.limit(Limit::AtMost(1e-9 * MEMORY));
        }
        let each = done.spent.per(1.0, done.count);
        times.push((count as f64, each.wall, each.core));
        records.push(record);
    }
    let (first, last) = (times[0], times[times.len() - 1]);
    let exponent = |a: f64, b: f64| (b / a).ln() / (last.0 / first.0).ln();
    if let Some(record) = records.last_mut() {
        record.both("exponent_in_donuts", exponent(first.1, last.1), exponent(first.2, last.2));
        record.limit(Limit::AtMost(EXPONENT));
    }
    Ok(records)
}

/// A lattice of donuts, a little out of place each.
fn pile([x, y, z]: [usize; 3], [around, across]: [usize; 2]) -> String {
    format!(
        r#"
stiction = 1
fps = 40
method = {{ key = "pd", iterations = 40, sweeps = 5, detect_every = 5 }}
[bodies.donut]
kind = "solid"
mesh = {{ tet_torus = {{ radius = 0.05, tube = 0.02, around = {around}, across = {across} }} }}
translate = [0, 0, 0.024]
material = {{ density = 1000.0, young = 5e4, poisson = 0.3, damping_stiffness = 0.002 }}
self_contact = false
friction = 0.4
array = {{ count = [{x}, {y}, {z}], step = [0.13, 0.13, 0.045], jitter = 0.002 }}
[colliders.floor]
plane = {{ normal = "z" }}
friction = 0.4
"#
    )
}
