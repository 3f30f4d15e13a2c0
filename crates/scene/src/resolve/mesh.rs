//! Builds a mesh from a file or generator, in metres, and places it.

use super::check::{between, count, non_negative, positive, rotation, vec3, within_reach};
use super::shapes::shape;
use super::size::declared_vertices;
use super::{Context, GrowthSurface};
use crate::document::content_hash;
use crate::error::{MeshError, Problem, Resolved, fault};
use crate::file::{
    self, ArchMesh, AxisName, GroomMesh, HelixMesh, LatheMesh, MeshFile, NumberOr, PalmMesh, RotateFile,
    SphereMesh, TextOr,
};
use crate::generate::{self, RawMesh};
use crate::read::{ReadError, load_bytes, read_mesh};
use crate::resolved::Cells;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::Rotation3;

/// Scale, rotation and translation of a mesh, in this order.
pub(super) struct Placement {
    scale: Vec3,
    rotation: Rotation3<f64>,
    translation: Vec3,
}

impl Placement {
    pub fn new(
        path: &str,
        scale: Option<&NumberOr<[f64; 3]>>,
        rotate: Option<&RotateFile>,
        translate: Option<[f64; 3]>,
    ) -> Resolved<Self> {
        let scale = match scale {
            None => Vec3::repeat(1.0),
            Some(NumberOr::Number(s)) => Vec3::repeat(*s),
            Some(NumberOr::Full(s)) => vec3(*s),
        };
        for k in 0..3 {
            positive(&format!("{path}.scale"), "scale", scale[k])?;
        }
        Ok(Placement {
            scale,
            rotation: Rotation3::from_scaled_axis(rotation(&format!("{path}.rotate"), rotate)?),
            translation: within_reach(&format!("{path}.translate"), translate.unwrap_or_default())?,
        })
    }

    pub fn apply(&self, p: &Vec3) -> Vec3 {
        self.turn(p) + self.translation
    }

    /// The same for a direction that lies in the mesh.
    pub fn turn(&self, d: &Vec3) -> Vec3 {
        self.rotation * d.component_mul(&self.scale)
    }
}

/// Reads or generates a mesh in metres; also returns what to call it in messages.
pub(super) fn raw_mesh(
    path: &str,
    mesh: &file::MeshSource,
    context: &mut Context<'_>,
) -> Resolved<(RawMesh, String)> {
    let short;
    let spec = match mesh {
        TextOr::Text(name) => {
            short = MeshFile { file: Some(name.clone()), ..MeshFile::default() };
            &short
        }
        TextOr::Full(spec) => spec,
    };
    let names = given(spec);
    let [name] = names.as_slice() else {
        let message = match names.len() {
            0 => "the mesh names neither a file nor a generator".to_owned(),
            _ => format!("the mesh names {}, but only one can be", names.join(" and ")),
        };
        let help = format!("write exactly one of {}", GENERATORS.join(", "));
        return fault(path, Problem::Conflict(message), help);
    };
    let at = format!("{path}.{name}");
    let (mut raw, source) = match &spec.file {
        Some(file) => (from_file(path, file, context)?, file.clone()),
        None => (generated(&at, spec, context)?, (*name).to_owned()),
    };
    context.spend_mesh(&at, &raw)?;
    let metres = spec.unit.map_or(1.0, file::Unit::metres);
    if metres != 1.0 {
        raw.vertices.iter_mut().for_each(|p| *p *= metres);
        raw.uv.iter_mut().flatten().for_each(|p| *p *= metres);
    }
    if raw.cells.is_empty() {
        let problem = Problem::Conflict(format!("the mesh `{source}` has no cells"));
        return fault(path, problem, "it needs triangles, tets or strands");
    }
    Ok((raw, source))
}

