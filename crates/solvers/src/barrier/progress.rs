//! The loop over Newton iterations, as it went: shares β of the step, and when to leave.
//! [Ando2024, section 3.2]

use super::newton::Iteration;
use super::options::BarrierOptions;
use crate::solver::StepError;

/// A step is stuck when so many iterations in a row took less than [`STUCK_SHARE`] of their
/// direction.
const STUCK_COUNT: usize = 8;

/// See [`STUCK_COUNT`].
const STUCK_SHARE: f64 = 1e-4;

/// What the iterations of a step reached.
pub(super) struct Progress {
    /// Share of the step per object, then of the clock.
    beta: Vec<f64>,
    pub iterations: usize,
    pub converged: bool,
    pub pcg_iterations: usize,
    pub pcg_failures: usize,
    pub direct_solves: usize,
    pub smallest_alpha: f64,
    stuck: usize,
    pub last: Option<Iteration>,
}

impl Progress {
    pub fn new(objects: usize) -> Progress {
        Progress {
            beta: vec![0.0; objects],
            iterations: 0,
            converged: false,
            pcg_iterations: 0,
            pcg_failures: 0,
            direct_solves: 0,
            smallest_alpha: 1.0,
            stuck: 0,
            last: None,
        }
    }

    /// The smallest share β of all objects.
    pub fn beta(&self) -> f64 {
        self.beta.iter().copied().fold(1.0, f64::min)
    }

    /// γ of the next iteration: shrinking directions once the whole step is done.   [Ando2024,
    /// section 6]
    pub fn gamma(&self, options: &BarrierOptions) -> f64 {
        match self.beta() >= 1.0 {
            true => (-options.decay * self.iterations as f64).exp(),
            false => 1.0,
        }
    }

    /// Books an iteration and what it did of the step: `β ← β + (1 − β) α`.
    pub fn advance(&mut self, iteration: Iteration) {
        for (beta, alpha) in self.beta.iter_mut().zip(&iteration.limit.alpha) {
            *beta = if *alpha == 1.0 { 1.0 } else { *beta + (1.0 - *beta) * alpha };
        }
        self.add(iteration);
    }

    /// Books an iteration.
    pub fn add(&mut self, iteration: Iteration) {
        let alpha = iteration.limit.smallest();
        self.iterations += 1;
        self.pcg_iterations += iteration.solved.pcg_iterations;
        self.pcg_failures += usize::from(!iteration.solved.converged);
        self.direct_solves += usize::from(iteration.solved.direct);
        self.smallest_alpha = self.smallest_alpha.min(alpha);
        self.stuck = if alpha < STUCK_SHARE { self.stuck + 1 } else { 0 };
        self.last = Some(iteration);
    }

    /// Runs an iteration, without the memory of the contacts of the last one: it finds its own.
    /// Where a step is stuck they stay, to tell what is in the way.
    pub fn run(
        &mut self,
        iteration: impl FnOnce() -> Result<Iteration, StepError>,
    ) -> Result<Iteration, StepError> {
        self.release_contacts();
        iteration()
    }

    fn release_contacts(&mut self) {
        if let Some(last) = self.last.as_mut().filter(|_| self.stuck == 0) {
            (last.contacts, last.forces) = Default::default();
        }
    }

    /// Whether the last iteration got nowhere.
    pub fn is_stuck(&self) -> bool {
        self.stuck > 0
    }

    /// Whether the loop is to be left.
    pub fn is_done(&mut self, options: &BarrierOptions, h: f64) -> bool {
        if self.iterations >= options.max_iterations || self.stuck >= STUCK_COUNT {
            return true;
        }
        if self.iterations < options.min_iterations {
            return false;
        }
        if !options.complete {
            self.converged = self.beta() >= options.beta_max;
            return self.converged;
        }
        let whole = self.beta() >= 1.0;
        let mean = options.mean_tolerance.map_or(f64::INFINITY, |speed| speed * h);
        let rested = |i: &Iteration| {
            let short = i.change < options.tolerance * h && i.mean_change < mean;
            short && i.limit.smallest() == 1.0 && !(options.settle_friction && i.is_settling)
        };
        self.converged = whole && self.last.as_ref().is_some_and(rested);
        self.converged || (whole && self.iterations >= options.refine_iterations)
    }
}
