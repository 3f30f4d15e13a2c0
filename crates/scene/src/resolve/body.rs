//! Bodies: mesh, material, pins, copies.

use super::Context;
use super::check::{non_negative, positive, spans, vec3, velocity};
use super::collider::DEFAULT_GAP;
use super::copies::copies;
use super::frames::{frame_pins, on_frames, refuse_frames};
use super::grain::friction_direction;
use super::inflation::inflation;
use super::mass::check_mass;
use super::material::{friction, kind_name, material};
use super::mesh::{Placement, raw_mesh};
use super::motion::motion;
use super::rigid::{refuse_rigid_keys, rigid_pins, rigid_source};
use super::roots::{ground, grows_on, refuse_placement};
use super::select::Selectable;
use crate::error::{MeshError, Problem, Resolved, fault, suggest};
use crate::file::{BodyFile, KindName, PinFile, Select};
use crate::generate::RawMesh;
use crate::geometry::{check_mesh, embed, mean};
use crate::material::Material;
use crate::motion::Motion;
use crate::resolved::{
    BodyKind, Cells, Collider, ColliderMotion, EmbeddedSurface, Mesh, Pin, RestShape, SceneBody,
    SceneRigidBody, VertexGroup,
};
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// Bodies with what only resolving needs.
pub(super) struct Bodies {
    pub list: Vec<SceneBody>,
    /// Sewing lines of the mesh files, by written body name.
    pub stitches: BTreeMap<String, Vec<(u32, u32, u32, f64)>>,
    /// Seats of grown strands, by written body name.
    pub seats: BTreeMap<String, Vec<(u32, [f64; 3])>>,
}

pub(super) fn bodies(
    files: &BTreeMap<String, BodyFile>,
    colliders: &[Collider],
    context: &mut Context<'_>,
) -> Resolved<Bodies> {
    let mut bodies = Bodies { list: Vec::new(), stitches: BTreeMap::new(), seats: BTreeMap::new() };
    let mut made: BTreeMap<&String, Vec<SceneBody>> = BTreeMap::new();
    // What grows on another body comes after it; the list stays in the order of names.
    let (grown, plain): (Vec<_>, Vec<_>) = files.iter().partition(|(_, file)| grows_on(file).is_some());
    for (name, file) in plain.into_iter().chain(grown) {
        let path = format!("bodies.{name}");
        if name.contains('.') {
            let problem = Problem::Conflict(format!("the name `{name}` has a dot in it"));
            return fault(path, problem, "dots separate names in paths: use `_`");
        }
        if colliders.iter().any(|c| c.name == *name) {
            let problem = Problem::Conflict(format!("`{name}` is the name of a collider too"));
            return fault(path, problem, "give them different names");
        }
        let (body, raw) = body(&path, name, file, colliders, context)?;
        bodies.stitches.insert(name.clone(), raw.stitches);
        bodies.seats.insert(name.clone(), raw.seats);
        let list = copies(&path, body, file, context)?;
        context.grounds.extend(list.iter().filter_map(|b| Some((b.name.clone(), ground(b)?))));
        made.insert(name, list);
    }
    bodies.list = made.into_values().flatten().collect();
    Ok(bodies)
}

