//! The explicit test: nothing crosses, nothing is closer than it is thick.

use super::contacts::{Configuration, Detector, surface_positions};
use super::line_search::{name_limit, name_objects};
use super::strain_limits::StrainLimits;
use crate::solver::StepError;
use stiction_bodies::Model;
use stiction_collision::ProximityPair;
use stiction_collision::intersection::crossings;
use stiction_numerics::Vec3;

/// How many findings an error lists.
const LISTED: usize = 5;

/// The smallest gap of all pairs and walls \[m\], infinite when nothing is near; or an error that lists what crosses, what is closer than
/// its thickness, what is in a wall and what is stretched too far.
pub(super) fn refuse_intersections(
    detector: &mut Detector,
    limits: &StrainLimits,
    model: &Model,
    configuration: &Configuration<'_>,
    when: &str,
) -> Result<f64, StepError> {
    let x = surface_positions(model, configuration);
    let mut found: Vec<String> = crossings(&mut detector.phase, &detector.mesh, &x)?
        .iter()
        .map(|c| format!("{} cross by {:.1e} m", name_objects(model, c.bodies, &c.place), c.depth))
        .collect();
    let pairs = detector.pairs(&x)?;
    let mut smallest = pairs.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let near = pairs.iter().filter(|p| p.gap <= 0.0);
    found.extend(near.map(|p| format!("{} are {:.1e} m closer than thick", name_pair(model, p, &x), -p.gap)));
    for wall in &detector.walls {
        let reach = detector.widest.max(model.surfaces.objects[wall.shape.object as usize].contact_gap);
        let (gap, vertex) = wall.smallest_gap(model, &detector.mesh, &x, configuration.time, reach);
        if gap <= 0.0 {
            let objects = [model.surfaces.object_of_vertex[vertex as usize], wall.shape.object];
            let place = &x[vertex as usize];
            found.push(format!("{} overlap by {:.1e} m", name_objects(model, objects, place), -gap));
        }
        smallest = smallest.min(gap);
    }
    if let Some((excess, node)) = limits.excess(&configuration.blocks).filter(|(excess, _)| *excess >= 0.0) {
        found.push(format!("{} exceeded by {excess:.1e}", name_limit(model, node, &configuration.blocks)));
    }
    if found.is_empty() {
        return Ok(smallest);
    }
    let listed = found.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
    Err(StepError::Contact {
        reason: format!("{} intersections or broken limits {when}: {listed}", found.len()),
    })
}

fn name_pair(model: &Model, pair: &ProximityPair, x: &[Vec3]) -> String {
    let vertex = |side: f64| {
        let place = pair.weights.iter().position(|w| w * side > 0.0).unwrap_or(0);
        pair.vertices[place] as usize
    };
    let objects = [vertex(1.0), vertex(-1.0)].map(|v| model.surfaces.object_of_vertex[v]);
    name_objects(model, objects, &x[vertex(1.0)])
}
