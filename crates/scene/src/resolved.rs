//! The resolved scene: validated plain data in SI units, in world coordinates, with every name turned into
//! an index. `bodies` compiles exactly this; nothing here needs to be checked again.
//!
//! Guarantees: all numbers are finite; densities, moduli and thicknesses are positive; indices are in
//! range; cells are neither degenerate nor inverted; selections are not empty; key frames are in order.

use crate::material::{Drag, Material};
use crate::motion::Motion;
use stiction_numerics::nalgebra::Rotation3;
use stiction_numerics::{Vec2, Vec3};

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
    /// Gravity [m/s²].
    pub gravity: Vec3,
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
    /// Deformable bodies, instances already expanded.
    pub bodies: Vec<Body>,
    /// Prescribed obstacles.
    pub colliders: Vec<Collider>,
    /// Springs that hold vertices to bodies, colliders or places.
    pub attachments: Vec<Attachment>,
    /// Sewing springs.
    pub stitches: Vec<Stitch>,
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
    /// Its options as written; the method parses them with [`MethodChoice::parse`].
    pub options: toml::Table,
}

/// A deformable body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique name; instances are called `name.0`, `name.1` and so on.
    pub name: String,
    /// What it is made as.
    pub kind: BodyKind,
    /// Geometry at the start, in the world [m].
    pub mesh: Mesh,
    /// Elastic material; its variant agrees with `kind`.
    pub material: Material,
    /// Coulomb friction coefficient of the surface.
    pub friction: f64,
    /// Direction-dependent friction, if any.
    pub friction_direction: Option<FrictionDirection>,
    /// Geometric thickness [m]: shell thickness, rod diameter, 0 for solids unless given.
    pub thickness: f64,
    /// Distance beyond the thickness at which contact begins to act [m].
    pub contact_gap: f64,
    /// Prescribed vertices.
    pub pins: Vec<Pin>,
    /// Initial velocity of the body [m/s].
    pub initial_velocity: Vec3,
    /// Initial angular velocity about the mean of the vertices [rad/s].
    pub spin: Vec3,
    /// Whether the body can touch itself.
    pub self_contact: bool,
    /// Named vertex groups, sorted by name, indices ascending.
    pub groups: Vec<VertexGroup>,
    /// The written body that this one is a copy of.
    pub instance_of: Option<InstanceOf>,
    /// Display colour, linear RGB in 0..1.
    pub colour: Option<[f32; 3]>,
    /// Surface carried by tets or frames: its vertices and where they sit.
    pub embedded_surface: Option<EmbeddedSurface>,
    /// Frames of a skinned or affine body, whose `mesh` holds their nodes, four by four.
    pub frames: Option<Frames>,
    /// Which shape is free of stress.
    pub rest: RestShape,
    /// Pressure inside a closed surface, if any.
    pub inflation: Option<Inflation>,
    /// Warp direction in the world when the mesh has no `uv` (then warp is the direction of u).
    pub warp: Option<Vec3>,
}

impl Body {
    /// Indices of a named group.
    pub fn group(&self, name: &str) -> Option<&[u32]> {
        self.groups.iter().find(|g| g.name == name).map(|g| g.vertices.as_slice())
    }
}

/// What a body is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Thin shell on triangles.
    Cloth,
    /// Elastic rods on strands.
    Rod,
    /// Soft solid on tets.
    Solid,
    /// Solid or sheet on affine frames with blended weights.
    Skinned,
    /// Near-rigid solid on one affine frame.
    Affine,
}

impl BodyKind {
    /// Whether its nodes are those of affine frames, not vertices of a mesh.
    pub fn on_frames(self) -> bool {
        matches!(self, BodyKind::Skinned | BodyKind::Affine)
    }
}

/// A named set of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexGroup {
    /// Name, such as `roots`.
    pub name: String,
    /// Vertex indices, ascending.
    pub vertices: Vec<u32>,
}

/// Where an instance came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceOf {
    /// Name of the body as written.
    pub name: String,
    /// Number of this copy.
    pub index: u32,
}

/// Which shape is free of stress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestShape {
    /// `mesh.rest_vertices`, or `mesh.vertices` when there are none.
    Mesh,
    /// The flat pattern in `mesh.uv`, in metres (cloth only).
    Pattern,
}

