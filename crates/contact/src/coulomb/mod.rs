//! Coulomb problems with full blocks: `u = W r + q`, `(u_c, r_c) ∈ C_μ` for every contact `c`.
//!
//! Comes in: a problem (from a file, or assembled) in contact frames (n, t1, t2). Goes out:
//! impulses and a report. The same local solver also serves a matrix-free sweep whose contacts meet
//! through 3×3 blocks at the nodes ([`NodeBlockSweep`]): the non-isotropic baseline, and the inner
//! loop of nested relaxation.

pub mod delassus;
pub mod gauss_seidel;
pub mod local;
pub mod newton;
pub mod node_blocks;
pub mod problem;
pub mod problem_file;
pub mod solve;

pub use local::solve_local;
pub use node_blocks::NodeBlockSweep;
pub use problem::CoulombProblem;
pub use problem_file::{ProblemFileError, read_problem};
pub use solve::{CoulombOptions, CoulombReport, FileReport, solve, solve_file, solve_folder};
