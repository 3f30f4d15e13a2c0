//! Method `barrier` beside others: seconds per frame of the public GPU implementation at its
//! numbers of vertices (`size = seed`), and seconds per step of programs that give the same
//! guarantee, on their own meshes.   \[Ando2024; Li2020; Li2021\]
//!
//! Frames of the GPU implementation are 1/60 s long, those of its dominoes 1/30 s; so are ours
//! here. Its steps are 10 ms with at least 32 Newton steps where friction matters (dominoes, cards,
//! belt), else 1 ms with one or two. Ours are those of the scenes: completed, refined until they
//! converge or the scene's cap. Meshes of others are not part of the project: their cases are left
//! out, with a note, where the files are missing.

use super::barrier_scenes::{describe, gallery_scene, run_for};
use super::steps::add_shares;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::path::Path;
use stiction::Simulation;
use stiction::scene::load;
use stiction::solvers::StepReport;

/// Largest multiple of the time on a GPU.
const SLOWER: f64 = 8.0;

/// Where a scene comes from.
enum Source {
    /// The gallery, by name.
    Gallery(&'static str),
    /// A file below `scenes`, which reads meshes beside the project's folder.
    File(&'static str),
}

/// When others call a step solved: the last Newton direction over the step \[m/s\]. Friction's
/// limits are those of the start of the step for all of them, ours follow the pressure.
#[derive(Clone, Copy)]
enum Rule {
    /// Its largest component; IPC takes 1 % of the diagonal of the scene per second.
    Largest(f64),
    /// The root of its mean square; Codim-IPC takes 1 mm/s.
    Mean(f64),
}

/// A scene as others ran it.
struct Compared {
    source: Source,
    set: &'static [&'static str],
    /// Frames before those that are measured, and how many of these at most.
    skip: usize,
    count: usize,
    /// Time of the other \[s\].
    there: f64,
    /// What we may take at most \[s\].
    limit: f64,
    rule: Option<Rule>,
}

const fn frames(source: Source, set: &'static [&'static str], skip: usize, there: f64) -> Compared {
    Compared { source, set, skip, count: 20, there, limit: SLOWER * there, rule: None }
}

const fn steps(
    file: &'static str,
    [skip, count]: [usize; 2],
    [there, faster]: [f64; 2],
    rule: Rule,
) -> Compared {
    let rule = Some(rule);
    Compared { source: Source::File(file), set: &[], skip, count, there, limit: there / faster, rule }
}

const FRAMES: [Compared; 6] = [
    frames(Source::Gallery("dominoes"), &["size=paper", "fps=30"], 6, 0.8),
    frames(Source::Gallery("card_house_hit"), &["size=paper", "fps=60"], 2, 1.5),
    frames(Source::Gallery("triple_belt"), &["size=paper", "fps=60"], 1, 1.5),
    frames(Source::Gallery("hang"), &["size=paper", "fps=60"], 2, 2.6),
    frames(Source::Gallery("fishing_knot"), &["size=paper", "fps=60"], 2, 0.84),
    frames(Source::File("own_files/garment_dress"), &["fps=60"], 2, 0.33),
];

/// A frame of these scenes is a step.
const STEPS: [Compared; 5] = [
    steps("peers/drape_8k", [0, 7], [40.1, 10.0], Rule::Mean(1e-3)),
    steps("peers/sheets_and_ball", [0, 12], [11.4, 10.0], Rule::Mean(1e-3)),
    steps("peers/mat_twist", [34, 10], [2.86, 5.0], Rule::Largest(0.01414)),
    steps("peers/card_house_ipc", [0, 10], [4.9, 5.0], Rule::Largest(0.0514)),
    steps("peers/arch_ipc", [0, 30], [2.6, 5.0], Rule::Largest(0.01355)),
];

/// Frames beside the GPU implementation.
pub fn gpu(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    FRAMES.iter().map(|compared| measure(case, "s_per_frame", settings, compared)).collect()
}

/// Steps beside programs that never let anything cross either.
pub fn peers(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    STEPS.iter().map(|compared| measure(case, "s_per_step", settings, compared)).collect()
}

/// Frames until some time has passed, `--full` four times as long; before and while measuring.
fn measure(
    case: &'static str,
    figure: &'static str,
    settings: &BenchSettings,
    compared: &Compared,
) -> Result<Record, Stopped> {
    let longest = if settings.full { 80.0 } else { 20.0 };
    let (name, scene) = match compared.source {
        Source::Gallery(name) => (name, gallery_scene(name, compared.set)?),
        Source::File(name) => match load(&scenes().join(format!("{name}.toml")), compared.set) {
            Ok(scene) => (name, scene),
            Err(error) => {
                return Ok(Record { note: Some(error.to_string()), ..Record::new(case, name) });
            }
        },
    };
    let mut simulation = Simulation::new(scene)?;
    run_for(&mut simulation, compared.skip, longest);
    let (outcome, count) = run_for(&mut simulation, compared.count, longest);
    let mut record = Record::new(case, format!("{name}, {count} frames"));
    record.time(figure, outcome.spent.per(1.0, count)).limit(FigureLimit::AtMost(compared.limit));
    record.number(format!("{figure}_of_the_other"), compared.there);
    describe(&mut record, &simulation, &outcome, count);
    add_shares(&mut record, &outcome.reports, outcome.spent.wall);
    if let Some(rule) = compared.rule {
        judge_by(&mut record, rule, &outcome.reports);
    }
    record.number("intersections", simulation.check_intersections()?.intersections() as f64);
    Ok(record)
}

/// How many steps others would call solved, and the speed that is left in the others.
fn judge_by(record: &mut Record, rule: Rule, reports: &[StepReport]) {
    let (name, bound) = match rule {
        Rule::Largest(bound) => ("change_m", bound),
        Rule::Mean(bound) => ("mean_change_m", bound),
    };
    let left = |report: &StepReport| {
        let change = report.residual.iter().find(|(found, _)| *found == name);
        change.map_or(f64::INFINITY, |(_, change)| change / report.advanced)
    };
    let left: Vec<f64> = reports.iter().map(left).collect();
    record.number("their_rule_m_per_s", bound);
    record.number("solved_by_their_rule", left.iter().filter(|v| **v <= bound).count() as f64);
    record.number("largest_left_m_per_s", left.iter().copied().fold(0.0, f64::max));
}

fn scenes() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes"))
}
