//! Pixel statistics of whole pictures.

use stiction_render::{
    Camera, Colour, LookAt, Marker, MeshView, RenderOptions, SceneView, TubeView, UpAxis, render_frame,
};

const RED: Colour = Colour::hex(0xd03030);
const BLUE: Colour = Colour::hex(0x3030d0);

/// Looks along −z at the origin from 10 m; 100 pixels are 10·tan(fov/2)·2 metres high.
fn facing(width: usize, height: usize) -> RenderOptions {
    let look_at = Some(LookAt { eye: [0.0, 0.0, 10.0], target: [0.0; 3], up: None });
    let camera = Camera { look_at, field_of_view: 20.0, ..Camera::default() };
    RenderOptions { width, height, camera, ..RenderOptions::default() }
}

fn square(z: f32, half: f32, colour: Colour) -> MeshView {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let positions = corners.iter().map(|c| [c[0], c[1], z]).collect();
    MeshView::new("square", positions, vec![[0, 1, 2], [0, 2, 3]], colour)
}

fn is_red(p: [u8; 3]) -> bool {
    p[0] as i32 > p[2] as i32 + 40
}

fn is_blue(p: [u8; 3]) -> bool {
    p[2] as i32 > p[0] as i32 + 40
}

fn ball_on_ground(x: f32) -> SceneView {
    let mut scene = SceneView { up: UpAxis::Z, ground: Some(0.0), ..SceneView::default() };
    scene.tubes.push(TubeView::new(vec![[x, 0.0, 0.5]; 2], 0.5, RED));
    scene
}

#[test]
fn tube_covers_its_radius() {
    let mut scene = SceneView::default();
    let radius = 0.2;
    scene.tubes.push(TubeView::new(vec![[-9.0, 0.0, 0.0], [9.0, 0.0, 0.0]], radius, RED));
    let options = facing(200, 200);
    let image = render_frame(&scene, &options).unwrap();
    let column = (0..200).filter(|&y| is_red(image.pixel(100, y))).count() as f64;
    // the silhouette of a cylinder of radius r at distance d: half-slope r/√(d² − r²)
    let slope = 0.2 / (100.0_f64 - 0.04).sqrt();
    let expected = 200.0 * slope / 10_f64.to_radians().tan();
    assert!((column - expected).abs() <= 1.0, "{column} rows, expected {expected}");
}

#[test]
fn hair_thinner_than_a_sample_stays_unbroken() {
    let mut scene = SceneView::default();
    scene.tubes.push(TubeView::new(vec![[-9.0, -0.4, 0.0], [9.0, 0.9, 0.0]], 1e-5, Colour::hex(0x000000)));
    let image = render_frame(&scene, &facing(200, 100)).unwrap();
    let empty = render_frame(&SceneView::default(), &facing(200, 100)).unwrap();
    let light = |code: u8| (code as f64 / 255.0).powf(2.2);
    for x in 0..200 {
        let cover = |y: usize| 1.0 - light(image.pixel(x, y)[0]) / light(empty.pixel(x, y)[0]);
        let total: f64 = (0..100).map(cover).sum();
        // drawn a pixel and a half wide; nine samples tell a third of a pixel, and gloss takes some
        assert!(total > 1.1 && total < 1.9, "column {x} is covered by {total} pixels");
    }
}

#[test]
fn edge_of_a_sheet_on_a_sheet_is_as_smooth_as_any() {
    // the red sheet lies a hundredth of a pixel above the blue one, its lower edge climbs by 1 in 8
    let mut upper = square(1e-4, 1.0, RED);
    (upper.positions[0][1], upper.positions[1][1]) = (-0.125, 0.125);
    let meshes = vec![square(0.0, 1.2, BLUE), upper];
    let scene = SceneView { meshes, ..SceneView::default() };
    let options = RenderOptions { shadows: false, occlusion: false, ..facing(200, 200) };
    let image = render_frame(&scene, &options).unwrap();
    let light = |p: [u8; 3]| (p[0] as f64 / 255.0).powf(2.2);
    let (red, blue) = (light(image.pixel(100, 70)), light(image.pixel(100, 130)));
    let metre = 100.0 / (10.0 * 10_f64.to_radians().tan());
    for x in 80..120 {
        let cover = |y: usize| (light(image.pixel(x, y)) - blue) / (red - blue);
        let rows: f64 = (70..130).map(cover).sum();
        let edge = 0.125 * (x as f64 + 0.5 - 100.0) / metre;
        let expected = 30.0 - edge * metre;
        assert!((rows - expected).abs() < 0.25, "column {x}: {rows} rows, expected {expected}");
    }
}

#[test]
fn nearer_surface_wins_in_any_order() {
    for flip in [false, true] {
        let meshes = vec![square(0.0, 1.0, BLUE), square(1.0, 0.4, RED)];
        let mut scene = SceneView { meshes, ..SceneView::default() };
        if flip {
            scene.meshes.reverse();
        }
        let image = render_frame(&scene, &facing(120, 120)).unwrap();
        assert!(is_red(image.pixel(60, 60)));
        assert!(is_blue(image.pixel(60, 60 - 25)));
    }
}

