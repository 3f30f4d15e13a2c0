//! Driven colliders and pins: a caller says where they go, step by step.
//!
//! A target is reached at the end of the next step; on the way there the centre moves along a straight line and the orientation
//! turns evenly about one axis (slerp), so that methods which cut a step into smaller ones see the same motion. Afterwards
//! what is driven stays where it is until it is told otherwise. A drive replaces the motion that the scene gives; that one acts
//! again after a release. Everything that follows a collider (pins with `follow`, attachments) follows its driven motion.
//!
//! Orders that wait for the next step belong to the caller, as external forces do: checkpoints do not hold them. What is driven
//! by then, and how it moves, is part of a checkpoint, since the place of a collider follows from it.

use crate::error::SimulationError;
use crate::simulation::Simulation;
use stiction_bodies::couplings::AnchorSource;
use stiction_bodies::pins::PinSource;
use stiction_bodies::{Changed, Controls, DrivenMotion, DrivenMotions};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_scene::motion::{KeyFrame, Motion};
use stiction_solvers::World;

/// Where something that moves as one piece is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenPose {
    /// Place of the centre in the world \[m\]: of `motion.centre` of the scene, which by default is the middle of the collider or
    /// of the pinned vertices.
    pub position: Vec3,
    /// Rotation since the start of the scene, about the centre.
    pub rotation: UnitQuaternion<f64>,
}

/// How something is to move from the next step on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// To a pose at the end of the next step, evenly; then it stays there.
    To(DrivenPose),
    /// With constant velocities, until it is told otherwise.
    With {
        /// Of the centre \[m/s\].
        velocity: Vec3,
        /// Angular velocity in the world, about the centre \[rad/s\].
        angular_velocity: Vec3,
    },
}

/// Something that can be driven, by number among the controls of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driven {
    Collider(usize),
    Pin(usize),
    Anchor(usize),
}

/// A drive that waits for the next step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    driven: Driven,
    drive: Drive,
}

impl Simulation {
    /// Drives a collider from the next step on; see [`Drive`]. The last order before a step counts.
    ///
    /// A run stores a collider that rests when its recording begins once for all frames. To drive such a one in a recorded run,
    /// give the first order before the recording begins: its present pose will do.
    pub fn drive_collider(&mut self, name: &str, drive: Drive) -> Result<(), SimulationError> {
        let driven = Driven::Collider(self.collider_number(name)?);
        self.order(name, driven, drive)
    }

    /// Drives a pin of a body, soft or exact, by its number among the pins of the body; see [`Drive`].
    pub fn drive_pin(&mut self, body: &str, pin: usize, drive: Drive) -> Result<(), SimulationError> {
        let driven = self.pin_control(body, pin)?;
        self.order(body, driven, drive)
    }

    /// Lets the motion of the scene move a collider again, from the next step on. Where that motion has it elsewhere, it jumps
    /// there: drive it back first.
    pub fn release_collider(&mut self, name: &str) -> Result<(), SimulationError> {
        let driven = Driven::Collider(self.collider_number(name)?);
        self.release(driven)
    }

    /// Lets the motion of the scene move a pin again; as [`Simulation::release_collider`].
    pub fn release_pin(&mut self, body: &str, pin: usize) -> Result<(), SimulationError> {
        let driven = self.pin_control(body, pin)?;
        self.release(driven)
    }

    /// Where a collider is at present.
    pub fn collider_pose(&self, name: &str) -> Result<DrivenPose, SimulationError> {
        let driven = Driven::Collider(self.collider_number(name)?);
        Ok(pose(self.acting_motion(driven), self.state.time))
    }

    /// Where a pin is at present.
    pub fn pin_pose(&self, body: &str, pin: usize) -> Result<DrivenPose, SimulationError> {
        let driven = self.pin_control(body, pin)?;
        Ok(pose(self.acting_motion(driven), self.state.time))
    }

    /// Whether a collider is driven, or will be in the next step.
    pub(crate) fn is_collider_driven(&self, index: usize) -> bool {
        let driven = &self.parameters.controls.driven.colliders;
        let ordered = self.orders.iter().any(|order| order.driven == Driven::Collider(index));
        ordered || driven.iter().any(|d| d.index == index)
    }

    fn order(&mut self, name: &str, driven: Driven, drive: Drive) -> Result<(), SimulationError> {
        let is_finite = match drive {
            Drive::To(pose) => pose.position.iter().chain(pose.rotation.coords.iter()).all(|c| c.is_finite()),
            Drive::With { velocity, angular_velocity } => {
                velocity.iter().chain(&angular_velocity).all(|c| c.is_finite())
            }
        };
        if !is_finite {
            return Err(SimulationError::DriveNumbers { name: name.to_owned() });
        }
        self.orders.retain(|order| order.driven != driven);
        self.orders.push(Order { driven, drive });
        Ok(())
    }

    fn release(&mut self, driven: Driven) -> Result<(), SimulationError> {
        self.orders.retain(|order| order.driven != driven);
        let mut motions = self.parameters.controls.driven.clone();
        let (list, index) = list_of(&mut motions, driven);
        list.retain(|d| d.index != index);
        self.set_driven(motions)
    }

