//! Writes a small synthetic run folder: a waving cloth, a rod, a solid box, a posed collider sphere
//! and a fixed floor, with contacts, channels, statistics and a checkpoint. Nothing is simulated.
//!
//! `cargo run -p stiction-output --release --example sample_run -- FOLDER [FRAMES]
//! [CLOTH_VERTICES_PER_SIDE]`

use std::f32::consts::{PI, TAU};
use std::path::Path;
use std::time::Instant;
use stiction_output::{
    BodyLayout, Channel, ContactPoint, Frame, Layout, LayoutKind, RunSummary, RunWriter, Sections,
    StepRecord, StoredMotion, StoredPose, TimeShare, UpAxis, peak_memory_bytes, state_hash,
};

const FPS: f64 = 24.0;
const ROD_VERTICES: usize = 40;
const STEPS_PER_FRAME: u64 = 2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("give the folder to write")?;
    let frames: u32 = arguments.next().map_or(Ok(24), |a| a.parse())?;
    let side: usize = arguments.next().map_or(Ok(25), |a| a.parse())?;
    let (start, mut last) = (Instant::now(), 0.0);
    let layout = layout(side);
    let summary = RunSummary {
        scene: "sample".into(),
        scene_hash: "0123456789abcdef".into(),
        method: "newton".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        threads: 1,
        dofs: 3 * layout.stored_vertex_count() as u64,
        elements: layout
            .bodies
            .iter()
            .map(|b| (b.triangles.len() + b.tets.len() + b.segments.len()) as u64)
            .sum(),
        ..RunSummary::default()
    };
    let mut writer = RunWriter::create(Path::new(&folder), layout.clone(), summary)?;
    let mut positions = Vec::new();
    for index in 0..frames {
        let frame = frame(&layout, index, side);
        for sub in 0..STEPS_PER_FRAME * u64::from(index > 0) {
            let step = frame.step - STEPS_PER_FRAME + sub + 1;
            let mut record = record(step, frame.contacts.len() as u64);
            let now = start.elapsed().as_secs_f64();
            record.seconds.insert("other".into(), now - std::mem::replace(&mut last, now));
            writer.write_step(&record)?;
        }
        writer.write_frame(&frame)?;
        positions = frame.positions.as_flattened().iter().map(|&x| f64::from(x)).collect();
    }
    let mut sections = Sections::new();
    sections.put_f64s("positions", &positions);
    let steps = writer.summary().steps;
    writer.write_checkpoint(steps, steps as f64 / (FPS * STEPS_PER_FRAME as f64), sections)?;
    let summary = writer.summary_mut();
    summary.set_wall_time(start.elapsed().as_secs_f64(), TimeShare::default());
    summary.peak_memory_bytes = peak_memory_bytes();
    summary.state_hash = state_hash(&[&positions]);
    writer.finish(None)?;
    println!("wrote {frames} frames, {steps} steps to {folder}");
    Ok(())
}

fn layout(side: usize) -> Layout {
    let mut layout = Layout::new(UpAxis::Z, FPS);
    layout.push(cloth(side));
    layout.push(rod());
    layout.push(tet_box());
    layout.push(sphere());
    layout.push(floor());
    layout
}

fn cloth(side: usize) -> BodyLayout {
    let mut body = BodyLayout::new("cloth", LayoutKind::Cloth, side * side);
    let id = |i: usize, j: usize| (j * side + i) as u32;
    for j in 0..side - 1 {
        for i in 0..side - 1 {
            body.triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
            body.triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
        }
    }
    let last = (side - 1) as f32;
    body.uv = (0..side * side).map(|k| [(k % side) as f32 / last, (k / side) as f32 / last]).collect();
    body.pinned = vec![id(0, 0), id(0, side - 1)];
    body.thickness = 1e-3;
    body.colour = [0.80, 0.35, 0.25];
    body
}

fn rod() -> BodyLayout {
    let mut body = BodyLayout::new("rod", LayoutKind::Rod, ROD_VERTICES);
    body.segments = (0..ROD_VERTICES as u32 - 1).map(|i| [i, i + 1]).collect();
    body.strands = vec![(0..ROD_VERTICES as u32).collect()];
    body.radius = (0..ROD_VERTICES).map(|i| 0.02 - 0.012 * i as f32 / ROD_VERTICES as f32).collect();
    body.colour = [0.25, 0.45, 0.75];
    body
}

