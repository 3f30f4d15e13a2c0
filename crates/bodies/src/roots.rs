//! Strands that grow on bodies: springs that hold the first segment, and which vertices are rooted
//! where.

use crate::couplings::Coupling;
use crate::model::Body;
use crate::springs::SpringId;
use crate::surfaces::ObjectId;
use stiction_numerics::Vec3;
use stiction_scene::resolved::{Rooting, Scene, WeightedPoint};

/// A node held at a height above a point of a shell: x ≈ Σ b_i y_i + c n, n the unit normal of its
/// triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaisedRoot {
    /// The held node, then the corners of the triangle, counter-clockwise about its normal.
    pub nodes: [u32; 4],
    /// Weights b of the corners; they sum to one and may lie outside 0 to 1.
    pub weights: [f64; 3],
    /// Height c \[m\].
    pub height: f64,
    /// Where its stiffness stands among the parameters.
    pub spring: SpringId,
}

/// Everything that holds roots in a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roots {
    /// First and second node of every rooted strand, with the object below them.
    pub segments: Vec<([u32; 2], ObjectId)>,
    /// Second nodes over shells.
    pub raised: Vec<RaisedRoot>,
    /// Bodies of rooted strands; strands in the order of `segments`.
    pub bodies: Vec<RootedBody>,
}

/// A body whose strands grow on another.
#[derive(Clone, Debug, PartialEq)]
pub struct RootedBody {
    /// The body of strands.
    pub body: usize,
    /// Length l of each first segment at the start \[m\].
    pub lengths: Vec<f64>,
}

impl Roots {
    /// Compiles the rootings of a scene; the linear springs among them join `couplings`.
    pub(crate) fn new(scene: &Scene, bodies: &[Body], couplings: &mut Vec<Coupling>) -> Roots {
        let mut out = Roots::default();
        scene.rootings.iter().for_each(|rooting| out.add(rooting, bodies, couplings));
        out
    }

    fn add(&mut self, rooting: &Rooting, bodies: &[Body], couplings: &mut Vec<Coupling>) {
        let own = bodies[rooting.body].nodes.start as u32;
        let lengths = rooting.roots.iter().map(|r| r.length).collect();
        self.bodies.push(RootedBody { body: rooting.body, lengths });
        let below = bodies[rooting.ground].nodes.start as u32;
        let hold = |node: u32, point: &WeightedPoint, spring: SpringId| {
            let mut terms = vec![(node, 1.0)];
            terms.extend(point.terms.iter().filter(|t| t.1 != 0.0).map(|&(v, w)| (v + below, -w)));
            Coupling { terms, spring, offset: Vec3::zeros(), rest_length: 0.0, active: Vec::new() }
        };
        for root in &rooting.roots {
            let [first, second] = root.vertices.map(|v| v + own);
            let spring = SpringId::Root(self.segments.len());
            self.segments.push(([first, second], rooting.ground as ObjectId));
            couplings.push(hold(first, &root.seat, spring));
            match root.raised {
                None => couplings.push(hold(second, &root.ahead, spring)),
                Some((corners, height)) => {
                    let weight =
                        |v: u32| root.ahead.terms.iter().filter(|t| t.0 == v).map(|t| t.1).sum::<f64>();
                    let [a, b, c] = corners.map(|v| v + below);
                    let (nodes, weights) = ([second, a, b, c], corners.map(weight));
                    self.raised.push(RaisedRoot { nodes, weights, height, spring });
                }
            }
        }
    }
}
