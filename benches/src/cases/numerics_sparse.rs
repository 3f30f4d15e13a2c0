//! Block-sparse kernels on tetrahedra: pattern, assembly, mat-vec, conjugate gradients; nodes in
//! grid order and shuffled.

use crate::measure::{measure, measure_serial};
use crate::meshes::tet_cube;
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::hint::black_box;
use std::sync::Arc;
use stiction::numerics::*;

/// Records by size and numbering.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    [(22, false), (55, false), (55, true)]
        .into_iter()
        .map(|(cells, shuffle)| measured(case, cells, shuffle, settings))
        .collect()
}

fn measured(
    case: &'static str,
    cells: usize,
    shuffle: bool,
    settings: &BenchSettings,
) -> Result<Record, Stopped> {
    let (rest, mut tets) = tet_cube(cells);
    let n = rest.len();
    if shuffle {
        let number = Random::new(3).permutation(n);
        tets.iter_mut().for_each(|tet| *tet = tet.map(|node| number[node as usize]));
    }
    let order = if shuffle { "random numbering" } else { "grid numbering" };
    let variant = format!("{} tets, {order}, {} thread(s)", tets.len(), rayon::current_num_threads());
    let mut record = Record::new(case, variant);
    record.number("vertices", n as f64).number("elements", tets.len() as f64);
    let stencils = || BlockPattern::from_stencils(n, tets.iter().map(|t| &t[..]));
    let (spent, pattern) = measure(0.0, || Arc::new(stencils()));
    record.time("ms_pattern", spent.per(1e-3, 1));
    let (spent, colouring) = measure_serial(0.0, || Arc::new(colour_elements(n, &tets)));
    record.time("ms_colouring", spent.per(1e-3, 1)).number("colours", colouring.colour_count() as f64);
    let (spent, slots) = measure(0.0, || ElementSlots::new(pattern.clone(), colouring.clone()));
    record.time("ms_slots", spent.per(1e-3, 1));
    let mut matrix = BlockMatrix::zeros(pattern);
    let blocks = matrix.values().len();
    record.number("stored_blocks", blocks as f64);
    let seconds = settings.seconds;
    record.time("ns_per_block_set_zero", measure(seconds, || matrix.set_zero()).0.per(1e-9, blocks));
    let (spent, ()) = measure(seconds, || assemble(&mut matrix, &slots, |e, _| element(e)));
    record.time("ns_per_tet_assembly", spent.per(1e-9, tets.len()));
    let mut gradient = vec![Vec3::zeros(); n];
    let scatter = || scatter_add(&mut gradient, &colouring, |e, _| [Vec3::repeat(e as f64); 4]);
    record.time("ns_per_tet_gradient_scatter", measure(seconds, scatter).0.per(1e-9, tets.len()));
    matrix.set_zero();
    assemble(&mut matrix, &slots, |e, _| element(e));
    matrix.add_diagonal(&vec![1.0; n]);
    solves(&mut record, &matrix, seconds)?;
    Ok(record)
}

fn solves(record: &mut Record, matrix: &BlockMatrix, seconds: f64) -> Result<(), Stopped> {
    let n = matrix.block_count();
    let x: Vec<Vec3> = (0..n).map(|i| Vec3::new(i as f64, 1.0, -1.0)).collect();
    let mut y = vec![Vec3::zeros(); n];
    let (spent, ()) = measure(seconds, || matrix.mul(&x, &mut y));
    record.time("ns_per_block_mat_vec", spent.per(1e-9, matrix.values().len()));
    let (spent, _) = measure(seconds, || black_box(ordered_dot(&x, &y)));
    record.time("ns_per_row_ordered_dot", spent.per(1e-9, n));
    let jacobi = PrecondBlockJacobi::new(matrix, None);
    const ITERATIONS: usize = 20;
    let params = PcgParams { relative_tolerance: 0.0, max_iterations: ITERATIONS, ..Default::default() };
    let mut solver = LinearPcg::new();
    let (spent, outcome) = measure(seconds, || {
        let mut z = vec![Vec3::zeros(); n];
        solver.solve(matrix, &jacobi, &x, &mut z, &params).map(|_| ())
    });
    outcome?;
    record.time("ns_per_row_pcg_iteration", spent.per(1e-9, ITERATIONS * n));
    let (spent, incomplete) = measure_serial(0.0, || PrecondIncompleteCholesky::new(matrix, None));
    record.time("ns_per_row_incomplete_factor", spent.per(1e-9, n));
    let incomplete = incomplete?;
    let (spent, ()) = measure(seconds, || incomplete.apply(&x, &mut y));
    record.time("ns_per_row_incomplete_apply", spent.per(1e-9, n));
    Ok(())
}

/// Stiffness-like element matrix with little arithmetic: what is measured is the assembly.
fn element(e: usize) -> [[Mat3; 4]; 4] {
    let k = 1.0 + (e % 7) as f64;
    let mut h = [[Mat3::identity() * -k; 4]; 4];
    (0..4).for_each(|a| h[a][a] = Mat3::identity() * (3.0 * k));
    h
}
