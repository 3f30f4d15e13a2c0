//! Materials as written: every key optional, a preset underneath.

use crate::law::Law;
use schemars::JsonSchema;
use serde::Deserialize;

/// Values of a material. Keys that make no sense for the kind of body are refused.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialFile {
    /// Preset whose values hold where no key is given.
    pub preset: Option<String>,
    /// Mass per volume [kg/m³].
    pub density: Option<f64>,
    /// Cloth: mass per area [kg/m²], instead of `density`.
    pub area_density: Option<f64>,
    /// Cloth: thickness [m].
    pub thickness: Option<f64>,
    /// Young's modulus [Pa].
    pub young: Option<f64>,
    /// Poisson ratio.
    pub poisson: Option<f64>,
    /// Cloth: Young's modulus along warp [Pa], with `young_weft` and `shear`.
    pub young_warp: Option<f64>,
    /// Cloth: Young's modulus along weft [Pa].
    pub young_weft: Option<f64>,
    /// Shear modulus [Pa]: of woven cloth in its plane, of rods in twist (E_b/2(1+ν) by default).
    pub shear: Option<f64>,
    /// Young's modulus for bending [Pa]; `young` by default.
    pub young_bending: Option<f64>,
    /// Cloth: bending stiffness [N m], instead of `young_bending`.
    pub bending_stiffness: Option<f64>,
    /// Elastic law; `stvk` for cloth, `stable_neo_hookean` for solids, `corotated` for bodies on
    /// frames by default.
    pub law: Option<Law>,
    /// Cloth: bending law; hinge by default (fast), shape_operator for accuracy on any mesh.
    pub bending: Option<BendingName>,
    /// Rod: radius of a round section [m].
    pub radius: Option<f64>,
    /// Rod: half axes of an elliptic section [m].
    pub ellipse: Option<[f64; 2]>,
    /// Rod: widths of a rectangular section [m].
    pub rectangle: Option<[f64; 2]>,
    /// Rayleigh damping of mass [1/s]; 0 by default.
    pub damping_mass: Option<f64>,
    /// Rayleigh damping of stiffness [s]; 0 by default.
    pub damping_stiffness: Option<f64>,
    /// Rayleigh damping of bending [s]; `damping_stiffness` by default.
    pub damping_bending: Option<f64>,
    /// Cloth: largest stretch beyond rest, as a fraction.
    pub strain_limit: Option<f64>,
    /// Solid, law `mooney_rivlin`: fraction of the shear modulus that the second invariant carries,
    /// 0 to 1; 0.2 by default.
    pub mooney_fraction: Option<f64>,
    /// Solid: penalty on change of volume [Pa]; 0 by default.
    pub volume_stiffness: Option<f64>,
    /// Drag coefficient across the surface; 1 for cloth and rods, 0 for solids by default.
    pub drag_normal: Option<f64>,
    /// Drag coefficient along the surface; 0.01 for cloth and rods, 0 for solids by default.
    pub drag_tangential: Option<f64>,
    /// Friction coefficient of bodies of this material that give none.
    pub friction: Option<f64>,
}

/// Bending law.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum BendingName {
    /// Dihedral angles.
    Hinge,
    /// Quadratic form.
    Quadratic,
    /// Triangle-averaged shape operator.
    ShapeOperator,
}
