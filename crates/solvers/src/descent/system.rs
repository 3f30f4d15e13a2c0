//! The balance of an island and its derivative.
//!
//! r(u) = M (u − ũ) − h Σ Jᵀ γ(u),  H = M + h² Σ Jᵀ (−∂γ/∂x) J
//!
//! u mean velocities over the step (two blocks per body) · ũ free motion · γ forces of contacts and
//! joints at the end of the step · J maps velocities to those of contact points and joint rows.

use super::contacts::{Contact, Contacts};
use super::islands::Island;
use super::joints::{JointForces, Row, StepJoint};
use super::motion::{Moving, Twist};
use std::sync::Arc;
use stiction_numerics::{BlockMatrix, BlockPattern, Mat3, Vec3, ordered_dot, skew};

/// An island with its numbers.
pub struct System<'a> {
    /// Everything that moves.
    pub moving: &'a Moving,
    island: &'a Island,
    contacts: &'a Contacts,
    joints: Vec<&'a StepJoint<'a>>,
    /// Points of the contacts that belong to the island.
    points: Vec<usize>,
    /// Place of each body in the island; of all bodies of the model.
    local: Vec<u32>,
    pattern: Arc<BlockPattern>,
}

impl<'a> System<'a> {
    /// For an island of a step.
    pub fn new(
        moving: &'a Moving,
        island: &'a Island,
        contacts: &'a Contacts,
        joints: &'a [StepJoint<'a>],
    ) -> System<'a> {
        let mut local = vec![u32::MAX; moving.bodies.len()];
        island.bodies.iter().enumerate().for_each(|(k, &body)| local[body as usize] = k as u32);
        let joints: Vec<&StepJoint<'_>> = island.joints.iter().map(|&j| &joints[j as usize]).collect();
        let pairs = island.pairs.iter().map(|&p| &contacts.pairs[p as usize]);
        let points: Vec<usize> = pairs.clone().flat_map(|pair| pair.points.clone()).collect();
        let ends = pairs.map(|pair| contacts.points[pair.points.start].bodies);
        let stencils: Vec<Vec<u32>> = ends
            .chain(joints.iter().map(|joint| joint.bodies))
            .map(|ends| {
                let of_body = |body: u32| [2 * local[body as usize], 2 * local[body as usize] + 1];
                ends.into_iter().flatten().flat_map(of_body).collect()
            })
            .collect();
        let count = 2 * island.bodies.len();
        let pattern = BlockPattern::from_stencils(count, stencils.iter().map(Vec::as_slice));
        System { moving, island, contacts, joints, points, local, pattern: Arc::new(pattern) }
    }

    /// Which blocks are coupled.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        &self.pattern
    }

    /// Points of the contacts that belong to the island.
    pub fn points(&self) -> &[usize] {
        &self.points
    }

    /// Velocities of all bodies of the island by a choice among those of each.
    pub fn velocities(&self, choose: impl Fn(usize) -> Twist) -> Vec<Vec3> {
        let of_body = |&body: &u32| {
            let twist = choose(body as usize);
            [twist.linear, twist.angular]
        };
        self.island.bodies.iter().flat_map(of_body).collect()
    }

    /// Velocity of a body of the model.
    pub fn twist(&self, u: &[Vec3], body: u32) -> Twist {
        let place = 2 * self.local[body as usize] as usize;
        Twist { linear: u[place], angular: u[place + 1] }
    }

    fn relative(&self, contact: &Contact, u: &[Vec3]) -> Vec3 {
        let side = |k: usize| {
            contact.bodies[k].map_or(Vec3::zeros(), |body| self.twist(u, body).at(&contact.levers[k]))
        };
        side(0) - side(1)
    }

    /// γ of a contact point \[N\].
    pub fn contact_force(&self, contact: &Contact, u: &[Vec3], shift: f64) -> Vec3 {
        contact.law.force(&contact.displacement(&self.relative(contact, u), self.moving.h), shift)
    }

    /// Gap at the end of the step \[m\].
    pub fn end_gap(&self, contact: &Contact, u: &[Vec3]) -> f64 {
        contact.displacement(&self.relative(contact, u), self.moving.h).gap
    }

    /// δ of the next round for each point of the island.
    pub fn next_shifts(&self, u: &[Vec3]) -> Vec<f64> {
        let shift = |&k: &usize| {
            let contact = &self.contacts.points[k];
            contact.law.next_shift(&contact.displacement(&self.relative(contact, u), self.moving.h))
        };
        self.points.iter().map(shift).collect()
    }

    /// What a joint does.
    pub fn joint_forces(&self, joint: &StepJoint<'_>, u: &[Vec3]) -> JointForces {
        joint.forces(self.moving, |body| self.twist(u, body))
    }

    /// r(u) \[N s\], \[N m s\], and for each body the sum of the sizes of the forces on it \[N\].
    pub fn residual(&self, u: &[Vec3], shifts: &[f64]) -> (Vec<Vec3>, Vec<f64>) {
        let h = self.moving.h;
        let mut out = self.momentum_change(u);
        let mut sizes = vec![0.0; self.island.bodies.len()];
        for (&k, &shift) in self.points.iter().zip(shifts) {
            let contact = &self.contacts.points[k];
            let force = self.contact_force(contact, u, shift);
            if force == Vec3::zeros() {
                continue;
            }
            let impulse = force * h;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(body) = contact.bodies[side] else { continue };
                let place = self.local[body as usize] as usize;
                out[2 * place] -= impulse * sign;
                out[2 * place + 1] -= contact.levers[side].cross(&impulse) * sign;
                sizes[place] += force.norm();
            }
        }
        for joint in &self.joints {
            for row in &self.joint_forces(joint, u).rows {
                self.subtract_row(joint, row, &mut out, &mut sizes);
            }
        }
        (out, sizes)
    }

    /// M (u − ũ).
    fn momentum_change(&self, u: &[Vec3]) -> Vec<Vec3> {
        let one = |(k, &body): (usize, &u32)| {
            let body = &self.moving.bodies[body as usize];
            let linear = (u[2 * k] - body.free.linear) * body.mass;
            [linear, body.inertia * (u[2 * k + 1] - body.free.angular)]
        };
        self.island.bodies.iter().enumerate().flat_map(one).collect()
    }

    fn subtract_row(&self, joint: &StepJoint<'_>, row: &Row, out: &mut [Vec3], sizes: &mut [f64]) {
        let h = self.moving.h;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(body) = joint.bodies[side] else { continue };
            let place = self.local[body as usize] as usize;
            out[2 * place] -= row.linear * (h * sign * row.force);
            out[2 * place + 1] -= row.angular[side] * (h * row.force);
            let gyration = self.moving.bodies[body as usize].gyration;
            sizes[place] += row.force.abs() * row.linear.norm().max(row.angular[side].norm() / gyration);
        }
    }

    /// H. Where `eager`, contacts that would close under gravity within the step count as holding:
    /// a stack that is set down then takes one iteration instead of one per contact.
    pub fn hessian(&self, u: &[Vec3], shifts: &[f64], eager: bool) -> BlockMatrix {
        let mut matrix = BlockMatrix::zeros(self.pattern.clone());
        for (k, &body) in self.island.bodies.iter().enumerate() {
            let body = &self.moving.bodies[body as usize];
            *matrix.diagonal_block_mut(2 * k) += Mat3::identity() * body.mass;
            *matrix.diagonal_block_mut(2 * k + 1) += body.inertia;
        }
        let (h, near) = (self.moving.h, self.moving.weight * self.moving.h * self.moving.h);
        for (&k, &shift) in self.points.iter().zip(shifts) {
            let contact = &self.contacts.points[k];
            let at = contact.displacement(&self.relative(contact, u), h);
            let stiffness = match eager && at.gap < near {
                true => contact.law.sticking(),
                false => contact.law.hessian(&at, shift),
            };
            if stiffness != Mat3::zeros() {
                self.add_contact(contact, &(stiffness * (h * h)), &mut matrix);
            }
        }
        for joint in &self.joints {
            self.add_joint(joint, &self.joint_forces(joint, u), &mut matrix);
        }
        matrix
    }

    /// Gᵀ K G with G = ±[1, −[r]×] for each side.
    fn add_contact(&self, contact: &Contact, stiffness: &Mat3, matrix: &mut BlockMatrix) {
        let sides: Vec<(usize, Mat3, f64)> = [(0, 1.0), (1, -1.0)]
            .into_iter()
            .filter_map(|(side, sign)| {
                let place = self.local[contact.bodies[side]? as usize] as usize;
                Some((place, skew(&contact.levers[side]), sign))
            })
            .collect();
        for (k, (i, lever_i, sign_i)) in sides.iter().enumerate() {
            let turned = lever_i * stiffness;
            matrix.add_block(2 * i, 2 * i, stiffness);
            matrix.add_block(2 * i, 2 * i + 1, &turned.transpose());
            matrix.add_block(2 * i + 1, 2 * i + 1, &(-turned * lever_i));
            for (j, lever_j, sign_j) in &sides[k + 1..] {
                let sign = sign_i * sign_j;
                matrix.add_block(2 * i, 2 * j, &(stiffness * sign));
                matrix.add_block(2 * i, 2 * j + 1, &(-stiffness * lever_j * sign));
                matrix.add_block(2 * i + 1, 2 * j, &(turned * sign));
                matrix.add_block(2 * i + 1, 2 * j + 1, &(-turned * lever_j * sign));
            }
        }
    }

    fn add_joint(&self, joint: &StepJoint<'_>, forces: &JointForces, matrix: &mut BlockMatrix) {
        let h2 = self.moving.h * self.moving.h;
        let sides: Vec<(usize, usize, f64)> = [(0, 1.0), (1, -1.0)]
            .into_iter()
            .filter_map(|(side, sign)| Some((side, self.local[joint.bodies[side]? as usize] as usize, sign)))
            .collect();
        for row in forces.rows.iter().filter(|row| row.stiffness > 0.0) {
            let weight = h2 * row.stiffness;
            for (k, &(side_i, i, sign_i)) in sides.iter().enumerate() {
                let of_i = [row.linear * sign_i, row.angular[side_i]];
                for &(side_j, j, sign_j) in &sides[k..] {
                    let of_j = [row.linear * sign_j, row.angular[side_j]];
                    for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        // The block of a body with itself is symmetric: its lower part is implied.
                        if i != j || p <= q {
                            let block = of_i[p] * of_j[q].transpose() * weight;
                            matrix.add_block(2 * i + p, 2 * j + q, &block);
                        }
                    }
                }
            }
        }
        for &(side, i, _) in &sides {
            *matrix.diagonal_block_mut(2 * i + 1) += forces.geometric[side] * h2;
        }
    }

    /// d·r(u + α d): the slope along a direction.
    pub fn slope(&self, u: &[Vec3], direction: &[Vec3], length: f64, shifts: &[f64]) -> f64 {
        let trial: Vec<Vec3> = u.iter().zip(direction).map(|(x, d)| x + d * length).collect();
        ordered_dot(&self.residual(&trial, shifts).0, direction)
    }

    /// The worst force out of balance, as a share of the weight of a body and the forces on it.
    pub fn imbalance(&self, residual: &[Vec3], sizes: &[f64]) -> f64 {
        let one = |(k, &body): (usize, &u32)| {
            let body = &self.moving.bodies[body as usize];
            let scale = self.moving.h * (body.mass * self.moving.weight + sizes[k]);
            residual[2 * k].norm().max(residual[2 * k + 1].norm() / body.gyration) / scale
        };
        self.island.bodies.iter().enumerate().map(one).fold(0.0, f64::max)
    }
}
