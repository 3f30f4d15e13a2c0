//! Growth of cost with the number of soft rings: 40 iterations, 5 sweeps, steps of 25 ms.
//! [Zhu2024, figure 3]
//!
//! The rings of `donut_pile`, packed within the contact gap of one another and of the floor, so
//! that all of them touch from the first step on and every size is measured at the same moment:
//! frames 3 and 4. With `--full` rings of 1,295 vertices as in the paper, where 800 of them have
//! 1.04 million (some five minutes on two cores); else coarse ones.

use super::pd::{frames_within, gallery_scene};
use crate::machine::MemoryMark;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};

/// Time per frame of the paper with 800 donuts \[ms\].
pub const DOCUMENT: f64 = 33_191.0;
/// Largest time as a multiple of it.
pub const FACTOR: f64 = 2.5;
/// Largest memory \[bytes\].
pub const MEMORY: f64 = 6e9;
/// Frames before those that are measured, and how many are.
const SKIP: usize = 2;
const MEASURED: usize = 2;
/// Largest exponent of cost in the number of donuts.
const EXPONENT: f64 = 1.1;

/// Piles of growing size, and the exponent between the smallest and the largest.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (sizes, cells): (&[[usize; 3]], [usize; 2]) = match settings.full {
        true => (&[[2, 2, 3], [5, 5, 4], [10, 20, 4]], [35, 3]),
        false => (&[[2, 2, 3], [4, 4, 3], [8, 8, 3]], [14, 1]),
    };
    let mut records: Vec<Record> = Vec::new();
    let mut times: Vec<(f64, f64, f64)> = Vec::new();
    for &lattice in sizes {
        let count: usize = lattice.iter().product();
        let mark = MemoryMark::set();
        let changes = packed(lattice, cells);
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let Some(scene) = gallery_scene("donut_pile", &changes)? else { return Ok(records) };
        let done = frames_within(scene, SKIP, MEASURED, f64::INFINITY)?;
        let mut record = done.record(case, &format!("{count} donuts"));
        if count == 800 {
            record.limit(FigureLimit::AtMost(FACTOR * DOCUMENT));
        }
        if let Some(bytes) = mark.and_then(|mark| mark.peak_growth()) {
            record.number("gigabytes", 1e-9 * bytes as f64);
            record.limit(FigureLimit::AtMost(1e-9 * MEMORY));
        }
        let each = done.spent.per(1.0, done.count);
        times.push((count as f64, each.wall, each.core));
        records.push(record);
    }
    let (first, last) = (times[0], times[times.len() - 1]);
    let exponent = |a: f64, b: f64| (b / a).ln() / (last.0 / first.0).ln();
    if let Some(record) = records.last_mut() {
        record.both("exponent_in_donuts", exponent(first.1, last.1), exponent(first.2, last.2));
        record.limit(FigureLimit::AtMost(EXPONENT));
    }
    Ok(records)
}

/// What packs the rings of the scene: 2 mm of thickness between them, another 1.5 to 2 mm to go, 3
/// mm of contact gap.
fn packed([x, y, z]: [usize; 3], [around, across]: [usize; 2]) -> [String; 4] {
    [
        format!(
            "bodies.ring.mesh={{ tet_torus = {{ radius = 0.10, tube = 0.045, around = {around}, across = {across} }} }}"
        ),
        "bodies.ring.translate=[0.0, 0.0, 0.047]".to_owned(),
        format!(
            "bodies.ring.array={{ count = [{x}, {y}, {z}], step = [0.294, 0.294, 0.0935], jitter = 0.0002 }}"
        ),
        "frames=8".to_owned(),
    ]
}
