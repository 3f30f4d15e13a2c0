//! Couples of friction across gaps, carried by triangles: what keeps angular momentum.
//! `stiction_contact::barrier::couple` derives the forces.
//!
//! The corners of the second feature gather the couples `e × g` of all contacts by their weights;
//! each hands its own to the triangles around it in equal parts, and these put forces on their
//! corners. So the forces stay continuous where a contact passes from one triangle to the next,
//! which a triangle by itself does not give: vertices over an edge would go to and fro between its
//! sides. Where the second feature has no triangles (a rod), the first one carries. Friction g is
//! what the last linear solve found: before a step has settled its law may be far from that, and
//! balances nothing. Slips and the matrix know nothing of all this.
//!
//! Contacts across gaps wider than the triangles keep their couple: forces that carry it would be
//! larger than the friction that makes it. Contacts of colliders get none, since whoever moves
//! those carries the couple, and contacts of two rods have no triangle.

use super::anchors::Primitive;
use super::assembly::Terms;
use super::contacts::{Contact, Detector};
use super::options::{BarrierOptions, FrictionModel};
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_bodies::surfaces::VertexSource;
use stiction_collision::CollisionMesh;
use stiction_contact::barrier::couple_forces;
use stiction_numerics::Vec3;

/// Contacts are gathered in so many parts, whatever the number of threads.
const PARTS: usize = 2;

/// Forces across the normal that are smaller than this share are rounding: there is no friction.
const ROUNDING: f64 = 1e-6;

/// The triangles around a vertex.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    /// How many there are.
    triangles: u32,
    /// One over the least of their heights at the start \[1/m\].
    steepness: f32,
}

/// The triangles around each vertex.
pub(super) fn rings(mesh: &CollisionMesh, start: &[Vec3]) -> Vec<Ring> {
    let mut rings = vec![Ring { triangles: 0, steepness: 0.0 }; start.len()];
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|v| start[v as usize]);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        let steepness = (longest / (b - a).cross(&(c - a)).norm()) as f32;
        for ring in corners.map(|v| v as usize) {
            rings[ring].triangles += 1;
            rings[ring].steepness = rings[ring].steepness.max(steepness);
        }
    }
    rings
}

/// The couple of a contact \[N m\] and the vertices that bear it, with their shares.
#[derive(Clone, Copy, Debug, Default)]
struct Bearing {
    couple: [f32; 3],
    vertices: [u32; 3],
    shares: [f32; 3],
}

/// What carries couples.
#[derive(Clone, Copy)]
pub(super) struct Bearers<'a> {
    options: &'a BarrierOptions,
    mesh: &'a CollisionMesh,
    rings: &'a [Ring],
    model: &'a Model,
}

