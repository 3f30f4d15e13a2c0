//! Nonsmooth Newton on the Alart–Curnier function: the polish where Gauss–Seidel stalls.
//!
//! ```text
//! F_N = r_N − max(0, x),            x = r_N − ρ_N u_N
//! F_T = r_T − P_D(μ max(0, x))(y),  y = r_T − ρ_T u_T,   D(R) the disc of radius R
//! ```
//!
//! `F = 0` exactly at the solutions. The steps ρ are the inverse diagonals of each block, so that F
//! does not depend on
//! units. Dense: for problems up to about a thousand contacts. [Alart1991; Acary2008, section 11.5]

use stiction_numerics::nalgebra::{DMatrix, DVector};
use stiction_numerics::{Mat3, Vec3};

use super::problem::CoulombProblem;

/// Newton with halved steps on `|F|`; stops when the natural-map residual reaches `tolerance`.
/// Keeps the best impulses. Returns the iterations done and the residual reached.
pub fn solve_by_newton(
    problem: &CoulombProblem,
    impulses: &mut Vec<Vec3>,
    tolerance: f64,
    iterations: usize,
) -> (usize, f64) {
    let steps = step_lengths(problem);
    let mut best = (problem.residual(impulses), impulses.clone());
    let mut done = 0;
    let mut value = function(problem, &steps, impulses);
    while done < iterations && best.0 > tolerance {
        done += 1;
        let Some(direction) = newton_direction(problem, &steps, impulses, &value) else { break };
        let merit = value.norm();
        let mut length = 1.0;
        let mut accepted = false;
        for _ in 0..12 {
            let trial: Vec<Vec3> = moved(impulses, &direction, length);
            let trial_value = function(problem, &steps, &trial);
            if trial_value.norm() < (1.0 - 1e-4 * length) * merit {
                (*impulses, value, accepted) = (trial, trial_value, true);
                break;
            }
            length *= 0.5;
        }
        if !accepted {
            // The function is not smooth: a full step across a kink often leads to the right active
            // set.
            *impulses = moved(impulses, &direction, 1.0);
            value = function(problem, &steps, impulses);
        }
        let residual = problem.residual(impulses);
        if residual < best.0 {
            best = (residual, impulses.clone());
        }
        if !residual.is_finite() {
            break;
        }
    }
    *impulses = best.1;
    (done, best.0)
}

fn moved(impulses: &[Vec3], direction: &DVector<f64>, length: f64) -> Vec<Vec3> {
    impulses.iter().enumerate().map(|(c, r)| r + direction.fixed_rows::<3>(3 * c) * length).collect()
}

/// ρ_N and ρ_T of every contact.
fn step_lengths(problem: &CoulombProblem) -> Vec<[f64; 2]> {
    let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 1.0 };
    problem.diagonal.iter().map(|w| [inverse(w.m11), inverse(0.5 * (w.m22 + w.m33))]).collect()
}

fn function(problem: &CoulombProblem, steps: &[[f64; 2]], impulses: &[Vec3]) -> DVector<f64> {
    let mut value = DVector::zeros(3 * problem.contacts());
    for c in 0..problem.contacts() {
        let (r, u) = (impulses[c], problem.velocity(c, impulses));
        let [rho_n, rho_t] = steps[c];
        let x = (r.x - rho_n * u.x).max(0.0);
        let (y1, y2) = (r.y - rho_t * u.y, r.z - rho_t * u.z);
        let (radius, length) = (problem.friction[c] * x, y1.hypot(y2));
        let scale = if length <= radius { 1.0 } else { radius / length };
        value.fixed_rows_mut::<3>(3 * c).copy_from(&(r - Vec3::new(x, scale * y1, scale * y2)));
    }
    value
}

/// Solves `J d = −F` with a generalised Jacobian `J = A + B W`, `A` and `B` block diagonal.
fn newton_direction(
    problem: &CoulombProblem,
    steps: &[[f64; 2]],
    impulses: &[Vec3],
    value: &DVector<f64>,
) -> Option<DVector<f64>> {
    let size = 3 * problem.contacts();
    let mut jacobian = DMatrix::zeros(size, size);
    for c in 0..problem.contacts() {
        let u = problem.velocity(c, impulses);
        let (a, b) = derivative(&impulses[c], &u, steps[c], problem.friction[c]);
        for (other, block) in problem.row(c) {
            jacobian.fixed_view_mut::<3, 3>(3 * c, 3 * other).copy_from(&(b * block));
        }
        let mut own = jacobian.fixed_view_mut::<3, 3>(3 * c, 3 * c);
        own += a;
    }
    let mut direction = -value.clone();
    let lu = jacobian.lu();
    (lu.solve_mut(&mut direction) && direction.iter().all(|d| d.is_finite())).then_some(direction)
}

/// `∂F/∂r` at fixed `u`, and `∂F/∂u`.
fn derivative(r: &Vec3, u: &Vec3, [rho_n, rho_t]: [f64; 2], friction: f64) -> (Mat3, Mat3) {
    let x = r.x - rho_n * u.x;
    if x <= 0.0 {
        return (Mat3::identity(), Mat3::zeros());
    }
    let y = Vec3::new(0.0, r.y - rho_t * u.y, r.z - rho_t * u.z);
    let (radius, length) = (friction * x, y.norm());
    if length <= radius {
        return (Mat3::zeros(), Mat3::from_diagonal(&Vec3::new(rho_n, rho_t, rho_t)));
    }
    // F_T = r_T − μ x ŷ: dŷ = (I − ŷŷᵀ) dy/|y|.
    let y_hat = y / length;
    let tangent = Mat3::from_diagonal(&Vec3::new(0.0, 1.0, 1.0));
    let turn = (tangent - y_hat * y_hat.transpose()) * (radius / length);
    let along = y_hat * friction * Vec3::x().transpose();
    let normal = Mat3::from_diagonal(&Vec3::new(rho_n, 0.0, 0.0));
    (tangent - turn - along, normal + turn * rho_t + along * rho_n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn the_jacobian_is_the_derivative() {
        let mut random = Random::new(31);
        for _ in 0..200 {
            let (r, u) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let (a, b) = derivative(&r, &u, [0.7, 1.3], 0.4);
            let f = |r: &Vec3, u: &Vec3| {
                // One contact with W = 0 and q = u: `function` then sees exactly this u.
                let problem = CoulombProblem::from_entries([], vec![*u], vec![0.4]);
                Vec3::from_iterator(function(&problem, &[[0.7, 1.3]], &[*r]).iter().copied())
            };
            let h = 1e-6;
            for k in 0..3 {
                let e = Vec3::ith(k, h);
                let by_r = (f(&(r + e), &u) - f(&(r - e), &u)) / (2.0 * h);
                let by_u = (f(&r, &(u + e)) - f(&r, &(u - e))) / (2.0 * h);
                // Second-order differences of a function with curvature of order 1/|y|; kinks are
                // hit with chance 1e-5.
                assert!((by_r - a.column(k)).norm() < 1e-6, "{by_r} {a}");
                assert!((by_u - b.column(k)).norm() < 1e-6, "{by_u} {b}");
            }
        }
    }
}
