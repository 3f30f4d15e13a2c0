//! Every problem of the public collection of frictional contact problems, to 1e-8.

use std::path::Path;

use stiction_contact::coulomb::{CoulombOptions, read_problem, solve_folder};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/assets/siconos-friction");

#[test]
fn every_problem_file_reaches_1e_8() {
    let folder = Path::new(FOLDER);
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
            report.file,
            solve.contacts,
            solve.residual,
            solve.sweeps,
            solve.newton,
            solve.rounds,
            report.seconds
        );
        if solve.residual.is_nan() || solve.residual > 1e-8 {
            failed.push((report.file.clone(), solve.residual));
        }
    }
    assert!(failed.is_empty(), "not solved: {failed:?}");
}

#[test]
fn the_global_form_reduces_to_its_condensed_twin() {
    let folder = Path::new(FOLDER);
    if !folder.is_dir() {
        println!("skipped: the collection of problem files is not here");
        return;
    }
    let global = read_problem(&folder.join("GFC3D_TwoRods1.dat")).unwrap();
    let condensed = read_problem(&folder.join("GFC3D_TwoRods1-condensed.dat")).unwrap();
    // Matrices are printed with seven digits.
    for c in 0..3 {
        assert!((global.q()[c] - condensed.q()[c]).norm() < 1e-12);
        for ((i, a), (j, b)) in global.row(c).zip(condensed.row(c)) {
            assert!(i == j && (a - b).norm() < 1e-5 * b.norm());
        }
    }
}
