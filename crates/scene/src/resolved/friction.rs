//! Friction: coefficients, pairs of surfaces, directions.

use super::Surface;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::Rotation3;

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

/// How the coefficients of two surfaces combine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionTable {
    /// Coefficient of every pair, above all others.
    pub all: Option<f64>,
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

/// How the tangential impulse is brought back to the ellipse of friction that depends on the
/// direction.
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
    /// Number of the table `friction.pairs` that lists it.
    pub table: usize,
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
        if let Some(all) = self.all {
            return all;
        }
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
