//! What is near what: pairs of surface features and of features and analytic colliders, with all
//! their coefficients.
//!
//! A contact is a vector `e = Σ c_i x_i + (prescribed part)` from the second object to the first,
//! its unit normal n, and the gap
//! `g = |e| − offset`, offset = both half-thicknesses. `c_i` are over nodes, prescribed nodes
//! included: their motion reaches
//! the others through the lifted right-hand side. Vertices of mesh colliders and analytic surfaces
//! are no unknowns; how they moved and will move stands in `script`.

use super::anchors::{AnchorKey, Forecast, Kept, Memory, Trace};
use super::couples::{Ring, rings};
use super::islands::Owners;
use super::near::{NearPairs, Wanted};
use super::options::BarrierOptions;
use super::walls::Wall;
use crate::solver::{StepError, World};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stiction_bodies::Model;
use stiction_bodies::surfaces::VertexSource;
use stiction_collision::narrow_phase::visit_pairs;
use stiction_collision::{BroadPhase, Candidates, CollisionMesh, PairKind, ProximityPair, SurfaceError};
use stiction_contact::ContactStencil;
use stiction_contact::barrier::{edge_edge_lead, inside_share};
use stiction_contact::detect::{PlacedShape, collision_mesh};
use stiction_numerics::{BlockPattern, Vec3};

/// Where everything is: unknowns, vertices of mesh colliders, and the time that places analytic
/// colliders. What others keep anyway, the start of a step and where prescribed blocks go, is
/// borrowed: on large meshes each copy counts.
#[derive(Clone, Debug)]
pub(super) struct Configuration<'a> {
    pub blocks: Cow<'a, [Vec3]>,
    pub kinematic: Vec<Vec3>,
    pub time: f64,
}

impl Configuration<'_> {
    /// A copy that can move.
    pub fn to_owned_blocks(&self) -> Configuration<'static> {
        let blocks = Cow::Owned(self.blocks.to_vec());
        Configuration { blocks, kinematic: self.kinematic.clone(), time: self.time }
    }
}

/// The three configurations of an iteration: the start of the step with its slips, the present one,
/// and where prescribed things go.
#[derive(Clone, Copy)]
pub(super) struct Trajectory<'a> {
    pub start: &'a Configuration<'a>,
    pub now: &'a Configuration<'a>,
    pub target: &'a Configuration<'a>,
    /// Slips of contacts at the start.
    pub anchors: &'a Memory<Kept>,
}

/// A contact nearer than its activation gap; 144 bytes, since steps may hold ten for each vertex.
#[derive(Clone, Debug, Default)]
pub(super) struct Contact {
    /// c_i over nodes.
    pub stencil: ContactStencil,
    /// Sum of the squares of the coefficients of vertices of mesh colliders: they count in the mass
    /// and the norm of c. A share of a stiffness: single precision will do.
    pub held_square: f32,
    pub normal: Vec3,
    pub gap: f64,
    /// How many pairs of primitives this contact stands for; less than one where a border takes
    /// over.
    pub weight: f64,
    /// Motion of the prescribed part of `e`, where there is any.
    pub script: Option<Box<Scripted>>,
    /// Identity for friction; names the second object.
    pub key: AnchorKey,
    pub first_object: u32,
    /// What the anchors of the step know of it.
    pub anchor: Trace,
    /// Force on the first object that the last linear solve found, per pair of primitives \[N\].
    pub forecast: Forecast,
    pub origin: Origin,
    /// Number of vertices of mesh colliders.
    pub held: u8,
}

/// Whose force the forecast of a contact is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The contact is new: none is known.
    #[default]
    Unknown,
    /// Its own.
    Own,
    /// That of another contact of the same primitive, which lives on: it tells a newcomer how firm
    /// the place is, not what it will hold itself.
    Borrowed,
}

/// Motion of the prescribed part of `e` \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scripted {
    /// Since the start of the step.
    pub moved: Vec3,
    /// Still to come.
    pub ahead: Vec3,
}

