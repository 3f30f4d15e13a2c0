//! What scenes mean: units, placement, copies, overrides, JSON, canonical text.

use std::path::Path;
use stiction_numerics::Vec3;
use stiction_scene::*;

const BASE: &str = r#"stiction = 1
name = "m"
[method]
key = "newton"
tolerance = 1e-6
[methods.admm]
iterations = 25
[bodies.c]
kind = "cloth"
material = "cotton"
mesh = { unit = "cm", grid = { size = [100, 50], cells = [4, 2] } }
rotate = { axis = "y", degrees = 90 }
translate = [0, 0, 2]
[colliders.ball]
sphere = { radius = 0.5 }
motion = { velocity = [1, 0, 0], keys = [{ time = 0 }, { time = 1, rotate = { axis = "z", degrees = 720 } }] }
[variants.size.paper]
"bodies.c.mesh.grid.cells" = [8, 4]
frames = 7
"#;

fn load(text: &str, set: &[&str]) -> Loaded {
    load_text("m.toml", text, Path::new("."), set).unwrap_or_else(|e| panic!("{e}: {}", e.fix()))
}

#[test]
fn units_then_rotation_then_translation() {
    let scene = load(BASE, &[]).scene;
    // (−0.5, −0.25, 0) turned by 90° about y becomes (0, −0.25, 0.5), then rises by 2.
    let first = scene.bodies[0].mesh.vertices[0];
    assert!((first - Vec3::new(0.0, -0.25, 2.5)).norm() < 1e-15, "{first}");
    assert!((scene.bodies[0].mesh.uv.as_ref().expect("uv")[14].x - 0.5).abs() < 1e-15);
}

#[test]
fn overrides_reach_values_and_variants() {
    let set =
        ["size=paper", "bodies.c.material.young=2e6", "gravity=[0,0,-1]", "fps=60", "output.contacts=true"];
    let scene = load(BASE, &set).scene;
    assert_eq!(scene.bodies[0].mesh.vertices.len(), 45);
    assert_eq!((scene.frames, scene.fps, scene.gravity.at(0.0).z), (7, 60.0, -1.0));
    assert!(scene.output.contacts);
    let Material::Cloth(m) = &scene.bodies[0].material else { panic!("cloth expected") };
    assert_eq!(m.stretch, MembraneStiffness::Isotropic { young: 2e6, poisson: 0.243 });
    assert!((m.density - 472.64).abs() < 1e-12);
}

#[test]
fn the_older_word_for_the_size_of_the_paper_still_works() {
    assert_eq!(load(BASE, &["size=seed"]).hash, load(BASE, &["size=paper"]).hash);
}

/// Options are converted once, so that what is written is what the method reads: nothing, say,
/// stays nothing instead of an empty text.
#[test]
fn options_of_methods_arrive_as_they_are_written() {
    let json = r#"{ "stiction": 1, "method": { "key": "newton", "linear": null, "tolerance": 1e-6 },
        "bodies": { "c": { "kind": "cloth", "material": "cotton",
            "mesh": { "grid": { "size": [1, 1], "cells": [1, 1] } } } } }"#;
    let method = load(json, &[]).scene.method;
    assert!(method.options["linear"].is_null(), "{method:?}");
    assert_eq!(method.options["tolerance"].as_f64(), Some(1e-6));
}

/// `[methods.KEY.study]` is joined with `[method.study]`.
#[test]
fn options_of_studies_are_joined() {
    let study = ["method.study.beta=2", "methods.newton.study.sigma=3", "methods.newton.study.beta=4"];
    let options = load(BASE, &study).scene.method.options;
    assert_eq!(options["study"], serde_json::json!({ "beta": 4, "sigma": 3 }));
}

/// Colours are what pictures and the viewer take as sRGB; the reference must say so.
#[test]
fn colours_are_documented_as_they_are_stored() {
    let schema = include_str!("../../../docs/scene.schema.json");
    assert!(schema.contains("Display colour, sRGB from 0 to 1."));
    let text = BASE.replace("[bodies.c]", "[bodies.c]\ncolour = [0.5, 0.25, 1.0]");
    let scene = load(&text, &[]).scene;
    assert_eq!(scene.bodies[0].colour, Some([0.5, 0.25, 1.0]));
}

