//! Convergence of `pd`: the contact weight, and the residuals iteration by iteration.   [Zhu2024,
//! figures 1 and 9]

use super::pd::{LONGEST, frames, gallery_scene};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::time::Instant;
use stiction::Simulation;

/// Contact weights of the sweep \[N/m\].
const WEIGHTS: [f64; 5] = [0.8, 8.0, 80.0, 800.0, 8e3];

/// The paper's ball on layers, with coarser sheets: six variants have to fit into minutes.
const COARSE: [&str; 12] = [
    "step=0.0333333333333334",
    "method.iterations=25",
    "method.sweeps=2",
    "method.detect_every=10",
    "method.profile=true",
    "bodies.held.mesh.grid.cells=[8, 8]",
    "bodies.sheet.mesh.grid.cells=[8, 8]",
    "bodies.sheet.pins=[]",
    "bodies.held.friction=0.8",
    "bodies.sheet.friction=0.8",
    "bodies.ball.friction=0.8",
    "bodies.ball.mesh.tet_sphere.cells=3",
];

/// A ball on ten layers under contact weights from weak to strong, and under the heuristic ones. A
/// variant that explodes is told.
pub fn weights(case: &'static str, _: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut records = Vec::new();
    let sweep = WEIGHTS.map(|w| (format!("W_c = {w} N/m"), Some(format!("method.contact_weight={w:?}"))));
    for (name, change) in sweep.into_iter().chain([("heuristic W_c".to_owned(), None)]) {
        let changes: Vec<&str> = COARSE.into_iter().chain(change.as_deref()).collect();
        let Some(scene) = gallery_scene("ball_on_layers", &changes)? else { return Ok(records) };
        let mut done = match frames(scene, 16, 8) {
            Ok(done) => done,
            Err(stopped) => {
                let mut record = Record::new(case, name);
                record.note = Some(stopped.to_string());
                records.push(record);
                continue;
            }
        };
        let mut record = done.record(case, &name);
        for key in ["combined", "delta_m", "primal", "dual_n"] {
            record.number(key, done.counter(key).unwrap_or(f64::NAN));
        }
        done.add_quality(&mut record)?;
        records.push(record);
    }
    Ok(records)
}

/// Residuals of one step at frame 80 (or where the time ends): ball on layers and twisting rods at
/// the paper's settings.
pub fn profiles(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let frame = if settings.full { 80 } else { 20 };
    let mut records = Vec::new();
    for name in ["ball_on_layers", "twisting_rods"] {
        let size: &[&str] = if name == "ball_on_layers" { &["size=paper"] } else { &[] };
        let changes = [size, &["method.profile=true"]].concat();
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