impl Scripted {
    /// Nothing when nothing moves, which is most of the time.
    pub fn kept(moved: Vec3, ahead: Vec3) -> Option<Box<Scripted>> {
        (moved != Vec3::zeros() || ahead != Vec3::zeros()).then(|| Box::new(Scripted { moved, ahead }))
    }
}

impl Contact {
    pub fn objects(&self) -> [u32; 2] {
        [self.first_object, self.key.other()]
    }

    /// ĝ \[m\].
    pub fn activation(&self, model: &Model) -> f64 {
        activation_gap(model, self.objects())
    }

    /// Tangential way from the anchor at the start of the step \[m\].
    pub fn slip(&self, anchors: &Memory<Kept>) -> Vec3 {
        anchors.value(self.anchor).map_or(Vec3::zeros(), |kept| kept.slip())
    }

    /// Motion of the prescribed part of `e` since the start of the step \[m\].
    pub fn moved(&self) -> Vec3 {
        self.script.as_ref().map_or(Vec3::zeros(), |s| s.moved)
    }

    /// Motion of the prescribed part of `e` that is still to come \[m\].
    pub fn ahead(&self) -> Vec3 {
        self.script.as_ref().map_or(Vec3::zeros(), |s| s.ahead)
    }

    /// Force on the first object that a contact in this place is expected to carry \[N\]; none
    /// where there was none.
    pub fn expected(&self, options: &BarrierOptions) -> Option<Vec3> {
        let is_known = options.forecast && self.origin != Origin::Unknown;
        is_known.then(|| Vec3::from(self.forecast.map(f64::from)) * self.weight)
    }

    /// The same of this contact itself: what its friction goes by.
    pub fn expected_here(&self, options: &BarrierOptions) -> Option<Vec3> {
        self.expected(options).filter(|_| self.origin == Origin::Own)
    }

    /// A place to show: on the first object, or across the gap where that one is prescribed \[m\].
    pub fn place(&self, x: &[Vec3]) -> Vec3 {
        let terms = || self.stencil.nodes().iter().zip(self.stencil.weights());
        let side = |sign: f64| -> Vec3 {
            let own = terms().filter(|(_, w)| **w * sign > 0.0);
            own.map(|(&n, w)| x[n as usize] * w.abs()).sum()
        };
        match terms().any(|(_, w)| *w > 0.0) {
            true => side(1.0),
            false => side(-1.0) + self.normal * self.gap,
        }
    }

    /// Σ c_i (b_i − a_i).
    pub fn displacement(&self, a: &[Vec3], b: &[Vec3]) -> Vec3 {
        let pairs = self.stencil.nodes().iter().zip(self.stencil.weights());
        pairs.map(|(&n, &w)| (b[n as usize] - a[n as usize]) * w).sum()
    }

    /// Σ c_i v_i.
    pub fn relative(&self, values: &[Vec3]) -> Vec3 {
        let pairs = self.stencil.nodes().iter().zip(self.stencil.weights());
        pairs.map(|(&n, &w)| values[n as usize] * w).sum()
    }
}

/// Collision mesh, tree and walls of a model.
pub(super) struct Detector {
    pub mesh: Arc<CollisionMesh>,
    pub phase: BroadPhase,
    pub walls: Vec<Wall>,
    pub near: NearPairs,
    pub owners: Owners,
    /// By vertex.
    pub rings: Vec<Ring>,
    /// Which objects have triangles.
    faced: Vec<bool>,
    /// Largest activation gap of what has a mesh \[m\].
    pub widest: f64,
}

