//! The points at which two convex pieces touch.

use super::axes::{Axis, AxisKind, edge_axis, face_axes, face_separation};
use super::polytope::PlacedPolytope;
use super::reduce::reduce;
use super::round;
use stiction_numerics::Vec3;

/// What is asked of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Points with a gap up to this are wanted \[m\].
    pub margin: f64,
    /// Overlap up to which two aligned pieces count as standing flush \[m\]; see [`is_flush`].
    pub flush: f64,
}

/// Where two pieces touch or come near.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPatch {
    /// Unit normal from the second piece to the first.
    pub normal: Vec3,
    /// At most four points.
    pub points: Vec<ContactPoint>,
}

/// A point of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// On the surface of the first piece \[m\].
    pub on_a: Vec3,
    /// On the surface of the second piece \[m\].
    pub on_b: Vec3,
    /// Distance along the normal \[m\]; negative where the pieces overlap.
    pub gap: f64,
    /// Which features it comes from: equal from step to step while they are the same.
    pub id: u32,
}

/// Corner on corner, the best faces of both pieces separate about equally. This share of the
/// smaller half width is how much they may differ for the normal to lie between.
const BLEND: f64 = 0.1;
/// Cosine above which two directions count as one.
const SAME_DIRECTION: f64 = 0.9998;
/// Edges must separate by this share of the smaller half width more than faces do: faces give
/// several points, and near ties must not flicker.
const EDGE_LEAD: f64 = 1e-3;

/// The points of two pieces with a gap up to the margin.
pub fn touching(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>, search: &Search) -> ContactPatch {
    let radii = a.shape.radius + b.shape.radius;
    let mut patch = match (a.shape.faces.is_empty(), b.shape.faces.is_empty()) {
        (true, true) => round::cores(&a.vertices, &b.vertices),
        (true, false) => round::core_outside(&a.vertices, b, search.margin + radii),
        (false, true) => flipped(round::core_outside(&b.vertices, a, search.margin + radii)),
        (false, false) => polyhedra(a, b, &Search { margin: search.margin + radii, ..*search }),
    };
    let n = patch.normal;
    for point in &mut patch.points {
        point.gap -= radii;
        point.on_a -= n * a.shape.radius;
        point.on_b += n * b.shape.radius;
    }
    patch.points.retain(|point| point.gap <= search.margin);
    patch.reduce();
    patch
}

impl ContactPatch {
    /// Keeps at most four points, which carry what all of them could.
    pub fn reduce(&mut self) {
        if self.points.len() > 1 {
            reduce(&mut self.points, &self.normal);
        }
    }
}

/// The same patch with the two pieces exchanged.
fn flipped(patch: ContactPatch) -> ContactPatch {
    let swap = |p: ContactPoint| ContactPoint { on_a: p.on_b, on_b: p.on_a, ..p };
    ContactPatch { normal: -patch.normal, points: patch.points.into_iter().map(swap).collect() }
}

fn polyhedra(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>, search: &Search) -> ContactPatch {
    let width = a.shape.half_width.min(b.shape.half_width);
    let faces = face_axes(a, b);
    let best = if faces[0].separation >= faces[1].separation { faces[0] } else { faces[1] };
    if best.separation > search.margin {
        return ContactPatch::default();
    }
    if let Some(edges) = edge_axis(a, b, best.separation + EDGE_LEAD * width) {
        if edges.separation > search.margin || is_flush(a, b, &edges, search.flush) {
            return ContactPatch::default();
        }
        return crossing_edges(a, b, &edges);
    }
    if is_flush(a, b, &best, search.flush) {
        return ContactPatch::default();
    }
    let mut patch = clipped(a, b, &best, search);
    if patch.points.is_empty() {
        let other = if best.kind == faces[0].kind { faces[1] } else { faces[0] };
        patch = clipped(a, b, &other, search);
    }
    blend(&mut patch, &faces, BLEND * width);
    patch
}

/// Whether both pieces have a face along another direction in which they hardly overlap: then they
/// stand flush, side by side or one behind the other, and the edge that they share must not catch
/// what slides over it.
fn is_flush(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>, chosen: &Axis, flush: f64) -> bool {
    let shared = |n: &Vec3| b.normals.iter().any(|m| m.dot(n) < -SAME_DIRECTION);
    (0..a.normals.len()).any(|face| {
        let n = &a.normals[face];
        n.dot(&chosen.direction).abs() < SAME_DIRECTION && face_separation(a, face, b) > -flush && shared(n)
    })
}

