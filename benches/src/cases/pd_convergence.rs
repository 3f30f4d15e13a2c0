//! Convergence of `pd`: the contact weight, and the residuals iteration by iteration.   [Zhu2024, figures 1 and 9]

use super::pd::{LONGEST, frames, gallery_scene};
use crate::record::Record;
use crate::registry::{Settings, Stopped};
use std::time::Instant;
use stiction::Simulation;

/// Contact weights of the sweep \[N/m\].
const WEIGHTS: [f64; 6] = [0.8, 8.0, 80.0, 800.0, 8e3, 8e4];

/// A ball on ten layers under contact weights from weak to strong, and under the heuristic ones.
pub fn weights(case: &'static str, _: &Settings) -> Result<Vec<Record>, Stopped> {
    let mut records = Vec::new();
    let sweep = WEIGHTS.map(|w| (format!("W_c = {w} N/m"), vec![format!("method.contact_weight={w:?}")]));
    let heuristic = ("heuristic W_c".to_owned(), Vec::new());
    for (name, changes) in sweep.into_iter().chain([heuristic]) {
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let Some(scene) = gallery_scene("ball_on_layers", &changes)? else { return Ok(records) };
        let mut done = frames(scene, 14, 4)?;
        let mut record = done.record(case, &name);
        for key in ["combined", "delta_m", "primal", "dual_n"] {
            record.number(key, done.counter(key).unwrap_or(f64::NAN));
        }
        done.add_quality(&mut record)?;
        records.push(record);
    }
    Ok(records)
}

/// Residuals of one step at frame 80 over 100 iterations (or where the time ends): ball on layers and twisting rods.
pub fn profiles(case: &'static str, settings: &Settings) -> Result<Vec<Record>, Stopped> {
    let frame = if settings.full { 80 } else { 20 };
    let mut records = Vec::new();
    for name in ["ball_on_layers", "twisting_rods"] {
        let changes = ["method.iterations=20", "method.profile=true"];
        let Some(scene) = gallery_scene(name, &changes)? else { continue };
        let mut simulation = Simulation::new(scene)?;
        let start = Instant::now();
        let mut reached = 0;
        while reached < frame && (settings.full || start.elapsed().as_secs_f64() < LONGEST) {
            simulation.advance_frame()?;
            reached += 1;
        }
        let report = simulation.step()?;
        let mut record = Record::new(case, format!("{name}, frame {reached}"));
        record.method = Some("pd");
        for iteration in [1, 2, 5, 10, 15, 20] {
            for kind in ["primal", "dual", "combined"] {
                let key = format!("{kind}_{iteration:03}");
                let found = report.counters.iter().find(|(name, _)| *name == key);
                record.number(key.clone(), found.map_or(f64::NAN, |(_, value)| *value));
            }
        }
        records.push(record);
    }
    Ok(records)
}
