//! The end of a step: sheets are brought back to their strain limits, contacts staying as they are.

use super::contact_step::ContactStep;
use super::stretch_limits::{Point, StretchLimits};
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Rounds end when no stretch exceeds its limit of strain by more than this share of it; limits
/// that x exceeds by more cannot hold.
const CLOSE_ENOUGH: f64 = 0.5;

/// Nodes that one task takes at least.
const NODES: usize = 2048;

/// What closes a step.
pub struct Closing<'a> {
    /// Prescribed nodes stay.
    pub fixed: &'a [bool],
    /// Masses \[kg\].
    pub mass: &'a [f64],
    /// Positions at the start of the step \[m\].
    pub start: &'a [Vec3],
    /// Step size \[s\].
    pub h: f64,
    /// Most rounds.
    pub rounds: usize,
}

impl Closing<'_> {
    /// Rounds of a sweep over the limits and one over the contacts, which have the last word;
    /// limits that the positions `x` break are left alone. Returns the number of rounds.
    pub fn run(
        &self,
        limits: &mut StretchLimits,
        contact: &mut ContactStep<'_>,
        x: &[Vec3],
        ends: &mut [Vec3],
    ) -> usize {
        limits.leave_out(x, CLOSE_ENOUGH);
        let inverse = |n: usize| if self.fixed[n] { 0.0 } else { 1.0 / self.mass[n] };
        let point = |(n, x): (usize, &Vec3)| [x.x, x.y, x.z, inverse(n)];
        let mut points: Vec<Point> = ends.iter().enumerate().map(point).collect();
        let mut velocities = vec![Vec3::zeros(); ends.len()];
        let mut done = 0;
        while done < self.rounds && limits.sweep(&mut points) > CLOSE_ENOUGH {
            done += 1;
            self.touch(contact, &mut points, &mut velocities);
        }
        ends.iter_mut().zip(&points).for_each(|(x, p)| *x = Vec3::new(p[0], p[1], p[2]));
        done
    }

    /// One sweep over the contacts from where the points are now.
    fn touch(&self, contact: &mut ContactStep<'_>, points: &mut [Point], velocities: &mut [Vec3]) {
        let way = |(v, (p, x)): (&mut Vec3, (&Point, &Vec3))| *v = (Vec3::new(p[0], p[1], p[2]) - x) / self.h;
        velocities.par_iter_mut().zip(points.par_iter().zip(self.start)).with_min_len(NODES).for_each(way);
        contact.sweep_again(velocities, 1);
        let (touching, start, velocities) = (&contact.touching, self.start, &*velocities);
        points.par_iter_mut().enumerate().with_min_len(NODES).filter(|(n, _)| touching[*n]).for_each(
            |(n, point)| {
                let end = start[n] + velocities[n] * self.h;
                point[..3].copy_from_slice(end.as_slice());
            },
        );
    }
}
