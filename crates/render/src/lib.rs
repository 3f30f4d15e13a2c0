//! Stills without a display: a software renderer for scenes and run folders.
//!
//! Comes in: a [`SceneView`] (triangles, tubes, markers, an up axis, perhaps a ground) or a run
//! folder. Goes out: an [`Image`], a contact sheet, or PNG files. Knows no physics, no solver, no
//! window system, no GPU.
//!
//! The pipeline of one picture, each stage a file of this crate:
//!
//! 1. `primitives`: the view becomes flat lists of triangles (crease-aware normals) and capsules;
//! 2. `raster`: watertight band-parallel rasterisation into nearness and primitive number per
//!    sample;
//! 3. `shadow`: the same rasteriser seen from the sun, read back with a contact-hardening filter;
//! 4. `surface`, `occlusion`: one surface point per pixel, screen-space occlusion at two radii,
//!    smoothed;
//! 5. `shade`, `ground`: sun, sky and ground light; samples of one surface are lit once, edges are
//!    blended;
//! 6. `legend`, `sheet`, `image`: lettering, contact sheets, PNG; `run` and `panels`: of one run,
//!    of several.
//!
//! Every pixel is a pure function of the input, so pictures are bit-identical for any number of
//! threads.

mod camera;
mod colour;
mod error;
mod font;
mod frame_view;
mod ground;
mod image;
mod legend;
mod normals;
mod occlusion;
mod options;
mod panels;
mod png_file;
mod primitives;
mod projection;
mod raster;
mod render;
mod run;
mod shade;
mod shadow;
mod sheet;
mod spiral;
mod surface;
mod thicken;
mod view;

pub use camera::{Camera, LookAt};
pub use colour::{Colour, ColourMap, body_colour};
pub use error::RenderError;
pub use frame_view::ColourBy;
pub use image::Image;
pub use legend::Legend;
pub use options::RenderOptions;
pub use panels::{Panel, render_panels};
pub use render::render_frame;
pub use run::{Arrangement, FrameChoice, GroundChoice, RunRenderOptions, RunRenderReport, render_run};
pub use sheet::{contact_sheet, default_columns};
pub use view::{BoundingBox, Marker, MeshView, SceneView, TubeView, UpAxis};

/// Single-precision vector: ample for pictures, half the memory traffic of `f64`.
pub(crate) type V3 = stiction_numerics::nalgebra::Vector3<f32>;

/// Vector from an array.
pub(crate) fn v3(p: [f32; 3]) -> V3 {
    V3::new(p[0], p[1], p[2])
}
