//! The contacts of a step: points with their law, levers and anchors.

use super::detect::PairPatch;
use super::law::{ContactLaw, Displacement};
use super::memory::{Memory, PairMemory, PointMemory};
use super::motion::Moving;
use super::pieces::Owner;
use super::stiffness;
use crate::solver::World;
use std::ops::Range;
use stiction_numerics::Vec3;

/// Points that no feature matches take the force of the nearest old one within this share of the
/// reach of the body.
const NEAREST: f64 = 0.1;

/// A contact point in a step. Normal, levers and place are those at its start.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The bodies whose velocity is unknown; `None` where the motion is prescribed.
    pub bodies: [Option<u32>; 2],
    /// From the centres to the point \[m\]; of no meaning where the motion is prescribed.
    pub levers: [Vec3; 2],
    /// Relative velocity of the sides that move by prescription \[m/s\].
    pub drift: Vec3,
    /// Gap at the start \[m\].
    pub gap: f64,
    /// Displacement that the tangential force of the last step stands for \[m\].
    pub anchor: Vec3,
    /// Stiffnesses and friction.
    pub law: ContactLaw,
    /// Where it is \[m\].
    pub place: Vec3,
    /// Which features it comes from.
    pub id: u32,
}

impl Contact {
    /// Where the point is at the end of a step with a relative velocity of the unknown bodies \[m/s\].
    pub fn displacement(&self, relative: &Vec3, h: f64) -> Displacement {
        let moved = (relative + self.drift) * h;
        let along = self.law.normal.dot(&moved);
        Displacement { gap: self.gap + along, slip: self.anchor + moved - self.law.normal * along }
    }

    /// Takes another stiffness; the force of the anchor stays.
    fn stiffen(&mut self, factor: f64) {
        self.law.stiffness *= factor;
        self.law.stick *= factor;
        self.anchor /= factor;
    }
}

/// A pair of pieces in a step.
#[derive(Clone, Debug)]
pub struct ContactPair {
    /// Numbers of both pieces.
    pub key: [u32; 2],
    /// Who moves them.
    pub owners: [Owner; 2],
    /// The same among all objects.
    pub objects: [u32; 2],
    /// Half of the smallest extent of the thinner one \[m\].
    pub half_width: f64,
    /// Stiffness of the whole pair \[N/m\].
    pub stiffness: f64,
    /// Its points.
    pub points: Range<usize>,
}

/// All contacts of a step.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Pairs in the order of their keys.
    pub pairs: Vec<ContactPair>,
    /// Points of all pairs, pair after pair.
    pub points: Vec<Contact>,
}

/// Depth of a pair, as a share of the half width of the thinner piece, from which it is stiffened
/// within the step.
const DEEP: f64 = 0.1;

impl Contacts {
    /// Makes the contacts of all pairs.
    pub fn new(
        found: &[PairPatch],
        memory: &Memory,
        world: World<'_>,
        moving: &Moving,
        options: &super::options::DescentOptions,
    ) -> Contacts {
        let carried = stiffness::carried(found, moving);
        let mut contacts = Contacts::default();
        for (pair, carried) in found.iter().zip(carried) {
            let known = memory.pair(pair.key);
            let k = stiffness::of_pair(pair, known, carried, moving, options.contact_hardness);
            let friction =
                world.parameters.friction_between(pair.objects[0] as usize, pair.objects[1] as usize);
            let each = k / pair.patch.points.len() as f64;
            let law = ContactLaw {
                normal: pair.patch.normal,
                stiffness: each,
                stick: each * options.stick_ratio,
                friction,
            };
            let start = contacts.points.len();
            contacts.points.extend(points_of(pair, known, law, moving));
            contacts.pairs.push(ContactPair {
                key: pair.key,
                owners: pair.owners,
                objects: pair.objects,
                half_width: pair.half_width,
                stiffness: k,
                points: start..contacts.points.len(),
            });
        }
        contacts
    }