/// A unit-cube corner pattern cut into six tets around the diagonal 0–7; vertex k has corner bits
/// x, y, z.
fn tet_box() -> BodyLayout {
    let mut body = BodyLayout::new("box", LayoutKind::Solid, 8);
    body.tets = vec![[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];
    body.triangles = vec![
        [0, 3, 1],
        [0, 2, 3],
        [0, 6, 2],
        [0, 4, 6],
        [0, 5, 4],
        [0, 1, 5],
        [7, 1, 3],
        [7, 3, 2],
        [7, 2, 6],
        [7, 6, 4],
        [7, 4, 5],
        [7, 5, 1],
    ];
    body.colour = [0.35, 0.65, 0.40];
    body
}

fn sphere() -> BodyLayout {
    let (rings, sectors, radius) = (12u32, 24u32, 0.2f32);
    let mut shape = vec![[0.0, 0.0, radius]];
    for ring in 1..rings {
        let polar = PI * ring as f32 / rings as f32;
        for sector in 0..sectors {
            let angle = TAU * sector as f32 / sectors as f32;
            shape.push(
                [polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos()].map(|c| radius * c),
            );
        }
    }
    shape.push([0.0, 0.0, -radius]);
    let mut body = BodyLayout::new("sphere", LayoutKind::Collider, shape.len());
    let id = |ring: u32, sector: u32| 1 + (ring - 1) * sectors + sector % sectors;
    let bottom = shape.len() as u32 - 1;
    for s in 0..sectors {
        body.triangles.push([0, id(1, s), id(1, s + 1)]);
        for ring in 1..rings - 1 {
            body.triangles.push([id(ring, s), id(ring + 1, s), id(ring + 1, s + 1)]);
            body.triangles.push([id(ring, s), id(ring + 1, s + 1), id(ring, s + 1)]);
        }
        body.triangles.push([bottom, id(rings - 1, s + 1), id(rings - 1, s)]);
    }
    body.shape = shape;
    body.motion = StoredMotion::Posed;
    body.colour = [0.75, 0.70, 0.45];
    body
}

fn floor() -> BodyLayout {
    let mut body = BodyLayout::new("floor", LayoutKind::Collider, 4);
    body.shape = vec![[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]];
    body.triangles = vec![[0, 1, 2], [0, 2, 3]];
    body.motion = StoredMotion::Fixed;
    body.colour = [0.5, 0.5, 0.5];
    body
}

fn frame(layout: &Layout, index: u32, side: usize) -> Frame {
    let mut frame = Frame::new(layout, index, u64::from(index) * STEPS_PER_FRAME);
    let t = frame.time as f32;
    let [cloth, rod, solid, sphere] = [0, 1, 2, 3].map(|b: usize| layout.bodies[b].range());
    frame.velocities = vec![[0.0; 3]; layout.vertex_count()];
    let mut strain = vec![0.0; layout.vertex_count()];
    let mut pressure = vec![0.0; layout.vertex_count()];
    for (k, v) in cloth.enumerate() {
        let (x, y) = ((k % side) as f32 / (side - 1) as f32, (k / side) as f32 / (side - 1) as f32);
        let phase = TAU * (1.5 * x - t) + 2.0 * y;
        frame.positions[v] = [x - 0.5, y - 0.5, 0.9 + 0.12 * x * phase.sin()];
        frame.velocities[v] = [0.0, 0.0, -0.12 * TAU * x * phase.cos()];
        strain[v] = 0.05 * x * phase.sin().abs();
        pressure[v] = (400.0 * (0.3 - (x - 0.5).hypot(y - 0.5))).max(0.0);
    }
    for (k, v) in rod.enumerate() {
        let s = k as f32 / (ROD_VERTICES - 1) as f32;
        let angle = 3.0 * TAU * s + TAU * t;
        frame.positions[v] = [0.9 + 0.12 * s * angle.cos(), 0.12 * s * angle.sin(), 1.1 - 0.8 * s];
    }
    let squash = 1.0 + 0.1 * (TAU * t).sin();
    for (k, v) in solid.enumerate() {
        let corner = [k & 1, (k >> 1) & 1, (k >> 2) & 1].map(|bit| bit as f32);
        frame.positions[v] = [-1.1 + 0.4 * corner[0], -0.2 + 0.4 * corner[1], 0.4 * squash * corner[2]];
    }
    let half = 0.5 * TAU * t;
    frame.poses[0] = StoredPose {
        translation: [0.3 * (TAU * t).sin(), 0.0, 0.5],
        rotation_xyzw: [0.0, half.sin(), 0.0, half.cos()],
    };
    layout.place(&frame.poses, &mut frame.positions);
    frame.channels = vec![
        Channel { name: "strain".into(), values: strain },
        Channel { name: "contact_pressure".into(), values: pressure },
    ];
    frame.contacts = contacts(&frame, sphere.start);
    if index % 8 == 7 {
        frame.intersections.push(frame.positions[sphere.start]);
    }
    frame
}

/// The corners of the box on the floor, and one contact on top of the sphere with friction.
fn contacts(frame: &Frame, sphere_top: usize) -> Vec<ContactPoint> {
    let mut contacts: Vec<ContactPoint> = [[-1.1, -0.2], [-0.7, -0.2], [-1.1, 0.2], [-0.7, 0.2]]
        .map(|[x, y]| ContactPoint { point: [x, y, 0.0], normal: [0.0, 0.0, 1.0], force: [0.0, 0.0, 2.0] })
        .into();
    contacts.push(ContactPoint {
        point: frame.positions[sphere_top],
        normal: [0.0, 0.0, 1.0],
        force: [0.6, 0.0, 1.5],
    });
    contacts
}

fn record(step: u64, contacts: u64) -> StepRecord {
    let h = 1.0 / (FPS * STEPS_PER_FRAME as f64);
    let time = step as f64 * h;
    let mut record = StepRecord {
        step,
        time,
        h,
        iterations: 4 + step % 3,
        contacts,
        overlaps: 1,
        ..StepRecord::default()
    };
    record.residual.insert("gradient".into(), 1e-6 / step as f64);
    record.energy.insert("kinetic".into(), 0.5 + 0.4 * time.sin());
    record.energy.insert("elastic".into(), 0.5 - 0.4 * time.sin());
    record.momentum = [0.0, 0.0, 0.1 * time.cos()];
    record.contact_force.insert("floor".into(), [0.0, 0.0, -8.0]);
    record.penetration_m = 1e-6;
    record
}
