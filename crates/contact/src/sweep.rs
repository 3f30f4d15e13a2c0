//! The matrix-free Gauss–Seidel projection of velocities onto the contact constraints. [Daviet2020,
//! algorithm 3]
//!
//! Finds `p` with `W p = W p⁰ + Bᵀ r`, `u = B p + k`, `(u, r) ∈ C_μ`: the projection of `p⁰` under
//! the weights `W`. Each update solves one contact exactly, because its own block is `s I` with
//! `s = Σ b_j²/w_j (+ α)`:
//!
//! ```text
//! u  = Σ b_j p_j + k + (α/s) r̄      relative velocity, slack included
//! u* = u − r̄                         without the contact's own impulse
//! u⁺ = solution of (u⁺, u⁺ − u*) ∈ C_μ
//! r̄ += u⁺ − u,   p_j += (b_j/(s w_j)) (u⁺ − u)
//! ```
//!
//! Subtracting the own impulse first is what position-based updates leave out; without it two
//! oblique normals push further than needed and do work.
//!
//! Extensions: *cohesion* ξ pulls with a constant impulse at the warm start, which shifts Signorini
//! to
//! `−ξ ≤ r_N ⟂ u_N ≥ 0`; *compliance* α is a slack node of weight 1/α that starts at rest in every
//! projection, so its
//! velocity is `(α/s) r̄` and needs no storage; *sleeping* contacts, whose update fell below a
//! threshold, are left alone until the next projection.

use std::ops::Range;

use rayon::prelude::*;
use stiction_numerics::Vec3;
use stiction_numerics::stencil_stages::StencilKernel;

use crate::cone::{isotropic_velocity, natural_map};
use crate::elliptic::EllipticCone;
use crate::set::{ContactSet, Hot, ISOTROPIC, SweepNode};

/// How far a projection goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectOptions {
    /// Gauss–Seidel sweeps.
    pub sweeps: usize,
    /// Contacts whose update falls below this speed sleep for the rest of the projection \[m/s\]:
    /// `0.01 δ/h` in the seed. `None`: none sleeps.
    pub sleep_below: Option<f64>,
    /// Sweeps stop when no update exceeds this speed \[m/s\]. 0: never.
    pub stop_below: f64,
}

impl Default for ProjectOptions {
    fn default() -> Self {
        Self { sweeps: 5, sleep_below: None, stop_below: 0.0 }
    }
}

/// What a projection did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SweepReport {
    /// Sweeps done.
    pub sweeps: usize,
    /// Largest change of a relative velocity in the last sweep \[m/s\].
    pub largest_update: f64,
    /// Contact updates done.
    pub updates: u64,
    /// Contacts asleep at the end.
    pub asleep: usize,
}

/// Counts of one chunk in one sweep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    largest_squared: f64,
    updates: u32,
    fell_asleep: u32,
}

impl ContactSet {
    /// Projects velocities \[m/s\] onto the contacts: warm start from the stored impulses, then
    /// sweeps.
    pub fn project(&mut self, velocities: &mut [Vec3], options: &ProjectOptions) -> SweepReport {
        if self.is_empty() {
            return SweepReport::default();
        }
        self.load(velocities);
        self.warm_start();
        let report = self.sweep(options);
        self.store(velocities);
        report
    }

    /// Takes the velocities that the next sweeps change \[m/s\].
    pub fn load(&mut self, velocities: &[Vec3]) {
        assert_eq!(velocities.len(), self.nodes.len(), "one velocity per node");
        self.nodes.par_iter_mut().zip(velocities).with_min_len(4096).for_each(|(node, v)| {
            node[..3].copy_from_slice(v.as_slice());
        });
    }

    /// Gives the velocities back \[m/s\].
    pub fn store(&self, velocities: &mut [Vec3]) {
        assert_eq!(velocities.len(), self.nodes.len(), "one velocity per node");
        velocities.par_iter_mut().zip(&self.nodes).with_min_len(4096).for_each(|(v, node)| {
            *v = Vec3::new(node[0], node[1], node[2]);
        });
    }

