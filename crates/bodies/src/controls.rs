//! Controls: how pins, anchors and colliders move.

use crate::couplings::{AnchorGroup, AnchorSource, Anchors};
use crate::pins::{PinSource, PinTable};
use stiction_scene::Scene;
use stiction_scene::motion::Motion;
use stiction_scene::resolved::{AttachmentTarget, ColliderMotion};

/// Prescribed motions, in the order of the tables of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    /// Motion of each group of exact pins.
    pub pins: Vec<Motion>,
    /// Motion of each group of anchors: soft pins, then attachments to colliders.
    pub anchors: Vec<Motion>,
}

impl Controls {
    /// The motions that the scene gives.
    pub(crate) fn new(scene: &Scene, pins: &PinTable, anchors: &Anchors) -> Controls {
        let pin = |source: &PinSource| scene.bodies[source.body].pins[source.pin].motion.clone();
        let anchor = |group: &AnchorGroup| match &group.source {
            AnchorSource::Pin(source) => pin(source),
            AnchorSource::Attachment(index) => attached(scene, *index),
        };
        Controls {
            pins: pins.groups.iter().map(|g| pin(&g.source)).collect(),
            anchors: anchors.groups.iter().map(anchor).collect(),
        }
    }
}

/// The motion of the collider that an attachment goes to.
fn attached(scene: &Scene, attachment: usize) -> Motion {
    match &scene.attachments[attachment].target {
        AttachmentTarget::Collider { collider, .. } => rigid_motion(&scene.colliders[*collider].motion),
        AttachmentTarget::Body { .. } => Motion::fixed(),
    }
}

/// The motion of a collider as one piece; sequences deform and carry nothing along.
pub(crate) fn rigid_motion(motion: &ColliderMotion) -> Motion {
    match motion {
        ColliderMotion::Keyed(motion) => motion.clone(),
        ColliderMotion::Static | ColliderMotion::Sequence { .. } => Motion::fixed(),
    }
}
