//! Pictures of run folders.

use std::fs;
use std::path::{Path, PathBuf};

use stiction_output::{
    BodyLayout, Channel, Frame, Layout, LayoutKind, RunReader, RunSummary, RunWriter, StoredMotion, UpAxis,
};
use stiction_render::{
    Arrangement, ColourBy, FrameChoice, Panel, RenderOptions, RunRenderOptions, render_panels, render_run,
};

/// A square of cloth that falls towards a floor, ten frames.
fn write_run(folder: &Path) -> RunReader {
    let mut layout = Layout::new(UpAxis::Z, 10.0);
    let mut cloth = BodyLayout::new("cloth", LayoutKind::Cloth, 4);
    cloth.triangles = vec![[0, 1, 2], [0, 2, 3]];
    cloth.thickness = 0.02;
    layout.push(cloth);
    let mut floor = BodyLayout::new("floor", LayoutKind::Collider, 4);
    floor.motion = StoredMotion::Fixed;
    floor.shape = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|p| [p[0], p[1], 0.0]).to_vec();
    floor.triangles = vec![[0, 1, 2], [0, 2, 3]];
    layout.push(floor);
    let mut writer = RunWriter::create(folder, layout.clone(), RunSummary::default()).unwrap();
    for index in 0..10 {
        let mut frame = Frame::new(&layout, index, index as u64);
        let z = 1.0 - 0.1 * index as f32;
        let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
        frame.positions[..4].copy_from_slice(&corners.map(|p| [p[0], p[1], z]));
        frame.velocities = vec![[0.0, 0.0, -0.1 * index as f32]; 8];
        let values = (0..8).map(|v| v as f32 * 0.01).collect();
        frame.channels.push(Channel { name: "strain".into(), values });
        writer.write_frame(&frame).unwrap();
    }
    writer.finish(None).unwrap();
    RunReader::open(folder).unwrap()
}

fn options(out: PathBuf) -> RunRenderOptions {
    let picture = RenderOptions { width: 160, height: 100, ..RenderOptions::default() };
    RunRenderOptions { picture, ..RunRenderOptions::new(out) }
}

/// Width, height and bytes of a PNG.
fn read_png(path: &Path) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes)
}

#[test]
fn sheet_holds_all_chosen_frames() {
    let folder = tempfile::tempdir().unwrap();
    let run = write_run(&folder.path().join("run"));
    let out = folder.path().join("new/sheet.png");
    let frames = FrameChoice::List(vec![0, 4, 9]);
    let report = render_run(&run, &RunRenderOptions { frames, ..options(out.clone()) }).unwrap();
    assert_eq!((report.frames.as_slice(), report.files.as_slice()), (&[0, 4, 9][..], &[out.clone()][..]));
    let (width, height, bytes) = read_png(&out);
    assert_eq!((width, height), (3 * 168 + 8, 100 + 12 + 16));
    let cell = |i: usize| -> Vec<u8> {
        let row = |y: usize| bytes[3 * (y * width as usize + 8 + i * 168)..][..480].to_vec();
        (8..108).flat_map(row).collect()
    };
    assert!(cell(0) != cell(1) && cell(1) != cell(2));
    assert_eq!(fs::read_dir(out.parent().unwrap()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn panels_show_frames_of_several_runs() {
    let folder = tempfile::tempdir().unwrap();
    let places = ["one", "two"].map(|name| folder.path().join(name));
    places.iter().for_each(|place| drop(write_run(place)));
    let panel = |run: usize, frame: Option<u32>| Panel {
        run: places[run].clone(),
        frame,
        label: "falls".into(),
        camera: None,
    };
    let panels = [panel(0, Some(0)), panel(0, None), panel(1, Some(9))];
    let sheet = render_panels(&panels, Some(3), &options(folder.path().join("x.png"))).unwrap();
    assert_eq!((sheet.width(), sheet.height()), (3 * 168 + 8, 100 + 12 + 16));
    let cell =
        |i: usize| (8..108).flat_map(|y| (8..168).map(move |x| (x, y))).map(move |(x, y)| (x + i * 168, y));
    let same = |i: usize, j: usize| {
        cell(i).zip(cell(j)).all(|(p, q)| sheet.pixel(p.0, p.1) == sheet.pixel(q.0, q.1))
    };
    assert!(same(1, 2), "the last frame is the tenth, and both runs are drawn alike");
    assert!(!same(0, 1));
    let text = render_panels(&[panel(1, Some(99))], None, &options(folder.path().join("x.png")));
    assert!(text.unwrap_err().to_string().contains("99"));
}

#[test]
fn sequence_is_numbered_without_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let run = write_run(&folder.path().join("run"));
    let choice = RunRenderOptions {
        frames: FrameChoice::Every(4),
        arrangement: Arrangement::Sequence,
        ..options(folder.path().join("film.png"))
    };
    let report = render_run(&run, &choice).unwrap();
    assert_eq!(report.frames, [0, 4, 8]);
    for k in 0..3 {
        let (width, height, _) = read_png(&folder.path().join(format!("film_{k:06}.png")));
        assert_eq!((width, height), (160, 100));
    }
}

#[test]
fn colours_follow_fields_over_all_frames() {
    let folder = tempfile::tempdir().unwrap();
    let run = write_run(&folder.path().join("run"));
    let draw = |colour_by: ColourBy| {
        let out = folder.path().join("field.png");
        let frames = FrameChoice::List(vec![5, 8]);
        let report = render_run(&run, &RunRenderOptions { colour_by, frames, ..options(out.clone()) });
        report.map(|r| (r.range, read_png(&out).2))
    };
    let (none, body) = draw(ColourBy::Body).unwrap();
    let (speed, by_speed) = draw("velocity".parse().unwrap()).unwrap();
    let (strain, by_strain) = draw("strain".parse().unwrap()).unwrap();
    assert_eq!(none, None);
    assert!((speed.unwrap()[1] - 0.8).abs() < 1e-6);
    // values of the fixed floor are not stored
    assert!((strain.unwrap()[1] - 0.03).abs() < 1e-6);
    assert!(body != by_speed && by_speed != by_strain);
    let text = draw("heat".parse().unwrap()).unwrap_err().to_string();
    assert!(text.contains("`heat`") && text.contains("strain"), "{text}");
}

#[test]
fn bad_frame_numbers_are_refused_before_drawing() {
    let folder = tempfile::tempdir().unwrap();
    let run = write_run(&folder.path().join("run"));
    let out = folder.path().join("x.png");
    let frames = FrameChoice::List(vec![0, 99]);
    let text =
        render_run(&run, &RunRenderOptions { frames, ..options(out.clone()) }).unwrap_err().to_string();
    assert!(text.contains("99") && text.contains("0 to 9"), "{text}");
    assert!(!out.exists());
    for frames in [FrameChoice::List(vec![]), FrameChoice::Every(0)] {
        assert!(render_run(&run, &RunRenderOptions { frames, ..options(out.clone()) }).is_err());
    }
}
