//! Small dense kernels on one thread.

use crate::measure::{measure, on_threads};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use stiction::numerics::nalgebra::SMatrix;
use stiction::numerics::*;

const COUNT: usize = 20_000;
const LARGE: usize = 1000;

/// One record of all kernels.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut record = Record::new(case, "1 thread(s)");
    on_threads(1, || {
        small(&mut record, settings.seconds);
        large(&mut record, settings.seconds);
    })?;
    Ok(vec![record])
}

fn each<A, B>(record: &mut Record, seconds: f64, name: &str, items: &[A], kernel: impl Fn(&A) -> B) {
    let all = || {
        for item in items {
            black_box(kernel(item));
        }
    };
    record.time(format!("ns_{name}"), measure(seconds, all).0.per(1e-9, items.len()));
}

fn small(record: &mut Record, seconds: f64) {
    let mut random = Random::new(1);
    let near: Vec<Mat3> =
        (0..COUNT).map(|_| random.rotation() + Mat3::from_fn(|_, _| random.range(-0.2, 0.2))).collect();
    let wild: Vec<Mat3> = (0..COUNT).map(|_| Mat3::from_fn(|_, _| random.range(-1.0, 1.0))).collect();
    let surface: Vec<Mat3x2> = wild.iter().map(|m| m.fixed_columns::<2>(0).into()).collect();
    let symmetric: Vec<Mat3> = wild.iter().map(|m| m + m.transpose()).collect();
    each(record, seconds, "svd3_near_rotation", &near, svd3);
    each(record, seconds, "svd3_random", &wild, svd3);
    each(record, seconds, "svd3_random_nalgebra", &wild, |f| f.svd(true, true));
    each(record, seconds, "svd3x2_random", &surface, svd3x2);
    each(record, seconds, "eigen_symmetric3", &symmetric, eigen_symmetric3);
    each(record, seconds, "project_spd3", &symmetric, project_spd3);
}

fn large(record: &mut Record, seconds: f64) {
    let mut random = Random::new(2);
    let indefinite: Vec<SMatrix<f64, 12, 12>> = (0..LARGE)
        .map(|_| {
            let b = SMatrix::<f64, 12, 12>::from_fn(|_, _| random.range(-1.0, 1.0));
            b + b.transpose()
        })
        .collect();
    let definite: Vec<_> = indefinite.iter().map(|m| m * m).collect();
    each(record, seconds, "project_spd12_indefinite", &indefinite, project_spd);
    each(record, seconds, "project_spd12_definite", &definite, project_spd);
}
