//! Frames of the paper's scenes, a case for each, at its sizes where the gallery has them
//! (`size = seed`).   [Zhu2024, table 1]
//!
//! The first frames are run and not measured, so that the bodies touch: the rods wind for 140 of
//! their 160 frames. The paper's times come from a desktop with 24 cores; two and a half times as
//! much is the limit here. `dofs` tells the size.

use super::pd::{frames, gallery_scene};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};

/// Largest time as a multiple of the paper's.
const FACTOR: f64 = 2.5;

/// Frames that are measured; with `--full` more of them.
const MEASURED: [usize; 2] = [10, 40];

/// A scene of the paper.
struct Row {
    name: &'static str,
    /// What brings it to the paper's size.
    changes: &'static [&'static str],
    /// Frames to skip.
    skip: usize,
    /// Its time in the paper \[ms\].
    there: f64,
}

macro_rules! rows {
    ($($run:ident: $name:literal, $changes:expr, $skip:literal, $there:literal;)*) => {
        $(
            #[doc = concat!("Frames of `", $name, "`; nothing when the gallery lacks it.")]
            pub fn $run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
                run(case, settings, &Row { name: $name, changes: $changes, skip: $skip, there: $there })
            }
        )*
    };
}

rows! {
    layers_10: "ball_on_layers", &["size=paper"], 20, 33.01;
    layers_20: "layers_20", &[], 20, 76.08;
    arch: "masonry_arch", &[], 10, 17.03;
    dancing: "dancing", &["size=paper"], 10, 208.32;
    rods: "twisting_rods", &[], 140, 26.9;
    torus: "ball_on_torus", &[], 20, 45.54;
    cards: "card_house_fine", &[], 10, 23.77;
    drape: "sphere_drape", &["size=paper"], 5, 557.7;
}

fn run(case: &'static str, settings: &BenchSettings, row: &Row) -> Result<Vec<Record>, Stopped> {
    let Some(scene) = gallery_scene(row.name, row.changes)? else { return Ok(Vec::new()) };
    let mut done = frames(scene, row.skip, MEASURED[usize::from(settings.full)])?;
    let mut record = done.record(case, row.name);
    record.limit(FigureLimit::AtMost(FACTOR * row.there));
    record.number("ms_in_the_document", row.there);
    done.add_quality(&mut record)?;
    Ok(vec![record])
}