#[test]
fn another_method_takes_its_own_options() {
    let scene = load(BASE, &[]).scene;
    assert_eq!(scene.method.options["tolerance"].as_f64(), Some(1e-6));
    let method = load(BASE, &["method.key=admm", "method.weight=2"]).scene.method;
    assert_eq!(method.key, "admm");
    assert_eq!(method.options.keys().map(String::as_str).collect::<Vec<_>>(), ["iterations", "weight"]);

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Options {
        iterations: u32,
        wait: Option<f64>,
    }
    let error = method.parse::<Options>().expect_err("weight is unknown");
    assert_eq!(error.object(), "method.weight");
    assert!(error.fix().contains("`wait`"), "{}", error.fix());
    let good = load(BASE, &["method.key=admm", "method.wait=2.0"]).scene.method;
    let good = good.parse::<Options>().expect("both are known");
    assert_eq!((good.iterations, good.wait), (25, Some(2.0)));
}

#[test]
fn json_means_the_same() {
    let toml: serde_json::Value =
        serde_json::to_value(BASE.parse::<toml::Table>().expect("toml")).expect("json");
    let json = load(&toml.to_string(), &[]);
    let toml = load(BASE, &[]);
    assert_eq!(json.scene, toml.scene);
    assert_eq!(json.hash, toml.hash);
}

#[test]
fn canonical_text_rebuilds_the_scene() {
    let kept = load(BASE, &["size=paper", "seed=3"]);
    let again = load_canonical(&kept.canonical).expect("kept scene");
    assert_eq!(again.scene, kept.scene);
    assert_eq!((again.hash, again.canonical), (kept.hash.clone(), kept.canonical.clone()));
    assert_ne!(kept.hash, load(BASE, &[]).hash);
    assert_eq!(kept.hash, load(BASE, &["size=paper", "seed=3", "frames=99"]).hash);
}

#[test]
fn a_changed_mesh_file_is_noticed() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("t.obj");
    std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("write");
    let text = "stiction = 1\n[bodies.c]\nkind = \"cloth\"\nmaterial = \"silk\"\nmesh = \"t.obj\"\n";
    let kept = load_text("s.toml", text, folder.path(), &[] as &[&str]).expect("load");
    assert!(load_canonical(&kept.canonical).is_ok());
    std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n").expect("write");
    let error = load_canonical(&kept.canonical).expect_err("the file has changed");
    assert!(error.to_string().contains("`t.obj` has changed"), "{error}");
}

#[test]
fn arrays_copy_bodies_pins_and_friction() {
    let text = format!(
        "{BASE}[bodies.c.array]\ncount = [2, 1, 3]\nstep = [2, 0, 1]\n\
         [[bodies.c.pins]]\nselect = \"left\"\nmotion = {{ turn = {{ axis = \"z\", degrees_per_second = 10 }} }}\n\
         [[friction.pairs]]\na = \"c\"\nb = \"ball\"\nmu = 0.9\n\
         [[friction.pairs]]\na = \"c\"\nb = \"c\"\ncohesion = 0.5\n"
    );
    let scene = load(&text, &[]).scene;
    assert_eq!(scene.bodies.len(), 6);
    assert_eq!(scene.bodies[5].name, "c.5");
    let shift = scene.bodies[5].mesh.vertices[3] - scene.bodies[0].mesh.vertices[3];
    assert!((shift - Vec3::new(2.0, 0.0, 2.0)).norm() < 1e-14);
    let centres = [0, 5].map(|i: usize| scene.bodies[i].pins[0].motion.centre);
    assert!((centres[1] - centres[0] - shift).norm() < 1e-14);
    assert_eq!(scene.friction.pairs.len(), 6 + 21);
    assert_eq!(scene.friction.pair(Surface::Body(4), Surface::Body(1)).and_then(|p| p.cohesion), Some(0.5));
    let mu = scene.friction.coefficient((Surface::Collider(0), 0.1), (Surface::Body(4), 0.1));
    assert_eq!(mu, 0.9);
    let mixed = scene.friction.coefficient((Surface::Body(0), 0.2), (Surface::Body(4), 0.8));
    assert!((mixed - 0.4).abs() < 1e-15);
}

