//! Rigid bodies: closed shapes that move as one, with a density or a total mass.

use super::Context;
use super::body::one_pin;
use super::check::positive;
use super::mesh::{Placement, raw_mesh};
use super::select::Selectable;
use crate::error::{MeshError, Problem, Resolved, fault};
use crate::file::{self, BodyFile, MaterialFile, RigidShapeFile};
use crate::generate::RawMesh;
use crate::geometry::check_mesh;
use crate::material::{Material, RigidMaterial};
use crate::resolved::{Cells, Collider, Mesh, Pin, SceneRigidBody};
use crate::rigid::{RigidError, rigid_body, surface_triangles};

/// A rigid body with its whole surface in the world, and the meshes that it was made from as one.
pub(super) struct RigidSource {
    pub raw: RawMesh,
    pub mesh: Mesh,
    pub rigid: SceneRigidBody,
}

/// Reads and places all shapes of a body, checks that each is closed, and finds their common centre
/// and inertia.
pub(super) fn rigid_source(
    path: &str,
    file: &BodyFile,
    placement: &Placement,
    context: &mut Context<'_>,
) -> Resolved<RigidSource> {
    refuse_deformable_keys(path, file)?;
    let mut parts = Vec::new();
    let mut whole = RawMesh::new(Vec::new(), Cells::Triangles(Vec::new()));
    for shape in shapes(path, file)? {
        let (raw, source) = raw_mesh(&shape.path, shape.mesh, context)?;
        let vertices = raw.vertices.iter().map(|p| placement.apply(&shape.placement.apply(p))).collect();
        let part = Mesh { vertices, cells: raw.cells.clone(), uv: None, rest_vertices: None, source };
        parts.push(checked(&shape.path, part)?);
        whole.uv = raw.uv.clone().filter(|_| file.shapes.is_empty());
        append(&mut whole, raw);
    }
    let rigid = match rigid_body(&parts) {
        Ok(rigid) => rigid,
        Err(error) => return fault(at_fault(path, file), Problem::Conflict(error.to_string()), help(&error)),
    };
    let source = parts.iter().map(|p| p.source.as_str()).collect::<Vec<_>>().join(" + ");
    let mesh = Mesh {
        vertices: rigid.world_vertices(),
        cells: Cells::Triangles(rigid.shape.triangles.clone()),
        uv: whole.uv.clone(),
        rest_vertices: None,
        source,
    };
    Ok(RigidSource { raw: whole, mesh, rigid })
}

/// A closed mesh as written, and where in the body it is.
struct Shape<'a> {
    path: String,
    mesh: &'a file::MeshSource,
    placement: Placement,
}

fn shapes<'a>(path: &str, file: &'a BodyFile) -> Resolved<Vec<Shape<'a>>> {
    let at = format!("{path}.mesh");
    match (&file.mesh, file.shapes.is_empty()) {
        (Some(mesh), true) => {
            Ok(vec![Shape { path: at, mesh, placement: Placement::new(path, None, None, None)? }])
        }
        (None, false) => {
            let one = |(index, shape): (usize, &'a RigidShapeFile)| {
                let path = format!("{path}.shapes.{index}");
                let RigidShapeFile { mesh, scale, rotate, translate } = shape;
                let placement = Placement::new(&path, scale.as_ref(), rotate.as_ref(), *translate)?;
                Ok(Shape { path: format!("{path}.mesh"), mesh, placement })
            };
            file.shapes.iter().enumerate().map(one).collect()
        }
        (None, true) => {
            fault(path, Problem::MissingKey("mesh".into()), "give a closed `mesh`, or several in `shapes`")
        }
        (Some(_), false) => {
            let problem = Problem::Conflict("a rigid body has one `mesh` or several `shapes`".to_owned());
            fault(at, problem, "keep one of them")
        }
    }
}

/// The mesh with its tets or triangles checked as cells.
fn checked(path: &str, mut mesh: Mesh) -> Resolved<Mesh> {
    if matches!(mesh.cells, Cells::Strands(_)) {
        let (found, body, needed) = ("strands", "rigid body", "closed triangles or tets");
        let error = MeshError::WrongCells { source_name: mesh.source, found, body, needed };
        return fault(path, error, "change `kind`, or use a mesh of the right cells");
    }
    if let Err(error) = check_mesh(&mesh.vertices, &mut mesh.cells, &mesh.source) {
        return fault(path, error, "mend the mesh");
    }
    mesh.cells = Cells::Triangles(surface_triangles(&mesh.cells));
    Ok(mesh)
}

/// Appends the vertices and groups of a mesh; groups of one name are joined.
fn append(whole: &mut RawMesh, next: RawMesh) {
    let first = whole.vertices.len() as u32;
    whole.vertices.extend(next.vertices);
    for (name, vertices) in next.groups {
        let shifted = vertices.into_iter().map(|v| v + first);
        match whole.groups.iter_mut().find(|g| g.0 == name) {
            Some(group) => group.1.extend(shifted),
            None => whole.groups.push((name, shifted.collect())),
        }
    }
}

