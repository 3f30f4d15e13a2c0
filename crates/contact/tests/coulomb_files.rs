//! Every problem of the public collection of frictional contact problems, to 1e-8.

use std::path::Path;

use stiction_contact::coulomb::{CoulombOptions, solve_folder};

#[test]
fn every_problem_file_reaches_1e_8() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/assets/siconos-friction"));
    if !folder.is_dir() {
        println!("skipped: the collection of problem files is not here");
        return;
    }
    let mut failed = Vec::new();
    for report in solve_folder(folder, &CoulombOptions::default()).unwrap() {
        let report = report.unwrap();
        let solve = &report.solve;
        println!(
            "{:40} {:4} contacts  residual {:.2e}  {} sweeps {} newton {} rounds  {:.3} s",
            report.file, solve.contacts, solve.residual, solve.sweeps, solve.newton, solve.rounds, report.seconds
        );
        if solve.residual.is_nan() || solve.residual > 1e-8 {
            failed.push((report.file.clone(), solve.residual));
        }
    }
    assert!(failed.is_empty(), "not solved: {failed:?}");
}
