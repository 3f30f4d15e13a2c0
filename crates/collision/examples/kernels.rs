//! Prints the speed of every kernel on cloth at rest: `cargo run --release --example kernels [-- --quick]
//! [--export DIR]`.
//!
//! The cloth is a unit square with alternating diagonals and soft waves; the gap is a tenth of an edge. The
//! motion drops a second, wavier shape of it by up to an edge length. `--export` writes positions and faces
//! as `.npy` for comparison.

use std::io::Write;
use std::path::Path;
use std::time::Instant;
use stiction_collision::bvh::{Box32, Bvh};
use stiction_collision::ccd::queries::judge_folder;
use stiction_collision::ccd::stress::stress;
use stiction_collision::ccd::{AdvanceOptions, Query, VerdictOptions};
use stiction_collision::distance::{edge_edge, point_triangle};
use stiction_collision::motion::{Motion, earliest_impact};
use stiction_collision::narrow_phase::narrow_phase;
use stiction_collision::{BodyTraits, BroadPhase, CollisionMesh, MeshInput};
use stiction_numerics::Vec3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let export = arguments.iter().position(|a| a == "--export").and_then(|k| arguments.get(k + 1));
    println!("{} threads", rayon::current_num_threads());
    single_pairs();
    let sizes: &[usize] = if quick { &[100, 316] } else { &[100, 316, 707] };
    for &cells in sizes {
        cloth_figures(cells, export.map(Path::new));
    }
    pressed_sheets(150);
    plain_tree(316);
    if let Some(folder) = arguments.iter().position(|a| a == "--queries").and_then(|k| arguments.get(k + 1)) {
        for exact in [false, true] {
            let options = VerdictOptions { exact, ..Default::default() };
            match judge_folder(Path::new(folder), &options) {
                Ok(report) => println!("queries, exact stage {exact}: {report:?}"),
                Err(error) => println!("{error}"),
            }
        }
    }
    let start = Instant::now();
    let count = if quick { 100_000 } else { 1_000_000 };
    println!("stress {count}: {:?} in {:.1} s", stress(count, 3), start.elapsed().as_secs_f64());
}

fn positions(cells: usize, height: f64, phase: f64) -> Vec<Vec3> {
    let side = cells + 1;
    let at = |k: usize| {
        let (u, v) = ((k / side) as f64 / cells as f64, (k % side) as f64 / cells as f64);
        Vec3::new(u, v, height * ((9.0 * u + phase).sin() * (7.0 * v).cos()))
    };
    (0..side * side).map(at).collect()
}

fn triangles(cells: usize) -> Vec<[u32; 3]> {
    let at = |i: usize, j: usize| (i * (cells + 1) + j) as u32;
    let cell = |k: usize| {
        let (i, j) = (k / cells, k % cells);
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    (0..cells * cells).flat_map(cell).collect()
}

/// Time on the processor of all threads so far \[s\]; the wall clock where the system does not tell.
fn core_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let wall = START.get_or_init(Instant::now).elapsed().as_secs_f64();
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return wall };
    let of_thread = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads.filter_map(of_thread).sum::<f64>() * 1e-9
}

/// Mean core time of several runs, shared by the threads of the pool \[s\]: what the wall clock would show
/// on an idle machine if the work were spread evenly. The mean, because the system books time in ticks of
/// some milliseconds.
fn mean<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let start = core_seconds();
    let mut result = work();
    for _ in 1..runs {
        result = work();
    }
    let seconds = (core_seconds() - start) / runs as f64;
    (seconds / rayon::current_num_threads() as f64, result)
}

