//! The collision service of a model.
//!
//! *Proximity* contacts take the closest features at the start of the step. *Continuous* contacts
//! take features that come together on the straight way from the start to a trial end: weights and
//! normal are those at the moment of touching, the gap is taken at the start along that normal, so
//! `u_N ≥ 0` keeps the pair on the side where it was.

use super::analytic::{MovingShape, PlacedShape};
use super::analytic_search::AnalyticSearch;
use super::compile::{collision_mesh_with_skins, rooted_segments};
use super::convert::{AnalyticFeature, Converter};
use super::entangled::Entangled;
use super::intersections::CheckedSurface;
use super::meetings::KnownContacts;
use super::rooted::{buried_roots, held_strands};
use super::step_pairs::{Search, StepPairs};
use crate::contact::NewContact;
use rayon::prelude::*;
use stiction_bodies::{Controls, Model, Parameters, PlacedBlocks, Prescription, RigidPose};
use stiction_collision::intersection::{ClosedSurfaces, StateReport};
use stiction_collision::narrow_phase::{narrow_phase, reevaluate};
use stiction_collision::{BroadPhase, CollisionMesh, ProximityPair, SurfaceError};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::UnitQuaternion;

/// Why contacts cannot be found.
pub type DetectError = SurfaceError;

/// What counts as near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectOptions {
    /// Share of a pair's start distance that continuous detection keeps; the rest is open to
    /// motion.
    pub slack: f64,
    /// Half-thickness of solids that were given none, as a share of their size: it acts between
    /// meshes, not on analytic colliders.
    pub skin: f64,
}

impl Default for DetectOptions {
    fn default() -> Self {
        DetectOptions { slack: 0.1, skin: 5e-4 }
    }
}

/// The step for which contacts are wanted.
#[derive(Clone, Copy, Debug)]
pub struct StepMotion<'a> {
    /// Blocks at the start.
    pub start: &'a [Vec3],
    /// Prescribed blocks.
    pub prescription: &'a Prescription,
    /// Orientations of rigid bodies at the start.
    pub orientations: &'a [UnitQuaternion<f64>],
    /// Masses, friction and controls.
    pub parameters: &'a Parameters,
    /// Time at the start \[s\].
    pub time: f64,
    /// Step size \[s\].
    pub h: f64,
}

/// Solids, analytic or meshed, that overlap by less than this count as touching \[m\]: the
/// tolerance of the methods, not a crossing. (A sheet that has gone through stays through; a solid
/// that touches comes free again.)
pub(super) const INSIDE: f64 = 1e-5;

/// Vertices per task.
const PER_TASK: usize = 4096;

/// Pairs that one task converts at least.
const SOME_PAIRS: usize = 256;

/// Trees, shapes and scratch that persist over steps.
pub struct ContactFinder {
    mesh: CollisionMesh,
    phase: BroadPhase,
    shapes: Vec<PlacedShape>,
    /// Surface vertices of bodies that belong to a primitive.
    touching: Vec<u32>,
    pub(super) options: DetectOptions,
    /// Largest contact gap of objects with a mesh \[m\]; analytic colliders have their own.
    pub(super) widest_gap: f64,
    pub(super) start: Vec<Vec3>,
    pub(super) end: Vec<Vec3>,
    /// Poses of rigid bodies at the start.
    rigid_start: Vec<RigidPose>,
    /// Blocks at the end: memory that is kept.
    end_blocks: Vec<Vec3>,
    /// What may touch in the step that was last asked for.
    pub(super) pairs: StepPairs,
    /// Which bodies are closed; found when it is first asked for.
    closed: Option<ClosedSurfaces>,
    pub(super) entangled: Entangled,
}

