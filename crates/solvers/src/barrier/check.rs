//! The explicit test: nothing crosses, nothing is closer than it is thick.

use super::contacts::{Configuration, Detector, surface_positions};
use super::strain_limits::StrainLimits;
use crate::solver::{StepError, World};
use crate::violations::{Meeting, Violation};
use stiction_collision::ProximityPair;
use stiction_collision::intersection::crossings;
use stiction_numerics::Vec3;

/// The smallest gap of all pairs and walls \[m\], infinite when nothing is near; and all that
/// crosses, is closer than its thickness, is in a wall or is stretched too far.
pub(super) fn inspect(
    detector: &mut Detector,
    limits: &StrainLimits,
    world: World<'_>,
    configuration: &Configuration<'_>,
) -> Result<(f64, Vec<Violation>), StepError> {
    let World { model, parameters } = world;
    let x = surface_positions(model, configuration);
    let intersection = |objects: [u32; 2], meeting: Meeting, place: Vec3, depth: f64| {
        let objects = objects.map(|o| model.surfaces.objects[o as usize].name.clone());
        Violation::Intersection { objects, meeting, place, depth }
    };
    let mut found: Vec<Violation> = crossings(&mut detector.phase, &detector.mesh, &x)?
        .iter()
        .map(|c| {
            let meeting = Meeting::Crossing { edge: c.edge, triangle: c.triangle };
            intersection(c.bodies, meeting, c.place, c.depth)
        })
        .collect();
    let mut smallest = f64::INFINITY;
    let overlap = |p: &ProximityPair| {
        let [first, second] = ends(p);
        let objects = [first, second].map(|v| model.surfaces.object_of_vertex[v]);
        intersection(objects, Meeting::Overlap { kind: p.kind, features: p.features }, x[first], -p.gap)
    };
    detector.visit_pairs(&x, |pairs| {
        smallest = pairs.iter().map(|p| p.gap).fold(smallest, f64::min);
        found.extend(pairs.iter().filter(|p| p.gap <= 0.0).map(overlap));
    })?;
    for wall in detector.walls.iter().map(|wall| wall.moving(&parameters.controls)) {
        let reach = detector.widest.max(model.surfaces.objects[wall.shape.object as usize].contact_gap);
        let (gap, vertex) = wall.smallest_gap(model, &detector.mesh, &x, configuration.time, reach);
        if gap <= 0.0 {
            let objects = [model.surfaces.object_of_vertex[vertex as usize], wall.shape.object];
            found.push(intersection(objects, Meeting::Wall { vertex }, x[vertex as usize], -gap));
        }
        smallest = smallest.min(gap);
    }
    found.extend(limits.exceeded(model, &configuration.blocks));
    Ok((smallest, found))
}

/// What was found at the end of a step, as an error.
pub(super) fn refuse(found: Vec<Violation>) -> Result<(), StepError> {
    match found.iter().any(Violation::is_intersection) {
        true => Err(StepError::Crossing { found }),
        false if found.is_empty() => Ok(()),
        false => Err(StepError::StrainLimit { found }),
    }
}

/// A vertex of the first feature of a pair and one of the second.
fn ends(pair: &ProximityPair) -> [usize; 2] {
    [1.0, -1.0].map(|side| {
        let place = pair.weights.iter().position(|w| w * side > 0.0).unwrap_or(0);
        pair.vertices[place] as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_broke_is_told_apart() {
        let strain =
            Violation::Strain { body: "a".to_owned(), nodes: [0; 3], place: Vec3::zeros(), excess: 0.1 };
        let crossing = Violation::Intersection {
            objects: ["a".to_owned(), "b".to_owned()],
            meeting: Meeting::Crossing { edge: 1, triangle: 2 },
            place: Vec3::zeros(),
            depth: 1e-3,
        };
        assert_eq!(refuse(Vec::new()), Ok(()));
        let limits = refuse(vec![strain.clone()]).expect_err("a limit is broken");
        assert!(matches!(limits, StepError::StrainLimit { .. }) && limits.to_string().contains("`a`"));
        let both = refuse(vec![crossing, strain]).expect_err("they cross");
        assert!(matches!(&both, StepError::Crossing { found } if found.len() == 2), "{both}");
        assert!(
            both.to_string().contains("`a` and `b`") && both.to_string().contains("smaller step"),
            "{both}"
        );
    }
}
