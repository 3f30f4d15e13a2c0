//! Prescribed obstacles: shapes that follow a motion or a sequence of positions.

use stiction_numerics::Vec3;
use stiction_scene::resolved::{Collider, ColliderMotion, ColliderShape, Mesh};

/// All colliders of a scene, in its order.
#[derive(Clone, Debug, Default)]
pub struct ColliderTable {
    /// Colliders as the scene gives them.
    pub colliders: Vec<Collider>,
}

impl ColliderTable {
    /// The mesh of a collider, if it has one.
    pub fn mesh(&self, collider: usize) -> Option<&Mesh> {
        match &self.colliders[collider].shape {
            ColliderShape::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    /// Appends the vertex positions of a mesh collider at a time \[m\].
    pub fn append_positions(&self, collider: usize, time: f64, out: &mut Vec<Vec3>) {
        let Some(mesh) = self.mesh(collider) else { return };
        match &self.colliders[collider].motion {
            ColliderMotion::Static => out.extend_from_slice(&mesh.vertices),
            ColliderMotion::Keyed(motion) => {
                let pose = motion.pose(time);
                out.extend(mesh.vertices.iter().map(|x| pose.apply(x)));
            }
            ColliderMotion::Sequence { positions, fps } => {
                let (sample, fraction) = sequence_place(positions.len(), *fps, time);
                let (from, to) = (&positions[sample], &positions[(sample + 1).min(positions.len() - 1)]);
                out.extend(from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction));
            }
        }
    }

    /// Whether a collider ever moves.
    pub fn moves(&self, collider: usize) -> bool {
        match &self.colliders[collider].motion {
            ColliderMotion::Static => false,
            ColliderMotion::Keyed(motion) => !motion.is_static(),
            ColliderMotion::Sequence { positions, .. } => positions.len() > 1,
        }
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