#[test]
fn random_copies_depend_on_the_seed_only() {
    let text =
        format!("{BASE}[bodies.c.array]\ncount = [3, 1, 1]\nstep = [2, 0, 1]\njitter = 0.1\nturn = true\n");
    assert_eq!(load(&text, &[]).scene, load(&text, &[]).scene);
    assert_ne!(load(&text, &[]).scene.bodies, load(&text, &["seed=1"]).scene.bodies);
}

#[test]
fn collider_motion_turns_about_the_shape() {
    let scene = load(BASE, &[]).scene;
    let ColliderMotion::Keyed(motion) = &scene.colliders[0].motion else { panic!("keyed expected") };
    assert_eq!(motion.centre, Vec3::zeros());
    let p = motion.position(&Vec3::new(0.5, 0.0, 0.0), 0.125);
    assert!((p - Vec3::new(0.125, 0.5, 0.0)).norm() < 1e-14, "{p}");
}

#[test]
fn selections_combine() {
    let pins = |select: &str| {
        let text = format!("{BASE}[[bodies.c.pins]]\nselect = {select}\n");
        load(&text, &[]).scene.bodies[0].pins[0].vertices.clone()
    };
    assert_eq!(pins("{ boundary = true }").len(), 12);
    assert_eq!(pins("{ boundary = true, invert = true }"), [6, 7, 8]);
    assert_eq!(pins("{ group = \"left\", plane = { normal = \"y\", offset = -0.1 } }"), [5, 10]);
    assert_eq!(pins("{ any_of = [\"bottom_left\", { indices = [7] }] }"), [0, 7]);
    assert_eq!(pins("{ nearest = { point = [0, 0, 2], count = 1 } }"), [7]);
    assert_eq!(pins("{ sphere = { centre = [0, 0.25, 2.5], radius = 0.01 } }"), [10]);
    assert_eq!(pins("{ box = { min = [0, 0, 1], max = [1, 1, 1], relative = true } }"), [0, 5, 10]);
}

#[test]
fn attachments_find_the_nearest_point() {
    let text = format!(
        "{BASE}[bodies.r]\nkind = \"rod\"\nmaterial = \"nylon_line\"\nmesh = {{ rod = {{ start = [0.1, 0.1, 2.1], \
         end = [1, 0.1, 2.1], segments = 5 }} }}\n[[attachments]]\nbody = \"r\"\nselect = \"roots\"\nto_body = \"c\"\n"
    );
    let scene = load(&text, &[]).scene;
    let AttachmentTarget::Body { body, points } = &scene.attachments[0].target else {
        panic!("body expected")
    };
    let mesh = &scene.bodies[*body].mesh;
    let at: Vec3 = points[0].terms.iter().map(|&(i, w)| mesh.vertices[i as usize] * w).sum();
    assert!((at - Vec3::new(0.0, 0.1, 2.1)).norm() < 1e-14, "{at}");
}

#[test]
fn solids_carry_surfaces_and_grooms_grow() {
    let text = "stiction = 1\n[bodies.b]\nkind = \"solid\"\nmaterial = \"foam\"\nmesh = { tet_sphere = { radius = 1, cells = 4 } }\n\
        surface = { sphere = { radius = 0.98, subdivisions = 2 } }\ntranslate = [0, 0, 3]\n\
        [bodies.h]\nkind = \"rod\"\nmaterial = \"human_hair\"\ntranslate = [0, 0, 3]\n\
        mesh = { groom = { on = { sphere = { radius = 1 } }, count = 50, length = 0.2, segments = 8, curl_radius = 0.01, curl_pitch = 0.03 } }\n";
    let scene = load(text, &[]).scene;
    let surface = scene.bodies[0].embedded_surface.as_ref().expect("surface");
    assert_eq!(surface.carriers.len(), 162);
    assert!((surface.mesh.vertices[0] - Vec3::new(0.0, 0.0, 3.0)).norm() - 0.98 < 1e-12);
    assert_eq!(scene.bodies[1].group("roots").expect("roots").len(), 50);
}

