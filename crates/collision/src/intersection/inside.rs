//! Points inside closed surfaces, by exact counting along a vertical ray.
//!
//! A ray goes up from the point. For every triangle above, the shadow of the point on the
//! horizontal plane is inside the shadow of the triangle or not; ties on shared sides are broken by
//! a symbolic shift of the point by (ε, ε²), so that exactly one of the two triangles beside a side
//! counts. The signed count is the winding number: exact, whatever the shape.

use super::InsidePoint;
use crate::BroadPhase;
use crate::bvh::Visit;
use crate::distance::point_triangle;
use crate::surface::{CollisionMesh, NONE};
use rayon::prelude::*;
use robust::{Coord, Coord3D, orient2d, orient3d};
use stiction_numerics::Vec3;

/// Where a point lies with respect to a closed surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// Outside.
    Outside,
    /// On the surface.
    On,
    /// Inside: the winding number is not zero.
    Inside,
}

/// Which bodies have a closed, consistently oriented surface: every side of every face is met by
/// its reverse.
#[derive(Clone, Debug)]
pub struct ClosedSurfaces {
    is_closed: Vec<bool>,
}

impl ClosedSurfaces {
    /// Looks at the connectivity only.
    pub fn new(mesh: &CollisionMesh) -> Self {
        let mut sides: Vec<[u32; 3]> = Vec::with_capacity(3 * mesh.triangles().len());
        let mut is_closed = vec![false; mesh.bodies().len()];
        for (t, c) in mesh.triangles().iter().enumerate() {
            let body = mesh.triangle_body(t as u32);
            is_closed[body as usize] = true;
            sides.extend([[body, c[0], c[1]], [body, c[1], c[2]], [body, c[2], c[0]]]);
        }
        sides.sort_unstable();
        let count =
            |side: &[u32; 3]| sides.partition_point(|s| s <= side) - sides.partition_point(|s| s < side);
        for side in &sides {
            if count(side) != count(&[side[0], side[2], side[1]]) {
                is_closed[side[0] as usize] = false;
            }
        }
        Self { is_closed }
    }

    /// Whether the surface of a body is closed.
    pub fn contains(&self, body: u32) -> bool {
        self.is_closed[body as usize]
    }
}

fn flat(p: &Vec3) -> Coord<f64> {
    Coord { x: p.x, y: p.y }
}

