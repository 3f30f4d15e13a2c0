//! What of a model uses a feature, so that a method can refuse it by name.

use super::Feature;
use crate::solver::World;
use stiction_bodies::{Body, Model};
use stiction_scene::resolved::BodyKind;

impl Feature {
    /// What uses the feature, as the subject of a sentence. Settings that no method refuses are
    /// found in scenes instead.
    pub(super) fn in_model(self, world: World<'_>) -> Option<String> {
        let model = world.model;
        let owner = |node: u32| &model.bodies[model.body_of_node[node as usize] as usize].name;
        match self {
            Feature::Cloth
            | Feature::Rods
            | Feature::Solids
            | Feature::Skinned
            | Feature::Affine
            | Feature::Rigid => {
                let body = model.bodies.iter().find(|body| feature_of(body.kind) == self)?;
                Some(format!("body `{}` of kind {}", body.name, kind_name(body)))
            }
            Feature::Joints => Some(format!("joint `{}` of rigid bodies", model.joints.first()?.name)),
            Feature::JoinedStrands => {
                let node = shared_node(model)?;
                Some(format!("a strand of `{}` that is closed or shares vertices", owner(node)))
            }
            Feature::SoftPins => {
                let held = model.anchors.groups.iter().find_map(|group| group.nodes.first())?;
                Some(format!("a soft pin of `{}` or its attachment to a collider", owner(*held)))
            }
            Feature::Springs => {
                let end = model.couplings.iter().find_map(|coupling| coupling.terms.first())?.0;
                Some(format!("an attachment, stitch or root of `{}`", owner(end)))
            }
            Feature::StrandsOnCloth => {
                let root = model.roots.raised.first()?;
                Some(format!("`{}`, which grows on cloth,", owner(root.nodes[0])))
            }
            Feature::Inflation => {
                let mut bodies = model.bodies.iter().zip(&world.parameters.inflation);
                let (body, _) = bodies.find(|(_, inflation)| inflation.is_some())?;
                Some(format!("`inflation` of `{}`", body.name))
            }
            Feature::ClothLaw
            | Feature::SolidLaw
            | Feature::ShapeOperator
            | Feature::CurvedRest
            | Feature::Twist
            | Feature::StrainLimit
            | Feature::Damping
            | Feature::Drag
            | Feature::Contact
            | Feature::ThinSheets
            | Feature::AnisotropicFriction
            | Feature::Cohesion
            // Refused where the time over which gaps open becomes an option (`with_resolve_time`).
            | Feature::InitialContact
            // No scene can ask for these.
            | Feature::BackwardEuler
            | Feature::SecondOrder
            | Feature::Gradients => None,
        }
    }
}

/// The feature that bodies of a kind are.
pub(super) fn feature_of(kind: BodyKind) -> Feature {
    match kind {
        BodyKind::Cloth => Feature::Cloth,
        BodyKind::Rod => Feature::Rods,
        BodyKind::Solid => Feature::Solids,
        BodyKind::Skinned => Feature::Skinned,
        BodyKind::Affine => Feature::Affine,
        BodyKind::Rigid => Feature::Rigid,
    }
}

fn kind_name(body: &Body) -> String {
    format!("`{:?}`", body.kind).to_lowercase()
}

/// The first node that two strands, or both ends of one, have in common.
fn shared_node(model: &Model) -> Option<u32> {
    let mut seen = vec![false; model.nodes];
    let nodes = model.rods.strands.iter().flat_map(|strand| &strand.nodes).copied();
    let mut again = nodes.filter(|&node| std::mem::replace(&mut seen[node as usize], true));
    again.next()
}
