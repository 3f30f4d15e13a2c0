//! Time per contact update and bytes per contact: vertex–triangle contacts between stacked sheets, sorted along
//! a space-filling order, sleeping off.
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
    let weights = vec![1e-3; nodes];
    let velocities: Vec<Vec3> = (0..nodes).map(|_| random.vector(-1.0, 1.0)).collect();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        pool.install(|| {
            let mut set = ContactSet::new(&weights);
            let start = Instant::now();
            set.append(&list, None).expect("contacts of the example are valid");
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
                "{threads} thread(s): {} contacts, {} nodes, {best:.1} ns of wall time (best) and {:.1} ns \
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