fn solid(p: &Vec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Side of p, shifted by (ε, ε²), on the line a→b: never zero unless the shadows of a and b
/// coincide.
fn turn(a: &Vec3, b: &Vec3, p: &Vec3) -> f64 {
    let exact = orient2d(flat(a), flat(b), flat(p));
    if exact != 0.0 {
        return exact;
    }
    let by_x = a.y - b.y;
    if by_x != 0.0 { by_x } else { b.x - a.x }
}

/// What one triangle adds to the winding number of p: ±1 if it lies straight above, `None` if p is
/// on it.
fn crossing_above(p: &Vec3, [a, b, c]: [&Vec3; 3]) -> Option<i32> {
    let (ab, bc, ca) = (turn(a, b, p), turn(b, c, p), turn(c, a, p));
    let volume = orient3d(solid(a), solid(b), solid(c), solid(p));
    if volume == 0.0 && point_triangle(p, a, b, c).distance_squared == 0.0 {
        return None;
    }
    let orientation = match (ab > 0.0, bc > 0.0, ca > 0.0) {
        (true, true, true) if ab * bc * ca != 0.0 => 1,
        (false, false, false) if ab < 0.0 && bc < 0.0 && ca < 0.0 => -1,
        _ => return Some(0),
    };
    // robust's sign: positive when p lies below the plane of a, b, c seen counter-clockwise from
    // above
    let is_below = (volume > 0.0) == (orientation > 0) && volume != 0.0;
    Some(if is_below { orientation } else { 0 })
}

/// Winding number of each closed body around a point, as containment; only bodies that may touch
/// `own` are looked at. The boxes of `phase` must be those of `positions`.
fn containing_bodies(
    phase: &BroadPhase,
    mesh: &CollisionMesh,
    closed: &ClosedSurfaces,
    positions: &[Vec3],
    p: &Vec3,
    own: u32,
) -> Vec<(u32, Containment)> {
    let at = phase.to_box_coordinates(p);
    let is_above = |b: &crate::bvh::Box32| {
        let over = b.lo[0] <= at[0] && at[0] <= b.hi[0] && b.lo[1] <= at[1] && at[1] <= b.hi[1];
        if over && at[2] <= b.hi[2] { Visit::Enter } else { Visit::Skip }
    };
    let mut hits: Vec<(u32, Option<i32>)> = Vec::new();
    phase.tree().descend(is_above, |position| {
        let element = phase.element(position);
        if element.triangle == NONE
            || element.body == own
            || !closed.contains(element.body)
            || !mesh.bodies_may_touch(own, element.body)
        {
            return;
        }
        let corners = element.vertices.each_ref().map(|&v| &positions[v as usize]);
        hits.push((element.body, crossing_above(p, corners)));
    });
    hits.sort_unstable();
    let judge = |of_body: &[(u32, Option<i32>)]| {
        let winding = of_body.iter().try_fold(0, |sum, hit| hit.1.map(|count| sum + count));
        let containment = match winding {
            None => Containment::On,
            Some(0) => Containment::Outside,
            Some(_) => Containment::Inside,
        };
        (of_body[0].0, containment)
    };
    hits.chunk_by(|a, b| a.0 == b.0).map(judge).collect()
}

/// All used vertices inside closed bodies other than their own.
pub(super) fn inside_points(
    phase: &BroadPhase,
    closed: &ClosedSurfaces,
    mesh: &CollisionMesh,
    positions: &[Vec3],
) -> Vec<InsidePoint> {
    if !closed.is_closed.contains(&true) {
        return Vec::new();
    }
    let of_vertex = |v: usize| {
        let Some(own) = mesh.vertex_body(v as u32) else { return Vec::new() };
        let p = &positions[v];
        let around = containing_bodies(phase, mesh, closed, positions, p, own);
        let inside = around.into_iter().filter(|(_, containment)| *containment == Containment::Inside);
        inside
            .filter(|(body, _)| !mesh.is_rooted(v as u32, *body))
            .map(|(body, _)| InsidePoint {
                vertex: v as u32,
                bodies: [own, body],
                place: *p,
                depth: distance_to_body(phase, positions, p, body),
            })
            .collect()
    };
    let parts: Vec<Vec<InsidePoint>> = (0..positions.len()).into_par_iter().map(of_vertex).collect();
    parts.concat()
}

/// Distance from a point to the triangles of a body \[m\].
fn distance_to_body(phase: &BroadPhase, positions: &[Vec3], p: &Vec3, body: u32) -> f64 {
    nearest(phase, positions, p, body).0.sqrt()
}

/// The triangle of a body that is nearest to a point, the first of several; `None` when the body
/// has none. The boxes of `phase` must be those of `positions`.
pub fn nearest_triangle(phase: &BroadPhase, positions: &[Vec3], p: &Vec3, body: u32) -> Option<u32> {
    let (square, triangle) = nearest(phase, positions, p, body);
    square.is_finite().then_some(triangle)
}

/// Squared distance to the nearest triangle of a body \[m²\], and its number, by descent with a
/// shrinking radius.
fn nearest(phase: &BroadPhase, positions: &[Vec3], p: &Vec3, body: u32) -> (f64, u32) {
    let at = phase.to_box_coordinates(p);
    let best = std::cell::Cell::new((f64::INFINITY, NONE));
    let is_near = |b: &crate::bvh::Box32| {
        let outside = |k: usize| {
            // three numbers rounded to f32, each by at most 6e-8 of its size
            let rounding = 3.0 * f32::EPSILON * (at[k].abs() + b.lo[k].abs() + b.hi[k].abs());
            f64::from(((b.lo[k] - at[k]).max(at[k] - b.hi[k]) - rounding).max(0.0))
        };
        let square = (0..3).map(|k| outside(k) * outside(k)).sum::<f64>();
        if square <= best.get().0 { Visit::Enter } else { Visit::Skip }
    };
    phase.tree().descend(is_near, |position| {
        let element = phase.element(position);
        if element.triangle != NONE && element.body == body {
            let [a, b, c] = element.vertices.each_ref().map(|&v| &positions[v as usize]);
            let (square, triangle) = (point_triangle(p, a, b, c).distance_squared, element.triangle);
            let (least, first) = best.get();
            if square < least || (square == least && triangle < first) {
                best.set((square, triangle));
            }
        }
    });
    best.get()
}