impl Detector {
    pub fn new(world: World<'_>, pattern: &BlockPattern) -> Result<Detector, SurfaceError> {
        let World { model, parameters } = world;
        let mesh = collision_mesh(model)?;
        let start = model.initial_surface(&parameters.controls);
        let phase = BroadPhase::new(&mesh, &start)?;
        let walls = PlacedShape::all(model).map(|shape| Wall::new(shape, model, &mesh)).collect();
        let meshed = (0..model.surfaces.vertices() as u32).filter_map(|v| mesh.vertex_body(v));
        let widest = meshed.map(|o| model.surfaces.objects[o as usize].contact_gap).fold(0.0, f64::max);
        let owners = Owners::new(world, pattern);
        let mut faced = vec![false; model.surfaces.objects.len()];
        (0..mesh.triangles().len()).for_each(|t| faced[mesh.triangle_body(t as u32) as usize] = true);
        let (near, rings) = (NearPairs::default(), rings(&mesh, &start));
        Ok(Detector { mesh, phase, walls, near, owners, rings, faced, widest })
    }

    /// Number of vertices of mesh colliders.
    pub fn mesh_collider_vertices(&self) -> usize {
        self.owners.of_kinematic.len()
    }

    /// Searches for all that may come near on the way from one configuration to another.
    pub fn expect(
        &mut self,
        model: &Model,
        from: &Configuration<'_>,
        to: &Configuration<'_>,
    ) -> Result<(), StepError> {
        self.near.forget();
        let (from, to) = (surface_positions(model, from), surface_positions(model, to));
        Ok(self.near.cover(&mut self.phase, &self.mesh, [&from, &to], self.widest)?)
    }

    /// Shows all pairs of features nearer than the largest activation gap, in a fixed order and in
    /// sections.
    pub fn visit_pairs(&mut self, x: &[Vec3], visit: impl FnMut(&[ProximityPair])) -> Result<(), StepError> {
        let candidates = self.near_candidates(x)?;
        visit_pairs(&self.mesh, &candidates, x, self.widest, visit);
        Ok(())
    }

    /// Candidates that may be nearer than the largest activation gap.
    fn near_candidates(&mut self, x: &[Vec3]) -> Result<Candidates, StepError> {
        self.near.cover(&mut self.phase, &self.mesh, [x, x], self.widest)?;
        Ok(self.near.select(&self.mesh, [x, x], Wanted::Nearer(self.widest)))
    }

    /// All contacts of the present configuration, in a fixed order.
    pub fn contacts(
        &mut self,
        world: World<'_>,
        trajectory: Trajectory<'_>,
        forecasts: &Memory<Forecast>,
    ) -> Result<Vec<Contact>, StepError> {
        let model = world.model;
        let positions = surface_positions(model, trajectory.now);
        let candidates = self.near_candidates(&positions)?;
        let faced = &self.faced[..];
        let convert = |pair: &ProximityPair| from_pair(model, trajectory, (&positions, faced), pair);
        // A section at a time: lists of tasks that are joined in the end, or places for all pairs
        // (many of two edges become none), would take the memory of all contacts once more.
        let (mut contacts, mut slots): (Vec<Contact>, Vec<Option<Contact>>) = Default::default();
        visit_pairs(&self.mesh, &candidates, &positions, self.widest, |section| {
            section.par_iter().map(convert).collect_into_vec(&mut slots);
            contacts.extend(slots.drain(..).flatten());
        });
        drop((candidates, slots));
        for wall in &self.walls {
            wall.moving(&world.parameters.controls).contacts(
                model,
                &self.mesh,
                trajectory,
                &positions,
                &mut contacts,
            );
        }
        recall(&mut contacts, trajectory.anchors, forecasts);
        Ok(contacts)
    }
}

/// Gives contacts their slips, and the forces of the last iteration; those of the last step in the
/// first one.
fn recall(contacts: &mut [Contact], anchors: &Memory<Kept>, forecasts: &Memory<Forecast>) {
    let is_first = forecasts.is_empty();
    let living = if is_first { anchors.living(contacts) } else { forecasts.living(contacts) };
    let is_gone = |k: usize| !living[k].load(Ordering::Relaxed);
    contacts.par_iter_mut().with_min_len(1024).for_each(|c| {
        let place = (&c.key, c.first_object, &c.normal);
        let kept = anchors.recall(place, |_| true);
        let [own, borrowed] = match is_first {
            true => [anchors.recall(place, is_gone), kept].map(|t| anchors.value(t).map(|kept| kept.force)),
            false => [forecasts.recall(place, is_gone), forecasts.recall(place, |_| true)]
                .map(|trace| forecasts.value(trace)),
        };
        c.anchor = kept;
        (c.forecast, c.origin) = match (own, borrowed) {
            (Some(force), _) => (force, Origin::Own),
            (None, Some(force)) => (force, Origin::Borrowed),
            (None, None) => Default::default(),
        };
    });
}

