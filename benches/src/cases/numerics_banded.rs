//! Banded factor and solve of one rod of 30 segments, per row, on one thread.

use crate::measure::{measure, on_threads};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use stiction::numerics::banded::ROD_HALF_BANDWIDTH;
use stiction::numerics::{BandedCholesky, BandedMatrix, Random};

/// Nodes and twists.
const ROWS: usize = 31 * 3 + 30;
const RODS: usize = 1000;

/// One record.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut random = Random::new(2);
    let mut matrix = BandedMatrix::zeros(ROWS, ROD_HALF_BANDWIDTH);
    for j in 0..ROWS {
        matrix.add(j, j, 25.0);
        for i in j + 1..(j + ROD_HALF_BANDWIDTH + 1).min(ROWS) {
            matrix.add(i, j, random.range(-1.0, 1.0));
        }
    }
    let mut factor = BandedCholesky::default();
    factor.refactor(&matrix)?;
    let mut b = vec![1.0; ROWS];
    let mut record = Record::new(case, "rod of 30 segments, 1 thread(s)");
    on_threads(1, || {
        let refactor = || (0..RODS).all(|_| factor.refactor(black_box(&matrix)).is_ok());
        record.time("ns_per_row_factor", measure(settings.seconds, refactor).0.per(1e-9, RODS * ROWS));
        let solve = || (0..RODS).for_each(|_| factor.solve(black_box(&mut b)));
        record.time("ns_per_row_solve", measure(settings.seconds, solve).0.per(1e-9, RODS * ROWS));
    })?;
    Ok(vec![record])
}
