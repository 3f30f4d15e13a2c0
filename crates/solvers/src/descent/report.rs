//! What a step of `descent` tells.

use super::contacts::Contacts;
use super::joints::JointForces;
use super::motion::{Moving, Twist};
use super::newton::Solved;
use crate::advance::mechanical_energies;
use crate::report::{ContactSample, StepReport};
use crate::solver::World;
use stiction_bodies::State;
use stiction_numerics::Vec3;

/// What was found at the end of a step.
#[derive(Clone, Debug)]
pub struct Ends {
    /// Mean velocities of all bodies.
    pub twists: Vec<Twist>,
    /// Force of each contact point on its first body \[N\].
    pub forces: Vec<Vec3>,
    /// Gap of each contact point at the end \[m\].
    pub gaps: Vec<f64>,
    /// What each joint does.
    pub joint_forces: Vec<JointForces>,
    /// Most Newton iterations and rounds of an island.
    pub iterations: usize,
    rounds: usize,
    islands: usize,
    imbalance: f64,
    converged: bool,
}

impl Ends {
    /// Bodies in no island move freely or as prescribed.
    pub fn new(moving: &Moving, contacts: &Contacts, joints: usize) -> Ends {
        Ends {
            twists: moving.bodies.iter().map(|b| b.prescribed.unwrap_or(b.free)).collect(),
            forces: vec![Vec3::zeros(); contacts.points.len()],
            gaps: contacts.points.iter().map(|c| c.gap).collect(),
            joint_forces: vec![JointForces::default(); joints],
            iterations: 0,
            rounds: 0,
            islands: 0,
            imbalance: 0.0,
            converged: true,
        }
    }

    /// Counts an island.
    pub fn take(&mut self, solved: &Solved) {
        self.iterations = self.iterations.max(solved.iterations);
        self.rounds = self.rounds.max(solved.rounds);
        self.islands += 1;
        self.imbalance = self.imbalance.max(solved.imbalance);
        self.converged &= solved.converged;
    }
}

/// Fills the report of a step that was committed.
pub fn fill_report(
    world: World<'_>,
    state: &State,
    contacts: &Contacts,
    ends: &Ends,
    report: &mut StepReport,
) {
    report.iterations = ends.iterations;
    report.converged = ends.converged;
    report.residual = vec![("imbalance", ends.imbalance)];
    report.counters = vec![("islands", ends.islands as f64), ("friction_rounds", ends.rounds as f64)];
    report.contacts = contacts.points.len();
    report.penetration = ends.gaps.iter().fold(0.0, |deepest, gap| deepest.max(-gap));
    report.contact_force = vec![Vec3::zeros(); world.model.surfaces.objects.len()];
    let mut stored = 0.0;
    for pair in &contacts.pairs {
        for k in pair.points.clone() {
            let (contact, force) = (&contacts.points[k], ends.forces[k]);
            if force == Vec3::zeros() {
                continue;
            }
            report.contact_force[pair.objects[0] as usize] += force;
            report.contact_force[pair.objects[1] as usize] -= force;
            let normal = contact.law.normal;
            let along = normal.dot(&force);
            stored += 0.5 * along * along / contact.law.stiffness
                + 0.5 * (force - normal * along).norm_squared() / contact.law.stick;
            report.contact_samples.push(ContactSample {
                objects: pair.objects,
                point: contact.place,
                normal,
                gap: ends.gaps[k],
                force,
            });
        }
    }
    report.energy = vec![("contact", stored)];
    report.energy.extend(mechanical_energies(world, state));
}
