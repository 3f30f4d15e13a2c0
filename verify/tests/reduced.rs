//! The reduced set of `stiction verify`, every quantity within its tolerance.

use stiction_verify::{all, run};

#[test]
fn the_reduced_set_passes() {
    let cases: Vec<_> = all().into_iter().filter(|case| case.reduced).collect();
    assert!(cases.len() >= 10);
    let verdicts = run(&cases, "newton", None, &|_, _| {}).expect("the method exists");
    let mut failed = Vec::new();
    for (case, verdict) in cases.iter().zip(&verdicts) {
        assert!(!verdict.outcomes().is_empty(), "{} measured nothing", case.name);
        for outcome in verdict.outcomes() {
            println!("{outcome:?}");
            if !outcome.pass {
                failed.push(outcome.clone());
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn outcomes_have_the_agreed_fields() {
    let cases: Vec<_> = all().into_iter().filter(|case| case.name == "moduli_rod").collect();
    let verdicts = run(&cases, "newton", None, &|_, _| {}).expect("the method exists");
    let json = serde_json::to_value(&verdicts[0].outcomes()[0]).expect("outcomes are plain data");
    let names: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    let agreed = ["case", "method", "quantity", "expected", "measured", "error", "tolerance", "pass"];
    assert_eq!(names, agreed);
}
