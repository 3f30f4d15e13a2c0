//! What a scene asks for and its method leaves out. Bodies that a method cannot run are refused when its solver is made; what it can
//! run without is told instead, so that nothing is passed over in silence.

use crate::registry::methods;
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
    /// `wind`.
    Wind,
    /// Damping of materials.
    Damping,
}

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
            Wish::Wind => "`wind`",
            Wish::Damping => "damping of materials",
        }
    }

    /// What the method does instead, where the scene has such a wish.
    fn found_in(self, scene: &Scene) -> Option<String> {
        let bodies = &scene.bodies;
        match self {
            Wish::Contact => (bodies.len() > 1 || !scene.colliders.is_empty())
                .then(|| "has no contact: bodies and colliders pass through each other".to_owned()),
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
            Wish::Wind => (scene.wind.velocity.norm() > 0.0)
                .then(|| "has no air drag: the wind does not act".to_owned()),
            Wish::Damping => {
                let damped = bodies.iter().find(|body| body.material.damping() != Default::default())?;
                Some(format!("has no damping: that of `{}` does not act", damped.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn notes(key: &str, more: &str) -> Vec<String> {
        let text = format!(
            "stiction = 1
            method = {{ key = '{key}' }}
            [bodies.sheet]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [1, 1], cells = [1, 1] }} }}
            {more}"
        );
        let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
        unheeded(&loaded.expect("the scene is valid").scene)
    }

    #[test]
    fn what_does_not_act_is_told_and_nothing_else() {
        let plain = "material = { preset = 'cotton', damping_mass = 0.0, damping_stiffness = 0.0, damping_bending = 0.0 }";
        let limited = "material = { preset = 'cotton', strain_limit = 0.05 }";
        let grain = format!("{plain}\nfriction_direction = {{ direction = 'u', along = 1.0, across = 0.1 }}");
        let floor = format!("{plain}\n[colliders.floor]\nplane = {{ offset = -1 }}");
        let sticky = format!("{floor}\n[friction]\npairs = [{{ a = 'sheet', b = 'floor', cohesion = 1.0 }}]");
        let wind = format!("{plain}\n[wind]\nvelocity = [1, 0, 0]");
        let damped = "material = { preset = 'cotton', damping_stiffness = 0.1 }";
        let cases: [(&str, &[&str], &str); 6] = [
            (&floor, &["newton"], "no contact"),
            (limited, &["newton", "admm", "xpbd"], "`sheet`"),
            (&grain, &["barrier"], "friction_direction"),
            (&sticky, &["pd", "barrier", "xpbd"], "cohesion"),
            (&wind, &["xpbd"], "wind"),
            (damped, &["xpbd"], "damping"),
        ];
        for (more, deaf, word) in cases {
            for key in ["newton", "admm", "pd", "barrier", "xpbd"] {
                let told = notes(key, more).iter().any(|note| note.contains(word));
                assert_eq!(told, deaf.contains(&key), "{key}, {word}: {:?}", notes(key, more));
            }
        }
        assert!(["admm", "pd", "barrier", "xpbd"].iter().all(|key| notes(key, &floor).is_empty()));
    }
}