impl ContactFinder {
    /// The service for a model.
    ///
    /// Strands are rooted in the solids that hold them at time zero, where the controls put those now.
    pub fn new(
        model: &Model,
        controls: &Controls,
        options: DetectOptions,
    ) -> Result<ContactFinder, DetectError> {
        let mesh = collision_mesh_with_skins(model, options.skin)?;
        let surfaces = &model.surfaces;
        let start = model.initial_surface(controls);
        let phase = BroadPhase::new(&mesh, &start)?;
        let shapes = PlacedShape::all(model).collect();
        let dynamic = 0..surfaces.kinematic_start() as u32;
        let touching = dynamic.filter(|&v| mesh.vertex_body(v).is_some()).collect();
        let meshed = (0..surfaces.vertices() as u32).filter_map(|v| mesh.vertex_body(v));
        let widest_gap = meshed.map(|o| surfaces.objects[o as usize].contact_gap).fold(0.0, f64::max);
        let mut finder = ContactFinder {
            mesh,
            phase,
            shapes,
            touching,
            options,
            widest_gap,
            end: start.clone(),
            start,
            rigid_start: Vec::new(),
            end_blocks: Vec::new(),
            pairs: StepPairs::default(),
            closed: None,
            entangled: Entangled::default(),
        };
        let held = held_strands(model);
        if !held.is_empty() {
            let start = std::mem::take(&mut finder.start);
            let inside = finder.intersections_at(model, controls, &start, 0.0)?.inside;
            finder.start = start;
            let buried = buried_roots(model, &held, &inside);
            finder.mesh.set_rooted(&[rooted_segments(model), buried].concat());
        }
        Ok(finder)
    }

    /// The collision mesh.
    pub fn mesh(&self) -> &CollisionMesh {
        &self.mesh
    }

    pub(super) fn touching(&self) -> &[u32] {
        &self.touching
    }

    /// Whether the surface of an object is closed, once intersections have been looked for.
    pub(super) fn is_closed(&self, object: u32) -> bool {
        self.closed.as_ref().is_some_and(|closed| closed.contains(object))
    }

    pub(super) fn phase(&self) -> &BroadPhase {
        &self.phase
    }

    pub(super) fn shapes(&self) -> &[PlacedShape] {
        &self.shapes
    }

