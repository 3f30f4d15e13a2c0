//! Values of parameters, their bounds and what can be wrong with them.

use std::fmt;
use std::ops::{Bound, RangeBounds};
use stiction_numerics::Vec3;
use stiction_scene::motion::Motion;

/// The value of a parameter, in SI units (angles of `turn` in degrees per second, as scenes write
/// them).
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A number.
    Number(f64),
    /// A vector.
    Vector(Vec3),
    /// A whole motion.
    Motion(Motion),
}

impl ParameterValue {
    /// What kind of value it is.
    pub(super) fn shape(&self) -> &'static str {
        match self {
            ParameterValue::Number(_) => "a number",
            ParameterValue::Vector(_) => "three numbers",
            ParameterValue::Motion(_) => "a motion",
        }
    }
}

impl From<f64> for ParameterValue {
    fn from(value: f64) -> Self {
        ParameterValue::Number(value)
    }
}

impl From<Vec3> for ParameterValue {
    fn from(value: Vec3) -> Self {
        ParameterValue::Vector(value)
    }
}

impl From<Motion> for ParameterValue {
    fn from(value: Motion) -> Self {
        ParameterValue::Motion(value)
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterValue::Number(value) => write!(f, "{value}"),
            ParameterValue::Vector(v) => write!(f, "[{}, {}, {}]", v.x, v.y, v.z),
            ParameterValue::Motion(_) => write!(f, "a motion"),
        }
    }
}

/// Range of a number, or of each component of a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower end.
    pub lower: Bound<f64>,
    /// Upper end.
    pub upper: Bound<f64>,
}

impl Bounds {
    /// Any finite number.
    pub const ANY: Bounds = Bounds { lower: Bound::Unbounded, upper: Bound::Unbounded };
    /// Greater than zero.
    pub const POSITIVE: Bounds = Bounds { lower: Bound::Excluded(0.0), upper: Bound::Unbounded };
    /// Zero or greater.
    pub const NOT_NEGATIVE: Bounds = Bounds { lower: Bound::Included(0.0), upper: Bound::Unbounded };
    /// Poisson ratio of an isotropic solid.
    pub const POISSON: Bounds = Bounds { lower: Bound::Excluded(-1.0), upper: Bound::Excluded(0.5) };
    /// Components of gravity, as far as scenes go \[m/s²\].
    pub const ACCELERATION: Bounds = Bounds::size(1e13);
    /// Components of a velocity: slower than light \[m/s\].
    pub const VELOCITY: Bounds = Bounds::size(299_792_458.0);
    /// From zero to one.
    pub const FRACTION: Bounds = Bounds { lower: Bound::Included(0.0), upper: Bound::Included(1.0) };
    /// Coordinates, as far as scenes go \[m\].
    pub const PLACE: Bounds = Bounds::size(1e12);
    /// Scale of a motion, as far as scenes go.
    pub const SCALE: Bounds = Bounds { lower: Bound::Included(1e-9), upper: Bound::Included(1e9) };
    /// Friction coefficient.
    pub const FRICTION: Bounds = Bounds { lower: Bound::Included(0.0), upper: Bound::Included(1e6) };

    const fn size(most: f64) -> Bounds {
        Bounds { lower: Bound::Included(-most), upper: Bound::Included(most) }
    }

    /// Whether a finite number lies within.
    pub fn contain(&self, value: f64) -> bool {
        value.is_finite() && (self.lower, self.upper).contains(&value)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lower = match self.lower {
            Bound::Included(low) => Some(format!("at least {low}")),
            Bound::Excluded(low) => Some(format!("greater than {low}")),
            Bound::Unbounded => None,
        };
        let upper = match self.upper {
            Bound::Included(high) => Some(format!("at most {high}")),
            Bound::Excluded(high) => Some(format!("less than {high}")),
            Bound::Unbounded => None,
        };
        match (lower, upper) {
            (Some(low), Some(high)) => write!(f, "{low} and {high}"),
            (Some(one), None) | (None, Some(one)) => write!(f, "{one}"),
            (None, None) => write!(f, "finite"),
        }
    }
}

/// A parameter of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its path, as `--set` takes it.
    pub path: String,
    /// Its present value.
    pub value: ParameterValue,
    /// SI unit; `1` for plain numbers.
    pub unit: &'static str,
    /// Range of the value, or of each component.
    pub bounds: Bounds,
}

/// Why a parameter cannot be read or set. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// There is no such path.
    #[error("there is no parameter `{path}`; {}", nearest.as_ref().map_or("list the parameters to see the paths".to_owned(), |n| format!("did you mean `{n}`?")))]
    Unknown {
        /// Path that was asked for.
        path: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// The value belongs to the model, which does not change.
    #[error(
        "`{path}` cannot change while a simulation lives: {reason}; set it in the scene and make a new simulation"
    )]
    Fixed {
        /// Path.
        path: String,
        /// Why.
        reason: String,
    },
    /// The value is out of its range.
    #[error("`{path}` = {value} {unit}: it must be {bounds}")]
    OutOfBounds {
        /// Path.
        path: String,
        /// Value that was given.
        value: String,
        /// SI unit.
        unit: &'static str,
        /// Allowed range.
        bounds: Bounds,
    },
    /// The value is of another kind.
    #[error("`{path}` [{unit}] takes {expected}, not {found}")]
    Shape {
        /// Path.
        path: String,
        /// SI unit.
        unit: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// The scene would refuse the value.
    #[error("`{path}` = {value}: {reason}")]
    Refused {
        /// Path.
        path: String,
        /// Value that was given.
        value: String,
        /// Why, with the fix.
        reason: String,
    },
}
