//! How a picture is made.

use crate::camera::Camera;
use crate::error::RenderError;
use crate::legend::Legend;
use crate::view::BoundingBox;

/// Settings of one picture.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// Width [pixels].
    pub width: usize,
    /// Height [pixels].
    pub height: usize,
    /// Samples per pixel along each axis, 1 to 4.
    pub samples: usize,
    /// Camera.
    pub camera: Camera,
    /// Box to frame; `None` frames the scene itself. Give one box for a series of frames.
    pub bounds: Option<BoundingBox>,
    /// Direction towards the sun; `None` places it to the upper left of the camera.
    pub sun: Option<[f32; 3]>,
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// Resolution of the shadow map along each axis, 64 to 8192.
    pub shadow_resolution: usize,
    /// Whether creases and contacts are darkened by ambient occlusion.
    pub occlusion: bool,
    /// Whether the ground shows a grid.
    pub grid: bool,
    /// Edges sharper than this stay sharp in smooth meshes [degrees].
    pub crease_angle: f32,
    /// Colour bar, or `None`.
    pub legend: Option<Legend>,
    /// Text in the upper left corner, or `None`.
    pub caption: Option<String>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            width: 1280,
            height: 720,
            samples: 3,
            camera: Camera::default(),
            bounds: None,
            sun: None,
            shadows: true,
            shadow_resolution: 2048,
            occlusion: true,
            grid: true,
            crease_angle: 50.0,
            legend: None,
            caption: None,
        }
    }
}

impl RenderOptions {
    /// Checks ranges.
    pub fn validate(&self) -> Result<(), RenderError> {
        let range = |name, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(RenderError::BadOption { name, problem: format!("{value} is not between {low} and {high}") })
        };
        range("width", self.width, 16, 16_384)?;
        range("height", self.height, 16, 16_384)?;
        range("samples", self.samples, 1, 4)?;
        range("shadow_resolution", self.shadow_resolution, 64, 8192)?;
        // sample numbers are 32-bit fixed point with 8 fractional bits
        range("width × samples", self.width.max(self.height) * self.samples, 1, 65_536)?;
        let total = self.width * self.height * self.samples * self.samples;
        range("width × height × samples²", total, 1, 1 << 29)?;
        if !(0.0..=180.0).contains(&self.crease_angle) {
            let problem = "must be between 0 and 180 degrees".into();
            return Err(RenderError::BadOption { name: "crease_angle", problem });
        }
        if self.sun.is_some_and(|s| {
            let n = crate::v3(s).norm();
            !(n.is_finite() && n > 0.0)
        }) {
            return Err(RenderError::BadOption {
                name: "sun",
                problem: "must be finite and not zero".into(),
            });
        }
        self.camera.validate()
    }
}
