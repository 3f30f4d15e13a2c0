//! From samples to surface points: place, normal and colour of what a sample sees.

use rayon::prelude::*;

use crate::V3;
use crate::ground::GroundGrid;
use crate::primitives::{Capsule, DrawnPrimitive, Primitives, ShadedTriangle};
use crate::projection::Projector;
use crate::raster::{NONE, Visibility};

/// Primitive number of the ground.
pub(crate) const GROUND: u32 = NONE - 1;

/// What a sample sees. Place and normal are in camera coordinates, the normal faces the eye.
#[derive(Clone, Copy)]
pub(crate) struct VisiblePoint {
    pub number: u32,
    /// Number of the mesh; all strands share one, and so does the ground.
    pub body: u32,
    pub position: V3,
    pub normal: V3,
    pub colour: V3,
}

impl VisiblePoint {
    pub fn is_ground(&self) -> bool {
        self.number == GROUND
    }

    /// Whether two points lie on one smooth piece of surface; `tolerance` is the allowed step off
    /// the plane [m].
    pub fn continues(&self, other: &VisiblePoint, tolerance: f32) -> bool {
        self.body == other.body
            && self.normal.dot(&other.normal) > 0.85
            && self.normal.dot(&(other.position - self.position)).abs() < tolerance
    }
}

/// Writes the ground into the samples where it is nearest.
pub(crate) fn add_ground(visibility: &mut Visibility, projector: &Projector, ground: &GroundGrid) {
    let width = visibility.width;
    let rows = visibility.nearness.par_chunks_mut(width).zip(visibility.primitive.par_chunks_mut(width));
    rows.enumerate().for_each(|(row, (nearness, primitive))| {
        let plane = ground.nearness(projector, row as f32 + 0.5);
        for column in 0..width {
            let value = plane[0] + plane[1] * (column as f32 + 0.5);
            if value > 0.0 && value > nearness[column] {
                nearness[column] = value;
                primitive[column] = GROUND;
            }
        }
    });
}

/// Reads samples back as surface points.
pub(crate) struct VisibleSurfaces<'a> {
    pub visibility: &'a Visibility,
    pub projector: &'a Projector,
    pub primitives: &'a Primitives,
    /// Ground normal in camera coordinates.
    pub ground_normal: V3,
}

impl VisibleSurfaces<'_> {
    /// Whether a primitive is a capsule.
    pub fn is_round(&self, number: u32) -> bool {
        number < GROUND && number as usize >= self.primitives.triangles.len()
    }

    /// What the sample at a column and row sees; `None` is the background.
    pub fn at(&self, column: usize, row: usize) -> Option<VisiblePoint> {
        let index = row * self.visibility.width + column;
        let number = self.visibility.primitive[index];
        if number == NONE {
            return None;
        }
        let depth = self.projector.depth(self.visibility.nearness[index]);
        let position = self.projector.unproject(column as f32 + 0.5, row as f32 + 0.5, depth);
        let (body, normal, colour) = if number == GROUND {
            (GROUND, self.ground_normal, V3::zeros())
        } else {
            let world = self.projector.to_world(position);
            let (body, (normal, colour)) = match self.primitives.get(number as usize) {
                DrawnPrimitive::Triangle(t) => (t.body, triangle_at(t, world, self.projector.origin)),
                DrawnPrimitive::Capsule(c) => (c.body, capsule_at(c, world, self.projector.origin)),
            };
            (body, self.projector.direction_to_camera(normal), colour)
        };
        Some(VisiblePoint { number, body, position, normal, colour })
    }

    /// One point per pixel (the middle sample), row by row.
    pub fn per_pixel(&self, samples: usize) -> Vec<Option<VisiblePoint>> {
        let (width, height) = (self.projector.width / samples, self.projector.height / samples);
        let middle = samples / 2;
        let mut out = vec![None; width * height];
        out.par_chunks_mut(width).enumerate().for_each(|(row, line)| {
            for (column, point) in line.iter_mut().enumerate() {
                *point = self.at(column * samples + middle, row * samples + middle);
            }
        });
        out
    }
}

/// Interpolated normal (towards the eye) and colour at a point of the triangle.
fn triangle_at(t: &ShadedTriangle, point: V3, eye: V3) -> (V3, V3) {
    let (e1, e2, d) = (t.corners[1] - t.corners[0], t.corners[2] - t.corners[0], point - t.corners[0]);
    let face = e1.cross(&e2);
    let area = face.norm_squared().max(f32::MIN_POSITIVE);
    let b1 = (d.cross(&e2).dot(&face) / area).clamp(0.0, 1.0);
    let b2 = (e1.cross(&d).dot(&face) / area).clamp(0.0, 1.0 - b1);
    let b0 = 1.0 - b1 - b2;
    let mix = |v: &[V3; 3]| v[0] * b0 + v[1] * b1 + v[2] * b2;
    let normal = mix(&t.normals);
    let normal = if normal.norm_squared() > 1e-12 { normal.normalize() } else { face / area.sqrt() };
    // the facet, not the smooth normal, knows which side is seen
    let normal = if face.dot(&(point - eye)) > 0.0 { -normal } else { normal };
    (normal, mix(&t.colours))
}

/// Normal and colour at a point of the capsule.
fn capsule_at(c: &Capsule, point: V3, eye: V3) -> (V3, V3) {
    let axis = c.ends[1] - c.ends[0];
    let length = axis.norm_squared();
    let t = if length > 0.0 { ((point - c.ends[0]).dot(&axis) / length).clamp(0.0, 1.0) } else { 0.0 };
    let out = point - (c.ends[0] + axis * t);
    let normal = if out.norm_squared() > 0.0 { out.normalize() } else { (eye - point).normalize() };
    (normal, c.colours[0] * (1.0 - t) + c.colours[1] * t)
}
