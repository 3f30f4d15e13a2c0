//! Strands rooted in bodies that move and deform.

use super::GrowthSurface;
use super::body::Bodies;
use super::check::positive;
use crate::error::{Problem, Resolved, fault};
use crate::file::{BodyFile, GroomMesh, TextOr};
use crate::geometry::surface_of_tets;
use crate::resolved::{BodyKind, Cells, Root, Rooting, SceneBody, WeightedPoint};
use std::collections::BTreeMap;
use stiction_numerics::{Mat3, Vec3};

/// The groom of a body that grows on another one.
pub(super) fn grows_on(file: &BodyFile) -> Option<&GroomMesh> {
    let Some(TextOr::Full(mesh)) = &file.mesh else { return None };
    mesh.groom.as_ref().filter(|g| g.on_body.is_some())
}

/// Grown strands start where their body is: they cannot be placed, converted or copied themselves.
pub(super) fn refuse_placement(path: &str, file: &BodyFile) -> Resolved<()> {
    if grows_on(file).is_none() {
        return Ok(());
    }
    let unit = matches!(&file.mesh, Some(TextOr::Full(mesh)) if mesh.unit.is_some());
    let keys = [
        ("mesh.unit", unit),
        ("scale", file.scale.is_some()),
        ("rotate", file.rotate.is_some()),
        ("translate", file.translate.is_some()),
        ("array", file.array.is_some()),
        ("instances", !file.instances.is_empty()),
    ];
    match keys.iter().find(|(_, given)| *given) {
        Some((key, _)) => fault(
            format!("{path}.{key}"),
            Problem::Conflict(format!(
                "strands that grow on a body stand where it is; `{key}` would tear them off"
            )),
            format!("take `{key}` out, or place the body that they grow on"),
        ),
        None => Ok(()),
    }
}

/// The surface of a body at its place; strands have none, and nothing can be rooted in a rigid
/// body.
pub(super) fn ground(body: &SceneBody) -> Option<GrowthSurface> {
    if body.kind == BodyKind::Rigid {
        return None;
    }
    let mesh = body.embedded_surface.as_ref().map_or(&body.mesh, |s| &s.mesh);
    let triangles = match &mesh.cells {
        Cells::Triangles(t) => t.clone(),
        Cells::Tets(t) => surface_of_tets(t),
        Cells::Strands(_) => return None,
    };
    Some(GrowthSurface { vertices: mesh.vertices.clone(), triangles })
}

/// The roots of all bodies that grow on others.
pub(super) fn rootings(files: &BTreeMap<String, BodyFile>, bodies: &Bodies) -> Resolved<Vec<Rooting>> {
    let mut out = Vec::new();
    for (index, body) in bodies.list.iter().enumerate() {
        let Some(groom) = files.get(&body.name).and_then(grows_on) else { continue };
        let path = format!("bodies.{}.mesh.groom", body.name);
        let on = groom.on_body.as_deref().unwrap_or_default();
        let Some(below) = bodies.list.iter().position(|b| b.name == on) else { continue };
        let Some(surface) = ground(&bodies.list[below]) else { continue };
        let given = match groom.root_stiffness {
            Some(k) => Some(positive(&format!("{path}.root_stiffness"), "root_stiffness", k)?),
            None => None,
        };
        let Cells::Strands(strands) = &body.mesh.cells else { continue };
        let support = Support::new(&bodies.list[below], surface);
        let mut roots = Vec::with_capacity(strands.len());
        for (k, (strand, seat)) in strands.iter().zip(&bodies.seats[&body.name]).enumerate() {
            roots.push(root(&path, k, body, [strand[0], strand[1]], seat, &support)?);
        }
        out.push(Rooting { body: index, ground: below, stiffness: given, roots });
    }
    Ok(out)
}

fn root(
    path: &str,
    number: usize,
    body: &SceneBody,
    vertices: [u32; 2],
    &(triangle, weights): &(u32, [f64; 3]),
    support: &Support<'_>,
) -> Resolved<Root> {
    let [first, second] = vertices.map(|v| body.mesh.vertices[v as usize]);
    let direction = second - first;
    let corners = support.surface.triangles[triangle as usize];
    if support.is_solid() && direction.dot(&support.normal(&corners)) <= 0.0 {
        let problem = Problem::Conflict(format!(
            "strand {number} grows into `{}` at ({:.4}, {:.4}, {:.4})",
            support.body.name, first.x, first.y, first.z
        ));
        return fault(
            path,
            problem,
            "lower `direction_weight`, or the curl, so that strands leave the surface",
        );
    }
    let on_surface = WeightedPoint { terms: corners.into_iter().zip(weights).collect() };
    let seat = support.carried(&on_surface);
    let (ahead, raised) = support.ahead(&seat, &corners, &direction);
    Ok(Root { vertices, seat, ahead, raised, length: direction.norm() })
}

