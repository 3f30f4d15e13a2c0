//! Run folders from strangers: forged sizes, special files, numbers without a value.

mod common;

use std::path::Path;
use stiction_limits::Budget;
use stiction_output::container::{Codec, ContainerWriter, Filter};
use stiction_output::frame::{MAGIC, MAX_CHANNELS, VERSION};
use stiction_output::seal::seal;
use stiction_output::{Channel, Frame, OutputError, RunReader};

/// A frame file of the common layout, with further blocks.
fn forged_frame(blocks: &[(String, usize)]) -> Vec<u8> {
    let layout = common::layout();
    let mut out = ContainerWriter::new(MAGIC, VERSION);
    let mut head = 0u32.to_le_bytes().to_vec();
    head.extend((layout.stored_vertex_count() as u32).to_le_bytes());
    head.extend([0; 16]);
    head.extend(common::RUN.number().to_le_bytes());
    out.add("head", &head, Filter::None, Codec::Raw);
    for (name, bytes) in blocks {
        out.add(name, &vec![0; *bytes], Filter::None, Codec::Zstd);
    }
    out.into_bytes()
}

fn run_with_frame(folder: &Path, bytes: &[u8]) -> RunReader {
    common::write_run(folder);
    std::fs::write(folder.join("frames/000000.frame"), bytes).unwrap();
    RunReader::open_within(folder, Budget::of_bytes(10_000_000)).unwrap()
}

/// A few kilobytes that unpack to 64 MB: refused by the layout, or by the budget where it tells
/// nothing.
#[test]
fn frames_that_unpack_to_more_than_the_layout_says_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["positions", "velocities", "poses", "channel/strain"] {
        let bytes = forged_frame(&[(name.to_owned(), 64 << 20)]);
        assert!(bytes.len() < 65_000);
        let run = folder.path().join(name.replace('/', "_"));
        let reader = run_with_frame(&run, &bytes);
        let whole = reader.frame(0).unwrap_err();
        assert!(matches!(whole, OutputError::OverBudget { .. }), "{whole}");
        let part = match name {
            "positions" => reader.positions(0).map(|_| ()),
            "velocities" => reader.velocities(0).map(|_| ()),
            "poses" => reader.poses(0).map(|_| ()),
            _ => reader.channel(0, "strain").map(|_| ()),
        };
        let text = part.unwrap_err().to_string();
        assert!(text.contains("67108864 bytes, expected"), "{text}");
    }
    let bytes = forged_frame(&[("contacts".to_owned(), 64 << 20)]);
    let text = run_with_frame(&folder.path().join("contacts"), &bytes).frame(0).unwrap_err().to_string();
    assert!(text.contains("67.1 MB") && text.contains("10.0 MB"), "{text}");
}

#[test]
fn thousands_of_channels_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let blocks: Vec<(String, usize)> = (0..5000).map(|k| (format!("channel/c{k}"), 52)).collect();
    let reader = run_with_frame(folder.path(), &forged_frame(&blocks));
    let text = reader.channel_names(0).unwrap_err().to_string();
    assert!(text.contains("5000 channels"), "{text}");
    let layout = common::layout();
    let mut frame = common::frame(&layout, 0);
    frame.channels = vec![frame.channels[0].clone(); MAX_CHANNELS + 1];
    assert!(frame.to_bytes(&layout).unwrap_err().to_string().contains("channels"));
}

/// A layout that names four thousand million vertices makes every frame as large.
#[test]
fn layouts_beyond_the_budget_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    common::write_run(folder.path());
    let path = folder.path().join("frames/layout.json");
    let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    json["bodies"][4]["vertices"] = 4_000_000_000_u32.into();
    json.as_object_mut().unwrap().remove("checksum");
    std::fs::write(&path, seal(&json.to_string(), common::RUN)).unwrap();
    let error = RunReader::open_within(folder.path(), Budget::of_bytes(1_000_000_000)).unwrap_err();
    assert!(error.to_string().contains("a frame of 4000000016 vertices would take 256.0 GB"), "{error}");
}

#[test]
fn no_number_without_a_value_is_written() {
    let layout = common::layout();
    let good = common::frame(&layout, 3);
    assert!(good.to_bytes(&layout).is_ok());
    let refused = |change: &dyn Fn(&mut Frame), words: &str| {
        let mut frame = good.clone();
        change(&mut frame);
        let text = frame.to_bytes(&layout).unwrap_err().to_string();
        assert!(text.contains("frame 3") && text.contains(words), "{text}");
    };
    refused(&|f| f.positions[2][1] = f32::NAN, "a position is not");
    refused(&|f| f.velocities[2][1] = f32::INFINITY, "a velocity is not");
    refused(&|f| f.channels[0].values[1] = f32::NAN, "`strain` is not");
    let pressure = Channel { name: "pressure".into(), values: vec![f32::NEG_INFINITY; good.positions.len()] };
    refused(&|f| f.channels.push(pressure.clone()), "`pressure` is not");
    refused(&|f| f.poses[0].translation[0] = f32::NAN, "a pose is not");
    refused(&|f| f.contacts[1].force[2] = f32::NAN, "a contact is not");
    refused(&|f| f.intersections[0][0] = f32::NAN, "an intersection is not");
}

/// A named pipe in the place of any file of a run: an error at once, where it used to block for
/// good.
#[cfg(unix)]
#[test]
fn pipes_in_a_run_folder_are_refused() {
    let identity = common::identity();
    let files = [
        "run.json",
        "stats.jsonl",
        "frames/layout.json",
        "frames/layout.bin",
        "frames/000001.frame",
        "checkpoint/a.bin",
    ];
    for file in files {
        let folder = tempfile::tempdir().unwrap();
        common::write_run(folder.path());
        for slot in ["checkpoint/a.bin", "checkpoint/b.bin"] {
            std::fs::remove_file(folder.path().join(slot)).unwrap();
        }
        let path = folder.path().join(file);
        let _ = std::fs::remove_file(&path);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let outcome = RunReader::open(folder.path()).and_then(|reader| {
            reader.summary()?;
            reader.stats()?;
            reader.frame(1)?;
            reader.positions(1)?;
            reader.checkpoint(&identity)
        });
        let text = outcome.unwrap_err().to_string();
        assert!(text.contains("a named pipe") && text.contains(path.file_name().unwrap().to_str().unwrap()));
    }
}
