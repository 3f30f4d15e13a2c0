//! Names resolve, and a small case gives sane records. No time is judged here.

use stiction_bench::{BenchSettings, all, find};

#[test]
fn every_name_resolves_to_itself() {
    for (k, case) in all().iter().enumerate() {
        let found = find(&[case.name.to_owned()]).expect("a known name");
        assert_eq!(found.iter().map(|c| c.name).collect::<Vec<_>>(), [case.name]);
        assert!(all()[..k].iter().all(|other| other.name != case.name), "{} is there twice", case.name);
        assert!(!case.summary.is_empty());
    }
    assert_eq!(find(&[]).expect("all").len(), all().len());
}

#[test]
fn prefixes_select_families_in_order_and_once() {
    let names = |wanted: &[&str]| -> Vec<&str> {
        let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
        find(&wanted).expect("known").iter().map(|case| case.name).collect()
    };
    let steps = ["steps_cloth_10k", "steps_cloth_40k", "steps_cloth_160k"];
    assert_eq!(names(&["steps"]), steps);
    assert_eq!(names(&["steps_cloth_40k", "steps_"]), steps);
    let error = find(&["stepz".to_owned()]).err().expect("no such case").to_string();
    assert!(error.contains("stepz") && error.contains("steps_cloth_10k"), "{error}");
}

#[test]
fn a_small_case_gives_sane_json() {
    let case = find(&["numerics_banded".to_owned()]).expect("known")[0];
    let records = case.run(&BenchSettings { seconds: 0.0, full: false }).expect("measured");
    let json = records[0].to_json();
    assert_eq!(json["case"], "numerics_banded");
    for key in ["method", "vertices", "contacts", "ns_per_contact", "ms_per_frame"] {
        assert!(json[key].is_null(), "{key}");
    }
    for key in ["ns_per_row_factor", "ns_per_row_solve"] {
        assert!(json[key].as_f64().is_some_and(|time| time > 0.0), "{key}: {json}");
    }
}

#[test]
fn frames_of_a_gallery_scene_carry_method_and_sizes() {
    let case = find(&["frame_hanging_cloth".to_owned()]).expect("known")[0];
    let records = case.run(&BenchSettings { seconds: 0.0, full: false }).expect("measured");
    let json = records[0].to_json();
    assert_eq!(json["method"], "newton");
    assert_eq!(json["vertices"], 1089);
    assert!(json["ms_per_frame"].as_f64().is_some_and(|time| time > 0.0), "{json}");
}

#[test]
fn fine_rings_take_the_places_of_fallen_ones() {
    let case = find(&["pd_heap".to_owned()]).expect("known")[0];
    let records = case.run(&BenchSettings { seconds: 0.0, full: false }).expect("measured");
    let json = records[0].to_json();
    assert_eq!(json["vertices"], 1764);
    // Where they start, 0.32 m apart, they would not touch.
    assert!(json["contacts"].as_f64().is_some_and(|contacts| contacts > 300.0), "{json}");
    assert_eq!(json["intersections_of_the_coarse_heap"].as_f64(), Some(0.0), "{json}");
}