    /// Analytic colliders with their motions in a step.
    pub(super) fn moving_shapes<'a>(
        &'a self,
        motion: &StepMotion<'a>,
    ) -> impl Iterator<Item = MovingShape<'a>> + use<'a> {
        let controls = &motion.parameters.controls;
        self.shapes.iter().map(|shape| shape.moving(controls))
    }

    /// Pairs nearer than their contact gap at the start of the step, and points that are or come
    /// (at the velocities given) near an analytic collider; sorted, each once.
    pub fn proximity(
        &mut self,
        model: &Model,
        parameters: &Parameters,
        motion: &StepMotion<'_>,
        velocities: &[Vec3],
    ) -> Result<Vec<NewContact>, DetectError> {
        self.place(model, motion, velocities)?;
        let candidates = self.pairs.within(&self.mesh, self.widest_gap);
        let pairs = narrow_phase(&self.mesh, &candidates, &self.start, self.widest_gap);
        let converter = self.converter(model, parameters, motion);
        let touching = self.touching_normals(model, &pairs);
        let near = |pair: &ProximityPair| {
            let thickness = pair.distance - pair.gap;
            let pair = &self.put_right(&touching.turned(pair))?;
            let contact = converter.pair(pair, &self.start, thickness)?;
            (pair.gap <= pair_gap(model, contact.bodies)).then_some(contact)
        };
        // In place: nearly all become contacts, and fresh memory for their long list costs as much
        // as the work. There is room for those that join them.
        let mut slots: Vec<Option<NewContact>> =
            Vec::with_capacity(pairs.len() + pairs.len() / 16 + PER_TASK);
        pairs.par_iter().with_min_len(SOME_PAIRS).map(near).collect_into_vec(&mut slots);
        let mut out: Vec<NewContact> = slots.into_iter().flatten().collect();
        out.extend(self.pushed_out(&converter));
        out.extend(self.analytic(model, &converter, |_| true));
        Ok(out)
    }

    /// Pairs that come together on the way from the start to the end of the step at the velocities
    /// given, and that need another contact beside the known ones; sorted, each once.
    pub fn approaching(
        &mut self,
        model: &Model,
        parameters: &Parameters,
        motion: &StepMotion<'_>,
        velocities: &[Vec3],
        known: KnownContacts<'_>,
    ) -> Result<Vec<NewContact>, DetectError> {
        self.place(model, motion, velocities)?;
        let met = self.meetings(model, known);
        let converter = self.converter(model, parameters, motion);
        let contact = |(pair, thickness): &_| converter.pair(&self.put_right(pair)?, &self.start, *thickness);
        let mut out: Vec<NewContact> = met.iter().filter_map(contact).collect();
        out.extend(self.analytic(model, &converter, |key| known.misses(key)));
        out.sort_by(|a, b| (a.kind, a.key).cmp(&(b.kind, b.key)).then(a.gap.total_cmp(&b.gap)));
        out.dedup_by_key(|c| c.key);
        Ok(out)
    }

    /// The proximity pairs within a gap at a configuration, as geometry: what barriers and
    /// penalties work on.
    pub fn pairs(
        &mut self,
        model: &Model,
        controls: &Controls,
        at: PlacedBlocks<'_>,
        gap: f64,
    ) -> Result<Vec<ProximityPair>, DetectError> {
        self.place_start(model, controls, at);
        let candidates = self.phase.proximity_candidates(&self.mesh, &self.start, gap)?;
        Ok(narrow_phase(&self.mesh, &candidates, &self.start, gap))
    }

    /// Known pairs at a trial configuration: the same features with weights, normals and gaps again.
    pub fn reevaluate(
        &mut self,
        model: &Model,
        controls: &Controls,
        pairs: &mut [ProximityPair],
        at: PlacedBlocks<'_>,
    ) {
        model.surface_positions(controls, at, &mut self.end);
        pairs.par_iter_mut().for_each(|pair| *pair = reevaluate(pair, &self.end));
    }

    /// Crossings, overlaps, points inside closed bodies and inside analytic colliders at a
    /// configuration.
    pub fn intersections(
        &mut self,
        model: &Model,
        controls: &Controls,
        at: PlacedBlocks<'_>,
    ) -> Result<StateReport, DetectError> {
        let mut places = Vec::new();
        model.surface_positions(controls, at, &mut places);
        self.intersections_at(model, controls, &places, at.time)
    }

    /// The same for surface vertices at these places \[m\].
    fn intersections_at(
        &mut self,
        model: &Model,
        controls: &Controls,
        places: &[Vec3],
        time: f64,
    ) -> Result<StateReport, DetectError> {
        let closed = self.closed.get_or_insert_with(|| ClosedSurfaces::new(&self.mesh));
        let surface = CheckedSurface { mesh: &self.mesh, phase: &mut self.phase, closed };
        surface.intersections(model, controls, places, time)
    }

    fn converter<'a>(
        &'a self,
        model: &'a Model,
        parameters: &'a Parameters,
        motion: &'a StepMotion<'a>,
    ) -> Converter<'a> {
        Converter {
            surfaces: &model.surfaces,
            parameters,
            motion,
            start: &self.start,
            prescribed_end: &self.end,
        }
    }

    /// Surface vertices at the start of the step and at its end for the given velocities, and what
    /// may touch on the way.
    fn place(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        velocities: &[Vec3],
    ) -> Result<(), DetectError> {
        let end = |n: usize| match motion.prescription.fixed[n] {
            true => motion.prescription.target[n],
            false => motion.start[n] + velocities[n] * motion.h,
        };
        // Angles move no surface; rigid bodies come after them.
        let count = if model.rigid.is_empty() { model.nodes } else { model.blocks() };
        let mut blocks = std::mem::take(&mut self.end_blocks);
        (0..count).into_par_iter().with_min_len(PER_TASK).map(end).collect_into_vec(&mut blocks);
        let placed = self.place_ends(model, motion, &blocks);
        self.end_blocks = blocks;
        placed
    }

    /// The same to a given end.
    pub(super) fn place_ends(
        &mut self,
        model: &Model,
        motion: &StepMotion<'_>,
        end: &[Vec3],
    ) -> Result<(), DetectError> {
        let times = [motion.time, motion.time + motion.h];
        let controls = &motion.parameters.controls;
        let orientations = motion.orientations;
        let start = PlacedBlocks { blocks: motion.start, orientations, time: times[0] };
        let same_start = self.pairs.is_of(times, controls) && self.starts_at(model, start);
        if !same_start {
            self.place_start(model, controls, start);
        }
        let end = PlacedBlocks { blocks: end, orientations, time: times[1] };
        model.surface_positions(controls, end, &mut self.end);
        let search = Search {
            model,
            mesh: &self.mesh,
            shapes: &self.shapes,
            controls,
            touching: &self.touching,
            start: &self.start,
            end: &self.end,
            times,
            widest_gap: self.widest_gap,
            slack: self.options.slack,
        };
        self.pairs.update(&mut self.phase, &search, same_start)
    }

    /// Surface vertices at a configuration; what was found for another one is forgotten.
    fn place_start(&mut self, model: &Model, controls: &Controls, at: PlacedBlocks<'_>) {
        model.surface_positions(controls, at, &mut self.start);
        self.rigid_start.clear();
        self.rigid_start.extend(rigid_poses(model, at));
        self.pairs.forget();
    }

    /// Whether nodes and rigid bodies are where they were placed at the start.
    fn starts_at(&self, model: &Model, at: PlacedBlocks<'_>) -> bool {
        let nodes = &at.blocks[..model.nodes];
        let (own, nodes) = (self.start[..nodes.len()].par_chunks(PER_TASK), nodes.par_chunks(PER_TASK));
        own.zip(nodes).all(|(a, b)| a == b) && rigid_poses(model, at).eq(self.rigid_start.iter().copied())
    }

    /// Thickness between a vertex and an analytic collider \[m\]: without skins.
    pub(super) fn analytic_thickness(model: &Model, vertex: u32, object: u32) -> f64 {
        let surfaces = &model.surfaces;
        let own = surfaces.object_of_vertex[vertex as usize];
        surfaces.objects[own as usize].half_thickness + surfaces.objects[object as usize].half_thickness
    }

    /// Contacts with analytic colliders whose keys are wanted: vertices, and edges and triangles
    /// that a convex solid meets first.
    fn analytic(
        &self,
        model: &Model,
        converter: &Converter<'_>,
        wanted: impl Fn(u64) -> bool + Sync,
    ) -> Vec<NewContact> {
        let mut out = Vec::new();
        let (all_edges, all_triangles) = (self.mesh.edges(), self.mesh.triangles());
        let (time, h) = (converter.motion.time, converter.motion.h);
        for (shape, near) in self.moving_shapes(converter.motion).zip(&self.pairs.analytic) {
            let (start, end) = (shape.posed(time), shape.posed(time + h));
            let search = AnalyticSearch { finder: self, model, converter, shape, start, end };
            out.par_extend(near.vertices.par_iter().filter_map(|&v| search.vertex(v, &wanted)));
            let edge = |(e, weights): &(u32, [f64; 2])| {
                search.inside((AnalyticFeature::Edge, *e), all_edges[*e as usize], weights, &wanted)
            };
            out.par_extend(near.edges.par_iter().filter_map(edge));
            let triangle = |(t, weights): &(u32, [f64; 3])| {
                search.inside((AnalyticFeature::Triangle, *t), all_triangles[*t as usize], weights, &wanted)
            };
            out.par_extend(near.triangles.par_iter().filter_map(triangle));
        }
        out
    }
}

fn rigid_poses<'a>(model: &'a Model, at: PlacedBlocks<'a>) -> impl Iterator<Item = RigidPose> + 'a {
    (0..model.rigid.len()).map(move |rigid| model.rigid.pose(rigid, at.blocks, at.orientations))
}

/// Distance beyond the thicknesses at which two objects begin to act on each other \[m\].
pub fn pair_gap(model: &Model, objects: [u32; 2]) -> f64 {
    let gap = |object: u32| model.surfaces.objects[object as usize].contact_gap;
    gap(objects[0]).max(gap(objects[1]))
}