const GENERATORS: [&str; 27] = [
    "file",
    "grid",
    "disc",
    "box",
    "tet_box",
    "sphere",
    "tet_sphere",
    "torus",
    "tet_torus",
    "cylinder",
    "tet_cylinder",
    "lathe",
    "tet_arch",
    "capsule",
    "rod",
    "helix",
    "groom",
    "path",
    "belt",
    "tet_lattice",
    "blobs",
    "palm",
    "ribbon",
    "woven",
    "knit",
    "tet_urchin",
    "(with an optional unit)",
];

fn given(spec: &MeshFile) -> Vec<&'static str> {
    let present = [
        spec.file.is_some(),
        spec.grid.is_some(),
        spec.disc.is_some(),
        spec.box_.is_some(),
        spec.tet_box.is_some(),
        spec.sphere.is_some(),
        spec.tet_sphere.is_some(),
        spec.torus.is_some(),
        spec.tet_torus.is_some(),
        spec.cylinder.is_some(),
        spec.tet_cylinder.is_some(),
        spec.lathe.is_some(),
        spec.tet_arch.is_some(),
        spec.capsule.is_some(),
        spec.rod.is_some(),
        spec.helix.is_some(),
        spec.groom.is_some(),
        spec.path.is_some(),
        spec.belt.is_some(),
        spec.tet_lattice.is_some(),
        spec.blobs.is_some(),
        spec.palm.is_some(),
        spec.ribbon.is_some(),
        spec.woven.is_some(),
        spec.knit.is_some(),
        spec.tet_urchin.is_some(),
    ];
    GENERATORS.into_iter().zip(present).filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

/// Reads a mesh file relative to the scene and remembers its hash.
pub(super) fn from_file(path: &str, file: &str, context: &mut Context<'_>) -> Resolved<RawMesh> {
    let read = read_mesh(&context.base.join(file), file, &context.budget);
    remembered(path, file, context, read)
}

/// What `read` makes of the content of a file relative to the scene; remembers its hash.
pub(super) fn from_bytes<T>(
    path: &str,
    file: &str,
    context: &mut Context<'_>,
    read: impl FnOnce(&[u8]) -> Result<T, MeshError>,
) -> Resolved<T> {
    let content = load_bytes(&context.base.join(file), &context.budget);
    remembered(path, file, context, content.and_then(|bytes| Ok((read(&bytes)?, bytes))))
}

fn remembered<T>(
    path: &str,
    file: &str,
    context: &mut Context<'_>,
    read: Result<(T, Vec<u8>), ReadError>,
) -> Resolved<T> {
    match read {
        Ok((content, bytes)) => {
            context.files.insert(file.to_owned(), content_hash(&bytes));
            Ok(content)
        }
        Err(ReadError::Mesh(error)) => fault(path, error, "mend the file, or name another one"),
        Err(ReadError::File { reason, .. }) => {
            fault(path, Problem::MissingFile { file: file.to_owned(), reason }, context.relative_help())
        }
    }
}

pub(super) fn counts<const N: usize>(at: &str, key: &str, values: [u32; N], least: [u32; N]) -> Resolved<()> {
    (0..N).try_for_each(|k| count(&format!("{at}.{key}"), key, values[k], least[k]).map(|_| ()))
}

pub(super) fn sizes(at: &str, key: &str, values: &[f64]) -> Resolved<()> {
    values.iter().try_for_each(|v| positive(&format!("{at}.{key}"), key, *v).map(|_| ()))
}

