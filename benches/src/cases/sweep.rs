//! Time per contact update and bytes per contact of the Gauss–Seidel projection, sleeping off.
//!
//! `sheets`: vertex–triangle contacts between stacked sheets; `rods`: edge–edge contacts in a cloud
//! of rods. Both are sorted in space, as detection delivers them.

use crate::measure::{Spent, core_seconds, measure_serial, on_threads, thread_counts};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::time::Instant;
use stiction::contact::{ContactError, ContactSet, ContactStencil, NewContact, ProjectOptions};
use stiction::numerics::{Random, Vec3};

const CONTACTS: usize = 300_000;
const SWEEPS: usize = 10;
const REPETITIONS: usize = 8;
/// Largest core time per update \[ns\].
const TIME_LIMIT: f64 = 40.0;
/// Largest memory per contact \[bytes\].
const MEMORY_LIMIT: f64 = 300.0;

/// Records of stacked sheets.
pub fn sheets(case: &'static str, _: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut random = Random::new(1);
    let (nodes, list) = stack(CONTACTS, &mut random);
    measured(case, nodes, &list, &mut random)
}

/// Records of a cloud of rods.
pub fn rods(case: &'static str, _: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut random = Random::new(1);
    let (nodes, list) = cloud(CONTACTS, &mut random);
    measured(case, nodes, &list, &mut random)
}

fn measured(
    case: &'static str,
    nodes: usize,
    list: &[NewContact],
    random: &mut Random,
) -> Result<Vec<Record>, Stopped> {
    let velocities: Vec<Vec3> = (0..nodes).map(|_| random.vector(-1.0, 1.0)).collect();
    let counts = thread_counts();
    counts.into_iter().map(|n| Ok(on_threads(n, || on_pool(case, list, &velocities))??)).collect()
}

fn on_pool(case: &'static str, list: &[NewContact], velocities: &[Vec3]) -> Result<Record, ContactError> {
    let (nodes, threads) = (velocities.len(), rayon::current_num_threads());
    let weights = vec![1e-3; nodes];
    let mut set = ContactSet::new(&weights);
    let (append, outcome) = measure_serial(0.0, || set.append(list, None));
    outcome?;
    let options = ProjectOptions { sweeps: SWEEPS, ..ProjectOptions::default() };
    let (mut best, mut updates, mut core) = (f64::INFINITY, 0, 0.0);
    // Every repetition starts from other velocities, so that contacts open, stick and slide in
    // turn.
    for repetition in 0..REPETITIONS {
        let turned: Vec<Vec3> = (0..nodes).map(|k| velocities[(k + 1013 * repetition) % nodes]).collect();
        set.load(&turned);
        set.warm_start();
        let (start, core_start) = (Instant::now(), core_seconds());
        let report = set.sweep(&options);
        core += core_seconds() - core_start;
        updates += report.updates;
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / report.updates as f64);
    }
    let mut record = Record::new(case, format!("{threads} thread(s)"));
    record.number("threads", threads as f64);
    record.number("vertices", nodes as f64).number("contacts", set.len() as f64);
    let core = core * 1e9 / updates as f64;
    record.time("ns_per_contact", Spent { wall: best, core, threads });
    if threads == 1 {
        // On one thread the best wall time is core time that nothing interrupted.
        record.limit(FigureLimit::AtMost(TIME_LIMIT));
    }
    record.number("bytes_per_contact", set.bytes() as f64 / set.len() as f64);
    record.limit(FigureLimit::AtMost(MEMORY_LIMIT));
    record.number("parallel_share", set.parallel_share());
    record.time("ns_per_contact_append", append.per(1e-9, set.len()));
    Ok(record)
}

/// Sheets of `side²` nodes; every node of a sheet touches the triangle under it.
fn stack(contacts: usize, random: &mut Random) -> (usize, Vec<NewContact>) {
    let side = ((contacts as f64 / 4.0).sqrt()) as usize;
    let sheets = contacts / (side * side) + 1;
    let mut list = Vec::new();
    // Blocks of 16 × 16 nodes through all sheets: neighbours in space are neighbours in the list.
    for block in 0..side.div_ceil(16) * side.div_ceil(16) {
        let (bx, by) = (block % side.div_ceil(16) * 16, block / side.div_ceil(16) * 16);
        for sheet in 1..sheets {
            for y in by..(by + 16).min(side - 1) {
                for x in bx..(bx + 16).min(side - 1) {
                    let node = |s: usize, x: usize, y: usize| (s * side * side + y * side + x) as u32;
                    let (a, b) = (random.range(0.1, 0.4), random.range(0.1, 0.4));
                    let stencil = ContactStencil::new(&[
                        (node(sheet, x, y), 1.0),
                        (node(sheet - 1, x, y), -a),
                        (node(sheet - 1, x + 1, y), -b),
                        (node(sheet - 1, x, y + 1), a + b - 1.0),
                    ]);
                    let normal = (Vec3::z() + random.vector(-0.2, 0.2)).normalize();
                    let key = list.len() as u64;
                    list.push(NewContact { key, ..NewContact::new(stencil, normal, 0.0, 0.01, 0.4) });
                }
            }
        }
    }
    (sheets * side * side, list)
}

/// Rods of 30 segments thrown into a cube: edges that share a small cell touch. Sorted along the Z
/// curve of the cells; the nodes keep the order of the rods, so gathers are scattered, as in hair.
fn cloud(contacts: usize, random: &mut Random) -> (usize, Vec<NewContact>) {
    const NODES: usize = 31;
    let rods = contacts / 18;
    let segment = 1.0 / (contacts as f64).cbrt();
    let cell = segment * 1.05;
    let mut edges = Vec::new();
    for rod in 0..rods {
        let (mut x, direction) = (random.vector(0.0, 1.0), random.unit_vector() * segment);
        for k in 0..NODES - 1 {
            x += direction + random.vector(-0.3, 0.3) * segment;
            let at = x.map(|c| (c.rem_euclid(1.0) / cell) as u64);
            edges.push((z_curve([at.x, at.y, at.z]), (rod * NODES + k) as u32));
        }
    }
    edges.sort_unstable();
    let mut list = Vec::new();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        for pair in group.windows(2).filter(|pair| pair[0].1.abs_diff(pair[1].1) > 1) {
            let (a, b) = (random.range(0.1, 0.9), random.range(0.1, 0.9));
            let (first, second) = (pair[0].1, pair[1].1);
            let pairs = [(first, a), (first + 1, 1.0 - a), (second, -b), (second + 1, b - 1.0)];
            let key = list.len() as u64;
            let stencil = ContactStencil::new(&pairs);
            list.push(NewContact { key, ..NewContact::new(stencil, random.unit_vector(), 0.0, 0.01, 0.4) });
        }
    }
    (rods * NODES, list)
}

/// Interleaves the bits of three cell numbers.
fn z_curve(cell: [u64; 3]) -> u64 {
    (0..21).fold(0, |code, bit| (0..3).fold(code, |code, k| code | (cell[k] >> bit & 1) << (3 * bit + k)))
}
