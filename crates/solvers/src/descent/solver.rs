//! The step of `descent`.

use super::contacts::Contacts;
use super::detect;
use super::islands::islands;
use super::joints::{JointStep, StepJoint};
use super::memory::Memory;
use super::motion::{Moving, MovingBody, Twist};
use super::newton::{self, Solved};
use super::options::DescentOptions;
use super::pieces::Pieces;
use super::report::{Ends, fill_report};
use super::system::System;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::registry::MethodError;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use rayon::prelude::*;
use stiction_bodies::{Changed, State};
use stiction_numerics::Vec3;

/// Rigid bodies by converged Newton steps on stiff contacts that follow their load.
pub struct DescentSolver {
    options: DescentOptions,
    pieces: Pieces,
    memory: Memory,
}

/// Joints are harder than contacts by this factor: they do not open, so that it costs no iterations.
const JOINT_HARDNESS: f64 = 2.0;
/// How often a step is solved again because thin bodies or joints need to be stiffer.
const STIFFENINGS: usize = 4;
/// Pieces that overlap by less than this many sinks along a common direction stand flush; joints
/// that stretch by more are stiffened.
const SINKS: f64 = 10.0;

impl DescentSolver {
    /// A solver for a model.
    pub fn new(options: DescentOptions, world: World<'_>) -> Result<DescentSolver, MethodError> {
        support::check("descent", world)?;
        let pieces = Pieces::new(world)?;
        Ok(DescentSolver { options, pieces, memory: Memory::new(world.model.joints.len()) })
    }

