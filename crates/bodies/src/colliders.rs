//! Prescribed obstacles: their shapes. How they move is a control (see [`crate::controls`]).

use crate::controls::Controls;
use stiction_numerics::Vec3;
use stiction_scene::Scene;
use stiction_scene::resolved::{self, ColliderMotion, ColliderShape, FrictionDirection, Mesh};

/// All colliders of a scene, in its order.
#[derive(Clone, Debug, Default)]
pub struct ColliderTable {
    /// The colliders.
    pub colliders: Vec<ColliderBody>,
}

/// A prescribed obstacle: what never changes while a scene runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderBody {
    /// Unique name.
    pub name: String,
    /// Shape where the scene puts it, before any motion.
    pub shape: ColliderShape,
    /// Vertices of the mesh over time, if it deforms; then it has no motion as one piece.
    pub sequence: Option<VertexSequence>,
    /// Direction-dependent friction, if any; it moves with the collider.
    pub friction_direction: Option<FrictionDirection>,
    /// Geometric thickness \[m\], half of it on each side of the surface.
    pub thickness: f64,
    /// Display colour, sRGB from 0 to 1.
    pub colour: Option<[f32; 3]>,
}

/// Vertex positions over time, linear between samples; the first and the last are held.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexSequence {
    /// Positions per sample \[m\], all of the length of the mesh; at least one sample.
    pub samples: Vec<Vec<Vec3>>,
    /// Samples per second \[1/s\].
    pub fps: f64,
}

impl VertexSequence {
    /// Appends the positions at a time \[m\].
    fn append_positions(&self, time: f64, out: &mut Vec<Vec3>) {
        let (sample, fraction) = sequence_place(self.samples.len(), self.fps, time);
        let (from, to) = (&self.samples[sample], &self.samples[(sample + 1).min(self.samples.len() - 1)]);
        out.extend(from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction));
    }
}

impl ColliderBody {
    fn new(source: &resolved::Collider) -> ColliderBody {
        let sequence = match &source.motion {
            ColliderMotion::Keyed(_) => None,
            ColliderMotion::Sequence { positions, fps } => {
                Some(VertexSequence { samples: positions.clone(), fps: *fps })
            }
        };
        ColliderBody {
            name: source.name.clone(),
            shape: source.shape.clone(),
            sequence,
            friction_direction: source.friction_direction.clone(),
            thickness: source.thickness,
            colour: source.colour,
        }
    }

    /// Its mesh, if it has one.
    pub fn mesh(&self) -> Option<&Mesh> {
        match &self.shape {
            ColliderShape::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    /// Appends the vertex positions of its mesh before any motion as one piece \[m\].
    pub fn append_unmoved(&self, time: f64, out: &mut Vec<Vec3>) {
        match (&self.sequence, self.mesh()) {
            (Some(sequence), _) => sequence.append_positions(time, out),
            (None, Some(mesh)) => out.extend_from_slice(&mesh.vertices),
            (None, None) => {}
        }
    }
}

impl ColliderTable {
    pub(crate) fn new(scene: &Scene) -> ColliderTable {
        ColliderTable { colliders: scene.colliders.iter().map(ColliderBody::new).collect() }
    }

    /// Appends the vertex positions of a mesh collider at a time \[m\].
    pub fn append_positions(&self, collider: usize, controls: &Controls, time: f64, out: &mut Vec<Vec3>) {
        let first = out.len();
        self.colliders[collider].append_unmoved(time, out);
        let motion = controls.collider(collider);
        if !motion.is_static() {
            let pose = motion.pose(time);
            out[first..].iter_mut().for_each(|x| *x = pose.apply(x));
        }
    }

    /// Whether a collider ever moves.
    pub fn moves(&self, collider: usize, controls: &Controls) -> bool {
        let deforms = self.colliders[collider].sequence.as_ref().is_some_and(|s| s.samples.len() > 1);
        deforms || !controls.collider(collider).is_static()
    }

    /// Whether a collider is elsewhere at the second time than at the first.
    pub fn moves_between(&self, collider: usize, controls: &Controls, times: [f64; 2]) -> bool {
        let motion = controls.collider(collider);
        let [before, after] = times.map(|time| {
            let mut places = Vec::new();
            if let Some(sequence) = &self.colliders[collider].sequence {
                sequence.append_positions(time, &mut places);
            }
            (motion.pose(time), places)
        });
        before != after
    }
}

/// Sample at or before a time and the fraction of the way to the next one; both ends are held.
fn sequence_place(samples: usize, fps: f64, time: f64) -> (usize, f64) {
    let place = (time * fps).clamp(0.0, (samples - 1) as f64);
    let sample = place.floor();
    (sample as usize, place - sample)
}

#[cfg(test)]
mod tests {
    use super::sequence_place;

    #[test]
    fn sequences_hold_their_ends_and_are_linear_between() {
        assert_eq!(sequence_place(3, 10.0, -1.0), (0, 0.0));
        assert_eq!(sequence_place(3, 10.0, 9.0), (2, 0.0));
        let (sample, fraction) = sequence_place(3, 10.0, 0.15);
        assert_eq!(sample, 1);
        assert!((fraction - 0.5).abs() < 1e-12);
    }
}
