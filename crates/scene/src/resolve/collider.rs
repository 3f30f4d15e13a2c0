//! Colliders: one shape each, placed, with its motion.

use super::Context;
use super::check::{direction, non_negative, positive, rotation, vec3, within_reach};
use super::grain::friction_direction;
use super::material::friction;
use super::mesh::{Placement, raw_mesh};
use super::motion::motion;
use super::sequence::sequence;
use crate::error::{MeshError, Problem, Resolved, fault};
use crate::file::{ColliderFile, TextOr, Unit};
use crate::geometry::{check_mesh, mean, surface_of_tets};
use crate::motion::Motion;
use crate::resolved::{Cells, Collider, ColliderMotion, ColliderShape, Mesh};
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// Contact gap where none is given [m].
pub(super) const DEFAULT_GAP: f64 = 1e-3;

pub(super) fn colliders(
    files: &BTreeMap<String, ColliderFile>,
    context: &mut Context<'_>,
) -> Resolved<Vec<Collider>> {
    files.iter().map(|(name, file)| collider(name, file, context)).collect()
}

fn collider(name: &str, file: &ColliderFile, context: &mut Context<'_>) -> Resolved<Collider> {
    let path = format!("colliders.{name}");
    let placement = Placement::new(&path, file.scale.as_ref(), file.rotate.as_ref(), file.translate)?;
    let shape = shape(&path, file, &placement, context)?;
    check_reach(&path, &shape)?;
    let movement = match (&file.motion, &file.sequence) {
        (Some(_), Some(_)) => {
            let problem =
                Problem::Conflict("a collider moves by `motion` or by `sequence`, not both".to_owned());
            return fault(path, problem, "take one of them out");
        }
        (Some(m), None) => ColliderMotion::Keyed(motion(&format!("{path}.motion"), m, middle(&shape))?),
        (None, Some(s)) => {
            let metres = mesh_unit(file);
            sequence(&path, s, &shape, |p| placement.apply(&(p * metres)), context)?
        }
        (None, None) => ColliderMotion::Keyed(Motion::fixed_about(middle(&shape))),
    };
    let friction_direction = match &file.friction_direction {
        Some(f) => {
            let mesh = if let ColliderShape::Mesh(mesh) = &shape { Some((mesh, &placement)) } else { None };
            Some(friction_direction(&format!("{path}.friction_direction"), f, mesh, context)?)
        }
        None => None,
    };
    Ok(Collider {
        name: name.to_owned(),
        shape,
        friction_direction,
        motion: movement,
        friction: friction(&format!("{path}.friction"), file.friction.unwrap_or(0.5))?,
        thickness: non_negative(&format!("{path}.thickness"), "thickness", file.thickness.unwrap_or(0.0))?,
        contact_gap: non_negative(&format!("{path}.gap"), "gap", file.gap.unwrap_or(DEFAULT_GAP))?,
        colour: file.colour,
    })
}

