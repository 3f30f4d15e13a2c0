//! The elastic energy of a model: its bodies' elements, its couplings, its damping weights and its
//! drag.
//!
//! Elements keep geometry; the values of materials stand in one table, which
//! [`Elasticity::set_materials`] replaces.

use crate::assembly::{Configuration, Energies};
use crate::bending::{Hinge, Topology};
use crate::carried_drag::CarriedDrag;
use crate::coupling::CouplingSprings;
use crate::damping::GroupDamping;
use crate::drag::{Air, DragCoefficients, DragGroup, EdgeDrag, NodeDrag, TriangleDrag};
use crate::element::Curvature;
use crate::frozen_drag::{FrozenDrag, wind_field};
use crate::inflation::Inflations;
use crate::made_for::MadeFor;
use crate::material_table::MaterialTable;
use crate::membrane::TriangleElement;
use crate::model_elements::ElasticityError;
use crate::model_groups::{ModelGroups, TypedLists};
use crate::rod::{RodBendTwist, RodStretch};
use crate::solid::TetElement;
use crate::views::Fold;
use std::sync::Arc;
use stiction_bodies::{EdgeFrame, Model, Parameters};
use stiction_numerics::{BlockMatrix, BlockPattern, Vec3};
use stiction_scene::material::Material;
use stiction_scene::resolved::{RestShape, Wind};

/// Elastic energy, damping and drag of a whole model.
pub struct Elasticity {
    energies: Energies,
    lists: TypedLists,
    materials: MaterialTable,
    /// What the elements of each body were made for.
    made_for: Vec<MadeFor>,
    /// β of each group.
    damping: Vec<GroupDamping>,
    couplings: CouplingSprings,
    inflations: Inflations,
    triangle_drag: DragGroup<TriangleDrag, 3>,
    edge_drag: DragGroup<EdgeDrag, 2>,
    carried_drag: CarriedDrag,
}

impl Elasticity {
    /// Compiles the elements of a model with the materials of its parameters.
    pub fn new(model: &Model, parameters: &Parameters) -> Result<Elasticity, ElasticityError> {
        let ModelGroups { blocks, groups, damping, lists, materials } = ModelGroups::new(model, parameters)?;
        let mut energies = Energies::new(blocks, groups);
        let couplings = CouplingSprings::new(&model.couplings, &parameters.springs);
        let carried_drag = carried_drag(model, parameters);
        if !couplings.is_empty() || !carried_drag.is_empty() {
            let mut stencils = couplings.stencils();
            stencils.extend(carried_drag.stencils());
            let pattern = energies.pattern().with_stencils(stencils.iter().map(Vec::as_slice));
            energies.bind(&Arc::new(pattern));
        }
        let (mut triangle_drag, mut edge_drag) = drag_groups(model, parameters);
        triangle_drag.bind(energies.pattern());
        edge_drag.bind(energies.pattern());
        let bodies = model.bodies.iter().zip(&parameters.materials);
        Ok(Elasticity {
            energies,
            lists,
            materials,
            made_for: bodies.map(|(body, material)| MadeFor::new(&body.name, material)).collect(),
            damping,
            couplings,
            inflations: Inflations::new(model, parameters),
            triangle_drag,
            edge_drag,
            carried_drag,
        })
    }

    /// Takes the values of other materials: moduli, damping, drag. Elements, the pattern of the
    /// Hessian and colourings stay, so every result is that of an energy made for these materials,
    /// bit for bit. Where elements come and go with a value (bending or drag from nothing, another
    /// bending law), the change is refused and nothing is changed.
    pub fn set_materials(&mut self, parameters: &Parameters) -> Result<(), ElasticityError> {
        let mut materials = MaterialTable::default();
        for (made_for, material) in self.made_for.iter().zip(&parameters.materials) {
            made_for.check(material)?;
            let wrong = |source| ElasticityError::Values { body: made_for.body.clone(), source };
            materials.push(material).map_err(wrong)?;
        }
        materials.set_plate_factors(&self.lists.plates);
        self.materials = materials;
        self.damping.iter_mut().for_each(|damping| damping.set(parameters));
        let with_drag = || parameters.materials.iter().map(drag_coefficients).filter(DragCoefficients::acts);
        self.triangle_drag.set_kinds(with_drag(), |kind, coefficients| kind.coefficients = coefficients);
        self.edge_drag.set_kinds(with_drag(), |kind, coefficients| kind.coefficients = coefficients);
        self.carried_drag.set_coefficients(|body| drag_coefficients(&parameters.materials[body]));
        Ok(())
    }

