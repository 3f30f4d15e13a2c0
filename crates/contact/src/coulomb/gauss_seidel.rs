//! Block Gauss–Seidel with exact local solves.

use stiction_numerics::Vec3;

use super::local::solve_local;
use super::problem::CoulombProblem;

/// One sweep over all contacts, with over-relaxation `ω` (1: plain). Returns the largest change of
/// an impulse times the size of its block: a velocity.
pub fn sweep(problem: &CoulombProblem, impulses: &mut [Vec3], relaxation: f64) -> f64 {
    let mut largest = 0.0f64;
    for contact in 0..problem.contacts() {
        let w = &problem.diagonal[contact];
        let old = impulses[contact];
        let free = problem.velocity(contact, impulses) - w * old;
        let solved = solve_local(w, &free, problem.friction[contact], &old);
        let change = (solved - old) * relaxation;
        impulses[contact] = old + change;
        largest = largest.max(w.norm() * change.norm());
    }
    largest
}

/// Sweeps until the residual falls to `tolerance`; looks every tenth time. Keeps the best impulses.
/// Returns the sweeps done and the residual reached.
pub fn solve_by_sweeps(
    problem: &CoulombProblem,
    impulses: &mut Vec<Vec3>,
    tolerance: f64,
    sweeps: usize,
) -> (usize, f64) {
    let mut best = (problem.residual(impulses), impulses.clone());
    let mut done = 0;
    while done < sweeps && best.0 > tolerance {
        let burst = 10.min(sweeps - done);
        (0..burst).for_each(|_| {
            sweep(problem, impulses, 1.0);
        });
        done += burst;
        let residual = problem.residual(impulses);
        if residual < best.0 {
            best = (residual, impulses.clone());
        }
    }
    *impulses = best.1;
    (done, best.0)
}
