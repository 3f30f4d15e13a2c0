//! Reference frames of rod edges at the start of a step.
//!
//! A rod edge carries a unit tangent `t` and a reference director `d1 ⟂ t`; `d2 = t × d1`. The
//! material frame is the reference frame turned by the edge's twist `θ` about `t`. Frames belong to
//! the *start* of the step: an energy at a trial configuration transports them in parallel from the
//! stored tangent to the trial tangent, so that its value depends on the configuration alone and
//! never on the path of trial states.   [Bergou2010, section 4.2.2]

//!
//! The twist at a joint needs the angle β from the reference frame of the edge before, carried over
//! the joint, to that of the edge after. Measured afresh it is known only up to whole turns; a rod
//! twisted more and more would jump by 2π. Each frame therefore stores β of the joint *before* its
//! edge, unwrapped: a new measure is taken to within half a turn of the stored one. That is right
//! as long as β changes by less than π within one step.

use std::f64::consts::{PI, TAU};
use stiction_numerics::Vec3;

/// Reference frame of one rod edge at the start of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeFrame {
    /// Unit tangent of the edge.
    pub tangent: Vec3,
    /// Reference director, unit and orthogonal to `tangent`.
    pub director: Vec3,
    /// Angle \[rad\], unwrapped, from the frame of the previous edge carried to `tangent` to this
    /// one; 0 without one.
    pub reference_twist: f64,
}

impl EdgeFrame {
    /// A frame from a unit tangent and a unit director orthogonal to it, with no previous edge.
    pub fn new(tangent: Vec3, director: Vec3) -> EdgeFrame {
        EdgeFrame { tangent, director, reference_twist: 0.0 }
    }

    /// The frame carried to a new unit tangent by parallel transport. The reference twist stays as
    /// it was: refresh it with [`refresh_reference_twist`] once the frames of both edges of the
    /// joint have moved.
    pub fn transported(&self, tangent: Vec3) -> EdgeFrame {
        let director = parallel_transport(self.director, self.tangent, tangent);
        EdgeFrame { tangent, director, reference_twist: self.reference_twist }
    }

    /// The second director `d2 = t × d1`.
    pub fn binormal(&self) -> Vec3 {
        self.tangent.cross(&self.director)
    }
}

/// Angle from `before`, carried to the tangent of `after`, to `after`, taken to within half a turn
/// of the reference twist that `after` stores \[rad\].
pub fn reference_twist(before: &EdgeFrame, after: &EdgeFrame) -> f64 {
    let carried = parallel_transport(before.director, before.tangent, after.tangent);
    let sine = after.tangent.dot(&carried.cross(&after.director));
    unwrap_angle(sine.atan2(carried.dot(&after.director)), after.reference_twist)
}

/// The angle equal to `angle` modulo 2π that lies within π of `near`.
pub fn unwrap_angle(angle: f64, near: f64) -> f64 {
    let turns = ((near - angle) / TAU).round();
    let nearest = angle + turns * TAU;
    debug_assert!((nearest - near).abs() <= PI * (1.0 + 1e-9) || !angle.is_finite());
    nearest
}

/// Stores the reference twist of the joint between two edges in the frame of the second.
pub fn refresh_reference_twist(frames: &mut [EdgeFrame], joint: [u32; 2]) {
    let (before, after) = (frames[joint[0] as usize], joint[1] as usize);
    frames[after].reference_twist = reference_twist(&before, &frames[after]);
}

/// Carries all frames to the tangents of an accepted configuration and refreshes the reference
/// twists of the joints. An edge of zero length keeps its frame.
pub fn transport_frames(
    frames: &mut [EdgeFrame],
    positions: &[Vec3],
    edges: &[[u32; 2]],
    joints: &[[u32; 2]],
) {
    for (frame, nodes) in frames.iter_mut().zip(edges) {
        let along = positions[nodes[1] as usize] - positions[nodes[0] as usize];
        if let Some(tangent) = along.try_normalize(0.0) {
            *frame = frame.transported(tangent);
        }
    }
    for &joint in joints {
        refresh_reference_twist(frames, joint);
    }
}

/// Frames along an open chain of points by parallel transport in space from a first director: no
/// reference twist. `first_director` is made orthogonal to the first edge; an edge of zero length
/// repeats the tangent before it.
pub fn frames_along(points: &[Vec3], first_director: Vec3) -> Vec<EdgeFrame> {
    let mut frames: Vec<EdgeFrame> = Vec::with_capacity(points.len().saturating_sub(1));
    for pair in points.windows(2) {
        let along = (pair[1] - pair[0]).try_normalize(0.0);
        let frame = match frames.last() {
            None => {
                let tangent = along.unwrap_or_else(Vec3::x);
                EdgeFrame::new(tangent, orthonormal_to(first_director, tangent))
            }
            Some(before) => before.transported(along.unwrap_or(before.tangent)),
        };
        frames.push(frame);
    }
    frames
}

