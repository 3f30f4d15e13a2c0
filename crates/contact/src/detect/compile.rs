//! The surfaces of a model as a collision mesh.

use std::sync::Arc;
use stiction_bodies::Model;
use stiction_collision::{BodyTraits, CollisionMesh, MeshInput, SurfaceError};
use stiction_scene::resolved::BodyKind;

/// The collision mesh of a model, made once and shared; objects are bodies first, then colliders.
/// Pairs that are closer than their thickness at rest are left out, and so is the first segment of
/// a strand against the body that it grows on.
pub fn collision_mesh(model: &Model) -> Result<Arc<CollisionMesh>, SurfaceError> {
    model.derived.get_or_make(|| collision_mesh_with_skins(model, 0.0))
}

/// The same with a skin on solids that have no thickness: at most this share of their size on each
/// side.
pub(super) fn collision_mesh_with_skins(model: &Model, share: f64) -> Result<CollisionMesh, SurfaceError> {
    let mut mesh = CollisionMesh::new(mesh_input(model, share))?;
    mesh.exclude_rest_neighbours(&model.rest_surface())?;
    mesh.set_rooted(&rooted_segments(model));
    Ok(mesh)
}

/// Nodes of first segments, with the body that they grow on.
pub(super) fn rooted_segments(model: &Model) -> Vec<(u32, u32)> {
    model.roots.segments.iter().flat_map(|&(nodes, ground)| nodes.map(|n| (n, ground))).collect()
}

/// Whether bodies of a kind have an inside.
pub(super) fn is_solid(kind: BodyKind) -> bool {
    matches!(kind, BodyKind::Solid | BodyKind::Affine)
}

/// Share of the smallest extent that a skin may take: cards stay cards.
const THIN: f64 = 0.02;

/// Half-thickness per object \[m\]. A solid without thickness gets a skin of a share of its largest
/// extent.
///
/// Surfaces without thickness meet at distance zero, where neither a normal nor a side can be told
/// from rounding: solids went through each other there. Analytic colliders need no skin, since
/// their distance has a sign.
fn half_thickness(model: &Model, share: f64) -> Vec<f64> {
    let mut out: Vec<f64> = model.surfaces.objects.iter().map(|o| o.half_thickness).collect();
    for (body, half) in model.bodies.iter().zip(&mut out) {
        if *half > 0.0 || !is_solid(body.kind) {
            continue;
        }
        let places = &model.rest[body.nodes.clone()];
        let (low, high) = places.iter().fold((places[0], places[0]), |(l, h), x| (l.inf(x), h.sup(x)));
        let extent = high - low;
        *half = (share * extent.max()).min(THIN * extent.min());
    }
    out
}

fn mesh_input(model: &Model, share: f64) -> MeshInput {
    let surfaces = &model.surfaces;
    let half_thickness = half_thickness(model, share);
    let traits = |vertex: u32| {
        let object = surfaces.object_of_vertex[vertex as usize];
        (half_thickness[object as usize], object)
    };
    MeshInput {
        vertex_count: surfaces.vertices(),
        triangles: surfaces.triangles.clone(),
        triangle_traits: surfaces.triangles.iter().map(|t| traits(t[0])).collect(),
        segments: surfaces.segments.clone(),
        segment_traits: surfaces.segments.iter().map(|s| traits(s[0])).collect(),
        bodies: surfaces
            .objects
            .iter()
            .map(|o| BodyTraits { self_contact: o.self_contact, prescribed: o.kinematic })
            .collect(),
        ..MeshInput::default()
    }
}
