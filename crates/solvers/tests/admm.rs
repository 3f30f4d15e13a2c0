//! Method `admm`: factors by object against joint ones, and the baselines against the method.

use std::path::Path;
use stiction_bodies::rods::Strand;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_energy::Elasticity;
use stiction_factor::SparseCholesky;
use stiction_numerics::{BlockMatrix, Mat3, Random, Vec3};
use stiction_scene::load_text;
use stiction_solvers::object_factors::{Coupled, ObjectFactors};
use stiction_solvers::rod_factors::StrandBlocks;
use stiction_solvers::{StepReport, World, create};

fn model_of(text: &str) -> (stiction_scene::Scene, Model, Parameters) {
    let scene = load_text("test.toml", text, Path::new("."), &[] as &[&str]).expect("a good scene").scene;
    let model = build(&scene).expect("a good model");
    let parameters = Parameters::from_scene(&scene, &model);
    (scene, model, parameters)
}

/// Takes steps of a scene; returns the final state and all reports.
fn run(text: &str, steps: usize, h: f64) -> (State, Vec<StepReport>) {
    let (scene, model, parameters) = model_of(text);
    let world = World { model: &model, parameters: &parameters };
    let mut solver = create(&scene.method, world).expect("a method");
    let mut state = State::initial(&model, &scene);
    let reports = (0..steps).map(|_| solver.step(world, &mut state, h).expect("a step")).collect();
    (state, reports)
}

fn apart(a: &State, b: &State, nodes: usize) -> f64 {
    (0..nodes).map(|i| (a.blocks[i] - b.blocks[i]).norm()).fold(0.0, f64::max)
}

/// A random definite matrix on the pattern of a model, with nothing in the padding of scalar
/// blocks.
fn random_matrix(model: &Model, parameters: &Parameters, seed: u64) -> BlockMatrix {
    let pattern = Elasticity::new(model, parameters).expect("elements").pattern().clone();
    let mut random = Random::new(seed);
    let mut matrix = BlockMatrix::zeros(pattern.clone());
    let is_real = |block: usize, k: usize| block < model.nodes || k == 0;
    for row in 0..model.blocks() {
        for &column in pattern.row(row) {
            let column = column as usize;
            let entry = |i: usize, j: usize| is_real(row, i) && is_real(column, j);
            let mut block = Mat3::from_fn(|i, j| if entry(i, j) { random.range(-1.0, 1.0) } else { 0.0 });
            if row == column {
                block = block + block.transpose();
                (0..3).filter(|&k| is_real(row, k)).for_each(|k| block[(k, k)] += 60.0);
            }
            matrix.add_block(row, column, &block);
        }
    }
    matrix
}

const TWO_RODS_AND_CLOTH: &str = "
    stiction = 1
    fps = 100
    method = { key = 'admm', coupled = 'COUPLED', tolerance = 1e-9, max_iterations = 1000, strand_inertia = 0 }
    [bodies.one]
    kind = 'rod'
    mesh = { rod = { start = [0, 0, 0.5], end = [0.3, 0, 0.5], segments = 12 } }
    material = { preset = 'nylon_line', radius = 0.002, young = 1e7 }
    [[bodies.one.pins]]
    select = 'roots'
    [bodies.two]
    kind = 'rod'
    mesh = { rod = { start = [0.3, 0.01, 0.5], end = [0.3, 0.2, 0.5], segments = 9 } }
    material = { preset = 'nylon_line', radius = 0.002, young = 1e7 }
    [bodies.sheet]
    kind = 'cloth'
    mesh = { grid = { size = [0.1, 0.1], cells = [4, 4] } }
    translate = [0.3, 0.26, 0.5]
    material = { preset = 'cotton' }
    ";

const TIES: &str = "
    [[attachments]]
    body = 'two'
    select = 'roots'
    to_body = 'one'
    stiffness = 2000.0
    [[attachments]]
    body = 'two'
    select = 'tips'
    to_body = 'sheet'
    stiffness = 500.0
    ";

#[test]
fn banded_factors_solve_what_general_ones_solve() {
    let (_, model, parameters) = model_of(TWO_RODS_AND_CLOTH.replace("COUPLED", "apart").as_str());
    let matrix = random_matrix(&model, &parameters, 5);
    let mut random = Random::new(6);
    let fixed: Vec<bool> = (0..model.blocks()).map(|b| b % 7 == 2).collect();
    let extra = |b: usize| {
        if b < model.nodes { Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0)) } else { Mat3::zeros() }
    };
    let mut rhs: Vec<Vec3> = (0..model.blocks()).map(|_| random.vector(-1.0, 1.0)).collect();
    rhs[model.nodes..].iter_mut().for_each(|x| *x = Vec3::new(x.x, 0.0, 0.0));

    let mut factors = ObjectFactors::new(matrix.pattern(), &model, Coupled::Apart).expect("analysed");
    assert!(factors.banded_count() == 2 && factors.is_exact());
    factors.factor(&matrix, extra, &fixed).expect("definite");
    let mut by_objects = rhs.clone();
    factors.solve_in_place(&mut by_objects);

    let mut shifted = matrix.clone();
    (0..model.blocks()).for_each(|b| *shifted.diagonal_block_mut(b) += extra(b));
    let mut general = rhs.clone();
    let cholesky = SparseCholesky::new(&shifted, model.nodes, Some(&fixed)).expect("definite");
    cholesky.solve_in_place(&mut general);
    for (a, b) in by_objects.iter().zip(&general) {
        assert!((a - b).norm() < 1e-13, "{a} {b}");
    }
}