    /// Takes the present stiffness of springs between bodies and the present pressure in closed
    /// surfaces. Roots that stand above shells are elements and keep theirs.
    pub fn set_springs(&mut self, model: &Model, parameters: &Parameters) {
        self.couplings = CouplingSprings::new(&model.couplings, &parameters.springs);
        self.inflations = Inflations::new(model, parameters);
    }

    /// The values of all materials.
    pub fn materials(&self) -> &MaterialTable {
        &self.materials
    }

    /// Triangles of all sheets, body after body.
    pub fn triangles(&self) -> &[TriangleElement] {
        &self.lists.triangles
    }

    /// The same list to keep, so that whoever needs rest shapes later does not copy them.
    pub fn shared_triangles(&self) -> Arc<Vec<TriangleElement>> {
        self.lists.triangles.clone()
    }

    /// Tets of all solids, body after body.
    pub fn tets(&self) -> &[TetElement] {
        &self.lists.tets
    }

    /// Edges of all rods, as in the model.
    pub fn rod_edges(&self) -> &[RodStretch] {
        &self.lists.rod_edges
    }

    /// Joints of all rods, as in the model.
    pub fn rod_joints(&self) -> &[RodBendTwist] {
        &self.lists.rod_joints
    }

    /// Hinges of all sheets that resist bending, body after body, whatever their bending law.
    pub fn folds<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = Result<Fold, ElasticityError>> + 'a {
        let sheets = model.bodies.iter().zip(&self.made_for).filter(|(_, made)| made.is_sheet());
        sheets.enumerate().filter(|(_, (_, made))| made.bends()).flat_map(move |(place, (body, made))| {
            let keeps_curvature = made.is_curved() && body.rest_shape == RestShape::Mesh;
            let wrong = |source| ElasticityError::Bending { body: body.name.clone(), source };
            let fold = move |hinge: Hinge| {
                let rest = hinge.nodes.map(|n| model.rest[n as usize]);
                Fold::new(hinge.nodes, rest, keeps_curvature, place as u32).map_err(wrong)
            };
            Topology::new(&body.triangles).hinges.into_iter().map(fold)
        })
    }

    fn at<'a>(&'a self, blocks: &'a [Vec3], frames: &'a [EdgeFrame]) -> Configuration<'a> {
        Configuration { blocks, frames, materials: &self.materials }
    }

    /// Pattern of its Hessian.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        self.energies.pattern()
    }

    /// Pressure in closed surfaces; its curvature is not part of [`Elasticity::add_hessian`].
    pub fn inflations(&self) -> &Inflations {
        &self.inflations
    }

    /// Energy \[J\] in a step that begins at `time` \[s\]; +∞ beyond what a law allows.
    pub fn energy(&self, blocks: &[Vec3], frames: &[EdgeFrame], time: f64) -> f64 {
        let elastic = self.energies.energy(&self.at(blocks, frames));
        elastic + self.couplings.energy(blocks, time) + self.inflations.energy(blocks)
    }

    /// Energy by kind \[J\].
    pub fn energy_by_kind(
        &self,
        blocks: &[Vec3],
        frames: &[EdgeFrame],
        time: f64,
    ) -> Vec<(&'static str, f64)> {
        let mut kinds = self.energies.energy_by_kind(&self.at(blocks, frames));
        if !self.couplings.is_empty() {
            let energy = self.couplings.energy(blocks, time);
            match kinds.iter_mut().find(|(kind, _)| *kind == "attachment") {
                Some((_, sum)) => *sum += energy,
                None => kinds.push(("attachment", energy)),
            }
        }
        if !self.inflations.is_empty() {
            kinds.push(("inflation", self.inflations.energy(blocks)));
        }
        kinds
    }

    /// Adds the gradient \[N\].
    pub fn add_gradient(&self, blocks: &[Vec3], frames: &[EdgeFrame], time: f64, target: &mut [Vec3]) {
        self.energies.add_gradient(&self.at(blocks, frames), 1.0, target);
        self.couplings.add_gradient(blocks, time, target);
        self.inflations.add_gradient(blocks, target);
    }

    /// Adds the Hessian \[N/m\].
    pub fn add_hessian(
        &self,
        blocks: &[Vec3],
        frames: &[EdgeFrame],
        time: f64,
        curvature: Curvature,
        target: &mut BlockMatrix,
    ) {
        self.energies.add_hessian(&self.at(blocks, frames), 1.0, curvature, target);
        self.couplings.add_hessian(blocks, time, curvature, target);
    }

    /// Whether any element is damped in proportion to its stiffness.
    pub fn has_damping(&self) -> bool {
        self.damping.iter().any(|damping| damping.weights().is_some())
    }

    /// Adds Σ β K with the projected stiffness K of each element \[N s/m\].
    pub fn add_damping(&self, blocks: &[Vec3], frames: &[EdgeFrame], target: &mut BlockMatrix) {
        let at = self.at(blocks, frames);
        for (named, damping) in self.energies.groups().iter().zip(&self.damping) {
            if let Some(weights) = damping.weights() {
                named.group.add_hessian(&at, weights, Curvature::Projected, target);
            }
        }
    }

    /// Whether any surface feels the air.
    pub fn has_drag(&self) -> bool {
        !(self.triangle_drag.is_empty() && self.edge_drag.is_empty() && self.carried_drag.is_empty())
    }

    /// Drag about a state, without a matrix; `None` where there is none, or where it couples more
    /// blocks than triangles do (bodies on frames).
    pub fn frozen_drag<'a>(
        &'a self,
        state: [&'a [Vec3]; 2],
        wind: &Wind,
        time: f64,
    ) -> Option<FrozenDrag<'a>> {
        let has = wind.air_density > 0.0 && self.has_drag() && self.carried_drag.is_empty();
        has.then(|| FrozenDrag::new(self, state, wind, time))
    }

    pub(crate) fn triangle_drag(&self) -> &DragGroup<TriangleDrag, 3> {
        &self.triangle_drag
    }

    pub(crate) fn edge_drag(&self) -> &DragGroup<EdgeDrag, 2> {
        &self.edge_drag
    }

    /// Adds the drag at the given velocities \[N\], and its damping matrix D \[N s/m\].
    pub fn add_drag(
        &self,
        blocks: &[Vec3],
        velocities: &[Vec3],
        wind: &Wind,
        time: f64,
        force: &mut [Vec3],
        slope: &mut BlockMatrix,
    ) {
        let field = wind_field(wind);
        let air = Air { density: wind.air_density, wind: &field, time };
        self.triangle_drag.add_force(blocks, velocities, &air, force);
        self.triangle_drag.add_damping(blocks, velocities, &air, 1.0, slope);
        self.edge_drag.add_force(blocks, velocities, &air, force);
        self.edge_drag.add_damping(blocks, velocities, &air, 1.0, slope);
        self.carried_drag.add_to(blocks, velocities, &air, force, slope);
    }

    /// The same drag node by node, for steps that take it as it is at the start.
    pub fn drag_at_nodes(
        &self,
        blocks: &[Vec3],
        velocities: &[Vec3],
        wind: &Wind,
        time: f64,
    ) -> Vec<NodeDrag> {
        let field = wind_field(wind);
        let air = Air { density: wind.air_density, wind: &field, time };
        let mut nodes = vec![NodeDrag::default(); blocks.len()];
        self.triangle_drag.add_at_nodes(blocks, velocities, &air, &mut nodes);
        self.edge_drag.add_at_nodes(blocks, velocities, &air, &mut nodes);
        self.carried_drag.add_at_nodes(blocks, velocities, &air, &mut nodes);
        nodes
    }
}

