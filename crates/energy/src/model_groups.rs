//! The elements of a whole model: those of one kind from all bodies in one list, so that assembly
//! runs over long lists however many bodies there are.

use crate::assembly::NamedGroup;
use crate::bending::{HingeElement, PlateTriangle, QuadraticBend, ShapeOperatorElement};
use crate::damping::{DampedBy, GroupDamping};
use crate::element::Element;
use crate::frame_point::FramePoint;
use crate::material_table::MaterialTable;
use crate::membrane::TriangleElement;
use crate::model_elements::{BodyElements, ElasticityError, MaterialPlace};
use crate::raised_root::RaisedRootElement;
use crate::rod::{RodBendTwist, RodStretch};
use crate::solid::TetElement;
use std::sync::Arc;
use stiction_bodies::{Model, Parameters, RaisedRoot};

/// Lists of elements that other views than the potential are made from. They share memory with the
/// groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedLists {
    pub triangles: Arc<Vec<TriangleElement>>,
    pub tets: Arc<Vec<TetElement>>,
    pub rod_edges: Arc<Vec<RodStretch>>,
    pub rod_joints: Arc<Vec<RodBendTwist>>,
    pub plates: Vec<PlateTriangle>,
}

/// Elements, their damping and the values that they take.
pub(crate) struct ModelGroups {
    pub blocks: usize,
    pub groups: Vec<NamedGroup>,
    pub damping: Vec<GroupDamping>,
    pub lists: TypedLists,
    pub materials: MaterialTable,
}

/// Elements of one kind from all bodies.
struct Collected<E> {
    elements: Vec<E>,
    damping: GroupDamping,
}

impl<E> Collected<E> {
    fn damped(by: DampedBy) -> Self {
        Collected { elements: Vec::new(), damping: GroupDamping::new(by) }
    }

    fn extend(&mut self, body: usize, elements: Vec<E>) {
        self.elements.extend(elements);
        self.damping.end_body(body, self.elements.len());
    }
}

/// Elements of all kinds from all bodies.
struct AllKinds {
    membrane: Collected<TriangleElement>,
    hinge: Collected<HingeElement>,
    quadratic: Collected<QuadraticBend>,
    shape: ShapeKinds,
    solid: Collected<TetElement>,
    stretch: Collected<RodStretch>,
    bend: Collected<RodBendTwist>,
    frames: FrameKinds,
    plates: Vec<PlateTriangle>,
}

/// Shape operators by their number of blocks.
struct ShapeKinds {
    four: Collected<ShapeOperatorElement<4>>,
    five: Collected<ShapeOperatorElement<5>>,
    six: Collected<ShapeOperatorElement<6>>,
}

/// Points on frames by their number of frames.
struct FrameKinds {
    one: Collected<FramePoint<4>>,
    two: Collected<FramePoint<8>>,
    three: Collected<FramePoint<12>>,
    four: Collected<FramePoint<16>>,
    five: Collected<FramePoint<20>>,
    six: Collected<FramePoint<24>>,
}

impl AllKinds {
    fn new() -> AllKinds {
        use DampedBy::{Bending, Stiffness};
        AllKinds {
            membrane: Collected::damped(Stiffness),
            hinge: Collected::damped(Bending),
            quadratic: Collected::damped(Bending),
            shape: ShapeKinds {
                four: Collected::damped(Bending),
                five: Collected::damped(Bending),
                six: Collected::damped(Bending),
            },
            solid: Collected::damped(Stiffness),
            stretch: Collected::damped(Stiffness),
            bend: Collected::damped(Bending),
            frames: FrameKinds {
                one: Collected::damped(Stiffness),
                two: Collected::damped(Stiffness),
                three: Collected::damped(Stiffness),
                four: Collected::damped(Stiffness),
                five: Collected::damped(Stiffness),
                six: Collected::damped(Stiffness),
            },
            plates: Vec::new(),
        }
    }

    fn add(&mut self, body: usize, elements: BodyElements) {
        let BodyElements { membrane, hinge, quadratic, shape, solid, frames, stretch, bend } = elements;
        self.membrane.extend(body, membrane);
        self.hinge.extend(body, hinge);
        self.quadratic.extend(body, quadratic);
        self.shape.four.extend(body, shape.four);
        self.shape.five.extend(body, shape.five);
        self.shape.six.extend(body, shape.six);
        self.plates.extend(shape.plates);
        self.solid.extend(body, solid);
        self.stretch.extend(body, stretch);
        self.bend.extend(body, bend);
        self.frames.one.extend(body, frames.one);
        self.frames.two.extend(body, frames.two);
        self.frames.three.extend(body, frames.three);
        self.frames.four.extend(body, frames.four);
        self.frames.five.extend(body, frames.five);
        self.frames.six.extend(body, frames.six);
    }
}

impl ModelGroups {
    /// The elements of all bodies of a model.
    pub fn new(model: &Model, parameters: &Parameters) -> Result<ModelGroups, ElasticityError> {
        let (mut kinds, mut materials) = (AllKinds::new(), MaterialTable::default());
        for (index, (body, material)) in model.bodies.iter().zip(&parameters.materials).enumerate() {
            let wrong = |source| ElasticityError::Values { body: body.name.clone(), source };
            let place = MaterialPlace {
                material: materials.push(material).map_err(wrong)?,
                first_factor: kinds.plates.len(),
            };
            kinds.add(index, BodyElements::new(model, body, material, place)?);
        }
        let mut out = ModelGroups {
            blocks: model.blocks(),
            groups: Vec::new(),
            damping: Vec::new(),
            lists: TypedLists::default(),
            materials,
        };
        out.push_all(kinds);
        let mut roots = Collected::damped(DampedBy::Nothing);
        let element = |&root: &RaisedRoot| RaisedRootElement {
            root,
            stiffness: parameters.springs.stiffness(root.spring),
        };
        roots.elements = model.roots.raised.iter().map(element).collect();
        out.push("attachment", roots);
        out.damping.iter_mut().for_each(|damping| damping.set(parameters));
        out.materials.set_plate_factors(&out.lists.plates);
        Ok(out)
    }

    fn push_all(&mut self, kinds: AllKinds) {
        let AllKinds { membrane, hinge, quadratic, shape, solid, stretch, bend, frames, mut plates } = kinds;
        self.lists.triangles = self.push("membrane", membrane);
        self.push("bending", hinge);
        self.push("bending", quadratic);
        self.push("bending", shape.four);
        self.push("bending", shape.five);
        self.push("bending", shape.six);
        self.lists.tets = self.push("solid", solid);
        self.lists.rod_edges = self.push("stretch", stretch);
        self.lists.rod_joints = self.push("bend_twist", bend);
        self.push("frames", frames.one);
        self.push("frames", frames.two);
        self.push("frames", frames.three);
        self.push("frames", frames.four);
        self.push("frames", frames.five);
        self.push("frames", frames.six);
        plates.shrink_to_fit();
        self.lists.plates = plates;
    }

    fn push<E: Element<N> + 'static, const N: usize>(
        &mut self,
        kind: &'static str,
        mut collected: Collected<E>,
    ) -> Arc<Vec<E>> {
        collected.elements.shrink_to_fit();
        let elements = Arc::new(collected.elements);
        if !elements.is_empty() {
            self.groups.push(NamedGroup::new(kind, self.blocks, elements.clone()));
            self.damping.push(collected.damping);
        }
        elements
    }
}