/// All surface vertices of a configuration: its nodes themselves where there is nothing else.
pub(super) fn surface_positions<'a>(model: &Model, configuration: &'a Configuration<'_>) -> Cow<'a, [Vec3]> {
    let surfaces = &model.surfaces;
    if surfaces.vertices() == surfaces.nodes {
        return Cow::Borrowed(&configuration.blocks[..surfaces.nodes]);
    }
    let mut out = Vec::with_capacity(surfaces.vertices());
    out.extend_from_slice(&configuration.blocks[..surfaces.nodes]);
    surfaces.embedded.append_positions(&configuration.blocks, &mut out);
    out.extend_from_slice(&configuration.kinematic);
    Cow::Owned(out)
}

/// Where the vertices of mesh colliders are at a time by their script.
pub(super) fn scripted_vertices(world: World<'_>, time: f64) -> Vec<Vec3> {
    let World { model, parameters } = world;
    let mut out = Vec::new();
    for &(collider, _) in &model.surfaces.mesh_colliders {
        model.colliders.append_positions(collider, &parameters.controls, time, &mut out);
    }
    out
}

/// ĝ of two objects: the mean of theirs.
pub(super) fn activation_gap(model: &Model, objects: [u32; 2]) -> f64 {
    let [a, b] = objects.map(|o| model.surfaces.objects[o as usize].contact_gap);
    0.5 * (a + b)
}

/// Adds a surface vertex to a stencil over nodes; returns whether it is one of a mesh collider.
pub(super) fn add_vertex(model: &Model, stencil: &mut ContactStencil, vertex: u32, weight: f64) -> bool {
    match model.surfaces.source(vertex as usize) {
        VertexSource::Node(node) => stencil.add(node, weight),
        VertexSource::Embedded(terms) => terms.iter().for_each(|&(n, w)| stencil.add(n, weight * w)),
        VertexSource::Rigid { .. } | VertexSource::Kinematic => return true,
    }
    false
}

/// The contact of a pair, if it is near enough and anything in it can move.
fn from_pair(
    model: &Model,
    trajectory: Trajectory<'_>,
    (x, faced): (&[Vec3], &[bool]),
    pair: &ProximityPair,
) -> Option<Contact> {
    let first = pair.weights.iter().position(|w| *w > 0.0)?;
    let second = pair.weights.iter().position(|w| *w < 0.0)?;
    let objects = [first, second].map(|k| model.surfaces.object_of_vertex[pair.vertices[k] as usize]);
    let activation = activation_gap(model, objects);
    if pair.gap >= activation {
        return None;
    }
    let weight = weight(pair, x, objects.map(|o| faced[o as usize]), activation);
    if weight == 0.0 {
        return None;
    }
    let (mut stencil, mut held, mut held_square) = (ContactStencil::default(), 0, 0.0);
    let (mut moved, mut ahead) = (Vec3::zeros(), Vec3::zeros());
    for (&vertex, &weight) in pair.vertices.iter().zip(&pair.weights) {
        if weight != 0.0 && add_vertex(model, &mut stencil, vertex, weight) {
            let place = vertex as usize - model.surfaces.kinematic_start();
            (held, held_square) = (held + 1, held_square + (weight * weight) as f32);
            moved += (trajectory.now.kinematic[place] - trajectory.start.kinematic[place]) * weight;
            ahead += (trajectory.target.kinematic[place] - trajectory.now.kinematic[place]) * weight;
        }
    }
    (!stencil.nodes().is_empty()).then(|| Contact {
        stencil,
        held,
        held_square,
        normal: pair.normal,
        gap: pair.gap,
        weight,
        script: Scripted::kept(moved, ahead),
        key: AnchorKey::of_pair(pair, objects[1]),
        first_object: objects[0],
        ..Contact::default()
    })
}

