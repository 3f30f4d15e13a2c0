//! Random Coulomb problems with more contacts than freedoms: `W = Hᵀ H` is singular, impulses are
//! not unique.

use stiction_contact::coulomb::gauss_seidel::solve_by_sweeps;
use stiction_contact::coulomb::{CoulombOptions, CoulombProblem, solve};
use stiction_numerics::nalgebra::{DMatrix, DVector};
use stiction_numerics::{Random, Vec3};

/// `contacts` contacts of a system with `freedoms` freedoms, `u = Hᵀ v`: `v = 0` is feasible, so
/// solutions exist.
fn random_problem(random: &mut Random, contacts: usize, freedoms: usize, friction: f64) -> CoulombProblem {
    let size = 3 * contacts;
    let h = DMatrix::from_fn(freedoms, size, |_, _| random.normal());
    let free = DVector::from_fn(freedoms, |_, _| random.normal());
    let (w, q) = (h.transpose() * &h, h.transpose() * free);
    let entries: Vec<_> = (0..size * size).map(|k| (k % size, k / size, w[(k % size, k / size)])).collect();
    let q = (0..contacts).map(|c| Vec3::new(q[3 * c], q[3 * c + 1], q[3 * c + 2])).collect();
    CoulombProblem::from_entries(entries, q, vec![friction; contacts])
}

#[test]
fn random_hyperstatic_problems_are_solved() {
    let mut random = Random::new(81);
    let mut harder_than_sweeps = 0;
    for trial in 0..60 {
        let friction = [0.0, 0.1, 0.5, 1.0][trial % 4];
        let problem = random_problem(&mut random, 6 + trial % 9, 12 + trial % 5, friction);
        let zero = vec![Vec3::zeros(); problem.contacts()];
        harder_than_sweeps += usize::from(solve_by_sweeps(&problem, &mut zero.clone(), 1e-8, 200).1 > 1e-8);
        let mut impulses = zero;
        let report = solve(&problem, &mut impulses, &CoulombOptions::default());
        assert!(report.converged && problem.residual(&impulses) <= 1e-8, "trial {trial}: {report:?}");
    }
    assert!(harder_than_sweeps > 0, "plain Gauss–Seidel solved all of them: the test shows nothing");
}

#[test]
fn huge_and_tiny_scales_do_not_matter() {
    let mut random = Random::new(82);
    for scale in [1e-12, 1.0, 1e12] {
        let problem = random_problem(&mut random, 5, 18, 0.4);
        let entries: Vec<_> = (0..5)
            .flat_map(|c| problem.row(c).map(move |(d, block)| (c, d, *block)).collect::<Vec<_>>())
            .flat_map(|(c, d, block)| {
                (0..9).map(move |k| (3 * c + k % 3, 3 * d + k / 3, block[(k % 3, k / 3)] * scale))
            })
            .collect();
        let scaled = CoulombProblem::from_entries(
            entries,
            problem.q().iter().map(|q| q * scale).collect(),
            problem.friction().to_vec(),
        );
        let mut impulses = vec![Vec3::zeros(); 5];
        // u and q scale together, r does not: judge in the units of the unscaled problem.
        let options = CoulombOptions {
            tolerance: 1e-9 * scale.min(1.0 / scale).max(1e-3),
            ..CoulombOptions::default()
        };
        solve(&scaled, &mut impulses, &options);
        assert!(impulses.iter().flat_map(|r| r.iter()).all(|c| c.is_finite()));
        assert!(problem.residual(&impulses) < 1e-6, "scale {scale}: {}", problem.residual(&impulses));
    }
}
