//! Every policy of the solver of coupled systems against a dense solve.

use std::sync::Arc;
use stiction_factor::{
    CoupledSolveError, CoupledSolveInfo, CoupledSolver, CoupledSolverOptions, CoupledSystem, SolverHistory,
    SolverPolicy,
};
use stiction_numerics::nalgebra::{DMatrix, DVector};
use stiction_numerics::{
    BlockMatrix, BlockPattern, CoupledMatrix, CouplingTerms, Couplings, Incidence, MaskedOperator, Mat3,
    PcgParts, Random, SymmetricBlock, Vec3,
};

/// Blocks of a chain.
const CHAIN: usize = 120;
/// Three chains, of which the last is a part of its own.
const N: usize = 3 * CHAIN;

struct Links(Vec<([u32; 2], SymmetricBlock)>);

impl CouplingTerms for Links {
    fn stencil(&self, term: usize) -> (&[u32], &[f64]) {
        (&self.0[term].0, &[1.0, -1.0])
    }
    fn block(&self, term: usize) -> &SymmetricBlock {
        &self.0[term].1
    }
    fn pull(&self, _: usize) -> Vec3 {
        Vec3::zeros()
    }
}

struct Problem {
    base: BlockMatrix,
    couplings: Couplings,
    fixed: Vec<bool>,
    parts: Vec<u32>,
    rhs: Vec<Vec3>,
    /// Zero but for prescribed values.
    start: Vec<Vec3>,
    expected: Vec<Vec3>,
}

/// Three chains of springs with little mass, the first two linked, some blocks prescribed.
fn problem(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    let springs: Vec<[u32; 2]> =
        (0..N as u32 - 1).filter(|i| !(i + 1).is_multiple_of(CHAIN as u32)).map(|i| [i, i + 1]).collect();
    let mut base =
        BlockMatrix::zeros(Arc::new(BlockPattern::from_stencils(N, springs.iter().map(|s| &s[..]))));
    base.add_diagonal(&[1e-3; N]);
    for [a, b] in springs.iter().map(|s| s.map(|i| i as usize)) {
        let stiffness = Mat3::identity() * random.range(0.5, 2.0);
        base.add_block(a, b, &-stiffness);
        *base.diagonal_block_mut(a) += stiffness;
        *base.diagonal_block_mut(b) += stiffness;
    }
    let ends = [[3, 200], [60, 130], [118, 125]];
    let links = Links(ends.map(|pair| (pair, SymmetricBlock::outer(&random.unit_vector(), 5.0))).into());
    let (mut couplings, mut incidence) = (Couplings::default(), Incidence::default());
    incidence.rebuild(N, links.0.iter().map(|l| &l.0[..]));
    couplings.begin(N);
    couplings.add(&mut base, &mut vec![Vec3::zeros(); N], &incidence, &links);
    couplings.end();
    let fixed: Vec<bool> = (0..N).map(|i| i % CHAIN == 0).collect();
    let forces: Vec<Vec3> = (0..N).map(|_| random.vector(-1.0, 1.0)).collect();
    let start: Vec<Vec3> =
        fixed.iter().map(|&f| if f { random.vector(-1.0, 1.0) } else { Vec3::zeros() }).collect();
    let mut rhs = forces;
    let matrix = CoupledMatrix { base: &base, couplings: &couplings };
    MaskedOperator::new(&matrix, &fixed).lift(&mut rhs, &start);
    let expected = dense_solution(matrix, &fixed, &rhs);
    let parts = (0..N).map(|i| u32::from(i >= 2 * CHAIN)).collect();
    Problem { base, couplings, fixed, parts, rhs, start, expected }
}

fn dense_solution(matrix: CoupledMatrix<'_>, fixed: &[bool], rhs: &[Vec3]) -> Vec<Vec3> {
    let mut dense = matrix.base.to_dense();
    for (i, j, block) in matrix.couplings.entries() {
        for (i, j) in [(i, j), (j, i)] {
            let mut view = dense.fixed_view_mut::<3, 3>(3 * i, 3 * j);
            view += block.to_matrix();
        }
    }
    let masked = DMatrix::from_fn(3 * N, 3 * N, |i, j| match fixed[i / 3] || fixed[j / 3] {
        true => f64::from(i == j),
        false => dense[(i, j)],
    });
    let flat = DVector::from_iterator(3 * N, rhs.iter().flat_map(|v| v.iter().copied()));
    let x = masked.cholesky().expect("a definite oracle").solve(&flat);
    (0..N).map(|i| x.fixed_rows::<3>(3 * i).into()).collect()
}