    /// Turns the orders into motions for a step from now to `end`. Returns what was driven before.
    pub(crate) fn carry_out_orders(&mut self, end: f64) -> Result<DrivenMotions, SimulationError> {
        let before = self.parameters.controls.driven.clone();
        if self.orders.is_empty() {
            return Ok(before);
        }
        let mut motions = before.clone();
        for &Order { driven, drive } in &self.orders {
            let motion = driven_motion(self.acting_motion(driven), drive, [self.state.time, end]);
            let (list, index) = list_of(&mut motions, driven);
            match list.binary_search_by_key(&index, |d| d.index) {
                Ok(place) => list[place].motion = motion,
                Err(place) => list.insert(place, DrivenMotion { index, motion }),
            }
        }
        self.set_driven(motions)?;
        Ok(before)
    }

    /// Drives exactly these, and tells the method. On an error nothing has changed.
    pub(crate) fn set_driven(&mut self, motions: DrivenMotions) -> Result<(), SimulationError> {
        if self.parameters.controls.driven == motions {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.parameters.controls.driven, motions);
        let changed = Changed { controls: true, ..Changed::default() };
        let world = World { model: &self.model, parameters: &self.parameters };
        let solver = &mut self.solver;
        let told = self.threads.install(|| solver.parameters_changed(world, &changed));
        if told.is_err() {
            self.parameters.controls.driven = before;
        }
        Ok(told?)
    }

    fn acting_motion(&self, driven: Driven) -> &Motion {
        let controls: &Controls = &self.parameters.controls;
        match driven {
            Driven::Collider(index) => controls.collider(index),
            Driven::Pin(index) => controls.pin(index, &self.model.pins.groups[index]),
            Driven::Anchor(index) => controls.anchor(index, &self.model.anchors.groups[index]),
        }
    }

    fn collider_number(&self, name: &str) -> Result<usize, SimulationError> {
        let colliders = &self.model.colliders.colliders;
        let Some(index) = colliders.iter().position(|collider| collider.name == name) else {
            let known: Vec<&str> = colliders.iter().map(|collider| collider.name.as_str()).collect();
            return Err(SimulationError::UnknownCollider { name: name.to_owned(), known: listed(&known) });
        };
        match colliders[index].sequence {
            None => Ok(index),
            Some(_) => Err(SimulationError::DrivenSequence { name: name.to_owned() }),
        }
    }

    fn pin_control(&self, body: &str, pin: usize) -> Result<Driven, SimulationError> {
        let number = self.body_number(body)?;
        let wanted = PinSource { body: number, pin };
        let exact = self.model.pins.groups.iter().map(|group| Some(group.source));
        let soft = self.model.anchors.groups.iter().map(|group| match group.source {
            AnchorSource::Pin(source) => Some(source),
            AnchorSource::Attachment(_) => None,
        });
        let exact = exact.enumerate().map(|(index, source)| (source, Driven::Pin(index)));
        let soft = soft.enumerate().map(|(index, source)| (source, Driven::Anchor(index)));
        let mut all = exact.chain(soft).filter_map(|(source, driven)| Some((source?, driven)));
        let count = all.clone().filter(|(source, _)| source.body == number).count();
        let found = all.find(|(source, _)| *source == wanted).map(|(_, driven)| driven);
        found.ok_or_else(|| SimulationError::UnknownPin { body: body.to_owned(), pin, count })
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn list_of(motions: &mut DrivenMotions, driven: Driven) -> (&mut Vec<DrivenMotion>, usize) {
    match driven {
        Driven::Collider(index) => (&mut motions.colliders, index),
        Driven::Pin(index) => (&mut motions.pins, index),
        Driven::Anchor(index) => (&mut motions.anchors, index),
    }
}

/// Where a motion has its centre, and how far it has turned.
fn pose(motion: &Motion, time: f64) -> DrivenPose {
    let turn = Rotation3::from_matrix_unchecked(motion.pose(time).linear / motion.scale_at(time));
    DrivenPose { position: motion.centre_at(time), rotation: UnitQuaternion::from_rotation_matrix(&turn) }
}

/// The motion of a drive that begins where `present` is at the first of two times: R(t) = exp(ω (t − t₀)) R₀ and a centre that
/// moves evenly. Towards a pose, ω = log(R₁ R₀⁻¹)/(t₁ − t₀) is the shorter way round, and both end at t₁. The scale stays.
fn driven_motion(present: &Motion, drive: Drive, [from, to]: [f64; 2]) -> Motion {
    let now = pose(present, from);
    let key = |time: f64, position: Vec3| KeyFrame {
        time,
        translation: position - present.centre,
        rotation: now.rotation.scaled_axis(),
        rotation_axis: Vec3::zeros(),
        scale: present.scale_at(from),
    };
    let still = Motion { start: from, ..Motion::fixed_about(present.centre) };
    match drive {
        Drive::To(target) => {
            let turn = (target.rotation * now.rotation.inverse()).scaled_axis();
            Motion {
                // By keys, which are reached to the last bit.
                keys: vec![key(from, now.position), key(to, target.position)],
                angular_velocity: turn / (to - from),
                end: to,
                ..still
            }
        }
        Drive::With { velocity, angular_velocity } => {
            Motion { keys: vec![key(from, now.position)], velocity, angular_velocity, ..still }
        }
    }
}