/// Rotates `vector` by the smallest rotation that takes unit `from` to unit `to`:
/// `P v = v + b × v + b × (b × v) / (1 + c)` with `b = from × to`, `c = from · to`.
/// For opposite tangents (c → −1) the rotation is not defined; the vector is then kept and
/// re-orthogonalised.
pub fn parallel_transport(vector: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let cosine = from.dot(&to);
    let axis = from.cross(&to);
    let turned = if 1.0 + cosine < 1e-12 {
        vector
    } else {
        let once = axis.cross(&vector);
        vector + once + axis.cross(&once) / (1.0 + cosine)
    };
    orthonormal_to(turned, to)
}

/// The part of `vector` orthogonal to unit `tangent`, normalised; any orthogonal unit vector if
/// nothing is left.
pub fn orthonormal_to(vector: Vec3, tangent: Vec3) -> Vec3 {
    let part = vector - tangent * tangent.dot(&vector);
    let norm = part.norm();
    if norm > 1e-12 * vector.norm().max(1e-300) { part / norm } else { any_orthogonal(tangent) }
}

/// A unit vector orthogonal to unit `tangent`, chosen without branches that depend on tiny
/// differences.
pub fn any_orthogonal(tangent: Vec3) -> Vec3 {
    let axis = tangent.iamin();
    let mut helper = Vec3::zeros();
    helper[axis] = 1.0;
    (helper - tangent * tangent[axis]).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small deterministic generator (SplitMix64), uniform in [−1, 1).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> Vec3 {
            Vec3::from_fn(|_, _| self.next())
        }
    }

    fn deviation(frame: &EdgeFrame) -> f64 {
        let lengths = (frame.tangent.norm() - 1.0).abs().max((frame.director.norm() - 1.0).abs());
        lengths.max(frame.tangent.dot(&frame.director).abs())
    }

    #[test]
    fn transport_keeps_frames_orthonormal_over_many_steps() {
        let mut random = Random(7);
        let mut frame = EdgeFrame::new(Vec3::z(), Vec3::x());
        for _ in 0..100_000 {
            frame = frame.transported((frame.tangent + random.vector()).normalize());
            assert!(deviation(&frame) < 1e-14);
        }
    }

    #[test]
    fn transport_is_the_smallest_rotation() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let (from, to) = (random.vector().normalize(), random.vector().normalize());
            let director = any_orthogonal(from);
            let moved = parallel_transport(director, from, to);
            // The axis from × to is left in place, and the rotation takes `from` to `to`.
            let axis = from.cross(&to);
            assert!((moved.dot(&axis) - director.dot(&axis)).abs() < 1e-12);
            assert!((parallel_transport(moved, to, from) - director).norm() < 1e-8);
        }
    }

    #[test]
    fn opposite_tangents_give_a_finite_orthonormal_frame() {
        let frame = EdgeFrame::new(Vec3::z(), Vec3::x()).transported(-Vec3::z());
        assert!(deviation(&frame) < 1e-15);
    }

    #[test]
    fn frames_along_a_curve_have_no_reference_twist() {
        let points: Vec<Vec3> =
            (0..30).map(|i| i as f64 * 0.3).map(|s| Vec3::new(s.cos(), s.sin(), 0.2 * s)).collect();
        let frames = frames_along(&points, Vec3::z());
        assert_eq!(frames.len(), 29);
        for pair in frames.windows(2) {
            assert!(deviation(&pair[1]) < 1e-14);
            assert!(reference_twist(&pair[0], &pair[1]).abs() < 1e-14);
        }
    }

    #[test]
    fn unwrapping_follows_whole_turns() {
        let mut stored = 0.0;
        for i in 0..1000 {
            let true_angle = 0.1 * i as f64;
            let measured = true_angle.sin().atan2(true_angle.cos());
            stored = unwrap_angle(measured, stored);
            assert!((stored - true_angle).abs() < 1e-9);
        }
    }

    /// The second edge swings on a cone about the first for five rounds: each round adds the solid
    /// angle of the cone, 2π(1 − cos α), to the reference twist; measured modulo 2π this would be
    /// lost.
    #[test]
    fn reference_twist_keeps_count_of_rounds() {
        let (opening, rounds, steps) = (1.2_f64, 5, 4000);
        let place =
            |phase: f64| Vec3::new(opening.sin() * phase.cos(), opening.sin() * phase.sin(), opening.cos());
        let points = |phase: f64| [-Vec3::z(), Vec3::zeros(), place(phase)];
        let mut frames = frames_along(&points(0.0), Vec3::x());
        for i in 1..=rounds * steps {
            let phase = TAU * i as f64 / steps as f64;
            transport_frames(&mut frames, &points(phase), &[[0, 1], [1, 2]], &[[0, 1]]);
        }
        let expected = -TAU * (1.0 - opening.cos()) * rounds as f64;
        // The path is a polygon on the sphere: its area differs by O(1/steps²).
        let found = frames[1].reference_twist;
        assert!((found.abs() - expected.abs()).abs() < 1e-4, "{found} against {expected}");
    }
}
