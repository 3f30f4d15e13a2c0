//! The bare tree on the task that library trees were measured by: all overlapping pairs of triangle
//! boxes, on one thread.

use crate::measure::{measure, on_threads};
use crate::meshes::{alternating, waves};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use stiction::collision::bvh::{Box32, Bvh, Extent};

const CELLS: usize = 316;

/// One record.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (x, faces) = (waves(CELLS, 0.02, 0.0), alternating(CELLS));
    let around = |t: &[u32; 3]| {
        t.iter().fold(Box32::EMPTY, |sum, &v| {
            let p = std::array::from_fn(|k| x[v as usize][k] as f32);
            sum.union(&Box32 { lo: p, hi: p })
        })
    };
    let boxes: Vec<Box32> = faces.iter().map(around).collect();
    let mut record = Record::new(case, "1 thread(s)");
    record.number("boxes", boxes.len() as f64);
    on_threads(1, || {
        let (build, mut tree) = measure(settings.seconds, || Bvh::build(&boxes, |_| 0));
        let order = tree.order().to_vec();
        let (refit, _) = measure(settings.seconds, || tree.refit(|k| boxes[order[k] as usize]));
        let count = || tree.self_pairs(|_, _| true, || 0usize, |_, _, n| *n += 1);
        let (query, counts) = measure(settings.seconds, count);
        record.time("ms_build", build.per(1e-3, 1)).time("ms_refit", refit.per(1e-3, 1));
        record.time("ms_self_pairs", query.per(1e-3, 1));
        record.number("pairs", counts.iter().sum::<usize>() as f64);
    })?;
    Ok(vec![record])
}
