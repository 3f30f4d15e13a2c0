//! What a simulation keeps of its scene.
//!
//! A scene holds the arrays of all meshes, and so does the model that is compiled from it. A second
//! copy would cost some 70 bytes per vertex over the whole run, so the scene is given up once it is
//! compiled; what is still asked for afterwards is here, complete.

use stiction_numerics::Vec2;
use stiction_scene::resolved::{Axis, Cells, MethodChoice, OutputChoice, SceneBody};
use stiction_scene::{InitialContact, Scene};

/// Values of a scene that are not part of its model.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Short name.
    pub name: String,
    /// Direction that points away from the ground.
    pub up_axis: Axis,
    /// Frames per second of the output \[1/s\].
    pub fps: f64,
    /// Number of frames after the initial one.
    pub frames: u32,
    /// Largest time step \[s\]; steps are clipped to land on frames.
    pub step_size: f64,
    /// Method and its options, as the scene names them.
    pub method: MethodChoice,
    /// What to do with bodies that touch or cross at the start.
    pub initial_contact: InitialContact,
    /// What a run writes.
    pub output: OutputChoice,
}

/// What drawing a body needs in addition to its model.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyDetails {
    /// Vertices of each strand, in order.
    pub strands: Vec<Vec<u32>>,
    /// Pinned vertices, sorted.
    pub pinned: Vec<u32>,
    /// Texture coordinates of the surface that the body carries.
    pub surface_uv: Vec<Vec2>,
}

impl Settings {
    /// Of a scene.
    pub fn of(scene: &Scene) -> Settings {
        Settings {
            name: scene.name.clone(),
            up_axis: scene.up_axis,
            fps: scene.fps,
            frames: scene.frames,
            step_size: scene.step_size,
            method: scene.method.clone(),
            initial_contact: scene.initial_contact,
            output: scene.output,
        }
    }
}

impl BodyDetails {
    /// Of a body, whose arrays are taken over.
    pub fn of(body: SceneBody) -> BodyDetails {
        let mut pinned: Vec<u32> = body.pins.iter().flat_map(|p| p.vertices.iter().copied()).collect();
        pinned.sort_unstable();
        pinned.dedup();
        let strands = match body.mesh.cells {
            Cells::Strands(strands) => strands,
            Cells::Triangles(_) | Cells::Tets(_) => Vec::new(),
        };
        let surface_uv = body.embedded_surface.and_then(|surface| surface.mesh.uv).unwrap_or_default();
        BodyDetails { strands, pinned, surface_uv }
    }
}
