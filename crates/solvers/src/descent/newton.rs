//! The velocities of an island: rounds of Newton's method with an exact line search.

use super::options::DescentOptions;
use super::system::System;
use crate::solver::StepError;
use stiction_factor::SparseCholesky;
use stiction_numerics::Vec3;

/// How an island was solved.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// u of the island.
    pub velocities: Vec<Vec3>,
    /// δ of the last round.
    pub shifts: Vec<f64>,
    /// Newton iterations.
    pub iterations: usize,
    /// Rounds.
    pub rounds: usize,
    /// Worst force out of balance at the end, as a share.
    pub imbalance: f64,
    /// Whether that is below the tolerance.
    pub converged: bool,
}

/// A line search ends when the slope is below this share of the first one.
const FLAT_SLOPE: f64 = 0.02;
/// Largest number of slopes that a line search looks at.
const LOOKS: usize = 12;
/// A line search goes no farther than this many Newton steps.
const FARTHEST: f64 = 4.0;

/// Finds r(u) = 0 with the shift δ of friction at its fixed point.
pub fn solve(system: &System<'_>, options: &DescentOptions) -> Result<Solved, StepError> {
    let mut factor: Option<SparseCholesky> = None;
    let mut shifts = vec![0.0; system.points().len()];
    let mut u = first_guess(system, &shifts);
    let mut out = Solved::default();
    for round in 0..options.friction_rounds {
        if round > 0 {
            shifts = system.next_shifts(&u);
        }
        let mut done = false;
        for iteration in 0..options.max_iterations {
            let (residual, sizes) = system.residual(&u, &shifts);
            out.imbalance = system.imbalance(&residual, &sizes);
            done = out.imbalance <= options.tolerance;
            if done {
                // A round that had nothing to do: the shift is at its fixed point.
                out.converged = iteration == 0;
                break;
            }
            let eager = round == 0 && iteration == 0;
            let direction = direction(system, &mut factor, &u, &shifts, residual, eager)?;
            let length = line_search(system, &u, &direction, &shifts);
            u.iter_mut().zip(&direction).for_each(|(x, d)| *x += d * length);
            out.iterations += 1;
        }
        out.rounds = round + 1;
        if out.converged && round > 0 {
            break;
        }
        out.converged = done;
    }
    let (residual, sizes) = system.residual(&u, &shifts);
    out.imbalance = system.imbalance(&residual, &sizes);
    out.converged = out.imbalance <= options.tolerance;
    (out.velocities, out.shifts) = (u, shifts);
    Ok(out)
}

/// The better of going on as before and of the free motion.
fn first_guess(system: &System<'_>, shifts: &[f64]) -> Vec<Vec3> {
    let bodies = &system.moving.bodies;
    let guesses = [system.velocities(|body| bodies[body].start), system.velocities(|body| bodies[body].free)];
    let [before, free] = guesses.each_ref().map(|u| {
        let (residual, sizes) = system.residual(u, shifts);
        system.imbalance(&residual, &sizes)
    });
    let [start, fall] = guesses;
    if before < free { start } else { fall }
}

/// −H⁻¹ r.
fn direction(
    system: &System<'_>,
    factor: &mut Option<SparseCholesky>,
    u: &[Vec3],
    shifts: &[f64],
    mut residual: Vec<Vec3>,
    eager: bool,
) -> Result<Vec<Vec3>, StepError> {
    let matrix = system.hessian(u, shifts, eager);
    let factor = match factor {
        Some(factor) => factor,
        None => factor.insert(SparseCholesky::analyse(system.pattern(), system.pattern().block_count())?),
    };
    factor.factor(&matrix, None)?;
    factor.solve_in_place(&mut residual);
    residual.iter_mut().for_each(|x| *x = -*x);
    Ok(residual)
}

/// The length at which the slope along a direction vanishes: the objective is convex, so the slope
/// rises from a negative value.
fn line_search(system: &System<'_>, u: &[Vec3], direction: &[Vec3], shifts: &[f64]) -> f64 {
    let slope = |length: f64| system.slope(u, direction, length, shifts);
    let first = slope(0.0);
    let flat = FLAT_SLOPE * first.abs();
    let (mut low, mut low_slope) = (0.0, first);
    let (mut high, mut high_slope) = (1.0, slope(1.0));
    let mut looks = 2;
    while high_slope < -flat && high < FARTHEST && looks < LOOKS {
        (low, low_slope) = (high, high_slope);
        high *= 2.0;
        high_slope = slope(high);
        looks += 1;
    }
    if high_slope.abs() <= flat || high_slope < 0.0 {
        return high;
    }
    // Regula falsi; an end that stays for a second time is given half its weight (Illinois).
    let mut kept = 0;
    while looks < LOOKS {
        let length = (low * high_slope - high * low_slope) / (high_slope - low_slope);
        let here = slope(length);
        looks += 1;
        if here.abs() <= flat {
            return length;
        }
        if here < 0.0 {
            (low, low_slope) = (length, here);
            high_slope *= if kept == 1 { 0.5 } else { 1.0 };
            kept = 1;
        } else {
            (high, high_slope) = (length, here);
            low_slope *= if kept == -1 { 0.5 } else { 1.0 };
            kept = -1;
        }
    }
    // The lower end goes downhill all the way.
    if low > 0.0 { low } else { high }
}