/// Pressure on the inside of a closed surface: p = pressure + bulk_modulus (1 − V/V₀).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflation {
    /// Gauge pressure at the rest volume [Pa].
    pub pressure: f64,
    /// Resistance to change of volume [Pa].
    pub bulk_modulus: f64,
}

/// Friction that differs along and across a direction on the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionDirection {
    /// The direction.
    pub field: DirectionField,
    /// Coefficient along it.
    pub along: f64,
    /// Coefficient across it.
    pub across: f64,
}

impl FrictionDirection {
    /// Turns the directions along with a body.
    pub(crate) fn turn(&mut self, rotation: &Rotation3<f64>) {
        match &mut self.field {
            DirectionField::Fixed(direction) => *direction = rotation * *direction,
            DirectionField::Vertices(all) => all.iter_mut().for_each(|d| *d = rotation * *d),
            DirectionField::U | DirectionField::V => {}
        }
    }
}

/// A direction at every point of a surface.
#[derive(Clone, Debug, PartialEq)]
pub enum DirectionField {
    /// A fixed direction in the initial shape, carried by the material (unit).
    Fixed(Vec3),
    /// The direction in which u grows.
    U,
    /// The direction in which v grows.
    V,
    /// A vector per vertex of the surface in the initial shape, carried by the material.
    Vertices(Vec<Vec3>),
}

/// Geometry with its cells; vertex order is the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Initial positions [m].
    pub vertices: Vec<Vec3>,
    /// Cells.
    pub cells: Cells,
    /// One pattern coordinate per vertex, if known; in metres for generators.
    pub uv: Option<Vec<Vec2>>,
    /// Positions without stress where they differ from `vertices` [m].
    pub rest_vertices: Option<Vec<Vec3>>,
    /// File or generator, for messages.
    pub source: String,
}

/// Cells of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Triangles, counter-clockwise seen from outside.
    Triangles(Vec<[u32; 3]>),
    /// Tets with positive volume: (b−a)·((c−a)×(d−a)) > 0.
    Tets(Vec<[u32; 4]>),
    /// Polylines of at least two vertices; equal ends mean a closed loop.
    Strands(Vec<Vec<u32>>),
}

impl Cells {
    /// Number of triangles, tets or strands.
    pub fn len(&self) -> usize {
        match self {
            Cells::Triangles(c) => c.len(),
            Cells::Tets(c) => c.len(),
            Cells::Strands(c) => c.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A surface whose vertices are fixed linear combinations of the vertices of a body (tet corners, nodes of frames).
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedSurface {
    /// The surface, triangles only, at its initial place.
    pub mesh: Mesh,
    /// What carries each surface vertex; weights may be negative outside of a tet.
    pub carriers: Vec<WeightedPoint>,
    /// Largest distance of a surface vertex outside the tet mesh [m].
    pub max_outside: f64,
}

impl EmbeddedSurface {
    /// A point given over surface vertices, as one over the vertices that carry them.
    pub fn carried(&self, point: &WeightedPoint) -> WeightedPoint {
        let mut terms: Vec<(u32, f64)> = Vec::new();
        for &(vertex, weight) in &point.terms {
            for &(node, w) in &self.carriers[vertex as usize].terms {
                match terms.iter_mut().find(|t| t.0 == node) {
                    Some(term) => term.1 += weight * w,
                    None => terms.push((node, weight * w)),
                }
            }
        }
        WeightedPoint { terms }
    }
}

/// The affine frames of a body; nodes 4f to 4f + 3 belong to frame f.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Centre of each frame [m].
    pub centres: Vec<Vec3>,
    /// Share of the body's volume in each node [m³].
    pub node_volumes: Vec<f64>,
    /// Where the body is elastic.
    pub points: Vec<MaterialPoint>,
}

/// A point of an elastic material whose deformation gradient is F = Σ x_a g_aᵀ.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialPoint {
    /// Nodes a.
    pub nodes: Vec<u32>,
    /// Shape gradients g_a at rest [1/m]; they sum to zero.
    pub gradients: Vec<Vec3>,
    /// Volume that the point stands for [m³].
    pub volume: f64,
}

/// Prescribed vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Vertices, ascending.
    pub vertices: Vec<u32>,
    /// How they move from their initial places.
    pub motion: Motion,
    /// Times during which the pin holds [s], ascending and apart; empty means always.
    pub active: Vec<(f64, f64)>,
    /// Spring stiffness per vertex [N/m]; `None` holds exactly.
    pub stiffness: Option<f64>,
    /// Whether rod edges between two pinned vertices keep (and turn with) their material frame, and shell edges beside
    /// pinned triangles their normal.
    pub hold_twist: bool,
}

