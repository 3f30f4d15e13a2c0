//! Strands: straight rod, helix, and hair that grows from a surface.

use super::{RawMesh, SplitMix};
use crate::resolved::Cells;
use std::f64::consts::TAU;
use stiction_numerics::Vec3;

/// Strands of equal numbers of vertices, with groups of their ends.
pub(super) fn strands(vertices: Vec<Vec3>, per_strand: u32) -> RawMesh {
    let count = vertices.len() as u32 / per_strand;
    let cells = (0..count).map(|s| (s * per_strand..(s + 1) * per_strand).collect()).collect();
    let mut mesh = RawMesh::new(vertices, Cells::Strands(cells));
    mesh.groups = vec![
        ("roots".to_owned(), (0..count).map(|s| s * per_strand).collect()),
        ("tips".to_owned(), (0..count).map(|s| (s + 1) * per_strand - 1).collect()),
    ];
    mesh
}

/// Straight strand.
pub fn rod(start: Vec3, end: Vec3, segments: u32) -> RawMesh {
    let at = |i: u32| start + (end - start) * (f64::from(i) / f64::from(segments));
    strands((0..=segments).map(at).collect(), segments + 1)
}

/// A helix about z.
#[derive(Clone, Copy, Debug)]
pub struct HelixOptions {
    /// Radius.
    pub radius: f64,
    /// Rise per turn.
    pub pitch: f64,
    /// Turns; negative is left-handed.
    pub turns: f64,
    /// Segments.
    pub segments: u32,
    /// Radius at the far end over `radius`.
    pub taper: f64,
}

/// Helical strand from (radius, 0, 0) upwards.
pub fn helix(options: &HelixOptions) -> RawMesh {
    let at = |i: u32| {
        let u = f64::from(i) / f64::from(options.segments);
        let angle = TAU * options.turns * u;
        let r = options.radius * (1.0 + (options.taper - 1.0) * u);
        Vec3::new(r * angle.cos(), r * angle.sin(), options.pitch * options.turns.abs() * u)
    };
    strands((0..=options.segments).map(at).collect(), options.segments + 1)
}

/// Hair on a surface.
#[derive(Clone, Copy, Debug)]
pub struct GroomOptions {
    /// Number of strands.
    pub count: u32,
    /// Length along the strand.
    pub length: f64,
    /// Random part of the length, as a fraction.
    pub length_jitter: f64,
    /// Segments per strand.
    pub segments: u32,
    /// Direction of growth, mixed with the normal.
    pub direction: Vec3,
    /// Weight of `direction`, 0 to 1.
    pub direction_weight: f64,
    /// Curl radius; 0 is straight.
    pub curl_radius: f64,
    /// Rise per curl.
    pub curl_pitch: f64,
    /// Smallest allowed z of the surface normal.
    pub min_up: f64,
    /// Seed.
    pub seed: u64,
}

/// Strands whose roots are spread evenly by area over a surface. Empty when no triangle faces up
/// enough.
pub fn groom(vertices: &[Vec3], triangles: &[[u32; 3]], options: &GroomOptions) -> RawMesh {
    let mut running = 0.0;
    let mut areas = Vec::new();
    for (index, t) in triangles.iter().enumerate() {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        let normal = (b - a).cross(&(c - a));
        let area = 0.5 * normal.norm();
        if area > 0.0 && normal.z / (2.0 * area) >= options.min_up {
            running += area;
            areas.push((running, index as u32, [a, b, c], normal / (2.0 * area)));
        }
    }
    let mut random = SplitMix::new(options.seed, 3);
    let (mut points, mut seats) = (Vec::new(), Vec::new());
    for s in 0..if areas.is_empty() { 0 } else { options.count } {
        // One root per equal share of the area: even cover without clumps.
        let target = running * (f64::from(s) + random.unit()) / f64::from(options.count);
        let found = areas.partition_point(|(sum, ..)| *sum < target).min(areas.len() - 1);
        let (_, triangle, [a, b, c], normal) = areas[found];
        let (r, t) = (random.unit().sqrt(), random.unit());
        let root = a * (1.0 - r) + (b * (1.0 - t) + c * t) * r;
        seats.push((triangle, [1.0 - r, (1.0 - t) * r, t * r]));
        grow(root, normal, options, &mut random, &mut points);
    }
    let mut mesh = strands(points, options.segments + 1);
    mesh.seats = seats;
    mesh
}

/// One strand: a helix about the growth direction whose radius opens over the first quarter, so
/// that the root stays on the surface.
fn grow(root: Vec3, normal: Vec3, o: &GroomOptions, random: &mut SplitMix, points: &mut Vec<Vec3>) {
    let mixed = normal * (1.0 - o.direction_weight) + o.direction * o.direction_weight;
    let along = mixed.try_normalize(1e-12).unwrap_or(normal);
    let helper = if along.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let side = along.cross(&helper).normalize();
    let other = along.cross(&side);
    let length = o.length * (1.0 + o.length_jitter * random.signed());
    let phase = TAU * random.unit();
    let turn_length = (o.curl_pitch.powi(2) + (TAU * o.curl_radius).powi(2)).sqrt();
    let (turns, rise) =
        if o.curl_radius > 0.0 { (length / turn_length, o.curl_pitch / turn_length) } else { (0.0, 1.0) };
    for i in 0..=o.segments {
        let u = f64::from(i) / f64::from(o.segments);
        let radius = o.curl_radius * (4.0 * u).min(1.0);
        let angle = phase + TAU * turns * u;
        let curl = (side * angle.cos() + other * angle.sin()) * radius;
        points.push(root + along * (length * rise * u) + curl);
    }
}
