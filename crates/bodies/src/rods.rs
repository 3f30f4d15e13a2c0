//! Rods: edges, joints between them, and their frames.
//!
//! A strand of vertices x₀ … x_n has edges e_i = x_{i+1} − x_i, each with a twist θ_i, and a joint
//! at every interior vertex. A closed strand (equal first and last index) has a joint at its seam
//! too.

use crate::frames::{EdgeFrame, any_orthogonal, frames_along, refresh_reference_twist, transport_frames};
use stiction_numerics::Vec3;

/// One edge of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodEdge {
    /// Its two nodes.
    pub nodes: [u32; 2],
    /// Rest length \[m\].
    pub length: f64,
    /// Body that it belongs to.
    pub body: u32,
}

/// One joint: two edges that meet at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RodJoint {
    /// Previous, middle and next node.
    pub nodes: [u32; 3],
    /// Edge before and edge after.
    pub edges: [u32; 2],
    /// Body that it belongs to.
    pub body: u32,
}

/// A strand as a run of edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Strand {
    /// Its nodes in order; equal ends mean a closed loop.
    pub nodes: Vec<u32>,
    /// First of its edges; they follow each other.
    pub first_edge: u32,
    /// Frame of its first edge in the rest shape: sections and natural curvature are measured in
    /// it.
    pub rest_frame: EdgeFrame,
}

/// All rods of a model.
#[derive(Clone, Debug, Default)]
pub struct RodTable {
    /// Strands in the order of the scene.
    pub strands: Vec<Strand>,
    /// Edges, strand after strand.
    pub edges: Vec<RodEdge>,
    /// Joints, strand after strand.
    pub joints: Vec<RodJoint>,
}

impl RodTable {
    /// Appends one strand whose nodes are given in global indices, with rest positions for the
    /// lengths.
    pub(crate) fn push(&mut self, nodes: &[u32], rest: &[Vec3], body: u32) {
        let first = self.edges.len() as u32;
        for pair in nodes.windows(2) {
            let length = (rest[pair[1] as usize] - rest[pair[0] as usize]).norm();
            self.edges.push(RodEdge { nodes: [pair[0], pair[1]], length, body });
        }
        for (i, triple) in nodes.windows(3).enumerate() {
            let edges = [first + i as u32, first + i as u32 + 1];
            self.joints.push(RodJoint { nodes: [triple[0], triple[1], triple[2]], edges, body });
        }
        let last = self.edges.len() as u32 - 1;
        if nodes.len() > 3 && nodes.first() == nodes.last() {
            let seam = [nodes[nodes.len() - 2], nodes[0], nodes[1]];
            self.joints.push(RodJoint { nodes: seam, edges: [last, first], body });
        }
        let tangent = first_tangent(nodes, rest);
        let rest_frame = EdgeFrame::new(tangent, any_orthogonal(tangent));
        self.strands.push(Strand { nodes: nodes.to_vec(), first_edge: first, rest_frame });
    }

    /// Frames carried along each strand by parallel transport (twist-free frames; the seam of a
    /// closed strand takes up what is left). The first director is that of the rest shape, turned
    /// by the smallest rotation that brings its edge here.
    pub fn initial_frames(&self, positions: &[Vec3]) -> Vec<EdgeFrame> {
        let mut frames = Vec::with_capacity(self.edges.len());
        for strand in &self.strands {
            let points: Vec<Vec3> = strand.nodes.iter().map(|&n| positions[n as usize]).collect();
            let first = strand.rest_frame.transported(first_tangent(&strand.nodes, positions));
            frames.extend(frames_along(&points, first.director));
        }
        self.joints.iter().for_each(|joint| refresh_reference_twist(&mut frames, joint.edges));
        frames
    }

    /// Carries the frames to the tangents of an accepted configuration.
    pub fn transport(&self, frames: &mut [EdgeFrame], positions: &[Vec3]) {
        let edges: Vec<[u32; 2]> = self.edges.iter().map(|e| e.nodes).collect();
        let joints: Vec<[u32; 2]> = self.joints.iter().map(|j| j.edges).collect();
        transport_frames(frames, positions, &edges, &joints);
    }
}

/// Unit tangent of the first edge of a strand.
fn first_tangent(nodes: &[u32], positions: &[Vec3]) -> Vec3 {
    let edge = positions[nodes[1] as usize] - positions[nodes[0] as usize];
    edge.try_normalize(0.0).unwrap_or_else(Vec3::x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_turn_with_a_small_rotation_of_the_rest_shape() {
        let rest: Vec<Vec3> = (0..5).map(|i| Vec3::new(f64::from(i), 0.1 * f64::from(i * i), 0.0)).collect();
        let mut rods = RodTable::default();
        rods.push(&[0, 1, 2, 3, 4], &rest, 0);
        let turn = |angle: f64| {
            let (s, c) = angle.sin_cos();
            rest.iter().map(move |x| Vec3::new(c * x.x - s * x.y, s * x.x + c * x.y, x.z)).collect::<Vec<_>>()
        };
        // Turned about an axis across the first edge, all directors turn along, through every
        // angle.
        for degrees in 0..17 {
            let angle = f64::from(degrees) * 10.0_f64.to_radians();
            let (at_rest, turned) = (rods.initial_frames(&rest), rods.initial_frames(&turn(angle)));
            for (a, b) in at_rest.iter().zip(&turned) {
                let (s, c) = angle.sin_cos();
                let d = a.director;
                let expected = Vec3::new(c * d.x - s * d.y, s * d.x + c * d.y, d.z);
                assert!((b.director - expected).norm() < 1e-12, "at {degrees}0 degrees");
            }
        }
    }
}