#[test]
fn mesh_sequences_share_unit_and_placement() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for (number, z) in [(3, 0), (4, 10)] {
        let text = format!("v 0 0 {z}\nv 100 0 {z}\nv 0 100 {z}\nf 1 2 3\n");
        std::fs::write(folder.path().join(format!("b_{number:04}.obj")), text).expect("write");
    }
    let text = format!(
        "{BASE}[colliders.moving]\nmesh = {{ file = \"b_0003.obj\", unit = \"cm\" }}\ntranslate = [0, 0, 1]\n\
         sequence = {{ files = \"b_{{:04}}.obj\", first = 3, count = 2, fps = 10 }}\n"
    );
    let loaded = load_text("m.toml", &text, folder.path(), &[] as &[&str]).unwrap_or_else(|e| panic!("{e}"));
    let ColliderMotion::Sequence { positions, fps } = &loaded.scene.colliders[1].motion else {
        panic!("sequence expected")
    };
    assert_eq!(*fps, 10.0);
    assert!((positions[0][1] - Vec3::new(1.0, 0.0, 1.0)).norm() < 1e-15);
    assert!((positions[1][1] - Vec3::new(1.0, 0.0, 1.1)).norm() < 1e-15);
}

/// A point cache of a triangle in centimetres: two samples, the second 10 cm higher.
fn cache(points: i32, samples: i32) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    for number in [1, points] {
        bytes.extend(i32::to_le_bytes(number));
    }
    bytes.extend([0f32, 1.0].map(f32::to_le_bytes).concat());
    bytes.extend(samples.to_le_bytes());
    for z in [0f32, 10.0] {
        let corners = [[0.0, 0.0, z], [100.0, 0.0, z], [0.0, 100.0, z]];
        bytes.extend(corners.concat().iter().flat_map(|c| c.to_le_bytes()));
    }
    bytes
}

#[test]
fn a_point_cache_moves_a_collider() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("write");
    write("b.obj", b"v 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3\n");
    let moved = |sequence: &str| {
        let text = format!(
            "{BASE}[colliders.moving]\nmesh = {{ file = \"b.obj\", unit = \"cm\" }}\ntranslate = [0, 0, 1]\nsequence = {{ {sequence} }}\n"
        );
        load_text("m.toml", &text, folder.path(), &[] as &[&str]).map_err(|error| error.to_string())
    };
    write("b.pc2", &cache(3, 2));
    let loaded = moved("files = 'b.pc2', fps = 10").unwrap_or_else(|e| panic!("{e}"));
    let ColliderMotion::Sequence { positions, .. } = &loaded.scene.colliders[1].motion else {
        panic!("sequence expected")
    };
    assert_eq!(positions.len(), 2);
    assert!((positions[1][1] - Vec3::new(1.0, 0.0, 1.1)).norm() < 1e-15);
    let refused = [
        ("files = 'b.pc2', count = 3, fps = 10", "has 2 samples"),
        ("files = 'b.pc2', first = 1, fps = 10", "no numbered files"),
        ("files = 'b_{}.obj', fps = 10", "need a `count`"),
        ("files = 'gone.pc2', fps = 10", "gone.pc2"),
    ];
    for (sequence, word) in refused {
        let error = moved(sequence).map(|_| ()).expect_err(sequence);
        assert!(error.contains(word), "{sequence}: {error}");
    }
    let nan = [&cache(3, 2)[..32], &[0xff; 72]].concat();
    let broken = [
        (cache(3, 2)[..90].to_vec(), "need 72 bytes after the head, there are 58"),
        (cache(3, -2), "-2 samples"),
        (cache(i32::MAX, i32::MAX), "bytes after the head"),
        (cache(2, 3), "has 2 vertices, but the mesh has 3"),
        (b"POINTCACHE".to_vec(), "does not begin"),
        (nan, "not finite"),
    ];
    for (bytes, word) in broken {
        write("b.pc2", &bytes);
        let error = moved("files = 'b.pc2', fps = 10").map(|_| ()).expect_err(word);
        assert!(error.contains(word), "{word}: {error}");
    }
}

