//! The elastic constraints of a model: z_i = D_i x with a stiffness, a weight and a proximal map
//! each.
//!
//! Rows of D in this order: two per triangle (the columns of F), three per tet, one per spring;
//! then one per quadratic form. A quadratic form `k/2 |D x − o|²` (flat shells, straight rods,
//! attachments, soft pins) needs no projection: it stands in the global matrix as it is, and what
//! it gives to the right-hand side stays for the step.

use super::batches::Batches;
use super::options::PdOptions;
use super::selection::{RowList, SelectionMatrix};
use super::stretch_limits::StretchLimits;
use super::tets::{Tet, TetBatch};
use super::triangles::{SheetTriangle, TriangleBatch};
use stiction_bodies::{Model, Parameters};
use stiction_energy::views::{LengthForm, SheetForm, SolidForm};
use stiction_energy::{Elasticity, ElasticityError, Proximal};
use stiction_numerics::Vec3;
use stiction_scene::material::Material;

/// What gives a row its target and switches it on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Always on, no target.
    Body,
    /// A node held by a spring: group and place in it.
    Anchor(usize, usize),
    /// A coupling of the model.
    Coupling(usize),
}

/// `k/2 (|D x − o| − L)²`.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    /// k.
    pub stiffness: f64,
    /// L.
    pub length: f64,
    /// w, never above `heaviest`/h².
    pub weight: f64,
    /// Bound of h² w \[kg\].
    pub heaviest: f64,
    /// β k.
    pub damping: f64,
    /// Where it comes from.
    pub source: Source,
    /// Kind in reports.
    pub kind: &'static str,
}

/// `k/2 |D x − o|²`.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic {
    /// k.
    pub stiffness: f64,
    /// β k.
    pub damping: f64,
    /// Where it comes from.
    pub source: Source,
    /// Kind in reports.
    pub kind: &'static str,
}

/// All constraints of a model.
#[derive(Debug)]
pub struct Constraints {
    pub triangles: Batches<TriangleBatch>,
    /// Strain limits of the triangles, for the end of a step.
    pub limits: StretchLimits,
    pub tets: Batches<TetBatch>,
    pub springs: Vec<Spring>,
    /// Rows of springs.
    pub lengths: SelectionMatrix,
    pub quadratics: Vec<Quadratic>,
    /// Rows of quadratic forms.
    pub forms: SelectionMatrix,
    /// W_e as a share of K.
    share: f64,
    /// Step size of the weights \[s\].
    h: Option<f64>,
}

/// h² W_e of the edges of a rod over the mass of their nodes, at most, per iteration. A copy z
/// keeps the direction of its edge within an iteration, so a weight as large as a rod's stiffness
/// (a million times its inertia) would let it bend by a hair per iteration, whatever its bending
/// stiffness: the more iterations there are, the larger it may be. It may not be small either. In
/// 20 iterations with 200 in all, contact tore ropes apart (a rope over a drum gained 80 J); with
/// 1000 and more they hold, and with 6000 and more, which take some hundred iterations, a rope over
/// a drum slips within 1 % of where it should (4 % with 2000).
const ROD_WEIGHT: f64 = 60.0;

/// Constraints in the making.
struct Builder<'a> {
    model: &'a Model,
    parameters: &'a Parameters,
    options: &'a PdOptions,
    triangles: Vec<SheetTriangle>,
    tets: Vec<Tet>,
    springs: Vec<Spring>,
    quadratics: Vec<Quadratic>,
    /// Rows of the springs and of the quadratic forms.
    rows: [RowList; 2],
}

impl Constraints {
    /// The constraints of a model whose elements are given.
    pub fn new(
        model: &Model,
        parameters: &Parameters,
        elasticity: &Elasticity,
        options: &PdOptions,
    ) -> Result<Constraints, ElasticityError> {
        let mut builder = Builder {
            model,
            parameters,
            options,
            triangles: Vec::new(),
            tets: Vec::new(),
            springs: Vec::new(),
            quadratics: Vec::new(),
            rows: Default::default(),
        };
        let materials = elasticity.materials();
        elasticity.triangles().iter().for_each(|e| builder.triangle(e.proximal(materials)));
        elasticity.tets().iter().for_each(|e| builder.tet(e.proximal(materials)));
        elasticity.rod_edges().iter().for_each(|e| builder.rod_edge(e.proximal(materials)));
        elasticity.rod_joints().iter().for_each(|e| builder.bend(e.proximal(materials), "bend_twist"));
        for fold in elasticity.folds(model) {
            builder.bend(fold?.proximal(materials), "bending");
        }
        builder.attachments();
        let Builder { triangles, tets, springs, quadratics, rows: [lengths, forms], .. } = builder;
        Ok(Constraints {
            limits: StretchLimits::new(&triangles, model.nodes),
            triangles: Batches::new(&triangles, model.nodes, TriangleBatch::new),
            tets: Batches::new(&tets, model.nodes, TetBatch::new),
            springs,
            lengths: SelectionMatrix::new(model.nodes, lengths),
            quadratics,
            forms: SelectionMatrix::new(model.nodes, forms),
            share: options.elastic_weight,
            h: None,
        })
    }

    /// Takes the weights for a step size \[s\]; duals of springs, which are scaled by them, keep
    /// their forces.
    pub fn weigh(&mut self, h: f64, dual: &mut [Vec3]) {
        if self.h == Some(h) {
            return;
        }
        for (k, spring) in self.springs.iter_mut().enumerate() {
            let weight = (self.share * spring.stiffness).min(spring.heaviest / (h * h));
            if self.h.is_some() {
                dual[k] *= spring.weight / weight;
            }
            spring.weight = weight;
        }
        self.h = Some(h);
    }

