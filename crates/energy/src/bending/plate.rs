//! The bending stiffness of a plate, and what can be wrong with a bending element.

/// Why a bending element cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BendError {
    /// A rest triangle without area.
    #[error("triangle over nodes {nodes:?} has no area in the rest shape: merge or move its vertices")]
    DegenerateTriangle {
        /// Its three nodes.
        nodes: [u32; 3],
    },
    /// The quadratic form needs a flat rest state.
    #[error(
        "the hinge over nodes {nodes:?} rests at {angle} rad, but the quadratic model needs a flat rest shape: use hinges or the shape operator"
    )]
    CurvedRest {
        /// Edge ends, then flap vertices.
        nodes: [u32; 4],
        /// Rest angle \[rad\].
        angle: f64,
    },
    /// A model compiled for another bending law.
    #[error(
        "the model has no normals at the edges of this body: compile it with bending by the shape operator and a stiffness above 0"
    )]
    NoEdgeNormals,
    /// A material value outside its range.
    #[error("{what} is {value}, but must lie in {range}")]
    OutOfRange {
        /// Which value.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
}

/// Isotropic plate: energy per area `½ D [(1−ν) tr(S²) + ν tr(S)²]` of a change of curvature `S`
/// (Kirchhoff–Love).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plate {
    /// Flexural rigidity D \[N m\].
    pub stiffness: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
}

impl Plate {
    /// From a flexural rigidity D ≥ 0 \[N m\] and Poisson's ratio −1 < ν ≤ ½.
    pub fn new(stiffness: f64, poisson: f64) -> Result<Plate, BendError> {
        let refuse = |what, value, range| Err(BendError::OutOfRange { what, value, range });
        if !(stiffness >= 0.0 && stiffness.is_finite()) {
            return refuse("bending stiffness [N m]", stiffness, "[0, ∞)");
        }
        if !(poisson > -1.0 && poisson <= 0.5) {
            return refuse("Poisson's ratio", poisson, "(-1, 0.5]");
        }
        Ok(Plate { stiffness, poisson })
    }
}

/// Whether a length or an area is nothing beside the scale of its triangle; not a number counts as
/// nothing.
pub(super) fn vanishes(size: f64, scale: f64) -> bool {
    size.is_nan() || size <= 1e-14 * scale
}
