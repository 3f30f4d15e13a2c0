//! The elastic energy of a model: its bodies' elements, its couplings, its damping weights and its drag.
//!
//! Elements of one kind from all bodies share one group, so that assembly runs over long lists however many bodies there are.

use crate::assembly::{Configuration, Energies, NamedGroup, Weights};
use crate::carried_drag::CarriedDrag;
use crate::coupling::Couplings;
use crate::drag::{Air, DragCoefficients, DragGroup, EdgeDrag, NodeDrag, TriangleDrag};
use crate::element::{Curvature, Element};
use crate::frozen_drag::{FrozenDrag, wind_field};
use crate::inflation::Inflations;
use crate::model_elements::{BodyElements, ElasticityError};
use crate::raised_root::RaisedRootElement;
use std::sync::Arc;
use stiction_bodies::{EdgeFrame, Model, Parameters, RaisedRoot};
use stiction_numerics::{BlockMatrix, BlockPattern, Vec3};
use stiction_scene::resolved::Wind;

/// Elastic energy, damping and drag of a whole model.
pub struct Elasticity {
    energies: Energies,
    /// β per element \[s\], group by group; `None` where nothing is damped.
    damping: Vec<Option<Vec<f64>>>,
    couplings: Couplings,
    inflations: Inflations,
    triangle_drag: DragGroup<TriangleDrag, 3>,
    edge_drag: DragGroup<EdgeDrag, 2>,
    carried_drag: CarriedDrag,
}

/// Elements of one kind from all bodies, with the damping of each.
struct Collected<E> {
    elements: Vec<E>,
    damping: Vec<f64>,
}

impl<E> Collected<E> {
    fn new() -> Self {
        Collected { elements: Vec::new(), damping: Vec::new() }
    }

    fn extend(&mut self, elements: Vec<E>, beta: f64) {
        self.damping.resize(self.damping.len() + elements.len(), beta);
        self.elements.extend(elements);
    }
}

/// Groups in the making.
struct Groups {
    blocks: usize,
    groups: Vec<NamedGroup>,
    damping: Vec<Option<Vec<f64>>>,
}

impl Groups {
    fn push<E: Element<N> + 'static, const N: usize>(
        &mut self,
        kind: &'static str,
        mut collected: Collected<E>,
    ) {
        if collected.elements.is_empty() {
            return;
        }
        collected.elements.shrink_to_fit();
        collected.damping.shrink_to_fit();
        self.groups.push(NamedGroup::new(kind, self.blocks, collected.elements));
        self.damping.push(Some(collected.damping).filter(|d| d.iter().any(|b| *b > 0.0)));
    }
}

impl Elasticity {
    /// Compiles the elements of a model with the materials of its parameters.
    pub fn new(model: &Model, parameters: &Parameters) -> Result<Elasticity, ElasticityError> {
        let blocks = model.blocks();
        let (groups, damping) = element_groups(model, parameters)?;
        let mut energies = Energies::new(blocks, groups);
        let couplings = Couplings::new(&model.couplings, &parameters.springs);
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
        let inflations = Inflations::new(model, parameters);
        Ok(Elasticity { energies, damping, couplings, inflations, triangle_drag, edge_drag, carried_drag })
    }

    /// Pattern of its Hessian.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        self.energies.pattern()
    }

    /// The groups of elements.
    pub fn energies(&self) -> &Energies {
        &self.energies
    }

    /// Pressure in closed surfaces; its curvature is not part of [`Elasticity::add_hessian`].
    pub fn inflations(&self) -> &Inflations {
        &self.inflations
    }

    /// Energy \[J\] in a step that begins at `time` \[s\]; +∞ beyond what a law allows.
    pub fn energy(&self, blocks: &[Vec3], frames: &[EdgeFrame], time: f64) -> f64 {
        let elastic = self.energies.energy(&Configuration { blocks, frames });
        elastic + self.couplings.energy(blocks, time) + self.inflations.energy(blocks)
    }

    /// Energy by kind \[J\].
    pub fn energy_by_kind(
        &self,
        blocks: &[Vec3],
        frames: &[EdgeFrame],
        time: f64,
    ) -> Vec<(&'static str, f64)> {
        let mut kinds = self.energies.energy_by_kind(&Configuration { blocks, frames });
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
        self.energies.add_gradient(&Configuration { blocks, frames }, 1.0, target);
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
        self.energies.add_hessian(&Configuration { blocks, frames }, 1.0, curvature, target);
        self.couplings.add_hessian(blocks, time, curvature, target);
    }

    /// Whether any element is damped in proportion to its stiffness.
    pub fn has_damping(&self) -> bool {
        self.damping.iter().any(Option::is_some)
    }

    /// Adds Σ β K with the projected stiffness K of each element \[N s/m\].
    pub fn add_damping(&self, blocks: &[Vec3], frames: &[EdgeFrame], target: &mut BlockMatrix) {
        let at = Configuration { blocks, frames };
        for (named, beta) in self.energies.groups().iter().zip(&self.damping) {
            if let Some(beta) = beta {
                let weights = Weights { scale: 1.0, per_element: Some(beta) };
                named.group.add_hessian(&at, weights, Curvature::Projected, target);
            }
        }
    }

    /// Whether any surface feels the air.
    pub fn has_drag(&self) -> bool {
        !(self.triangle_drag.is_empty() && self.edge_drag.is_empty() && self.carried_drag.is_empty())
    }

    /// Drag about a state, without a matrix; `None` where there is none, or where it couples more blocks than triangles do (bodies on frames).
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

    /// Adds the drag at the given velocities \[N\], and minus its derivative by the velocities \[N s/m\].
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

