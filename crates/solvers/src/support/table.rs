//! The table: a row for each feature, a column for each method.

use super::Feature::{self, *};
use super::Level::{self, Exact, Ignored, Moot, Refused, Replaced};
use stiction_scene::METHODS;

const COROTATED: Level = Replaced("`corotated` with the same moduli");
const STVK: Level = Replaced("`stvk` with the same moduli");
const HINGES: Level = Replaced("`hinge`");
const COMPLIANT: Level = Replaced("constraints with compliance");

/// What every method does with every feature; columns in the order of [`METHODS`].
#[rustfmt::skip]
pub(super) const TABLE: &[(Feature, [Level; METHODS.len()])] = &[
    //                     newton   admm     a…_integrator pd        barrier  xpbd     descent
    (Cloth,               [Exact,   Exact,   Refused,     Exact,     Exact,   Exact,   Refused]),
    (Rods,                [Exact,   Exact,   Exact,       Exact,     Exact,   Refused, Refused]),
    (JoinedStrands,       [Exact,   Exact,   Refused,     Exact,     Exact,   Moot,    Moot]),
    (Solids,              [Exact,   Exact,   Refused,     Exact,     Exact,   Refused, Refused]),
    (Skinned,             [Exact,   Exact,   Refused,     Refused,   Exact,   Refused, Refused]),
    (Affine,              [Exact,   Exact,   Refused,     Refused,   Exact,   Refused, Refused]),
    (Joints,              [Refused, Refused, Refused,     Refused,   Refused, Refused, Exact]),
    (Rigid,               [Refused, Refused, Refused,     Refused,   Refused, Refused, Exact]),
    (SoftPins,            [Exact,   Exact,   Refused,     Exact,     Exact,   Refused, Refused]),
    (Springs,             [Exact,   Exact,   Refused,     Exact,     Exact,   Refused, Refused]),
    (StrandsOnCloth,      [Exact,   Exact,   Refused,     Refused,   Exact,   Refused, Refused]),
    (ClothLaw,            [Exact,   Exact,   Moot,        COROTATED, Exact,   STVK,    Moot]),
    (SolidLaw,            [Exact,   Exact,   Moot,        COROTATED, Exact,   Moot,    Moot]),
    (ShapeOperator,       [Exact,   Exact,   Moot,        HINGES,    Exact,   HINGES,  Moot]),
    (CurvedRest,          [Exact,   Exact,   Moot,        Exact,     Exact,   Ignored, Moot]),
    (Twist,               [Exact,   Exact,   Exact,       Ignored,   Exact,   Moot,    Moot]),
    (StrainLimit,         [Ignored, Ignored, Moot,        Exact,     Exact,   Ignored, Moot]),
    (Damping,             [Exact,   Exact,   Exact,       Exact,     Exact,   Ignored, Moot]),
    (Drag,                [Exact,   Exact,   Ignored,     Exact,     Exact,   Ignored, Ignored]),
    (Inflation,           [Refused, Refused, Refused,     Refused,   Exact,   Refused, Refused]),
    (Contact,             [Ignored, Exact,   Exact,       Exact,     Exact,   Exact,   Exact]),
    (ThinSheets,          [Moot,    Exact,   Moot,        Ignored,   Exact,   Exact,   Moot]),
    (AnisotropicFriction, [Moot,    Exact,   Exact,       Exact,     Ignored, Exact,   Ignored]),
    (Cohesion,            [Moot,    Exact,   Ignored,     Ignored,   Ignored, Ignored, Ignored]),
    (InitialContact,      [Refused, Exact,   Exact,       Exact,     Refused, Exact,   Refused]),
    (BackwardEuler,       [Exact,   Exact,   Exact,       Exact,     Exact,   COMPLIANT, Exact]),
    (SecondOrder,         [Exact,   Refused, Refused,     Refused,   Refused, Refused, Refused]),
    (Gradients,           [Refused, Refused, Refused,     Refused,   Refused, Refused, Refused]),
];
