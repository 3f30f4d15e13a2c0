//! What the paper says of its choices, on the scenes that it says it of.   [Ando2024, sections 5.1
//! to 5.5 and 6]
//!
//! Every choice is made twice: with our steps, which are completed and refined, and "as the paper
//! has it": steps of β h, tangents with frozen stiffness, lagged friction and plain conjugate
//! gradients, steps of 1 ms. Meshes are those of the gallery or coarser ones, named here; `--full`
//! runs scenes to their end. A choice that takes too long ends early and says after how many
//! frames.

use super::barrier_scenes::{RunOutcome, counter, describe, gallery_scene};
use crate::measure::{Spent, core_seconds};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::time::Instant;
use stiction::Simulation;
use stiction::numerics::Vec3;
use stiction::solvers::StepReport;

/// A name and what it sets.
type Choice = (&'static str, &'static [&'static str]);

/// A scene of the gallery and choices on it, the first of which is what others are compared with.
struct Comparison {
    scene: &'static str,
    /// What makes it smaller or otherwise fit.
    set: &'static [&'static str],
    /// Frames by default, and with `--full`.
    frames: [usize; 2],
    choices: &'static [Choice],
}

/// The paper's method as far as options go.
const DOCUMENT: [&str; 6] = [
    "method.complete=false",
    "method.forecast=false",
    "method.stiffness_growth=0.0",
    "method.friction=lagged",
    "method.linear=pcg",
    "step=0.001",
];

/// How names of choices begin that take [`DOCUMENT`] as well.
const AS_DOCUMENT: &str = "document";

const BARRIERS: &[Choice] = &[
    ("cubic", &[]),
    ("logarithmic", &["method.barrier=logarithmic"]),
    ("capped logarithmic", &["method.barrier=capped_logarithmic"]),
    ("quadratic", &["method.barrier=quadratic"]),
    ("document, cubic", &[]),
    ("document, logarithmic", &["method.barrier=logarithmic"]),
    ("document, capped logarithmic", &["method.barrier=capped_logarithmic"]),
    ("document, quadratic", &["method.barrier=quadratic"]),
];

/// Five sheets on a needle under a heavy ball, and the hanging sheet: where logarithmic barriers
/// lock in the paper.
const LOCKING: [Comparison; 2] = [
    Comparison { scene: "needle", set: &[], frames: [10, 30], choices: BARRIERS },
    Comparison {
        scene: "hang",
        set: &["bodies.sheet.mesh.grid.cells=[25, 25]"],
        frames: [6, 45],
        choices: BARRIERS,
    },
];

/// A twisted cylinder with stiffness by elasticity and distance, and by distance alone.
const STIFFNESS: [Comparison; 1] = [Comparison {
    scene: "twisted_cylinder",
    set: &["bodies.shell.mesh.cylinder.around=48", "bodies.shell.mesh.cylinder.along=24"],
    frames: [36, 60],
    choices: &[
        ("elasticity in the stiffness", &[]),
        ("stiffness by distance", &["method.elastic_stiffness=false"]),
        ("document, elasticity in the stiffness", &["step=0.005"]),
        ("document, stiffness by distance", &["method.elastic_stiffness=false", "step=0.005"]),
    ],
}];

/// Ten sheets under a ball of 41 times their mass: Newton steps, β and the error-reduction pass.
const NEWTON_STEPS: [Comparison; 1] = [Comparison {
    scene: "ten_sheets",
    set: &[],
    frames: [8, 24],
    choices: &[
        ("as few iterations as needed, at most 8", &[]),
        ("at least 8", &["method.min_iterations=8"]),
        ("at most 32", &["method.refine_iterations=32"]),
        ("document, as few as needed", &[]),
        ("document, at least 8", &["method.min_iterations=8"]),
        ("document, no error reduction", &["method.error_reduction=false"]),
        ("document, no beta", &["method.amend_step=false", "method.error_reduction=false"]),
    ],
}];

/// Sheets on a sphere with a barrier whose curvature jumps; a frame is a step of 10 ms or ten of 1
/// ms.
const JITTER: [Comparison; 1] = [Comparison {
    scene: "sphere_sheets",
    set: &["bodies.sheet.mesh.grid.cells=[16, 16]", "fps=100"],
    frames: [30, 100],
    choices: &[
        ("cubic", &[]),
        ("quadratic", &["method.barrier=quadratic"]),
        ("document, cubic", &[]),
        ("document, quadratic", &["method.barrier=quadratic"]),
    ],
}];

/// Balls with spines, with and without β. The paper squeezes them in a shrinking sphere; a step
/// that is shortened but counts as h would leave that sphere behind, so here they fall in one that
/// rests.
const DRAGGING: [Comparison; 1] = [Comparison {
    scene: "squishy_balls",
    set: &[
        "bodies.ball.mesh.tet_urchin.cells=2",
        "bodies.ball.mesh.tet_urchin.segments=2",
        "colliders.container.motion={ keys = [{ time = 0.0 }] }",
        "gravity=[0.0, 0.0, -9.81]",
    ],
    frames: [31, 31],
    choices: &[
        ("completed steps", &[]),
        ("document", &["step=0.0041666666666667"]),
        ("document, no beta", &["step=0.0041666666666667", "method.amend_step=false"]),
        (
            "document, no beta and no error reduction",
            &["step=0.0041666666666667", "method.amend_step=false", "method.error_reduction=false"],
        ),
    ],
}];

/// Logarithmic barriers where no strain limit is: the paper sees no difference.
const UNLIMITED: [Comparison; 3] = [
    Comparison {
        scene: "sphere_sheets",
        set: &["bodies.sheet.mesh.grid.cells=[16, 16]", "bodies.sheet.material.strain_limit=10.0"],
        frames: [10, 30],
        choices: CUBIC_AND_LOGARITHMIC,
    },
    Comparison {
        scene: "twisted_cylinder",
        set: STIFFNESS[0].set,
        frames: [36, 60],
        choices: CUBIC_AND_LOGARITHMIC,
    },
    Comparison {
        scene: "ten_sheets",
        set: &["bodies.sheet.material.strain_limit=10.0"],
        frames: [8, 24],
        choices: CUBIC_AND_LOGARITHMIC,
    },
];

const CUBIC_AND_LOGARITHMIC: &[Choice] = &[BARRIERS[0], BARRIERS[1], BARRIERS[4], BARRIERS[5]];

/// Choices that the paper leaves open or does not take, and its curtain with directions that shrink
/// until a tolerance is met.
const OPTIONS: [Comparison; 2] = [
    Comparison {
        scene: "needle",
        set: &[],
        frames: [8, 30],
        choices: &[
            ("as it is", &[]),
            ("weighted masses", &["method.contact_mass=weighted"]),
            ("strain barriers from rest", &["method.strain_activation=0.0"]),
            ("two-norm", &["method.pcg_norm=two"]),
            ("document", &[]),
            ("document, weighted masses", &["method.contact_mass=weighted"]),
            ("document, strain barriers from rest", &["method.strain_activation=0.0"]),
            ("document, two-norm", &["method.pcg_norm=two"]),
            ("document, transverse friction", &["method.sliding_hessian=transverse"]),
        ],
    },
    Comparison {
        scene: "curtain_15",
        set: &["bodies.sheet.mesh.grid.cells=[8, 8]"],
        frames: [10, 45],
        choices: &[
            ("8 iterations", &[]),
            ("to 1 cm/s", &["method.tolerance=1e-2", "method.refine_iterations=256"]),
            (
                "to 1 cm/s, shrinking",
                &["method.tolerance=1e-2", "method.refine_iterations=256", "method.decay=0.005"],
            ),
        ],
    },
];

/// Section 5.1: cubic against logarithmic barriers.
pub fn locking(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &LOCKING)
}

