//! Distances of single pairs in random position, on one thread.

use crate::measure::{measure, on_threads};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use stiction::collision::distance::{edge_edge, point_triangle};
use stiction::numerics::{Random, Vec3};

const POINTS: usize = 4096;
const PAIRS: usize = 200_000;

/// One record.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut random = Random::new(1);
    let points: Vec<Vec3> = (0..POINTS).map(|_| random.vector(-0.5, 0.5)).collect();
    let pick = |k: usize| -> [Vec3; 4] { std::array::from_fn(|m| points[(k * 13 + m * 1031) % POINTS]) };
    let seconds = settings.seconds;
    let [triangle, edges] = on_threads(1, || {
        let distance = |k: usize| {
            let [p, a, b, c] = pick(k);
            point_triangle(&p, &a, &b, &c).distance_squared
        };
        let between = |k: usize| {
            let [a, b, c, d] = pick(k);
            edge_edge(&a, &b, &c, &d).distance_squared
        };
        [
            measure(seconds, || black_box((0..PAIRS).map(distance).sum::<f64>())).0,
            measure(seconds, || black_box((0..PAIRS).map(between).sum::<f64>())).0,
        ]
    })?;
    let mut record = Record::new(case, "1 thread(s)");
    record.time("ns_point_triangle", triangle.per(1e-9, PAIRS));
    record.time("ns_edge_edge", edges.per(1e-9, PAIRS));
    Ok(vec![record])
}