fn generated(at: &str, spec: &MeshFile, context: &mut Context<'_>) -> Resolved<RawMesh> {
    if let Some(vertices) = declared_vertices(spec) {
        context.allow_vertices(at, vertices)?;
    }
    if let Some(mesh) = shape(at, spec, context) {
        return mesh;
    }
    if let Some(g) = &spec.grid {
        sizes(at, "size", &g.size)?;
        counts(at, "cells", g.cells, [1; 2])?;
        return Ok(generate::grid(&generate::GridOptions {
            size: g.size,
            cells: g.cells,
            plane: g.plane.unwrap_or_default(),
            pattern: g.pattern.unwrap_or_default(),
            seed: g.seed.unwrap_or(context.seed),
        }));
    }
    if let Some(d) = &spec.disc {
        sizes(at, "radius", &[d.radius])?;
        counts(at, "rings", [d.rings], [1])?;
        return Ok(generate::disc(d.radius, d.rings, d.plane.unwrap_or_default()));
    }
    if let Some(b) = spec.box_.as_ref().or(spec.tet_box.as_ref()) {
        sizes(at, "size", &b.size)?;
        counts(at, "cells", b.cells, [1; 3])?;
        let build = if spec.box_.is_some() { generate::box_surface } else { generate::tet_box };
        return Ok(build(b.size, b.cells));
    }
    if let Some(s) = &spec.sphere {
        return sphere(at, s);
    }
    if let Some(s) = &spec.tet_sphere {
        sizes(at, "radius", &[s.radius])?;
        counts(at, "cells", [s.cells], [1])?;
        between(&format!("{at}.cells"), "cells", s.cells.into(), 1.0, 200.0)?;
        return Ok(generate::tet_sphere(s.radius, s.cells));
    }
    if let Some(l) = &spec.lathe {
        return lathe(at, l);
    }
    if let Some(a) = &spec.tet_arch {
        return arch(at, a);
    }
    if let Some(h) = &spec.helix {
        return helix(at, h);
    }
    if let Some(g) = &spec.groom {
        return groom(at, g, context);
    }
    if let Some(p) = &spec.palm {
        return palm(at, p, context);
    }
    round(at, spec)
}

/// Torus, cylinder, capsule and rod.
fn round(at: &str, spec: &MeshFile) -> Resolved<RawMesh> {
    if let Some(t) = spec.torus.as_ref().or(spec.tet_torus.as_ref()) {
        sizes(at, "tube", &[t.tube])?;
        if t.radius <= t.tube {
            let problem = Problem::OutOfRange {
                what: "radius".into(),
                value: t.radius,
                requirement: format!("it must be larger than the tube ({})", t.tube),
            };
            return fault(format!("{at}.radius"), problem, "make the tube thinner or the ring wider");
        }
        let surface = spec.torus.is_some();
        counts(at, "around", [t.around], [3])?;
        counts(at, "across", [t.across], [if surface { 3 } else { 1 }])?;
        let build = if surface { generate::torus } else { generate::tet_torus };
        return Ok(build(t.radius, t.tube, t.around, t.across));
    }
    if let Some(c) = spec.cylinder.as_ref().or(spec.tet_cylinder.as_ref()) {
        sizes(at, "radius", &[c.radius])?;
        sizes(at, "height", &[c.height])?;
        let surface = spec.cylinder.is_some();
        counts(at, "around", [c.around], [if surface { 3 } else { 1 }])?;
        counts(at, "along", [c.along], [1])?;
        return Ok(if surface {
            generate::cylinder(c.radius, c.height, c.around, c.along, c.closed.unwrap_or(false))
        } else {
            generate::tet_cylinder(c.radius, c.height, c.around, c.along)
        });
    }
    if let Some(c) = &spec.capsule {
        sizes(at, "radius", &[c.radius])?;
        sizes(at, "height", &[c.height])?;
        counts(at, "around", [c.around], [3])?;
        counts(at, "along", [c.along], [1])?;
        return Ok(generate::capsule(c.radius, c.height, c.around, c.along));
    }
    match &spec.rod {
        Some(r) => {
            counts(at, "segments", [r.segments], [1])?;
            Ok(generate::rod(r.start.map_or_else(Vec3::zeros, vec3), vec3(r.end), r.segments))
        }
        None => unreachable!("`given` has found one generator"),
    }
}

