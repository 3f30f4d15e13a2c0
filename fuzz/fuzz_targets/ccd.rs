//! Continuous collision detection under arbitrary doubles: `cargo fuzz run ccd`.
//!
//! 24 doubles make a query of four corners. Whatever they are, nothing panics; when all are finite
//! and of sane size, the exact test is the truth: a verdict of "none" must be right, no time may be
//! late, and the exact stage may only drop false alarms. A finding on corners without area or
//! length may be a false alarm of the exact test, which is conservative there: look before
//! repairing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction_collision::ccd::{AdvanceOptions, Query, VerdictOptions, exact};
use stiction_numerics::Vec3;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let numbers: Vec<f64> = bytes
        .chunks_exact(8)
        .map(|chunk| f64::from_le_bytes(chunk.try_into().expect("eight bytes")))
        .collect();
    if numbers.len() < 24 {
        return;
    }
    let point = |k: usize| Vec3::new(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]);
    let x0: [Vec3; 4] = std::array::from_fn(point);
    let x1: [Vec3; 4] = std::array::from_fn(|k| point(k + 4));
    let query = match kind % 4 {
        0 => Query::PointTriangle(x0, x1),
        1 => Query::EdgeEdge(x0, x1),
        2 => Query::PointEdge([x0[0], x0[1], x0[2]], [x1[0], x1[1], x1[2]]),
        _ => Query::PointPoint([x0[0], x0[1]], [x1[0], x1[1]]),
    };
    let fast = query.verdict(&VerdictOptions { exact: false, ..Default::default() });
    let advance = query.advance(&AdvanceOptions::default());
    let is_sane = |c: &f64| *c == 0.0 || (1e-60..1e60).contains(&c.abs());
    if !numbers[..24].iter().all(is_sane) {
        return;
    }
    let Some(truth) = exact::first_impact(&query).filter(|impact| impact.is_settled) else { return };
    let fast = fast.expect("a hit was missed");
    assert!(fast.time <= truth.time + 2f64.powi(-50), "late: {} after {}", fast.time, truth.time);
    assert!(advance.safe_time() < 1.0, "advanced through a hit");
});
