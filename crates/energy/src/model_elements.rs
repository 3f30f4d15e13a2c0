//! The elements of one body from its topology, rest shape and material.

use crate::bending::{BendError, EdgeNumbering, HingeElement, QuadraticBend, ShapeElements, Topology};
use crate::element::{RestShapeError, Stencil};
use crate::frame_point::FramePoints;
use crate::material_table::{NO_MATERIALS, ValueError};
use crate::membrane::{TriangleElement, TriangleRest};
use crate::rod::{JointRest, RodBendTwist, RodStretch};
use crate::solid::TetElement;
use stiction_bodies::{Body, EdgeFrame, Model};
use stiction_numerics::{Mat2, Mat3x2, Vec2, Vec3};
use stiction_scene::material::{BendingLaw, ClothMaterial, Material, RodMaterial};
use stiction_scene::resolved::RestShape;

/// Why the elements of a body cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ElasticityError {
    /// A rest shape without area or volume.
    #[error("body `{body}`: {source}")]
    RestShape {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: RestShapeError,
    },
    /// A bending element that cannot be made.
    #[error("body `{body}`: {source}")]
    Bending {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: BendError,
    },
    /// A material that gives no values.
    #[error("body `{body}`: {source}")]
    Values {
        /// Name of the body.
        body: String,
        /// What is wrong with it.
        source: ValueError,
    },
    /// A change of material that asks for other elements.
    #[error(
        "body `{body}`: {what} cannot change while a simulation lives, since elements come and go with it: make the simulation again"
    )]
    OtherElements {
        /// Name of the body.
        body: String,
        /// What would change.
        what: &'static str,
    },
}

/// Where the values of a body stand in the material table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MaterialPlace {
    /// In the list of its kind.
    pub material: u32,
    /// Factor of its first triangle that bends by the shape operator.
    pub first_factor: usize,
}

/// Elements of one body; lists that do not apply stay empty.
#[derive(Default)]
pub(crate) struct BodyElements {
    pub membrane: Vec<TriangleElement>,
    pub hinge: Vec<HingeElement>,
    pub quadratic: Vec<QuadraticBend>,
    pub shape: ShapeElements,
    pub solid: Vec<TetElement>,
    pub frames: FramePoints,
    pub stretch: Vec<RodStretch>,
    pub bend: Vec<RodBendTwist>,
}

impl BodyElements {
    /// The elements of a body.
    pub fn new(
        model: &Model,
        body: &Body,
        material: &Material,
        place: MaterialPlace,
    ) -> Result<BodyElements, ElasticityError> {
        let mut out = BodyElements::default();
        let name = || body.name.clone();
        match material {
            Material::Cloth(cloth) => {
                out.membrane = membrane(model, body, place.material)
                    .map_err(|source| ElasticityError::RestShape { body: name(), source })?;
                out.add_bending(model, body, cloth, place)
                    .map_err(|source| ElasticityError::Bending { body: name(), source })?;
            }
            Material::Solid(_) => {
                out.solid = tets(model, body, place.material)
                    .map_err(|source| ElasticityError::RestShape { body: name(), source })?;
                out.frames = FramePoints::new(&body.points, place.material);
            }
            Material::Rod(rod) => out.add_rods(model, body, rod, place.material),
            Material::Rigid(_) => {}
        }
        Ok(out)
    }

    fn add_bending(
        &mut self,
        model: &Model,
        body: &Body,
        cloth: &ClothMaterial,
        place: MaterialPlace,
    ) -> Result<(), BendError> {
        if cloth.bending_stiffness == 0.0 {
            return Ok(());
        }
        let topology = Topology::new(&body.triangles);
        let rest = |node: u32| model.rest[node as usize];
        match cloth.bending {
            BendingLaw::Hinge => {
                for hinge in &topology.hinges {
                    let mut element = HingeElement::new(hinge.nodes, hinge.nodes.map(rest), place.material)?;
                    if !keeps_curvature(body, cloth) {
                        element.rest_angle = 0.0;
                    }
                    self.hinge.push(element);
                }
            }
            BendingLaw::Quadratic => {
                for hinge in &topology.hinges {
                    let at_rest = hinge.nodes.map(rest);
                    self.quadratic.push(match keeps_curvature(body, cloth) {
                        true => QuadraticBend::new(hinge.nodes, at_rest, place.material)?,
                        false => QuadraticBend::flattening(hinge.nodes, at_rest, place.material)?,
                    });
                }
            }
            BendingLaw::ShapeOperator => {
                self.shape = shape_elements(model, body, &topology, place)?;
                if !keeps_curvature(body, cloth) {
                    self.shape.flatten();
                }
            }
        }
        Ok(())
    }

