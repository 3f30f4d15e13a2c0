//! The choices of method `barrier` side by side on one scene.   [Ando2024, sections 5.1 to 5.5]

use super::barrier_scenes::{describe, needle, run, simulation, slope, stack};
use super::steps::add_shares;
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};

/// Options that are compared, with their names.
const CHOICES: [(&str, &str); 11] = [
    ("cubic, as it is", ""),
    ("logarithmic", ", barrier = \"logarithmic\""),
    ("capped logarithmic", ", barrier = \"capped_logarithmic\""),
    ("quadratic", ", barrier = \"quadratic\""),
    ("tangents only", ", forecast = false"),
    ("stiffness frozen", ", forecast = false, stiffness_growth = 0.0"),
    ("stiffness by distance", ", elastic_stiffness = false"),
    ("steps of beta h", ", complete = false"),
    ("steps of beta h, no error reduction", ", complete = false, error_reduction = false"),
    (
        "as the paper has it",
        ", complete = false, forecast = false, stiffness_growth = 0.0, friction = \"lagged\", linear = \"pcg\"",
    ),
    ("shortened steps counted as h", ", complete = false, error_reduction = false, amend_step = false"),
];

/// Friction models that are compared.
const FRICTION: [(&str, &str); 5] = [
    ("lagged", "friction = \"lagged\""),
    ("lagged, tangents only", "friction = \"lagged\", forecast = false"),
    (
        "lagged, as the paper has it",
        "friction = \"lagged\", forecast = false, stiffness_growth = 0.0, complete = false, linear = \"pcg\"",
    ),
    (
        "lagged, tangents only, transverse",
        "friction = \"lagged\", forecast = false, sliding_hessian = \"transverse\"",
    ),
    ("anchored", "friction = \"anchored\""),
];

/// Sheets on a needle.
pub fn on_needle(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (speed, frames) = if settings.full { (10.0, 20) } else { (5.0, 12) };
    let minimum = ("at least 8 iterations", ", min_iterations = 8");
    let each = CHOICES.iter().chain(std::iter::once(&minimum)).map(|(name, options)| {
        let mut simulation = simulation(&needle(speed, options))?;
        let outcome = run(&mut simulation, frames);
        let mut record = Record::new(case, *name);
        describe(&mut record, &simulation, &outcome, frames);
        Ok(record)
    });
    each.collect()
}

/// Linear solvers on stacks of two sizes.
pub fn linear(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let sizes: &[usize] = if settings.full { &[16, 32, 64] } else { &[16, 32] };
    let mut records = Vec::new();
    for &cells in sizes {
        for policy in ["auto", "pcg", "two_level", "direct"] {
            let mut simulation = simulation(&stack(cells, 5, &format!(", linear = \"{policy}\"")))?;
            let outcome = run(&mut simulation, 2);
            let mut record = Record::new(case, format!("{policy}, {} vertices", simulation.model.nodes));
            describe(&mut record, &simulation, &outcome, 2);
            add_shares(&mut record, &outcome.reports, outcome.spent.wall);
            records.push(record);
        }
    }
    Ok(records)
}

/// Creep of a block that should rest and acceleration of one that should slide.
pub fn friction(case: &'static str, _: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut records = Vec::new();
    for (model, chosen) in FRICTION {
        for iterations in [8, 16, 32] {
            let options =
                format!(", {chosen}, min_iterations = {iterations}, refine_iterations = {iterations}");
            let mut record = Record::new(case, format!("{model}, {iterations} iterations"));
            record.method = Some("barrier");
            let mut resting = simulation(&slope(0.505, &options))?;
            run(&mut resting, 50);
            let before = centre(&resting);
            run(&mut resting, 100);
            record.number("creep_mm_per_s", 1e3 * (centre(&resting) - before));
            let mut sliding = simulation(&slope(0.495, &options))?;
            run(&mut sliding, 100);
            let first = sliding_speed(&mut sliding);
            run(&mut sliding, 99);
            let rate = sliding_speed(&mut sliding) - first;
            let expected = 9.81 * (0.2_f64.sqrt() - 0.495 * 0.8_f64.sqrt());
            record.number("slide_error_percent", 100.0 * (rate / expected - 1.0));
            records.push(record);
        }
    }
    Ok(records)
}

/// Mean of the nodes down the slope \[m\].
fn centre(simulation: &stiction::Simulation) -> f64 {
    let nodes = simulation.model.nodes;
    simulation.state.blocks[..nodes].iter().map(|x| x.x).sum::<f64>() / nodes as f64
}

/// Speed down the slope over one frame of 10 ms \[m/s\].
fn sliding_speed(simulation: &mut stiction::Simulation) -> f64 {
    let before = centre(simulation);
    run(simulation, 1);
    (centre(simulation) - before) / 0.01
}
