//! Checks whole configurations for intersections.
//!
//! [`IntersectionCheck`] owns its mesh and tree, apart from those of the method that it checks: a
//! check that borrows what it checks would repeat its mistakes, and a caller's own method has
//! nothing to lend.

use super::DetectError;
use super::analytic::PlacedShape;
use super::compile::{collision_mesh, rooted_segments};
use super::contact_finder::INSIDE;
use super::rooted::{buried_roots, held_strands};
use rayon::prelude::*;
use std::sync::Arc;
use stiction_bodies::{Controls, Model, PlacedBlocks};
use stiction_collision::intersection::{ClosedSurfaces, InsidePoint, StateReport, check_state_with};
use stiction_collision::{BroadPhase, CollisionMesh};
use stiction_numerics::Vec3;

/// A check for intersections over a model, with thicknesses as the scene gives them.
///
/// It shares the collision mesh of the model and keeps a tree of its own. Boxes and elements of the tree
/// live during a check only: between checks, when a method holds the most memory, there are none.
pub struct IntersectionCheck {
    mesh: Arc<CollisionMesh>,
    phase: BroadPhase,
    closed: ClosedSurfaces,
}

impl IntersectionCheck {
    /// The check for a model. Strands are rooted in the solids that hold them at time zero, where the controls put those.
    pub fn new(model: &Model, controls: &Controls) -> Result<IntersectionCheck, DetectError> {
        let mesh = collision_mesh(model)?;
        let start = model.initial_surface(controls);
        let mut phase = BroadPhase::new(&mesh, &start)?;
        phase.release();
        let closed = ClosedSurfaces::new(&mesh);
        let mut check = IntersectionCheck { mesh, phase, closed };
        let held = held_strands(model);
        if !held.is_empty() {
            let inside = check.check_places(model, controls, &start, 0.0)?.inside;
            let buried = buried_roots(model, &held, &inside);
            let mesh = Arc::make_mut(&mut check.mesh);
            mesh.set_rooted(&[rooted_segments(model), buried].concat());
        }
        Ok(check)
    }

    /// Crossings, overlaps, points inside closed bodies and inside analytic colliders.
    pub fn check(
        &mut self,
        model: &Model,
        controls: &Controls,
        at: PlacedBlocks<'_>,
    ) -> Result<StateReport, DetectError> {
        let mut places = Vec::new();
        model.surface_positions(controls, at, &mut places);
        self.check_places(model, controls, &places, at.time)
    }

    fn check_places(
        &mut self,
        model: &Model,
        controls: &Controls,
        places: &[Vec3],
        time: f64,
    ) -> Result<StateReport, DetectError> {
        let surface = CheckedSurface { mesh: &self.mesh, phase: &mut self.phase, closed: &self.closed };
        let report = surface.intersections(model, controls, places, time);
        self.phase.release();
        report
    }
}

/// A mesh, its tree, and which of its bodies are closed.
pub(super) struct CheckedSurface<'a> {
    pub mesh: &'a CollisionMesh,
    /// Where its boxes are does not matter; afterwards they are at the configuration.
    pub phase: &'a mut BroadPhase,
    pub closed: &'a ClosedSurfaces,
}

impl CheckedSurface<'_> {
    /// Crossings, overlaps, points inside closed bodies and inside analytic colliders, for vertices
    /// at these places \[m\] at a time \[s\].
    pub fn intersections(
        self,
        model: &Model,
        controls: &Controls,
        places: &[Vec3],
        time: f64,
    ) -> Result<StateReport, DetectError> {
        let CheckedSurface { mesh, phase, closed } = self;
        let mut report = check_state_with(phase, closed, mesh, places)?;
        let solids = |[a, b]: [u32; 2]| a != b && closed.contains(a) && closed.contains(b);
        report.crossings.retain(|c| c.depth > INSIDE || !solids(c.bodies));
        report.inside.retain(|i| i.depth > INSIDE);
        for shape in PlacedShape::all(model) {
            let posed = shape.moving(controls).posed(time);
            let inside = |vertex: u32| {
                let place = places[vertex as usize];
                let depth = -posed.closest(&place).distance;
                let bodies = [model.surfaces.object_of_vertex[vertex as usize], shape.object];
                let touching = mesh.vertex_body(vertex).is_some() && !mesh.is_rooted(vertex, shape.object);
                (depth > INSIDE && touching).then_some(InsidePoint { vertex, bodies, place, depth })
            };
            let dynamic = (0..model.surfaces.kinematic_start() as u32).into_par_iter();
            report.inside.par_extend(dynamic.with_min_len(1024).filter_map(inside));
        }
        Ok(report)
    }
}
