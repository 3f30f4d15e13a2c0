//! What a run draws and stores: bodies, their topology and looks. Written once per run.

use crate::error::{OutputError, Result};
use crate::run_id::RunId;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// x is up.
    X,
    /// y is up.
    Y,
    /// z is up (default of scenes).
    #[default]
    Z,
}

/// What a body is, for drawing and export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayoutKind {
    /// Triangles with thickness.
    Cloth,
    /// Segments with a radius.
    Rod,
    /// Tetrahedra with a surface.
    Solid,
    /// Something others collide with; its motion is given.
    Collider,
    /// A rigid body that moves by dynamics.
    Rigid,
}

/// Where a body's positions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredMotion {
    /// Every frame stores every vertex.
    Free,
    /// The layout stores the shape, every frame a pose.
    Posed,
    /// The layout stores the shape; it never moves.
    Fixed,
}

/// A rigid motion: rotate by the unit quaternion, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredPose {
    /// Position of the body's origin \[m\].
    pub translation: [f32; 3],
    /// Unit quaternion in the order x, y, z, w.
    pub rotation_xyzw: [f32; 4],
}

impl StoredPose {
    /// No motion.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation_xyzw: [0.0, 0.0, 0.0, 1.0] };

    /// World position of a point of the body: p + 2 w (q × p) + 2 q × (q × p) + t.
    pub fn apply(&self, point: [f32; 3]) -> [f32; 3] {
        let [x, y, z, w] = self.rotation_xyzw;
        let q = [x, y, z];
        let once = cross(q, point);
        let twice = cross(q, once);
        std::array::from_fn(|i| point[i] + 2.0 * (w * once[i] + twice[i]) + self.translation[i])
    }
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// One body. All indices are local to the body; arrays that do not apply stay empty.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLayout {
    /// Unique name from the scene.
    pub name: String,
    /// What it is.
    pub kind: LayoutKind,
    /// Where its positions come from.
    pub motion: StoredMotion,
    /// Its vertices in the run's global vertex array, in the user's order.
    pub vertices: Range<u32>,
    /// Shape for `Posed` (body space) and `Fixed` (world space) bodies \[m\].
    pub shape: Vec<[f32; 3]>,
    /// Triangles of the surface.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of rods.
    pub segments: Vec<[u32; 2]>,
    /// Rods as ordered vertex lists, one per strand.
    pub strands: Vec<Vec<u32>>,
    /// Tetrahedra of solids.
    pub tets: Vec<[u32; 4]>,
    /// Rod radius \[m\]: none, one for all, or one per vertex.
    pub radius: Vec<f32>,
    /// Full thickness of a surface \[m\].
    pub thickness: f32,
    /// sRGB colour, 0 to 1.
    pub colour: [f32; 3],
    /// Vertices that are pinned at some time.
    pub pinned: Vec<u32>,
    /// Texture coordinates per vertex, or none.
    pub uv: Vec<[f32; 2]>,
}

impl BodyLayout {
    /// A body without topology; fill the fields that apply. Vertices are numbered when it joins a
    /// layout.
    pub fn new(name: impl Into<String>, kind: LayoutKind, vertex_count: usize) -> Self {
        Self {
            name: name.into(),
            kind,
            motion: StoredMotion::Free,
            vertices: 0..vertex_count as u32,
            shape: Vec::new(),
            triangles: Vec::new(),
            segments: Vec::new(),
            strands: Vec::new(),
            tets: Vec::new(),
            radius: Vec::new(),
            thickness: 0.0,
            colour: [0.7, 0.7, 0.7],
            pinned: Vec::new(),
            uv: Vec::new(),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Whether its positions change from frame to frame.
    pub fn moving(&self) -> bool {
        self.motion != StoredMotion::Fixed
    }

    /// Its place in global arrays.
    pub fn range(&self) -> Range<usize> {
        self.vertices.start as usize..self.vertices.end as usize
    }

    /// Radius at a local vertex \[m\]; 0 where none was given.
    pub fn radius_at(&self, vertex: usize) -> f32 {
        match self.radius.len() {
            0 => 0.0,
            1 => self.radius[0],
            _ => self.radius[vertex],
        }
    }

    /// Its colour in linear light, as glTF and USD store it.
    pub fn linear_colour(&self) -> [f32; 3] {
        self.colour.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) })
    }

    fn check(&self) -> Result<()> {
        let count = self.vertex_count();
        let fail = |reason: String| Err(OutputError::shape(format!("body `{}`", self.name), reason));
        let largest = max_index(&self.triangles)
            .max(max_index(&self.segments))
            .max(max_index(&self.tets))
            .max(self.strands.iter().flatten().chain(&self.pinned).max().copied());
        if largest.is_some_and(|index| index as usize >= count) {
            return fail(format!("an index {} reaches past its {count} vertices", largest.unwrap_or(0)));
        }
        let expected_shape = if self.motion == StoredMotion::Free { 0 } else { count };
        if self.shape.len() != expected_shape {
            return fail(format!("{} shape points, expected {expected_shape}", self.shape.len()));
        }
        if !(self.radius.len() <= 1 || self.radius.len() == count) {
            return fail(format!("{} radii for {count} vertices", self.radius.len()));
        }
        if !(self.uv.is_empty() || self.uv.len() == count) {
            return fail(format!("{} texture coordinates for {count} vertices", self.uv.len()));
        }
        Ok(())
    }
}

