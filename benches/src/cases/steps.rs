//! Steps of pinned cloth by `newton`: a cotton sheet of 1 m, held at two corners, in its first
//! swing; steps of 1/60 s, no contact.
//!
//! The sheet starts level, so that every step bends it anew. Memory is the growth of the process
//! from before the scene was built to its peak. `bytes_per_vertex_beside_factors` takes away the
//! factor; its workspace and the matrix remain in it.

use crate::machine::MemoryMark;
use crate::measure::{measure, measure_serial};
use crate::record::{FigureLimit, Record};
use crate::registry::Stopped;
use std::path::Path;
use stiction::Simulation;
use stiction::energy::Elasticity;
use stiction::scene::load_text;
use stiction::solvers::{StepReport, StepSeconds};
use stiction_factor::SparseCholesky;

/// Largest memory beside the factors \[bytes per vertex\].
const LIMIT: f64 = 1024.0;

/// Steps of a sheet of `cells²` squares.
pub fn run(case: &'static str, cells: usize, steps: usize) -> Result<Vec<Record>, Stopped> {
    let text = format!(
        r#"
stiction = 1
fps = 60
step = 0.0166666666666667
[method]
key = "newton"
[bodies.sheet]
kind = "cloth"
mesh = {{ grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = "alternating" }} }}
material = {{ preset = "cotton", damping_stiffness = 0.002 }}
[[bodies.sheet.pins]]
select = {{ any_of = ["top_left", "top_right"] }}
"#
    );
    let scene = load_text("bench.toml", &text, Path::new("."), &[] as &[&str])?.scene;
    let mark = MemoryMark::set();
    let (setup, simulation) = measure_serial(0.0, || Simulation::new(scene.clone()));
    let mut simulation = simulation?;
    let mut record = Record::new(case, format!("{steps} steps, {} threads", rayon::current_num_threads()));
    record.method = Some("newton");
    let vertices = simulation.model.nodes;
    record.number("vertices", vertices as f64).number("dofs", simulation.model.dofs() as f64);
    record.time("ms_setup", setup.per(1e-3, 1));
    if let Some(built) = mark.as_ref().and_then(MemoryMark::peak_growth) {
        record.number("bytes_per_vertex_setup", built as f64 / vertices as f64);
    }
    let mut reports: Vec<StepReport> = Vec::new();
    let (spent, outcome) = measure(0.0, || -> Result<(), Stopped> {
        for _ in 0..steps {
            reports.push(simulation.step()?);
        }
        Ok(())
    });
    outcome?;
    let peak = mark.and_then(|mark| mark.peak_growth());
    let each = spent.per(1.0, steps);
    record.both("steps_per_second", 1.0 / each.wall, 1.0 / each.core);
    record.time("ms_per_step", spent.per(1e-3, steps));
    let iterations: usize = reports.iter().map(|report| report.iterations).sum();
    record.number("newton_iterations", iterations as f64);
    record.time("ms_per_iteration", spent.per(1e-3, iterations));
    record.number("converged_steps", reports.iter().filter(|report| report.converged).count() as f64);
    add_shares(&mut record, &reports, spent.wall);
    if let Some(peak) = peak {
        let factor = factor_bytes(&simulation)?;
        let per_vertex = |bytes: f64| bytes / vertices as f64;
        record.number("bytes_per_vertex", per_vertex(peak as f64));
        record.number("factor_bytes_per_vertex", per_vertex(factor as f64));
        record.number("bytes_per_vertex_beside_factors", per_vertex(peak as f64 - factor as f64));
        record.limit(FigureLimit::AtMost(LIMIT));
    }
    Ok(vec![record])
}

/// Fractions of wall time by kind of work.
pub fn add_shares(record: &mut Record, reports: &[StepReport], wall: f64) {
    let share = |of: fn(&StepSeconds) -> f64| reports.iter().map(|r| of(&r.seconds)).sum::<f64>() / wall;
    let shares = [
        ("share_detection", share(|s| s.detection)),
        ("share_assembly", share(|s| s.assembly)),
        ("share_linear_solve", share(|s| s.linear_solve)),
        ("share_contact_projection", share(|s| s.contact_projection)),
        ("share_local_projection", share(|s| s.local_projection)),
        ("share_line_search", share(|s| s.line_search)),
    ];
    for (name, share) in shares.into_iter().filter(|(_, share)| *share > 0.0) {
        record.number(name, share);
    }
}

/// Size of a factor like the one that the steps used.
fn factor_bytes(simulation: &Simulation) -> Result<usize, Stopped> {
    let elasticity = Elasticity::new(&simulation.model, &simulation.parameters)?;
    Ok(SparseCholesky::analyse(elasticity.pattern(), simulation.model.nodes)?.factor_bytes())
}
