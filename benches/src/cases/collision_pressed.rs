//! Two sheets half an edge apart, the upper one pressed through the lower: most candidates really
//! come close.

use super::collision::one_body;
use crate::measure::{measure, on_threads};
use crate::meshes::{alternating, waves};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use stiction::collision::BroadPhase;
use stiction::collision::ccd::{AdvanceOptions, Query};
use stiction::collision::motion::{StraightMotion, earliest_impact};
use stiction::numerics::Vec3;

const CELLS: usize = 150;

/// One record.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let edge = 1.0 / CELLS as f64;
    let lower = waves(CELLS, 0.02, 0.0);
    let lift = |z: f64| lower.iter().map(move |p| p + Vec3::new(0.3 * edge, 0.2 * edge, z));
    let x: Vec<Vec3> = lower.iter().copied().chain(lift(0.5 * edge)).collect();
    let end: Vec<Vec3> = lower.iter().copied().chain(lift(-0.5 * edge)).collect();
    let base = lower.len() as u32;
    let faces = alternating(CELLS).into_iter().flat_map(|t| [t, t.map(|v| v + base)]).collect();
    let mesh = one_body(x.len(), faces)?;
    let mut phase = BroadPhase::new(&mesh, &x)?;
    let mut record = Record::new(case, format!("{} threads", rayon::current_num_threads()));
    record.number("vertices", x.len() as f64).number("triangles", mesh.triangles().len() as f64);
    let (sweep, swept) = measure(settings.seconds, || phase.swept_candidates(&mesh, &x, &end, 0.0));
    let swept = swept?;
    record.time("us_per_triangle_swept_query", sweep.per(1e-6, mesh.triangles().len()));
    record.number("candidates_swept", swept.len() as f64);
    let options = AdvanceOptions::default();
    let motion = StraightMotion { start: &x, end: &end };
    let (ccd, impact) = measure(settings.seconds, || earliest_impact(&mesh, &swept, &motion, &options));
    record.time("ns_per_candidate_earliest_impact", ccd.per(1e-9, swept.len()));
    record.number("impact_time", impact.time);
    let one = |&[a, b]: &[u32; 2]| {
        let ([a0, a1], [b0, b1]) = (mesh.edges()[a as usize], mesh.edges()[b as usize]);
        let corners = [a0, a1, b0, b1];
        let (x0, x1) = (corners.map(|v| x[v as usize]), corners.map(|v| end[v as usize]));
        Query::EdgeEdge(x0, x1).advance(&options).safe_time()
    };
    let pairs = &swept.edge_edge;
    let (each, sum) = on_threads(1, || measure(settings.seconds, || pairs.iter().map(one).sum::<f64>()))?;
    record.time("ns_per_edge_pair_to_its_own_end_1_thread", each.per(1e-9, pairs.len()));
    record.number("mean_safe_time", sum / pairs.len() as f64);
    Ok(vec![record])
}