    /// The step size that the weights are for \[s\]; none before the first step.
    pub fn weighed_for(&self) -> Option<f64> {
        self.h
    }

    /// Takes the weights for a step size, whose duals are known: after a step that failed, and when
    /// a run is resumed.
    pub fn set_weighed_for(&mut self, h: Option<f64>) {
        self.h = None;
        if let Some(h) = h {
            self.weigh(h, &mut []);
        }
    }

    /// Number of rows that are projected.
    pub fn projected_rows(&self) -> usize {
        self.triangles.rows() + self.tets.rows() + self.springs.len()
    }

    /// Number of all rows: projected ones, then quadratic forms.
    pub fn rows(&self) -> usize {
        self.projected_rows() + self.quadratics.len()
    }

    /// Nodes and coefficients of a row of all; `out` is emptied first.
    pub fn row(&self, row: usize, out: &mut Vec<(u32, f64)>) {
        out.clear();
        let (triangles, tets, springs) = (self.triangles.rows(), self.tets.rows(), self.springs.len());
        if row < triangles {
            out.extend(self.triangles.row(row));
        } else if row < triangles + tets {
            out.extend(self.tets.row(row - triangles));
        } else if row < triangles + tets + springs {
            out.extend(self.lengths.row(row - triangles - tets));
        } else {
            out.extend(self.forms.row(row - triangles - tets - springs));
        }
    }

    /// Weight w and damping β K of a row: what stands in the matrix, with the full stiffness for
    /// quadratic forms.
    pub fn stiffness(&self, row: usize) -> (f64, f64) {
        let (triangles, tets, springs) = (self.triangles.rows(), self.tets.rows(), self.springs.len());
        if row < triangles {
            self.triangles.stiffness(row)
        } else if row < triangles + tets {
            self.tets.stiffness(row - triangles)
        } else if row < triangles + tets + springs {
            let spring = &self.springs[row - triangles - tets];
            (spring.weight, spring.damping)
        } else {
            let form = &self.quadratics[row - triangles - tets - springs];
            (form.stiffness, form.damping)
        }
    }
}

impl Builder<'_> {
    fn body_damping(&self, node: u32) -> (f64, f64) {
        let body = self.model.body_of_node[node as usize] as usize;
        let damping = self.parameters.materials[body].damping();
        (damping.stiffness + self.options.damping, damping.bending + self.options.damping)
    }

    fn triangle(&mut self, form: SheetForm) {
        let body = self.model.body_of_node[form.nodes[0] as usize] as usize;
        let limit = match &self.parameters.materials[body] {
            Material::Cloth(cloth) => cloth.strain_limit,
            _ => None,
        };
        self.triangles.push(SheetTriangle {
            nodes: form.nodes,
            inverse: form.rest.inverse,
            moduli: form.moduli,
            longest: limit.map_or(f64::INFINITY, |limit| 1.0 + limit),
            weight: self.options.elastic_weight * form.stiffness,
            damping: self.body_damping(form.nodes[0]).0 * form.stiffness,
        });
    }

    fn tet(&mut self, form: SolidForm) {
        self.tets.push(Tet {
            nodes: form.nodes,
            inverse: form.rest.inverse,
            moduli: [form.shear, form.volume],
            weight: self.options.elastic_weight * form.stiffness,
            damping: self.body_damping(form.nodes[0]).0 * form.stiffness,
        });
    }

    fn rod_edge(&mut self, form: LengthForm<2>) {
        let [(a, _), (b, _)] = form.row;
        let beta = self.body_damping(a).0;
        self.length_row(&form.row, form.stiffness, form.length, beta, Source::Body, "stretch");
        if let Some(spring) = self.springs.last_mut() {
            let mass = &self.parameters.mass;
            let heaviest = ROD_WEIGHT * self.options.iterations as f64;
            spring.heaviest = heaviest * 0.5 * (mass[a as usize] + mass[b as usize]);
        }
    }

    fn bend<const N: usize>(&mut self, form: LengthForm<N>, kind: &'static str) {
        let beta = self.body_damping(form.row[0].0).1;
        self.length_row(&form.row, form.stiffness, form.length, beta, Source::Body, kind);
    }

    fn attachments(&mut self) {
        for (g, group) in self.model.anchors.groups.iter().enumerate() {
            let stiffness = self.parameters.springs.stiffness(group.spring);
            for (k, &node) in group.nodes.iter().enumerate() {
                let source = Source::Anchor(g, k);
                self.length_row(&[(node, 1.0)], stiffness, 0.0, 0.0, source, "attachment");
            }
        }
        for (c, coupling) in self.model.couplings.iter().enumerate() {
            let source = Source::Coupling(c);
            let stiffness = self.parameters.springs.stiffness(coupling.spring);
            self.length_row(&coupling.terms, stiffness, coupling.rest_length, 0.0, source, "attachment");
        }
    }

    /// A spring, or a quadratic form when its rest length is zero.
    fn length_row(
        &mut self,
        row: &[(u32, f64)],
        stiffness: f64,
        length: f64,
        beta: f64,
        source: Source,
        kind: &'static str,
    ) {
        let damping = beta * stiffness;
        if length > 0.0 {
            let weight = self.options.elastic_weight * stiffness;
            let heaviest = f64::INFINITY;
            self.springs.push(Spring { stiffness, length, weight, heaviest, damping, source, kind });
            self.rows[0].push(row);
        } else {
            self.quadratics.push(Quadratic { stiffness, damping, source, kind });
            self.rows[1].push(row);
        }
    }
}
