//! Figures of one group of elements: energy, gradient and Hessians, the latter assembled into the
//! sparse matrix.

use crate::measure::{measure, on_threads, thread_counts};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use stiction::bodies::EdgeFrame;
use stiction::energy::{Configuration, Curvature, Energies, MaterialTable, NamedGroup};
use stiction::numerics::{BlockMatrix, Vec3};

/// Elements and where they are evaluated.
pub struct ElementSample<'a> {
    /// Law or kind, as shown.
    pub name: &'a str,
    /// The elements.
    pub group: NamedGroup,
    /// Positions, then angles.
    pub blocks: &'a [Vec3],
    /// Start-of-step frames.
    pub frames: &'a [EdgeFrame],
    /// Values that the elements take.
    pub materials: &'a MaterialTable,
    /// Largest time of the projected Hessian of an element, assembled \[ns\].
    pub limit: Option<f64>,
}

/// One record on one thread and one on all.
pub fn measured(
    case: &'static str,
    sample: ElementSample<'_>,
    settings: &BenchSettings,
) -> Result<Vec<Record>, Stopped> {
    let count = sample.group.group.len();
    let energies = Energies::new(sample.blocks.len(), vec![sample.group]);
    let at = Configuration { blocks: sample.blocks, frames: sample.frames, materials: sample.materials };
    let mut records = Vec::new();
    let counts = thread_counts();
    for &threads in &counts {
        let [energy, gradient, projected, exact] = on_threads(threads, || figures(&energies, &at, settings))?;
        let mut record = Record::new(case, format!("{}, {threads} thread(s)", sample.name));
        record.number("threads", threads as f64).number("elements", count as f64);
        record.time("ns_energy", energy.per(1e-9, count));
        record.time("ns_gradient", gradient.per(1e-9, count));
        record.time("ns_hessian_projected", projected.per(1e-9, count));
        // The figure is stated for all cores.
        if let (Some(limit), true) = (sample.limit, Some(&threads) == counts.last()) {
            record.limit(FigureLimit::AtMost(limit));
        }
        record.time("ns_hessian_exact", exact.per(1e-9, count));
        records.push(record);
    }
    Ok(records)
}

fn figures(energies: &Energies, at: &Configuration<'_>, settings: &BenchSettings) -> [crate::Spent; 4] {
    let mut gradient = vec![Vec3::zeros(); at.blocks.len()];
    let mut matrix = BlockMatrix::zeros(energies.pattern().clone());
    let seconds = settings.seconds;
    [
        measure(seconds, || black_box(energies.energy(at))).0,
        measure(seconds, || energies.add_gradient(at, 1.0, black_box(&mut gradient))).0,
        measure(seconds, || energies.add_hessian(at, 1.0, Curvature::Projected, black_box(&mut matrix))).0,
        measure(seconds, || energies.add_hessian(at, 1.0, Curvature::Exact, black_box(&mut matrix))).0,
    ]
}
