//! Contact forces and torques: on an object, and between two objects.
//!
//! A contact with force f on its first object at the point p adds f and (p − o) × f to the wrench
//! about o, and takes the same from its second object: one point for both sides, so that action
//! equals reaction in torque as well as in force.

use crate::report::{ContactSample, StepReport};
use std::ops::AddAssign;
use stiction_numerics::Vec3;

/// A force and its torque about a point that the caller chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// \[N\].
    pub force: Vec3,
    /// \[N m\].
    pub torque: Vec3,
}

impl Default for Wrench {
    fn default() -> Self {
        Wrench { force: Vec3::zeros(), torque: Vec3::zeros() }
    }
}

impl AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// The contact wrench between two objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairWrench {
    /// The two objects, smaller number first.
    pub objects: [u32; 2],
    /// What the first one feels; the second one feels the opposite.
    pub on_first: Wrench,
}

impl ContactSample {
    /// What an object feels of this contact, about a point \[m\]; nothing within one object.
    fn on(&self, object: u32, about: &Vec3) -> Wrench {
        let [a, b] = self.objects;
        let sign = f64::from(i8::from(a == object) - i8::from(b == object));
        let force = self.force * sign;
        Wrench { force, torque: (self.point - about).cross(&force) }
    }
}

impl StepReport {
    /// All that an object feels of its contacts, about a point \[m\].
    pub fn wrench_on(&self, object: u32, about: &Vec3) -> Wrench {
        let touching = self.contact_samples.iter().filter(|c| c.objects.contains(&object));
        sum(touching.map(|c| c.on(object, about)))
    }

    /// What one object feels of its contacts with another, about a point \[m\].
    pub fn wrench_between(&self, on: u32, by: u32, about: &Vec3) -> Wrench {
        let of_pair = |c: &&ContactSample| c.objects == [on, by] || c.objects == [by, on];
        sum(self.contact_samples.iter().filter(of_pair).map(|c| c.on(on, about)))
    }

    /// All pairs of different objects that touch, sorted, with their wrenches about a point \[m\].
    pub fn wrenches(&self, about: &Vec3) -> Vec<PairWrench> {
        let ordered = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let mut pairs: Vec<[u32; 2]> = self.contact_samples.iter().map(|c| ordered(c.objects)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|[a, b]| a != b);
        let mut out: Vec<PairWrench> =
            pairs.iter().map(|&objects| PairWrench { objects, on_first: Wrench::default() }).collect();
        for contact in &self.contact_samples {
            if let Ok(pair) = pairs.binary_search(&ordered(contact.objects)) {
                out[pair].on_first += contact.on(pairs[pair][0], about);
            }
        }
        out
    }
}

fn sum(wrenches: impl Iterator<Item = Wrench>) -> Wrench {
    wrenches.fold(Wrench::default(), |mut total, wrench| {
        total += wrench;
        total
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(objects: [u32; 2], point: [f64; 3], force: [f64; 3]) -> ContactSample {
        ContactSample { objects, point: point.into(), normal: Vec3::z(), gap: 0.0, force: force.into() }
    }

    #[test]
    fn torque_is_arm_cross_force_and_reaction_is_opposite() {
        let report = StepReport {
            contact_samples: vec![
                contact([0, 2], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]),
                contact([2, 0], [0.0, 2.0, 0.0], [0.0, 0.0, 5.0]),
                contact([1, 1], [9.0, 9.0, 9.0], [7.0, 7.0, 7.0]),
            ],
            ..StepReport::default()
        };
        let on_first = report.wrench_on(0, &Vec3::zeros());
        // (1,0,0) × (0,0,3) = (0,−3,0), and (0,2,0) × (0,0,−5) = (−10,0,0).
        assert_eq!(on_first.force, Vec3::new(0.0, 0.0, -2.0));
        assert_eq!(on_first.torque, Vec3::new(-10.0, -3.0, 0.0));
        let on_second = report.wrench_between(2, 0, &Vec3::zeros());
        assert_eq!(on_second, Wrench { force: -on_first.force, torque: -on_first.torque });
        assert_eq!(report.wrenches(&Vec3::zeros()), [PairWrench { objects: [0, 2], on_first }]);
        assert_eq!(report.wrench_on(1, &Vec3::zeros()), Wrench::default(), "within one object");
        // About another point the torque changes by the force times the way.
        let about = Vec3::new(0.0, 4.0, 0.0);
        let moved = report.wrench_on(0, &about);
        assert_eq!(moved.torque, on_first.torque - about.cross(&on_first.force));
    }
}
