//! Draws a made-up scene: `cargo run --release -p stiction-render --example demo -- FOLDER`.

use std::time::Instant;

use stiction_render::{
    BoundingBox, Camera, Colour, ColourMap, Legend, Marker, MeshView, RenderOptions, SceneView, TubeView,
    UpAxis, body_colour, contact_sheet, render_frame,
};

/// A square sheet of `n` × `n` cells draped over a ball of radius 0.5 at height 0.5.
fn cloth(n: usize, thickness: f32, lift: f32) -> MeshView {
    let mut positions = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (x, z) = (2.4 * (i as f32 / n as f32 - 0.5), 2.4 * (j as f32 / n as f32 - 0.5));
            let (r, a) = (x.hypot(z), z.atan2(x));
            let dome =
                if r < 0.42 { 0.5 + (0.2525_f32 - r * r).sqrt() } else { 0.5 + 0.276 - 1.5 * (r - 0.42) };
            let fold = 0.07
                * ((r - 0.3).max(0.0) * 2.0).min(1.0)
                * ((11.0 * a).sin() + 0.3 * (23.0 * a + 5.0 * r).sin());
            let crumple = 0.004 * (40.0 * x + 9.0 * z).sin() * (35.0 * z).cos();
            let floor = 0.03 + 0.03 * (9.0 * a + 6.0 * r).sin().abs();
            positions.push([x, (dome + fold).max(floor) + crumple + lift, z]);
        }
    }
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
        }
    }
    MeshView { thickness, ..MeshView::new("cloth", positions, triangles, body_colour(0)) }
}

fn cuboid(low: [f32; 3], high: [f32; 3], colour: Colour) -> MeshView {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    MeshView::new("box", (0..8).map(corner).collect(), triangles, colour)
}

fn coil(centre: [f32; 3], radius: f32, colour: Colour) -> TubeView {
    let point = |i: usize| {
        let a = i as f32 * 0.12;
        let reach = 0.28 - 0.00035 * i as f32;
        [centre[0] + reach * a.cos(), radius + 0.0011 * i as f32, centre[2] + reach * a.sin()]
    };
    TubeView::new((0..420).map(point).collect(), radius, colour)
}

/// A wisp of `strands` fine hairs with `segments` segments each.
fn hair(strands: usize, segments: usize) -> impl Iterator<Item = TubeView> {
    (0..strands).map(move |s| {
        let (u, w) = ((s as f32 * 0.618_034).fract(), (s as f32 * 0.754_878).fract());
        let root = [-1.75 + 0.22 * (u - 0.5), 0.9, 0.2 + 0.7 * (w - 0.5)];
        let point = |i: usize| {
            let t = i as f32 / segments as f32;
            let wave = 0.03 * (18.0 * t + 6.0 * u).sin() * t;
            [
                root[0] + wave + 0.25 * t * t * (u - 0.5),
                root[1] - 0.86 * t,
                root[2] + 0.03 * (15.0 * t + 9.0 * w).cos() * t,
            ]
        };
        let colour = Colour::hex(0x7a4f2e).mix(Colour::hex(0xb98a5a), (s as f32 * 0.37).fract());
        TubeView::new((0..=segments).map(point).collect(), 0.0008, colour)
    })
}

fn scene(cells: usize, strands: usize, lift: f32) -> SceneView {
    let mut scene = SceneView { up: UpAxis::Y, ground: Some(0.0), ..SceneView::default() };
    scene.meshes.push(cloth(cells, 0.012, lift));
    scene.meshes.push(cuboid([1.35, 0.0, -0.3], [1.8, 0.45, 0.15], body_colour(1)));
    scene.tubes.push(coil([1.45, 0.0, 0.75], 0.025, body_colour(3)));
    scene.tubes.push(TubeView::new(vec![[1.2, 0.47, 0.3], [2.0, 0.47, -0.5]], 0.02, body_colour(2)));
    scene.tubes.push(TubeView::new(vec![[-1.6, 0.5, 0.9], [-1.6, 0.5, 0.9]], 0.2, body_colour(4)));
    scene.tubes.extend(hair(strands, 50));
    scene
}

fn timed(name: &str, scene: &SceneView, options: &RenderOptions) -> stiction_render::Image {
    let start = Instant::now();
    let image = render_frame(scene, options).expect("the demo scene is sound");
    println!("{name}: {:.3} s", start.elapsed().as_secs_f64());
    image
}

fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "demo".into()));
    let write = |image: stiction_render::Image, name: &str| {
        image.write_png(folder.join(name)).expect("the folder can be written");
    };
    let options = RenderOptions::default();
    let plain = scene(223, 300, 0.0);
    println!("{} cloth triangles", plain.meshes[0].triangles.len());
    write(timed("plain", &plain, &options), "plain.png");

    if std::env::args().any(|a| a == "--plain") {
        return;
    }
    let mut coloured = scene(223, 0, 0.0);
    let heights = coloured.meshes[0].positions.iter().map(|p| ColourMap::Sequential.at(p[1])).collect();
    coloured.meshes[0].vertex_colours = Some(heights);
    for i in 0..40 {
        let a = i as f32 * 0.35;
        let position = [0.4 * a.cos(), 0.85, 0.4 * a.sin()];
        let arrow = Some([0.7 * a.cos(), 1.0, 0.7 * a.sin()]);
        coloured.markers.push(Marker { position, arrow, colour: Colour::hex(0xd62839), size: 4.0 });
    }
    let legend = Legend { title: "height [m]".into(), low: 0.0, high: 1.0, map: ColourMap::Sequential };
    let camera = Camera { azimuth: 60.0, elevation: 35.0, ..Camera::default() };
    let caption = Some("frame 12   t = 0.40 s".into());
    let labelled = RenderOptions { legend: Some(legend), caption, camera, ..options.clone() };
    write(timed("coloured", &coloured, &labelled), "coloured.png");

    let close = Camera { distance: 0.35, target: Some([0.6, 0.2, 0.8]), ..Camera::default() };
    write(timed("close", &plain, &RenderOptions { camera: close, ..options.clone() }), "close.png");

    let hairy = scene(40, 10_000, 0.0);
    write(timed("500k segments", &hairy, &options), "hair.png");

    let bounds = BoundingBox::of(&scene(40, 0, 0.0)).union(BoundingBox::of(&scene(40, 0, 0.6)));
    let small = RenderOptions { width: 480, height: 300, bounds: Some(bounds), ..options };
    let lifts = [0.6, 0.4, 0.2, 0.0];
    let images: Vec<_> = lifts.iter().map(|&l| timed("cell", &scene(60, 50, l), &small)).collect();
    let captions: Vec<String> = lifts.iter().map(|l| format!("lift {l:.1} m")).collect();
    write(contact_sheet(&images, 2, &captions).expect("equal sizes"), "sheet.png");
}