fn sphere(at: &str, s: &SphereMesh) -> Resolved<RawMesh> {
    sizes(at, "radius", &[s.radius])?;
    match (s.around, s.subdivisions) {
        (Some(_), Some(_)) => fault(
            at,
            Problem::Conflict("the sphere has both `subdivisions` and `around`".to_owned()),
            "keep `subdivisions` for an icosphere or `around` for one with poles",
        ),
        (Some(around), None) => {
            let along = s.along.unwrap_or(around / 2);
            counts(at, "around", [around], [3])?;
            counts(at, "along", [along], [2])?;
            Ok(generate::uv_sphere(s.radius, around, along))
        }
        (None, subdivisions) => {
            let n = subdivisions.unwrap_or(3);
            between(&format!("{at}.subdivisions"), "subdivisions", n.into(), 0.0, 9.0)?;
            Ok(generate::ico_sphere(s.radius, n))
        }
    }
}

fn lathe(at: &str, l: &LatheMesh) -> Resolved<RawMesh> {
    counts(at, "around", [l.around], [3])?;
    counts(at, "along", [l.along], [1])?;
    if l.profile.len() < 2 || l.profile.windows(2).any(|p| p[0] == p[1]) {
        let problem =
            Problem::Conflict("a profile needs two points or more, no two alike in a row".to_owned());
        return fault(format!("{at}.profile"), problem, "write `profile = [[0.1, 0.0], [0.2, 0.5]]`, say");
    }
    for (k, p) in l.profile.iter().enumerate() {
        let inner = k > 0 && k + 1 < l.profile.len();
        let check = if inner { positive } else { non_negative };
        check(&format!("{at}.profile.{k}"), "radius", p[0])?;
    }
    Ok(generate::lathe(&l.profile, l.around, l.along))
}

fn arch(at: &str, a: &ArchMesh) -> Resolved<RawMesh> {
    for (key, value) in [("span", a.span), ("rise", a.rise), ("foot", a.foot), ("crown", a.crown)] {
        sizes(at, key, &[value])?;
    }
    counts(at, "stones", [a.stones], [2])?;
    let sharpness = a.sharpness.unwrap_or(4.0 / 3.0);
    Ok(generate::tet_arch(&generate::ArchOptions {
        span: a.span,
        rise: a.rise,
        stones: a.stones,
        foot: a.foot,
        crown: a.crown,
        sharpness: between(&format!("{at}.sharpness"), "sharpness", sharpness, 1e-3, 20.0)?,
        spread: non_negative(&format!("{at}.spread"), "spread", a.spread.unwrap_or(0.0))?,
    }))
}

fn helix(at: &str, h: &HelixMesh) -> Resolved<RawMesh> {
    sizes(at, "radius", &[h.radius])?;
    counts(at, "segments", [h.segments], [1])?;
    let taper = non_negative(&format!("{at}.taper"), "taper", h.taper.unwrap_or(1.0))?;
    let mut mesh = generate::helix(&generate::HelixOptions {
        radius: h.radius,
        pitch: h.pitch,
        turns: h.turns,
        segments: h.segments,
        taper,
    });
    for p in &mut mesh.vertices {
        *p = match h.axis.unwrap_or(AxisName::Z) {
            AxisName::X => Vec3::new(p.z, p.x, p.y),
            AxisName::Y => Vec3::new(p.y, p.z, p.x),
            AxisName::Z => *p,
        };
    }
    Ok(mesh)
}

/// The triangles of a mesh, or of the surface of its tets.
pub(super) fn triangles_of(
    path: &str,
    mesh: &RawMesh,
    source_name: String,
    body: &'static str,
    needed: &'static str,
) -> Resolved<Vec<[u32; 3]>> {
    match &mesh.cells {
        Cells::Triangles(t) => Ok(t.clone()),
        Cells::Tets(t) => Ok(crate::geometry::surface_of_tets(t)),
        Cells::Strands(_) => {
            let error = MeshError::WrongCells { source_name, found: "strands", body, needed };
            fault(path, error, "name a surface such as `sphere` or a file")
        }
    }
}

