//! What each method supports: one table for refusals, notes and the documentation.
//!
//! A scene can hold more than a method can do. [`table`] says for every feature and every method
//! what happens then. [`check`] refuses a model by it before anything runs, [`ignored_settings`]
//! tells what a method ignores or replaces, and the matrix in `docs/methods.md` is printed from it.
//!
//! A new feature is a variant of [`Feature`], its name, a row of the table, and one of: what uses
//! it in a model (`in_model`, so that it can be refused) or in a scene (`in_scene`, for notes). A
//! new method is a column. The tests at the end of this folder ask every method about every
//! feature.

mod in_model;
mod in_scene;
mod table;
#[cfg(test)]
mod tests;

use crate::registry::{MethodError, methods};
use crate::solver::World;
use crate::study;
use stiction_scene::{METHODS, Scene};

/// Something that a scene can hold and that not every method supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Shells on triangles.
    Cloth,
    /// Rods on strands.
    Rods,
    /// Strands that are closed or that share a node.
    JoinedStrands,
    /// Soft solids on tets.
    Solids,
    /// Bodies on several affine frames.
    Skinned,
    /// Bodies on one affine frame.
    Affine,
    /// Joints of rigid bodies.
    Joints,
    /// Rigid bodies.
    Rigid,
    /// Springs from nodes to places: soft pins, attachments to colliders.
    SoftPins,
    /// Springs between bodies: attachments, stitches, roots of strands in solids.
    Springs,
    /// Strands that stand on cloth.
    StrandsOnCloth,
    /// `law` of cloth.
    ClothLaw,
    /// `law` of solids.
    SolidLaw,
    /// `bending = "shape_operator"` of cloth.
    ShapeOperator,
    /// Cloth that is curved at rest.
    CurvedRest,
    /// Twist of rods.
    Twist,
    /// `strain_limit` of cloth.
    StrainLimit,
    /// Damping of materials.
    Damping,
    /// Drag of the air, still or with wind.
    Drag,
    /// Pressure inside closed surfaces.
    Inflation,
    /// Contact of any kind, with Coulomb friction.
    Contact,
    /// Sheets next to no thickness, kept apart within their gap.
    ThinSheets,
    /// `friction_direction` of bodies and colliders.
    AnisotropicFriction,
    /// `cohesion` and `compliance` of pairs.
    Cohesion,
    /// `initial_contact = { resolve = … }`.
    InitialContact,
    /// Integration by backward Euler.
    BackwardEuler,
    /// Integrators of second order: trapezoid, BDF2, TR-BDF2, SDIRK2.
    SecondOrder,
    /// Derivatives of results by parameters.
    Gradients,
}

/// What a method does with a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Simulates it as the scene reference says.
    Exact,
    /// Puts something else in its place, named here, and says so.
    Replaced(&'static str),
    /// Runs without it, and says so.
    Ignored,
    /// Does not run scenes that hold it.
    Refused,
    /// The question does not arise: the method refuses or ignores what would hold it.
    Moot,
}

impl Level {
    /// In a cell of the matrix.
    pub fn text(self) -> String {
        match self {
            Level::Exact => "yes".to_owned(),
            Level::Replaced(by) => format!("as {by}"),
            Level::Ignored => "ignored".to_owned(),
            Level::Refused => "refused".to_owned(),
            Level::Moot => "–".to_owned(),
        }
    }
}

/// All features, in the order of the table.
pub fn features() -> impl Iterator<Item = Feature> {
    table::TABLE.iter().map(|(feature, _)| *feature)
}

/// What a method of this crate does with a feature; `None` for methods that it does not know.
pub fn level(method: &str, feature: Feature) -> Option<Level> {
    let column = METHODS.iter().position(|key| *key == method)?;
    table::TABLE.iter().find(|(row, _)| *row == feature).map(|(_, levels)| levels[column])
}

/// Refuses a model that holds what the method does not support. Methods that this crate does not
/// know have no column and refuse for themselves.
pub fn check(method: &str, world: World<'_>) -> Result<(), MethodError> {
    let refused = |feature: &Feature| level(method, *feature) == Some(Level::Refused);
    match features().filter(refused).find_map(|feature| Some((feature, feature.in_model(world)?))) {
        Some((feature, user)) => Err(refusal(method, feature, &user)),
        None => Ok(()),
    }
}

/// The error for a feature that a method refuses, with the methods that support it.
pub(crate) fn refusal(method: &str, feature: Feature, user: &str) -> MethodError {
    let exact = |key: &&&str, feature: Feature| level(key, feature) == Some(Level::Exact);
    let able: Vec<String> = METHODS
        .iter()
        .filter(|key| exact(key, feature) && exact(key, Feature::Contact))
        .map(|key| format!("`{key}`"))
        .collect();
    let message = match able.is_empty() {
        true => format!(
            "{user} is not supported by any method yet; a near-rigid body is one of kind `affine` with the \
             material of a stiff solid, under `admm` or `barrier`"
        ),
        false => format!("{user} is not supported; methods that support it: {}", able.join(", ")),
    };
    MethodError::Refused { key: method.to_owned(), message }
}

/// One sentence for everything that the scene sets and its method ignores or replaces, and for
/// options that belong in another place.
pub fn ignored_settings(scene: &Scene) -> Vec<String> {
    let key = &scene.method.key;
    let note = |feature| in_scene::note(key, feature, level(key, feature)?, scene);
    let method = methods().iter().find(|method| method.key == key);
    let misplaced = method.map(|method| study::misplaced(&scene.method, method)).unwrap_or_default();
    features().filter_map(note).chain(misplaced).collect()
}

impl Feature {
    /// In documentation and messages.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Cloth => "cloth",
            Feature::Rods => "rods",
            Feature::JoinedStrands => "closed strands, strands that share vertices",
            Feature::Solids => "solids",
            Feature::Skinned => "skinned bodies",
            Feature::Affine => "affine bodies",
            Feature::Joints => "joints",
            Feature::Rigid => "rigid bodies",
            Feature::SoftPins => "soft pins, attachments to colliders",
            Feature::Springs => "attachments between bodies, stitches, strands on solids",
            Feature::StrandsOnCloth => "strands on cloth",
            Feature::ClothLaw => "`law` of cloth",
            Feature::SolidLaw => "`law` of solids",
            Feature::ShapeOperator => "`bending = \"shape_operator\"`",
            Feature::CurvedRest => "`rest.curved` of cloth",
            Feature::Twist => "twist of rods",
            Feature::StrainLimit => "`strain_limit`",
            Feature::Damping => "damping of materials",
            Feature::Drag => "air drag and `wind`",
            Feature::Inflation => "`inflation`",
            Feature::Contact => "contact and friction",
            Feature::ThinSheets => "sheets thinner than a twentieth of their `gap`",
            Feature::AnisotropicFriction => "`friction_direction`",
            Feature::Cohesion => "`cohesion` and `compliance` of pairs",
            Feature::InitialContact => "`initial_contact = { resolve = … }`",
            Feature::BackwardEuler => "backward Euler",
            Feature::SecondOrder => "integrators of second order",
            Feature::Gradients => "gradients by parameters",
        }
    }
}
