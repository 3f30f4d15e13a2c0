//! How far a direction may be followed: constraints alone, no energy.   [Ando2024, section 3.2.4]
//!
//! The way looked at is 1.25 times the direction, so that nothing settles right at a constraint. Continuous detection keeps every
//! pair of features, and every feature and analytic collider, apart by their thicknesses and a share of their present gap. Each
//! island of objects has a share α of its own.
//!
//! A direction that leaves the boxes of the list of pairs would take a new search, and a long one brings very many pairs.
//! Most such directions are blocked by what is near already. So strain limits, walls and the pairs that are known shorten
//! the ways first, each by its island; the search looks at what is left of them, and all go along their shortened ways together.

use super::contacts::{Configuration, Contact, Detector, surface_positions};
use super::islands::Islands;
use super::near::Wanted;
use super::options::BarrierOptions;
use super::strain_limits::StrainLimits;
use super::walls::{MovingWall, WallMotion};
use crate::solver::{StepError, World};
use crate::violations::Obstacle;
use std::borrow::Cow;
use stiction_bodies::Model;
use stiction_collision::ccd::AdvanceOptions;
use stiction_collision::motion::{StraightMotion, earliest_impact};
use stiction_collision::{Candidates, CollisionMesh};
use stiction_numerics::Vec3;

/// The shares of a direction that may be taken, and what limits the smallest.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    /// α in \[0, 1\] per object, then of the clock.
    pub alpha: Vec<f64>,
    /// What limits the smallest.
    pub culprit: Option<Culprit>,
}

/// What a direction would run into.
#[derive(Clone, Copy, Debug)]
pub(super) enum Culprit {
    /// Two objects that meet, and where \[m\].
    Pair([u32; 2], Vec3),
    /// The strain limit of an object, and where \[m\].
    Strain(u32, Vec3),
}

impl Culprit {
    /// An object of it.
    pub fn objects(&self) -> [u32; 2] {
        match *self {
            Culprit::Pair(objects, _) => objects,
            Culprit::Strain(object, _) => [object; 2],
        }
    }

    /// The same by names.
    pub fn named(&self, model: &Model) -> Obstacle {
        let name = |object: u32| model.surfaces.objects[object as usize].name.clone();
        match *self {
            Culprit::Pair(objects, place) => Obstacle::Pair { objects: objects.map(name), place },
            Culprit::Strain(object, place) => Obstacle::StrainLimit { body: name(object), place },
        }
    }
}

impl Limit {
    /// The smallest α.
    pub fn smallest(&self) -> f64 {
        self.alpha.iter().copied().fold(1.0, f64::min)
    }

    /// α of a contact: its objects are of one island, or one of them cannot move.
    pub fn of(&self, contact: &Contact) -> f64 {
        let [a, b] = contact.objects().map(|o| self.alpha[o as usize]);
        a.min(b)
    }
}

/// `now + share · direction`.
fn ahead(now: &Configuration<'_>, direction: &Configuration<'_>, share: f64) -> Configuration<'static> {
    let along = |x: &[Vec3], d: &[Vec3]| x.iter().zip(d).map(|(x, d)| x + d * share).collect::<Vec<Vec3>>();
    Configuration {
        blocks: along(&now.blocks, &direction.blocks).into(),
        kinematic: along(&now.kinematic, &direction.kinematic),
        time: now.time + direction.time * share,
    }
}

/// The largest safe shares of a direction.
pub(super) fn constraint_line_search(
    options: &BarrierOptions,
    detector: &mut Detector,
    limits: &StrainLimits,
    world: World<'_>,
    contacts: &[Contact],
    [now, direction]: [&Configuration<'_>; 2],
) -> Result<Limit, StepError> {
    let model = world.model;
    let end = ahead(now, direction, options.extension);
    let (from, to) = (surface_positions(model, now), surface_positions(model, &end));
    let Detector { near, phase, mesh, owners, walls, widest, .. } = detector;
    let mut search = Search {
        options,
        model,
        mesh,
        islands: Islands::new(owners),
        shares: Shares { alpha: vec![1.0; owners.clock() + 1], smallest: 1.0, culprit: None },
    };
    search.islands.join_contacts(contacts);
    let walls = walls.iter().map(|wall| wall.moving(&world.parameters.controls));
    search.keep_off_walls(walls, &WallMotion { start: &from, end: &to, times: [now.time, end.time] });
    search.keep_within_limits(limits, [&now.blocks, &end.blocks]);
    if !near.holds(&from, &to) {
        search.keep_apart(near.select(mesh, [&from, &to], Wanted::Closing(options.slack)), [&from, &to]);
    }

    // Ways as far as they may still be open. Only surface vertices count from here on: their ends take the place of the unknowns, or these are freed.
    let own = match to {
        Cow::Owned(places) => Some(places),
        Cow::Borrowed(_) => None,
    };
    let mut blocks = end.blocks.into_owned();
    let mut to = own.unwrap_or_else(|| {
        blocks.truncate(model.surfaces.nodes);
        std::mem::take(&mut blocks)
    });
    drop(blocks);
    let reach = search.by_object();
    let of_vertex = &model.surfaces.object_of_vertex;
    if reach.iter().any(|&share| share < 1.0) {
        for ((to, from), &object) in to.iter_mut().zip(&from[..]).zip(of_vertex) {
            match reach[object as usize] {
                1.0 => {}
                share => *to = from + (*to - from) * share,
            }
        }
    }
    search.shares.alpha.fill(1.0);
    near.cover(phase, mesh, [&from, &to], *widest)?;
    search.keep_apart(near.select(mesh, [&from, &to], Wanted::Closing(options.slack)), [&from, &to]);
    let alpha = search.by_object().iter().zip(&reach).map(|(share, reach)| share * reach).collect();
    Ok(Limit { alpha, culprit: search.shares.culprit })
}

/// Shares while they are being found.
struct Search<'a> {
    options: &'a BarrierOptions,
    model: &'a Model,
    mesh: &'a CollisionMesh,
    islands: Islands<'a>,
    shares: Shares,
}

