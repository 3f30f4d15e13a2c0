//! Judges whole configurations. Mesh and tree are lent: a method that has them for its own search need not hold a second pair.

use super::DetectError;
use super::analytic::PlacedShape;
use super::collider::INSIDE;
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_collision::intersection::{ClosedSurfaces, InsidePoint, StateReport, check_state_with};
use stiction_collision::{BroadPhase, CollisionMesh};
use stiction_numerics::Vec3;

/// A mesh and its tree, thicknesses as the scene gives them.
pub struct LentTree<'a> {
    /// What can touch.
    pub mesh: &'a CollisionMesh,
    /// Its tree; where its boxes stand does not matter.
    pub phase: &'a mut BroadPhase,
}

/// What judging needs beside a mesh and its tree.
#[derive(Default)]
pub struct Judge {
    /// Which bodies are closed; found at the first judgement.
    closed: Option<ClosedSurfaces>,
}

impl Judge {
    /// Whether the surface of an object is closed, once something has been judged.
    pub fn is_closed(&self, object: u32) -> bool {
        self.closed.as_ref().is_some_and(|closed| closed.contains(object))
    }

    /// Judges a configuration: crossings, overlaps, points inside closed bodies and inside analytic colliders. The boxes of the tree stand there afterwards.
    pub fn judge(
        &mut self,
        LentTree { mesh, phase }: &mut LentTree<'_>,
        model: &Model,
        blocks: &[Vec3],
        time: f64,
    ) -> Result<StateReport, DetectError> {
        let mut places = Vec::new();
        model.surfaces.positions(blocks, &model.colliders, time, &mut places);
        let closed = self.closed.get_or_insert_with(|| ClosedSurfaces::new(mesh));
        let mut report = check_state_with(phase, closed, mesh, &places)?;
        let solids = |[a, b]: [u32; 2]| a != b && closed.contains(a) && closed.contains(b);
        report.crossings.retain(|c| c.depth > INSIDE || !solids(c.bodies));
        report.inside.retain(|i| i.depth > INSIDE);
        for shape in PlacedShape::all(model) {
            let posed = shape.posed(time);
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
