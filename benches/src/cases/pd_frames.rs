//! Frames of the document's scenes, at its sizes where the gallery has them (`size = seed`).   [Zhu2024, table 1]
//!
//! The first frames are run and not measured, so that the bodies touch: the rods wind for 140 of their 160 frames. The document's times come from a desktop with 24 cores; two and a
//! half times as much is the limit here. `dofs` tells the size.

use super::pd::{frames, gallery_scene};
use crate::record::{Limit, Record};
use crate::registry::{Settings, Stopped};

/// Largest time as a multiple of the document's.
const FACTOR: f64 = 2.5;

/// Frames that are measured; with `--full` more of them.
const MEASURED: [usize; 2] = [10, 40];

/// Scene, changes that bring it to the document's size, frames to skip, its time there \[ms\].
const SCENES: [(&str, &[&str], usize, f64); 8] = [
    ("ball_on_layers", &["size=seed"], 20, 33.01),
    ("layers_20", &["size=seed"], 20, 76.08),
    ("masonry_arch", &[], 10, 17.03),
    ("dancing", &["size=seed"], 10, 208.32),
    ("twisting_rods", &[], 140, 26.9),
    ("ball_on_torus", &[], 20, 45.54),
    ("card_house_fine", &[], 10, 23.77),
    ("sphere_drape", &["size=seed"], 5, 557.7),
];

/// One record per scene that the gallery has.
pub fn run(case: &'static str, settings: &Settings) -> Result<Vec<Record>, Stopped> {
    let mut records = Vec::new();
    for (name, changes, skip, there) in SCENES {
        let Some(scene) = gallery_scene(name, changes)? else { continue };
        let mut done = frames(scene, skip, MEASURED[usize::from(settings.full)])?;
        let mut record = done.record(case, name);
        record.limit(Limit::AtMost(FACTOR * there));
        record.number("ms_in_the_document", there);
        done.add_quality(&mut record)?;
        records.push(record);
    }
    Ok(records)
}
