//! The surfaces of a model as a collision mesh.

use stiction_bodies::{Model, Surfaces};
use stiction_collision::{BodyTraits, CollisionMesh, MeshError, MeshInput};

/// Builds the collision mesh of a model; objects are bodies first, then colliders. Pairs that are closer than their
/// thickness at rest are left out, and so is the first segment of a strand against the body that it grows on.
pub fn collision_mesh(model: &Model) -> Result<CollisionMesh, MeshError> {
    let surfaces = &model.surfaces;
    let mut mesh = CollisionMesh::new(mesh_input(surfaces))?;
    let mut rest = Vec::new();
    surfaces.positions(&model.rest, &model.colliders, 0.0, &mut rest);
    mesh.exclude_rest_neighbours(&rest)?;
    mesh.set_rooted(&rooted_segments(model));
    Ok(mesh)
}

/// Nodes of first segments, with the body that they grow on.
pub(super) fn rooted_segments(model: &Model) -> Vec<(u32, u32)> {
    model.roots.segments.iter().flat_map(|&(nodes, ground)| nodes.map(|n| (n, ground))).collect()
}

fn mesh_input(surfaces: &Surfaces) -> MeshInput {
    let traits = |vertex: u32| {
        let object = surfaces.object_of_vertex[vertex as usize];
        (surfaces.objects[object as usize].half_thickness, object)
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
