//! Writes a large synthetic run, to see how the viewer copes: hair of many segments, or one large
//! cloth.
//!
//! `cargo run -p stiction-viewer --release --example large_run -- FOLDER hair|cloth [FRAMES]
//! [VERTICES]`

use std::path::Path;
use stiction_output::{BodyLayout, Frame, Layout, LayoutKind, RunSummary, RunWriter, StepRecord, UpAxis};

const STRAND_VERTICES: usize = 50;
const FPS: f64 = 24.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("give the folder to write")?;
    let kind = arguments.next().unwrap_or_else(|| "cloth".into());
    let frames: u32 = arguments.next().map_or(Ok(10), |a| a.parse())?;
    let vertices: usize = arguments.next().map_or(Ok(500_000), |a| a.parse())?;
    let hair = kind == "hair";
    let mut layout = Layout::new(UpAxis::Z, FPS);
    let body = layout.push(if hair { strands(vertices) } else { cloth(vertices) });
    let count = layout.bodies[body].vertex_count();
    let summary = RunSummary { scene: kind, method: "none".into(), ..RunSummary::default() };
    let mut writer = RunWriter::create(Path::new(&folder), layout.clone(), summary)?;
    for index in 0..frames {
        let mut frame = Frame::new(&layout, index, u64::from(index));
        let time = frame.time as f32;
        let place = |i| if hair { strand_point(i, count, time) } else { cloth_point(i, count, time) };
        frame.positions = (0..count).map(place).collect();
        if index > 0 {
            writer.write_step(&StepRecord {
                step: u64::from(index),
                time: frame.time,
                ..StepRecord::default()
            })?;
        }
        writer.write_frame(&frame)?;
    }
    writer.finish(None)?;
    println!("wrote {frames} frames of {count} vertices");
    Ok(())
}

fn side(count: usize) -> usize {
    (count as f64).sqrt() as usize
}

fn cloth(vertices: usize) -> BodyLayout {
    let n = side(vertices);
    let mut body = BodyLayout::new("cloth", LayoutKind::Cloth, n * n);
    for j in 0..n as u32 - 1 {
        for i in 0..n as u32 - 1 {
            let [a, b] = [j * n as u32 + i, (j + 1) * n as u32 + i];
            body.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    body.colour = [0.80, 0.35, 0.25];
    body
}

fn cloth_point(i: usize, count: usize, time: f32) -> [f32; 3] {
    let n = side(count);
    let [x, y] = [i % n, i / n].map(|k| k as f32 / n as f32);
    [x, y, 0.5 + 0.03 * (20.0 * x + 3.0 * time).sin() * (14.0 * y - 2.0 * time).cos()]
}

fn strands(vertices: usize) -> BodyLayout {
    let strands = vertices / STRAND_VERTICES;
    let mut body = BodyLayout::new("hair", LayoutKind::Rod, strands * STRAND_VERTICES);
    for s in 0..strands {
        let first = (s * STRAND_VERTICES) as u32;
        let own: Vec<u32> = (first..first + STRAND_VERTICES as u32).collect();
        body.segments.extend(own.windows(2).map(|w| [w[0], w[1]]));
        body.strands.push(own);
    }
    body.radius = vec![4e-5];
    body.colour = [0.45, 0.30, 0.20];
    body
}

/// Roots on a sphere by the golden angle; strands fall and wave.
fn strand_point(i: usize, count: usize, time: f32) -> [f32; 3] {
    let (strand, along) = (i / STRAND_VERTICES, (i % STRAND_VERTICES) as f32 / STRAND_VERTICES as f32);
    let height = 1.0 - strand as f32 / (count / STRAND_VERTICES) as f32;
    let (ring, angle) = ((1.0 - height * height).sqrt(), 2.399_963 * strand as f32);
    let wave = 0.01 * along * (9.0 * along + 4.0 * time + angle).sin();
    let out = 0.1 * ring + 0.03 * along.sqrt() + wave;
    [out * angle.cos(), out * angle.sin(), 0.3 + 0.1 * height - 0.25 * along * along]
}
