//! Exports, read back by small parsers of our own. Other programs' readers run in
//! `tests_external/`.

mod common;

use common::*;
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use stiction_output::container::ContainerReader;
use stiction_output::export::bundle::{self, PAGE_MARKER};
use stiction_output::{ExportOptions, ExportReport, Format, RunReader, RunWriter, UpAxis, export};

struct Exported {
    reader: RunReader,
    folder: tempfile::TempDir,
    report: ExportReport,
}

impl Exported {
    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }
}

fn exported(format: Format, options: &ExportOptions) -> Exported {
    let folder = tempfile::tempdir().unwrap();
    write_run(&folder.path().join("run"));
    let reader = RunReader::open(&folder.path().join("run")).unwrap();
    let report = export(&reader, format, &folder.path().join("out"), options).unwrap();
    Exported { reader, folder, report }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn integer(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn obj_keeps_order_and_every_bit() {
    let out = exported(Format::Obj, &ExportOptions::default());
    assert_eq!(out.report.files, 5);
    let text = out.text("out/000003.obj");
    let rows = |key: &str| -> Vec<Vec<String>> {
        let own = text.lines().filter_map(|l| l.strip_prefix(key)?.strip_prefix(' '));
        own.map(|l| l.split(' ').map(String::from).collect()).collect()
    };
    let points: Vec<[f32; 3]> =
        rows("v").iter().map(|r| std::array::from_fn(|i| r[i].parse().unwrap())).collect();
    assert_eq!(points, out.reader.positions(3).unwrap());
    assert_eq!(rows("f")[0], ["1/1", "2/2", "3/3"]);
    assert_eq!(rows("f")[2], ["5", "7", "6"]);
    assert_eq!(rows("l"), [vec!["9", "10", "11"], vec!["12", "13"]]);
    assert_eq!(rows("o").concat(), ["my_cloth", "ball", "hair", "floor", "tet"]);
}

#[test]
fn ply_holds_velocities_and_channels_of_free_bodies() {
    let out = exported(Format::Ply, &ExportOptions { every: 2, ..ExportOptions::default() });
    assert_eq!((out.report.files, out.report.frames), (15, 3));
    let bytes = out.bytes("out/my_cloth/000002.ply");
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let values = floats(&bytes[end..end + 4 * 7 * 4]);
    let frame = out.reader.frame(2).unwrap();
    for v in 0..4 {
        let expected =
            [&frame.positions[v][..], &frame.velocities[v], &[frame.channels[0].values[v]]].concat();
        assert_eq!(values[7 * v..7 * v + 7], expected);
    }
    assert_eq!(bytes.len() - end, 4 * 7 * 4 + 2 * 13);
    assert!(!String::from_utf8_lossy(&out.bytes("out/floor/000002.ply")).contains("vx"));
}

#[test]
fn pc2_holds_samples_in_order() {
    let out = exported(Format::Pc2, &ExportOptions { every: 2, ..ExportOptions::default() });
    let bytes = out.bytes("out/hair.pc2");
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!([12, 16, 28].map(|at| integer(&bytes, at)), [1, 5, 3]);
    assert_eq!(floats(&bytes[20..28]), [0.0, 2.0]);
    let range = out.reader.layout().body("hair").unwrap().range();
    let expected: Vec<f32> =
        [0, 2, 4].iter().flat_map(|&f| out.reader.positions(f).unwrap()[range.clone()].concat()).collect();
    assert_eq!(floats(&bytes[32..]), expected);
    assert!(out.text("out/hair.obj").contains("l 1 2 3"));
}

#[test]
fn npz_entries_are_arrays_of_the_right_shape() {
    let out = exported(Format::Npz, &ExportOptions::default());
    let mut archive = zip::ZipArchive::new(Cursor::new(out.bytes("out"))).unwrap();
    let mut entry = |name: &str| {
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        (String::from_utf8_lossy(&bytes[10..data]).into_owned(), bytes[data..].to_vec())
    };
    let (header, data) = entry("tet/positions.npy");
    assert!(header.contains("(5,4,3,)") && header.contains("<f4"), "{header}");
    let range = out.reader.layout().body("tet").unwrap().range();
    let expected: Vec<f32> =
        (0..5).flat_map(|f| out.reader.positions(f).unwrap()[range.clone()].concat()).collect();
    assert_eq!(floats(&data), expected);
    assert!(entry("my_cloth/strain.npy").0.contains("(5,4,)"));
    assert!(entry("hair/segments.npy").0.contains("(3,2,)"));
    assert_eq!(entry("time.npy").1.len(), 5 * 8);
}

#[test]
fn glb_chunks_and_accessors_are_consistent() {
    let out = exported(Format::Glb, &ExportOptions::default());
    let bytes = out.bytes("out");
    assert_eq!((&bytes[..4], integer(&bytes, 8) as usize), (&b"glTF"[..], bytes.len()));
    let json_length = integer(&bytes, 12) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + json_length]).unwrap();
    let binary = &bytes[20 + json_length + 8..];
    assert_eq!(json["buffers"][0]["byteLength"], binary.len());
    let read = |accessor: &serde_json::Value| {
        let view = &json["bufferViews"]
            [json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        floats(&binary[start..start + view["byteLength"].as_u64().unwrap() as usize])
    };
    // Base plus displacement of target 2 is frame 3, to a rounding of single precision.
    let primitive = &json["meshes"][0]["primitives"][0];
    let (base, moved) =
        (read(&primitive["attributes"]["POSITION"]), read(&primitive["targets"][2]["POSITION"]));
    let expected = out.reader.positions(3).unwrap()[..4].concat();
    for ((a, b), x) in base.iter().zip(&moved).zip(expected) {
        assert!((a + b - x).abs() <= 2.0 * f32::EPSILON * (a.abs() + b.abs() + x.abs()));
    }
    let animation = &json["animations"][0];
    let weights = read(
        &animation["samplers"][animation["channels"][0]["sampler"].as_u64().unwrap() as usize]["output"],
    );
    assert_eq!(weights.len(), 5 * 4);
    assert_eq!(weights[3 * 4..4 * 4], [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(animation["channels"].as_array().unwrap().len(), 3 + 2);
}

#[test]
fn usda_states_axis_scale_and_samples() {
    let out = exported(Format::Usda, &ExportOptions { every: 2, ..ExportOptions::default() });
    let text = out.text("out");
    for needle in [
        "upAxis = \"Z\"",
        "metersPerUnit = 1",
        "timeCodesPerSecond = 24",
        "endTimeCode = 4",
        "def Mesh \"my_cloth\"",
        "def BasisCurves \"hair\"",
        "int[] curveVertexCounts = [3, 2]",
        "float[] widths = [0.02, 0.02, 0.02, 0.02, 0.02]",
        "xformOp:orient.timeSamples",
    ] {
        assert!(text.contains(needle), "{needle} is missing");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn vtu_counts_cells_once_and_pvd_lists_times() {
    let out = exported(Format::Vtu, &ExportOptions::default());
    assert_eq!(out.report.files, 6);
    // 1 tet, 2 + 4 + 1 triangles (not the four of the tet's surface), 3 lines.
    assert!(out.text("out/000001.vtu").contains("NumberOfPoints=\"20\" NumberOfCells=\"11\""));
    let index = out.text("out/run.pvd");
    assert!(
        index.contains(&format!("timestep=\"{}\" part=\"0\" file=\"000003.vtu\"", 3.0 / 24.0)),
        "{index}"
    );
}

#[test]
fn bundle_holds_all_frames_and_the_page_gets_it() {
    let page = format!("<html>{PAGE_MARKER}</html>");
    let options = ExportOptions { every: 2, page: Some(page), bodies: vec!["hair".into(), "ball".into()] };
    let out = exported(Format::Html, &options);
    let text = out.text("out");
    assert!(text.starts_with("<html><script") && text.ends_with("</script></html>"));
    let packed = bundle::bundle(&out.reader, &options).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    let mut container =
        ContainerReader::open(Cursor::new(bytes), Path::new("bundle"), bundle::MAGIC, bundle::VERSION)
            .unwrap();
    let head: serde_json::Value =
        serde_json::from_slice(&container.read("head", &stiction_limits::Budget::default()).unwrap())
            .unwrap();
    assert_eq!(head["frames"], serde_json::json!([0, 2, 4]));
    assert_eq!(head["layout"]["bodies"][1]["first_vertex"], 4);
    assert_eq!(
        container.read("frame/2/positions", &stiction_limits::Budget::default()).unwrap().len(),
        24 + 5 * 6
    );
    assert_eq!(
        floats(&container.read("frame/1/poses", &stiction_limits::Budget::default()).unwrap()),
        [2.0, 0.0, 2.0, 0.0, 0.6, 0.0, 0.8]
    );
    assert_eq!(
        container.read("frame/1/contacts", &stiction_limits::Budget::default()).unwrap().len(),
        2 * 36
    );
    let stats: serde_json::Value =
        serde_json::from_slice(&container.read("stats", &stiction_limits::Budget::default()).unwrap())
            .unwrap();
    assert_eq!(stats.as_array().unwrap().len(), 8);
}

#[test]
fn every_up_axis_and_a_single_frame_are_written() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for (axis, usd, gltf) in [
        (UpAxis::X, "upAxis = \"Y\"", Some([0.0, 0.0, half, half])),
        (UpAxis::Y, "upAxis = \"Y\"", None),
        (UpAxis::Z, "upAxis = \"Z\"", Some([-half, 0.0, 0.0, half])),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut layout = layout();
        layout.up_axis = axis;
        let mut writer = RunWriter::create(folder.path(), layout.clone(), summary()).unwrap();
        writer.write_frame(&frame(&layout, 0)).unwrap();
        let reader = RunReader::open(folder.path()).unwrap();
        let path = folder.path().join("out");
        export(&reader, Format::Usda, &path, &ExportOptions::default()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(usd) && text.contains("rotateZ = 90") == (axis == UpAxis::X));
        export(&reader, Format::Glb, &path, &ExportOptions::default()).unwrap();
        let bytes = fs::read(&path).unwrap();
        let length = integer(&bytes, 12) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        assert_eq!(json["nodes"][0]["rotation"], serde_json::json!(gltf));
        assert!(json.get("animations").is_none());
        assert_eq!(json["nodes"][2]["translation"], serde_json::json!([0.0, 0.0, 2.0]));
    }
}

#[test]
fn wrong_wishes_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    let reader = RunReader::open(folder.path()).unwrap();
    let path = folder.path().join("x");
    let message =
        |format, options: &ExportOptions| export(&reader, format, &path, options).unwrap_err().to_string();
    let unknown = ExportOptions { bodies: vec!["scarf".into()], ..ExportOptions::default() };
    let text = message(Format::Obj, &unknown);
    assert!(text.contains("scarf") && text.contains("my cloth"), "{text}");
    assert!(message(Format::Glb, &ExportOptions { every: 0, ..ExportOptions::default() }).contains("every"));
    assert!(message(Format::Html, &ExportOptions::default()).contains("viewer page"));
    assert!("fbx".parse::<Format>().unwrap_err().to_string().contains("usda"));
    assert_eq!("GLB".parse::<Format>().unwrap(), Format::Glb);
    // Names that people type for a family of formats.
    let meant = ["usd", "gltf", "VTK"].map(|name| name.parse::<Format>().unwrap());
    assert_eq!(meant, [Format::Usda, Format::Glb, Format::Vtu]);
    assert!(!path.exists());
}
