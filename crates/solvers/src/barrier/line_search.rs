//! How far a direction may be followed: constraints alone, no energy.   [Ando2024, section 3.2.4]
//!
//! The way looked at is 1.25 times the direction, so that nothing settles right at a constraint. Continuous detection keeps every
//! pair of features, and every feature and analytic collider, apart by their thicknesses and a share of their present gap. Each
//! island of objects has a share α of its own.

use super::contacts::{Configuration, Contact, Detector, surface_positions};
use super::islands::Islands;
use super::near::Wanted;
use super::options::BarrierOptions;
use super::strain_limits::StrainLimits;
use super::walls::WallMotion;
use crate::solver::StepError;
use stiction_bodies::Model;
use stiction_collision::CollisionMesh;
use stiction_collision::ccd::AdvanceOptions;
use stiction_collision::motion::{Motion, earliest_impact};
use stiction_numerics::Vec3;

/// The shares of a direction that may be taken, and what limits the smallest.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    /// α in \[0, 1\] per object, then of the clock.
    pub alpha: Vec<f64>,
    /// Which objects meet, where.
    pub culprit: Option<String>,
}

impl Limit {
    /// The smallest α.
    pub fn smallest(&self) -> f64 {
        self.alpha.iter().copied().fold(1.0, f64::min)
    }

    /// α of a contact: its objects are of one island, or one of them cannot move.
    pub fn of(&self, contact: &Contact) -> f64 {
        let [a, b] = contact.objects.map(|o| self.alpha[o as usize]);
        a.min(b)
    }
}

/// `now + share · direction`.
fn ahead(now: &Configuration, direction: &Configuration, share: f64) -> Configuration {
    let along = |x: &[Vec3], d: &[Vec3]| x.iter().zip(d).map(|(x, d)| x + d * share).collect();
    Configuration {
        blocks: along(&now.blocks, &direction.blocks),
        kinematic: along(&now.kinematic, &direction.kinematic),
        time: now.time + direction.time * share,
    }
}

/// The largest safe shares of a direction.
pub(super) fn constraint_line_search(
    options: &BarrierOptions,
    detector: &mut Detector,
    limits: &StrainLimits,
    model: &Model,
    contacts: &[Contact],
    [now, direction]: [&Configuration; 2],
) -> Result<Limit, StepError> {
    let end = ahead(now, direction, options.extension);
    let (from, to) = (surface_positions(model, now), surface_positions(model, &end));
    let Detector { near, phase, mesh, owners, walls, widest, .. } = detector;
    near.cover(phase, mesh, [&from, &to], *widest)?;
    let pairs = near.select(mesh, [&from, &to], Wanted::Closing(options.slack));
    let mut islands = Islands::new(owners);
    islands.join_contacts(contacts);
    islands.join_pairs(mesh, &pairs);

    // Features near walls; what is near a moving one goes by the clock.
    let motion = WallMotion { start: &from, end: &to, times: [now.time, end.time] };
    let mut held: Vec<(f64, u32, Option<u32>)> = Vec::new();
    for wall in walls.iter() {
        for (share, vertex) in wall.safe_shares(model, mesh, &motion, options.slack) {
            if wall.moves() {
                islands.join(model.surfaces.object_of_vertex[vertex as usize], owners.clock() as u32);
            }
            held.push((share, vertex, Some(wall.shape.object)));
        }
    }
    let stretched = limits.safe_shares(&now.blocks, &end.blocks, options.slack);
    held.extend(stretched.into_iter().map(|(share, node)| (share, node, None)));

    let mut shares = Shares { alpha: vec![1.0; owners.clock() + 1], smallest: 1.0, culprit: None };
    let advance = AdvanceOptions { slack: options.slack, ..AdvanceOptions::default() };
    for (root, pairs) in islands.split(mesh, pairs) {
        let impact = earliest_impact(mesh, &pairs, &Motion { start: &from, end: &to }, &advance);
        let name = || impact.pair.map(|(is_triangle, pair)| name_pair(model, mesh, is_triangle, pair, &from));
        shares.lower(root, impact.time, name);
    }
    for (share, vertex, wall) in held {
        let object = model.surfaces.object_of_vertex[vertex as usize];
        let name = || match wall {
            Some(wall) => name_objects(model, [object, wall], &from[vertex as usize]),
            None => name_limit(model, vertex, &now.blocks),
        };
        shares.lower(islands.root(object), share, || Some(name()));
    }
    let alpha = match options.complete {
        true => (0..shares.alpha.len() as u32).map(|o| shares.alpha[islands.root(o) as usize]).collect(),
        false => vec![shares.smallest; shares.alpha.len()],
    };
    Ok(Limit { alpha, culprit: shares.culprit })
}

/// α by root of an island, while they are being found.
struct Shares {
    alpha: Vec<f64>,
    smallest: f64,
    culprit: Option<String>,
}

impl Shares {
    fn lower(&mut self, root: u32, share: f64, name: impl FnOnce() -> Option<String>) {
        let own = &mut self.alpha[root as usize];
        *own = own.min(share);
        if share < self.smallest {
            self.smallest = share;
            self.culprit = name();
        }
    }
}

fn name_pair(model: &Model, mesh: &CollisionMesh, is_triangle: bool, pair: [u32; 2], x: &[Vec3]) -> String {
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
