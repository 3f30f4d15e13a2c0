//! Springs that tie bodies to places and to each other.

use crate::parameters::Parameters;
use crate::pins::PinSource;
use crate::springs::SpringId;
use stiction_numerics::Vec3;
use stiction_scene::resolved::is_active;

/// A spring between two material points, each a fixed combination of nodes: ½ k (|Σ c_i x_i| − l)².
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Nodes with their coefficients: those of the first point, then those of the second with a
    /// minus sign.
    pub terms: Vec<(u32, f64)>,
    /// Where its stiffness stands among the parameters.
    pub spring: SpringId,
    /// Vector kept between the points \[m\] (zero pulls them together).
    pub offset: Vec3,
    /// Length at which the spring is free of force \[m\]; zero with `offset` for attachments.
    pub rest_length: f64,
    /// Times during which it holds \[s\]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// A group of nodes held by springs to places that move together.
#[derive(Clone, Debug, PartialEq)]
pub struct AnchorGroup {
    /// Held nodes.
    pub nodes: Vec<u32>,
    /// Where each place was at time zero \[m\].
    pub reference: Vec<Vec3>,
    /// What the scene calls it.
    pub source: AnchorSource,
    /// Where the stiffness per node stands among the parameters.
    pub spring: SpringId,
    /// Collider that carries the places, if one does.
    pub follow: Option<usize>,
    /// Times during which it holds \[s\]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// What a group of anchors is in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorSource {
    /// A soft pin.
    Pin(PinSource),
    /// An attachment to a collider, by number.
    Attachment(usize),
}

/// All springs from nodes to moving places: ½ k |x − a(t)|².
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchors {
    /// Groups in the order of the scene: soft pins first, then attachments to colliders.
    pub groups: Vec<AnchorGroup>,
}

/// One anchor at a given time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Held node.
    pub node: u32,
    /// Stiffness \[N/m\].
    pub stiffness: f64,
    /// Where it is held \[m\].
    pub target: Vec3,
}

impl Anchors {
    /// The anchors that act in a step from `start` to `end`, with their places at the end.
    pub fn at(&self, parameters: &Parameters, start: f64, end: f64) -> Vec<Anchor> {
        let mut out = Vec::new();
        for (index, group) in self.groups.iter().enumerate().filter(|(_, g)| is_active(&g.active, start)) {
            let pose = parameters.controls.anchor(index, group).pose(end);
            let stiffness = parameters.springs.stiffness(group.spring);
            out.extend(group.nodes.iter().zip(&group.reference).map(|(&node, reference)| Anchor {
                node,
                stiffness,
                target: pose.apply(reference),
            }));
        }
        out
    }
}

impl Coupling {
    /// Whether it holds during a step that begins at `time`.
    pub fn is_active(&self, time: f64) -> bool {
        is_active(&self.active, time)
    }
}