type DampingTable = Vec<Option<Vec<f64>>>;

fn element_groups(
    model: &Model,
    parameters: &Parameters,
) -> Result<(Vec<NamedGroup>, DampingTable), ElasticityError> {
    let (mut membrane, mut solid) = (Collected::new(), Collected::new());
    let (mut hinge, mut quadratic) = (Collected::new(), Collected::new());
    let (mut shape4, mut shape5, mut shape6) = (Collected::new(), Collected::new(), Collected::new());
    let (mut stretch, mut bend) = (Collected::new(), Collected::new());
    let (mut one, mut two, mut three) = (Collected::new(), Collected::new(), Collected::new());
    let (mut four, mut five, mut six) = (Collected::new(), Collected::new(), Collected::new());
    for (index, material) in parameters.materials.iter().enumerate() {
        let damping = material.damping();
        let body = BodyElements::new(model, index, material)?;
        membrane.extend(body.membrane, damping.stiffness);
        solid.extend(body.solid, damping.stiffness);
        stretch.extend(body.stretch, damping.stiffness);
        hinge.extend(body.hinge, damping.bending);
        quadratic.extend(body.quadratic, damping.bending);
        shape4.extend(body.shape.four, damping.bending);
        shape5.extend(body.shape.five, damping.bending);
        shape6.extend(body.shape.six, damping.bending);
        bend.extend(body.bend, damping.bending);
        one.extend(body.frames.one, damping.stiffness);
        two.extend(body.frames.two, damping.stiffness);
        three.extend(body.frames.three, damping.stiffness);
        four.extend(body.frames.four, damping.stiffness);
        five.extend(body.frames.five, damping.stiffness);
        six.extend(body.frames.six, damping.stiffness);
    }
    let mut roots = Collected::new();
    let raised =
        |&root: &RaisedRoot| RaisedRootElement { root, stiffness: parameters.springs.stiffness(root.spring) };
    roots.extend(model.roots.raised.iter().map(raised).collect(), 0.0);
    let mut out = Groups { blocks: model.blocks(), groups: Vec::new(), damping: Vec::new() };
    out.push("membrane", membrane);
    out.push("bending", hinge);
    out.push("bending", quadratic);
    out.push("bending", shape4);
    out.push("bending", shape5);
    out.push("bending", shape6);
    out.push("solid", solid);
    out.push("stretch", stretch);
    out.push("bend_twist", bend);
    out.push("frames", one);
    out.push("frames", two);
    out.push("frames", three);
    out.push("frames", four);
    out.push("frames", five);
    out.push("frames", six);
    out.push("attachment", roots);
    Ok((out.groups, out.damping))
}

/// Drag of bodies on frames, through the surface that they carry.
fn carried_drag(model: &Model, parameters: &Parameters) -> CarriedDrag {
    let mut out = CarriedDrag::default();
    for (body, material) in model.bodies.iter().zip(&parameters.materials) {
        let drag = material.drag();
        if body.kind.on_frames() && (drag.normal != 0.0 || drag.tangential != 0.0) {
            out.add(model, body, DragCoefficients { normal: drag.normal, tangential: drag.tangential });
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
        let drag = material.drag();
        if drag.normal == 0.0 && drag.tangential == 0.0 {
            continue;
        }
        let coefficients = DragCoefficients { normal: drag.normal, tangential: drag.tangential };
        triangles.push((TriangleDrag { coefficients }, body.triangles.to_vec()));
        let rods = body.edges.clone().map(|e| model.rods.edges[e].nodes).collect();
        edges.push((EdgeDrag { radius: 0.5 * body.thickness, coefficients }, rods));
    }
    (DragGroup::new(model.blocks(), triangles), DragGroup::new(model.blocks(), edges))
}