/// A body as ground for roots.
struct Support<'a> {
    body: &'a SceneBody,
    surface: GrowthSurface,
    /// Tet behind each boundary triangle of a solid without a carried surface, by its sorted
    /// corners.
    behind: BTreeMap<[u32; 3], [u32; 4]>,
}

impl<'a> Support<'a> {
    fn new(body: &'a SceneBody, surface: GrowthSurface) -> Self {
        let mut behind = BTreeMap::new();
        if let (BodyKind::Solid, None, Cells::Tets(tets)) =
            (body.kind, &body.embedded_surface, &body.mesh.cells)
        {
            for tet in tets {
                for skip in 0..4 {
                    let mut face = [0, 1, 2].map(|k| tet[if k < skip { k } else { k + 1 }]);
                    face.sort_unstable();
                    behind.insert(face, *tet);
                }
            }
        }
        Support { body, surface, behind }
    }

    /// Whether the surface has an inside.
    fn is_solid(&self) -> bool {
        matches!(self.body.kind, BodyKind::Solid | BodyKind::Affine)
    }

    fn normal(&self, corners: &[u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|v| self.surface.vertices[v as usize]);
        (b - a).cross(&(c - a)).normalize()
    }

    fn carried(&self, point: &WeightedPoint) -> WeightedPoint {
        match &self.body.embedded_surface {
            Some(surface) => surface.carried(point),
            None => point.clone(),
        }
    }

    /// A place at `direction` from the seat that moves with the ground: the direction is a
    /// combination of vertices whose weights sum to zero, so it turns with them. A shell has no
    /// vertex off its plane: there the part along the normal is kept apart.
    fn ahead(
        &self,
        seat: &WeightedPoint,
        corners: &[u32; 3],
        direction: &Vec3,
    ) -> (WeightedPoint, Option<([u32; 3], f64)>) {
        if self.body.kind == BodyKind::Cloth {
            let [a, b, c] = corners.map(|v| self.body.mesh.vertices[v as usize]);
            let frame = Mat3::from_columns(&[b - a, c - a, self.normal(corners)]);
            let along = frame.try_inverse().unwrap_or_else(Mat3::zeros) * direction;
            let [p, q, r] = *corners;
            let turn = [(p, -along.x - along.y), (q, along.x), (r, along.y)];
            return (plus(seat, turn), Some((*corners, along.z)));
        }
        let turn: Vec<(u32, f64)> =
            self.cells(seat, corners).iter().flat_map(|(tet, w)| self.turn(tet, direction, *w)).collect();
        (plus(seat, turn), None)
    }

    /// The tets that carry a seat with their weights: frames by their share, or the one tet below.
    fn cells(&self, seat: &WeightedPoint, corners: &[u32; 3]) -> Vec<([u32; 4], f64)> {
        if self.body.kind.on_frames() {
            let mut shares: BTreeMap<u32, f64> = BTreeMap::new();
            seat.terms.iter().for_each(|&(node, w)| *shares.entry(node / 4).or_default() += w);
            return shares.iter().map(|(f, w)| ([0, 1, 2, 3].map(|k| 4 * f + k), *w)).collect();
        }
        if let Some(surface) = &self.body.embedded_surface {
            let terms = &surface.carriers[corners[0] as usize].terms;
            return vec![([0, 1, 2, 3].map(|k| terms[k].0), 1.0)];
        }
        let mut face = *corners;
        face.sort_unstable();
        self.behind.get(&face).map(|tet| (*tet, 1.0)).into_iter().collect()
    }

    /// w Σ (∇β_k · d) x_k = w d in the rest shape of a tet.
    fn turn(&self, tet: &[u32; 4], direction: &Vec3, weight: f64) -> [(u32, f64); 4] {
        let [a, b, c, d] = tet.map(|v| self.body.mesh.vertices[v as usize]);
        let inverse = Mat3::from_columns(&[b - a, c - a, d - a]).try_inverse().unwrap_or_else(Mat3::zeros);
        let along = inverse * direction * weight;
        [(tet[0], -along.sum()), (tet[1], along.x), (tet[2], along.y), (tet[3], along.z)]
    }
}

/// A point with further terms; equal vertices are added up.
fn plus(point: &WeightedPoint, more: impl IntoIterator<Item = (u32, f64)>) -> WeightedPoint {
    let mut terms = point.terms.clone();
    for (vertex, weight) in more {
        match terms.iter_mut().find(|t| t.0 == vertex) {
            Some(term) => term.1 += weight,
            None => terms.push((vertex, weight)),
        }
    }
    WeightedPoint { terms }
}
