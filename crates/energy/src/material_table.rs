//! Values of materials, apart from the elements that take them at evaluation.
//!
//! An element keeps its geometry and the place of its material in this table. So a modulus changes
//! in one place, and the elements, the pattern of their Hessian and their colouring stay: what
//! estimation, sweeps and live controls need.
//!
//! There is one list per kind of body, in the order of the bodies. Where a value follows from a
//! material *and* a rest shape by more than a few multiplications (the factor of a plate,
//! [`MaterialTable::plate_factors`]), the result has a list of its own, which
//! [`crate::Elasticity::set_materials`] makes again.

use crate::bending::{BendError, HingeScale, Plate, PlateFactor, PlateTriangle};
use crate::laws::{Lame, MembraneLaw, SolidLaw};
use stiction_scene::Law;
use stiction_scene::material::{ClothMaterial, Material, RodMaterial, SolidMaterial};

/// All material values that elements take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialTable {
    /// One entry per cloth body.
    pub sheets: Vec<SheetValues>,
    /// One entry per soft body, of tets or on frames.
    pub solids: Vec<SolidValues>,
    /// One entry per body of rods.
    pub rods: Vec<RodValues>,
    /// One entry per triangle that bends by the shape operator.
    pub plate_factors: Vec<PlateFactor>,
}

/// A table without entries, for elements that have no material.
pub static NO_MATERIALS: MaterialTable =
    MaterialTable { sheets: Vec::new(), solids: Vec::new(), rods: Vec::new(), plate_factors: Vec::new() };

/// Values of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetValues {
    /// In-plane law with its stiffness \[N/m\].
    pub membrane: MembraneLaw,
    /// Bending stiffness.
    pub plate: Plate,
    /// c of hinges \[J\], see [`HingeScale`].
    pub hinge: f64,
}

/// Values of a soft solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidValues {
    /// Law.
    pub law: SolidLaw,
    /// Moduli \[Pa\].
    pub lame: Lame,
}

/// Values of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodValues {
    /// EA \[N\].
    pub stretch: f64,
    /// EI₁, EI₂ \[N m²\]: resistance to turning towards m₁ and m₂.
    pub bend: [f64; 2],
    /// GJ \[N m²\].
    pub twist: f64,
}

/// A material that gives no values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// A bending stiffness out of range.
    #[error(transparent)]
    Plate(#[from] BendError),
    /// A law that sheets do not have, or not with warp and weft moduli.
    #[error("`law = \"{}\"` does not apply to cloth with these moduli: choose another `law`", law.name())]
    NotForCloth {
        /// The law.
        law: Law,
    },
    /// A law that solids do not have.
    #[error("`law = \"{}\"` does not apply to solids: choose another `law`", law.name())]
    NotForSolids {
        /// The law.
        law: Law,
    },
}

impl SheetValues {
    /// A membrane law and a plate, hinges scaled as given.
    pub fn new(membrane: MembraneLaw, plate: Plate, scale: HingeScale) -> SheetValues {
        SheetValues { membrane, plate, hinge: scale.coefficient(&plate) }
    }

    /// The values of a cloth material.
    pub fn of(cloth: &ClothMaterial) -> Result<SheetValues, ValueError> {
        let plate = Plate::new(cloth.bending_stiffness, cloth.bending_poisson)?;
        let law = MembraneLaw::of(cloth).ok_or(ValueError::NotForCloth { law: cloth.law })?;
        Ok(SheetValues::new(law, plate, HingeScale::default()))
    }
}

impl SolidValues {
    /// The values of a soft material; `volume_stiffness` adds to its λ.
    pub fn of(solid: &SolidMaterial) -> Result<SolidValues, ValueError> {
        let law = SolidLaw::named(solid.law, solid.mooney_fraction);
        let law = law.ok_or(ValueError::NotForSolids { law: solid.law })?;
        let mut lame = Lame::solid(solid.young, solid.poisson);
        lame.lambda += solid.volume_stiffness;
        Ok(SolidValues { law, lame })
    }
}

impl RodValues {
    /// The values of a rod material with its section.
    pub fn of(rod: &RodMaterial) -> RodValues {
        RodValues {
            stretch: rod.young_stretch * rod.section.area(),
            bend: rod.section.second_moments().map(|moment| rod.young_bend * moment),
            twist: rod.shear * rod.section.torsion_constant(),
        }
    }
}

impl MaterialTable {
    /// Adds the values of the next body and returns its place in the list of its kind.
    pub fn push(&mut self, material: &Material) -> Result<u32, ValueError> {
        let place = match material {
            Material::Cloth(cloth) => {
                self.sheets.push(SheetValues::of(cloth)?);
                self.sheets.len()
            }
            Material::Solid(solid) => {
                self.solids.push(SolidValues::of(solid)?);
                self.solids.len()
            }
            Material::Rod(rod) => {
                self.rods.push(RodValues::of(rod));
                self.rods.len()
            }
            // A rigid body has no elements, hence no values to be found at a place.
            Material::Rigid(_) => return Ok(0),
        };
        Ok(place as u32 - 1)
    }

    /// Makes the factors of plates for the sheets of the table.
    pub(crate) fn set_plate_factors(&mut self, triangles: &[PlateTriangle]) {
        self.plate_factors = triangles.iter().map(|t| t.factor(&self.sheet(t.sheet).plate)).collect();
    }

    /// A table of one sheet.
    pub fn of_sheet(values: SheetValues) -> MaterialTable {
        MaterialTable { sheets: vec![values], ..MaterialTable::default() }
    }

    /// A table of one membrane law, without bending.
    pub fn of_membrane(law: MembraneLaw) -> MaterialTable {
        let plate = Plate { stiffness: 0.0, poisson: 0.0 };
        MaterialTable::of_sheet(SheetValues::new(law, plate, HingeScale::default()))
    }

    /// A table of one plate, without a membrane.
    pub fn of_plate(plate: Plate, scale: HingeScale) -> MaterialTable {
        let none = MembraneLaw::StVenantKirchhoff(Lame { lambda: 0.0, mu: 0.0 });
        MaterialTable::of_sheet(SheetValues::new(none, plate, scale))
    }

    /// A table of one solid.
    pub fn of_solid(law: SolidLaw, lame: Lame) -> MaterialTable {
        MaterialTable { solids: vec![SolidValues { law, lame }], ..MaterialTable::default() }
    }

    /// A table of one rod.
    pub fn of_rod(values: RodValues) -> MaterialTable {
        MaterialTable { rods: vec![values], ..MaterialTable::default() }
    }

    /// Values of the sheet at a place.
    #[inline(always)]
    pub fn sheet(&self, place: u32) -> &SheetValues {
        &self.sheets[place as usize]
    }

    /// Values of the solid at a place.
    #[inline(always)]
    pub fn solid(&self, place: u32) -> &SolidValues {
        &self.solids[place as usize]
    }

    /// Values of the rod at a place.
    #[inline(always)]
    pub fn rod(&self, place: u32) -> &RodValues {
        &self.rods[place as usize]
    }

    /// Factor of the plate at a place.
    #[inline(always)]
    pub fn plate_factor(&self, place: u32) -> &PlateFactor {
        &self.plate_factors[place as usize]
    }
}