fn drag_coefficients(material: &Material) -> DragCoefficients {
    let drag = material.drag();
    DragCoefficients { normal: drag.normal, tangential: drag.tangential }
}

/// Drag of bodies on frames, through the surface that they carry.
fn carried_drag(model: &Model, parameters: &Parameters) -> CarriedDrag {
    let mut out = CarriedDrag::default();
    for (index, body) in model.bodies.iter().enumerate() {
        let coefficients = drag_coefficients(&parameters.materials[index]);
        if body.kind.on_frames() && coefficients.acts() {
            out.add(model, index, coefficients);
        }
    }
    out
}

fn drag_groups(
    model: &Model,
    parameters: &Parameters,
) -> (DragGroup<TriangleDrag, 3>, DragGroup<EdgeDrag, 2>) {
    let (mut triangles, mut edges) = (Vec::new(), Vec::new());
    for (body, material) in model.bodies.iter().zip(&parameters.materials) {
        let coefficients = drag_coefficients(material);
        if !coefficients.acts() {
            continue;
        }
        triangles.push((TriangleDrag { coefficients }, body.triangles.to_vec()));
        let rods = body.edges.clone().map(|e| model.rods.edges[e].nodes).collect();
        edges.push((EdgeDrag { radius: 0.5 * body.thickness, coefficients }, rods));
    }
    (DragGroup::new(model.blocks(), triangles), DragGroup::new(model.blocks(), edges))
}
