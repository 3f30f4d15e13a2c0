//! Random and nearly degenerate queries whose contact is exact by construction.
//!
//! Corners are small integers, the time t* and the weights of the touching points are multiples of
//! 1/16, and the whole is scaled by a power of two: every intermediate number fits in 53 bits, so
//! the pair touches at t* *exactly*, and the true first contact is at t* or earlier. That makes
//! each such query an exact one-sided oracle at no cost: no answer is a miss, a later time is late.
//! On every [`ORACLE_STRIDE`]-th query the exact test of [`super::exact`] also gives the true first
//! time, and judges the queries without a planned contact.

use super::queries::{JudgedQuery, QueryReport};
use super::{AdvanceOptions, Query, VerdictOptions, exact};
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// One query in this many is put to the exact oracle.
pub const ORACLE_STRIDE: u64 = 1024;

/// Queries of one task: fixed, so that the report does not depend on the number of threads.
const CHUNK: u64 = 4096;

/// How the detectors did under stress.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StressReport {
    /// Verdicts without the exact stage, on all queries with a planned contact.
    pub planned: QueryReport,
    /// The same on the sample that the exact oracle judged, free flights included.
    pub sampled: QueryReport,
    /// Queries of the sample on which the exact oracle gave up; they are not judged.
    pub undecided: usize,
    /// Advancements that ended later than a contact, or were free in spite of one: must be zero.
    pub unsafe_advances: usize,
}

/// Runs `count` queries from `seed`, in parallel; the counts are the same for any number of
/// threads.
pub fn stress(count: u64, seed: u64) -> StressReport {
    let chunks = count.div_ceil(CHUNK);
    let parts: Vec<StressReport> = (0..chunks)
        .into_par_iter()
        .map(|chunk| stress_chunk(chunk * CHUNK..((chunk + 1) * CHUNK).min(count), seed))
        .collect();
    parts.into_iter().fold(StressReport::default(), |mut sum, part| {
        merge(&mut sum.planned, &part.planned);
        merge(&mut sum.sampled, &part.sampled);
        sum.undecided += part.undecided;
        sum.unsafe_advances += part.unsafe_advances;
        sum
    })
}

fn merge(sum: &mut QueryReport, part: &QueryReport) {
    let queries = sum.queries + part.queries;
    let total = sum.ns_per_query * sum.queries as f64 + part.ns_per_query * part.queries as f64;
    sum.ns_per_query = total / queries.max(1) as f64;
    sum.queries = queries;
    sum.true_hits += part.true_hits;
    sum.hits += part.hits;
    sum.misses += part.misses;
    sum.false_alarms += part.false_alarms;
    sum.late += part.late;
    sum.zero_times += part.zero_times;
    sum.largest_earliness = sum.largest_earliness.max(part.largest_earliness);
}

fn stress_chunk(range: std::ops::Range<u64>, seed: u64) -> StressReport {
    let fast = VerdictOptions { exact: false, ..Default::default() };
    let mut report = StressReport::default();
    let start = std::time::Instant::now();
    for index in range.clone() {
        let planned = generate(index, seed);
        let answer = planned.query.verdict(&fast).map(|impact| impact.time);
        if planned.hits {
            // the planned time bounds the true one from above: "zero" cannot be judged here
            report.planned.count(&planned, answer);
        }
        let advance = planned.query.advance(&AdvanceOptions::default());
        if planned.hits && (advance.safe_time() >= 1.0 || Some(advance.safe_time()) > planned.time) {
            report.unsafe_advances += 1;
        }
        if index % ORACLE_STRIDE == 0 {
            let truth = exact::first_impact(&planned.query);
            if truth.is_some_and(|impact| !impact.is_settled) {
                report.undecided += 1;
                continue;
            }
            let judged =
                JudgedQuery { hits: truth.is_some(), time: truth.map(|impact| impact.time), ..planned };
            report.sampled.count(&judged, answer);
        }
    }
    report.planned.zero_times = 0;
    report.planned.ns_per_query =
        start.elapsed().as_secs_f64() * 1e9 / (range.end - range.start).max(1) as f64;
    report
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Integers in ±`size`.
    fn vector(&mut self, size: i64) -> Vec3 {
        let mut one = || (self.next() % (2 * size as u64 + 1)) as f64 - size as f64;
        Vec3::new(one(), one(), one())
    }
}

