//! Couples of friction across gaps, carried by triangles: what keeps angular momentum. `stiction_contact::barrier::couple` derives the forces.
//!
//! The corners of the second feature gather the couples `e × g` of all contacts by their weights; each hands its own to the triangles around it in equal parts, and these put forces on their
//! corners. So the forces stay continuous where a contact passes from one triangle to the next, which a triangle by itself does not give: vertices over an edge would
//! go to and fro between its sides. Where the second feature is a rod's, the first one carries. Friction g is what the last linear solve found: before a step has settled its law may be far from that, and balances nothing.
//! Slips and the matrix know nothing of all this.
//!
//! Contacts across gaps wider than the triangles keep their couple: forces that carry it would be larger than the friction that makes it.
//! Contacts of colliders get none, since whoever moves those carries the couple, and contacts of two rods have no triangle.

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

/// The triangles around each vertex.
pub(super) struct Rings {
    /// How many there are.
    triangles: Vec<u16>,
    /// The least of their heights at the start \[m\].
    height: Vec<f32>,
}

impl Rings {
    pub fn new(mesh: &CollisionMesh, start: &[Vec3]) -> Rings {
        let (mut triangles, mut height) = (vec![0_u16; start.len()], vec![f32::INFINITY; start.len()]);
        for corners in mesh.triangles() {
            let [a, b, c] = corners.map(|v| start[v as usize]);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            let least = (b - a).cross(&(c - a)).norm() / longest;
            for &v in corners {
                triangles[v as usize] = triangles[v as usize].saturating_add(1);
                height[v as usize] = height[v as usize].min(least as f32);
            }
        }
        Rings { triangles, height }
    }
}

/// What carries couples.
#[derive(Clone, Copy)]
struct Bearers<'a> {
    options: &'a BarrierOptions,
    model: &'a Model,
    mesh: &'a CollisionMesh,
    rings: &'a Rings,
}

impl Bearers<'_> {
    /// Couples \[N m\] by vertices.
    fn gather(&self, contacts: &[Contact], terms: &[Terms], x: &[Vec3]) -> Vec<Vec3> {
        let mut couples = vec![Vec3::zeros(); self.rings.triangles.len()];
        for (contact, terms) in contacts.iter().zip(terms).filter(|(c, _)| c.held.0 == 0) {
            let Some((corners, size)) = self.corners(contact) else { continue };
            // The barrier's own part of g is along e.
            let g = contact.expected_here(self.options).map_or(terms.pull, |force| -force);
            let across = contact.relative(x);
            let (couple, distance) = (across.cross(&g), across.norm());
            for &corner in &corners[..size] {
                let share = self.share(contact, corner, size) * self.reach(corner, distance);
                couples[corner as usize] += couple * share;
            }
        }
        couples
    }

    /// Corners of the feature that carries the couple of a contact.
    fn corners(&self, contact: &Contact) -> Option<([u32; 3], usize)> {
        let corners = |feature: Primitive| match feature {
            Primitive::Vertex(v) => ([v; 3], 1),
            Primitive::Edge(e) => {
                let [a, b] = self.mesh.edges()[e as usize];
                ([a, b, b], 2)
            }
            Primitive::Triangle(t) => (self.mesh.triangles()[t as usize], 3),
        };
        let features = contact.key.features()?.map(corners);
        features.into_iter().find(|(corners, _)| self.rings.triangles[corners[0] as usize] > 0)
    }

    /// The part of a couple that a corner takes: its weight in the contact, or equal parts where nodes carry the surface.
    fn share(&self, contact: &Contact, corner: u32, size: usize) -> f64 {
        let VertexSource::Node(node) = self.model.surfaces.source(corner as usize) else {
            return 1.0 / size as f64;
        };
        let place = contact.stencil.nodes().iter().position(|&n| n == node);
        place.map_or(0.0, |k| contact.stencil.weights()[k].abs())
    }

    /// The part of a couple that triangles carry: all of it across a distance of up to their height, nothing from twice that on.
    fn reach(&self, corner: u32, distance: f64) -> f64 {
        (2.0 - distance / f64::from(self.rings.height[corner as usize])).clamp(0.0, 1.0)
    }

    /// Forces on the corners of a triangle by the couples of its vertices, to the right-hand side.
    fn carry(&self, corners: &[u32; 3], couples: &[Vec3], x: &[Vec3], rhs: &mut [Vec3]) {
        let of_corner = |&v: &u32| couples[v as usize] / f64::from(self.rings.triangles[v as usize]);
        let couple: Vec3 = corners.iter().map(of_corner).sum();
        if couple == Vec3::zeros() {
            return;
        }
        let places = corners.map(|v| place(self.model, v, x));
        for (&corner, force) in corners.iter().zip(couple_forces(&places, &couple).unwrap_or_default()) {
            push(self.model, corner, force, rhs);
        }
    }
}