impl Pin {
    /// Whether the pin holds at a time; intervals are closed at the start and open at the end.
    pub fn is_active(&self, time: f64) -> bool {
        is_active(&self.active, time)
    }
}

/// Whether a time falls in one of the intervals `[a, b)`; an empty list means always.
pub fn is_active(intervals: &[(f64, f64)], time: f64) -> bool {
    intervals.is_empty() || intervals.iter().any(|&(a, b)| a <= time && time < b)
}

/// A prescribed obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Unique name.
    pub name: String,
    /// Shape at time zero before `motion` acts.
    pub shape: ColliderShape,
    /// How it moves.
    pub motion: ColliderMotion,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Direction-dependent friction, if any; it moves with the collider.
    pub friction_direction: Option<FrictionDirection>,
    /// Geometric thickness [m], half of it on each side of the surface.
    pub thickness: f64,
    /// Distance at which contact begins to act [m].
    pub contact_gap: f64,
    /// Display colour, linear RGB in 0..1.
    pub colour: Option<[f32; 3]>,
}

/// Shape of a collider in world coordinates. `inverted` ones keep bodies inside.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Half space normal·x ≤ offset is solid.
    Plane {
        /// Unit normal out of the solid side.
        normal: Vec3,
        /// Distance of the plane from the origin along the normal [m].
        offset: f64,
    },
    /// Ball.
    Sphere {
        /// Centre [m].
        centre: Vec3,
        /// Radius [m].
        radius: f64,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Box, possibly turned.
    Box {
        /// Centre [m].
        centre: Vec3,
        /// Half edge lengths [m].
        half_size: Vec3,
        /// Rotation vector [rad].
        rotation: Vec3,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Closed cylinder between two points of its axis.
    Cylinder {
        /// One end of the axis [m].
        start: Vec3,
        /// Other end of the axis [m].
        end: Vec3,
        /// Radius [m].
        radius: f64,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Capsule around a segment.
    Capsule {
        /// One end of the segment [m].
        start: Vec3,
        /// Other end of the segment [m].
        end: Vec3,
        /// Radius [m].
        radius: f64,
        /// Solid outside instead of inside.
        inverted: bool,
    },
    /// Triangles or strands.
    Mesh(Mesh),
}

/// How a collider moves.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderMotion {
    /// Not at all.
    Static,
    /// As one piece.
    Keyed(Motion),
    /// Vertex positions of a mesh over time, linear between, the last one held.
    Sequence {
        /// Positions per sample [m], all of the length of the mesh.
        positions: Vec<Vec<Vec3>>,
        /// Samples per second [1/s].
        fps: f64,
    },
}

/// Springs from vertices of one body to fixed material points elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// Index of the body in `Scene::bodies`.
    pub body: usize,
    /// Attached points, each over the vertices of the body (nodes of its frames).
    pub points: Vec<WeightedPoint>,
    /// One target point per attached point.
    pub target: AttachmentTarget,
    /// Stiffness per vertex [N/m].
    pub stiffness: f64,
    /// Offset kept between vertex and target: `false` pulls them together.
    pub keep_offset: bool,
    /// Times during which it holds [s]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// What vertices are attached to, one point for each.
#[derive(Clone, Debug, PartialEq)]
pub enum AttachmentTarget {
    /// Material points of a body.
    Body {
        /// Index in `Scene::bodies`.
        body: usize,
        /// Points.
        points: Vec<WeightedPoint>,
    },
    /// Points that move with a collider, at their place at time zero [m].
    Collider {
        /// Index in `Scene::colliders`.
        collider: usize,
        /// Points in the world at time zero.
        points: Vec<Vec3>,
    },
}

/// A material point: Σ weight · vertex, weights sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPoint {
    /// Pairs of vertex index and weight.
    pub terms: Vec<(u32, f64)>,
}

/// Strands of a body that are rooted in another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Rooting {
    /// Index of the body of strands.
    pub body: usize,
    /// Index of the body that they grow on.
    pub ground: usize,
    /// One root per strand.
    pub roots: Vec<Root>,
}

