//! A small run with one body of every kind, made by formula.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use stiction_limits::Budget;
use stiction_output::{
    BodyLayout, Channel, CheckpointIdentity, ContactPoint, Frame, Layout, LayoutKind, OutputError,
    ResumePoint, RunId, RunLock, RunSummary, RunWriter, Sections, StepRecord, StoredMotion, StoredPose,
    UpAxis,
};

pub const FRAMES: u32 = 5;

pub fn layout() -> Layout {
    let mut layout = Layout::new(UpAxis::Z, 24.0);
    let mut cloth = BodyLayout::new("my cloth", LayoutKind::Cloth, 4);
    cloth.triangles = vec![[0, 1, 2], [0, 2, 3]];
    cloth.uv = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    cloth.pinned = vec![0, 3];
    cloth.thickness = 1e-3;
    layout.push(cloth);
    let mut ball = BodyLayout::new("ball", LayoutKind::Collider, 4);
    ball.motion = StoredMotion::Posed;
    ball.shape = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    ball.triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    layout.push(ball);
    let mut hair = BodyLayout::new("hair", LayoutKind::Rod, 5);
    hair.segments = vec![[0, 1], [1, 2], [3, 4]];
    hair.strands = vec![vec![0, 1, 2], vec![3, 4]];
    hair.radius = vec![0.01];
    layout.push(hair);
    let mut floor = BodyLayout::new("floor", LayoutKind::Collider, 3);
    floor.motion = StoredMotion::Fixed;
    floor.shape = vec![[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]];
    floor.triangles = vec![[0, 1, 2]];
    layout.push(floor);
    let mut tet = BodyLayout::new("tet", LayoutKind::Solid, 4);
    tet.tets = vec![[0, 1, 2, 3]];
    tet.triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    layout.push(tet);
    layout
}

/// Every number of the frame depends on its vertex and time, so mix-ups show.
pub fn frame(layout: &Layout, index: u32) -> Frame {
    let mut frame = Frame::new(layout, index, u64::from(index) * 2);
    let t = index as f32;
    frame.velocities = vec![[0.0; 3]; layout.vertex_count()];
    let mut strain = vec![0.0; layout.vertex_count()];
    for body in layout.bodies.iter().filter(|b| b.motion == StoredMotion::Free) {
        for v in body.range() {
            frame.positions[v] = [v as f32 + 0.1 * t, (v as f32 * 0.7 + t).sin(), 1.0 / (1.0 + v as f32 + t)];
            frame.velocities[v] = [0.1, v as f32, -t];
            strain[v] = 0.01 * v as f32 + 0.001 * t;
        }
    }
    frame.poses[0] = StoredPose { translation: [t, 0.0, 2.0], rotation_xyzw: [0.0, 0.6, 0.0, 0.8] };
    layout.place(&frame.poses, &mut frame.positions);
    frame.channels = vec![Channel { name: "strain".into(), values: strain }];
    let contact = ContactPoint { point: [t, 1.0, 2.0], normal: [0.0, 0.0, 1.0], force: [0.5, 0.0, 3.0] };
    frame.contacts = vec![contact; index as usize];
    frame.intersections = vec![[t, t, t]; (index / 2) as usize];
    frame
}

pub fn record(step: u64) -> StepRecord {
    let mut record = StepRecord { step, time: step as f64 / 48.0, h: 1.0 / 48.0, ..StepRecord::default() };
    record.contacts = step * 7 % 5;
    record.energy.insert("kinetic".into(), 1.0 / step as f64);
    record.seconds.insert("detection".into(), 0.25);
    record
}

/// The run of all folders of these tests, so that their bytes can be compared.
pub const RUN: RunId = RunId::from_number(0x5eed);
pub const STATE_FORMAT: u32 = 3;

pub fn summary() -> RunSummary {
    RunSummary {
        run_id: RUN,
        state_format: STATE_FORMAT,
        scene_hash: "abc".into(),
        version: "0.1.0".into(),
        method: "newton".into(),
        ..RunSummary::default()
    }
}

pub fn identity() -> CheckpointIdentity {
    CheckpointIdentity { scene_hash: "abc".into(), state_format: STATE_FORMAT }
}

/// Opens a run for writing where it can go on, and tells where that is.
pub fn open_to_resume(folder: &Path) -> Result<(RunWriter, ResumePoint), OutputError> {
    let lock = RunLock::acquire(folder)?;
    let point = ResumePoint::find(&lock, &layout(), &identity(), &Budget::default())?;
    let writer = RunWriter::resume(lock, layout(), summary(), &point)?;
    Ok((writer, point))
}

/// Continues a run to its end; returns the last state.
pub fn resume(folder: &Path) -> f64 {
    let (mut writer, point) = open_to_resume(folder).unwrap();
    let checkpoint = point.checkpoint;
    let (state, first) = checkpoint.map_or((0.5, 0), |c| (c.sections.f64s("state").unwrap()[0], c.frames));
    let state = simulate(&mut writer, state, first, usize::MAX).unwrap();
    writer.finish(None).unwrap();
    state
}

/// The deterministic "solver" of these tests: its state after a step is a function of the state
/// before.
pub fn advance(state: f64) -> f64 {
    (state * 1.7).sin() + 0.3
}

pub fn sections(state: f64) -> Sections {
    let mut sections = Sections::new();
    sections.put_f64s("state", &[state]);
    sections
}

/// Two steps a frame, a checkpoint every frame, from the given frame on; stops early after `events`
/// writes, as a kill would. Returns the last state, or `None` when stopped.
pub fn simulate(writer: &mut RunWriter, mut state: f64, first: u32, mut events: usize) -> Option<f64> {
    let layout = writer.layout().clone();
    let mut alive = || {
        events = events.checked_sub(1)?;
        Some(())
    };
    for index in first..FRAMES {
        for sub in 0..2 * u64::from(index > 0) {
            state = advance(state);
            alive()?;
            writer.write_step(&record(u64::from(index) * 2 - 1 + sub)).unwrap();
        }
        let mut shown = frame(&layout, index);
        shown.positions[0][0] = state as f32;
        alive()?;
        writer.write_frame(&shown).unwrap();
        alive()?;
        let (step, time) = (u64::from(index) * 2, f64::from(index) / 24.0);
        writer.write_checkpoint(step, time, sections(state)).unwrap();
    }
    Some(state)
}

/// A complete run in `folder`.
pub fn write_run(folder: &Path) -> f64 {
    let mut writer = RunWriter::create(folder, layout(), summary()).unwrap();
    let state = simulate(&mut writer, 0.5, 0, usize::MAX).unwrap();
    writer.finish(None).unwrap();
    state
}
