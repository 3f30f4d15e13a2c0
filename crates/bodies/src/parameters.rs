//! Values that estimation, adjoints and control may vary while the model stays the same.

use stiction_numerics::Vec3;
use stiction_scene::Scene;
use stiction_scene::material::Material;
use stiction_scene::resolved::{FrictionTable, Surface, Wind};

/// Materials, friction, gravity and wind: one table beside the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Material of each body.
    pub materials: Vec<Material>,
    /// Friction coefficient of each body, then of each collider.
    pub friction: Vec<f64>,
    /// Pair table and mixing rule.
    pub friction_table: FrictionTable,
    /// Gravity \[m/s²\].
    pub gravity: Vec3,
    /// Air and its motion.
    pub wind: Wind,
    /// Number of bodies: objects below are bodies, the rest are colliders.
    bodies: usize,
}

impl Parameters {
    /// The values that the scene gives.
    pub fn from_scene(scene: &Scene) -> Parameters {
        let bodies = scene.bodies.iter().map(|b| b.friction);
        let colliders = scene.colliders.iter().map(|c| c.friction);
        Parameters {
            materials: scene.bodies.iter().map(|b| b.material.clone()).collect(),
            friction: bodies.chain(colliders).collect(),
            friction_table: scene.friction.clone(),
            gravity: scene.gravity,
            wind: scene.wind,
            bodies: scene.bodies.len(),
        }
    }

    /// Coulomb coefficient between two objects (bodies first, then colliders).
    pub fn friction_between(&self, a: usize, b: usize) -> f64 {
        let surface = |object: usize| match object.checked_sub(self.bodies) {
            None => Surface::Body(object),
            Some(collider) => Surface::Collider(collider),
        };
        self.friction_table.coefficient((surface(a), self.friction[a]), (surface(b), self.friction[b]))
    }
}
