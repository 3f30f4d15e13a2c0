//! Detection on cloth: a unit square with alternating diagonals and soft waves; the gap is a tenth
//! of an edge. The motion turns it into a second, shifted wave.
//!
//! Beside it, when the Python package `ipctk` is importable, its candidates and its continuous
//! detection on the same meshes.

use super::ipctk;
use crate::measure::{Spent, measure};
use crate::meshes::{alternating, waves};
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use stiction::collision::ccd::AdvanceOptions;
use stiction::collision::motion::{StraightMotion, earliest_impact};
use stiction::collision::narrow_phase::narrow_phase;
use stiction::collision::{BodyTraits, BroadPhase, CollisionMesh, MeshInput, SurfaceError};
use stiction::numerics::Vec3;

/// Largest refit and self-query \[µs per triangle\].
const QUERY_LIMIT: f64 = 0.3;
/// Largest proximity narrow phase \[ns per candidate\].
const NARROW_LIMIT: f64 = 100.0;
/// Largest additive continuous detection \[ns per candidate\].
const CCD_LIMIT: f64 = 400.0;
/// Largest memory beside the mesh \[bytes per primitive\].
const MEMORY_LIMIT: f64 = 200.0;
/// How much faster than `ipctk` candidates and continuous detection have to be.
const RATIO_LIMIT: f64 = 2.0;

/// Sheet of `cells²` squares.
pub fn run(case: &'static str, cells: usize, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (x, faces) = (waves(cells, 0.02, 0.0), alternating(cells));
    let edge = 1.0 / cells as f64;
    let reach = (50.0 * edge).min(1.0);
    let end: Vec<Vec3> = x.iter().zip(waves(cells, 0.02, 1.0)).map(|(p, q)| p + (q - p) * reach).collect();
    let mesh = one_body(x.len(), faces)?;
    let mut record = Record::new(case, format!("{} threads", rayon::current_num_threads()));
    record.number("vertices", x.len() as f64).number("triangles", mesh.triangles().len() as f64);
    let ours = figures(&mut record, &mesh, &x, &end, 0.1 * edge, settings)?;
    let theirs = ipctk::measured(&x, &end, mesh.triangles(), rayon::current_num_threads());
    match theirs {
        Ok(theirs) => compare(&mut record, &ours, &theirs),
        Err(reason) => record.note = Some(reason),
    }
    Ok(vec![record])
}

/// What is compared.
struct Ours {
    build: Spent,
    sweep_and_ccd: Spent,
}

fn figures(
    record: &mut Record,
    mesh: &CollisionMesh,
    x: &[Vec3],
    end: &[Vec3],
    gap: f64,
    settings: &BenchSettings,
) -> Result<Ours, Stopped> {
    let (triangles, seconds) = (mesh.triangles().len(), settings.seconds);
    let (build, phase) = measure(seconds, || BroadPhase::new(mesh, x));
    let mut phase = phase?;
    record.time("us_per_triangle_build", build.per(1e-6, triangles));
    let (refit, outcome) = measure(seconds, || phase.refit(mesh, x, gap).map(|_| ()));
    outcome?;
    record.time("us_per_triangle_refit", refit.per(1e-6, triangles));
    let (query, near) = measure(seconds, || phase.proximity_candidates(mesh, x, gap));
    let near = near?;
    record.time("us_per_triangle_refit_self_query", query.per(1e-6, triangles));
    record.limit(FigureLimit::AtMost(QUERY_LIMIT)).number("candidates_near", near.len() as f64);
    let (narrow, pairs) = measure(seconds, || narrow_phase(mesh, &near, x, gap));
    record.time("ns_per_candidate_narrow", narrow.per(1e-9, near.len()));
    record.limit(FigureLimit::AtMost(NARROW_LIMIT)).number("pairs_near", pairs.len() as f64);
    let (sweep, swept) = measure(seconds, || phase.swept_candidates(mesh, x, end, 0.0));
    let swept = swept?;
    record.time("us_per_triangle_swept_query", sweep.per(1e-6, triangles));
    record.number("candidates_swept", swept.len() as f64);
    let (options, motion) = (AdvanceOptions::default(), StraightMotion { start: x, end });
    let (ccd, impact) = measure(seconds, || earliest_impact(mesh, &swept, &motion, &options));
    record.time("ns_per_candidate_ccd", ccd.per(1e-9, swept.len())).limit(FigureLimit::AtMost(CCD_LIMIT));
    record.number("impact_time", impact.time);
    let primitives = triangles + mesh.edges().len() + x.len();
    record.number("bytes_per_primitive", phase.memory_bytes() as f64 / primitives as f64);
    record.limit(FigureLimit::AtMost(MEMORY_LIMIT));
    let sweep_and_ccd = sweep.then(&ccd);
    record.time("ms_swept_query_ccd", sweep_and_ccd.per(1e-3, 1));
    Ok(Ours { build, sweep_and_ccd })
}

/// `ipctk` builds its tree anew for every query: the ratio with our build is the strict one.
fn compare(record: &mut Record, ours: &Ours, theirs: &ipctk::Theirs) {
    let together = theirs.candidates.then(&theirs.ccd);
    record.time("ms_ipctk_candidates", theirs.candidates.per(1e-3, 1));
    record.time("ms_ipctk_ccd", theirs.ccd.per(1e-3, 1));
    record.number("candidates_ipctk", theirs.count as f64).number("impact_time_ipctk", theirs.time);
    let mut ratio = |name: &str, ours: &Spent| {
        record.both(name, together.wall / ours.wall, together.core / ours.core);
        record.limit(FigureLimit::AtLeast(RATIO_LIMIT));
    };
    ratio("ipctk_over_ours", &ours.sweep_and_ccd);
    ratio("ipctk_over_ours_with_build", &ours.build.then(&ours.sweep_and_ccd));
}

/// A deformable mesh that can touch itself.
pub fn one_body(vertex_count: usize, triangles: Vec<[u32; 3]>) -> Result<CollisionMesh, SurfaceError> {
    CollisionMesh::new(MeshInput {
        vertex_count,
        triangle_traits: vec![(0.0, 0); triangles.len()],
        triangles,
        bodies: vec![BodyTraits::DEFORMABLE],
        ..Default::default()
    })
}
