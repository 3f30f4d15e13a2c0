//! What the elements of a body were made for: the part of a material that cannot change while they
//! live.

use crate::model_elements::ElasticityError;
use stiction_scene::material::{BendingLaw, Material};

/// A body and the choices of its material that its elements follow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MadeFor {
    /// Name of the body.
    pub body: String,
    choices: Choices,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choices {
    kind: std::mem::Discriminant<Material>,
    sheet: bool,
    /// `None` without bending stiffness: there are no elements then.
    bending: Option<BendingLaw>,
    curved: bool,
    drag: bool,
}

impl Choices {
    fn of(material: &Material) -> Choices {
        let (bending, curved) = match material {
            Material::Cloth(cloth) => {
                (Some(cloth.bending).filter(|_| cloth.bending_stiffness != 0.0), cloth.rest_curved)
            }
            Material::Rod(rod) => (None, rod.rest_curved),
            Material::Solid(_) | Material::Rigid(_) => (None, false),
        };
        let drag = material.drag();
        let drag = drag.normal != 0.0 || drag.tangential != 0.0;
        let (kind, sheet) = (std::mem::discriminant(material), matches!(material, Material::Cloth(_)));
        Choices { kind, sheet, bending, curved, drag }
    }
}

impl MadeFor {
    /// The choices of a material.
    pub fn new(body: &str, material: &Material) -> MadeFor {
        MadeFor { body: body.to_owned(), choices: Choices::of(material) }
    }

    /// Whether the body is of cloth.
    pub fn is_sheet(&self) -> bool {
        self.choices.sheet
    }

    /// Whether the body has bending elements.
    pub fn bends(&self) -> bool {
        self.choices.bending.is_some()
    }

    /// Whether the rest shape keeps its curvature.
    pub fn is_curved(&self) -> bool {
        self.choices.curved
    }

    /// Refuses a material that asks for other elements.
    pub fn check(&self, material: &Material) -> Result<(), ElasticityError> {
        let (made, wanted) = (&self.choices, Choices::of(material));
        let differences = [
            (made.kind != wanted.kind, "the kind of material"),
            (made.bending != wanted.bending, "`bending`, or a bending stiffness from or to zero,"),
            (made.curved != wanted.curved, "`rest.curved`"),
            (made.drag != wanted.drag, "drag from or to zero"),
        ];
        match differences.into_iter().find(|(differs, _)| *differs) {
            Some((_, what)) => Err(ElasticityError::OtherElements { body: self.body.clone(), what }),
            None => Ok(()),
        }
    }
}
