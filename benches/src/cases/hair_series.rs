//! Hair on a ball in growing numbers: seconds per frame of 1/24 s, contacts, memory, and how the
//! cost grows with nodes + contacts.
//! [Daviet2020, section 7.2 and table 2: 16k rods took 84 s per frame on 8 cores and 7.7 GB]

use super::steps::add_shares;
use crate::machine::MemoryMark;
use crate::measure::{Spent, measure};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::path::Path;
use stiction::scene::{Scene, load_text};
use stiction::solvers::StepReport;
use stiction::{Simulation, gallery};

/// Numbers of rods of 30 segments.
const SHORT: [usize; 3] = [1000, 2000, 4000];
const FULL: [usize; 5] = [1000, 2000, 4000, 8000, 16_000];
/// Frames before the measurement, so that the hair touches, and frames measured.
const WARM_FRAMES: usize = 1;
const FRAMES: usize = 2;
/// Most seconds per frame of the largest ball.
const SECONDS_LIMIT: f64 = 84.0;
/// Most memory of the largest ball \[bytes\].
const MEMORY_LIMIT: f64 = 8e9;
/// Largest exponent of core time in nodes + contacts.
const GROWTH_LIMIT: f64 = 1.1;

/// A record per size, then one of the growth.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let sizes: &[usize] = if settings.full { &FULL } else { &SHORT };
    let mut records = Vec::new();
    let mut points = Vec::new();
    for &rods in sizes {
        let (record, point) = ball(case, rods)?;
        records.push(record);
        points.push(point);
    }
    let mut growth = Record::new(case, format!("{} to {} rods", sizes[0], sizes[sizes.len() - 1]));
    growth.method = Some("admm");
    growth.number("growth_exponent", slope(&points)).limit(FigureLimit::AtMost(GROWTH_LIMIT));
    records.push(growth);
    Ok(records)
}

/// The scene `hairy_ball` with changes.
pub fn hairy_ball(rods: usize, changes: &[&str]) -> Result<Scene, Stopped> {
    let scene = gallery::find("hairy_ball").ok_or("the gallery has no scene `hairy_ball`")?;
    let mut all = vec![format!("bodies.hair.mesh.groom.count={rods}")];
    all.extend(changes.iter().map(|change| (*change).to_owned()));
    Ok(load_text("hairy_ball.toml", scene.text, Path::new("."), &all)?.scene)
}

/// Measures one size; also returns (nodes + contacts, core seconds per frame).
fn ball(case: &'static str, rods: usize) -> Result<(Record, (f64, f64)), Stopped> {
    let mark = MemoryMark::set();
    let mut simulation = Simulation::new(hairy_ball(rods, &[])?)?;
    for _ in 0..WARM_FRAMES {
        simulation.advance_frame()?;
    }
    let mut reports: Vec<StepReport> = Vec::new();
    let (spent, outcome) = measure(0.0, || -> Result<(), Stopped> {
        for _ in 0..FRAMES {
            reports.extend(simulation.advance_frame()?);
        }
        Ok(())
    });
    outcome?;
    let (judged, judgement) = measure(0.0, || simulation.check_intersections());
    let judgement = judgement?;
    let steps = reports.len() as f64;
    let contacts = reports.iter().map(|r| r.contacts as f64).sum::<f64>() / steps;
    let nodes = simulation.model.nodes as f64;
    let frame: Spent = spent.per(1.0, FRAMES);
    let largest = rods == FULL[FULL.len() - 1];
    let mut record = Record::new(case, format!("{rods} rods, {} threads", rayon::current_num_threads()));
    record.method = Some("admm");
    record.number("vertices", nodes).number("contacts", contacts);
    record.time("s_per_frame", frame);
    if largest {
        record.limit(FigureLimit::AtMost(SECONDS_LIMIT));
    }
    record.time("ms_per_frame", spent.per(1e-3, FRAMES));
    let iterations: usize = reports.iter().map(|r| r.iterations).sum();
    record.number("iterations_per_step", iterations as f64 / steps);
    record.number("converged_share", reports.iter().filter(|r| r.converged).count() as f64 / steps);
    add_shares(&mut record, &reports, spent.wall);
    record.time("ms_judge", judged.per(1e-3, 1));
    record.number("intersections_at_end", judgement.intersections() as f64);
    if let Some(peak) = mark.and_then(|mark| mark.peak_growth()) {
        record.number("peak_bytes", peak as f64);
        if largest {
            record.limit(FigureLimit::AtMost(MEMORY_LIMIT));
        }
    }
    Ok((record, (nodes + contacts, frame.core)))
}

/// Slope of the best line through (ln x, ln y).
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let product: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    product / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_slope_of_a_power_is_its_exponent() {
        let points: Vec<(f64, f64)> = [1.0, 3.0, 10.0].map(|x: f64| (x, 4.0 * x.powf(1.3))).to_vec();
        assert!((super::slope(&points) - 1.3).abs() < 1e-12);
    }
}
