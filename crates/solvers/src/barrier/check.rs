//! The explicit test: nothing crosses, nothing is closer than it is thick.

use super::contacts::{Configuration, Detector, surface_positions};
use super::line_search::{name_limit, name_objects};
use super::strain_limits::StrainLimits;
use crate::solver::StepError;
use stiction_bodies::Model;
use stiction_collision::intersection::{crossings, overlaps};
use stiction_collision::narrow_phase::narrow_phase;

/// How many findings an error lists.
const LISTED: usize = 5;

/// An error that lists what crosses, what is closer than its thickness, what is in a wall and what is stretched too far.
pub(super) fn refuse_intersections(
    detector: &mut Detector,
    limits: &StrainLimits,
    model: &Model,
    configuration: &Configuration,
    when: &str,
) -> Result<(), StepError> {
    let x = surface_positions(model, configuration);
    let mut found: Vec<String> = crossings(&mut detector.phase, &detector.mesh, &x)?
        .iter()
        .map(|c| format!("{} cross by {:.1e} m", name_objects(model, c.bodies, &c.place), c.depth))
        .collect();
    let near = overlaps(&mut detector.phase, &detector.mesh, &x)?;
    found.extend(near.iter().map(|o| {
        format!("{} are {:.1e} m closer than thick", name_objects(model, o.bodies, &o.place), o.depth)
    }));
    for wall in &detector.walls {
        let (gap, vertex) = wall.smallest_gap(model, &detector.mesh, &x, configuration.time, 0.0);
        if gap <= 0.0 {
            let objects = [model.surfaces.object_of_vertex[vertex as usize], wall.shape.object];
            let place = &x[vertex as usize];
            found.push(format!("{} overlap by {:.1e} m", name_objects(model, objects, place), -gap));
        }
    }
    if let Some((excess, node)) = limits.excess(&configuration.blocks).filter(|(excess, _)| *excess >= 0.0) {
        found.push(format!("{} exceeded by {excess:.1e}", name_limit(model, node, &configuration.blocks)));
    }
    if found.is_empty() {
        return Ok(());
    }
    let listed = found.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
    Err(StepError::Contact {
        reason: format!("{} intersections or broken limits {when}: {listed}", found.len()),
    })
}

/// The smallest gap of all pairs and walls \[m\]; infinite when nothing is near.
pub(super) fn smallest_gap(
    detector: &mut Detector,
    model: &Model,
    configuration: &Configuration,
) -> Result<f64, StepError> {
    let x = surface_positions(model, configuration);
    let limit = model.surfaces.objects.iter().map(|o| o.contact_gap).fold(0.0, f64::max);
    let candidates = detector.phase.proximity_candidates(&detector.mesh, &x, limit)?;
    let pairs = narrow_phase(&detector.mesh, &candidates, &x, limit);
    let gap = pairs.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let walls = detector.walls.iter();
    Ok(walls.fold(gap, |gap, wall| {
        gap.min(wall.smallest_gap(model, &detector.mesh, &x, configuration.time, limit).0)
    }))
}
