//! The pipeline of one picture.

use crate::V3;
use crate::error::RenderError;
use crate::ground::GroundGrid;
use crate::image::Image;
use crate::occlusion::PixelGrid;
use crate::options::RenderOptions;
use crate::primitives::Primitives;
use crate::projection::Projector;
use crate::raster::rasterise;
use crate::shade::{Backdrop, Shader};
use crate::shadow::ShadowMap;
use crate::surface::{VisibleSurfaces, add_ground};
use crate::v3;
use crate::view::{BoundingBox, SceneView};

/// Strands are drawn at least this wide [pixels]: thinner ones would come out as dots.
const STRAND_WIDTH: f32 = 1.5;

/// Draws one picture of a scene.
pub fn render_frame(scene: &SceneView, options: &RenderOptions) -> Result<Image, RenderError> {
    scene.validate()?;
    options.validate()?;
    let (framed, casters) = boxes(scene, options);
    let view = options.camera.projector(&framed, scene.up, options.width, options.height);
    let fine = view.supersampled(options.samples);
    let thinnest = STRAND_WIDTH * options.samples as f32;
    let sun = sun_direction(scene, options, &view);
    let up = scene.up.basis()[2];

    let bodies = Primitives::of_bodies(scene, &view, options.crease_angle);
    let ground = scene.ground.and_then(|h| GroundGrid::new(h, scene.up, &framed, view.origin));
    let shadow = (options.shadows && bodies.len() > 0)
        .then(|| ShadowMap::new(&bodies, &casters, sun, scene.up, options.shadow_resolution));
    let mut visibility = rasterise(&fine, &bodies, thinnest);
    if let Some(ground) = &ground {
        add_ground(&mut visibility, &fine, ground);
    }
    let ground_normal = view.direction_to_camera(up);
    let surfaces =
        VisibleSurfaces { visibility: &visibility, projector: &fine, primitives: &bodies, ground_normal };

    let points = surfaces.per_pixel(options.samples);
    let grid = PixelGrid { points: &points, projector: &view, scene_radius: framed.radius(), casters };
    let exposure = grid.exposure(shadow.as_ref().map(|map| (map, &view)), options.occlusion);

    let marks = Primitives::of_markers(&scene.markers, &view);
    let marks_seen = (marks.len() > 0).then(|| rasterise(&fine, &marks, thinnest));
    let markers = marks_seen.as_ref().map(|visibility| VisibleSurfaces {
        visibility,
        projector: &fine,
        primitives: &marks,
        ground_normal,
    });
    let shader = Shader {
        surfaces,
        grid,
        exposure: &exposure,
        shadow: shadow.as_ref(),
        markers,
        ground: ground.as_ref(),
        show_grid: options.grid,
        backdrop: Backdrop::new(options.height),
        sun,
        up,
        samples: options.samples,
    };
    let mut image = shader.image();
    letter(&mut image, options);
    Ok(image)
}

/// The box to frame, and the box of all that casts shadows.
fn boxes(scene: &SceneView, options: &RenderOptions) -> (BoundingBox, BoundingBox) {
    let own = BoundingBox::of(scene);
    let framed = options.bounds.filter(|b| !b.is_empty()).unwrap_or(own);
    let unit = BoundingBox { min: [-1.0; 3], max: [1.0; 3] };
    let framed = if framed.is_empty() { unit } else { framed };
    // far parts of large colliders would only waste the shadow map
    let casters = own.intersection(framed.inflated(framed.radius()));
    (framed, if casters.is_empty() { framed } else { casters })
}

/// Direction towards the sun: by default high, to the left of the eye and a little in front of the
/// scene.
fn sun_direction(scene: &SceneView, options: &RenderOptions, view: &Projector) -> V3 {
    const ELEVATION: f32 = 0.75;
    const TURN: f32 = 1.2;
    if let Some(sun) = options.sun {
        return v3(sun).normalize();
    }
    let [e1, _, up] = scene.up.basis();
    let back = -view.axes[2];
    let flat = back - up * back.dot(&up);
    // looking straight down there is no "left of the eye": use the bottom of the picture
    let flat = if flat.norm() > 1e-3 { flat } else { -view.axes[1] };
    let flat = if flat.norm() > 1e-3 { flat.normalize() } else { e1 };
    let left = flat.cross(&up);
    (flat * TURN.cos() + left * TURN.sin()) * ELEVATION.cos() + up * ELEVATION.sin()
}

/// Caption and colour bar.
fn letter(image: &mut Image, options: &RenderOptions) {
    let scale = image.lettering_scale();
    if let Some(caption) = &options.caption {
        image.text_panel(6 * scale, 6 * scale, caption, scale);
    }
    if let Some(legend) = &options.legend {
        legend.draw(image);
    }
}
