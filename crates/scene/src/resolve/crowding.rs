//! Refuses scenes in which nearly everything is within contact reach of everything: collision looks
//! at every such pair, so that even `check` would not come to an end.
//!
//! Two slips lead there: a thickness or gap far above the size of cells (a unit), and bodies so far
//! apart that the boxes of the broad phase, kept in single precision over the whole scene, can no
//! longer tell the cells of one body apart.

use crate::error::{Problem, Resolved, fault};
use crate::geometry::bounds;
use crate::resolved::{Collider, ColliderShape, SceneBody};
use stiction_numerics::Vec3;

/// Vertices whose neighbours are counted.
const SAMPLES: usize = 64;
/// Pairs that are found within seconds, as a whole and for each vertex.
const MOST_PAIRS: f64 = 1e7;
const MOST_NEIGHBOURS: f64 = 300.0;
/// Rounding of a box over the extent of the scene: two steps of single precision.
const RESOLUTION: f64 = 1.0 / (1 << 22) as f64;

/// What touches: vertices of a body or of a collider, and how far contact reaches from them.
struct CrowdedSurface<'a> {
    name: &'a str,
    vertices: &'a [Vec3],
    half_thickness: f64,
    gap: f64,
    /// Number of the body if it cannot touch itself.
    skips: Option<usize>,
}

/// Estimates the pairs from a sample of vertices, the same for every run.
pub(super) fn check_crowding(bodies: &[SceneBody], colliders: &[Collider]) -> Resolved<()> {
    let surfaces = surfaces(bodies, colliders);
    let moving = &surfaces[..bodies.len()];
    let count: usize = moving.iter().map(|s| s.vertices.len()).sum();
    let all: usize = surfaces.iter().map(|s| s.vertices.len()).sum();
    if count as f64 * all as f64 <= MOST_PAIRS {
        return Ok(());
    }
    let resolution = RESOLUTION * extent(&surfaces);
    let stride = count.div_ceil(SAMPLES);
    let mut found = 0;
    let mut worst = (0, 0);
    for k in (0..count).step_by(stride) {
        let (body, vertex) = place(moving, k);
        let neighbours = neighbours(&surfaces, body, vertex, resolution);
        found += neighbours;
        worst = if neighbours > worst.0 { (neighbours, body) } else { worst };
    }
    let mean = found as f64 / count.div_ceil(stride) as f64;
    if mean * count as f64 <= MOST_NEIGHBOURS * count as f64 + MOST_PAIRS {
        return Ok(());
    }
    refuse(&bodies[worst.1], &surfaces[worst.1], mean, resolution)
}

fn refuse(body: &SceneBody, surface: &CrowdedSurface<'_>, mean: f64, resolution: f64) -> Resolved<()> {
    let name = body.instance_of.as_ref().map_or(surface.name, |copy| copy.name.as_str());
    let reach = 2.0 * surface.half_thickness + surface.gap;
    let crowd = format!("a vertex has {mean:.0} others within reach of contact on average");
    if resolution > reach {
        let message =
            format!("{crowd}: the scene is so wide that places are told apart to {resolution:.1e} m");
        return fault(format!("bodies.{name}"), Problem::Conflict(message), "move the bodies together");
    }
    let message = format!("{crowd}: thickness and gap of `{name}` reach {reach:.3e} m");
    let help = "check the units of `thickness` and `gap`, and whether copies lie on top of each other";
    fault(format!("bodies.{name}.thickness"), Problem::Conflict(message), help)
}

fn surfaces<'a>(bodies: &'a [SceneBody], colliders: &'a [Collider]) -> Vec<CrowdedSurface<'a>> {
    let of_body = |(index, body): (usize, &'a SceneBody)| CrowdedSurface {
        name: &body.name,
        vertices: &body.shape().vertices,
        half_thickness: 0.5 * body.thickness,
        gap: body.contact_gap,
        skips: (!body.self_contact).then_some(index),
    };
    let of_collider = |collider: &'a Collider| match &collider.shape {
        ColliderShape::Mesh(mesh) => Some(CrowdedSurface {
            name: &collider.name,
            vertices: &mesh.vertices,
            half_thickness: 0.5 * collider.thickness,
            gap: collider.contact_gap,
            skips: None,
        }),
        _ => None,
    };
    bodies.iter().enumerate().map(of_body).chain(colliders.iter().filter_map(of_collider)).collect()
}

/// Longest side of the box round everything [m].
fn extent(surfaces: &[CrowdedSurface<'_>]) -> f64 {
    let corners = surfaces.iter().filter(|s| !s.vertices.is_empty()).map(|s| bounds(s.vertices));
    let corners: Vec<Vec3> = corners.flat_map(|(low, high)| [low, high]).collect();
    let (low, high) = bounds(&corners);
    (high - low).max()
}

/// Body and vertex of the k-th vertex of all bodies.
fn place(bodies: &[CrowdedSurface<'_>], mut k: usize) -> (usize, usize) {
    for (index, body) in bodies.iter().enumerate() {
        if k < body.vertices.len() {
            return (index, k);
        }
        k -= body.vertices.len();
    }
    (0, 0)
}

fn neighbours(surfaces: &[CrowdedSurface<'_>], body: usize, vertex: usize, resolution: f64) -> usize {
    let own = &surfaces[body];
    let centre = own.vertices[vertex];
    let near = |other: &CrowdedSurface<'_>| {
        let reach = own.half_thickness + other.half_thickness + own.gap.max(other.gap) + resolution;
        other.vertices.iter().filter(|p| (*p - centre).norm_squared() <= reach * reach).count()
    };
    surfaces
        .iter()
        .enumerate()
        .filter(|(index, other)| *index != body || other.skips != Some(body))
        .map(|(_, other)| near(other))
        .sum()
}
