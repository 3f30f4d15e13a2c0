//! Sparse Cholesky of the matrices that methods really solve, and of the scalar matrix of a
//! projective global step.
//!
//! * *Newton*: the elastic Hessian at rest plus M/h², three rows per node and one per shell edge.
//! * *Projective*: M/h² plus the weighted Laplacian of the mesh, one row per node, three right-hand
//!   sides at once.
//!
//! A solve reads the factor twice (forward and back). `reads_of_factor` is its time over the time
//! that reading as many bytes from main memory takes on the same thread; `reads_in_cache` compares
//! with an array of the same size read again and again, which caches hold as far as they can.

use crate::measure::{Spent, measure_serial};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use stiction::Simulation;
use stiction::energy::{Curvature, Elasticity};
use stiction::numerics::{BlockMatrix, Vec3};
use stiction::scene::load_text;
use stiction_factor::{CscMatrix, ScalarCholesky, SparseCholesky};

const STEP: f64 = 1.0 / 60.0;
/// Array for the bandwidth of main memory: larger than caches are.
const MEMORY_BYTES: usize = 512 << 20;
/// It is timed in parts of this size.
const PART_BYTES: usize = 4 << 20;

/// Cotton sheet of `cells²` squares.
pub fn cloth(case: &'static str, cells: usize, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let body = format!(
        "kind = \"cloth\"\nmaterial = \"cotton\"\n\
         mesh = {{ grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = \"alternating\" }} }}"
    );
    measured(case, &body, settings)
}

/// Soft box of `cells³` cubes, six tets each.
pub fn tets(case: &'static str, cells: usize, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let body = format!(
        "kind = \"solid\"\nmaterial = \"rubber\"\n\
         mesh = {{ tet_box = {{ size = [1.0, 1.0, 1.0], cells = [{cells}, {cells}, {cells}] }} }}"
    );
    measured(case, &body, settings)
}

fn measured(case: &'static str, body: &str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let text = format!("stiction = 1\n[method]\nkey = \"newton\"\n[bodies.body]\n{body}\n");
    let simulation = Simulation::new(load_text("bench.toml", &text, Path::new("."), &[] as &[&str])?.scene)?;
    Ok(vec![newton(case, &simulation, settings)?, projective(case, &simulation, settings)?])
}

fn newton(case: &'static str, simulation: &Simulation, settings: &BenchSettings) -> Result<Record, Stopped> {
    let (model, state) = (&simulation.model, &simulation.state);
    let elasticity = Elasticity::new(model, &simulation.parameters)?;
    let mut matrix = BlockMatrix::zeros(elasticity.pattern().clone());
    elasticity.add_hessian(&state.blocks, &state.frames, 0.0, Curvature::Projected, &mut matrix);
    let inertia: Vec<f64> = simulation.parameters.mass.iter().map(|m| m / STEP.powi(2)).collect();
    matrix.add_diagonal(&inertia);
    let mut record = Record::new(case, format!("Newton, {} unknowns", model.dofs()));
    record.number("vertices", model.nodes as f64);
    let (spent, analysed) = measure_serial(0.0, || SparseCholesky::analyse(matrix.pattern(), model.nodes));
    let mut cholesky = analysed?;
    record.time("ms_analyse", spent.per(1e-3, 1));
    let (spent, outcome) = measure_serial(settings.seconds, || cholesky.factor(&matrix, None));
    outcome?;
    record.time("ms_factor", spent.per(1e-3, 1));
    let mut x = vec![Vec3::repeat(1.0); model.blocks()];
    let (solve, ()) = measure_serial(settings.seconds, || cholesky.solve_in_place(&mut x));
    add_solve(&mut record, solve, cholesky.factor_bytes(), settings);
    Ok(record)
}

fn projective(
    case: &'static str,
    simulation: &Simulation,
    settings: &BenchSettings,
) -> Result<Record, Stopped> {
    let model = &simulation.model;
    let lower = laplacian(model, &simulation.parameters.mass)?;
    let mut record = Record::new(case, format!("projective, {} rows", lower.size()));
    record.number("vertices", model.nodes as f64);
    let (spent, factored) = measure_serial(0.0, || ScalarCholesky::new(&lower));
    let cholesky = factored?;
    record.time("ms_analyse_and_factor", spent.per(1e-3, 1));
    let mut x = vec![Vec3::repeat(1.0); lower.size()];
    let (solve, ()) = measure_serial(settings.seconds, || cholesky.solve_in_place(&mut x));
    add_solve(&mut record, solve, cholesky.factor_bytes(), settings);
    record.limit(FigureLimit::AtMost(2.0));
    Ok(record)
}

