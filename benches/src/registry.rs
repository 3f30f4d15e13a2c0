//! The cases by name.

use crate::cases::*;
use crate::record::Record;
use std::error::Error;

/// How cases are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BenchSettings {
    /// Wall time for the rounds of one figure \[s\]; work that takes longer has one round.
    pub seconds: f64,
    /// Take the long variant of a case that has one.
    pub full: bool,
}

impl Default for BenchSettings {
    fn default() -> Self {
        BenchSettings { seconds: 0.2, full: false }
    }
}

/// What stops a case.
pub type Stopped = Box<dyn Error + Send + Sync>;

/// Why a case has no figures.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No case has this name or begins with it.
    #[error("no case is called `{name}` or begins so\n  the cases are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// A case could not be measured.
    #[error("case {case} stopped: {source}")]
    Stopped {
        /// Its name.
        case: &'static str,
        /// Why.
        source: Stopped,
    },
}

/// A case.
#[derive(Clone, Copy)]
pub struct BenchCase {
    /// Name.
    pub name: &'static str,
    /// What it measures.
    pub summary: &'static str,
    measure: fn(&'static str, &BenchSettings) -> Result<Vec<Record>, Stopped>,
}

impl BenchCase {
    /// Measures it in the present thread pool.
    pub fn run(&self, settings: &BenchSettings) -> Result<Vec<Record>, BenchError> {
        (self.measure)(self.name, settings).map_err(|source| BenchError::Stopped { case: self.name, source })
    }
}

macro_rules! case {
    ($name:literal, $measure:expr, $summary:literal) => {
        BenchCase { name: $name, summary: $summary, measure: $measure }
    };
}

/// All cases in the order in which they are reported.
pub fn all() -> &'static [BenchCase] {
    const CASES: &[BenchCase] = &[
        case!("numerics_dense", numerics_dense::run, "3×3 and 12×12 kernels"),
        case!("numerics_banded", numerics_banded::run, "banded factor and solve of a rod"),
        case!("numerics_sparse", numerics_sparse::run, "assembly, mat-vec and conjugate gradients on tets"),
        case!("elements_tets", elements_tets::run, "energy, gradient and Hessian of tets"),
        case!("elements_membranes", elements_membranes::run, "the same of membrane triangles"),
        case!("elements_bending", elements_bending::run, "the same of bending elements"),
        case!("elements_rods", elements_rods::run, "the same of rods"),
        case!("elements_springs", elements_springs::run, "the same of springs and attachments"),
        case!("factor_cloth_10k", |c, s| factor::cloth(c, 99, s), "sparse Cholesky, cloth of 10k vertices"),
        case!("factor_cloth_40k", |c, s| factor::cloth(c, 199, s), "sparse Cholesky, cloth of 40k vertices"),
        case!("factor_tets_3k", |c, s| factor::tets(c, 13, s), "sparse Cholesky, tet box of 3k vertices"),
        case!("factor_tets_10k", |c, s| factor::tets(c, 21, s), "sparse Cholesky, tet box of 11k vertices"),
        case!("steps_cloth_10k", |c, _| steps::run(c, 99, 5), "steps of pinned cloth, 10k vertices"),
        case!("steps_cloth_40k", |c, _| steps::run(c, 199, 1), "one step of pinned cloth, 40k vertices"),
        case!(
            "steps_cloth_160k",
            |c, _| steps::run(c, 399, 1),
            "one step of pinned cloth, 160k vertices (slow)"
        ),
        case!("sweep_sheets", sweep::sheets, "contact projection between stacked sheets"),
        case!("sweep_rods", sweep::rods, "contact projection in a cloud of rods"),
        case!("collision_pairs", collision_pairs::run, "distances of single pairs"),
        case!("collision_tree", collision_tree::run, "the bare tree on 200k boxes"),
        case!("collision_pressed", collision_pressed::run, "two sheets pressed through each other"),
        case!("collision_20k", |c, s| collision::run(c, 100, s), "detection on cloth, 20k triangles"),
        case!("collision_200k", |c, s| collision::run(c, 316, s), "detection on cloth, 200k triangles"),
        case!("collision_1m", |c, s| collision::run(c, 707, s), "detection on cloth, 1M triangles"),
        case!("ccd_stress", ccd_stress::run, "a million near-degenerate queries; ten with --full"),
        case!("frame_flag", |c, _| frame::run(c, "flag", "newton", 10), "flag in wind"),
        case!("frame_hanging_cloth", |c, _| frame::run(c, "hanging_cloth", "newton", 10), "hanging cloth"),
        case!(
            "frame_sphere_drape",
            |c, _| frame::run(c, "sphere_drape", "admm", 20),
            "cloth falls on a ball"
        ),
        case!("pd_frames_layers_10", pd_frames::layers_10, "frames of Zhu et al. 2024: ball on ten layers"),
        case!("pd_frames_layers_20", pd_frames::layers_20, "twenty layers"),
        case!("pd_frames_arch", pd_frames::arch, "masonry arch"),
        case!("pd_frames_dancing", pd_frames::dancing, "dressed dancer"),
        case!("pd_frames_rods", pd_frames::rods, "twisting rods"),
        case!("pd_frames_torus", pd_frames::torus, "ball on torus"),
        case!("pd_frames_cards", pd_frames::cards, "fine card house"),
        case!("pd_frames_drape", pd_frames::drape, "cloth on a rotating sphere"),
        case!("pd_cloth", pd_cloth::sheets, "cloth on a ball in frames of 1/60 s; 160² with --full"),
        case!("pd_cube", pd_cloth::cube, "soft cube of 729 vertices on the floor"),
        case!("pd_kernels", pd_kernels::run, "kernels of `pd` against the limits of the machine"),
        case!("pd_weights", pd_convergence::weights, "contact weights of `pd` from weak to strong"),
        case!("pd_profiles", pd_convergence::profiles, "residuals of `pd` iteration by iteration"),
        case!(
            "pd_donuts",
            pd_donuts::run,
            "growth with the number of donuts; 800 of 1300 vertices with --full"
        ),
        case!("pd_peers", pd_peers::run, "steps beside Codim-IPC and IPC on their own meshes"),
        case!("pd_heap", pd_heap::run, "the fallen heap of donuts; 800 of 1300 vertices with --full"),
        case!(
            "barrier_frames",
            barrier_frames::gpu,
            "frames of barrier scenes at the sizes of the GPU implementation"
        ),
        case!("barrier_peers", barrier_frames::peers, "steps beside programs with the same guarantee"),
        case!("barrier_assembly", barrier_growth::assembly, "contact Hessians and forces of pressed sheets"),
        case!(
            "barrier_growth",
            barrier_growth::growth,
            "ten sheets under a ball by size; 20k to 300k with --full"
        ),
        case!(
            "barrier_condition",
            barrier_growth::condition,
            "condition numbers by barrier, gap and preconditioner"
        ),
        case!("barrier_linear", barrier_compare::linear, "linear solvers of the barrier method by size"),
        case!("barrier_needle", barrier_compare::on_needle, "choices of the barrier method on a needle"),
        case!("barrier_locking", barrier_document::locking, "barriers on the needle and the hanging sheet"),
        case!(
            "barrier_stiffness",
            barrier_document::stiffness,
            "elasticity in the stiffness, on the twisted cylinder"
        ),
        case!(
            "barrier_steps",
            barrier_document::newton_steps,
            "Newton steps and error reduction on ten sheets"
        ),
        case!(
            "barrier_jitter",
            barrier_document::jitter,
            "a quadratic barrier on sheets that drape a sphere"
        ),
        case!("barrier_dragging", barrier_document::dragging, "squishy balls with and without beta"),
        case!("barrier_unlimited", barrier_document::unlimited, "barriers without strain limits"),
        case!("barrier_options", barrier_document::options, "other options on the needle and the curtain"),
        case!(
            "barrier_memory",
            barrier_growth::memory,
            "memory beside many contacts; ten sheets of 20k vertices with --full"
        ),
        case!("barrier_friction", barrier_compare::friction, "lagged against anchored friction on a slope"),
        case!("hair_series", hair_series::run, "hairy balls of 1k to 4k rods; to 16k with --full"),
        case!("convergence_500", |c, _| convergence::run(c, 500), "ADMM beside its baselines, 500 hairs"),
        case!("convergence_1000", |c, _| convergence::run(c, 1000), "ADMM beside its baselines, 1000 hairs"),
        case!(
            "weight_sweep",
            weight_sweep::run,
            "iterations to 0.01 mm by weight, with and without acceleration"
        ),
        case!("render_100k", render::run, "a picture of 100k triangles"),
    ];
    CASES
}

/// The cases of the given names or prefixes, each once, in the order of [`all`]; all without names.
pub fn find(names: &[String]) -> Result<Vec<BenchCase>, BenchError> {
    let matches = |name: &String, case: &BenchCase| match all().iter().any(|other| other.name == name) {
        true => case.name == name,
        false => case.name.starts_with(name.as_str()),
    };
    if let Some(name) = names.iter().find(|name| !all().iter().any(|case| matches(name, case))) {
        let known: Vec<&str> = all().iter().map(|case| case.name).collect();
        return Err(BenchError::Unknown { name: name.clone(), known: known.join(", ") });
    }
    let wanted = |case: &&BenchCase| names.is_empty() || names.iter().any(|name| matches(name, case));
    Ok(all().iter().filter(wanted).copied().collect())
}