fn body(
    path: &str,
    name: &str,
    file: &BodyFile,
    colliders: &[Collider],
    context: &mut Context<'_>,
) -> Resolved<(SceneBody, RawMesh)> {
    let at = |key: &str| format!("{path}.{key}");
    refuse_placement(path, file)?;
    refuse_frames(path, file)?;
    let placement = Placement::new(path, file.scale.as_ref(), file.rotate.as_ref(), file.translate)?;
    let (raw, mut mesh, rigid) = geometry(path, file, &placement, context)?;
    let rest = rest_shape(&at("rest"), file, &mut mesh, &placement, context)?;
    let (material, written_material, suggested_friction) = material(&at("material"), file, rigid.as_ref())?;
    check_mass(path, &mesh, &material)?;
    let groups = groups(path, file, &raw, &mesh)?;
    let thickness = thickness(path, file, &material)?;
    let embedded = surface(&at("surface"), file, &mesh, &placement, context)?;
    let (mesh, embedded, pins, frames) = match (file.kind, &rigid) {
        (KindName::Skinned | KindName::Affine, _) => {
            let on = on_frames(path, file, mesh, thickness, embedded)?;
            let seats = Selectable { mesh: &on.surface.mesh, groups: &groups };
            let pins = frame_pins(path, file, &on.frames.centres, &seats, colliders)?;
            (on.nodes, Some(on.surface), pins, Some(on.frames))
        }
        (_, Some(rigid)) => {
            let seats = Selectable { mesh: &mesh, groups: &groups };
            let pins = rigid_pins(path, file, &seats, rigid, colliders)?;
            (mesh, None, pins, None)
        }
        (_, None) => {
            let pins = pins(path, file, &mesh, &groups, colliders)?;
            (mesh, embedded, pins, None)
        }
    };
    let friction_direction = match &file.friction_direction {
        Some(f) => {
            let touching = embedded.as_ref().map_or(&mesh, |s| &s.mesh);
            Some(friction_direction(&at("friction_direction"), f, Some((touching, &placement)), context)?)
        }
        None => None,
    };
    let body = SceneBody {
        name: name.to_owned(),
        kind: match file.kind {
            KindName::Cloth => BodyKind::Cloth,
            KindName::Rod => BodyKind::Rod,
            KindName::Solid => BodyKind::Solid,
            KindName::Skinned => BodyKind::Skinned,
            KindName::Affine => BodyKind::Affine,
            KindName::Rigid => BodyKind::Rigid,
        },
        friction: friction(&at("friction"), file.friction.or(suggested_friction).unwrap_or(0.5))?,
        friction_direction,
        thickness,
        contact_gap: non_negative(&at("gap"), "gap", file.gap.unwrap_or(DEFAULT_GAP))?,
        pins,
        initial_velocity: velocity(&at("velocity"), file.velocity.unwrap_or_default())?,
        spin: velocity(&at("spin"), file.spin.unwrap_or_default())?,
        self_contact: file.self_contact.unwrap_or(file.kind != KindName::Rigid),
        groups,
        instance_of: None,
        colour: file.colour,
        embedded_surface: embedded,
        frames,
        rigid,
        rest,
        inflation: inflation(&at("inflation"), file, &mesh)?,
        warp: file.warp.and_then(|w| vec3(w).try_normalize(0.0)),
        mesh,
        material,
        written_material,
    };
    Ok((body, raw))
}