    /// Applies the stored impulses and the cohesive pull to the loaded velocities, and wakes all
    /// contacts.
    pub fn warm_start(&mut self) {
        let Self { hot, cold, stages, nodes, tallies, long_weights, any_cohesion, .. } = self;
        stages.run(nodes, hot, tallies, &WarmStart { long_weights });
        if *any_cohesion {
            for (contact, (hot, cold)) in
                hot.iter().zip(cold).enumerate().filter(|(_, (_, c))| c.cohesion > 0.0)
            {
                let (at, long) = stages.nodes_of(contact);
                let weights = long.map_or(&hot.weights[..at.len()], |range| &long_weights[range]);
                for (&node, b) in at.iter().zip(weights) {
                    let node = &mut nodes[node as usize];
                    let pull = -b * node[3] * cold.cohesion;
                    (0..3).for_each(|k| node[k] += pull * hot.normal[k]);
                }
            }
        }
    }

    /// Gauss–Seidel sweeps over the loaded velocities.
    pub fn sweep(&mut self, options: &ProjectOptions) -> SweepReport {
        let threshold = options.sleep_below.unwrap_or(0.0);
        let kernel = Update {
            elliptic: &self.elliptic,
            long_weights: &self.long_weights,
            sleep_below_squared: threshold * threshold,
        };
        let mut report = SweepReport::default();
        for _ in 0..options.sweeps {
            self.tallies.fill(Tally::default());
            self.stages.run(&mut self.nodes, &mut self.hot, &mut self.tallies, &kernel);
            report.sweeps += 1;
            let mut largest_squared = 0.0f64;
            for tally in &self.tallies {
                largest_squared = largest_squared.max(tally.largest_squared);
                report.updates += u64::from(tally.updates);
                report.asleep += tally.fell_asleep as usize;
            }
            report.largest_update = largest_squared.sqrt();
            if report.largest_update <= options.stop_below {
                break;
            }
        }
        report
    }

    /// Relative velocity `B p + k` plus slack of a contact in the loaded velocities \[m/s\].
    pub fn relative_velocity(&self, contact: usize) -> Vec3 {
        let (nodes, weights) = self.stencil(contact);
        let hot = &self.hot[contact];
        nodes.iter().zip(weights).fold(hot.offset + hot.impulse * hot.slack, |u, (&node, &b)| {
            let node = self.nodes[node as usize];
            u + Vec3::new(node[0], node[1], node[2]) * b
        })
    }

    /// Largest natural-map residual over the contacts in the loaded velocities \[m/s\], with r̄ as
    /// the impulse. For elliptic cones: the size of the update that is still due.
    pub fn natural_map_residual(&self) -> f64 {
        let residual = |contact: usize| {
            let hot = &self.hot[contact];
            let u = self.relative_velocity(contact);
            if hot.elliptic == ISOTROPIC {
                natural_map(&u, &hot.impulse, &hot.normal, hot.friction)
            } else {
                (self.elliptic[hot.elliptic as usize].solve(u - hot.impulse, &hot.normal) - u).norm()
            }
        };
        (0..self.len()).into_par_iter().with_min_len(1024).map(residual).reduce(|| 0.0, f64::max)
    }
}

/// One contact update.
struct Update<'a> {
    elliptic: &'a [EllipticCone],
    long_weights: &'a [f64],
    sleep_below_squared: f64,
}