#[test]
fn the_schema_file_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.schema.json");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == schema_text(),
        "docs/scene.schema.json is out of date: run `cargo run -p stiction-scene --example schema > docs/scene.schema.json`"
    );
}

#[test]
fn the_guide_names_every_key() {
    fn keys(value: &serde_json::Value, found: &mut Vec<String>) {
        if let Some(map) = value.get("properties").and_then(|p| p.as_object()) {
            found.extend(map.keys().cloned());
        }
        let children = value.as_object().into_iter().flatten().map(|(_, v)| v);
        children.chain(value.as_array().into_iter().flatten()).for_each(|child| keys(child, found));
    }
    let guide =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.md")).expect("guide");
    let mut found = Vec::new();
    keys(&serde_json::from_str(&schema_text()).expect("schema"), &mut found);
    assert!(found.len() > 100);
    let missing: Vec<_> = found.iter().filter(|key| !guide.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/scene.md lacks {missing:?}");
}

/// Variants that read files of the user's own, which the project does not ship.
fn needs_own_files(scene: &str, variant: &str) -> bool {
    (scene, variant) == ("dancing.toml", "body=scan")
}

#[test]
fn the_gallery_loads() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    let files = scene_files(folder).expect("scenes");
    assert!(files.len() >= 8);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("read");
        let name = file.file_name().expect("name").to_string_lossy().into_owned();
        let header = SceneHeader::parse(&name, &text).unwrap_or_else(|e| panic!("{e}"));
        assert!(!header.summary.is_empty() && !header.source.is_empty(), "{name}");
        let loaded = load_full(&file, &[] as &[&str]).unwrap_or_else(|e| panic!("{e}: {}", e.fix()));
        assert_eq!(Some(loaded.scene.name.as_str()), file.file_stem().and_then(|s| s.to_str()));
        assert_eq!(load_canonical(&loaded.canonical).expect("canonical").scene, loaded.scene);
        let table: toml::Table = text.parse().expect("toml");
        for (family, choices) in table.get("variants").and_then(|v| v.as_table()).into_iter().flatten() {
            for choice in choices.as_table().into_iter().flatten().map(|(name, _)| name) {
                let set = [format!("{family}={choice}")];
                match load_full(&file, &set) {
                    Ok(changed) => assert_ne!(changed.hash, loaded.hash, "{name} {set:?}"),
                    Err(e) => assert!(needs_own_files(&name, &set[0]), "{name} {set:?}: {e}: {}", e.fix()),
                }
            }
        }
    }
}

#[test]
fn copies_take_colours_in_turn() {
    let array = |colours: &str| {
        let array = format!("bodies.c.array={{ count = [1, 3, 1], step = [0, 3, 0]{colours} }}");
        load(BASE, &["bodies.c.colour=[0.5, 0.5, 0.5]", &array]).scene
    };
    let colours = |scene: &Scene| -> Vec<_> {
        scene.bodies.iter().filter(|b| b.name.starts_with("c.")).map(|b| b.colour).collect()
    };
    let (red, blue) = (Some([1.0, 0.0, 0.0]), Some([0.0, 0.0, 1.0]));
    assert_eq!(colours(&array(", colours = [[1, 0, 0], [0, 0, 1]]")), [red, blue, red]);
    assert_eq!(colours(&array("")), [Some([0.5, 0.5, 0.5]); 3]);
}

#[test]
fn copies_that_follow_a_collider_turn_about_its_centre() {
    let text = format!(
        "{BASE}[[bodies.c.pins]]\nselect = \"left\"\nfollow = \"ball\"\n[[bodies.c.pins]]\nselect = \"right\"\n\
         [[bodies.c.instances]]\ntranslate = [0, 3, 0]\n"
    )
    .replace("[colliders.ball]", "[colliders.ball]\nfriction = 0.1");
    let scene = load(&text, &[]).scene;
    let Some(copy) = scene.bodies.iter().find(|b| b.name == "c.0") else { panic!("the copy is there") };
    assert_eq!(copy.pins[0].motion.centre, Vec3::zeros());
    assert_eq!(copy.pins[1].motion.centre.y, 3.0);
}