fn max_index<const N: usize>(elements: &[[u32; N]]) -> Option<u32> {
    elements.iter().flatten().max().copied()
}

/// Everything about a run that does not change from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The run that it belongs to; frames are held against it.
    pub run_id: RunId,
    /// The axis that points up.
    pub up_axis: UpAxis,
    /// Frames per second; frame k shows time k / fps.
    pub fps: f64,
    /// Bodies; their vertex ranges follow each other without gaps.
    pub bodies: Vec<BodyLayout>,
}

impl Layout {
    /// An empty layout.
    pub fn new(up_axis: UpAxis, fps: f64) -> Self {
        Self { run_id: RunId::NONE, up_axis, fps, bodies: Vec::new() }
    }

    /// Appends a body, giving it the next vertices of the global array. Returns its index.
    pub fn push(&mut self, mut body: BodyLayout) -> usize {
        let start = self.vertex_count() as u32;
        body.vertices = start..start + body.vertex_count() as u32;
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Number of vertices of all bodies.
    pub fn vertex_count(&self) -> usize {
        self.bodies.last().map_or(0, |b| b.vertices.end as usize)
    }

    /// Number of vertices that frames store (those of `Free` bodies).
    pub fn stored_vertex_count(&self) -> usize {
        self.bodies.iter().filter(|b| b.motion == StoredMotion::Free).map(BodyLayout::vertex_count).sum()
    }

    /// Bodies that take a pose from each frame, in the order of `Frame::poses`.
    pub fn posed(&self) -> impl Iterator<Item = &BodyLayout> {
        self.bodies.iter().filter(|b| b.motion == StoredMotion::Posed)
    }

    /// The body of that name.
    pub fn body(&self, name: &str) -> Option<&BodyLayout> {
        self.bodies.iter().find(|b| b.name == name)
    }

    /// Fills the positions of `Posed` and `Fixed` bodies in a global array.
    pub fn place(&self, poses: &[StoredPose], positions: &mut [[f32; 3]]) {
        let mut poses = poses.iter();
        for body in self.bodies.iter().filter(|b| b.motion != StoredMotion::Free) {
            let pose = if body.motion == StoredMotion::Posed { poses.next() } else { None };
            for (position, &point) in positions[body.range()].iter_mut().zip(&body.shape) {
                *position = pose.map_or(point, |pose| pose.apply(point));
            }
        }
    }

    /// Checks that ranges, indices and array lengths fit together.
    pub fn check(&self) -> Result<()> {
        if !(self.fps.is_finite() && self.fps > 0.0) {
            return Err(OutputError::shape(
                "layout",
                format!("fps is {}, expected a positive number", self.fps),
            ));
        }
        let mut next = 0;
        let mut names = std::collections::BTreeSet::new();
        for body in &self.bodies {
            if body.vertices.start != next || body.vertices.end < next {
                return Err(OutputError::shape(
                    format!("body `{}`", body.name),
                    "its vertex range leaves a gap",
                ));
            }
            if !names.insert(&body.name) {
                return Err(OutputError::shape(format!("body `{}`", body.name), "two bodies have this name"));
            }
            next = body.vertices.end;
            body.check()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pose_turns_x_into_y_by_a_quarter_turn_about_z() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let pose = StoredPose { translation: [1.0, 2.0, 3.0], rotation_xyzw: [0.0, 0.0, half, half] };
        let [x, y, z] = pose.apply([1.0, 0.0, 0.0]);
        assert!((x - 1.0).abs() + (y - 3.0).abs() + (z - 3.0).abs() < 1e-6);
    }

    #[test]
    fn bad_layouts_name_the_body() {
        let mut layout = Layout::new(UpAxis::Z, 24.0);
        let mut flag = BodyLayout::new("flag", LayoutKind::Cloth, 3);
        flag.triangles = vec![[0, 1, 3]];
        layout.push(flag);
        let message = layout.check().unwrap_err().to_string();
        assert!(message.contains("flag") && message.contains('3'), "{message}");
        layout.bodies[0].triangles = vec![[0, 1, 2]];
        layout.check().unwrap();
        layout.push(BodyLayout::new("flag", LayoutKind::Cloth, 1));
        assert!(layout.check().unwrap_err().to_string().contains("two bodies"));
        layout.bodies.pop();
        layout.fps = f64::NAN;
        assert!(layout.check().is_err());
    }

    #[test]
    fn placing_fills_only_what_is_not_free() {
        let mut layout = Layout::new(UpAxis::Z, 24.0);
        for (name, motion) in
            [("a", StoredMotion::Free), ("b", StoredMotion::Posed), ("c", StoredMotion::Fixed)]
        {
            let mut body = BodyLayout::new(name, LayoutKind::Collider, 1);
            body.motion = motion;
            body.shape = if motion == StoredMotion::Free { vec![] } else { vec![[1.0, 0.0, 0.0]] };
            layout.push(body);
        }
        layout.check().unwrap();
        let mut positions = vec![[9.0; 3]; 3];
        layout.place(&[StoredPose { translation: [0.0, 0.0, 5.0], ..StoredPose::IDENTITY }], &mut positions);
        assert_eq!(positions, vec![[9.0; 3], [1.0, 0.0, 5.0], [1.0, 0.0, 0.0]]);
        assert_eq!(layout.stored_vertex_count(), 1);
    }
}