impl Update<'_> {
    /// Solves the contact for the velocity `u`, books the result, and returns `(u⁺ − u)/s`.
    #[inline(always)]
    fn solve(&self, hot: &mut Hot, gathered: Vec3, tally: &mut Tally) -> Vec3 {
        let u = gathered + hot.offset + hot.impulse * hot.slack;
        let free = u - hot.impulse;
        let solved = if hot.elliptic == ISOTROPIC {
            isotropic_velocity(free, &hot.normal, hot.friction)
        } else {
            self.elliptic[hot.elliptic as usize].solve(free, &hot.normal)
        };
        // r̄⁺ = u⁺ − u*, rather than r̄ += u⁺ − u: an impulse that vanishes is then exactly zero.
        let change = solved - u;
        hot.impulse = solved - free;
        let change_squared = change.norm_squared();
        tally.largest_squared = tally.largest_squared.max(change_squared);
        tally.updates += 1;
        if change_squared < self.sleep_below_squared {
            hot.asleep = true;
            tally.fell_asleep += 1;
        }
        change * hot.inverse_s
    }
}

/// `Σ b_j p_j`. Runs over four lanes, which the compiler turns into vector instructions; the last
/// one is of no use.
#[inline(always)]
fn gather(nodes: &[SweepNode], weights: &[f64]) -> Vec3 {
    let mut sum = [0.0; 4];
    for (node, b) in nodes.iter().zip(weights) {
        (0..4).for_each(|k| sum[k] += b * node[k]);
    }
    Vec3::new(sum[0], sum[1], sum[2])
}

/// `p_j += b_j/w_j · impulse`; the zero in the last lane leaves the inverse weight alone.
#[inline(always)]
fn scatter(nodes: &mut [SweepNode], weights: &[f64], impulse: &Vec3) {
    let impulse = [impulse.x, impulse.y, impulse.z, 0.0];
    for (node, b) in nodes.iter_mut().zip(weights) {
        let factor = b * node[3];
        (0..4).for_each(|k| node[k] += factor * impulse[k]);
    }
}

impl StencilKernel<SweepNode, Hot, Tally> for Update<'_> {
    #[inline(always)]
    fn skip(&self, hot: &Hot) -> bool {
        hot.asleep
    }
    /// A contact without impulse that opens stays so.
    #[inline(always)]
    fn idle(&self, hot: &mut Hot, nodes: &[SweepNode; 4], tally: &mut Tally) -> bool {
        let opens = hot.impulse == Vec3::zeros()
            && (gather(nodes, &hot.weights) + hot.offset).dot(&hot.normal) >= 0.0;
        if opens {
            tally.updates += 1;
            if self.sleep_below_squared > 0.0 {
                hot.asleep = true;
                tally.fell_asleep += 1;
            }
        }
        opens
    }
    #[inline(always)]
    fn short(&self, hot: &mut Hot, _: &[u32; 4], nodes: &mut [SweepNode; 4], tally: &mut Tally) {
        let impulse = self.solve(hot, gather(nodes, &hot.weights), tally);
        scatter(nodes, &hot.weights, &impulse);
    }
    fn long(&self, hot: &mut Hot, pool: Range<usize>, _: &[u32], nodes: &mut [SweepNode], tally: &mut Tally) {
        let weights = &self.long_weights[pool];
        let impulse = self.solve(hot, gather(nodes, weights), tally);
        scatter(nodes, weights, &impulse);
    }
}

/// `p_j += γ_cj r̄_c`.
struct WarmStart<'a> {
    long_weights: &'a [f64],
}

impl StencilKernel<SweepNode, Hot, Tally> for WarmStart<'_> {
    #[inline(always)]
    fn short(&self, hot: &mut Hot, _: &[u32; 4], nodes: &mut [SweepNode; 4], _: &mut Tally) {
        hot.asleep = false;
        scatter(nodes, &hot.weights, &(hot.impulse * hot.inverse_s));
    }
    fn long(&self, hot: &mut Hot, pool: Range<usize>, _: &[u32], nodes: &mut [SweepNode], _: &mut Tally) {
        hot.asleep = false;
        scatter(nodes, &self.long_weights[pool], &(hot.impulse * hot.inverse_s));
    }
}