#[test]
fn gravity_over_time_is_read_and_runs_between_its_keys() {
    let keys = "gravity = { keys = [{ time = 0, value = 2 }, { time = 1, value = [3, 0, 0] }], interpolation = 'smooth' }\n";
    let text = BASE.replace("name = \"m\"\n", &format!("name = \"m\"\n{keys}"));
    let gravity = load(&text, &[]).scene.gravity;
    assert_eq!(gravity.at(0.0), Vec3::new(0.0, 0.0, -2.0));
    assert_eq!(gravity.at(0.5), Vec3::new(1.5, 0.0, -1.0));
    assert_eq!(gravity.at(2.0), Vec3::new(3.0, 0.0, 0.0));
    let later = load(&text, &["gravity.keys.1.value=5"]).scene.gravity;
    assert_eq!(later.at(1.0), Vec3::new(0.0, 0.0, -5.0));
    let swapped = text.replace("time = 1, value", "time = 0, value");
    let error = load_text("m.toml", &swapped, Path::new("."), &[] as &[&str]).expect_err("keys out of order");
    assert!(error.to_string().contains("gravity.keys.1.time"), "{error}");
    let empty = text.replace("[{ time = 0, value = 2 }, { time = 1, value = [3, 0, 0] }]", "[]");
    let error = load_text("m.toml", &empty, Path::new("."), &[] as &[&str]).expect_err("no keys");
    assert!(error.to_string().contains("no key frames"), "{error}");
}

/// √(0.2 · 0.5) of the mixed pair is neither of its coefficients: a note says so, and one key sets
/// all pairs.
#[test]
fn issue_19_friction_of_one_surface_leaves_pairs_mixed_and_a_note_says_so() {
    let text = format!(
        "{BASE}[colliders.floor]\nplane = {{}}\n[[friction.pairs]]\na = 'c'\nb = 'floor'\nmu = 0.7\n"
    );
    let between = |scene: &Scene, collider: usize| {
        let (body, other) = (&scene.bodies[0], &scene.colliders[collider]);
        scene
            .friction
            .coefficient((Surface::Body(0), body.friction), (Surface::Collider(collider), other.friction))
    };
    let one = load(&text, &["bodies.c.friction=0.2"]);
    assert!((between(&one.scene, 0) - 0.1_f64.sqrt()).abs() < 1e-15);
    assert_eq!(between(&one.scene, 1), 0.7);
    let [note] = &one.notes[..] else { panic!("one note expected, not {:?}", one.notes) };
    for part in ["`c` on `ball` has 0.316 (geometric mean)", "`c` on `floor` has 0.700", "friction.all=0.2"] {
        assert!(note.contains(part), "{note}");
    }
    let all = load(&text, &["friction.all=0.2"]);
    assert_eq!([between(&all.scene, 0), between(&all.scene, 1)], [0.2; 2]);
    assert!(all.notes.is_empty(), "{:?}", all.notes);
    let both = load(&text, &["friction.all=0.2", "colliders.ball.friction=0.9"]);
    assert!(both.notes[0].contains("changes nothing"), "{:?}", both.notes);
    assert!(load(&text, &["bodies.c.thickness=0.001"]).notes.is_empty());
}

/// A thickness in millimetres that is read as metres: every body says so once, copies included.
#[test]
fn issue_26_a_thickness_or_gap_above_the_edges_is_told() {
    let thick = load(BASE, &["bodies.c.thickness=2"]);
    let [note] = &thick.notes[..] else { panic!("one note expected, not {:?}", thick.notes) };
    assert!(note.contains("`bodies.c` has thickness = 2 m") && note.contains("units"), "{note}");
    let wide = load(BASE, &["bodies.c.gap=0.4"]);
    assert!(wide.notes[0].contains("gap = 0.4 m"), "{:?}", wide.notes);
    // Edges are 0.25 m along the sides and 0.35 m across.
    assert!(load(BASE, &["bodies.c.gap=0.2", "bodies.c.thickness=0.2"]).notes.is_empty());
    let copies = format!("{BASE}[bodies.c.array]\ncount = [2, 1, 1]\nstep = [2, 0, 0]\n");
    assert_eq!(load(&copies, &["bodies.c.thickness=2"]).notes.len(), 1);
}
