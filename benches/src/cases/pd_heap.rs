//! The fallen heap of the paper's 800 rings: 40 iterations, 5 sweeps, steps of 25 ms.   [Zhu2024,
//! figure 3]
//!
//! To let a million vertices fall would take an hour. Coarse rings fall instead (`size = coarse` of
//! `donut_pile`), so thick that their flat faces lie outside of the round rings that they stand
//! for, and with the final filter, so that none crosses another. Then the paper's rings take their
//! places: every vertex moves with the coarse tet that holds it. A frame lets them settle; the next
//! ones are measured. Without `--full` fewer and coarser rings.

use super::pd::{frames_from, gallery_scene};
use super::pd_donuts::{DOCUMENT, FACTOR, MEMORY};
use crate::machine::MemoryMark;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use stiction::Simulation;
use stiction::numerics::Vec3;
use stiction::scene::resolved::{Scene, WeightedPoint};
use stiction::scene::{Cells, geometry::embed};

/// Frames in which the fine rings settle, and those that are measured.
const SETTLE: usize = 1;
const MEASURED: usize = 2;

/// A heap of 800 rings, or a small one.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (count, around, across) = if settings.full { ([10, 10, 8], 35, 3) } else { ([3, 3, 2], 14, 1) };
    let array = format!("bodies.ring.array.count={count:?}");
    let Some(coarse) = gallery_scene("donut_pile", &["size=coarse", &array])? else { return Ok(Vec::new()) };
    let mesh = format!(
        "bodies.ring.mesh.tet_torus={{ radius = 0.10, tube = 0.045, around = {around}, across = {across} }}"
    );
    let apart = "bodies.ring.array.step=[0.32, 0.32, 0.32]";
    let Some(fine) = gallery_scene("donut_pile", &[&array, &mesh, apart])? else { return Ok(Vec::new()) };
    let carriers = carriers(&coarse, &fine);
    let mark = MemoryMark::set();
    let fall = coarse.frames;
    let mut fallen = Simulation::new(coarse)?;
    for _ in 0..fall {
        fallen.advance_frame()?;
    }
    let crossings = fallen.check_intersections()?.intersections();
    let mut simulation = Simulation::new(fine)?;
    place(&fallen, &mut simulation, &carriers);
    drop((fallen, carriers));
    let mut done = frames_from(simulation, SETTLE, MEASURED, f64::INFINITY)?;
    let number: usize = count.iter().product();
    let mut record = done.record(case, &format!("heap of {number} donuts"));
    if number == 800 {
        record.limit(FigureLimit::AtMost(FACTOR * DOCUMENT));
    }
    if let Some(bytes) = mark.and_then(|mark| mark.peak_growth()) {
        record.number("gigabytes", 1e-9 * bytes as f64);
        record.limit(FigureLimit::AtMost(1e-9 * MEMORY));
    }
    record.number("intersections_of_the_coarse_heap", crossings as f64);
    done.add_quality(&mut record)?;
    Ok(vec![record])
}

/// The coarse tet that holds each vertex of the fine rings, ring by ring, with its place there. A
/// simulation keeps no places of its scene's meshes, so this comes first.
fn carriers(coarse: &Scene, fine: &Scene) -> Vec<Vec<WeightedPoint>> {
    let rings = coarse.bodies.iter().zip(&fine.bodies);
    rings
        .map(|(from, to)| match &from.mesh.cells {
            Cells::Tets(tets) => embed(to.mesh.clone(), &from.mesh.vertices, tets).carriers,
            _ => Vec::new(),
        })
        .collect()
}

/// Puts every fine ring where the coarse one of the same number lies: its vertices go with what
/// carries them.
fn place(fallen: &Simulation, fine: &mut Simulation, carriers: &[Vec<WeightedPoint>]) {
    for (index, carriers) in carriers.iter().enumerate() {
        let (first, coarse) = (fine.model.bodies[index].nodes.start, fallen.model.bodies[index].nodes.start);
        for (k, point) in carriers.iter().enumerate() {
            let at = |field: &[Vec3]| point.terms.iter().map(|&(v, w)| field[coarse + v as usize] * w).sum();
            fine.state.blocks[first + k] = at(&fallen.state.blocks);
            fine.state.velocities[first + k] = at(&fallen.state.velocities);
        }
    }
}
