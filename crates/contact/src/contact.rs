//! One contact as a solver hands it in: stencil, normal, friction, offsets, identity.

use stiction_numerics::Vec3;

use crate::elliptic::EllipticCone;

/// Why a contact was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// Both sides are prescribed: nothing can respond.
    #[error("contact {key:#x} has no free node; drop pairs of prescribed bodies before appending")]
    NoFreeNode {
        /// Identity of the contact.
        key: u64,
    },
    /// A node index beyond the node array.
    #[error("contact {key:#x} names node {node}, but there are {nodes} nodes")]
    NodeOutOfRange {
        /// Identity of the contact.
        key: u64,
        /// The node it names.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node without a positive finite weight cannot take an impulse.
    #[error("contact {key:#x}: node {node} has weight {weight} kg; it must be positive and finite")]
    BadWeight {
        /// Identity of the contact.
        key: u64,
        /// The node.
        node: u32,
        /// Its weight \[kg\].
        weight: f64,
    },
    /// A number that is not finite, negative where it must not be, or a normal that is not of unit
    /// length.
    #[error("contact {key:#x}: {what} is {value}")]
    BadValue {
        /// Identity of the contact.
        key: u64,
        /// Which value.
        what: &'static str,
        /// What it was.
        value: f64,
    },
}

/// Which primitives touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ContactKind {
    /// A vertex and a triangle.
    VertexTriangle,
    /// Two edges.
    EdgeEdge,
    /// A vertex and an edge.
    PointEdge,
    /// Two vertices.
    PointPoint,
    /// A point and an analytic collider.
    Analytic,
}

impl ContactKind {
    /// All kinds, in the order of [`crate::ContactSet::count_by_kind`].
    pub const ALL: [Self; 5] =
        [Self::VertexTriangle, Self::EdgeEdge, Self::PointEdge, Self::PointPoint, Self::Analytic];

    /// Name used in reports.
    pub fn name(self) -> &'static str {
        ["vertex_triangle", "edge_edge", "point_edge", "point_point", "analytic"][self as usize]
    }
}

/// Friction of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Friction {
    /// Coulomb cone with one coefficient, finite, ≥ 0.
    Isotropic(f64),
    /// Elliptic cone.
    Elliptic(EllipticCone),
}

/// Nodes and signed weights of `x_A − x_B`: positive on A's side, negative on B's. Prescribed nodes
/// do not appear.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactStencil {
    /// The rest is [`NO_NODE`].
    nodes: [u32; 4],
    weights: [f64; 4],
    /// All of it when there are more than four nodes.
    long: Option<Box<(Vec<u32>, Vec<f64>)>>,
}

/// Fills the places of a stencil that are free: a length of its own would take eight bytes of every
/// contact.
const NO_NODE: u32 = u32::MAX;

impl Default for ContactStencil {
    fn default() -> Self {
        Self { nodes: [NO_NODE; 4], weights: [0.0; 4], long: None }
    }
}

impl ContactStencil {
    /// From pairs (node, weight): equal nodes are added up, zero weights dropped.
    pub fn new(pairs: &[(u32, f64)]) -> Self {
        let mut stencil = Self::default();
        for &(node, weight) in pairs {
            stencil.add(node, weight);
        }
        stencil
    }

    /// How far the contact moves when its nodes move by one together in the best way: √Σ b².
    pub fn lever(&self) -> f64 {
        self.weights().iter().map(|b| b * b).sum::<f64>().sqrt()
    }

    /// Adds a weight to a node; a zero weight leaves no trace.
    pub fn add(&mut self, node: u32, weight: f64) {
        if weight == 0.0 {
            return;
        }
        if let Some(long) = &mut self.long {
            match long.0.iter().position(|&n| n == node) {
                Some(k) => long.1[k] += weight,
                None => {
                    long.0.push(node);
                    long.1.push(weight);
                }
            }
            return;
        }
        let length = self.short_length();
        if let Some(k) = self.nodes[..length].iter().position(|&n| n == node) {
            self.weights[k] += weight;
        } else if length < 4 {
            self.nodes[length] = node;
            self.weights[length] = weight;
        } else {
            self.long = Some(Box::new((self.nodes.to_vec(), self.weights.to_vec())));
            self.add(node, weight);
        }
    }

