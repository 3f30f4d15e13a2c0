//! How near the kernels of `pd` are to what the machine can do.
//!
//! * *global step*: bytes of factor that the solves of a step read, over their time, against
//!   reading an array from main memory; gathering the right-hand side is part of the time, so the
//!   figure is what a user gets;
//! * *local step*: time per triangle and per tet and iteration, strains and right-hand side
//!   included;
//! * *contact*: time per contact and sweep, loading and storing velocities included.

use super::factor::memory_read;
use super::pd::{MeasuredFrames, frames, gallery_scene, scene};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};

/// Cloth, a block of tets, and layers in contact.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let memory = 1e-9 / memory_read(settings).wall;
    let method =
        "stiction = 1\nfps = 60\nmethod = { key = \"pd\" }\n[bodies.body]\npins = [{ select = \"top\" }]\n";
    let mut out = Vec::new();
    for cells in [40, 100] {
        let cloth = format!(
            "{method}kind = \"cloth\"\nmaterial = \"cotton\"\nself_contact = false\n\
             mesh = {{ grid = {{ size = [1, 1], cells = [{cells}, {cells}], plane = \"xz\", pattern = \"alternating\" }} }}\n"
        );
        let done = frames(scene(&cloth)?, 2, 10)?;
        let triangles = done.simulation.model.bodies[0].triangles.len();
        out.push(elastic(case, &done, "triangle", triangles, memory));
    }
    for cells in [8, 16] {
        let block = format!(
            "{method}kind = \"solid\"\nself_contact = false\n\
             material = {{ density = 1000.0, young = 1e5, poisson = 0.3 }}\n\
             mesh = {{ tet_box = {{ size = [1, 1, 1], cells = [{cells}, {cells}, {cells}] }} }}\n"
        );
        let done = frames(scene(&block)?, 2, 10)?;
        let tets = done.simulation.model.bodies[0].tets.len();
        out.push(elastic(case, &done, "tet", tets, memory));
    }
    if let Some(layers) = gallery_scene("ball_on_layers", &[])? {
        out.push(contact(case, &frames(layers, 10, 5)?));
    }
    Ok(out)
}

fn elastic(case: &'static str, done: &MeasuredFrames, element: &str, count: usize, memory: f64) -> Record {
    let mut record = done.record(case, &format!("{count} {element}s"));
    // The prediction before the iterations projects and solves too.
    let passes = done.iterations() + done.steps();
    let [wall, core] = done.both(|s| s.local_projection).map(|t| 1e9 * t / (passes * count as f64));
    record.both(format!("ns_per_{element}_projection"), wall, core);
    let bytes = done.counter("factor_bytes_per_solve").unwrap_or(f64::NAN);
    record.number("factor_megabytes", 1e-6 * bytes / 2.0);
    let [wall, core] = done.both(|s| s.linear_solve).map(|t| 1e-9 * bytes * passes / t);
    record.both("gb_per_s_factor", wall, core);
    record.number("gb_per_s_memory", memory);
    record
}

fn contact(case: &'static str, done: &MeasuredFrames) -> Record {
    let mut record = done.record(case, "ball_on_layers");
    let sweeps = 5.0;
    let updates: f64 =
        done.reports.iter().map(|r| r.contacts as f64 * (r.iterations + 1) as f64 * sweeps).sum();
    let [wall, core] = done.both(|s| s.contact_projection).map(|t| 1e9 * t / updates);
    record.both("ns_per_contact_update", wall, core);
    record.note =
        Some("contacts at the end of a step; those found within it count from its start".to_owned());
    record
}