/// How many pairs of primitives a pair stands for. What two edges see at a vertex is seen by the
/// faces around it as well, unless it is of a rod; so only the interiors of two edges add to what
/// vertices and faces see, as far as they lead.
fn weight(pair: &ProximityPair, x: &[Vec3], faced: [bool; 2], activation: f64) -> f64 {
    match pair.kind {
        PairKind::EdgeEdge if faced == [true; 2] => {
            let [a, b] = [[1, 0], [3, 2]].map(|[to, from]: [usize; 2]| {
                x[pair.vertices[to] as usize] - x[pair.vertices[from] as usize]
            });
            let [p, q, r, s] = pair.weights.map(f64::abs);
            inside_share(edge_edge_lead([&a, &b], [[p, q], [r, s]], pair.distance), activation)
        }
        PairKind::VertexVertex if pair.multiplicity == 0 => f64::from(u8::from(faced == [false; 2])),
        PairKind::VertexEdge if pair.multiplicity == 0 => f64::from(u8::from(!faced[1])),
        _ => f64::from(pair.multiplicity),
    }
}

#[cfg(test)]
mod tests {
    use super::super::BarrierSolver;
    use super::*;
    use std::path::Path;
    use stiction_bodies::{Parameters, build};

    /// A vertex over two triangles: what is new beside a contact that lives on knows how firm the
    /// place is, but its friction has a force of its own.
    #[test]
    fn a_newcomer_borrows_the_force_of_what_lives_on_and_inherits_that_of_what_is_gone() {
        let at = |triangle: u32| {
            let pair = ProximityPair {
                kind: PairKind::VertexTriangle,
                features: [3, triangle],
                vertices: [3, 0, 1, 2],
                weights: [1.0, -0.5, -0.5, 0.0],
                normal: Vec3::z(),
                distance: 1e-3,
                gap: 1e-3,
                multiplicity: 1,
            };
            let (key, weight) = (AnchorKey::of_pair(&pair, 1), 1.0);
            Contact { key, normal: Vec3::z(), weight, ..Contact::default() }
        };
        let forecasts = Memory::of(&[at(4)], |_| [0.0, 0.0, 2.0]);
        let recalled = |mut contacts: Vec<Contact>| {
            recall(&mut contacts, &Memory::default(), &forecasts);
            let options = BarrierOptions::default();
            contacts.iter().map(|c| [c.expected(&options), c.expected_here(&options)]).collect::<Vec<_>>()
        };
        let force = Some(Vec3::z() * 2.0);
        assert_eq!(recalled(vec![at(4), at(5)]), [[force, force], [force, None]]);
        assert_eq!(recalled(vec![at(5)]), [[force, force]]);
    }

    #[test]
    fn a_contact_has_144_bytes() {
        assert_eq!(size_of::<Contact>(), 144);
    }

    #[test]
    fn a_wide_gap_of_an_analytic_collider_does_not_widen_the_search_between_meshes() {
        let text = "
            stiction = 1
            method = { key = 'barrier' }
            [bodies.sheet]
            kind = 'cloth'
            mesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } }
            material = { preset = 'cotton' }
            translate = [0, 0, 0.1]
            gap = 0.001
            [colliders.floor]
            plane = { offset = 0 }
            gap = 0.02";
        let loaded = stiction_scene::load_text("test.toml", text, Path::new("."), &[] as &[&str]);
        let scene = loaded.unwrap_or_else(|error| panic!("{error}: {}", error.fix())).scene;
        let model = build(&scene).expect("a good model");
        let parameters = Parameters::from_scene(&scene, &model);
        let world = World { model: &model, parameters: &parameters };
        let solver = BarrierSolver::new(Default::default(), world).expect("a good scene");
        assert_eq!(solver.detector.widest, 0.001);
    }
}