/// Corner on corner the normal goes over from that of one face to that of the other, as the corner
/// goes round: a jump would tip what leans there.
fn blend(patch: &mut ContactPatch, faces: &[Axis; 2], band: f64) {
    let lead = (faces[0].separation - faces[1].separation) / band;
    if lead.abs() >= 1.0 || faces[0].direction.dot(&faces[1].direction) > SAME_DIRECTION {
        return;
    }
    let share = 0.5 * (1.0 + lead);
    let mixed = faces[0].direction * share + faces[1].direction * (1.0 - share);
    let Some(direction) = mixed.try_normalize(0.0) else { return };
    let scale = (-direction).dot(&patch.normal);
    patch.points.iter_mut().for_each(|point| point.gap *= scale);
    patch.normal = -direction;
}

/// The face of the other piece that faces the reference face, cut to its outline.
fn clipped(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>, axis: &Axis, search: &Search) -> ContactPatch {
    let (reference, incident, face) = match axis.kind {
        AxisKind::FaceA(face) => (a, b, face as usize),
        AxisKind::FaceB(face) => (b, a, face as usize),
        AxisKind::Edges(..) => return ContactPatch::default(),
    };
    let n = reference.normals[face];
    let against = |k: usize| n.dot(&incident.normals[k]);
    let facing =
        (1..incident.normals.len()).fold(0, |best, k| if against(k) < against(best) { k } else { best });
    let ring = &incident.shape.faces[facing].ring;
    let mut outline: Vec<Corner> = incident
        .ring(facing)
        .zip(ring)
        .map(|(place, &vertex)| Corner { place, id: vertex & 0xfff })
        .collect();
    let corners: Vec<Vec3> = reference.ring(face).collect();
    for (side, from) in corners.iter().enumerate() {
        let along = corners[(side + 1) % corners.len()] - from;
        let outward = along.cross(&n).try_normalize(0.0).unwrap_or(n);
        // What is beyond by less than what counts as flush still stands on the face.
        cut(&mut outline, &(from + outward * search.flush), &outward, side as u32 + 1);
    }
    let base = (face as u32) << 24;
    let is_a = matches!(axis.kind, AxisKind::FaceA(_));
    let offset = reference.offsets[face];
    let point = |corner: &Corner| {
        let gap = n.dot(&corner.place) - offset;
        let foot = corner.place - n * gap;
        let (on_a, on_b) = if is_a { (foot, corner.place) } else { (corner.place, foot) };
        ContactPoint { on_a, on_b, gap, id: base | u32::from(is_a) << 31 | corner.id }
    };
    let points = outline.iter().map(point).filter(|p| p.gap <= search.margin).collect();
    ContactPatch { normal: -axis.direction, points }
}

/// A corner of a face that is being cut.
#[derive(Clone, Copy)]
struct Corner {
    place: Vec3,
    id: u32,
}

/// Keeps the part of a convex outline on the inner side of a plane through `from` with the given
/// outward direction.   \[Sutherland1974\]
fn cut(outline: &mut Vec<Corner>, from: &Vec3, outward: &Vec3, side: u32) {
    let height = |corner: &Corner| outward.dot(&(corner.place - from));
    let mut kept = Vec::with_capacity(outline.len() + 2);
    for k in 0..outline.len() {
        let (here, next) = (outline[k], outline[(k + 1) % outline.len()]);
        let (low, high) = (height(&here), height(&next));
        if low <= 0.0 {
            kept.push(here);
        }
        if (low < 0.0 && high > 0.0) || (low > 0.0 && high < 0.0) {
            let place = here.place + (next.place - here.place) * (low / (low - high));
            let id = (here.id & 0xfff) | (side & 0xfff) << 12;
            kept.push(Corner { place, id });
        }
    }
    *outline = kept;
}

/// The closest points of two crossing edges.
fn crossing_edges(a: &PlacedPolytope<'_>, b: &PlacedPolytope<'_>, axis: &Axis) -> ContactPatch {
    let AxisKind::Edges(i, j) = axis.kind else { return ContactPatch::default() };
    let ends =
        |p: &PlacedPolytope<'_>, e: u32| p.shape.edges[e as usize].vertices.map(|v| p.vertices[v as usize]);
    let (of_a, of_b) = (ends(a, i), ends(b, j));
    let (on_a, on_b) = round::closest_of_segments(&of_a, &of_b);
    let id = 1 << 30 | (i & 0x7fff) << 15 | (j & 0x7fff);
    let point = ContactPoint { on_a, on_b, gap: axis.separation, id };
    ContactPatch { normal: -axis.direction, points: vec![point] }
}

#[cfg(test)]
#[path = "manifold_tests.rs"]
mod tests;
