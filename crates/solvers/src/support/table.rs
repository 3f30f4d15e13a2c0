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
    //                     newton   admm     a…_integrator pd        barrier  xpbd
    (Cloth,               [Exact,   Exact,   Refused,     Exact,     Exact,   Exact]),
    (Rods,                [Exact,   Exact,   Exact,       Exact,     Exact,   Refused]),
    (JoinedStrands,       [Exact,   Exact,   Refused,     Exact,     Exact,   Moot]),
    (Solids,              [Exact,   Exact,   Refused,     Exact,     Exact,   Refused]),
    (Skinned,             [Exact,   Exact,   Refused,     Refused,   Exact,   Refused]),
    (Affine,              [Exact,   Exact,   Refused,     Refused,   Exact,   Refused]),
    (Joints,              [Refused, Refused, Refused,     Refused,   Refused, Refused]),
    (Rigid,               [Refused, Refused, Refused,     Refused,   Refused, Refused]),
    (SoftPins,            [Exact,   Exact,   Refused,     Exact,     Exact,   Refused]),
    (Springs,             [Exact,   Exact,   Refused,     Exact,     Exact,   Refused]),
    (StrandsOnCloth,      [Exact,   Exact,   Refused,     Refused,   Exact,   Refused]),
    (ClothLaw,            [Exact,   Exact,   Moot,        COROTATED, Exact,   STVK]),
    (SolidLaw,            [Exact,   Exact,   Moot,        COROTATED, Exact,   Moot]),
    (ShapeOperator,       [Exact,   Exact,   Moot,        HINGES,    Exact,   HINGES]),
    (CurvedRest,          [Exact,   Exact,   Moot,        Exact,     Exact,   Ignored]),
    (Twist,               [Exact,   Exact,   Exact,       Ignored,   Exact,   Moot]),
    (StrainLimit,         [Ignored, Ignored, Moot,        Exact,     Exact,   Ignored]),
    (Damping,             [Exact,   Exact,   Exact,       Exact,     Exact,   Ignored]),
    (Drag,                [Exact,   Exact,   Ignored,     Exact,     Exact,   Ignored]),
    (Inflation,           [Refused, Refused, Refused,     Refused,   Exact,   Refused]),
    (Contact,             [Ignored, Exact,   Exact,       Exact,     Exact,   Exact]),
    (ThinSheets,          [Moot,    Exact,   Moot,        Ignored,   Exact,   Exact]),
    (AnisotropicFriction, [Moot,    Exact,   Exact,       Exact,     Ignored, Exact]),
    (Cohesion,            [Moot,    Exact,   Ignored,     Ignored,   Ignored, Ignored]),
    (InitialContact,      [Refused, Exact,   Exact,       Exact,     Refused, Exact]),
    (BackwardEuler,       [Exact,   Exact,   Exact,       Exact,     Exact,   COMPLIANT]),
    (SecondOrder,         [Exact,   Refused, Refused,     Refused,   Refused, Refused]),
    (Gradients,           [Refused, Refused, Refused,     Refused,   Refused, Refused]),
];
