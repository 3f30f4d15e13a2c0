//! The end of a step: sheets are brought back to their strain limits, contacts staying as they are.

use super::contact_step::ContactStep;
use super::global_step::GlobalStep;
use super::stretch_limits::StretchLimits;
use crate::report::{StepReport, timed};
use crate::solver::World;
use crate::weighted_node::WeightedNode;
use rayon::prelude::*;
use stiction_contact::detect::StepMotion;
use stiction_numerics::Vec3;

/// Rounds end when no stretch exceeds its limit of strain by more than this fraction of it; limits
/// that x exceeds by more cannot hold.
const CLOSE_ENOUGH: f64 = 0.5;

/// Nodes that one task takes at least.
const NODES: usize = 2048;

/// Rounds over strain limits and contacts.
pub struct LimitRounds<'a> {
    pub world: World<'a>,
    pub motion: &'a StepMotion<'a>,
    pub global: &'a GlobalStep,
    /// Most rounds.
    pub most: usize,
}

impl LimitRounds<'_> {
    /// Moves the `ends` of nodes, where there are limits, and reports the number of rounds.
    pub fn run(
        &self,
        limits: &mut StretchLimits,
        contact: &mut ContactStep<'_>,
        x: &[Vec3],
        ends: &mut [Vec3],
        report: &mut StepReport,
    ) {
        if self.most == 0 || limits.is_empty() {
            return;
        }
        let done = timed(&mut report.seconds.local_projection, || {
            let held = self.global.held_parts(self.world, &self.motion.prescription.fixed);
            limits.set_held(|node| held[self.global.part_of_node[node as usize] as usize]);
            self.sweep(limits, contact, x, ends)
        });
        report.counters.push(("limit_rounds", done as f64));
    }

    /// Rounds of a sweep over the limits and one over the contacts, which are applied last; limits
    /// that the positions `x` break are left alone. Returns the number of rounds.
    fn sweep(
        &self,
        limits: &mut StretchLimits,
        contact: &mut ContactStep<'_>,
        x: &[Vec3],
        ends: &mut [Vec3],
    ) -> usize {
        limits.leave_out(x, CLOSE_ENOUGH);
        let (fixed, mass) = (&self.motion.prescription.fixed, &self.world.parameters.mass);
        let inverse = |n: usize| if fixed[n] { 0.0 } else { 1.0 / mass[n] };
        let point = |(n, x): (usize, &Vec3)| [x.x, x.y, x.z, inverse(n)];
        let mut points: Vec<WeightedNode> = ends.iter().enumerate().map(point).collect();
        let mut velocities = vec![Vec3::zeros(); ends.len()];
        let mut done = 0;
        while done < self.most && limits.sweep(&mut points) > CLOSE_ENOUGH {
            done += 1;
            self.sweep_contacts(contact, &mut points, &mut velocities);
        }
        ends.iter_mut().zip(&points).for_each(|(x, p)| *x = Vec3::new(p[0], p[1], p[2]));
        done
    }

    /// One sweep over the contacts from where the points are now.
    fn sweep_contacts(
        &self,
        contact: &mut ContactStep<'_>,
        points: &mut [WeightedNode],
        velocities: &mut [Vec3],
    ) {
        let (h, start) = (self.motion.h, &self.motion.start[..points.len()]);
        let mean =
            |(v, (p, x)): (&mut Vec3, (&WeightedNode, &Vec3))| *v = (Vec3::new(p[0], p[1], p[2]) - x) / h;
        velocities.par_iter_mut().zip(points.par_iter().zip(start)).with_min_len(NODES).for_each(mean);
        contact.sweep_again(velocities, 1);
        let (touching, velocities) = (&contact.touching, &*velocities);
        points.par_iter_mut().enumerate().with_min_len(NODES).filter(|(n, _)| touching[*n]).for_each(
            |(n, point)| {
                let end = start[n] + velocities[n] * h;
                point[..3].copy_from_slice(end.as_slice());
            },
        );
    }
}