/// The root of a strand: its first segment follows the ground in place and direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// First and second vertex of the strand.
    pub vertices: [u32; 2],
    /// Where the first vertex sits, over the vertices of the ground.
    pub seat: WeightedPoint,
    /// Where the second vertex is held, over the vertices of the ground (less `raised`).
    pub ahead: WeightedPoint,
    /// Over a shell: the triangle above which the second vertex stands, and how far along its normal [m].
    pub raised: Option<([u32; 3], f64)>,
    /// Stiffness of both [N/m].
    pub stiffness: f64,
}

/// A sewing spring between two material points.
#[derive(Clone, Debug, PartialEq)]
pub struct Stitch {
    /// Index of the first body.
    pub body_a: usize,
    /// Point of the first body.
    pub point_a: WeightedPoint,
    /// Index of the second body; may be the same.
    pub body_b: usize,
    /// Point of the second body.
    pub point_b: WeightedPoint,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Length at which it is free of force [m].
    pub rest_length: f64,
}

/// A body or a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// Index in `Scene::bodies`.
    Body(usize),
    /// Index in `Scene::colliders`.
    Collider(usize),
}

/// How the coefficients of two surfaces combine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionTable {
    /// Rule for pairs that are not listed.
    pub mixing: FrictionMixing,
    /// Law of friction that depends on the direction.
    pub ellipse: EllipseRule,
    /// Listed pairs, each with the smaller surface first, sorted.
    pub pairs: Vec<FrictionPair>,
}

/// Mixing rule of friction coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionMixing {
    /// √(μ₁ μ₂).
    #[default]
    GeometricMean,
    /// (μ₁ + μ₂)/2.
    ArithmeticMean,
    /// min(μ₁, μ₂).
    Minimum,
    /// max(μ₁, μ₂).
    Maximum,
}

/// How the tangential impulse is brought back to the ellipse of friction that depends on the direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EllipseRule {
    /// Cut along the ray from the centre: friction stays parallel to the impulse that would stick.
    #[default]
    Ray,
    /// Nearest point of the ellipse: friction does the most work against the slip.
    MaximumDissipation,
}

/// What one pair of surfaces does; `None` leaves it to the rule, or to the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionPair {
    /// First surface.
    pub a: Surface,
    /// Second surface.
    pub b: Surface,
    /// Friction coefficient.
    pub coefficient: Option<f64>,
    /// Attraction of a contact at distance zero [N].
    pub cohesion: Option<f64>,
    /// Compliance of a contact [1/kg].
    pub compliance: Option<f64>,
}

impl FrictionTable {
    /// What is listed for two surfaces.
    pub fn pair(&self, a: Surface, b: Surface) -> Option<&FrictionPair> {
        let key = (a.min(b), a.max(b));
        let found = self.pairs.binary_search_by(|p| (p.a, p.b).cmp(&key)).ok()?;
        Some(&self.pairs[found])
    }

    /// Coefficient between two surfaces whose own coefficients are given.
    pub fn coefficient(&self, a: (Surface, f64), b: (Surface, f64)) -> f64 {
        if let Some(listed) = self.pair(a.0, b.0).and_then(|pair| pair.coefficient) {
            return listed;
        }
        match self.mixing {
            FrictionMixing::GeometricMean => (a.1 * b.1).sqrt(),
            FrictionMixing::ArithmeticMean => 0.5 * (a.1 + b.1),
            FrictionMixing::Minimum => a.1.min(b.1),
            FrictionMixing::Maximum => a.1.max(b.1),
        }
    }
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

impl Body {
    /// The mesh that selections are made on and that is drawn: what the body carries if it is on frames.
    pub fn shape(&self) -> &Mesh {
        match &self.embedded_surface {
            Some(surface) if self.kind.on_frames() => &surface.mesh,
            _ => &self.mesh,
        }
    }

    /// A point over the vertices of [`Body::shape`], as one over the vertices of the body's mesh.
    pub fn carried(&self, point: WeightedPoint) -> WeightedPoint {
        match &self.embedded_surface {
            Some(surface) if self.kind.on_frames() => surface.carried(&point),
            _ => point,
        }
    }

    /// Air drag of the material.
    pub fn drag(&self) -> Drag {
        self.material.drag()
    }
}