    /// Number of nodes where there are at most four.
    #[inline]
    fn short_length(&self) -> usize {
        self.nodes.iter().map(|&node| usize::from(node != NO_NODE)).sum()
    }

    /// The nodes.
    #[inline]
    pub fn nodes(&self) -> &[u32] {
        self.long.as_ref().map_or(&self.nodes[..self.short_length()], |long| &long.0)
    }

    /// Their weights.
    #[inline]
    pub fn weights(&self) -> &[f64] {
        self.long.as_ref().map_or(&self.weights[..self.short_length()], |long| &long.1)
    }
}

/// A contact to be appended to a set.
#[derive(Clone, Debug, PartialEq)]
pub struct NewContact {
    /// Free nodes and signed weights.
    pub stencil: ContactStencil,
    /// Unit normal from B to A.
    pub normal: Vec3,
    /// Friction law.
    pub friction: Friction,
    /// Kinematic part of `v_A − v_B` \[m/s\] (minus the collider's velocity when the collider is
    /// B).
    pub kinematic_velocity: Vec3,
    /// Gap at the start of the step \[m\]: distance minus both half-thicknesses.
    pub gap: f64,
    /// Normal offset of the relative velocity \[m/s\]: `gap/h`, or what [`Stabilisation`] makes of
    /// it.
    pub normal_offset: f64,
    /// Compliance α added to the contact's own block \[1/kg\]: the inverse weight of a virtual
    /// slack node. 0 is rigid.
    pub compliance: f64,
    /// Cohesive impulse ξ per step \[N·s\]: force times step size. 0 is none.
    pub cohesion: f64,
    /// Which primitives touch.
    pub kind: ContactKind,
    /// Identity of the pair of primitives, the same from step to step and unique within a set.
    pub key: u64,
    /// Bodies A and B.
    pub bodies: [u32; 2],
    /// Where \[m\].
    pub point: Vec3,
}

impl NewContact {
    /// A rigid contact without cohesion at the origin of reports; fields can be set afterwards.
    pub fn new(stencil: ContactStencil, normal: Vec3, gap: f64, step: f64, friction: f64) -> Self {
        Self {
            stencil,
            normal,
            friction: Friction::Isotropic(friction),
            kinematic_velocity: Vec3::zeros(),
            gap,
            normal_offset: gap / step,
            compliance: 0.0,
            cohesion: 0.0,
            kind: ContactKind::VertexTriangle,
            key: 0,
            bodies: [0, 1],
            point: Vec3::zeros(),
        }
    }

    /// Checks numbers and nodes against the node weights \[kg\].
    pub fn validate(&self, weights: &[f64]) -> Result<(), ContactError> {
        let key = self.key;
        if self.stencil.nodes().is_empty() {
            return Err(ContactError::NoFreeNode { key });
        }
        for &node in self.stencil.nodes() {
            let Some(&weight) = weights.get(node as usize) else {
                return Err(ContactError::NodeOutOfRange { key, node, nodes: weights.len() });
            };
            if !(weight.is_finite() && weight > 0.0) {
                return Err(ContactError::BadWeight { key, node, weight });
            }
        }
        let finite = |what, value: f64| {
            if value.is_finite() { Ok(()) } else { Err(ContactError::BadValue { key, what, value }) }
        };
        let not_negative = |what, value: f64| {
            finite(what, value)?;
            if value >= 0.0 { Ok(()) } else { Err(ContactError::BadValue { key, what, value }) }
        };
        self.stencil.weights().iter().try_for_each(|&b| finite("a stencil weight", b))?;
        finite("the gap", self.gap)?;
        finite("the normal offset", self.normal_offset)?;
        finite("the kinematic velocity", self.kinematic_velocity.norm_squared())?;
        not_negative("the compliance", self.compliance)?;
        not_negative("the cohesion", self.cohesion)?;
        match self.friction {
            Friction::Isotropic(friction) => not_negative("the friction coefficient", friction)?,
            Friction::Elliptic(cone) => {
                not_negative("the friction coefficient along t", cone.friction_tangent)?;
                not_negative("the friction coefficient along b", cone.friction_binormal)?;
                unit(key, "the squared length of the friction direction", &cone.tangent)?;
            }
        }
        unit(key, "the squared length of the normal", &self.normal)
    }
}

