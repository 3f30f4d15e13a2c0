//! Cost of method `barrier`: assembly per contact, condition numbers, and time per step and memory
//! of ten stacked sheets by size.

use super::barrier_scenes::{describe, gallery_scene, pressed, run, simulation, stack};
use super::steps::add_shares;
use crate::machine::MemoryMark;
use crate::measure::{Spent, core_seconds};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::time::Instant;
use stiction::Simulation;
use stiction::solvers::World;
use stiction::solvers::barrier::{BarrierOptions, BarrierShape, BarrierSolver};

/// Largest wall time of Hessian and forces on two threads \[ns per contact\].
const ASSEMBLY_LIMIT: f64 = 190.0;

/// Largest exponent of cost over vertices.
const GROWTH_LIMIT: f64 = 1.1;

/// Most memory of a vertex and of a contact \[bytes\].
const MEMORY_LIMIT: [f64; 2] = [2048.0, 300.0];

/// Contact Hessians and forces of pressed sheets.
pub fn assembly(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let simulation = simulation(&pressed(40, 10, 5e-4, ""))?;
    let world = World { model: &simulation.model, parameters: &simulation.parameters };
    let mut solver = BarrierSolver::new(BarrierOptions::default(), world)?;
    let rounds = if settings.full { 400 } else { 60 };
    let (mut best, mut core, mut done) = (f64::INFINITY, 0.0, 0);
    let mut round = |work: &mut dyn FnMut()| {
        let (start, core_start) = (Instant::now(), core_seconds());
        work();
        // The first round finds the pattern.
        if done > 0 {
            best = best.min(start.elapsed().as_secs_f64());
            core += core_seconds() - core_start;
        }
        done += 1;
        done <= rounds
    };
    let contacts = solver.time_contact_assembly(world, &simulation.state, 0.005, &mut round)?;
    let mut record = Record::new(case, format!("{} threads", rayon::current_num_threads()));
    record.method = Some("barrier");
    record.number("vertices", simulation.model.nodes as f64).number("contacts", contacts as f64);
    let spent = Spent { wall: best, core: core / f64::from(rounds), threads: rayon::current_num_threads() };
    record.time("ns_per_contact", spent.per(1e-9, contacts));
    record.limit(FigureLimit::AtMost(ASSEMBLY_LIMIT));
    Ok(vec![record])
}

/// Condition numbers of the first system of pressed sheets, by barrier and gap.
pub fn condition(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let cells = if settings.full { 40 } else { 16 };
    let mut records = Vec::new();
    for (barrier, name) in [
        (BarrierShape::Cubic, "cubic"),
        (BarrierShape::Logarithmic, "logarithmic"),
        (BarrierShape::CappedLogarithmic, "capped logarithmic"),
    ] {
        for gap in [5e-4, 1e-4, 1e-5] {
            let simulation = simulation(&pressed(cells, 4, gap, ""))?;
            let world = World { model: &simulation.model, parameters: &simulation.parameters };
            let mut solver =
                BarrierSolver::new(BarrierOptions { barrier, ..BarrierOptions::default() }, world)?;
            let found = solver.first_system_conditions(world, &simulation.state, 0.005)?;
            let mut record = Record::new(case, format!("{name}, gaps of {gap:e} m"));
            record.method = Some("barrier");
            record.number("vertices", simulation.model.nodes as f64);
            record.number("contacts", found.contacts as f64);
            record.number("condition", found.plain);
            record.number("condition_block_jacobi", found.jacobi);
            record.number("condition_two_level", found.two_level);
            records.push(record);
        }
    }
    Ok(records)
}

/// What was resident at most, as a whole and per vertex. The second leaves out what the `process`
/// takes with a scene of a hundred vertices: code, stacks and tables, which do not grow. What
/// contacts may take widens its limit.
fn add_memory(record: &mut Record, [process, peak]: [f64; 2], [vertices, contacts]: [f64; 2]) {
    record.number("megabytes", 1e-6 * peak).number("megabytes_of_process", 1e-6 * process);
    record.number("bytes_per_vertex_with_process", peak / vertices);
    record.number("bytes_per_vertex", (peak - process) / vertices);
    let [of_vertex, of_contact] = MEMORY_LIMIT;
    record.limit(FigureLimit::AtMost(of_vertex + of_contact * contacts / vertices));
}

/// Steps of ten sheets under a ball, from small to large.
pub fn growth(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let sizes: &[usize] = if settings.full { &[44, 88, 172] } else { &[22, 44] };
    let (mut records, mut seen) = (Vec::new(), Vec::new());
    let scene = |cells: usize| stack(cells, 10, "").replace("fps = 100", "fps = 200");
    let mark = MemoryMark::set();
    run(&mut simulation(&scene(2))?, 1);
    let process = mark.and_then(|mark| mark.peak());
    for &cells in sizes {
        let mark = MemoryMark::set();
        let mut simulation = simulation(&scene(cells))?;
        let outcome = run(&mut simulation, 1);
        let mut record = Record::new(case, format!("{cells} cells along a sheet"));
        describe(&mut record, &simulation, &outcome, 1);
        add_shares(&mut record, &outcome.reports, outcome.spent.wall);
        let vertices = simulation.model.nodes as f64;
        if let (Some(process), Some(peak)) = (process, mark.and_then(|mark| mark.peak())) {
            let contacts = outcome.reports.iter().map(|r| r.contacts).max().unwrap_or(0) as f64;
            add_memory(&mut record, [process, peak].map(|bytes| bytes as f64), [vertices, contacts]);
        }
        let iterations: usize = outcome.reports.iter().map(|r| r.iterations).sum();
        seen.push((vertices, outcome.spent.core / iterations.max(1) as f64));
        records.push(record);
    }
    if let [(n0, t0), .., (n1, t1)] = seen[..] {
        let mut record = Record::new(case, "growth of core time per iteration");
        record.number("exponent", (t1 / t0).ln() / (n1 / n0).ln());
        record.limit(FigureLimit::AtMost(GROWTH_LIMIT));
        records.push(record);
    }
    Ok(records)
}

/// Memory of a run where most vertices have several contacts: three steps of pressed sheets
/// (friction has anchors from the second one on), and the gallery's ten sheets under their ball.
pub fn memory(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mark = MemoryMark::set();
    run(&mut simulation(&pressed(2, 2, 5e-4, ""))?, 1);
    let process = mark.and_then(|mark| mark.peak());
    let mark = MemoryMark::set();
    let (name, frames) = if settings.full { ("ten sheets", 6) } else { ("pressed sheets", 3) };
    let mut simulation = match settings.full {
        true => Simulation::new(gallery_scene("ten_sheets", &["size=fine"])?)?,
        false => {
            simulation(&pressed(40, 10, 5e-4, ", refine_iterations = 2").replace("fps = 100", "fps = 200"))?
        }
    };
    let outcome = run(&mut simulation, frames);
    let mut record = Record::new(case, name);
    describe(&mut record, &simulation, &outcome, frames);
    let vertices = simulation.model.nodes as f64;
    let contacts = outcome.reports.iter().map(|r| r.contacts).max().unwrap_or(0) as f64;
    if let (Some(process), Some(peak)) = (process, mark.and_then(|mark| mark.peak())) {
        let [process, peak] = [process, peak].map(|bytes| bytes as f64);
        add_memory(&mut record, [process, peak], [vertices, contacts]);
        let beside = peak - process - MEMORY_LIMIT[0] * vertices;
        record.number("bytes_per_contact_beside_2_kb_per_vertex", beside / contacts.max(1.0));
    }
    Ok(vec![record])
}
