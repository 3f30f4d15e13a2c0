//! The resolved scene: validated plain data in SI units, in world coordinates, with every name
//! turned into an index. `bodies` compiles exactly this; nothing here needs to be checked again.
//!
//! Guarantees: all numbers are finite; densities, moduli and thicknesses are positive; indices are
//! in range; cells are neither degenerate nor inverted; selections are not empty; key frames are in
//! order.

mod body;
mod collider;
mod couple;
mod friction;
mod gravity;
mod joint;
mod mesh;
mod rigid;

pub use body::*;
pub use collider::*;
pub use couple::*;
pub use friction::*;
pub use gravity::*;
pub use joint::*;
pub use mesh::*;
pub use rigid::*;

use stiction_numerics::Vec3;

/// A whole scene, ready to be compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Short name, also the gallery name.
    pub name: String,
    /// One sentence for lists.
    pub summary: String,
    /// Figure, table or case that the scene reproduces.
    pub source: String,
    /// Version of the file format.
    pub version: u32,
    /// Direction that points away from the ground.
    pub up_axis: Axis,
    /// Gravity over time.
    pub gravity: Gravity,
    /// Air and its motion.
    pub wind: Wind,
    /// Frames per second of the output [1/s].
    pub fps: f64,
    /// Number of frames after the initial one.
    pub frames: u32,
    /// Largest time step [s]; steps are clipped to land on frames.
    pub step_size: f64,
    /// Method and its options.
    pub method: MethodChoice,
    /// Bodies, instances already expanded.
    pub bodies: Vec<SceneBody>,
    /// Prescribed obstacles.
    pub colliders: Vec<Collider>,
    /// Springs that hold vertices to bodies, colliders or places.
    pub attachments: Vec<Attachment>,
    /// Sewing springs.
    pub stitches: Vec<Stitch>,
    /// Joints of rigid bodies, in the order of their names.
    pub joints: Vec<SceneJoint>,
    /// Strands whose roots are held to bodies.
    pub rootings: Vec<Rooting>,
    /// How friction coefficients combine.
    pub friction: FrictionTable,
    /// What to do with bodies that touch or cross at the start.
    pub initial_contact: InitialContact,
    /// What a run writes.
    pub output: OutputChoice,
    /// Seed of every random choice.
    pub seed: u64,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// First axis.
    X,
    /// Second axis.
    Y,
    /// Third axis.
    Z,
}

impl Axis {
    /// Unit vector along the axis.
    pub fn unit(self) -> Vec3 {
        match self {
            Axis::X => Vec3::x(),
            Axis::Y => Vec3::y(),
            Axis::Z => Vec3::z(),
        }
    }
}

/// Air: density and a wind field, a mean velocity with travelling sinusoidal gusts.
///
/// w(x, t) = v + a · v̂ · sin(2π (f t − v̂·x / L))
/// v mean velocity · a gust amplitude · f frequency · L length, v̂ = v/|v|
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity [m/s].
    pub velocity: Vec3,
    /// Gust amplitude [m/s]; zero for steady wind.
    pub gust_amplitude: f64,
    /// Gust frequency [1/s].
    pub gust_frequency: f64,
    /// Gust length along the wind [m].
    pub gust_length: f64,
    /// Density of the air [kg/m³]; zero switches drag off.
    pub air_density: f64,
}

impl Wind {
    /// Air velocity at a place and time [m/s].
    pub fn velocity_at(&self, point: &Vec3, time: f64) -> Vec3 {
        let speed = self.velocity.norm();
        if speed == 0.0 || self.gust_amplitude == 0.0 {
            return self.velocity;
        }
        let direction = self.velocity / speed;
        let phase = self.gust_frequency * time - direction.dot(point) / self.gust_length;
        self.velocity + direction * (self.gust_amplitude * (std::f64::consts::TAU * phase).sin())
    }
}

/// The method that runs the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodChoice {
    /// Key, such as `newton`.
    pub key: String,
    /// Its options as written, numbers without a fraction as integers; the method parses them with
    /// [`MethodChoice::parse`].
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// What to do with contact at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitialContact {
    /// As the method prefers.
    MethodDefault,
    /// Refuse to run.
    Refuse,
    /// Push apart over a stated time [s].
    Resolve {
        /// Time over which gaps open [s].
        seconds: f64,
    },
}

/// What a run writes beside positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputChoice {
    /// Velocities of vertices.
    pub velocities: bool,
    /// Contact points, normals and forces.
    pub contacts: bool,
    /// Vertex positions of colliders.
    pub colliders: bool,
    /// Checkpoint every so many frames; at least 1.
    pub checkpoint_every: u32,
}