/// The placed mesh of a body, with the one that it was made from; a rigid body has shape and pose
/// too.
fn geometry(
    path: &str,
    file: &BodyFile,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<(RawMesh, Mesh, Option<SceneRigidBody>)> {
    if file.kind == KindName::Rigid {
        let source = rigid_source(path, file, placement, context)?;
        return Ok((source.raw, source.mesh, Some(source.rigid)));
    }
    refuse_rigid_keys(path, file)?;
    let Some(spec) = &file.mesh else {
        return fault(path, Problem::MissingKey("mesh".into()), "give `mesh`: a file name or a generator");
    };
    let (raw, source) = raw_mesh(&format!("{path}.mesh"), spec, context)?;
    let mesh = placed(path, file.kind, &raw, source, placement)?;
    Ok((raw, mesh, None))
}

/// Geometric thickness: that of the body, or else of its material.
fn thickness(path: &str, file: &BodyFile, material: &Material) -> Resolved<f64> {
    let at = format!("{path}.thickness");
    let value = file.thickness.unwrap_or(match material {
        Material::Cloth(m) => m.thickness,
        Material::Rod(m) => m.section.diameter(),
        Material::Solid(_) | Material::Rigid(_) => 0.0,
    });
    match file.kind {
        KindName::Cloth | KindName::Rod => positive(&at, "thickness", value),
        KindName::Solid | KindName::Skinned | KindName::Affine | KindName::Rigid => {
            non_negative(&at, "thickness", value)
        }
    }
}

/// Places a mesh and checks it as cells of this kind of body.
fn placed(
    path: &str,
    kind: KindName,
    raw: &RawMesh,
    source: String,
    placement: &Placement,
) -> Resolved<Mesh> {
    let (found, fits) = match &raw.cells {
        Cells::Triangles(_) => {
            ("triangles", matches!(kind, KindName::Cloth | KindName::Skinned | KindName::Affine))
        }
        Cells::Tets(_) => ("tets", matches!(kind, KindName::Solid | KindName::Skinned | KindName::Affine)),
        Cells::Strands(_) => ("strands", kind == KindName::Rod),
    };
    if !fits {
        let needed = match kind {
            KindName::Cloth => "triangles",
            KindName::Rod => "strands",
            KindName::Solid => "tets",
            KindName::Skinned | KindName::Affine | KindName::Rigid => "triangles or tets",
        };
        let error = MeshError::WrongCells { source_name: source, found, body: kind_name(kind), needed };
        return fault(format!("{path}.mesh"), error, "change `kind`, or use a mesh of the right cells");
    }
    let vertices: Vec<Vec3> = raw.vertices.iter().map(|p| placement.apply(p)).collect();
    let mut cells = raw.cells.clone();
    if let Err(error) = check_mesh(&vertices, &mut cells, &source) {
        let help = match error {
            MeshError::Inverted { .. } => "swap two vertices of each inverted tet, or mesh it again",
            MeshError::Degenerate { .. } => "remove or mend the cell in the mesh",
            MeshError::LooseVertex { .. } => "remove the vertex from the mesh, or use it in a cell",
            _ => "mend the mesh",
        };
        return fault(format!("{path}.mesh"), error, help);
    }
    Ok(Mesh { vertices, cells, uv: raw.uv.clone(), rest_vertices: None, source })
}

fn rest_shape(
    path: &str,
    file: &BodyFile,
    mesh: &mut Mesh,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<RestShape> {
    let Some(rest) = &file.rest else { return Ok(RestShape::Mesh) };
    let ways = [rest.mesh.is_some(), rest.scale.is_some(), rest.pattern == Some(true)];
    if ways.iter().filter(|on| **on).count() > 1 {
        let problem = Problem::Conflict("the rest shape is given in more than one way".to_owned());
        return fault(path, problem, "keep one of `mesh`, `scale`, `pattern`");
    }
    if rest.pattern == Some(true) {
        return pattern(path, file.kind, mesh);
    }
    if let Some(scale) = rest.scale {
        let scale = positive(&format!("{path}.scale"), "scale", scale)?;
        let middle = mean(&mesh.vertices);
        mesh.rest_vertices = Some(mesh.vertices.iter().map(|p| middle + (p - middle) * scale).collect());
    }
    if let Some(spec) = &rest.mesh {
        mesh.rest_vertices = Some(rest_mesh(path, spec, mesh, placement, context)?);
    }
    Ok(RestShape::Mesh)
}

fn rest_mesh(
    path: &str,
    spec: &crate::file::MeshSource,
    mesh: &Mesh,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<Vec<Vec3>> {
    let at = format!("{path}.mesh");
    let (raw, source) = raw_mesh(&at, spec, context)?;
    let vertices: Vec<Vec3> = raw.vertices.iter().map(|p| placement.apply(p)).collect();
    if vertices.len() != mesh.vertices.len() {
        let (a, b) = (vertices.len(), mesh.vertices.len());
        let problem =
            Problem::Conflict(format!("the rest mesh `{source}` has {a} vertices, the mesh has {b}"));
        return fault(at, problem, "both must have the same vertices and cells");
    }
    let mut cells = mesh.cells.clone();
    match check_mesh(&vertices, &mut cells, &source) {
        Ok(_) => Ok(vertices),
        Err(error) => fault(at, error, "mend the rest mesh"),
    }
}

fn pattern(path: &str, kind: KindName, mesh: &Mesh) -> Resolved<RestShape> {
    let at = format!("{path}.pattern");
    let (Some(uv), Cells::Triangles(triangles), KindName::Cloth) = (&mesh.uv, &mesh.cells, kind) else {
        let problem = Problem::Conflict(format!("the mesh `{}` has no flat pattern", mesh.source));
        return fault(at, problem, "use a cloth whose OBJ file gives each vertex one `vt`");
    };
    let flat: Vec<Vec3> = uv.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
    match check_mesh(&flat, &mut Cells::Triangles(triangles.clone()), &mesh.source) {
        Ok(_) => Ok(RestShape::Pattern),
        Err(error) => fault(at, error, "the pattern (`vt`) must have an area for every triangle"),
    }
}

fn surface(
    path: &str,
    file: &BodyFile,
    mesh: &Mesh,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<Option<EmbeddedSurface>> {
    let Some(spec) = &file.surface else { return Ok(None) };
    let Cells::Tets(tets) = &mesh.cells else {
        let problem = Problem::Conflict("only a solid can carry a surface".to_owned());
        return fault(path, problem, "take `surface` out, or make the body of tets");
    };
    let (raw, source) = raw_mesh(path, spec, context)?;
    let vertices: Vec<Vec3> = raw.vertices.iter().map(|p| placement.apply(p)).collect();
    let mut cells = raw.cells;
    if !matches!(cells, Cells::Triangles(_)) {
        let (found, needed) = ("no triangles", "triangles");
        let error = MeshError::WrongCells { source_name: source, found, body: "carried surface", needed };
        return fault(path, error, "use a triangle mesh");
    }
    if let Err(error) = check_mesh(&vertices, &mut cells, &source) {
        return fault(path, error, "mend the surface mesh");
    }
    let skin = Mesh { vertices, cells, uv: raw.uv, rest_vertices: None, source };
    Ok(Some(embed(skin, &mesh.vertices, tets)))
}

fn groups(path: &str, file: &BodyFile, raw: &RawMesh, mesh: &Mesh) -> Resolved<Vec<VertexGroup>> {
    let mut groups: Vec<VertexGroup> = raw
        .groups
        .iter()
        .map(|(name, vertices)| VertexGroup { name: name.clone(), vertices: vertices.clone() })
        .collect();
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    let mut written = Vec::new();
    for (name, select) in &file.groups {
        let vertices =
            Selectable { mesh, groups: &groups }.select(&format!("{path}.groups.{name}"), select)?;
        written.push(VertexGroup { name: name.clone(), vertices });
    }
    groups.retain(|g| !file.groups.contains_key(&g.name));
    groups.extend(written);
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(groups)
}

fn pins(
    path: &str,
    file: &BodyFile,
    mesh: &Mesh,
    groups: &[VertexGroup],
    colliders: &[Collider],
) -> Resolved<Vec<Pin>> {
    let mut pins = Vec::with_capacity(file.pins.len());
    for (index, pin) in file.pins.iter().enumerate() {
        let at = format!("{path}.pins.{index}");
        let vertices = Selectable { mesh, groups }.select(&format!("{at}.select"), pin_select(&at, pin)?)?;
        let held: Vec<Vec3> = vertices.iter().map(|i| mesh.vertices[*i as usize]).collect();
        pins.push(one_pin(&at, pin, vertices, mean(&held), colliders)?);
    }
    Ok(pins)
}

/// What a pin holds; only rigid bodies, which are held whole, may leave it out.
pub(super) fn pin_select<'a>(at: &str, pin: &'a PinFile) -> Resolved<&'a Select> {
    match &pin.select {
        Some(select) => Ok(select),
        None => {
            fault(at, Problem::MissingKey("select".into()), "name the vertices: `select = \"left\"`, say")
        }
    }
}

/// A pin of vertices whose middle is given.
pub(super) fn one_pin(
    at: &str,
    pin: &PinFile,
    vertices: Vec<u32>,
    middle: Vec3,
    colliders: &[Collider],
) -> Resolved<Pin> {
    Ok(Pin {
        motion: pin_motion(at, pin, middle, colliders)?,
        follow: pin.follow.as_ref().and_then(|name| colliders.iter().position(|c| c.name == *name)),
        vertices,
        active: spans(&format!("{at}.active"), &pin.active)?,
        stiffness: match pin.stiffness {
            Some(k) => Some(positive(&format!("{at}.stiffness"), "stiffness", k)?),
            None => None,
        },
        hold_twist: pin.hold_twist.unwrap_or(true),
    })
}

fn pin_motion(path: &str, pin: &PinFile, middle: Vec3, colliders: &[Collider]) -> Resolved<Motion> {
    let Some(name) = &pin.follow else {
        return match &pin.motion {
            Some(file) => motion(&format!("{path}.motion"), file, middle),
            None => Ok(Motion::fixed_about(middle)),
        };
    };
    let at = format!("{path}.follow");
    if pin.motion.is_some() {
        let problem =
            Problem::Conflict("a pin has its own `motion` or follows a collider, not both".to_owned());
        return fault(at, problem, "take one of them out");
    }
    match colliders.iter().find(|c| c.name == *name).map(|c| &c.motion) {
        Some(ColliderMotion::Keyed(motion)) => Ok(motion.clone()),
        Some(ColliderMotion::Sequence { .. }) => {
            let problem =
                Problem::Conflict(format!("`{name}` deforms, so a pin cannot follow it as one piece"));
            fault(at, problem, "use an attachment with `to_collider` instead")
        }
        None => {
            let known: Vec<&str> = colliders.iter().map(|c| c.name.as_str()).collect();
            let help = suggest(name, known);
            fault(at, Problem::UnknownName { kind: "collider", name: name.clone() }, help)
        }
    }
}