fn shape(
    path: &str,
    file: &ColliderFile,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<ColliderShape> {
    refuse_mixtures(path, file)?;
    let inverted = file.inverted.unwrap_or(false);
    let shift = file.translate.map_or_else(Vec3::zeros, vec3);
    if let Some(plane) = &file.plane {
        let normal = match &plane.normal {
            Some(normal) => direction(&format!("{path}.plane.normal"), normal)?,
            None => context.up,
        };
        return Ok(ColliderShape::Plane { normal, offset: plane.offset.unwrap_or(0.0) + normal.dot(&shift) });
    }
    if let Some(s) = &file.sphere {
        return Ok(ColliderShape::Sphere {
            centre: s.centre.map_or_else(Vec3::zeros, vec3) + shift,
            radius: positive(&format!("{path}.sphere.radius"), "radius", s.radius)?,
            inverted,
        });
    }
    if let Some(b) = &file.box_ {
        for size in b.size {
            positive(&format!("{path}.box.size"), "size", size)?;
        }
        return Ok(ColliderShape::Box {
            centre: b.centre.map_or_else(Vec3::zeros, vec3) + shift,
            half_size: vec3(b.size) * 0.5,
            rotation: rotation(&format!("{path}.box.rotate"), b.rotate.as_ref())?,
            inverted,
        });
    }
    if let Some(segment) = file.cylinder.as_ref().or(file.capsule.as_ref()) {
        let key = if file.cylinder.is_some() { "cylinder" } else { "capsule" };
        let at = format!("{path}.{key}");
        let radius = positive(&format!("{at}.radius"), "radius", segment.radius)?;
        let (start, end) = (vec3(segment.start) + shift, vec3(segment.end) + shift);
        positive(&at, "the length of the axis", (end - start).norm())?;
        return Ok(match key {
            "cylinder" => ColliderShape::Cylinder { start, end, radius, inverted },
            _ => ColliderShape::Capsule { start, end, radius, inverted },
        });
    }
    mesh_shape(path, file, placement, context)
}

/// Places and sizes that can be computed with; a mesh has been checked when it was read.
fn check_reach(path: &str, shape: &ColliderShape) -> Resolved<()> {
    let lengths: Vec<Vec3> = match shape {
        ColliderShape::Plane { offset, .. } => vec![Vec3::repeat(*offset)],
        ColliderShape::Sphere { centre, radius, .. } => vec![*centre, Vec3::repeat(*radius)],
        ColliderShape::Box { centre, half_size, .. } => vec![*centre, *half_size],
        ColliderShape::Cylinder { start, end, radius, .. }
        | ColliderShape::Capsule { start, end, radius, .. } => vec![*start, *end, Vec3::repeat(*radius)],
        ColliderShape::Mesh(_) => Vec::new(),
    };
    lengths.into_iter().try_for_each(|length| within_reach(path, length.into()).map(drop))
}

/// A collider has one shape, and only what that shape can have.
fn refuse_mixtures(path: &str, file: &ColliderFile) -> Resolved<()> {
    let given = [
        ("plane", file.plane.is_some()),
        ("sphere", file.sphere.is_some()),
        ("box", file.box_.is_some()),
        ("cylinder", file.cylinder.is_some()),
        ("capsule", file.capsule.is_some()),
        ("mesh", file.mesh.is_some()),
    ];
    if given.iter().filter(|(_, on)| *on).count() != 1 {
        let problem = Problem::Conflict("a collider has exactly one shape".to_owned());
        return fault(path, problem, "write one of plane, sphere, box, cylinder, capsule, mesh");
    }
    if (file.scale.is_some() || file.rotate.is_some()) && file.mesh.is_none() {
        let problem = Problem::Conflict("`scale` and `rotate` of a collider are for meshes".to_owned());
        return fault(path, problem, "give the size and direction in the shape itself");
    }
    if file.inverted == Some(true) && (file.plane.is_some() || file.mesh.is_some()) {
        let problem = Problem::Conflict("planes and meshes cannot be inverted".to_owned());
        return fault(format!("{path}.inverted"), problem, "turn the normal, or the triangles, round");
    }
    Ok(())
}

fn mesh_shape(
    path: &str,
    file: &ColliderFile,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<ColliderShape> {
    let at = format!("{path}.mesh");
    let Some(spec) = &file.mesh else { unreachable!("the shape was counted") };
    let (raw, source) = raw_mesh(&at, spec, context)?;
    let vertices: Vec<Vec3> = raw.vertices.iter().map(|p| placement.apply(p)).collect();
    let mut cells = raw.cells;
    if let Err(error) = check_mesh(&vertices, &mut cells, &source) {
        // Loose vertices do no harm in a thing without mass.
        if !matches!(error, MeshError::LooseVertex { .. }) {
            return fault(at, error, "mend the mesh");
        }
    }
    if let Cells::Tets(tets) = &cells {
        cells = Cells::Triangles(surface_of_tets(tets));
    }
    Ok(ColliderShape::Mesh(Mesh { vertices, cells, uv: raw.uv, rest_vertices: None, source }))
}

fn middle(shape: &ColliderShape) -> Vec3 {
    match shape {
        ColliderShape::Plane { normal, offset } => normal * *offset,
        ColliderShape::Sphere { centre, .. } | ColliderShape::Box { centre, .. } => *centre,
        ColliderShape::Cylinder { start, end, .. } | ColliderShape::Capsule { start, end, .. } => {
            (start + end) * 0.5
        }
        ColliderShape::Mesh(mesh) => mean(&mesh.vertices),
    }
}

/// Metres per unit of the collider's mesh; its sequence is in the same unit.
fn mesh_unit(file: &ColliderFile) -> f64 {
    match &file.mesh {
        Some(TextOr::Full(mesh)) => mesh.unit.map_or(1.0, Unit::metres),
        _ => 1.0,
    }
}