fn groom(at: &str, g: &GroomMesh, context: &mut Context<'_>) -> Resolved<RawMesh> {
    let on = ground(at, g, context)?;
    sizes(at, "length", &[g.length])?;
    let strands = strand_count(at, g, &on)?;
    counts(at, "count", [strands], [1])?;
    counts(at, "segments", [g.segments], [1])?;
    context.allow_vertices(at, u64::from(strands).saturating_mul(u64::from(g.segments) + 1))?;
    let curl_radius =
        non_negative(&format!("{at}.curl_radius"), "curl_radius", g.curl_radius.unwrap_or(0.0))?;
    let options = generate::GroomOptions {
        count: strands,
        length: g.length,
        length_jitter: between(
            &format!("{at}.length_jitter"),
            "length_jitter",
            g.length_jitter.unwrap_or(0.0),
            0.0,
            0.95,
        )?,
        segments: g.segments,
        direction: g.direction.and_then(|d| vec3(d).try_normalize(0.0)).unwrap_or_else(Vec3::zeros),
        direction_weight: match g.direction {
            None => 0.0,
            Some(_) => between(
                &format!("{at}.direction_weight"),
                "direction_weight",
                g.direction_weight.unwrap_or(0.5),
                0.0,
                1.0,
            )?,
        },
        curl_radius,
        curl_pitch: positive(
            &format!("{at}.curl_pitch"),
            "curl_pitch",
            g.curl_pitch.unwrap_or(2.0 * curl_radius.max(1e-3)),
        )?,
        min_up: g.min_up.unwrap_or(-1.0),
        seed: g.seed.unwrap_or(context.seed),
    };
    Ok(generate::groom(&on.vertices, &on.triangles, &options))
}

/// As given, or by the area of the ground.
fn strand_count(at: &str, g: &GroomMesh, on: &GrowthSurface) -> Resolved<u32> {
    let area: f64 = on
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|i| on.vertices[i as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        })
        .sum();
    match (g.count, g.density) {
        (Some(count), None) => Ok(count),
        (None, Some(density)) => {
            Ok((positive(&format!("{at}.density"), "density", density)? * area).round() as u32)
        }
        _ => {
            let problem = Problem::Conflict("a groom needs either `count` or `density`".to_owned());
            fault(at, problem, "write `count = 1000`, say")
        }
    }
}

/// The surface that a groom grows on: a mesh, or a body where it is placed.
fn ground(at: &str, g: &GroomMesh, context: &mut Context<'_>) -> Resolved<GrowthSurface> {
    let (on, source) = match (&g.on, &g.on_body) {
        (Some(on), None) => raw_mesh(&format!("{at}.on"), on, context)?,
        (None, Some(name)) => return context.ground(&format!("{at}.on_body"), name),
        _ => {
            let problem = Problem::Conflict("a groom grows either `on` a mesh or `on_body`".to_owned());
            return fault(at, problem, "write one of them");
        }
    };
    let triangles = triangles_of(&format!("{at}.on"), &on, source, "groom", "triangles or tets to grow on")?;
    Ok(GrowthSurface { vertices: on.vertices, triangles })
}

fn palm(at: &str, p: &PalmMesh, context: &mut Context<'_>) -> Resolved<RawMesh> {
    sizes(at, "height", &[p.height])?;
    sizes(at, "radius", &[p.radius])?;
    sizes(at, "leaf_length", &[p.leaf_length])?;
    sizes(at, "leaf_width", &[p.leaf_width])?;
    counts(at, "leaves", [p.leaves], [1])?;
    counts(at, "trunk_cells", p.trunk_cells, [3, 1])?;
    counts(at, "leaf_cells", p.leaf_cells, [2, 1])?;
    Ok(generate::palm(&generate::PalmOptions {
        height: p.height,
        radius: p.radius,
        leaves: p.leaves,
        leaf_length: p.leaf_length,
        leaf_width: p.leaf_width,
        trunk_cells: p.trunk_cells,
        leaf_cells: p.leaf_cells,
        droop: between(&format!("{at}.droop"), "droop", p.droop.unwrap_or(70.0), 0.0, 150.0)?.to_radians(),
        seed: p.seed.unwrap_or(context.seed),
    }))
}