impl<'a> Bearers<'a> {
    pub fn new(options: &'a BarrierOptions, detector: &'a Detector, model: &'a Model) -> Bearers<'a> {
        Bearers { options, mesh: &detector.mesh, rings: &detector.rings, model }
    }

    /// Adds the couples of friction of some contacts to those by vertices \[N m\]; a list that is
    /// empty begins with zeros.
    pub fn gather(&self, contacts: &[Contact], terms: &[Terms], x: &[Vec3], couples: &mut Vec<Vec3>) {
        let part = contacts.len().div_ceil(PARTS).max(1);
        let parts = contacts.par_chunks(part).zip(terms.par_chunks(part));
        let gathered: Vec<Vec<Vec3>> =
            parts.map(|(contacts, terms)| self.of_part(contacts, terms, x)).collect();
        let add = |mut sum: Vec<Vec3>, part: Vec<Vec3>| {
            sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
            sum
        };
        let before = std::mem::take(couples);
        let all = (!before.is_empty()).then_some(before).into_iter().chain(gathered);
        *couples = all.reduce(add).unwrap_or_default();
    }

    /// Adds the forces that carry couples \[N m\] by vertices, if there are any, to the right-hand
    /// side.
    pub fn add_couples(&self, couples: &[Vec3], x: &[Vec3], rhs: &mut [Vec3]) {
        if couples.is_empty() {
            return;
        }
        for corners in self.mesh.triangles() {
            let of_corner = |v: u32| couples[v as usize] / f64::from(self.rings[v as usize].triangles);
            let couple: Vec3 = corners.map(of_corner).iter().sum();
            if couple != Vec3::zeros() {
                let places = corners.map(|v| place(self.model, v, x));
                let forces = couple_forces(&places, &couple).unwrap_or_default();
                corners.iter().zip(forces).for_each(|(&corner, force)| push(self.model, corner, force, rhs));
            }
        }
    }

    /// Couples \[N m\] by vertices.
    fn of_part(&self, contacts: &[Contact], terms: &[Terms], x: &[Vec3]) -> Vec<Vec3> {
        let mut couples = vec![Vec3::zeros(); self.rings.len()];
        for (contact, terms) in contacts.iter().zip(terms) {
            let Bearing { couple, vertices, shares } = self.bearing(contact, &terms.pull, x);
            let couple = Vec3::from(couple.map(f64::from));
            for (&vertex, &share) in vertices.iter().zip(&shares).filter(|(_, share)| **share > 0.0) {
                couples[vertex as usize] += couple * f64::from(share);
            }
        }
        couples
    }

    /// The couple of a contact with a gradient `pull` \[N\].
    fn bearing(&self, contact: &Contact, pull: &Vec3, x: &[Vec3]) -> Bearing {
        let Some(features) = contact.key.features() else { return Bearing::default() };
        if contact.held > 0 || self.options.friction == FrictionModel::None {
            return Bearing::default();
        }
        // The barrier's own part of g is along e.
        let g = contact.expected_here(self.options).map_or(*pull, |force| -force);
        if g.cross(&contact.normal).norm_squared() <= ROUNDING * ROUNDING * g.norm_squared() {
            return Bearing::default();
        }
        let across = contact.relative(x);
        let (couple, distance) = (across.cross(&g), across.norm());
        let bearer = self.nodes(contact, -1.0, distance).or_else(|| self.nodes(contact, 1.0, distance));
        let (vertices, shares) = bearer.unwrap_or_else(|| self.carried(features, distance));
        Bearing { couple: couple.map(|c| c as f32).into(), vertices, shares }
    }

    /// Nodes of one side and their shares by weight; none where they have no triangles.
    #[inline]
    fn nodes(&self, contact: &Contact, side: f64, distance: f64) -> Option<([u32; 3], [f32; 3])> {
        let (mut vertices, mut shares, mut size) = ([0; 3], [0.0; 3], 0);
        for (&node, weight) in contact.stencil.nodes().iter().zip(contact.stencil.weights()) {
            let share = weight * side;
            if share > 0.0 && size < 3 {
                let ring = self.rings[node as usize];
                if ring.triangles == 0 {
                    return None;
                }
                (vertices[size], shares[size]) = (node, share as f32 * ring.reach(distance));
                size += 1;
            }
        }
        (size > 0).then_some((vertices, shares))
    }

    /// Corners of the first feature that has triangles, in equal parts: of a surface that nodes
    /// carry. No shares where there is none.
    fn carried(&self, features: [Primitive; 2], distance: f64) -> ([u32; 3], [f32; 3]) {
        for (corners, count) in features.map(|feature| self.corners(feature)) {
            let rings = corners.map(|v| self.rings[v as usize]);
            if rings[0].triangles > 0 {
                let share = |k: usize| if k < count { rings[k].reach(distance) / count as f32 } else { 0.0 };
                return (corners, std::array::from_fn(share));
            }
        }
        ([0; 3], [0.0; 3])
    }

    fn corners(&self, feature: Primitive) -> ([u32; 3], usize) {
        match feature {
            Primitive::Vertex(v) => ([v; 3], 1),
            Primitive::Edge(e) => {
                let [a, b] = self.mesh.edges()[e as usize];
                ([a, b, b], 2)
            }
            Primitive::Triangle(t) => (self.mesh.triangles()[t as usize], 3),
        }
    }
}

impl Ring {
    /// The part of a couple that triangles carry: all of it across a distance of up to their
    /// height, nothing from twice that on.
    fn reach(&self, distance: f64) -> f32 {
        (2.0 - distance as f32 * self.steepness).clamp(0.0, 1.0)
    }
}

/// Where a vertex of a body is \[m\].
fn place(model: &Model, vertex: u32, x: &[Vec3]) -> Vec3 {
    match model.surfaces.source(vertex as usize) {
        VertexSource::Node(node) => x[node as usize],
        VertexSource::Embedded(terms) => terms.iter().map(|&(n, w)| x[n as usize] * w).sum(),
        VertexSource::Rigid { .. } | VertexSource::Kinematic => Vec3::zeros(),
    }
}

/// Adds a force on a vertex of a body to its nodes.
fn push(model: &Model, vertex: u32, force: Vec3, rhs: &mut [Vec3]) {
    match model.surfaces.source(vertex as usize) {
        VertexSource::Node(node) => rhs[node as usize] += force,
        VertexSource::Embedded(terms) => terms.iter().for_each(|&(n, w)| rhs[n as usize] += force * w),
        VertexSource::Rigid { .. } | VertexSource::Kinematic => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::BarrierSolver;
    use super::super::anchors::Memory;
    use super::super::contacts::Trajectory;
    use super::*;
    use crate::solver::World;
    use std::path::Path;
    use stiction_bodies::{Parameters, State, build};
    use stiction_numerics::Random;

    fn two_cubes(turn: f64) -> String {
        let cube = "kind = 'solid'
            mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
            material = { density = 1000.0, young = 1e5, poisson = 0.3 }
            thickness = 1e-3
            gap = 0.05";
        format!(
            "stiction = 1
            method = {{ key = 'barrier' }}
            [bodies.first]
            {cube}
            [bodies.second]
            {cube}
            rotate = {{ axis = [1, 2, 3], degrees = {turn} }}
            translate = [0.11, 0.06, 0.13]"
        )
    }

    /// Moment and sum of all forces of each contact alone, for features of every kind.
    #[test]
    fn friction_of_a_contact_has_no_moment_about_any_place() {
        let (mut random, mut kinds) = (Random::new(91), [0; 3]);
        for turn in [0.0, 10.0, 50.0, 80.0] {
            let loaded =
                stiction_scene::load_text("test.toml", &two_cubes(turn), Path::new("."), &[] as &[&str]);
            let scene = loaded.expect("a good scene").scene;
            let model = build(&scene).expect("a good model");
            let parameters = Parameters::from_scene(&scene, &model);
            let world = World { model: &model, parameters: &parameters };
            let mut solver = BarrierSolver::new(Default::default(), world).expect("a good scene");
            let state = State::initial(&model, &scene);
            let start = solver.start(world, &state);
            let trajectory =
                Trajectory { start: &start, now: &start, target: &start, anchors: &Memory::default() };
            let x = &start.blocks;
            for contact in
                solver.detector.contacts(world, trajectory, &Memory::default()).expect("places are finite")
            {
                let across = random.unit_vector().cross(&contact.normal);
                let pull = across + contact.normal * random.uniform();
                let options = BarrierOptions::default();
                let bearers = Bearers::new(&options, &solver.detector, &model);
                let mut forces = vec![Vec3::zeros(); x.len()];
                let terms = Terms { pull, ..Terms::default() };
                let mut couples = Vec::new();
                bearers.gather(std::slice::from_ref(&contact), &[terms], x, &mut couples);
                bearers.add_couples(&couples, x, &mut forces);
                for (&node, weight) in contact.stencil.nodes().iter().zip(contact.stencil.weights()) {
                    forces[node as usize] -= pull * *weight;
                }
                let place = random.vector(-1.0, 1.0);
                let moment: Vec3 = x.iter().zip(&forces).map(|(x, f)| (x - place).cross(f)).sum();
                // Couples are kept in single precision; their lever is at most 0.05 m.
                assert!(moment.norm() < 0.05 * 1e-6, "{moment}");
                assert!(forces.iter().sum::<Vec3>().norm() < 1e-12);
                let [second, _] = contact.key.features().expect("no wall");
                kinds[match second {
                    Primitive::Vertex(_) => 0,
                    Primitive::Edge(_) => 1,
                    Primitive::Triangle(_) => 2,
                }] += 1;
            }
        }
        assert!(kinds.iter().all(|&count| count > 0), "{kinds:?}");
    }
}
