//! How far a direction may be followed: constraints alone, no energy.   [Ando2024, section 3.2.4]
//!
//! The way looked at is 1.25 times the direction, so that nothing settles right at a constraint. Continuous detection keeps every
//! pair of features, and every feature and analytic collider, apart by their thicknesses and a share of their present gap.

use super::contacts::{Configuration, Detector, surface_positions};
use super::options::BarrierOptions;
use super::strain_limits::StrainLimits;
use super::walls::WallMotion;
use crate::solver::StepError;
use stiction_bodies::Model;
use stiction_collision::ccd::AdvanceOptions;
use stiction_collision::motion::{Motion, earliest_impact};
use stiction_numerics::Vec3;

/// The share of a direction that may be taken, and what limits it.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    /// α in \[0, 1\].
    pub alpha: f64,
    /// Which objects meet, where.
    pub culprit: Option<String>,
}

/// `now + share · direction`.
pub(super) fn moved(now: &Configuration, direction: &Configuration, share: f64) -> Configuration {
    let along = |x: &[Vec3], d: &[Vec3]| x.iter().zip(d).map(|(x, d)| x + d * share).collect();
    Configuration {
        blocks: along(&now.blocks, &direction.blocks),
        kinematic: along(&now.kinematic, &direction.kinematic),
        time: now.time + direction.time * share,
    }
}

/// The largest safe share of a direction.
pub(super) fn constraint_line_search(
    options: &BarrierOptions,
    detector: &mut Detector,
    limits: &StrainLimits,
    model: &Model,
    now: &Configuration,
    direction: &Configuration,
) -> Result<Limit, StepError> {
    let end = moved(now, direction, options.extension);
    let (from, to) = (surface_positions(model, now), surface_positions(model, &end));
    let candidates = detector.phase.swept_candidates(&detector.mesh, &from, &to, 0.0)?;
    let advance = AdvanceOptions { slack: options.slack, ..AdvanceOptions::default() };
    let motion = Motion { start: &from, end: &to };
    let impact = earliest_impact(&detector.mesh, &candidates, &motion, &advance);
    let mut limit = Limit { alpha: impact.time, culprit: None };
    if let Some((is_triangle, pair)) = impact.pair {
        limit.culprit = Some(name_pair(model, detector, is_triangle, pair, &from));
    }
    let walls = WallMotion { start: &from, end: &to, times: [now.time, end.time] };
    for wall in &detector.walls {
        let (share, vertex) = wall.safe_share(model, &detector.mesh, &walls, options.slack);
        if share < limit.alpha {
            let objects = [model.surfaces.object_of_vertex[vertex as usize], wall.shape.object];
            let culprit = name_objects(model, objects, &from[vertex as usize]);
            limit = Limit { alpha: share, culprit: Some(culprit) };
        }
    }
    let (share, node) = limits.safe_share(&now.blocks, &end.blocks, options.slack);
    if share < limit.alpha {
        limit = Limit { alpha: share, culprit: Some(name_limit(model, node, &now.blocks)) };
    }
    Ok(limit)
}

fn name_pair(model: &Model, detector: &Detector, is_triangle: bool, pair: [u32; 2], x: &[Vec3]) -> String {
    let mesh = &detector.mesh;
    let (objects, vertex) = match is_triangle {
        true => {
            let own = model.surfaces.object_of_vertex[pair[0] as usize];
            ([own, mesh.triangle_body(pair[1])], pair[0])
        }
        false => ([mesh.edge_body(pair[0]), mesh.edge_body(pair[1])], mesh.edges()[pair[0] as usize][0]),
    };
    name_objects(model, objects, &x[vertex as usize])
}

/// "the strain limit of `a` near (x, y, z)".
pub(super) fn name_limit(model: &Model, node: u32, x: &[Vec3]) -> String {
    let body = &model.bodies[model.body_of_node[node as usize] as usize].name;
    let place = x[node as usize];
    format!("the strain limit of `{body}` near ({:.4}, {:.4}, {:.4})", place.x, place.y, place.z)
}

/// "`a` and `b` near (x, y, z)".
pub(super) fn name_objects(model: &Model, objects: [u32; 2], place: &Vec3) -> String {
    let [a, b] = objects.map(|o| &model.surfaces.objects[o as usize].name);
    format!("`{a}` and `{b}` near ({:.4}, {:.4}, {:.4})", place.x, place.y, place.z)
}