/// Query number `index` of a series. `hits` is set when a contact was planned at `time`.
pub fn generate(index: u64, seed: u64) -> JudgedQuery {
    let mut random = Random(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
    let size = [4, 1 << 10, 1 << 20][random.below(3) as usize];
    let time = random.below(17) as f64 / 16.0;
    let planned = random.below(8) != 0;
    let (x0, x1, edge_edge) = match random.below(2) {
        0 => {
            let (x0, x1) = point_triangle(&mut random, size, time, planned);
            (x0, x1, false)
        }
        _ => {
            let (x0, x1) = edge_edge(&mut random, size, time, planned);
            (x0, x1, true)
        }
    };
    let scale = [1.0, 2f64.powi(-60), 2f64.powi(60), 2f64.powi(-20)][random.below(4) as usize];
    let (x0, x1) = (x0.map(|p| p * scale), x1.map(|p| p * scale));
    let query = if edge_edge { Query::EdgeEdge(x0, x1) } else { Query::PointTriangle(x0, x1) };
    JudgedQuery { query, hits: planned, time: planned.then_some(time) }
}

/// Three sixteenths-weights that sum to one; often zero, so that edges and corners are hit as well.
fn weights(random: &mut Random) -> [f64; 3] {
    let first = if random.below(3) == 0 { 0 } else { random.below(17) };
    let second = if random.below(3) == 0 { 0 } else { random.below(17 - first) };
    [first as f64 / 16.0, second as f64 / 16.0, (16 - first - second) as f64 / 16.0]
}

/// Straight motion with displacement `d` that passes through `p` at `time`: all products are exact.
fn through(p: Vec3, d: Vec3, time: f64) -> (Vec3, Vec3) {
    (p - d * time, p + d * (1.0 - time))
}

fn displacement(random: &mut Random, size: i64) -> Vec3 {
    match random.below(6) {
        0 => Vec3::zeros(),
        1 => random.vector(1),
        _ => random.vector(size),
    }
}

fn point_triangle(random: &mut Random, size: i64, time: f64, planned: bool) -> ([Vec3; 4], [Vec3; 4]) {
    let mut corners = [random.vector(size), random.vector(size), random.vector(size)];
    let mut moves = [0; 4].map(|_| displacement(random, size));
    match random.below(6) {
        // flat: everything stays in one plane
        0 => corners.iter_mut().chain(&mut moves).for_each(|p| p.z = 0.0),
        // collinear corners
        1 => corners[2] = corners[0] * 2.0 - corners[1],
        // the triangle does not turn
        2 => moves = [moves[0], moves[1], moves[1], moves[1]],
        // nothing moves
        3 => moves = [Vec3::zeros(); 4],
        _ => {}
    }
    let w = weights(random);
    let mut p = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
    if !planned {
        p += random.vector(size) / 16.0;
    }
    let paths = [(p, moves[0]), (corners[0], moves[1]), (corners[1], moves[2]), (corners[2], moves[3])]
        .map(|(p, d)| through(p, d, time));
    (paths.map(|path| path.0), paths.map(|path| path.1))
}

fn edge_edge(random: &mut Random, size: i64, time: f64, planned: bool) -> ([Vec3; 4], [Vec3; 4]) {
    let (mut a, mut touch, mut along) = (random.vector(size), random.vector(size), random.vector(size));
    let mut moves = [0; 4].map(|_| displacement(random, size));
    match random.below(6) {
        0 => {
            [&mut a, &mut touch, &mut along].into_iter().for_each(|p| p.z = 0.0);
            moves.iter_mut().for_each(|p| p.z = 0.0);
        }
        // parallel edges
        1 => along = a - touch,
        // an edge of no length
        2 => along = Vec3::zeros(),
        // both edges keep their direction
        3 => moves = [moves[0], moves[0], moves[2], moves[2]],
        4 => moves = [Vec3::zeros(); 4],
        _ => {}
    }
    // `touch` divides edge a in the ratio of a power of two, edge b likewise: the far ends are
    // integers
    let (ratio_a, ratio_b) = ((1 << random.below(3)) as f64, (1 << random.below(3)) as f64);
    let end_only = random.below(4) == 0;
    let a1 = if end_only { touch } else { touch + (touch - a) * ratio_a };
    let mut b0 = touch - along;
    let mut b1 = touch + along * ratio_b;
    if !planned {
        let shift = random.vector(size) / 16.0;
        (b0, b1) = (b0 + shift, b1 + shift);
    }
    let paths =
        [(a, moves[0]), (a1, moves[1]), (b0, moves[2]), (b1, moves[3])].map(|(p, d)| through(p, d, time));
    (paths.map(|path| path.0), paths.map(|path| path.1))
}