/// Solve time, bytes, and both against reading the factor once; `reads_of_factor` comes last.
fn add_solve(record: &mut Record, solve: Spent, bytes: usize, settings: &BenchSettings) {
    let cached = time_to_read(bytes, settings);
    let memory = memory_read(settings).per(1.0 / bytes as f64, 1);
    record.time("ms_solve", solve.per(1e-3, 1));
    record.number("factor_bytes", bytes as f64);
    // Once forward, once back.
    let rate = |bytes: f64, seconds: f64| 1e-9 * bytes / seconds;
    let twice = 2.0 * bytes as f64;
    record.both("gb_per_s_solve", rate(twice, solve.wall), rate(twice, solve.core));
    for (name, read) in [("cache", cached), ("memory", memory)] {
        let once = bytes as f64;
        record.both(format!("gb_per_s_{name}"), rate(once, read.wall), rate(once, read.core));
    }
    record.both("reads_in_cache", solve.wall / cached.wall, solve.core / cached.core);
    record.both("reads_of_factor", solve.wall / memory.wall, solve.core / memory.core);
}

/// Reads an array of that many bytes from end to end on one thread.
fn time_to_read(bytes: usize, settings: &BenchSettings) -> Spent {
    let array = vec![1.0f64; (bytes / 8).max(8)];
    measure_serial(settings.seconds, || black_box(sum(&array))).0
}

/// Time to read one byte from main memory on one thread. The wall time is that of the median part:
/// parts are so short that most of them are not interrupted, and none is in a cache when its turn
/// comes again.
pub(super) fn memory_read(settings: &BenchSettings) -> Spent {
    let array = vec![1.0f64; MEMORY_BYTES / 8];
    let mut parts: Vec<f64> = Vec::new();
    let (spent, ()) = measure_serial(settings.seconds, || {
        for part in array.chunks_exact(PART_BYTES / 8) {
            let start = Instant::now();
            black_box(sum(part));
            parts.push(start.elapsed().as_secs_f64());
        }
    });
    parts.sort_by(f64::total_cmp);
    Spent {
        wall: parts[parts.len() / 2] / PART_BYTES as f64,
        core: spent.core / MEMORY_BYTES as f64,
        ..spent
    }
}

/// Sum in eight lanes, so that additions wait for memory and not for each other.
fn sum(array: &[f64]) -> [f64; 8] {
    let mut lanes = [0.0; 8];
    for chunk in array.chunks_exact(8) {
        (0..8).for_each(|k| lanes[k] += chunk[k]);
    }
    lanes
}

/// Lower triangle of M/h² + w L over the edges of all elements; w is as stiff as inertia, which
/// changes no fill.
fn laplacian(model: &stiction::bodies::Model, mass: &[f64]) -> Result<CscMatrix, Stopped> {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for body in &model.bodies {
        let first = body.nodes.start as u32;
        let pair = |a: u32, b: u32| [first + a.min(b), first + a.max(b)];
        edges.extend(
            body.triangles.iter().flat_map(|t| [pair(t[0], t[1]), pair(t[1], t[2]), pair(t[2], t[0])]),
        );
        let sides = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        edges.extend(body.tets.iter().flat_map(|t| sides.map(|(a, b)| pair(t[a], t[b]))));
    }
    edges.sort_unstable();
    edges.dedup();
    let inertia = mass[0] / STEP.powi(2);
    let mut triplets: Vec<(u32, u32, f64)> =
        mass[..model.nodes].iter().enumerate().map(|(i, m)| (i as u32, i as u32, m / STEP.powi(2))).collect();
    for [a, b] in edges {
        triplets.extend([(a, a, inertia), (b, b, inertia), (b, a, -inertia)]);
    }
    Ok(CscMatrix::from_triplets(model.nodes, &triplets)?)
}
