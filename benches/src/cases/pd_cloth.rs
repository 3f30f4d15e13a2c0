//! Frames of 1/60 s: a cotton sheet of 1 m on a ball of 0.25 m, friction 0.5, and a soft cube on the floor.

use super::pd::{frames, scene};
use crate::record::{Limit, Record};
use crate::registry::{Settings, Stopped};

/// Cells along a side, and the largest time per frame \[ms\].
const SHEETS: [(usize, f64); 3] = [(40, 10.0), (80, 60.0), (160, 350.0)];
/// Largest stretch beyond rest.
const STRETCH: f64 = 0.02;
/// Frames until the sheet hangs on the ball.
const FALL: usize = 30;

/// The sheet at three sizes; the largest with `--full`.
pub fn sheets(case: &'static str, settings: &Settings) -> Result<Vec<Record>, Stopped> {
    let sizes = if settings.full { &SHEETS[..] } else { &SHEETS[..2] };
    sizes.iter().map(|&(cells, limit)| sheet(case, cells, limit)).collect()
}

fn sheet(case: &'static str, cells: usize, limit: f64) -> Result<Record, Stopped> {
    let text = format!(
        r#"
stiction = 1
fps = 60
method = {{ key = "pd", iterations = 20, sweeps = 3, detect_every = 10 }}
[bodies.sheet]
kind = "cloth"
mesh = {{ grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = "alternating" }} }}
translate = [0, 0, 0.27]
material = {{ preset = "cotton", damping_stiffness = 0.002 }}
friction = 0.5
[colliders.ball]
sphere = {{ radius = 0.25 }}
friction = 0.5
"#
    );
    let mut done = frames(scene(&text)?, FALL, 20)?;
    let mut record = done.record(case, &format!("sheet of {cells}²"));
    record.limit(Limit::AtMost(limit));
    done.add_quality(&mut record)?;
    for (name, most) in [("largest_stretch", STRETCH), ("intersections_at_end", 0.0)] {
        if let Some(figure) = record.figures.iter_mut().find(|figure| figure.name == name) {
            figure.limit = Some(Limit::AtMost(most));
        }
    }
    Ok(record)
}

/// A cube of 8³ cells (729 vertices) that falls on the floor.
pub fn cube(case: &'static str, _: &Settings) -> Result<Vec<Record>, Stopped> {
    let text = r#"
stiction = 1
fps = 60
method = { key = "pd", iterations = 20, sweeps = 3, detect_every = 10 }
[bodies.cube]
kind = "solid"
mesh = { tet_box = { size = [0.2, 0.2, 0.2], cells = [8, 8, 8] } }
translate = [0, 0, 0.15]
material = { density = 1000.0, young = 1e5, poisson = 0.3 }
[colliders.floor]
plane = { normal = "z" }
"#;
    let mut done = frames(scene(text)?, 20, 30)?;
    let mut record = done.record(case, "soft cube");
    record.limit(Limit::AtMost(10.0));
    done.add_quality(&mut record)?;
    Ok(vec![record])
}
