//! Time per contact update and bytes per contact, sleeping off: vertex–triangle contacts between stacked sheets, and
//! edge–edge contacts in a cloud of rods, both sorted in space.
//!
//! `cargo run --release -p stiction-contact --example sweep [contacts]`

use std::time::Instant;

use stiction_contact::{ContactSet, ContactStencil, NewContact, ProjectOptions};
use stiction_numerics::{Random, Vec3};

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

/// Rods of 30 segments thrown into a cube: edges that share a small cell touch. Sorted along the Z curve of the cells; the
/// nodes keep the order of the rods, so gathers are scattered, as in hair.
fn rods(contacts: usize, random: &mut Random) -> (usize, Vec<NewContact>) {
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

/// Core time of this process so far \[s\], in ticks of 10 ms; NaN where the system does not tell.
fn core_seconds() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return f64::NAN };
    // Fields 14 and 15, counted after the name in brackets: user and system ticks.
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = |k: usize| after_name.split_ascii_whitespace().nth(k).and_then(|t| t.parse::<f64>().ok());
    ticks(11).zip(ticks(12)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

fn main() {
    let wanted = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(300_000);
    let mut random = Random::new(1);
    let (nodes, list) = stack(wanted, &mut random);
    measure("sheets", nodes, &list, &mut random);
    let (nodes, list) = rods(wanted, &mut random);
    measure("rods", nodes, &list, &mut random);
}

fn measure(name: &str, nodes: usize, list: &[NewContact], random: &mut Random) {
    let weights = vec![1e-3; nodes];
    let velocities: Vec<Vec3> = (0..nodes).map(|_| random.vector(-1.0, 1.0)).collect();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        pool.install(|| {
            let mut set = ContactSet::new(&weights);
            let start = Instant::now();
            set.append(list, None).expect("contacts of the example are valid");
            let append = start.elapsed();
            let options = ProjectOptions { sweeps: 10, ..ProjectOptions::default() };
            // Every repetition starts from other velocities, so that contacts open, stick and slide in turn.
            let (mut best, mut updates, mut core) = (f64::INFINITY, 0, 0.0);
            for repetition in 0..8 {
                let turned: Vec<Vec3> =
                    (0..nodes).map(|k| velocities[(k + 1013 * repetition) % nodes]).collect();
                set.load(&turned);
                set.warm_start();
                let (start, core_start) = (Instant::now(), core_seconds());
                let report = set.sweep(&options);
                core += core_seconds() - core_start;
                updates += report.updates;
                best = best.min(start.elapsed().as_nanos() as f64 / report.updates as f64);
            }
            println!(
                "{name}, {threads} thread(s): {} contacts, {} nodes, {best:.1} ns of wall time (best) and {:.1} ns \
                 of core time (mean) per update, {:.0} bytes per contact, \
                 {:.0} % in parallel stages, append {:.0} ns per contact, residual {:.2e} m/s",
                set.len(),
                nodes,
                core * 1e9 / updates as f64,
                set.bytes() as f64 / set.len() as f64,
                100.0 * set.parallel_share(),
                append.as_nanos() as f64 / set.len() as f64,
                set.natural_map_residual(),
            );
        });
    }
}
