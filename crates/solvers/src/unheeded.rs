//! What a scene asks for and its method leaves out. Bodies that a method cannot run are refused when its solver is made; what it can
//! run without is told instead, so that nothing is passed over in silence.

use crate::registry::methods;
use stiction_scene::material::{BendingLaw, MembraneLaw, SolidLaw};
use stiction_scene::resolved::{Body, BodyKind};
use stiction_scene::{Material, Scene};

/// Something that a scene can ask for and that not every method has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Contact of any kind.
    Contact,
    /// `strain_limit` of cloth.
    StrainLimit,
    /// `friction_direction` of bodies and colliders.
    Grain,
    /// `cohesion` and `compliance` of pairs.
    Stickiness,
    /// Drag of the air, still or with wind.
    Drag,
    /// Damping of materials.
    Damping,
    /// Laws of sheets other than the method's own, which is named here, and of solids other than `corotated`. What the format takes
    /// where no law is given is nobody's wish.
    Law(MembraneLaw),
    /// Bending of sheets by anything but hinges.
    Bending,
    /// Sheets that are curved at rest.
    Curvature,
    /// Twist of rods.
    Twist,
    /// Sheets next to no thickness, which barriers keep apart within their gap and projections do not.
    Thinness,
}

/// Sheets thinner than this share of their gap are left to barriers.
const THIN: f64 = 0.05;

/// One sentence for everything that the scene asks for and its method leaves out.
pub fn unheeded(scene: &Scene) -> Vec<String> {
    let key = &scene.method.key;
    let Some(method) = methods().iter().find(|method| method.key == key) else { return Vec::new() };
    let told = |wish: &Wish| wish.found_in(scene).map(|what| format!("method `{key}` {what}"));
    method.leaves_out.iter().filter_map(told).collect()
}

impl Wish {
    /// What it is called in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Wish::Contact => "contact and friction",
            Wish::StrainLimit => "`strain_limit`",
            Wish::Grain => "`friction_direction`",
            Wish::Stickiness => "`cohesion` and `compliance` of pairs",
            Wish::Drag => "air drag and `wind`",
            Wish::Damping => "damping of materials",
            Wish::Law(_) => "`law` of materials (their moduli act)",
            Wish::Bending => "`bending = \"shape_operator\"`",
            Wish::Curvature => "`rest.curved` of cloth",
            Wish::Twist => "twist of rods",
            Wish::Thinness => "sheets thinner than a twentieth of their `gap`",
        }
    }

    /// What the method does instead, where the scene has such a wish.
    fn found_in(self, scene: &Scene) -> Option<String> {
        let bodies = &scene.bodies;
        match self {
            Wish::Contact => contact(scene),
            Wish::StrainLimit => {
                let limited =
                    |m: &Material| matches!(m, Material::Cloth(cloth) if cloth.strain_limit.is_some());
                let body = bodies.iter().find(|body| limited(&body.material))?;
                Some(format!("has no strain limits: that of `{}` does not act", body.name))
            }
            Wish::Grain => {
                let of_bodies = bodies.iter().filter(|b| b.friction_direction.is_some()).map(|b| &b.name);
                let colliders = scene.colliders.iter().filter(|c| c.friction_direction.is_some());
                let name = of_bodies.chain(colliders.map(|c| &c.name)).next()?;
                Some(format!("has no friction by direction: `friction_direction` of `{name}` does not act"))
            }
            Wish::Stickiness => {
                let sticky =
                    scene.friction.pairs.iter().any(|p| p.cohesion.is_some() || p.compliance.is_some());
                sticky.then(|| "knows no `cohesion` or `compliance`: those of pairs do not act".to_owned())
            }
            Wish::Drag => drag(scene),
            Wish::Damping => {
                let damped = bodies.iter().find(|body| body.material.damping() != Default::default())?;
                Some(format!("has no damping: that of `{}` does not act", damped.name))
            }
            Wish::Law(own) => {
                let (body, law) = bodies.iter().find_map(|body| Some((body, named_law(body, own)?)))?;
                let own = if own == MembraneLaw::Stvk { "`stvk`" } else { "corotational" };
                Some(format!("is {own}: of `law = \"{law}\"` of `{}` only the moduli act", body.name))
            }
            Wish::Bending => {
                let other = |m: &Material| matches!(m, Material::Cloth(cloth) if cloth.bending == BendingLaw::ShapeOperator);
                let body = bodies.iter().find(|body| other(&body.material))?;
                Some(format!("bends sheets at hinges: `shape_operator` of `{}` does not act", body.name))
            }
            Wish::Curvature => {
                let curved = |m: &Material| matches!(m, Material::Cloth(cloth) if cloth.rest_curved);
                let body = bodies.iter().find(|body| curved(&body.material))?;
                Some(format!("has flat sheets: `rest.curved` of `{}` does not act", body.name))
            }
            Wish::Twist => {
                let body = bodies.iter().find(|body| body.kind == BodyKind::Rod)?;
                Some(format!("has no twist: rods of `{}` stretch and bend only", body.name))
            }
            Wish::Thinness => {
                let is_thin = |b: &&Body| b.kind == BodyKind::Cloth && b.thickness < THIN * b.contact_gap;
                let body = bodies.iter().find(is_thin)?;
                Some(format!(
                    "keeps surfaces apart by their thickness, within its tolerance: `{}` may pass through what it touches, give it a `thickness` of at least {:.1e} m",
                    body.name,
                    THIN * body.contact_gap
                ))
            }
        }
    }
}