/// Section 5.2: elasticity in the stiffness.
pub fn stiffness(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &STIFFNESS)
}

/// Section 5.3, and the error reduction of section 6.
pub fn newton_steps(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &NEWTON_STEPS)
}

/// Section 5.4: a quadratic energy.
pub fn jitter(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &JITTER)
}

/// Section 5.5: steps that count as long as they are.
pub fn dragging(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &DRAGGING)
}

/// Section 6: logarithmic barriers for contact alone.
pub fn unlimited(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &UNLIMITED)
}

/// Other choices, and convergence by shrinking directions (section 6).
pub fn options(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    compare(case, settings, &OPTIONS)
}

fn compare(
    case: &'static str,
    settings: &BenchSettings,
    comparisons: &[Comparison],
) -> Result<Vec<Record>, Stopped> {
    let mut records = Vec::new();
    for comparison in comparisons {
        let frames = comparison.frames[usize::from(settings.full)];
        let mut first: Option<Run> = None;
        for choice in comparison.choices {
            let mut simulation =
                Simulation::new(gallery_scene(comparison.scene, &overrides(comparison, choice))?)?;
            let run = run(&mut simulation, frames, if settings.full { 120.0 } else { 15.0 });
            let mut record = Record::new(case, format!("{}, {}", comparison.scene, choice.0));
            describe(&mut record, &simulation, &run.outcome, run.frames);
            run.add(&mut record, first.as_ref());
            record.number("intersections", simulation.check_intersections()?.intersections() as f64);
            records.push(record);
            first.get_or_insert(run);
        }
    }
    Ok(records)
}

