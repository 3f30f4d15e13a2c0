//! What the renderer draws: plain data, no simulation types.

use crate::colour::Colour;
use crate::error::RenderError;
use crate::{V3, v3};

/// Which axis points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// First axis.
    X,
    /// Second axis (common in graphics).
    #[default]
    Y,
    /// Third axis (common in engineering).
    Z,
}

impl UpAxis {
    /// Unit vectors (first horizontal, second horizontal, up), right-handed.
    pub(crate) fn basis(self) -> [V3; 3] {
        match self {
            UpAxis::X => [V3::y(), V3::z(), V3::x()],
            UpAxis::Y => [V3::z(), V3::x(), V3::y()],
            UpAxis::Z => [V3::x(), V3::y(), V3::z()],
        }
    }
}

/// A triangle mesh.
#[derive(Clone, Debug)]
pub struct MeshView {
    /// Name used in error messages.
    pub name: String,
    /// Vertex positions [m].
    pub positions: Vec<[f32; 3]>,
    /// Vertex numbers of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Colour where `vertex_colours` is absent.
    pub colour: Colour,
    /// One colour per vertex, or `None`.
    pub vertex_colours: Option<Vec<Colour>>,
    /// Smooth shading with creases kept, or flat facets.
    pub smooth: bool,
    /// Cloth thickness [m]; drawn as a slab with a rim where it is wide enough to be seen. 0 for
    /// closed surfaces.
    pub thickness: f32,
}

impl MeshView {
    /// A smooth mesh of one colour and no thickness.
    pub fn new(
        name: impl Into<String>,
        positions: Vec<[f32; 3]>,
        triangles: Vec<[u32; 3]>,
        colour: Colour,
    ) -> Self {
        MeshView {
            name: name.into(),
            positions,
            triangles,
            colour,
            vertex_colours: None,
            smooth: true,
            thickness: 0.0,
        }
    }
}

/// A rod or strand: a chain of round segments.
#[derive(Clone, Debug)]
pub struct TubeView {
    /// Centreline points [m].
    pub points: Vec<[f32; 3]>,
    /// Radius [m].
    pub radius: f32,
    /// One radius per point [m], overriding `radius`; a segment is drawn with the mean of its ends.
    pub radii: Option<Vec<f32>>,
    /// Colour where `vertex_colours` is absent.
    pub colour: Colour,
    /// One colour per point, or `None`.
    pub vertex_colours: Option<Vec<Colour>>,
    /// Whether the last point joins the first.
    pub closed: bool,
}

impl TubeView {
    /// An open tube of one colour.
    pub fn new(points: Vec<[f32; 3]>, radius: f32, colour: Colour) -> Self {
        TubeView { points, radius, radii: None, colour, vertex_colours: None, closed: false }
    }
}

/// A point of interest (contact, pin, intersection), drawn over everything and paler where hidden.
#[derive(Clone, Copy, Debug)]
pub struct Marker {
    /// Place [m].
    pub position: [f32; 3],
    /// Arrow from the place: direction, with length 1 drawn as 3 % of the picture's height.
    pub arrow: Option<[f32; 3]>,
    /// Colour.
    pub colour: Colour,
    /// Dot radius, in thousandths of the picture's height.
    pub size: f32,
}

/// Everything in one picture.
#[derive(Clone, Debug, Default)]
pub struct SceneView {
    /// Triangle meshes.
    pub meshes: Vec<MeshView>,
    /// Rods.
    pub tubes: Vec<TubeView>,
    /// Contacts, pins, intersections.
    pub markers: Vec<Marker>,
    /// Up axis.
    pub up: UpAxis,
    /// Height of the ground along the up axis [m], or `None` for no ground.
    pub ground: Option<f32>,
}

impl SceneView {
    /// Checks indices, sizes and finite numbers.
    pub fn validate(&self) -> Result<(), RenderError> {
        self.meshes.iter().try_for_each(check_mesh)?;
        for (index, tube) in self.tubes.iter().enumerate() {
            check_tube(index, tube)?;
        }
        let finite = |m: &Marker| is_finite(&m.position) && m.arrow.as_ref().is_none_or(is_finite);
        if let Some(index) = self.markers.iter().position(|m| !finite(m)) {
            return Err(bad(format!("marker {index}"), "position or arrow is not finite"));
        }
        if self.ground.is_some_and(|h| !h.is_finite()) {
            return Err(bad("ground", "height is not finite"));
        }
        Ok(())
    }
}