fn contact(scene: &Scene) -> Option<String> {
    if scene.bodies.len() > 1 || !scene.colliders.is_empty() {
        return Some("has no contact: bodies and colliders pass through each other".to_owned());
    }
    // One frame has no way to fold.
    let body = scene.bodies.iter().find(|body| body.self_contact && body.kind != BodyKind::Affine)?;
    Some(format!("has no contact: `{}` can pass through itself", body.name))
}

fn drag(scene: &Scene) -> Option<String> {
    let felt = |body: &&Body| body.drag().normal > 0.0 || body.drag().tangential > 0.0;
    let body = scene.bodies.iter().filter(|_| scene.wind.air_density > 0.0).find(felt)?;
    Some(match scene.wind.velocity.norm() > 0.0 {
        true => "has no air drag: the wind does not act".to_owned(),
        false => format!("has no air drag: `{}` moves as in a vacuum", body.name),
    })
}

/// The law that a scene names for a body, where it is neither the method's own nor the one of bodies without any.
fn named_law(body: &Body, own: MembraneLaw) -> Option<&'static str> {
    match &body.material {
        Material::Cloth(cloth) if cloth.membrane == own => None,
        Material::Cloth(cloth) => match cloth.membrane {
            MembraneLaw::Stvk => None,
            MembraneLaw::NeoHookean => Some("neo_hookean"),
            MembraneLaw::Arap => Some("arap"),
            MembraneLaw::BaraffWitkin => Some("baraff_witkin"),
        },
        // `xpbd` refuses solids.
        Material::Solid(_) if own == MembraneLaw::Stvk => None,
        Material::Solid(solid) => match solid.law {
            SolidLaw::StableNeoHookean | SolidLaw::Corotated => None,
            SolidLaw::Stvk => Some("stvk"),
            SolidLaw::NeoHookean => Some("neo_hookean"),
            SolidLaw::FixedCorotated => Some("fixed_corotated"),
        },
        Material::Rod(_) | Material::Rigid(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of_body(key: &str, body: &str) -> Vec<String> {
        let text = format!("stiction = 1\nmethod = {{ key = '{key}' }}\n[bodies.sheet]\n{body}");
        let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
        unheeded(&loaded.expect("the scene is valid").scene)
    }

    fn notes(key: &str, more: &str) -> Vec<String> {
        let sheet = "kind = 'cloth'\nmesh = { grid = { size = [1, 1], cells = [1, 1] } }";
        of_body(key, &format!("{sheet}\n{more}"))
    }

    /// Every method is asked about every wish; those that are deaf to it, and no others, say so.
    fn asked(deaf: &[&str], word: &str, notes: impl Fn(&str) -> Vec<String>) {
        for method in methods() {
            let found = notes(method.key);
            let told = found.iter().filter(|note| note.contains(word)).count();
            let expected = usize::from(deaf.contains(&method.key));
            assert_eq!(told, expected, "{}, {word}: {found:?}", method.key);
        }
        assert!(deaf.iter().all(|key| methods().iter().any(|method| method.key == *key)), "{deaf:?}");
    }

    const PLAIN: &str = "self_contact = false\nmaterial = { preset = 'cotton', drag_normal = 0, drag_tangential = 0, damping_mass = 0.0, damping_stiffness = 0.0, damping_bending = 0.0 }";

    #[test]
    fn what_does_not_act_is_told_and_nothing_else() {
        let limited = "material = { preset = 'cotton', strain_limit = 0.05 }";
        let grain = format!("{PLAIN}\nfriction_direction = {{ direction = 'u', along = 1.0, across = 0.1 }}");
        let floor = format!("{PLAIN}\n[colliders.floor]\nplane = {{ offset = -1 }}");
        let sticky = format!("{floor}\n[friction]\npairs = [{{ a = 'sheet', b = 'floor', cohesion = 1.0 }}]");
        let cotton = "material = 'cotton'";
        let wind = format!("{cotton}\n[wind]\nvelocity = [1, 0, 0]");
        let damped = "material = { preset = 'cotton', damping_stiffness = 0.1 }";
        let thin = format!("{PLAIN}\nthickness = 1e-6\ngap = 0.001");
        let airless = ["xpbd", "admm_integrator"];
        let cases: [(&str, &[&str], &str); 9] = [
            (&thin, &["pd"], "a `thickness` of at least 5.0e-5 m"),
            (&floor, &["newton"], "no contact"),
            (cotton, &["newton"], "`sheet` can pass through itself"),
            (limited, &["newton", "admm", "xpbd"], "strain limits: that of `sheet`"),
            (&grain, &["barrier"], "friction_direction"),
            (&sticky, &["pd", "barrier", "xpbd", "admm_integrator"], "cohesion"),
            (&wind, &airless, "no air drag: the wind"),
            (cotton, &airless, "no air drag: `sheet`"),
            (damped, &["xpbd"], "damping"),
        ];
        for (more, deaf, word) in cases {
            asked(deaf, word, |key| notes(key, more));
        }
        let vacuum = format!("{wind}\nair_density = 0");
        for method in methods() {
            assert!(notes(method.key, PLAIN).is_empty(), "{:?}", notes(method.key, PLAIN));
            assert!(!notes(method.key, &vacuum).iter().any(|note| note.contains("air")), "{}", method.key);
        }
    }

    #[test]
    fn laws_that_a_method_replaces_are_told_where_a_scene_names_them() {
        let law = |law: &str| format!("material = {{ preset = 'cotton', {law} }}");
        let cases: [(&str, &[&str], &str); 6] = [
            ("law = 'neo_hookean'", &["pd", "xpbd"], "neo_hookean"),
            ("law = 'arap'", &["xpbd"], "arap"),
            ("law = 'stvk'", &[], "stvk"),
            ("bending = 'shape_operator'", &["pd", "xpbd"], "shape_operator"),
            ("bending = 'quadratic'", &[], "quadratic"),
            ("bending = 'hinge'", &[], "bends"),
        ];
        for (named, deaf, word) in cases {
            asked(deaf, word, |key| notes(key, &law(named)));
        }
        let curved = "material = 'cotton'\nrest = { curved = true }";
        asked(&["xpbd"], "`rest.curved` of `sheet`", |key| notes(key, curved));
        let solid = |law: &str| {
            format!(
                "kind = 'solid'\nmesh = {{ tet_box = {{ size = [1, 1, 1], cells = [1, 1, 1] }} }}\nmaterial = {{ preset = 'rubber'{law} }}"
            )
        };
        asked(&["pd"], "fixed_corotated", |key| of_body(key, &solid(", law = 'fixed_corotated'")));
        asked(&[], "corotational", |key| of_body(key, &solid("")));
        let rod = "kind = 'rod'\nmaterial = 'human_hair'\nmesh = { rod = { end = [1, 0, 0], segments = 4 } }";
        asked(&["pd"], "no twist", |key| of_body(key, rod));
    }
}