    /// Stiffens pairs that end too deep for how thin they are; whether there were any. `gaps` are those at the end of the step.
    pub fn stiffen_deep(&mut self, gaps: &[f64]) -> bool {
        let mut any = false;
        for pair in &mut self.pairs {
            let depth = gaps[pair.points.clone()].iter().fold(0.0f64, |deepest, gap| deepest.max(-gap));
            let limit = DEEP * pair.half_width;
            if depth > limit {
                let factor = 2.0 * depth / limit;
                pair.stiffness *= factor;
                self.points[pair.points.clone()].iter_mut().for_each(|c| c.stiffen(factor));
                any = true;
            }
        }
        any
    }

    /// What is remembered of the pairs that carried a force, or touch still.
    pub fn remember(&self, forces: &[Vec3], memory: &Memory, moving: &Moving) -> Vec<PairMemory> {
        let one = |pair: &ContactPair| {
            let frame = moving.frame(pair.owners[0]);
            let known = memory.pair(pair.key);
            let point = |k: usize| {
                let contact = &self.points[k];
                let n = contact.law.normal;
                PointMemory {
                    id: contact.id,
                    place: frame.orientation.inverse() * (contact.place - frame.origin),
                    held: forces[k] - n * n.dot(&forces[k]),
                }
            };
            let load: f64 = pair.points.clone().map(|k| self.points[k].law.normal.dot(&forces[k])).sum();
            PairMemory {
                key: pair.key,
                stiffness: pair.stiffness,
                loads: [load, known.map_or(0.0, |known| known.loads[0])],
                age: known.map_or(0, |known| known.age.saturating_add(1)),
                points: pair.points.clone().map(point).collect(),
            }
        };
        self.pairs.iter().map(one).collect()
    }
}

fn points_of<'a>(
    pair: &'a PairPatch,
    known: Option<&'a PairMemory>,
    law: ContactLaw,
    moving: &'a Moving,
) -> impl Iterator<Item = Contact> + 'a {
    let frame = moving.frame(pair.owners[0]);
    let reach = pair.owners.map(|owner| match owner {
        Owner::Rigid(body) => moving.bodies[body as usize].reach,
        Owner::Collider(_) => f64::INFINITY,
    });
    let near = NEAREST * reach[0].min(reach[1]);
    pair.patch.points.iter().map(move |point| {
        let place = (point.on_a + point.on_b) * 0.5;
        let own = frame.orientation.inverse() * (place - frame.origin);
        let held = known.map_or(Vec3::zeros(), |known| held_force(known, point.id, &own, near));
        let bodies = pair.owners.map(|owner| moving.unknown(owner));
        let lever = |k: usize| {
            bodies[k].map_or(Vec3::zeros(), |body| place - moving.bodies[body as usize].pose.centre)
        };
        let prescribed = |k: usize| match bodies[k] {
            Some(_) => Vec3::zeros(),
            None => moving.expected_velocity(pair.owners[k], &place),
        };
        Contact {
            bodies,
            levers: [lever(0), lever(1)],
            drift: prescribed(0) - prescribed(1),
            gap: point.gap,
            anchor: -turned_into_plane(&held, &law.normal) / law.stick,
            law,
            place,
            id: point.id,
        }
    })
}

/// The force that a point of the last step held: the one of the same features, or the nearest.
fn held_force(known: &PairMemory, id: u32, place: &Vec3, near: f64) -> Vec3 {
    let distance = |p: &PointMemory| (p.place - place).norm();
    let same = known.points.iter().find(|p| p.id == id);
    let nearest = || {
        let best = known.points.iter().min_by(|p, q| distance(p).total_cmp(&distance(q)))?;
        (distance(best) <= near).then_some(best)
    };
    same.or_else(nearest).map_or(Vec3::zeros(), |p| p.held)
}

/// A force turned into the plane across a normal, its size kept.
fn turned_into_plane(force: &Vec3, normal: &Vec3) -> Vec3 {
    let flat = force - normal * normal.dot(force);
    flat.try_normalize(0.0).map_or(Vec3::zeros(), |direction| direction * force.norm())
}