#[test]
fn meshes_have_no_pinholes() {
    let mut scene = SceneView::default();
    let n = 37;
    let point = |k: usize| {
        let (i, j) = (k % (n + 1), k / (n + 1));
        let jitter = 0.013 * ((7 * i + 13 * j) % 5) as f32;
        [(i as f32 / n as f32 - 0.5) * 2.0 + jitter, (j as f32 / n as f32 - 0.5) * 2.0 - jitter, jitter]
    };
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let cell = |k: usize| {
        let (i, j) = (k % n, k / n);
        [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
    };
    let positions = (0..(n + 1) * (n + 1)).map(point).collect();
    scene.meshes.push(MeshView::new("grid", positions, (0..n * n).flat_map(cell).collect(), RED));
    let options = RenderOptions { samples: 1, ..facing(300, 300) };
    let image = render_frame(&scene, &options).unwrap();
    let reach = (300.0 * 0.9 / (10.0 * 10_f32.to_radians().tan()) / 2.0) as usize;
    for y in 150 - reach..150 + reach {
        for x in 150 - reach..150 + reach {
            assert!(is_red(image.pixel(x, y)), "hole at {x}, {y}");
        }
    }
}

#[test]
fn shadow_is_darker_than_lit_ground_and_meets_its_caster() {
    let scene = ball_on_ground(0.0);
    let look_at = Some(LookAt { eye: [0.0, -8.0, 6.0], target: [0.0, 0.0, 0.0], up: None });
    let camera = Camera { look_at, field_of_view: 30.0, ..Camera::default() };
    let sun = Some([-1.0, 0.0, 1.0]);
    let lit = RenderOptions { width: 300, height: 200, camera, sun, grid: false, ..RenderOptions::default() };
    let dark = |options: &RenderOptions| {
        let image = render_frame(&scene, options).unwrap();
        let grey = |p: [u8; 3]| !is_red(p) && p[1] < 175;
        (0..200).map(|y| (0..300).filter(|&x| grey(image.pixel(x, y))).count()).sum::<usize>()
    };
    let plain = RenderOptions { shadows: false, occlusion: false, ..lit.clone() };
    // without shadows only pixels on the rim of the ball, blended with its dark side, are that dark
    let rim = dark(&plain);
    assert!(rim < 60, "{rim}");
    assert!(dark(&RenderOptions { occlusion: false, ..lit.clone() }) > 300 + rim);
    let image = render_frame(&scene, &lit).unwrap();
    // walking right from the ball along its middle row there is shadow at once, and light in the
    // end
    let row = 100;
    let edge = (150..300).find(|&x| !is_red(image.pixel(x, row))).unwrap();
    assert!(image.pixel(edge + 2, row)[1] < 175, "{:?}", image.pixel(edge + 2, row));
    assert!(image.pixel(295, row)[1] > 205);
}

#[test]
fn moving_something_changes_the_picture() {
    let options = RenderOptions {
        width: 160,
        height: 90,
        bounds: Some(stiction_render::BoundingBox { min: [-2.0, -1.0, 0.0], max: [2.0, 1.0, 1.0] }),
        ..RenderOptions::default()
    };
    let a = render_frame(&ball_on_ground(-1.0), &options).unwrap();
    let b = render_frame(&ball_on_ground(1.0), &options).unwrap();
    let changed = a.bytes().chunks(3).zip(b.bytes().chunks(3)).filter(|(p, q)| p != q).count();
    assert!(changed > 500, "{changed}");
    assert_eq!(a, render_frame(&ball_on_ground(-1.0), &options).unwrap());
}

#[test]
fn same_bits_for_any_thread_count() {
    let mut scene = ball_on_ground(0.3);
    scene.meshes.push(square(0.7, 0.8, BLUE));
    scene.markers.push(Marker {
        position: [0.0, 0.0, 0.9],
        arrow: Some([0.0, 0.5, 0.5]),
        colour: RED,
        size: 8.0,
    });
    let options = RenderOptions { width: 200, height: 120, ..RenderOptions::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render_frame(&scene, &options).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

#[test]
fn markers_show_through_what_hides_them_but_paler() {
    let mut scene = SceneView::default();
    scene.meshes.push(square(0.0, 1.0, BLUE));
    let marker = |x: f32, z: f32| Marker { position: [x, 0.0, z], arrow: None, colour: RED, size: 40.0 };
    scene.markers = vec![marker(-0.5, 0.5), marker(0.5, -0.5)];
    let image = render_frame(&scene, &facing(200, 200)).unwrap();
    let redness = |x: usize| image.pixel(x, 100)[0] as i32 - image.pixel(x, 100)[2] as i32;
    let (front, behind, bare) = (redness(72), redness(127), redness(100));
    assert!(front > behind + 40 && behind > bare + 40, "{front} {behind} {bare}");
}

#[test]
fn camera_inside_the_scene_and_empty_scenes_are_fine() {
    let mut scene = ball_on_ground(0.0);
    scene.meshes.push(square(0.0, 50.0, BLUE));
    let look_at = Some(LookAt { eye: [0.1, 0.2, 0.3], target: [1.0, 0.0, 0.2], up: None });
    let camera = Camera { look_at, ..Camera::default() };
    let options = RenderOptions { width: 64, height: 64, camera, ..RenderOptions::default() };
    render_frame(&scene, &options).unwrap();
    let options = RenderOptions { width: 64, height: 64, ..RenderOptions::default() };
    render_frame(&SceneView::default(), &options).unwrap();
}

#[test]
fn bad_input_is_named() {
    let mut scene = SceneView::default();
    scene.meshes.push(square(0.0, 1.0, BLUE));
    scene.meshes[0].triangles.push([0, 1, 9]);
    let text = render_frame(&scene, &RenderOptions::default()).unwrap_err().to_string();
    assert!(text.contains("`square`") && text.contains("triangle 2"), "{text}");
    scene.meshes[0].triangles.pop();
    scene.meshes[0].positions[3][1] = f32::NAN;
    let text = render_frame(&scene, &RenderOptions::default()).unwrap_err().to_string();
    assert!(text.contains("vertex 3"), "{text}");
    let options = RenderOptions { samples: 9, ..RenderOptions::default() };
    let text = render_frame(&SceneView::default(), &options).unwrap_err().to_string();
    assert!(text.contains("samples"), "{text}");
}