fn is_finite(p: &[f32; 3]) -> bool {
    p.iter().all(|c| c.is_finite())
}

fn bad(object: impl Into<String>, problem: impl Into<String>) -> RenderError {
    RenderError::BadGeometry { object: object.into(), problem: problem.into() }
}

fn check_mesh(mesh: &MeshView) -> Result<(), RenderError> {
    let object = format!("mesh `{}`", mesh.name);
    let count = mesh.positions.len();
    if let Some(v) = mesh.positions.iter().position(|p| !is_finite(p)) {
        return Err(bad(object, format!("vertex {v} is not finite")));
    }
    if let Some(t) = mesh.triangles.iter().position(|t| t.iter().any(|&i| i as usize >= count)) {
        return Err(bad(object, format!("triangle {t} names a vertex beyond the {count} given")));
    }
    if mesh.vertex_colours.as_ref().is_some_and(|c| c.len() != count) {
        return Err(bad(object, format!("needs one colour for each of its {count} vertices")));
    }
    if !(mesh.thickness.is_finite() && mesh.thickness >= 0.0) {
        return Err(bad(object, "thickness must be finite and not negative"));
    }
    Ok(())
}

fn check_tube(index: usize, tube: &TubeView) -> Result<(), RenderError> {
    let object = || format!("tube {index}");
    if let Some(v) = tube.points.iter().position(|p| !is_finite(p)) {
        return Err(bad(object(), format!("point {v} is not finite")));
    }
    if tube.radii.as_ref().is_some_and(|r| r.len() != tube.points.len()) {
        return Err(bad(object(), format!("needs one radius for each of its {} points", tube.points.len())));
    }
    let sound = |r: &f32| r.is_finite() && *r >= 0.0;
    if !(sound(&tube.radius) && tube.radii.iter().flatten().all(sound)) {
        return Err(bad(object(), "radius must be finite and not negative"));
    }
    if tube.vertex_colours.as_ref().is_some_and(|c| c.len() != tube.points.len()) {
        return Err(bad(object(), format!("needs one colour for each of its {} points", tube.points.len())));
    }
    Ok(())
}

/// Axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Smallest corner [m].
    pub min: [f32; 3],
    /// Largest corner [m].
    pub max: [f32; 3],
}

impl BoundingBox {
    /// The box that holds nothing.
    pub const EMPTY: BoundingBox = BoundingBox { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Box of the meshes and tubes of a scene; empty when there are none.
    pub fn of(scene: &SceneView) -> BoundingBox {
        let mut bounds = BoundingBox::EMPTY;
        for mesh in &scene.meshes {
            mesh.positions.iter().for_each(|&p| bounds.grow(p, 0.5 * mesh.thickness));
        }
        for tube in &scene.tubes {
            let radius = tube.radii.iter().flatten().copied().fold(tube.radius, f32::max);
            tube.points.iter().for_each(|&p| bounds.grow(p, radius));
        }
        bounds
    }

    /// Extends the box by a ball.
    pub fn grow(&mut self, centre: [f32; 3], radius: f32) {
        for k in 0..3 {
            self.min[k] = self.min[k].min(centre[k] - radius);
            self.max[k] = self.max[k].max(centre[k] + radius);
        }
    }

    /// Smallest box that holds both.
    pub fn union(mut self, other: BoundingBox) -> BoundingBox {
        if !other.is_empty() {
            self.grow(other.min, 0.0);
            self.grow(other.max, 0.0);
        }
        self
    }

    /// Whether the box holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// Common part of both.
    pub(crate) fn intersection(self, other: BoundingBox) -> BoundingBox {
        BoundingBox {
            min: std::array::from_fn(|k| self.min[k].max(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].min(other.max[k])),
        }
    }

    /// The box with a margin on every side.
    pub(crate) fn inflated(self, margin: f32) -> BoundingBox {
        BoundingBox { min: self.min.map(|c| c - margin), max: self.max.map(|c| c + margin) }
    }

    pub(crate) fn centre(&self) -> V3 {
        (v3(self.min) + v3(self.max)) * 0.5
    }

    /// Half the diagonal [m], never zero.
    pub(crate) fn radius(&self) -> f32 {
        (0.5 * (v3(self.max) - v3(self.min)).norm()).max(1e-6)
    }

    pub(crate) fn corners(&self) -> [V3; 8] {
        std::array::from_fn(|i| {
            let pick = |k: usize| if i >> k & 1 == 0 { self.min[k] } else { self.max[k] };
            V3::new(pick(0), pick(1), pick(2))
        })
    }
}
