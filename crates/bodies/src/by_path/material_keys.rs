//! Keys of materials that may vary: those that change neither topology nor thickness.

use super::value::Bounds;
use stiction_scene::file::MaterialFile;
use stiction_scene::material::{Material, MembraneStiffness};

/// A key of a material.
#[derive(Debug)]
pub(super) struct MaterialKey {
    /// Name in scene files.
    pub name: &'static str,
    /// SI unit.
    pub unit: &'static str,
    /// Range.
    pub bounds: Bounds,
    /// Its place in what was written.
    pub written: fn(&mut MaterialFile) -> &mut Option<f64>,
    /// Its present value, if a material of this kind has it.
    pub value: fn(&Material) -> Option<f64>,
}

/// Keys whose change would change the model: contact follows from them.
pub(super) const GEOMETRIC: [&str; 4] = ["thickness", "radius", "ellipse", "rectangle"];

/// All that may vary.
pub(super) static MATERIAL_KEYS: [MaterialKey; 17] = [
    key("density", "kg/m³", Bounds::POSITIVE, |f| &mut f.density, |m| Some(m.density())),
    key(
        "area_density",
        "kg/m²",
        Bounds::POSITIVE,
        |f| &mut f.area_density,
        |m| match m {
            Material::Cloth(c) => Some(c.density * c.thickness),
            _ => None,
        },
    ),
    key("young", "Pa", Bounds::POSITIVE, |f| &mut f.young, young),
    key("poisson", "1", Bounds::POISSON, |f| &mut f.poisson, poisson),
    key("young_warp", "Pa", Bounds::POSITIVE, |f| &mut f.young_warp, |m| Some(woven(m)?[0])),
    key("young_weft", "Pa", Bounds::POSITIVE, |f| &mut f.young_weft, |m| Some(woven(m)?[1])),
    key(
        "shear",
        "Pa",
        Bounds::POSITIVE,
        |f| &mut f.shear,
        |m| match m {
            Material::Rod(r) => Some(r.shear),
            _ => Some(woven(m)?[2]),
        },
    ),
    key(
        "young_bending",
        "Pa",
        Bounds::NOT_NEGATIVE,
        |f| &mut f.young_bending,
        |m| match m {
            Material::Rod(r) => Some(r.young_bend),
            _ => None,
        },
    ),
    key(
        "bending_stiffness",
        "N m",
        Bounds::NOT_NEGATIVE,
        |f| &mut f.bending_stiffness,
        |m| match m {
            Material::Cloth(c) => Some(c.bending_stiffness),
            _ => None,
        },
    ),
    key("damping_mass", "1/s", Bounds::NOT_NEGATIVE, |f| &mut f.damping_mass, |m| Some(m.damping().mass)),
    key(
        "damping_stiffness",
        "s",
        Bounds::NOT_NEGATIVE,
        |f| &mut f.damping_stiffness,
        |m| Some(m.damping().stiffness),
    ),
    key(
        "damping_bending",
        "s",
        Bounds::NOT_NEGATIVE,
        |f| &mut f.damping_bending,
        |m| match m {
            Material::Solid(_) => None,
            _ => Some(m.damping().bending),
        },
    ),
    key(
        "strain_limit",
        "1",
        Bounds::POSITIVE,
        |f| &mut f.strain_limit,
        |m| match m {
            Material::Cloth(c) => c.strain_limit,
            _ => None,
        },
    ),
    key(
        "volume_stiffness",
        "Pa",
        Bounds::NOT_NEGATIVE,
        |f| &mut f.volume_stiffness,
        |m| match m {
            Material::Solid(s) => Some(s.volume_stiffness),
            _ => None,
        },
    ),
    key(
        "mooney_fraction",
        "1",
        Bounds::FRACTION,
        |f| &mut f.mooney_fraction,
        |m| match m {
            Material::Solid(s) if s.law.row().keys.contains(&"mooney_fraction") => Some(s.mooney_fraction),
            _ => None,
        },
    ),
    key("drag_normal", "1", Bounds::NOT_NEGATIVE, |f| &mut f.drag_normal, |m| Some(m.drag().normal)),
    key(
        "drag_tangential",
        "1",
        Bounds::NOT_NEGATIVE,
        |f| &mut f.drag_tangential,
        |m| Some(m.drag().tangential),
    ),
];

const fn key(
    name: &'static str,
    unit: &'static str,
    bounds: Bounds,
    written: fn(&mut MaterialFile) -> &mut Option<f64>,
    value: fn(&Material) -> Option<f64>,
) -> MaterialKey {
    MaterialKey { name, unit, bounds, written, value }
}

fn young(material: &Material) -> Option<f64> {
    match material {
        Material::Cloth(cloth) => match cloth.stretch {
            MembraneStiffness::Isotropic { young, .. } => Some(young),
            MembraneStiffness::Orthotropic { .. } => None,
        },
        Material::Rod(rod) => Some(rod.young_stretch),
        Material::Rigid(_) => None,
        Material::Solid(solid) => Some(solid.young),
    }
}

fn poisson(material: &Material) -> Option<f64> {
    match material {
        Material::Cloth(cloth) => match cloth.stretch {
            MembraneStiffness::Isotropic { poisson, .. } | MembraneStiffness::Orthotropic { poisson, .. } => {
                Some(poisson)
            }
        },
        Material::Rod(_) | Material::Rigid(_) => None,
        Material::Solid(solid) => Some(solid.poisson),
    }
}

/// Moduli along warp, along weft and in shear of woven cloth.
fn woven(material: &Material) -> Option<[f64; 3]> {
    match material {
        Material::Cloth(cloth) => match cloth.stretch {
            MembraneStiffness::Orthotropic { warp, weft, shear, .. } => Some([warp, weft, shear]),
            MembraneStiffness::Isotropic { .. } => None,
        },
        _ => None,
    }
}
