//! Mid-edge normals of shells: the extra unknowns of bending by the shape operator.
//!
//! Every inner edge of a shell carries the unit normal n_e of its surface at the middle of the
//! edge, orthogonal to the edge. It is stored as a rod stores its material frame: a reference
//! director d ⟂ t, carried in parallel with the edge from step to step, and an angle φ with
//! `n_e = cos φ d + sin φ t×d`. φ is a block of its own (first component), after the twists of the
//! rods; the director is a frame of its own, after the frames of the rods.
//!
//! Borders, and edges where more than two triangles meet, carry no moment and have no unknown.

use crate::frames::{EdgeFrame, orthonormal_to};
use crate::topology::Topology;
use stiction_numerics::Vec3;

/// An inner edge of a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellEdge {
    /// Its ends; the tangent runs from the first, which is the lower.
    pub nodes: [u32; 2],
    /// The triangles beside it, in the list of its body.
    pub triangles: [u32; 2],
    /// Whether the second triangle is wound so that its normal lies on the other side of the
    /// surface.
    pub opposed: bool,
    /// Body that it belongs to.
    pub body: u32,
}

/// The inner edges of a triangle mesh, sorted by their ends.
pub fn shell_edges(triangles: &[[u32; 3]], body: u32) -> Vec<ShellEdge> {
    let runs_up = |triangle: u32, [low, high]: [u32; 2]| {
        let t = triangles[triangle as usize];
        (0..3).any(|i| t[i] == low && t[(i + 1) % 3] == high)
    };
    let edge = |hinge: &crate::topology::Hinge| {
        let [a, b, ..] = hinge.nodes;
        let nodes = [a.min(b), a.max(b)];
        let [first, second] = hinge.triangles.map(|t| runs_up(t, nodes));
        ShellEdge { nodes, triangles: hinge.triangles, opposed: first == second, body }
    };
    Topology::new(triangles).hinges.iter().map(edge).collect()
}

/// A frame for each edge with the director half-way between the normals of its two triangles.
pub fn bisecting_frames<'a>(
    edges: impl IntoIterator<Item = &'a ShellEdge>,
    triangles_of: impl Fn(u32) -> &'a [[u32; 3]],
    positions: &[Vec3],
) -> Vec<EdgeFrame> {
    let normal = |[a, b, c]: [Vec3; 3]| (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    let frame = |edge: &ShellEdge| {
        let triangles = triangles_of(edge.body);
        let [first, second] =
            edge.triangles.map(|t| normal(triangles[t as usize].map(|n| positions[n as usize])));
        let second = if edge.opposed { -second } else { second };
        let [a, b] = edge.nodes.map(|n| positions[n as usize]);
        let tangent = (b - a).try_normalize(0.0).unwrap_or_else(Vec3::x);
        // Folded flat onto itself: both halves are as good, the first normal decides.
        let sum = first + second;
        let middle = if sum.norm() > 1e-6 { sum } else { first.cross(&tangent) };
        EdgeFrame::new(tangent, orthonormal_to(middle, tangent))
    };
    edges.into_iter().map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winding_is_seen_and_the_director_bisects() {
        let points = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        for (second, opposed) in [([1, 0, 3], false), ([0, 1, 3], true)] {
            let triangles = [[0, 1, 2], second];
            let edges = shell_edges(&triangles, 0);
            assert_eq!(edges, [ShellEdge { nodes: [0, 1], triangles: [0, 1], opposed, body: 0 }]);
            let frames = bisecting_frames(&edges, |_| &triangles[..], &points);
            // The normals of a valley along x between the planes z = 0 and y = 0 are +z and +y.
            let expected = (Vec3::y() + Vec3::z()).normalize();
            assert!((frames[0].director - expected).norm() < 1e-15, "{:?}", frames[0]);
        }
    }
}
