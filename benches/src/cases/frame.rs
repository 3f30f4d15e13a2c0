//! Frames of gallery scenes, as a user gets them: the scene's step size, the method's default
//! settings.

use super::steps::add_shares;
use crate::measure::measure;
use crate::record::Record;
use crate::registry::Stopped;
use std::path::Path;
use std::time::Instant;
use stiction::scene::load_text;
use stiction::solvers::StepReport;
use stiction::{Simulation, gallery};

/// No new frame is begun after this wall time \[s\].
const LONGEST: f64 = 15.0;

/// Up to `frames` frames of a scene, from its start.
pub fn run(
    case: &'static str,
    name: &str,
    method: &'static str,
    frames: usize,
) -> Result<Vec<Record>, Stopped> {
    let scene = gallery::find(name).ok_or_else(|| format!("the gallery has no scene `{name}`"))?;
    let change = format!("method.key={method:?}");
    let scene = load_text(&format!("{name}.toml"), scene.text, Path::new("."), &[change])?.scene;
    let mut simulation = Simulation::new(scene)?;
    let mut reports: Vec<StepReport> = Vec::new();
    let (spent, outcome) = measure(0.0, || -> Result<usize, Stopped> {
        let start = Instant::now();
        for frame in 0..frames {
            if start.elapsed().as_secs_f64() > LONGEST {
                return Ok(frame);
            }
            reports.extend(simulation.advance_frame()?);
        }
        Ok(frames)
    });
    let done = outcome?;
    let mut record = Record::new(case, format!("{done} frames, {} threads", rayon::current_num_threads()));
    record.method = Some(method);
    let steps = reports.len();
    let contacts: usize = reports.iter().map(|r| r.contacts).sum();
    record.number("vertices", simulation.model.nodes as f64);
    record.number("contacts", contacts as f64 / steps as f64);
    record.time("ms_per_frame", spent.per(1e-3, done));
    record.time("ms_per_step", spent.per(1e-3, steps));
    let iterations: usize = reports.iter().map(|r| r.iterations).sum();
    record.number("iterations_per_step", iterations as f64 / steps as f64);
    record.number("converged_share", reports.iter().filter(|r| r.converged).count() as f64 / steps as f64);
    add_shares(&mut record, &reports, spent.wall);
    let judgement = simulation.check_intersections()?;
    record.number("intersections_at_end", judgement.intersections() as f64);
    Ok(vec![record])
}
