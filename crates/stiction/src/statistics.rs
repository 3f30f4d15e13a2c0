//! One line of a run's statistics from the report of a step.

use crate::intersections::IntersectionReport;
use crate::simulation::Simulation;
use std::collections::BTreeMap;
use stiction_output::{Category, STRAIN_LIMIT_EXCESS, StepRecord};
use stiction_solvers::{StepReport, StepSeconds};

/// Wall time of a step by the categories of run folders \[s\].
pub(crate) fn by_category(s: &StepSeconds) -> [(Category, f64); 6] {
    [
        (Category::Detection, s.detection),
        (Category::Assembly, s.assembly),
        (Category::LinearSolve, s.linear_solve),
        (Category::ContactProjection, s.contact_projection),
        (Category::LocalProjection, s.local_projection),
        (Category::LineSearch, s.line_search),
    ]
}

/// One line of the statistics, for a step that took `wall` \[s\].
pub(crate) fn record(
    simulation: &Simulation,
    report: &StepReport,
    found: &IntersectionReport,
    wall: f64,
) -> StepRecord {
    let named = |pairs: &[(&'static str, f64)]| -> BTreeMap<String, f64> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    };
    let objects = &simulation.model.surfaces.objects;
    let forces = objects.iter().zip(&report.contact_force).map(|(o, f)| (o.name.clone(), (*f).into()));
    let mut seconds: BTreeMap<String, f64> = by_category(&report.seconds)
        .iter()
        .filter(|(_, s)| *s > 0.0)
        .map(|(c, s)| (c.name().to_owned(), *s))
        .collect();
    seconds.insert(Category::Other.name().to_owned(), (wall - report.seconds.total()).max(0.0));
    let mut out = StepRecord {
        step: simulation.steps,
        time: simulation.state.time,
        h: report.advanced,
        iterations: report.iterations as u64,
        residual: named(&report.residual),
        contacts: report.contacts as u64,
        penetration_m: report.penetration,
        intersections: found.intersections() as u64,
        overlaps: found.overlaps() as u64,
        energy: named(&report.energy),
        momentum: simulation.state.momentum(&simulation.model, &simulation.parameters).into(),
        contact_force: forces.collect(),
        seconds,
        ..StepRecord::default()
    };
    out.extra.insert("converged".to_owned(), report.converged.into());
    out.extra.insert(STRAIN_LIMIT_EXCESS.to_owned(), report.strain_limit_excess.into());
    if !report.contacts_by_kind.is_empty() {
        let kinds: BTreeMap<&str, usize> = report.contacts_by_kind.iter().copied().collect();
        out.extra.insert("contacts_by_kind".to_owned(), serde_json::json!(kinds));
    }
    for &(name, value) in &report.counters {
        out.extra.insert(name.to_owned(), value.into());
    }
    out
}
