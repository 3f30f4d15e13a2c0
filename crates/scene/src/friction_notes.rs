//! What setting one friction coefficient leaves as it was: coefficients act in pairs.

use crate::document::Document;
use crate::resolved::{FrictionMixing, Scene, Surface};

/// Pairs that a note names at most.
const MOST_NAMED: usize = 3;

/// A note for each `--set` of the friction of one surface that some of its pairs do not take.
pub(crate) fn friction_notes(document: &Document, scene: &Scene) -> Vec<String> {
    document.set.iter().filter_map(|(path, text)| note(path, text, scene)).collect()
}

fn note(path: &str, text: &str, scene: &Scene) -> Option<String> {
    let name = surface_named(path)?;
    if let Some(all) = scene.friction.all {
        return Some(format!("`{text}` changes nothing: `friction.all` sets every pair to {all}"));
    }
    let own = surfaces(scene).find(|s| is_called(scene, s.0, name))?;
    let others = surfaces(scene).filter(|s| !is_called(scene, s.0, name));
    let mut kept: Vec<String> = others.filter_map(|other| differing(scene, own, other)).collect();
    kept.dedup();
    if kept.is_empty() {
        return None;
    }
    let more = kept.len().saturating_sub(MOST_NAMED);
    kept.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "`{text}` sets one surface, and friction acts in pairs: {}{more}; `--set friction.all={}` sets every pair",
        kept.join(", "),
        own.1
    ))
}

/// The body or collider whose coefficient a path sets.
fn surface_named(path: &str) -> Option<&str> {
    let parts: Vec<&str> = path.split('.').collect();
    match parts[..] {
        ["bodies" | "colliders", name, "friction"] | ["bodies", name, "material", "friction"] => Some(name),
        _ => None,
    }
}

fn surfaces(scene: &Scene) -> impl Iterator<Item = (Surface, f64)> + '_ {
    let bodies = scene.bodies.iter().enumerate().map(|(i, b)| (Surface::Body(i), b.friction));
    bodies.chain(scene.colliders.iter().enumerate().map(|(i, c)| (Surface::Collider(i), c.friction)))
}

/// Name as written: copies have that of the body.
fn written_name(scene: &Scene, surface: Surface) -> &str {
    match surface {
        Surface::Body(i) => {
            let body = &scene.bodies[i];
            body.instance_of.as_ref().map_or(&body.name, |copy| &copy.name)
        }
        Surface::Collider(i) => &scene.colliders[i].name,
    }
}

fn is_called(scene: &Scene, surface: Surface, name: &str) -> bool {
    written_name(scene, surface) == name
}

/// What a pair has where that is not the coefficient of the first surface.
fn differing(scene: &Scene, own: (Surface, f64), other: (Surface, f64)) -> Option<String> {
    let both_prescribed = matches!((own.0, other.0), (Surface::Collider(_), Surface::Collider(_)));
    let coefficient = scene.friction.coefficient(own, other);
    if both_prescribed || (coefficient - own.1).abs() <= 1e-12 * own.1.abs() {
        return None;
    }
    let listed = scene.friction.pair(own.0, other.0).is_some_and(|pair| pair.coefficient.is_some());
    let rule = match (listed, scene.friction.mixing) {
        (true, _) => "`friction.pairs`",
        (false, FrictionMixing::GeometricMean) => "geometric mean",
        (false, FrictionMixing::ArithmeticMean) => "arithmetic mean",
        (false, FrictionMixing::Minimum) => "the smaller of both",
        (false, FrictionMixing::Maximum) => "the larger of both",
    };
    let [first, second] = [own.0, other.0].map(|s| written_name(scene, s));
    Some(format!("`{first}` on `{second}` has {coefficient:.3} ({rule})"))
}
