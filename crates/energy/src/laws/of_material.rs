//! The law that a material of a scene names, with its stiffness.

use super::{BaraffWitkin, Lame, MembraneLaw, Orthotropic, SolidLaw};
use stiction_scene::material::{self, ClothMaterial, MembraneStiffness, SolidMaterial};

/// Law of a sheet, thickness included \[N/m\].
pub(crate) fn membrane_law(cloth: &ClothMaterial) -> MembraneLaw {
    let h = cloth.thickness;
    match (cloth.membrane, cloth.stretch) {
        (material::MembraneLaw::BaraffWitkin, stretch) => {
            let (warp, weft, shear) = match stretch {
                MembraneStiffness::Isotropic { young, poisson } => {
                    (young, young, young / (2.0 * (1.0 + poisson)))
                }
                MembraneStiffness::Orthotropic { warp, weft, shear, .. } => (warp, weft, shear),
            };
            MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(warp, weft, shear, h))
        }
        (_, MembraneStiffness::Orthotropic { warp, weft, shear, poisson }) => {
            MembraneLaw::Orthotropic(Orthotropic::from_moduli(warp, weft, poisson, shear, h))
        }
        (law, MembraneStiffness::Isotropic { young, poisson }) => {
            let lame = Lame::plane_stress(young, poisson, h);
            match law {
                material::MembraneLaw::NeoHookean => MembraneLaw::NeoHookean(lame),
                material::MembraneLaw::Arap => MembraneLaw::Corotated(lame),
                material::MembraneLaw::Stvk | material::MembraneLaw::BaraffWitkin => {
                    MembraneLaw::StVenantKirchhoff(lame)
                }
            }
        }
    }
}

/// Law of a solid.
pub(crate) fn solid_law(solid: &SolidMaterial) -> SolidLaw {
    match solid.law {
        material::SolidLaw::Stvk => SolidLaw::StVenantKirchhoff,
        material::SolidLaw::NeoHookean => SolidLaw::NeoHookean,
        material::SolidLaw::StableNeoHookean => SolidLaw::StableNeoHookean,
        material::SolidLaw::Corotated => SolidLaw::Corotated,
        material::SolidLaw::FixedCorotated => SolidLaw::FixedCorotated,
    }
}
