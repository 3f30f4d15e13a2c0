//! From a geometric pair to a contact: prescribed vertices leave the stencil and bring their
//! velocity.

use super::contact_finder::StepMotion;
use crate::contact::{ContactKind, ContactStencil, Friction, NewContact};
use crate::elliptic::{EllipticCone, Matchstick};
use stiction_bodies::surfaces::VertexSource;
use stiction_bodies::{Parameters, Surfaces};
use stiction_collision::{PairKind, ProximityPair};
use stiction_numerics::Vec3;

/// What a conversion needs of the step.
pub(super) struct Converter<'a> {
    pub surfaces: &'a Surfaces,
    pub parameters: &'a Parameters,
    pub motion: &'a StepMotion<'a>,
    /// Surface vertices at the start of the step.
    pub start: &'a [Vec3],
    /// Surface vertices at the end where they are prescribed; elsewhere anything.
    pub prescribed_end: &'a [Vec3],
}

/// A contact that is prescribed but for this much of a lever cannot be kept open by its free nodes:
/// they would have to move by twenty times its gap. It is left to its neighbours.
const HELD: f64 = 0.05;

/// What is known of a contact before its stencil is made.
pub(super) struct Touch<'a> {
    pub vertices: &'a [u32],
    pub weights: &'a [f64],
    pub normal: Vec3,
    pub gap: f64,
    pub point: Vec3,
    pub objects: [u32; 2],
    pub kind: ContactKind,
    pub key: u64,
    /// Velocity of what is not a surface vertex, as part of v_A − v_B.
    pub extra_velocity: Vec3,
    /// Grain of an analytic collider on the second side.
    pub collider_grain: Option<Vec3>,
}

impl Converter<'_> {
    /// The contact, or `None` when nothing, or next to nothing, in it is free to move.
    pub fn contact(&self, touch: &Touch<'_>) -> Option<NewContact> {
        let h = self.motion.h;
        let mut stencil = ContactStencil::default();
        let mut kinematic = touch.extra_velocity;
        for (&vertex, &weight) in touch.vertices.iter().zip(touch.weights) {
            let mut node = |node: u32, weight: f64| {
                let fixed = self.motion.prescription.fixed[node as usize];
                if fixed {
                    let moved =
                        self.motion.prescription.target[node as usize] - self.motion.start[node as usize];
                    kinematic += moved * (weight / h);
                } else {
                    stencil.add(node, weight);
                }
            };
            match self.surfaces.source(vertex as usize) {
                VertexSource::Node(n) => node(n, weight),
                VertexSource::Embedded(terms) => terms.iter().for_each(|&(n, w)| node(n, weight * w)),
                // A scalar stencil cannot hold a rigid body; its motion counts as given
                // ([`crate::ContactMap`] holds it).
                VertexSource::Rigid { .. } | VertexSource::Kinematic => {
                    let moved = self.prescribed_end[vertex as usize] - self.start[vertex as usize];
                    kinematic += moved * (weight / h);
                }
            }
        }
        if stencil.lever() < HELD {
            return None;
        }
        let [a, b] = touch.objects.map(|o| o as usize);
        let friction = self.parameters.friction_between(a, b);
        let mut contact = NewContact::new(stencil, touch.normal, touch.gap, h, friction);
        contact.friction =
            self.cone(touch, friction).map_or(Friction::Isotropic(friction), Friction::Elliptic);
        contact.kinematic_velocity = kinematic;
        (contact.kind, contact.key) = (touch.kind, touch.key);
        (contact.bodies, contact.point) = (touch.objects, touch.point);
        Some(contact)
    }

    /// The elliptic cone where a surface has a grain; a surface without one takes the other's
    /// direction.
    fn cone(&self, touch: &Touch<'_>, isotropic: f64) -> Option<EllipticCone> {
        let [a, b] = touch.objects.map(|o| o as usize);
        let [along, across] = self.parameters.grain_between(a, b)?;
        let direction = |object: usize, side: f64| {
            let directions = self.surfaces.objects[object].directions.as_ref()?;
            let weighted = touch.vertices.iter().zip(touch.weights);
            let (&vertex, _) = weighted.max_by(|p, q| (p.1 * side).total_cmp(&(q.1 * side)))?;
            directions.at(vertex as usize, &touch.normal, self.start)
        };
        let (first, second) = (direction(a, 1.0), touch.collider_grain.or_else(|| direction(b, -1.0)));
        let (first, second) = (first.or(second)?, second.or(first)?);
        let rule = self.parameters.friction_table.ellipse;
        Matchstick { isotropic, along, across, rule }.cone(&touch.normal, &first, &second)
    }

    /// The contact of a pair of surface features found at `place` (the configuration where it was
    /// found), with the gap taken at the start of the step along the pair's normal.
    pub fn pair(&self, pair: &ProximityPair, place: &[Vec3], thickness: f64) -> Option<NewContact> {
        let weighted = |x: &[Vec3]| -> Vec3 {
            pair.vertices.iter().zip(&pair.weights).map(|(&v, w)| x[v as usize] * *w).sum()
        };
        let point = pair
            .vertices
            .iter()
            .zip(&pair.weights)
            .filter(|(_, w)| **w > 0.0)
            .map(|(&v, w)| place[v as usize] * *w)
            .sum();
        let first = pair.weights.iter().position(|w| *w > 0.0).unwrap_or(0);
        let second = pair.weights.iter().position(|w| *w < 0.0).unwrap_or(3);
        let object = |k: usize| self.surfaces.object_of_vertex[pair.vertices[k] as usize];
        self.contact(&Touch {
            vertices: &pair.vertices,
            weights: &pair.weights,
            normal: pair.normal,
            gap: pair.normal.dot(&weighted(self.start)) - thickness,
            point,
            objects: [object(first), object(second)],
            kind: contact_kind(pair.kind),
            key: pair_key(pair),
            extra_velocity: Vec3::zeros(),
            collider_grain: None,
        })
    }
}

fn contact_kind(kind: PairKind) -> ContactKind {
    match kind {
        PairKind::VertexTriangle => ContactKind::VertexTriangle,
        PairKind::EdgeEdge => ContactKind::EdgeEdge,
        PairKind::VertexEdge => ContactKind::PointEdge,
        PairKind::VertexVertex => ContactKind::PointPoint,
    }
}

/// Identity of a pair: two bits of kind, then 31 bits per feature.
pub(super) fn pair_key(pair: &ProximityPair) -> u64 {
    (contact_kind(pair.kind) as u64) << 62 | u64::from(pair.features[0]) << 31 | u64::from(pair.features[1])
}

/// Which feature of a body meets an analytic collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnalyticFeature {
    Vertex = 0,
    Edge = 1,
    Triangle = 2,
}

/// Identity of a feature against an analytic collider: kind 3 is point–point, whose features are
/// small numbers, so the second feature counts down from the top of its range.
pub(super) fn analytic_key(feature: AnalyticFeature, index: u32, object: u32) -> u64 {
    3 << 62 | u64::from(index) << 31 | u64::from((1u32 << 31) - 1 - 3 * object - feature as u32)
}