fn overrides(comparison: &Comparison, (name, set): &Choice) -> Vec<&'static str> {
    let document: &[&str] = if name.starts_with(AS_DOCUMENT) { &DOCUMENT } else { &[] };
    [comparison.set, document, set].concat()
}

/// Frames of one choice.
struct Run {
    outcome: RunOutcome,
    frames: usize,
    /// Longest core time of a frame \[s\].
    longest: f64,
    /// Root mean square of second differences of positions over the last quarter of the frames
    /// \[m/s²\].
    shake: f64,
    /// Kinetic energy after each frame \[J\].
    kinetic: Vec<f64>,
    /// Where the nodes are in the end \[m\].
    end: Vec<Vec3>,
}

/// Frames until all are done, a step fails or they have taken `longest` of core time \[s\].
fn run(simulation: &mut Simulation, frames: usize, longest: f64) -> Run {
    let nodes = simulation.model.nodes;
    let (begin, core) = (Instant::now(), core_seconds());
    let (mut reports, mut failure, mut done) = (Vec::new(), None, 0);
    let (mut longest_frame, mut kinetic, mut shakes) = (0.0_f64, Vec::new(), Vec::new());
    let mut places = [simulation.state.blocks[..nodes].to_vec(), simulation.state.blocks[..nodes].to_vec()];
    while done < frames && core_seconds() - core < longest {
        let before = core_seconds();
        match simulation.advance_frame() {
            Ok(frame) => reports.extend(frame),
            Err(error) => {
                failure = Some(error.to_string());
                break;
            }
        }
        longest_frame = longest_frame.max(core_seconds() - before);
        done += 1;
        let now = simulation.state.blocks[..nodes].to_vec();
        let bends =
            now.iter().zip(&places[1]).zip(&places[0]).map(|((c, b), a)| (c - 2.0 * b + a).norm_squared());
        shakes.push(bends.sum::<f64>() / nodes as f64);
        kinetic.push(reports.last().and_then(kinetic_energy).unwrap_or(f64::NAN));
        let [_, last] = places;
        places = [last, now];
    }
    let threads = rayon::current_num_threads();
    let spent = Spent { wall: begin.elapsed().as_secs_f64(), core: core_seconds() - core, threads };
    let last = &shakes[shakes.len() - shakes.len().div_ceil(4)..];
    let shake =
        (last.iter().sum::<f64>() / last.len().max(1) as f64).sqrt() * simulation.settings().fps.powi(2);
    let [_, end] = places;
    let outcome = RunOutcome { spent, reports, failure };
    Run { outcome, frames: done, longest: longest_frame, shake, kinetic, end }
}

fn kinetic_energy(report: &StepReport) -> Option<f64> {
    report.energy.iter().find(|(name, _)| *name == "kinetic").map(|(_, energy)| *energy)
}

impl Run {
    /// Adds what the common figures leave out; `first` is what it is compared with.
    fn add(&self, record: &mut Record, first: Option<&Run>) {
        let reports = &self.outcome.reports;
        let least =
            |name: &str| reports.iter().filter_map(|r| counter(r, name)).fold(f64::INFINITY, f64::min);
        record.number("frames", self.frames as f64);
        record.number("core_s", self.outcome.spent.core);
        record.number("longest_frame_core_ms", 1e3 * self.longest);
        record.number("min_strain_gap", least("min_strain_gap"));
        record.number("least_alpha", least("smallest_alpha"));
        record.number("least_beta", least("beta"));
        let retries: f64 = reports.iter().filter_map(|r| counter(r, "retries")).sum();
        record.number("retries", retries);
        record.number("shake_m_per_s2", self.shake);
        record.number("most_kinetic_j", self.kinetic.iter().copied().fold(0.0, f64::max));
        record.number("last_kinetic_j", self.kinetic.last().copied().unwrap_or(f64::NAN));
        if let Some(first) = first.filter(|first| first.frames == self.frames) {
            let apart = first.end.iter().zip(&self.end).map(|(a, b)| (a - b).norm_squared()).sum::<f64>();
            record.number("rms_from_first_mm", 1e3 * (apart / self.end.len() as f64).sqrt());
        }
    }
}