fn at_fault(path: &str, file: &BodyFile) -> String {
    format!("{path}.{}", if file.shapes.is_empty() { "mesh" } else { "shapes" })
}

fn help(error: &RigidError) -> &'static str {
    match error {
        RigidError::Open { .. } => {
            "close the holes and turn all triangles outward: the mass is that of the volume inside"
        }
        RigidError::InsideOut { .. } => {
            "swap two vertices of every triangle, so that they are counter-clockwise seen from outside"
        }
        RigidError::NoVolume { .. } => "use a closed mesh with an inside; a thin sheet needs two sides",
        RigidError::NegativeInertia { .. } => {
            "turn all parts outward; only a cavity inside a part faces inward"
        }
    }
}

/// Keys that mean something only where a body deforms.
fn refuse_deformable_keys(path: &str, file: &BodyFile) -> Resolved<()> {
    let keys = [
        ("rest", file.rest.is_some()),
        ("surface", file.surface.is_some()),
        ("frames", file.frames.is_some()),
        ("inflation", file.inflation.is_some()),
        ("warp", file.warp.is_some()),
        ("self_contact", file.self_contact == Some(true)),
    ];
    match keys.iter().find(|(_, given)| *given) {
        Some((key, _)) => fault(
            format!("{path}.{key}"),
            Problem::Conflict(format!("`{key}` means nothing for a rigid body")),
            format!("take `{key}` out, or change `kind`"),
        ),
        None => Ok(()),
    }
}

/// Keys of rigid bodies that a body of another kind may not have.
pub(super) fn refuse_rigid_keys(path: &str, file: &BodyFile) -> Resolved<()> {
    let keys = [("shapes", !file.shapes.is_empty()), ("mass", file.mass.is_some())];
    match keys.iter().find(|(_, given)| *given) {
        Some((key, _)) => fault(
            format!("{path}.{key}"),
            Problem::Conflict(format!("`{key}` is for rigid bodies only")),
            "take it out, or write `kind = \"rigid\"`",
        ),
        None => Ok(()),
    }
}

/// The density: that of the material, or the total mass over the volume. `path` is that of the
/// material.
pub(super) fn rigid_material(
    path: &str,
    body: &BodyFile,
    material: &MaterialFile,
    rigid: &SceneRigidBody,
) -> Resolved<Material> {
    let parent = path.trim_end_matches(".material");
    let at = format!("{parent}.mass");
    let density = match (body.mass, material.density) {
        (Some(mass), None) => positive(&at, "mass", mass)? / rigid.shape.volume,
        (None, Some(density)) => positive(&format!("{path}.density"), "density", density)?,
        (Some(_), Some(_)) => {
            let problem = Problem::Conflict("both `mass` and a density are given".to_owned());
            return fault(at, problem, "keep `mass`, or the density of `material`");
        }
        (None, None) => {
            let help = "give `mass` in kg, or `material = { density = 1000 }`";
            return fault(parent, Problem::MissingKey("mass".into()), help);
        }
    };
    Ok(Material::Rigid(RigidMaterial { density }))
}

/// Pins of a rigid body: each holds it whole, exactly, without scaling.
pub(super) fn rigid_pins(
    path: &str,
    file: &BodyFile,
    seats: &Selectable<'_>,
    rigid: &SceneRigidBody,
    colliders: &[Collider],
) -> Resolved<Vec<Pin>> {
    let all: Vec<u32> = (0..seats.mesh.vertices.len() as u32).collect();
    let mut pins = Vec::with_capacity(file.pins.len());
    for (index, pin) in file.pins.iter().enumerate() {
        let at = format!("{path}.pins.{index}");
        if let Some(select) = &pin.select
            && seats.select(&format!("{at}.select"), select)? != all
        {
            let problem = Problem::Conflict("a pin holds a rigid body whole, not some vertices".to_owned());
            let help = "leave `select` out, or hold one point by a joint of kind \"ball\"";
            return fault(format!("{at}.select"), problem, help);
        }
        if pin.stiffness.is_some() {
            let problem = Problem::Conflict("a pin holds a rigid body exactly".to_owned());
            let help = "take `stiffness` out, or use a joint with a `drive`";
            return fault(format!("{at}.stiffness"), problem, help);
        }
        let held = one_pin(&at, pin, all.clone(), rigid.centre, colliders)?;
        if held.motion.keys.iter().any(|k| k.scale != 1.0) {
            let problem = Problem::Conflict("a rigid body cannot be scaled by its pin".to_owned());
            return fault(at, problem, "take `scale` out of the keys of the motion");
        }
        pins.push(held);
    }
    Ok(pins)
}
