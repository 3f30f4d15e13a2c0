//! Continuous collision detection against recorded truth, planned contacts and the exact oracle.

use std::path::Path;
use stiction_collision::ccd::queries::{JudgedQuery, judge, judge_folder, query_files, read_queries};
use stiction_collision::ccd::stress::{generate, stress};
use stiction_collision::ccd::{AdvanceOptions, Query, VerdictOptions, exact};
use stiction_numerics::Vec3;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/assets/ccd-queries");

fn recorded() -> Option<Vec<JudgedQuery>> {
    let folder = Path::new(DATA);
    if !folder.exists() {
        println!("skipped: the folder of recorded queries is absent");
        return None;
    }
    let files = query_files(folder).expect("query files");
    Some(files.iter().flat_map(|file| read_queries(file).expect("readable queries")).collect())
}

#[test]
fn recorded_queries_are_judged_right() {
    if recorded().is_none() {
        return;
    }
    for exact in [false, true] {
        let options = VerdictOptions { exact, ..Default::default() };
        let report = judge_folder(Path::new(DATA), &options).expect("readable queries");
        println!("exact stage {exact}: {report:?}, false alarms {:.3} %", 100.0 * report.false_alarm_rate());
        assert_eq!(report.queries, 2324);
        assert_eq!(report.true_hits, 291);
        assert!(report.is_safe(), "{report:?}");
        // most of these queries graze: without the exact stage about a tenth of the misses cannot
        // be told from a touch
        assert!(!exact || report.false_alarm_rate() < 0.01, "{report:?}");
    }
}

#[test]
fn recorded_truth_equals_the_exact_test() {
    let Some(queries) = recorded() else { return };
    let report = judge(&queries, |query| exact::first_impact(query).map(|impact| impact.time));
    println!("{report:?}");
    assert!(report.is_safe(), "{report:?}");
    // recorded with 20 digits; the largest gap between the two is the width of a piece
    assert!(report.largest_earliness < 1e-15, "{report:?}");
}

#[test]
fn advancement_never_passes_a_recorded_hit() {
    let Some(queries) = recorded() else { return };
    for judged in queries.iter().filter(|judged| judged.hits) {
        let safe = judged.query.advance(&AdvanceOptions::default()).safe_time();
        assert!(safe < 1.0 && judged.time.is_none_or(|time| safe <= time), "{judged:?} advanced to {safe}");
    }
}

#[test]
fn planned_contacts_are_never_missed() {
    let report = stress(200_000, 1);
    println!("{report:?}");
    assert!(report.planned.queries > 150_000);
    assert_eq!(report.planned.misses + report.planned.late + report.unsafe_advances, 0, "{report:?}");
    assert_eq!((report.sampled.misses, report.sampled.late), (0, 0), "{report:?}");
    assert!(report.sampled.queries + report.undecided >= 195 && report.undecided <= 2, "{report:?}");
}

#[test]
fn stress_counts_do_not_depend_on_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        let mut report = pool.install(|| stress(20_000, 5));
        report.planned.ns_per_query = 0.0;
        report
    };
    assert_eq!(run(1), run(7));
}

#[test]
fn exact_stage_agrees_with_plain_verdict_where_it_says_none() {
    for index in 0..2000 {
        let planned = generate(index, 99);
        let fast = planned.query.verdict(&VerdictOptions { exact: false, ..Default::default() });
        let full = planned.query.verdict(&VerdictOptions::default());
        assert!(fast.is_some() || full.is_none());
        if let (Some(fast), Some(full)) = (fast, full) {
            assert!(fast.time <= full.time);
            assert!(planned.time.is_none_or(|time| full.time <= time), "{planned:?} gave {full:?}");
        }
    }
}

#[test]
fn lower_dimensional_pairs_hit_and_miss() {
    let (o, x) = (Vec3::zeros(), Vec3::x());
    let meet = Query::PointPoint([-x, x], [x, -x]);
    let time = meet.verdict(&VerdictOptions::default()).expect("they meet in the middle").time;
    assert!(time <= 0.5 && time > 0.5 - 1e-12);
    let pass = Query::PointPoint([-x, x + Vec3::y() * 1e-9], [x, -x + Vec3::y() * 1e-9]);
    assert_eq!(pass.verdict(&VerdictOptions::default()), None);
    let (a, b) = (-Vec3::y(), Vec3::y());
    let cross = Query::PointEdge([-x, a, b], [x * 3.0, a, b]);
    let time = cross.verdict(&VerdictOptions::default()).expect("the point crosses the edge").time;
    assert!(time <= 0.25 && time > 0.25 - 1e-12);
    let over = Query::PointEdge([-x + Vec3::z(), a, b], [x + Vec3::z(), a, b]);
    assert_eq!(over.verdict(&VerdictOptions::default()), None);
    let separated = VerdictOptions { min_separation: 1.5, ..Default::default() };
    assert!(over.verdict(&separated).is_some());
    assert!(Query::PointPoint([o, o], [o, o]).verdict(&VerdictOptions::default()).is_some());
}

#[test]
fn bad_numbers_are_hits_not_panics() {
    let bad = Vec3::new(f64::NAN, 0.0, 0.0);
    let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), bad];
    for query in [Query::PointTriangle(x, x), Query::EdgeEdge(x, x)] {
        assert!(query.verdict(&VerdictOptions::default()).is_some());
    }
}

#[test]
fn unreadable_folders_are_named() {
    let error = query_files(Path::new("no-such-folder")).expect_err("absent");
    assert!(error.to_string().contains("no-such-folder"));
}
