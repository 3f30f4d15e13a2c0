//! The baseline NL-ICA: nested relaxation with exact Coulomb friction in place of the ADMM loop.
//!
//! ```text
//! repeat   v ← one block Gauss–Seidel sweep on A v = f + Bᵀ r        (anticipation, forces held)
//!          p⁰ = v − D⁻¹ Bᵀ r                                           (the contacts' own part taken back)
//!          (p, r) ← Coulomb contacts on p = p⁰ + D⁻¹ Bᵀ r, by sweeps   (D: 3×3 diagonal blocks of A)
//!          v ← p
//! ```
//!
//! A fixed point satisfies A v = f + Bᵀ r and the contacts. The outer sweep sees neighbours only
//! through the last velocities, so a long stiff rod needs many of them; the paper reports that it
//! may diverge on staggered twists.   [Daviet2020, sections 7.1, 7.2]

use super::admm_loop::{AdmmLoop, AdmmReport, Iterate};
use super::elastic_step::Linearised;
use super::weights::inverse;
use crate::report::timed;
use crate::solver::StepError;
use rayon::prelude::*;
use stiction_contact::{ContactSet, ProjectOptions};
use stiction_numerics::{BlockMatrix, Mat3, Vec3};

/// D⁻¹: inverses of the diagonal blocks \[1/kg\]; scalar blocks invert their only entry.
pub fn inverse_diagonal(system: &BlockMatrix, nodes: usize) -> Vec<Mat3> {
    let of = |j: usize| {
        let block = system.diagonal_block(j);
        if j < nodes {
            inverse(&block)
        } else {
            Mat3::from_diagonal(&Vec3::new(1.0 / block[(0, 0)], 0.0, 0.0))
        }
    };
    (0..system.block_count()).into_par_iter().with_min_len(256).map(of).collect()
}

/// Runs the relaxation from a start velocity; the contacts carry the same inverse blocks.
pub fn run(
    admm: &mut AdmmLoop<'_>,
    system: &Linearised<'_>,
    inverse_diagonal: &[Mat3],
    iterate: &mut Iterate,
) -> Result<AdmmReport, StepError> {
    let mut report = AdmmReport::default();
    let project = ProjectOptions { sweeps: admm.options.sweeps, ..ProjectOptions::default() };
    let mut previous = iterate.velocity.clone();
    for iteration in 1..=admm.options.max_iterations {
        report.iterations = iteration;
        if iteration % admm.options.detect_every == 0 {
            admm.append_new_contacts(&iterate.projected)?;
        }
        let impulses = contact_impulses(&admm.contacts.set, iterate.velocity.len());
        iterate.velocity.copy_from_slice(&iterate.projected);
        timed(&mut admm.seconds.linear_solve, || {
            relax(system, inverse_diagonal, &impulses, &mut iterate.velocity);
        });
        let own = |i: usize| iterate.velocity[i] - inverse_diagonal[i] * impulses[i];
        iterate.projected.iter_mut().enumerate().for_each(|(i, p)| *p = own(i));
        timed(&mut admm.seconds.contact_projection, || {
            admm.contacts.project(&mut iterate.projected[..admm.world.model.nodes], &project)
        });
        (report.moved, report.apart) = admm.residual(iterate, &previous);
        report.converged = admm.is_converged(iterate, report.delta());
        if report.converged || !report.delta().is_finite() {
            break;
        }
        previous.copy_from_slice(&iterate.velocity);
    }
    Ok(report)
}

/// Bᵀ r with the cohesive pull, per block \[N·s\].
pub fn contact_impulses(set: &ContactSet, blocks: usize) -> Vec<Vec3> {
    let mut out = vec![Vec3::zeros(); blocks];
    for contact in 0..set.len() {
        let impulse = set.total_impulse(contact);
        let (nodes, weights) = set.stencil(contact);
        nodes.iter().zip(weights).for_each(|(&node, b)| out[node as usize] += impulse * *b);
    }
    out
}

/// One forward block Gauss–Seidel sweep on A v = f + Bᵀ r over the free blocks.
fn relax(system: &Linearised<'_>, inverse_diagonal: &[Mat3], impulses: &[Vec3], velocity: &mut [Vec3]) {
    let pattern = system.matrix.pattern();
    let values = system.matrix.values();
    for row in (0..velocity.len()).filter(|&row| !system.fixed[row]) {
        // f already holds the columns of prescribed blocks: they count as zero here.
        let known = |column: usize| if system.fixed[column] { Vec3::zeros() } else { velocity[column] };
        let mut rest = system.force[row] + impulses[row];
        for (above, slot) in pattern.lower_links(row) {
            rest -= values[slot].tr_mul(&known(above));
        }
        for (slot, &column) in pattern.row_range(row).zip(pattern.row(row)).skip(1) {
            rest -= values[slot] * known(column as usize);
        }
        velocity[row] = inverse_diagonal[row] * rest;
    }
}