#[test]
fn only_open_strands_in_order_are_banded() {
    let (_, model, _) = model_of(TWO_RODS_AND_CLOTH.replace("COUPLED", "apart").as_str());
    let strand = &model.rods.strands[1];
    let blocks = StrandBlocks::new(&model, strand).expect("open and in order");
    let n = strand.nodes[0];
    let expected = [n as usize, model.twist_block(strand.first_edge as usize), n as usize + 1];
    assert_eq!(blocks.blocks().take(3).collect::<Vec<_>>(), expected);
    let ring = Strand { nodes: vec![n, n + 1, n + 2, n], ..strand.clone() };
    let shuffled = Strand { nodes: vec![n, n + 2, n + 1], ..strand.clone() };
    assert!(StrandBlocks::new(&model, &ring).is_none() && StrandBlocks::new(&model, &shuffled).is_none());
}

/// Each solve is accurate to 1e-6 of its change, and ten steps move nodes by up to 10 mm each: 10 ·
/// 0.01 · 1e-6 m. The tolerance of
/// 1e-9 m keeps the stopping rule, which may end the two at different iterations, below that. Only
/// strands that are factored alone tell their inertia, so it stays out of the weights.
#[test]
fn tied_objects_move_alike_whether_factored_jointly_or_apart() {
    let scene = |coupled: &str| format!("{}{TIES}", TWO_RODS_AND_CLOTH.replace("COUPLED", coupled));
    let (apart_state, apart_reports) = run(&scene("apart"), 10, 0.01);
    let (joint_state, joint_reports) = run(&scene("jointly"), 10, 0.01);
    let count = |reports: &[StepReport]| -> f64 {
        let of = |r: &StepReport| {
            r.counters.iter().find(|(name, _)| *name == "cg_iterations").map_or(0.0, |c| c.1)
        };
        reports.iter().map(of).sum()
    };
    println!("conjugate gradients: {} apart, {} jointly", count(&apart_reports), count(&joint_reports));
    assert!(count(&apart_reports) > count(&joint_reports));
    let nodes = 13 + 10 + 25;
    let distance = apart(&apart_state, &joint_state, nodes);
    println!("apart by {distance:e} m");
    assert!(distance < 10.0 * 0.01 * 1e-6, "{distance:e}");
    // The bodies stand by name: the second rod last. Without its tie it would have fallen ½ g t² =
    // 49 mm.
    assert!((apart_state.blocks[13 + 25] - apart_state.blocks[12]).norm() < 0.02);
}

/// A soft rope dragged over a rough floor: all three solve one linearised step with contact and
/// friction.
#[test]
fn baselines_reach_the_solution_of_the_method() {
    let scene = |projection: &str| {
        format!(
            "stiction = 1
            fps = 100
            [method]
            key = 'admm'
            projection = '{projection}'
            newton_iterations = 1
            max_iterations = 20000
            sweeps = 20
            tolerance = 1e-10
            relative_tolerance = 0.0
            sleep = 0.0
            [bodies.rope]
            kind = 'rod'
            mesh = {{ rod = {{ start = [0, 0, 0.0021], end = [0.25, 0, 0.0021], segments = 5 }} }}
            material = {{ density = 1000.0, radius = 0.002, young = 2e4, poisson = 0.3 }}
            velocity = [0.05, 0.1, -0.2]
            friction = 0.3
            [colliders.floor]
            plane = {{ normal = [0, 0.1, 1], offset = 0.0 }}
            friction = 0.3"
        )
    };
    let (reference, reports) = run(&scene("isotropic"), 1, 0.01);
    assert!(reports[0].converged && reports[0].contacts > 0, "{:?}", reports[0]);
    for projection in ["non_isotropic", "nl_ica"] {
        let (state, reports) = run(&scene(projection), 1, 0.01);
        let distance = apart(&state, &reference, 6);
        println!("{projection}: {} iterations, {distance:e} m apart", reports[0].iterations);
        assert!(reports[0].converged, "{projection}: {:?}", reports[0].residual);
        assert!(distance < 1e-7, "{projection}: {distance:e}");
        assert!(reports[0].contact_force[0].norm() > 0.0);
    }
}
