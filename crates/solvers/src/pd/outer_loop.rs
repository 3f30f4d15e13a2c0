//! The outer loop of a step: algorithm 2 of the paper, with the slips of its print corrected.
//! [Zhu2024, algorithm 2]
//!
//! Slips: line 1 lacks h² M⁻¹ f_ext; line 6 must read J W_c⁻¹ Jᵀ; line 21 lacks − z. Equations 9
//! and 10 have p − λ_c where line 18 is right with h p + x_t − λ_c; the dual updates of step 4 in
//! the text have e and c swapped; the sliding rule of section 5.1 must shrink the tangential
//! velocity (u_N* < 0). `residuals.rs` says what was unclear about residuals.

use super::constraints::Constraints;
use super::contact_step::ContactStep;
use super::global_step::GlobalStep;
use super::local_step::LocalStep;
use super::options::PdOptions;
use super::residuals::{LONGEST_PROFILE, PROFILE_NAMES, ResidualMonitor, Residuals};
use super::step_data::RowTargets;
use crate::report::{StepReport, timed};
use crate::solver::StepError;
use rayon::prelude::*;
use stiction_numerics::{Vec3, ordered_max_by};

/// Nodes of which a task gathers the right-hand side, at least: some thirty microseconds, which is
/// what it takes to wake another thread.
const NODES: usize = 2048;

/// What the loop of a step reached.
#[derive(Default)]
pub struct LoopReport {
    iterations: usize,
    /// |x − x_prev|∞ and |x − x_t − h p|∞ of the last iteration \[m\].
    moved: f64,
    apart: f64,
    /// Residuals of the last iteration, when asked for.
    last: Option<Residuals>,
    profile: Vec<(&'static str, f64)>,
}

impl LoopReport {
    /// Keeps the residuals of an iteration.
    fn add_residuals(&mut self, found: Option<Residuals>, iteration: usize) {
        self.last = found;
        if let Some(Residuals { primal, dual, combined }) = found
            && iteration <= LONGEST_PROFILE
        {
            let names = &PROFILE_NAMES[iteration - 1];
            self.profile.extend(names.iter().map(String::as_str).zip([primal, dual, combined]));
        }
    }

    /// Adds what was reached to the report of the step, which converged if it is below a tolerance
    /// \[m\].
    pub fn add_to(self, report: &mut StepReport, tolerance: f64) {
        let delta = self.moved + self.apart;
        (report.iterations, report.converged) = (self.iterations, delta < tolerance);
        report.residual.extend([("delta_m", delta), ("moved_m", self.moved), ("apart_m", self.apart)]);
        if let Some(Residuals { primal, dual, combined }) = self.last {
            report.residual.extend([("primal", primal), ("dual_n", dual), ("combined", combined)]);
        }
        report.counters.extend(self.profile);
    }
}

/// What stays the same over the iterations of a step.
pub struct OuterLoop<'a> {
    pub options: &'a PdOptions,
    pub constraints: &'a Constraints,
    pub targets: &'a RowTargets,
    pub global: &'a GlobalStep,
    /// Which nodes are prescribed.
    pub fixed: &'a [bool],
    /// The part of the right-hand side that no iteration changes.
    pub constant_rhs: Vec<Vec3>,
    /// Step size \[s\].
    pub h: f64,
}

impl OuterLoop<'_> {
    /// Where elasticity leads under the contact forces of the step before (`pushes`, \[N s\]): what
    /// rests stays, so that the search for contacts that follows does not take a stack for a heap
    /// of falling sheets.
    pub fn predict(
        &self,
        local: &mut LocalStep,
        pushes: &[Vec3],
        x: &mut [Vec3],
        report: &mut StepReport,
    ) -> Option<ResidualMonitor> {
        let mut monitor = self.options.profile.then(ResidualMonitor::default);
        if let Some(monitor) = &mut monitor {
            monitor.before_local_step(self.constraints, local, x);
        }
        timed(&mut report.seconds.local_projection, || local.project(self.constraints, self.targets, x));
        if let Some(monitor) = &mut monitor {
            monitor.after_prediction(self.constraints, local, x.len());
        }
        timed(&mut report.seconds.linear_solve, || {
            self.gather(local, x, |n| pushes[n] * self.h);
            self.global.solve(&vec![false; self.global.parts()], x);
        });
        local.update_dual();
        monitor
    }

    /// Algorithm 2 from the predicted positions, which become the solution, with the numbers of its
    /// lines.
    pub fn run(
        &self,
        local: &mut LocalStep,
        contact: &mut ContactStep<'_>,
        x: &mut Vec<Vec3>,
        mut monitor: Option<ResidualMonitor>,
        report: &mut StepReport,
    ) -> Result<LoopReport, StepError> {
        let mut out = LoopReport::default();
        let mut next = vec![Vec3::zeros(); x.len()];
        // Lines 2 and 23.
        for iteration in 1..=self.options.iterations {
            // Lines 3 to 7.
            if iteration % self.options.detect_every == 0 {
                contact.detect_again(x, &mut report.seconds)?;
            }
            if let Some(monitor) = &mut monitor {
                monitor.before_local_step(self.constraints, local, x);
            }
            // Lines 8 to 10: z ← prox(D x + λ_e).
            timed(&mut report.seconds.local_projection, || local.project(self.constraints, self.targets, x));
            // Lines 11 to 15: p ← (x − x_t + λ_c)/h, projected on the contacts.
            contact.project(x, &mut report.seconds);
            // Lines 16 to 19: the right-hand side, and the solution with the factors.
            timed(&mut report.seconds.linear_solve, || {
                let pull = |n: usize| if contact.touched_node(n) { contact.pull(n) } else { Vec3::zeros() };
                self.gather(local, &mut next, pull);
                self.global.solve(&contact.touched, &mut next);
            });
            // Line 21: λ_e ← λ_e + D x − z.
            local.update_dual();
            // Line 22: λ_c ← λ_c + x − x_t − h p.
            contact.update_dual(&next);
            out.iterations = iteration;
            if self.options.stop_early || iteration == self.options.iterations {
                out.moved = ordered_max_by(x.len(), |n| (next[n] - x[n]).amax());
                out.apart = ordered_max_by(x.len(), |n| contact.apart(n, &next).amax());
            }
            std::mem::swap(x, &mut next);
            if let Some(monitor) = &mut monitor {
                out.add_residuals(monitor.after_iteration(self.constraints, local, contact, x), iteration);
            }
            if self.options.stop_early && out.moved + out.apart < self.options.tolerance {
                break;
            }
        }
        Ok(out)
    }

    /// The right-hand side, with what contacts give to each free node.
    fn gather(&self, local: &LocalStep, out: &mut [Vec3], of_contacts: impl Fn(usize) -> Vec3 + Sync) {
        out.par_iter_mut().enumerate().with_min_len(NODES).for_each(|(n, b)| {
            *b = self.constant_rhs[n];
            if !self.fixed[n] {
                *b += local.force(self.constraints, n) + of_contacts(n);
            }
        });
    }
}
