//! Which triangles meet at which edges: hinges, flaps and borders of a triangle mesh.

/// An inner edge with the two triangles at its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// Edge ends a, b, then the vertices p, q opposite in the first and the second triangle.
    pub nodes: [u32; 4],
    /// The two triangles.
    pub triangles: [u32; 2],
}

/// The edges of a triangle mesh by what lies beside them. All lists are sorted and depend on the
/// triangles alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Inner edges with exactly two triangles, in the order of their end nodes.
    pub hinges: Vec<Hinge>,
    /// Per triangle and local vertex i: the vertex across the edge opposite to i, if that edge is a
    /// hinge.
    pub flaps: Vec<[Option<u32>; 3]>,
    /// Edges with one triangle.
    pub border: Vec<[u32; 2]>,
    /// Edges with three or more triangles: they get no bending and count as free on every side.
    pub non_manifold: Vec<[u32; 2]>,
}

impl Topology {
    /// Finds all edges. Triangles may be oriented in any way; a triangle that repeats a vertex has
    /// no edges here, nor has a second triangle over the same three vertices (its "hinge" would be
    /// a triangle folded on itself).
    pub fn new(triangles: &[[u32; 3]]) -> Topology {
        let mut sides: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * triangles.len());
        for (index, t) in triangles.iter().enumerate() {
            if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
                continue;
            }
            for i in 0..3 {
                let (a, b) = (t[(i + 1) % 3], t[(i + 2) % 3]);
                sides.push(([a.min(b), a.max(b)], index as u32, i as u8));
            }
        }
        sides.sort_unstable();
        let mut topology = Topology { flaps: vec![[None; 3]; triangles.len()], ..Topology::default() };
        for group in sides.chunk_by(|x, y| x.0 == y.0) {
            topology.add_edge(triangles, group);
        }
        topology
    }

    fn add_edge(&mut self, triangles: &[[u32; 3]], group: &[([u32; 2], u32, u8)]) {
        let apex = |side: &([u32; 2], u32, u8)| triangles[side.1 as usize][side.2 as usize];
        match group {
            [one] => self.border.push(one.0),
            [one, two] if apex(one) != apex(two) => {
                // The edge runs as the first triangle has it, so that p lies to its left.
                let (t, i) = (triangles[one.1 as usize], one.2 as usize);
                let nodes = [t[(i + 1) % 3], t[(i + 2) % 3], apex(one), apex(two)];
                self.hinges.push(Hinge { nodes, triangles: [one.1, two.1] });
                self.flaps[one.1 as usize][one.2 as usize] = Some(apex(two));
                self.flaps[two.1 as usize][two.2 as usize] = Some(apex(one));
            }
            _ => self.non_manifold.push(group[0].0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_share_one_hinge() {
        let topology = Topology::new(&[[0, 1, 2], [2, 1, 3]]);
        assert_eq!(topology.hinges, [Hinge { nodes: [1, 2, 0, 3], triangles: [0, 1] }]);
        assert_eq!(topology.flaps, [[Some(3), None, None], [None, None, Some(0)]]);
        assert_eq!(topology.border, [[0, 1], [0, 2], [1, 3], [2, 3]]);
        assert!(topology.non_manifold.is_empty());
    }

    #[test]
    fn a_fan_of_three_is_reported_and_skipped() {
        let topology = Topology::new(&[[0, 1, 2], [0, 1, 3], [0, 1, 4]]);
        assert_eq!(topology.non_manifold, [[0, 1]]);
        assert!(topology.hinges.is_empty());
        assert_eq!(topology.border.len(), 6);
    }

    #[test]
    fn a_tetrahedron_has_six_hinges_and_shared_flaps() {
        let topology = Topology::new(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
        assert_eq!(topology.hinges.len(), 6);
        assert_eq!(topology.flaps[0], [Some(3); 3]);
        assert!(topology.border.is_empty());
    }

    #[test]
    fn doubled_and_degenerate_triangles_do_not_make_hinges() {
        let topology = Topology::new(&[[0, 1, 2], [0, 2, 1], [3, 3, 4]]);
        assert!(topology.hinges.is_empty());
        assert_eq!(topology.non_manifold.len(), 3);
    }
}