fn unit(key: u64, what: &'static str, direction: &Vec3) -> Result<(), ContactError> {
    let value = direction.norm_squared();
    if (value - 1.0).abs() < 1e-6 { Ok(()) } else { Err(ContactError::BadValue { key, what, value }) }
}

/// Compliant treatment of penetrating contacts: `Q' = Q + α I`, and `k_s h α g` in place of `g/h`.
/// [Zhu2024, 6.1]
///
/// Conflicting contacts then settle on a small penetration instead of jittering. The paper gives
/// both numbers without units (1e-4 and 1e6) for weights `w/h²`; [`crate::ContactSet`] takes
/// weights in kg, so α is divided by h² here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stabilisation {
    /// Compliance α of the paper, for weights in kg/s².
    pub compliance: f64,
    /// Spring constant k_s.
    pub spring: f64,
}

impl Default for Stabilisation {
    fn default() -> Self {
        Self { compliance: 1e-4, spring: 1e6 }
    }
}

impl Stabilisation {
    /// Makes a penetrating contact compliant; separated ones stay as they are.
    pub fn apply(&self, contact: &mut NewContact, step: f64) {
        if contact.gap < 0.0 {
            contact.normal_offset = self.spring * step * self.compliance * contact.gap;
            contact.compliance = self.compliance / (step * step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencils_merge_drop_and_grow() {
        let stencil = ContactStencil::new(&[(3, 1.0), (5, -0.25), (7, 0.0), (5, -0.25), (9, -0.5)]);
        assert_eq!(stencil.nodes(), &[3, 5, 9]);
        assert_eq!(stencil.weights(), &[1.0, -0.5, -0.5]);
        let long: Vec<(u32, f64)> = (0..7).map(|k| (k, f64::from(k) + 1.0)).chain([(2, 1.0)]).collect();
        let stencil = ContactStencil::new(&long);
        assert_eq!(stencil.nodes(), &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(stencil.weights()[2], 4.0);
    }

    #[test]
    fn bad_contacts_are_named() {
        let weights = [1.0, 0.0];
        let good = NewContact::new(ContactStencil::new(&[(0, 1.0)]), Vec3::z(), 0.0, 0.01, 0.5);
        assert_eq!(good.validate(&weights), Ok(()));
        let bad = |change: fn(&mut NewContact)| {
            let mut contact = NewContact { key: 7, ..good.clone() };
            change(&mut contact);
            contact.validate(&weights).unwrap_err().to_string()
        };
        assert!(bad(|c| c.stencil = ContactStencil::default()).contains("no free node"));
        assert!(bad(|c| c.stencil.add(1, 1.0)).contains("node 1 has weight 0"));
        assert!(bad(|c| c.stencil.add(2, 1.0)).contains("names node 2"));
        assert!(bad(|c| c.normal = Vec3::zeros()).contains("normal is 0"));
        assert!(bad(|c| c.gap = f64::NAN).contains("the gap is NaN"));
        assert!(bad(|c| c.friction = Friction::Isotropic(-1.0)).contains("0x7"));
        assert!(bad(|c| c.friction = Friction::Isotropic(f64::INFINITY)).contains("coefficient is inf"));
    }
}