impl Search<'_> {
    /// Features near walls; what is near a moving one goes by the clock.
    fn keep_off_walls<'w>(&mut self, walls: impl Iterator<Item = MovingWall<'w>>, motion: &WallMotion<'_>) {
        let (model, clock) = (self.model, self.shares.alpha.len() as u32 - 1);
        let mut held: Vec<(f64, u32, u32)> = Vec::new();
        for wall in walls {
            for (share, vertex) in wall.safe_shares(model, self.mesh, motion, self.options.slack) {
                if wall.moves() {
                    self.islands.join(model.surfaces.object_of_vertex[vertex as usize], clock);
                }
                held.push((share, vertex, wall.shape.object));
            }
        }
        for (share, vertex, wall) in held {
            let object = model.surfaces.object_of_vertex[vertex as usize];
            let culprit = || Some(Culprit::Pair([object, wall], motion.start[vertex as usize]));
            self.shares.lower(self.islands.root(object), share, culprit);
        }
    }

    fn keep_within_limits(&mut self, limits: &StrainLimits, [from, to]: [&[Vec3]; 2]) {
        for (share, node) in limits.safe_fractions(from, to, self.options.slack) {
            let object = self.model.surfaces.object_of_vertex[node as usize];
            let culprit = || Some(Culprit::Strain(object, from[node as usize]));
            self.shares.lower(self.islands.root(object), share, culprit);
        }
    }

    /// Pairs join islands, and block them.
    fn keep_apart(&mut self, pairs: Candidates, [from, to]: [&[Vec3]; 2]) {
        let (model, mesh) = (self.model, self.mesh);
        self.gather_shares(&pairs);
        let advance = AdvanceOptions { slack: self.options.slack, ..AdvanceOptions::default() };
        for (root, pairs) in self.islands.split(mesh, pairs) {
            let impact = earliest_impact(mesh, &pairs, &StraightMotion { start: from, end: to }, &advance);
            let culprit =
                || impact.pair.map(|(is_triangle, pair)| of_pair(model, mesh, is_triangle, pair, from));
            self.shares.lower(root, impact.time, culprit);
        }
    }

    /// Joins the islands of pairs; the new ones have the smallest share of those they were made of.
    fn gather_shares(&mut self, pairs: &Candidates) {
        let before: Vec<u32> = (0..self.shares.alpha.len() as u32).map(|o| self.islands.root(o)).collect();
        self.islands.join_pairs(self.mesh, pairs);
        for root in before {
            let (own, new) = (self.shares.alpha[root as usize], self.islands.root(root) as usize);
            self.shares.alpha[new] = self.shares.alpha[new].min(own);
        }
    }

    /// The share of every object; by the paper's policy all have the smallest, because all must reach the same time.
    fn by_object(&mut self) -> Vec<f64> {
        let count = self.shares.alpha.len() as u32;
        let shares: Vec<f64> = (0..count).map(|o| self.shares.alpha[self.islands.root(o) as usize]).collect();
        match self.options.complete {
            true => shares,
            false => vec![shares.iter().copied().fold(1.0, f64::min); shares.len()],
        }
    }
}

/// α by root of an island, while they are being found.
struct Shares {
    alpha: Vec<f64>,
    smallest: f64,
    culprit: Option<Culprit>,
}

impl Shares {
    fn lower(&mut self, root: u32, share: f64, culprit: impl FnOnce() -> Option<Culprit>) {
        let own = &mut self.alpha[root as usize];
        *own = own.min(share);
        if share < self.smallest {
            self.smallest = share;
            self.culprit = culprit();
        }
    }
}

fn of_pair(model: &Model, mesh: &CollisionMesh, is_triangle: bool, pair: [u32; 2], x: &[Vec3]) -> Culprit {
    let (objects, vertex) = match is_triangle {
        true => {
            let own = model.surfaces.object_of_vertex[pair[0] as usize];
            ([own, mesh.triangle_body(pair[1])], pair[0])
        }
        false => ([mesh.edge_body(pair[0]), mesh.edge_body(pair[1])], mesh.edges()[pair[0] as usize][0]),
    };
    Culprit::Pair(objects, x[vertex as usize])
}
