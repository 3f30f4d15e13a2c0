//! Values that estimation, adjoints and control may vary while the model stays the same.

use crate::controls::Controls;
use crate::mass::lumped_masses;
use crate::model::Model;
use crate::rigid::PrincipalInertia;
use crate::springs::SpringTable;
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::Scene;
use stiction_scene::material::Material;
use stiction_scene::resolved::{
    self, FrictionPair, FrictionTable, Gravity, Inflation, JointDrive, Surface, Wind, WrittenMaterial,
};

/// Materials, masses, friction, gravity, wind, pressure, springs and controls: one table that goes with the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Material of each body.
    pub materials: Vec<Material>,
    /// What each of them was resolved from.
    pub(crate) written_materials: Vec<WrittenMaterial>,
    /// Lumped mass per block, from the densities of the materials: \[kg\] for nodes and centres of
    /// rigid bodies, \[kg m²\] for angles. The block of a rotation has a scale only; see
    /// [`Parameters::inertia`].
    pub mass: Vec<f64>,
    /// Drive and friction of each joint.
    pub joints: Vec<JointValues>,
    /// Friction coefficient of each body, then of each collider.
    pub friction: Vec<f64>,
    /// Coefficients along and across the grain of each body that has one, then of each collider.
    pub grain_friction: Vec<Option<[f64; 2]>>,
    /// Pair table and mixing rule.
    pub friction_table: FrictionTable,
    /// Gravity over time.
    pub gravity: Gravity,
    /// Air and its motion.
    pub wind: Wind,
    /// Pressure inside the closed surface of each body that is inflated.
    pub inflation: Vec<Option<Inflation>>,
    /// Stiffness of soft pins, attachments, stitches and roots.
    pub springs: SpringTable,
    /// Motions of pins, anchors and colliders.
    pub controls: Controls,
    /// Direction away from the ground.
    pub(crate) up: Vec3,
    /// Force on each node in the next step \[N\]; of a rigid body at its centre, and its torque \[N m\] in the
    /// block of its rotation. Empty when there is none. A control of the caller: no scene
    /// holds it, and no solver keeps it.
    pub external: Vec<Vec3>,
    /// How far the next step may take a body; a step beyond it is refused. A control of the caller too.
    pub motion_limit: Option<MotionLimit>,
    /// Number of bodies: objects below are bodies, the rest are colliders.
    bodies: usize,
}

/// The most that the motion of a body in one step may be, root mean square over its mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionLimit {
    /// Speed at the end \[m/s\].
    pub speed: f64,
    /// Way \[m\].
    pub displacement: f64,
}

/// What drives a joint and what resists it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointValues {
    /// Spring and damper towards a target, if any.
    pub drive: Option<JointDrive>,
    /// Largest force \[N\] or torque \[N m\] of friction.
    pub friction: f64,
}

impl JointValues {
    fn of(joint: &resolved::SceneJoint) -> JointValues {
        JointValues { drive: joint.drive.clone(), friction: joint.friction }
    }
}

impl Parameters {
    /// The values that the scene gives for the model made of it.
    pub fn from_scene(scene: &Scene, model: &Model) -> Parameters {
        let bodies = scene.bodies.iter().map(|b| b.friction);
        let colliders = scene.colliders.iter().map(|c| c.friction);
        Parameters {
            materials: scene.bodies.iter().map(|b| b.material.clone()).collect(),
            written_materials: scene.bodies.iter().map(|b| b.written_material.clone()).collect(),
            mass: lumped_masses(model, |body| &scene.bodies[body].material),
            joints: scene.joints.iter().map(JointValues::of).collect(),
            friction: bodies.chain(colliders).collect(),
            grain_friction: (scene
                .bodies
                .iter()
                .map(|b| b.friction_direction.as_ref().map(|d| [d.along, d.across])))
            .chain(scene.colliders.iter().map(|c| c.friction_direction.as_ref().map(|d| [d.along, d.across])))
            .collect(),
            friction_table: scene.friction.clone(),
            gravity: scene.gravity.clone(),
            wind: scene.wind,
            inflation: scene.bodies.iter().map(|b| b.inflation).collect(),
            springs: SpringTable::new(scene, model),
            controls: Controls::new(scene, &model.pins, &model.anchors),
            up: scene.up_axis.unit(),
            external: Vec::new(),
            motion_limit: None,
            bodies: scene.bodies.len(),
        }
    }

    /// Adds the external forces to forces per node \[N\]; without any, nothing is touched.
    pub fn add_external(&self, forces: &mut [Vec3]) {
        forces.iter_mut().zip(&self.external).for_each(|(force, external)| *force += external);
    }

    /// Total mass of a body \[kg\].
    pub fn body_mass(&self, model: &Model, body: usize) -> f64 {
        let body = &model.bodies[body];
        match body.rigid {
            Some(rigid) => self.mass[model.rigid.centre_block(rigid as usize)],
            None => self.mass[body.nodes.clone()].iter().sum(),
        }
    }

    /// Density of a rigid body \[kg/m³\].
    pub fn rigid_density(&self, model: &Model, rigid: usize) -> f64 {
        self.materials[model.rigid.bodies[rigid].body as usize].density()
    }

    /// Inertia tensor of a rigid body in its own frame \[kg m²\].
    pub fn inertia(&self, model: &Model, rigid: usize) -> Mat3 {
        model.rigid.bodies[rigid].inertia(self.rigid_density(model, rigid))
    }

    /// Principal moments of a rigid body \[kg m²\] and their axes.
    pub fn principal_inertia(&self, model: &Model, rigid: usize) -> PrincipalInertia {
        model.rigid.bodies[rigid].principal.at_density(self.rigid_density(model, rigid))
    }

    /// Coefficients along and across the grain between two objects, of which at least one has a grain: geometric means, with
    /// the plain coefficient of the one that has none.
    pub fn grain_between(&self, a: usize, b: usize) -> Option<[f64; 2]> {
        let (first, second) = (self.grain_friction[a], self.grain_friction[b]);
        if self.friction_table.all.is_some() || (first.is_none() && second.is_none()) {
            return None;
        }
        let (first, second) =
            (first.unwrap_or([self.friction[a]; 2]), second.unwrap_or([self.friction[b]; 2]));
        Some([0, 1].map(|k| (first[k] * second[k]).sqrt()))
    }

    /// Coulomb coefficient between two objects (bodies first, then colliders).
    pub fn friction_between(&self, a: usize, b: usize) -> f64 {
        let (first, second) = (self.surface(a), self.surface(b));
        self.friction_table.coefficient((first, self.friction[a]), (second, self.friction[b]))
    }

    /// What the scene lists for two objects.
    pub fn pair_between(&self, a: usize, b: usize) -> Option<&FrictionPair> {
        self.friction_table.pair(self.surface(a), self.surface(b))
    }

    fn surface(&self, object: usize) -> Surface {
        match object.checked_sub(self.bodies) {
            None => Surface::Body(object),
            Some(collider) => Surface::Collider(collider),
        }
    }
}
