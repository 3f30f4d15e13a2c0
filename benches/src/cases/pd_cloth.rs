//! Frames of 1/60 s: a cotton sheet of 1 m on a ball of 0.25 m, friction 0.5, and a soft cube on
//! the floor.
//!
//! Cotton alone stretches by 3.3 % there when the steps are converged (40², 400 iterations), so the
//! sheet has a strain limit of 1 %. The figure to keep is elongation, averaged over the triangles
//! of a node; `largest_stretch` beside it also counts compression across folds.
//!
//! Options: a weight of K/2 holds a triangle in its direction, so that a sheet that has to buckle
//! before it can fall is braked; a fifth of K falls nearly as fast as converged steps do. Contacts
//! are looked for at the start of a step and once more when it ends (`detect_every` is beyond the
//! iterations).

use super::pd::{MeasuredFrames, frames, scene};
use crate::measure::measure;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use stiction::Simulation;
use stiction::scene::Scene;

/// Cells along a side, and the largest time per frame \[ms\].
const SHEETS: [(usize, f64); 3] = [(40, 10.0), (80, 60.0), (160, 350.0)];
/// Largest stretch beyond rest.
const STRETCH: f64 = 0.02;
/// Frames until the sheet hangs on the ball, and frames that are measured. Crossings are judged in
/// each frame of both, elongation in each of the latter: it swings, and looks well at some moments.
const FALL: usize = 30;
const HANGING: usize = 20;

/// The sheet at three sizes; the largest with `--full`.
pub fn sheets(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let sizes = if settings.full { &SHEETS[..] } else { &SHEETS[..2] };
    sizes.iter().map(|&(cells, limit)| sheet(case, cells, limit)).collect()
}

fn sheet(case: &'static str, cells: usize, limit: f64) -> Result<Record, Stopped> {
    let text = format!(
        r#"
stiction = 1
fps = 60
method = {{ key = "pd", iterations = 16, sweeps = 3, detect_every = 20, elastic_weight = 0.2, beta = 12.0, final_passes = 2 }}
[bodies.sheet]
kind = "cloth"
mesh = {{ grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = "alternating" }} }}
translate = [0, 0, 0.27]
material = {{ preset = "cotton", damping_stiffness = 0.002, strain_limit = 0.01 }}
friction = 0.5
[colliders.ball]
sphere = {{ radius = 0.25 }}
friction = 0.5
"#
    );
    let (mut done, [elongation, crossings]) = judged(scene(&text)?)?;
    let mut record = done.record(case, &format!("sheet of {cells}²"));
    record.limit(FigureLimit::AtMost(limit));
    done.add_quality(&mut record)?;
    for (name, value, most) in
        [("largest_elongation", elongation, STRETCH), ("intersections_at_any_frame", crossings, 0.0)]
    {
        record.number(name, value).limit(FigureLimit::AtMost(most));
    }
    Ok(record)
}

/// The measured frames, and the worst that was seen: elongation while the sheet hangs, and
/// crossings in any frame. States are judged afterwards, outside of the time.
fn judged(scene: Scene) -> Result<(MeasuredFrames, [f64; 2]), Stopped> {
    let mut simulation = Simulation::new(scene)?;
    let (mut falling, mut hanging, mut reports) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..FALL {
        simulation.advance_frame()?;
        falling.push(simulation.state.blocks.clone());
    }
    let (spent, outcome) = measure(0.0, || -> Result<(), Stopped> {
        for _ in 0..HANGING {
            reports.extend(simulation.advance_frame()?);
            hanging.push(simulation.state.blocks.clone());
        }
        Ok(())
    });
    outcome?;
    let (mut longest, mut crossings) = (0.0f64, 0);
    for blocks in falling {
        simulation.state.blocks = blocks;
        crossings = crossings.max(simulation.check_intersections()?.intersections());
    }
    for blocks in hanging {
        simulation.state.blocks = blocks;
        longest = longest.max(elongation(&simulation));
        crossings = crossings.max(simulation.check_intersections()?.intersections());
    }
    Ok((MeasuredFrames { simulation, reports, spent, count: HANGING }, [longest, crossings as f64]))
}

/// Largest principal stretch beyond rest, averaged over the triangles of each node. With G = F from
/// orthonormal axes of the rest triangle, σ₁² is the larger eigenvalue of GᵀG.
fn elongation(simulation: &Simulation) -> f64 {
    let (model, x) = (&simulation.model, &simulation.state.blocks);
    let mut sums = vec![(0.0, 0.0); model.nodes];
    for corners in &model.bodies[0].triangles {
        let [a, b, c] = corners.map(|n| n as usize);
        let (e1, e2) = (model.rest[b] - model.rest[a], model.rest[c] - model.rest[a]);
        let axis = e1.normalize();
        let (along, across) = (e2.dot(&axis), e2.cross(&axis).norm());
        let first = (x[b] - x[a]) / e1.norm();
        let second = (x[c] - x[a] - first * along) / across;
        let (p, q, r) = (first.norm_squared(), second.norm_squared(), first.dot(&second));
        let largest = 0.5 * (p + q) + (0.25 * (p - q) * (p - q) + r * r).sqrt();
        for n in [a, b, c] {
            sums[n] = (sums[n].0 + largest.sqrt() - 1.0, sums[n].1 + 1.0);
        }
    }
    sums.iter().map(|(sum, count)| sum / count).fold(0.0, f64::max)
}

/// A cube of 8³ cells (729 vertices) that falls on the floor.
pub fn cube(case: &'static str, _: &BenchSettings) -> Result<Vec<Record>, Stopped> {
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
    record.limit(FigureLimit::AtMost(10.0));
    done.add_quality(&mut record)?;
    Ok(vec![record])
}
