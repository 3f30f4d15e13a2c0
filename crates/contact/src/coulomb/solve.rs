//! The general solver: Gauss–Seidel first, Newton for the last digits, proximal neighbours where
//! both stall.

use std::path::{Path, PathBuf};
use std::time::Instant;

use stiction_numerics::Vec3;

use super::gauss_seidel::solve_by_sweeps;
use super::newton::solve_by_newton;
use super::problem::CoulombProblem;
use super::problem_file::{ProblemFileError, read_problem};

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoulombOptions {
    /// Wanted natural-map residual, relative to |q|.
    pub tolerance: f64,
    /// Gauss–Seidel sweeps before the first Newton attempt, and again within every proximal round.
    pub sweeps: usize,
    /// Newton iterations per attempt; 0 switches Newton off.
    pub newton: usize,
    /// Proximal rounds.
    pub rounds: usize,
    /// No Newton above this number of contacts: its matrix is dense.
    pub newton_contacts: usize,
}

impl Default for CoulombOptions {
    fn default() -> Self {
        Self { tolerance: 1e-8, sweeps: 200, newton: 40, rounds: 60, newton_contacts: 1500 }
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CoulombReport {
    /// Contacts.
    pub contacts: usize,
    /// Natural-map residual relative to |q|.
    pub residual: f64,
    /// Gauss–Seidel sweeps done.
    pub sweeps: usize,
    /// Newton iterations done.
    pub newton: usize,
    /// Proximal rounds done.
    pub rounds: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Solves a problem from the given impulses; they hold the best ones found at the end.
pub fn solve(problem: &CoulombProblem, impulses: &mut Vec<Vec3>, options: &CoulombOptions) -> CoulombReport {
    let mut report = CoulombReport { contacts: problem.contacts(), ..CoulombReport::default() };
    report.residual = both(problem, impulses, options.tolerance, options, &mut report);
    let mut strength = 1e-2;
    while report.residual > options.tolerance && report.rounds < options.rounds {
        report.rounds += 1;
        // W + ρI is definite even when contacts outnumber the freedoms; r_k → r makes the neighbour
        // exact.
        let weights: Vec<f64> = problem.diagonal.iter().map(|w| strength * w.trace() / 3.0).collect();
        let near = problem.proximal(&weights, impulses);
        let mut trial = impulses.clone();
        // The neighbour's own residual counts ρ(r − r_k) as solved, hence the reserve.
        let wanted = 0.01 * options.tolerance;
        let solved = both(&near, &mut trial, wanted, options, &mut report) <= wanted;
        let residual = problem.residual(&trial);
        // Nearer neighbours converge in fewer rounds but are harder: dare after a success, retreat
        // after a failure.
        strength = if solved { strength * 0.5 } else { (strength * 5.0).min(1.0) };
        if residual < report.residual {
            (*impulses, report.residual) = (trial, residual);
        }
    }
    report.converged = report.residual <= options.tolerance;
    report
}

fn both(
    problem: &CoulombProblem,
    impulses: &mut Vec<Vec3>,
    tolerance: f64,
    options: &CoulombOptions,
    report: &mut CoulombReport,
) -> f64 {
    let (sweeps, mut residual) = solve_by_sweeps(problem, impulses, tolerance, options.sweeps);
    report.sweeps += sweeps;
    if residual > tolerance && options.newton > 0 && problem.contacts() <= options.newton_contacts {
        let (iterations, reached) = solve_by_newton(problem, impulses, tolerance, options.newton);
        report.newton += iterations;
        residual = reached;
    }
    residual
}

/// The verdict on one problem file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileReport {
    /// File name without folder.
    pub file: String,
    /// What the solver reached.
    pub solve: CoulombReport,
    /// Wall time of the solve \[s\].
    pub seconds: f64,
}

/// Reads and solves one file.
pub fn solve_file(path: &Path, options: &CoulombOptions) -> Result<FileReport, ProblemFileError> {
    let problem = read_problem(path)?;
    let start = Instant::now();
    let mut impulses = vec![Vec3::zeros(); problem.contacts()];
    let solve = solve(&problem, &mut impulses, options);
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(FileReport { file, solve, seconds: start.elapsed().as_secs_f64() })
}

/// Reads and solves every `.dat` file below a folder, sorted by path. Bad files are reported in
/// their place.
pub fn solve_folder(
    folder: &Path,
    options: &CoulombOptions,
) -> Result<Vec<Result<FileReport, ProblemFileError>>, ProblemFileError> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    Ok(files.iter().map(|path| solve_file(path, options)).collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ProblemFileError> {
    let unreadable = |source: std::io::Error| ProblemFileError::Unreadable {
        file: folder.to_path_buf(),
        reason: source.to_string(),
    };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "dat") {
            files.push(path);
        }
    }
    Ok(())
}