    /// The joints that hold in a step.
    fn joints<'a>(&self, world: World<'a>, moving: &Moving, time: f64) -> Vec<StepJoint<'a>> {
        let step = JointStep { moving, end_time: time + moving.h, hardness: self.options.contact_hardness };
        let all = world.model.joints.iter().zip(&world.parameters.joints).zip(&self.memory.joints);
        all.enumerate()
            .filter(|(_, ((joint, _), _))| joint.is_active(time))
            .map(|(index, ((joint, values), memory))| StepJoint::new(index, joint, values, memory, &step))
            .filter(|joint| joint.bodies.iter().any(Option::is_some))
            .collect()
    }

    /// Solves all islands; stiffens what gave way too far, and solves again.
    fn solve(
        &self,
        moving: &Moving,
        contacts: &mut Contacts,
        joints: &mut [StepJoint<'_>],
    ) -> Result<Ends, StepError> {
        let mut ends = solve_islands(&self.options, moving, contacts, joints)?;
        for _ in 0..STIFFENINGS {
            let thin = contacts.stiffen_deep(&ends.gaps);
            let stretched = self.stiffen_joints(moving, joints, &ends);
            if !thin && !stretched {
                break;
            }
            ends = solve_islands(&self.options, moving, contacts, joints)?;
        }
        Ok(ends)
    }

    /// Joints that stretch too far take the stiffness that their force asks for.
    fn stiffen_joints(&self, moving: &Moving, joints: &mut [StepJoint<'_>], ends: &Ends) -> bool {
        let sink = moving.sink(JOINT_HARDNESS * self.options.contact_hardness);
        let mut any = false;
        for (joint, forces) in joints.iter_mut().zip(&ends.joint_forces) {
            let wanted = forces.load / sink;
            if forces.stretch > SINKS * sink && wanted > joint.stiffness {
                joint.stiffness = wanted;
                any = true;
            }
        }
        any
    }
}

/// Velocities of all bodies and the forces of all contacts and joints.
fn solve_islands(
    options: &DescentOptions,
    moving: &Moving,
    contacts: &Contacts,
    joints: &[StepJoint<'_>],
) -> Result<Ends, StepError> {
    let found = islands(moving.bodies.len(), contacts, joints);
    let systems: Vec<System<'_>> =
        found.par_iter().map(|island| System::new(moving, island, contacts, joints)).collect();
    let solved: Vec<Solved> =
        systems.par_iter().map(|system| newton::solve(system, options)).collect::<Result<_, _>>()?;
    let mut ends = Ends::new(moving, contacts, joints.len());
    for ((island, system), solved) in found.iter().zip(&systems).zip(&solved) {
        for (&body, u) in island.bodies.iter().zip(solved.velocities.chunks_exact(2)) {
            ends.twists[body as usize] = Twist { linear: u[0], angular: u[1] };
        }
        for (&k, &shift) in system.points().iter().zip(&solved.shifts) {
            let contact = &contacts.points[k];
            ends.forces[k] = system.contact_force(contact, &solved.velocities, shift);
            ends.gaps[k] = system.end_gap(contact, &solved.velocities);
        }
        for &joint in &island.joints {
            ends.joint_forces[joint as usize] =
                system.joint_forces(&joints[joint as usize], &solved.velocities);
        }
        ends.take(solved);
    }
    Ok(ends)
}

/// Where the bodies end. The angular momentum changes by what torques gave, h τ = I (ω − ω_free); the
/// angular velocity at the end is that of this momentum in the orientation at the end.
fn end_of_step(world: World<'_>, state: &State, moving: &Moving, twists: &[Twist]) -> EndOfStep {
    let table = &world.model.rigid;
    let h = moving.h;
    let (mut blocks, mut velocities) = (state.blocks.clone(), state.velocities.clone());
    for (rigid, (body, twist)) in moving.bodies.iter().zip(twists).enumerate() {
        let (centre, rotation) = (table.centre_block(rigid), table.rotation_block(rigid));
        blocks[centre] += twist.linear * h;
        blocks[rotation] = twist.angular * h;
        velocities[centre] = twist.linear;
        velocities[rotation] = match body.prescribed {
            Some(_) => twist.angular,
            None => end_spin(world, rigid, body, twist, h),
        };
    }
    EndOfStep { blocks, velocities: EndVelocities::Given(velocities), h }
}

fn end_spin(world: World<'_>, rigid: usize, body: &MovingBody, twist: &Twist, h: f64) -> Vec3 {
    let turn = body.end_pose(twist, h).orientation;
    let momentum = body.inertia * (body.start.angular + twist.angular - body.unforced);
    let inertia = world.parameters.principal_inertia(world.model, rigid);
    let principal = turn * inertia.body_from_principal;
    principal * (principal.inverse() * momentum).component_div(&inertia.moments)
}

impl Solver for DescentSolver {
    fn key(&self) -> &'static str {
        "descent"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport { advanced: h, converged: true, ..StepReport::default() };
        let moving = Moving::new(world, state, h);
        let flush = SINKS * moving.sink(self.options.contact_hardness);
        let found = timed(&mut report.seconds.detection, || detect::find(&self.pieces, &moving, flush));
        let mut contacts = Contacts::new(&found, &self.memory, world, &moving, &self.options);
        let mut joints = self.joints(world, &moving, state.time);
        let ends =
            timed(&mut report.seconds.linear_solve, || self.solve(&moving, &mut contacts, &mut joints))?;
        let next = next_state(world, state, end_of_step(world, state, &moving, &ends.twists));
        commit(world, &next, state)?;
        fill_report(world, state, &contacts, &ends, &mut report);
        self.memory.pairs = contacts.remember(&ends.forces, &self.memory, &moving);
        for (joint, forces) in joints.iter().zip(&ends.joint_forces) {
            self.memory.joints[joint.index] = joint.remember(forces);
        }
        Ok(report)
    }

    fn parameters_changed(&mut self, _world: World<'_>, _changed: &Changed) -> Result<(), MethodError> {
        // Every value is read in each step.
        Ok(())
    }

    fn save(&self) -> SavedState {
        self.memory.save()
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        self.memory = Memory::restore(saved, self.memory.joints.len())?;
        Ok(())
    }

    fn reset(&mut self) {
        self.memory = Memory::new(self.memory.joints.len());
    }
}