fn single_pairs() {
    let noise = |k: usize| {
        let part = |m: usize| ((k * 7919 + m * 104729) % 10007) as f64 / 10007.0 - 0.5;
        Vec3::new(part(1), part(2), part(3))
    };
    let points: Vec<Vec3> = (0..4096).map(noise).collect();
    let pairs = 1_000_000;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("pool");
    let run = |kernel: &(dyn Fn(&[Vec3; 4]) -> f64 + Sync)| {
        let sum_all = || {
            let pick = |k: usize| std::array::from_fn(|m| points[(k * 13 + m * 1031) % 4096]);
            (0..pairs).map(|k| kernel(&pick(k))).sum::<f64>()
        };
        let (seconds, sum) = pool.install(|| mean(3, sum_all));
        assert!(sum > 0.0);
        seconds * 1e9 / pairs as f64
    };
    let triangle = run(&|x| point_triangle(&x[0], &x[1], &x[2], &x[3]).distance_squared);
    let edges = run(&|x| edge_edge(&x[0], &x[1], &x[2], &x[3]).distance_squared);
    println!("one thread: point–triangle {triangle:.1} ns, edge–edge {edges:.1} ns");
}

fn cloth_figures(cells: usize, export: Option<&Path>) {
    let (x, faces) = (positions(cells, 0.02, 0.0), triangles(cells));
    let edge = 1.0 / cells as f64;
    let gap = 0.1 * edge;
    let end: Vec<Vec3> = x
        .iter()
        .zip(positions(cells, 0.02, 1.0))
        .map(|(p, q)| p + (q - p) * (50.0 * edge).min(1.0))
        .collect();
    let count = faces.len();
    if let Some(folder) = export {
        write_npy(folder, cells, &x, &end, &faces).expect("the folder can be written");
    }
    let input = MeshInput {
        vertex_count: x.len(),
        triangle_traits: vec![(0.0, 0); count],
        triangles: faces,
        bodies: vec![BodyTraits::DEFORMABLE],
        ..Default::default()
    };
    let per_triangle = 1e6 / count as f64;
    let mesh = CollisionMesh::new(input).expect("valid");
    let (build, mut phase) = mean(3, || BroadPhase::new(&mesh, &x).expect("valid"));
    let (refit, _) = mean(40, || phase.refit(&mesh, &x, gap).expect("valid"));
    let (query, near) = mean(9, || phase.proximity_candidates(&mesh, &x, gap).expect("valid"));
    let (narrow, pairs) = mean(5, || narrow_phase(&mesh, &near, &x, gap));
    let (sweep, swept) = mean(5, || phase.swept_candidates(&mesh, &x, &end, 0.0).expect("valid"));
    let options = AdvanceOptions::default();
    let motion = Motion { start: &x, end: &end };
    let (ccd, impact) = mean(5, || earliest_impact(&mesh, &swept, &motion, &options));
    println!("{count} triangles");
    println!("  build {:.3} µs a triangle, refit {:.3}", build * per_triangle, refit * per_triangle);
    println!("  refit + self-query {:.3} µs a triangle ({} candidates)", query * per_triangle, near.len());
    println!("  narrow phase {:.1} ns a candidate ({} pairs)", narrow * 1e9 / near.len() as f64, pairs.len());
    println!("  swept query {:.3} µs a triangle ({} candidates)", sweep * per_triangle, swept.len());
    println!("  additive CCD {:.1} ns a candidate (time {:.4})", ccd * 1e9 / swept.len() as f64, impact.time);
    println!("  swept query + CCD {:.2} ms", (sweep + ccd) * 1e3);
    println!(
        "  memory {:.1} bytes a primitive",
        phase.memory_bytes() as f64 / (count + mesh.edges().len() + x.len()) as f64
    );
    println!("  memory {:.1} bytes a triangle", phase.memory_bytes() as f64 / count as f64);
}