/// Adds the forces that carry the couples of friction to the right-hand side.
pub(super) fn add_couples(
    options: &BarrierOptions,
    detector: &Detector,
    model: &Model,
    (contacts, terms): (&[Contact], &[Terms]),
    x: &[Vec3],
    rhs: &mut [Vec3],
) {
    if contacts.is_empty() || options.friction == FrictionModel::None {
        return;
    }
    let Detector { mesh, rings, .. } = detector;
    let bearers = Bearers { options, model, mesh, rings };
    let part = contacts.len().div_ceil(PARTS);
    let parts = contacts.par_chunks(part).zip(terms.par_chunks(part));
    let gathered: Vec<Vec<Vec3>> =
        parts.map(|(contacts, terms)| bearers.gather(contacts, terms, x)).collect();
    let add = |mut sum: Vec<Vec3>, part: Vec<Vec3>| {
        sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        sum
    };
    let couples = gathered.into_iter().reduce(add).unwrap_or_default();
    mesh.triangles().iter().for_each(|corners| bearers.carry(corners, &couples, x, rhs));
}

/// Where a vertex of a body is \[m\].
fn place(model: &Model, vertex: u32, x: &[Vec3]) -> Vec3 {
    match model.surfaces.source(vertex as usize) {
        VertexSource::Node(node) => x[node as usize],
        VertexSource::Embedded(terms) => terms.iter().map(|&(n, w)| x[n as usize] * w).sum(),
        VertexSource::Kinematic => Vec3::zeros(),
    }
}

/// Adds a force on a vertex of a body to its nodes.
fn push(model: &Model, vertex: u32, force: Vec3, rhs: &mut [Vec3]) {
    match model.surfaces.source(vertex as usize) {
        VertexSource::Node(node) => rhs[node as usize] += force,
        VertexSource::Embedded(terms) => terms.iter().for_each(|&(n, w)| rhs[n as usize] += force * w),
        VertexSource::Kinematic => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::BarrierSolver;
    use super::super::contacts::Way;
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
            let (model, parameters) = (build(&scene).expect("a good model"), Parameters::from_scene(&scene));
            let world = World { model: &model, parameters: &parameters };
            let mut solver = BarrierSolver::new(Default::default(), world).expect("a good scene");
            let start = solver.start(&model, &State::initial(&model, &scene));
            let way = Way { start: &start, now: &start, target: &start };
            let memories = (&Default::default(), &Default::default());
            let x = &start.blocks;
            for contact in solver.detector.contacts(world, way, memories).expect("places are finite") {
                let across = random.unit_vector().cross(&contact.normal);
                let terms = Terms { pull: across + contact.normal * random.uniform(), ..Terms::default() };
                let mut forces = vec![Vec3::zeros(); x.len()];
                add_couples(
                    &BarrierOptions::default(),
                    &solver.detector,
                    &model,
                    (std::slice::from_ref(&contact), &[terms]),
                    x,
                    &mut forces,
                );
                for (&node, weight) in contact.stencil.nodes().iter().zip(contact.stencil.weights()) {
                    forces[node as usize] -= terms.pull * *weight;
                }
                let place = random.vector(-1.0, 1.0);
                let moment: Vec3 = x.iter().zip(&forces).map(|(x, f)| (x - place).cross(f)).sum();
                assert!(moment.norm() < 1e-12 && forces.iter().sum::<Vec3>().norm() < 1e-12, "{moment}");
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