    fn add_rods(&mut self, model: &Model, body: &Body, rod: &RodMaterial, material: u32) {
        for edge in body.edges.clone().map(|e| &model.rods.edges[e]) {
            self.stretch.push(RodStretch { nodes: edge.nodes, material, length: edge.length });
        }
        let frames = model.rods.initial_frames(&model.rest);
        for joint in body.joints.clone().map(|j| &model.rods.joints[j]) {
            let [a, b, c] = joint.nodes;
            let [before, after] = joint.edges.map(|e| model.twist_block(e as usize) as u32);
            let rest = JointRest::straight(joint.edges.map(|e| model.rods.edges[e as usize].length));
            let blocks = [a, b, c, before, after];
            let straight = RodBendTwist { blocks, edges: joint.edges, material, rest };
            self.bend.push(match rod.rest_curved {
                true => straight.relaxed_at(&rest_stencil(model, joint.nodes, &frames)),
                false => straight,
            });
        }
    }
}

/// The stiffness of a pattern is that of its flat pieces, wherever the mesh starts.
fn shape_elements(
    model: &Model,
    body: &Body,
    topology: &Topology,
    place: MaterialPlace,
) -> Result<ShapeElements, BendError> {
    if body.shell_edges.len() != topology.hinges.len() {
        return Err(BendError::NoEdgeNormals);
    }
    let first = EdgeNumbering {
        block: model.shell_angle_block(body.shell_edges.start),
        frame: model.shell_frame(body.shell_edges.start),
        factor: place.first_factor,
    };
    let corners = |t: usize| {
        body.triangles[t].map(|n| match (body.rest_shape, &body.uv) {
            (RestShape::Pattern, Some(uv)) => uv[n as usize - body.nodes.start].push(0.0),
            _ => model.rest[n as usize],
        })
    };
    let edges = &model.shell_edges[body.shell_edges.clone()];
    ShapeElements::new(&body.triangles, edges, first, &model.rest, corners, place.material)
}

/// A joint in the rest shape, with frames free of twist.
fn rest_stencil<'a>(model: &Model, nodes: [u32; 3], frames: &'a [EdgeFrame]) -> Stencil<'a, 5> {
    let [a, b, c] = nodes.map(|n| model.rest[n as usize]);
    Stencil { x: [a, b, c, Vec3::zeros(), Vec3::zeros()], frames, materials: &NO_MATERIALS }
}

/// A pattern is flat; a mesh keeps its curvature when the material says so.
fn keeps_curvature(body: &Body, cloth: &ClothMaterial) -> bool {
    cloth.rest_curved && body.rest_shape == RestShape::Mesh
}

fn membrane(model: &Model, body: &Body, material: u32) -> Result<Vec<TriangleElement>, RestShapeError> {
    let element =
        |&nodes: &[u32; 3]| Ok(TriangleElement { nodes, rest: triangle_rest(model, body, nodes)?, material });
    body.triangles.iter().map(element).collect()
}

pub(crate) fn triangle_rest(
    model: &Model,
    body: &Body,
    nodes: [u32; 3],
) -> Result<TriangleRest, RestShapeError> {
    let positions = nodes.map(|n| model.rest[n as usize]);
    let pattern = body.uv.as_ref().map(|uv| nodes.map(|n| uv[n as usize - body.nodes.start]));
    match (body.rest_shape, pattern) {
        (RestShape::Pattern, Some(pattern)) => TriangleRest::from_pattern(nodes, &pattern, &Vec2::x()),
        (_, pattern) => {
            let warp = body.warp.or_else(|| direction_of_u(&positions, &pattern?)).unwrap_or_else(Vec3::x);
            TriangleRest::from_positions(nodes, &positions, &warp)
        }
    }
}

/// ∂X/∂u of a triangle: the direction in space in which its first pattern coordinate grows.
fn direction_of_u(x: &[Vec3; 3], uv: &[Vec2; 3]) -> Option<Vec3> {
    let edges = Mat3x2::from_columns(&[x[1] - x[0], x[2] - x[0]]);
    let flat = Mat2::from_columns(&[uv[1] - uv[0], uv[2] - uv[0]]);
    Some((edges * flat.try_inverse()?).column(0).into_owned())
}

fn tets(model: &Model, body: &Body, material: u32) -> Result<Vec<TetElement>, RestShapeError> {
    let element =
        |&nodes: &[u32; 4]| TetElement::new(nodes, &nodes.map(|n| model.rest[n as usize]), material);
    body.tets.iter().map(element).collect()
}