/// Two sheets half an edge apart, the upper one pressed through the lower: most candidates really come close.
fn pressed_sheets(cells: usize) {
    let edge = 1.0 / cells as f64;
    let lower = positions(cells, 0.02, 0.0);
    let lift = |z: f64| lower.iter().map(move |p| p + Vec3::new(0.3 * edge, 0.2 * edge, z));
    let x: Vec<Vec3> = lower.iter().copied().chain(lift(0.5 * edge)).collect();
    let end: Vec<Vec3> = lower.iter().copied().chain(lift(-0.5 * edge)).collect();
    let base = lower.len() as u32;
    let faces: Vec<[u32; 3]> = triangles(cells).into_iter().flat_map(|t| [t, t.map(|v| v + base)]).collect();
    let input = MeshInput {
        vertex_count: x.len(),
        triangle_traits: vec![(0.0, 0); faces.len()],
        triangles: faces,
        bodies: vec![BodyTraits::DEFORMABLE],
        ..Default::default()
    };
    let mesh = CollisionMesh::new(input).expect("valid");
    let mut phase = BroadPhase::new(&mesh, &x).expect("valid");
    let (sweep, swept) = mean(5, || phase.swept_candidates(&mesh, &x, &end, 0.0).expect("valid"));
    let per_triangle = 1e6 / mesh.triangles().len() as f64;
    println!("two sheets pressed together, {} triangles", mesh.triangles().len());
    println!("  swept query {:.3} µs a triangle ({} candidates)", sweep * per_triangle, swept.len());
    let options = AdvanceOptions::default();
    let motion = Motion { start: &x, end: &end };
    let (ccd, impact) = mean(5, || earliest_impact(&mesh, &swept, &motion, &options));
    println!(
        "  earliest impact {:.1} ns a candidate (time {:.4})",
        ccd * 1e9 / swept.len() as f64,
        impact.time
    );
    let all_pairs = || {
        let gather = |&[a, b]: &[u32; 2]| {
            let ([a0, a1], [b0, b1]) = (mesh.edges()[a as usize], mesh.edges()[b as usize]);
            let corners = [a0, a1, b0, b1];
            let (x0, x1) = (corners.map(|v| x[v as usize]), corners.map(|v| end[v as usize]));
            Query::EdgeEdge(x0, x1).advance(&options).safe_time()
        };
        swept.edge_edge.iter().map(gather).sum::<f64>()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("pool");
    let (each, sum) = pool.install(|| mean(3, all_pairs));
    let count = swept.edge_edge.len() as f64;
    println!(
        "  every edge–edge pair to its own end, one thread: {:.1} ns (mean time {:.3})",
        each * 1e9 / count,
        sum / count
    );
}

/// The bare tree on the task that library trees were measured by: all overlapping pairs of triangle boxes.
fn plain_tree(cells: usize) {
    let (x, faces) = (positions(cells, 0.02, 0.0), triangles(cells));
    let boxes: Vec<Box32> = faces
        .iter()
        .map(|t| {
            t.iter().fold(Box32::EMPTY, |sum, &v| {
                let p = std::array::from_fn(|k| x[v as usize][k] as f32);
                sum.union(&Box32 { lo: p, hi: p })
            })
        })
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("pool");
    pool.install(|| {
        let (build, mut tree) = mean(3, || Bvh::build(&boxes, |_| 0));
        let order = tree.order().to_vec();
        let (refit, _) = mean(40, || tree.refit(|k| boxes[order[k] as usize]));
        let (query, counts) = mean(5, || tree.self_pairs(|_, _| true, || 0usize, |_, _, n| *n += 1));
        let pairs: usize = counts.iter().sum();
        println!(
            "bare tree, one thread, {} boxes: build {:.1} ms, refit {:.2} ms, self pairs {:.1} ms ({pairs})",
            boxes.len(),
            build * 1e3,
            refit * 1e3,
            query * 1e3
        );
    });
}

fn write_npy(
    folder: &Path,
    cells: usize,
    x: &[Vec3],
    end: &[Vec3],
    faces: &[[u32; 3]],
) -> std::io::Result<()> {
    let save = |name: &str, kind: &str, rows: usize, bytes: Vec<u8>| {
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, 3), }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut file = std::fs::File::create(folder.join(format!("{name}_{cells}.npy")))?;
        file.write_all(b"\x93NUMPY\x01\x00")?;
        file.write_all(&(header.len() as u16).to_le_bytes())?;
        file.write_all(header.as_bytes())?;
        file.write_all(&bytes)
    };
    let flat = |x: &[Vec3]| {
        x.iter().flat_map(|p| p.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<u8>>()).collect()
    };
    save("start", "<f8", x.len(), flat(x))?;
    save("end", "<f8", end.len(), flat(end))?;
    save("faces", "<u4", faces.len(), faces.iter().flatten().flat_map(|v| v.to_le_bytes()).collect())
}
