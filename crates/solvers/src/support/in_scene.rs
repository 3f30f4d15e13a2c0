//! What of a scene uses a setting, and what is said where a method ignores or replaces it.

use super::{Feature, Level};
use stiction_scene::Law;
use stiction_scene::material::BendingLaw;
use stiction_scene::resolved::{BodyKind, SceneBody};
use stiction_scene::{Material, Scene};

/// Sheets thinner than this fraction of their gap need a method that keeps the gap open.
const THIN: f64 = 0.05;

/// What is said about a feature of a scene, if its method does not do what the scene says.
pub(super) fn note(method: &str, feature: Feature, level: Level, scene: &Scene) -> Option<String> {
    let (verb, by) = match level {
        Level::Ignored => ("ignores", None),
        Level::Replaced(by) => ("replaces", Some(by)),
        Level::Exact | Level::Refused | Level::Moot => return None,
    };
    let Use { setting, consequence } = feature.in_scene(scene, by.unwrap_or_default())?;
    let instead = by.map_or(String::new(), |by| format!(" by {by}"));
    Some(format!("method `{method}` {verb} {setting}{instead}{consequence}"))
}

/// A setting of a scene.
struct Use {
    /// The setting and whose it is.
    setting: String,
    /// What follows when it is ignored, after a colon; or nothing.
    consequence: String,
}

impl Use {
    fn of(setting: String) -> Option<Use> {
        Some(Use { setting, consequence: String::new() })
    }
}

impl Feature {
    /// The first use of a setting in a scene that is not already what the method puts in its
    /// place. What methods refuse is found in models instead.
    fn in_scene(self, scene: &Scene, replacement: &str) -> Option<Use> {
        let bodies = &scene.bodies;
        let first = |has: fn(&SceneBody) -> bool| bodies.iter().find(|body| has(body));
        match self {
            Feature::Contact => contact(scene),
            Feature::Drag => drag(scene),
            Feature::ThinSheets => thin_sheet(bodies),
            Feature::StrainLimit => {
                Use::of(format!("`strain_limit` of `{}`", first(|b| limit(&b.material).is_some())?.name))
            }
            Feature::AnisotropicFriction => {
                let of_bodies = bodies.iter().filter(|b| b.friction_direction.is_some()).map(|b| &b.name);
                let colliders = scene.colliders.iter().filter(|c| c.friction_direction.is_some());
                let name = of_bodies.chain(colliders.map(|c| &c.name)).next()?;
                Use::of(format!("`friction_direction` of `{name}`"))
            }
            Feature::Cohesion => {
                let mut pairs = scene.friction.pairs.iter();
                pairs.find(|p| p.cohesion.is_some() || p.compliance.is_some())?;
                Use::of("`cohesion` and `compliance` of pairs".to_owned())
            }
            Feature::Damping => {
                let body = first(|b| b.material.damping() != Default::default())?;
                Use::of(format!("damping of `{}`", body.name))
            }
            Feature::ClothLaw | Feature::SolidLaw => {
                let named = |body: &SceneBody| {
                    Some(format!("`law = \"{}\"` of `{}`", law(body, self, replacement)?, body.name))
                };
                Use::of(bodies.iter().find_map(named)?)
            }
            Feature::ShapeOperator => {
                let body = first(|b| bending(&b.material) == Some(BendingLaw::ShapeOperator))?;
                Use::of(format!("`bending = \"shape_operator\"` of `{}`", body.name))
            }
            Feature::CurvedRest => {
                let body = first(|b| matches!(&b.material, Material::Cloth(cloth) if cloth.rest_curved))?;
                Use::of(format!("`rest.curved` of `{}`", body.name))
            }
            Feature::Twist => {
                let setting = format!("twist of `{}`", first(|b| b.kind == BodyKind::Rod)?.name);
                Some(Use { setting, consequence: ": its rods stretch and bend only".to_owned() })
            }
            Feature::Cloth
            | Feature::Rods
            | Feature::JoinedStrands
            | Feature::Solids
            | Feature::Skinned
            | Feature::Affine
            | Feature::Joints
            | Feature::Rigid
            | Feature::SoftPins
            | Feature::Springs
            | Feature::StrandsOnCloth
            | Feature::Inflation
            | Feature::InitialContact
            | Feature::BackwardEuler
            | Feature::SecondOrder
            | Feature::Gradients => None,
        }
    }
}

fn limit(material: &Material) -> Option<f64> {
    match material {
        Material::Cloth(cloth) => cloth.strain_limit,
        Material::Rod(_) | Material::Solid(_) | Material::Rigid(_) => None,
    }
}

fn bending(material: &Material) -> Option<BendingLaw> {
    match material {
        Material::Cloth(cloth) => Some(cloth.bending),
        Material::Rod(_) | Material::Solid(_) | Material::Rigid(_) => None,
    }
}

fn contact(scene: &Scene) -> Option<Use> {
    let ignored = |consequence: String| Some(Use { setting: "contact".to_owned(), consequence });
    if scene.bodies.len() > 1 || !scene.colliders.is_empty() {
        return ignored(": bodies and colliders pass through each other".to_owned());
    }
    // A body on one frame cannot fold.
    let body = scene.bodies.iter().find(|body| body.self_contact && body.kind != BodyKind::Affine)?;
    ignored(format!(": `{}` can pass through itself", body.name))
}

fn drag(scene: &Scene) -> Option<Use> {
    let felt = |body: &&SceneBody| body.drag().normal > 0.0 || body.drag().tangential > 0.0;
    let body = scene.bodies.iter().filter(|_| scene.wind.air_density > 0.0).find(felt)?;
    match scene.wind.velocity.norm() > 0.0 {
        true => Use::of("`wind` and air drag".to_owned()),
        false => {
            let consequence = format!(": `{}` moves as in a vacuum", body.name);
            Some(Use { setting: "air drag".to_owned(), consequence })
        }
    }
}

fn thin_sheet(bodies: &[SceneBody]) -> Option<Use> {
    let is_thin = |b: &&SceneBody| b.kind == BodyKind::Cloth && b.thickness < THIN * b.contact_gap;
    let body = bodies.iter().find(is_thin)?;
    let consequence = format!(
        ": it may pass through what it touches; give it a `thickness` of at least {:.1e} m",
        THIN * body.contact_gap
    );
    Some(Use { setting: format!("`gap` of the thin sheet `{}`", body.name), consequence })
}

/// The law of a body, unless the method has it or no `law` is written: nobody asked for the one
/// that bodies have then.
fn law(body: &SceneBody, feature: Feature, replacement: &str) -> Option<&'static str> {
    let law = match &body.material {
        Material::Cloth(cloth) if feature == Feature::ClothLaw && cloth.law != Law::Stvk => cloth.law,
        Material::Solid(solid) if feature == Feature::SolidLaw && solid.law != Law::StableNeoHookean => {
            solid.law
        }
        Material::Cloth(_) | Material::Solid(_) | Material::Rod(_) | Material::Rigid(_) => return None,
    };
    // `arap` says λ = 0 and nothing else: with such moduli the corotated law is `arap`.
    let law =
        if law == Law::Arap && replacement.starts_with("`corotated`") { return None } else { law.name() };
    (!replacement.starts_with(&format!("`{law}`"))).then_some(law)
}