impl Problem {
    fn solve(
        &self,
        solver: &mut CoupledSolver,
        options: &CoupledSolverOptions,
    ) -> Result<(Vec<Vec3>, CoupledSolveInfo), CoupledSolveError> {
        let matrix = CoupledMatrix { base: &self.base, couplings: &self.couplings };
        let parts = PcgParts { of_block: &self.parts, count: 2 };
        let system = CoupledSystem { matrix, fixed: &self.fixed, parts, node_count: N };
        let mut x = self.start.clone();
        let info = solver.solve(options, &system, &self.rhs, &mut x)?;
        Ok((x, info))
    }

    fn error(&self, x: &[Vec3]) -> f64 {
        x.iter().zip(&self.expected).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
    }
}

fn options(policy: SolverPolicy) -> CoupledSolverOptions {
    CoupledSolverOptions { policy, relative_tolerance: 1e-10, ..Default::default() }
}

#[test]
fn every_policy_finds_the_dense_solution() {
    let problem = problem(7);
    let mut iterations = Vec::new();
    for policy in [SolverPolicy::Pcg, SolverPolicy::TwoLevel, SolverPolicy::Direct, SolverPolicy::Auto] {
        let mut solver = CoupledSolver::default();
        let (x, info) = problem.solve(&mut solver, &options(policy)).expect("a solution");
        assert!(info.converged && info.direct == (policy == SolverPolicy::Direct), "{policy:?}: {info:?}");
        // The matrix has eigenvalues down to 1e-3.
        assert!(problem.error(&x) < 1e-6, "{policy:?}: {:e}", problem.error(&x));
        iterations.push(info.pcg_iterations);
    }
    let [pcg, two_level, direct, auto] = iterations[..] else { unreachable!() };
    assert!(2 * two_level < pcg && direct == 0, "{iterations:?}");
    // Auto begins with block Jacobi and goes on with the coarse level.
    assert!(auto > two_level && auto < pcg, "{iterations:?}");
}

#[test]
fn a_hard_system_is_followed_by_solves_of_the_same_kind() {
    let (first, second) = (problem(7), problem(8));
    let mut solver = CoupledSolver::default();
    first.solve(&mut solver, &options(SolverPolicy::Auto)).expect("a solution");
    assert!(solver.history.coarse_left > 0 && solver.history.direct_left == 0);
    let history = solver.history;
    let went_on = second.solve(&mut solver, &options(SolverPolicy::Auto)).expect("a solution");
    assert_eq!(solver.history.coarse_left, history.coarse_left - 1);
    // A solver that knows the history alone does the same to the bit.
    let mut resumed = CoupledSolver::default();
    resumed.history = history;
    let resumed = second.solve(&mut resumed, &options(SolverPolicy::Auto)).expect("a solution");
    assert!(resumed == went_on);
    solver.reset();
    assert_eq!(solver.history, SolverHistory::default());
}

#[test]
fn a_cap_leads_to_a_direct_solve_or_an_error() {
    let problem = problem(7);
    let capped = |policy| CoupledSolverOptions { max_iterations: 3, ..options(policy) };
    let mut solver = CoupledSolver::default();
    let (x, info) = problem.solve(&mut solver, &capped(SolverPolicy::Auto)).expect("a direct solve");
    assert!(info.direct && info.pcg_iterations == 3 && problem.error(&x) < 1e-9, "{info:?}");
    let (_, info) = problem.solve(&mut solver, &capped(SolverPolicy::Auto)).expect("a direct solve");
    assert_eq!((info.direct, info.pcg_iterations), (true, 0));
    let error = problem.solve(&mut CoupledSolver::default(), &capped(SolverPolicy::Pcg)).unwrap_err();
    assert!(matches!(error, CoupledSolveError::Unsolved { iterations: 3, residual, .. } if residual > 0.1));
}
