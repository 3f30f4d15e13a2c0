//! Controls: how pins, anchors and colliders move.
//!
//! A scene gives each of them a motion. A caller may drive some of them instead: while it does, the
//! driven motion acts and the motion of the scene waits. What follows a collider (pins with
//! `follow`, attachments) has no motion of its own: it takes that of the collider, whichever acts.

use crate::couplings::{AnchorGroup, AnchorSource, Anchors};
use crate::pins::{PinGroup, PinSource, PinTable};
use stiction_scene::Scene;
use stiction_scene::motion::Motion;
use stiction_scene::resolved::{Collider, ColliderMotion};

/// Prescribed motions, in the order of the tables of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    /// Motion of each group of exact pins; of no effect where the group follows a collider.
    pub pins: Vec<Motion>,
    /// Motion of each group of anchors, which are soft pins; of no effect where the group follows a
    /// collider.
    pub anchors: Vec<Motion>,
    /// Motion of each collider as one piece. A collider that deforms has none.
    pub colliders: Vec<Motion>,
    /// Motions that act instead while a caller drives something.
    pub driven: DrivenMotions,
}

/// What a caller drives at present: by number, sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrivenMotions {
    /// Groups of exact pins.
    pub pins: Vec<DrivenMotion>,
    /// Groups of anchors.
    pub anchors: Vec<DrivenMotion>,
    /// Colliders.
    pub colliders: Vec<DrivenMotion>,
}

/// A motion that acts instead of that of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenMotion {
    /// Number of what it moves.
    pub index: usize,
    /// How it moves.
    pub motion: Motion,
}

impl Controls {
    /// The motions that the scene gives.
    pub(crate) fn new(scene: &Scene, pins: &PinTable, anchors: &Anchors) -> Controls {
        let pin = |source: &PinSource| scene.bodies[source.body].pins[source.pin].motion.clone();
        let anchor = |group: &AnchorGroup| match &group.source {
            AnchorSource::Pin(source) => pin(source),
            AnchorSource::Attachment(_) => Motion::fixed(),
        };
        let collider = |source: &Collider| match &source.motion {
            ColliderMotion::Keyed(motion) => motion.clone(),
            ColliderMotion::Sequence { .. } => Motion::fixed(),
        };
        Controls {
            pins: pins.groups.iter().map(|g| pin(&g.source)).collect(),
            anchors: anchors.groups.iter().map(anchor).collect(),
            colliders: scene.colliders.iter().map(collider).collect(),
            driven: DrivenMotions::default(),
        }
    }

    /// The motion of a collider that acts.
    pub fn collider(&self, index: usize) -> &Motion {
        acting(&self.driven.colliders, index).unwrap_or(&self.colliders[index])
    }

    /// The motions of all colliders that act.
    pub fn acting_colliders(&self) -> impl Iterator<Item = &Motion> {
        (0..self.colliders.len()).map(|index| self.collider(index))
    }

    /// The motion of a group of exact pins that acts.
    pub fn pin(&self, index: usize, group: &PinGroup) -> &Motion {
        let own = || group.follow.map_or(&self.pins[index], |collider| self.collider(collider));
        acting(&self.driven.pins, index).unwrap_or_else(own)
    }

    /// The motion of a group of anchors that acts.
    pub fn anchor(&self, index: usize, group: &AnchorGroup) -> &Motion {
        let own = || group.follow.map_or(&self.anchors[index], |collider| self.collider(collider));
        acting(&self.driven.anchors, index).unwrap_or_else(own)
    }

    /// The same with nothing driven.
    pub fn undriven(&self) -> Controls {
        Controls { driven: DrivenMotions::default(), ..self.clone() }
    }
}

fn acting(driven: &[DrivenMotion], index: usize) -> Option<&Motion> {
    let found = driven.binary_search_by_key(&index, |d| d.index).ok()?;
    Some(&driven[found].motion)
}
