//! Rod elements of a coil, and what clamping the eigenvalues of a joint would cost instead of its
//! projection.

use super::elements::{ElementSample, measured};
use crate::measure::{measure, on_threads};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use stiction::bodies::frames::frames_along;
use stiction::energy::rod::{JointRest, RodBendTwist, RodStretch};
use stiction::energy::{Curvature, Element, LocalHessian, MaterialTable, NamedGroup, RodValues, Stencil};
use stiction::numerics::nalgebra::SMatrix;
use stiction::numerics::{Random, Vec3};

const COUNT: usize = 20_000;

/// Records by element.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut random = Random::new(2);
    let points: Vec<Vec3> = (0..COUNT)
        .map(|i| 0.3 * i as f64)
        .map(|s| Vec3::new(s.cos(), s.sin(), 0.1 * s) + random.vector(-0.02, 0.02))
        .collect();
    let frames = frames_along(&points, Vec3::z());
    let moved: Vec<Vec3> = points.iter().map(|x| x + random.vector(-0.02, 0.02)).collect();
    let twists = (1..COUNT).map(|_| Vec3::new(random.range(-0.3, 0.3), 0.0, 0.0));
    let blocks: Vec<Vec3> = moved.iter().copied().chain(twists).collect();
    let joints = joints();
    let stretch: Vec<RodStretch> =
        (0..COUNT as u32 - 1).map(|i| RodStretch { nodes: [i, i + 1], material: 0, length: 0.3 }).collect();
    let materials = MaterialTable::of_rod(RodValues { stretch: 10.0, bend: [1.0, 2.0], twist: 1.0 });
    let clamp = || {
        let one = |joint: &RodBendTwist| {
            let x = joint.blocks().map(|b| blocks[b as usize]);
            clamped(&joint.hessian(&Stencil { x, frames: &frames, materials: &materials }, Curvature::Exact))
        };
        joints.iter().map(one).sum::<f64>()
    };
    let (clamping, _) = on_threads(1, || measure(settings.seconds, || black_box(clamp())))?;
    let mut records = Vec::new();
    for (name, group) in [
        ("stretch", NamedGroup::new("stretch", blocks.len(), stretch)),
        ("bend and twist", NamedGroup::new("bend", blocks.len(), joints.clone())),
    ] {
        let sample = ElementSample {
            name,
            group,
            blocks: &blocks,
            frames: &frames,
            materials: &materials,
            limit: None,
        };
        records.extend(measured(case, sample, settings)?);
    }
    let mut record = Record::new(case, "bend and twist by eigenvalue clamp, 1 thread(s)");
    record.time("ns_hessian_clamped", clamping.per(1e-9, joints.len()));
    record.note = Some("without assembly; the alternative to the projection in use".to_owned());
    records.push(record);
    Ok(records)
}

fn joints() -> Vec<RodBendTwist> {
    let n = COUNT as u32;
    let joint = |i: u32| RodBendTwist {
        blocks: [i, i + 1, i + 2, n + i, n + i + 1],
        edges: [i, i + 1],
        material: 0,
        rest: JointRest::straight([0.3, 0.3]),
    };
    (0..n - 2).map(joint).collect()
}

/// All eigenvalues of the exact 11×11 Hessian, the negative ones removed.
fn clamped(hessian: &LocalHessian<5>) -> f64 {
    let place = |r: usize| if r < 9 { (r / 3, r % 3) } else { (r - 6, 0) };
    let matrix = SMatrix::<f64, 11, 11>::from_fn(|r, c| {
        let ((a, i), (b, j)) = (place(r), place(c));
        hessian[a][b][(i, j)]
    });
    let mut eigen = matrix.symmetric_eigen();
    eigen.eigenvalues.apply(|value| *value = value.max(0.0));
    eigen.recompose()[(0, 0)]
}
