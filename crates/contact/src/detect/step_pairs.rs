//! What may touch within one step, found once and asked many times.
//!
//! A solver looks for contacts several times per step, each time on the way from the same start to
//! another trial end. The first search takes the first end and lets every vertex end in a box about
//! it; as long as later ends stay within, the pairs found hold all that can touch. A vertex that
//! goes farther gets a box around its new end, and pairs around it are looked for again. The box of
//! the next step follows where the vertex strayed in this one: a method whose first end is free
//! fall comes back by g h² in one direction, step after step.
//!
//! The vector between the closest points at the start is kept with each pair. It tells most of them
//! apart, for this end and for all others within reach: those are left out. A pair that is asked
//! and found free is asked again only when its vertices have moved their ends by as much as it was
//! free. What is asked is the same as without this memory, so contacts do not depend on it.

use super::analytic::{MovingShape, PlacedShape};
use super::analytic_near::NearFeatures;
use super::near_pair::{NearPair, is_within, replace};
use super::sieve::Sieve;
use rayon::prelude::*;
use std::mem::take;
use stiction_bodies::{Controls, Model};
use stiction_collision::broad_phase::VertexTrajectories;
use stiction_collision::{BroadPhase, Candidates, CollisionMesh, SurfaceError};
use stiction_numerics::Vec3;
use stiction_scene::motion::Motion;

/// Least reach, as shares of the contact gap, smallest and largest, and of the way of the vertex.
/// More of it makes more pairs, which are passed over cheaply; less of it makes more vertices leave
/// it, around which the tree is searched again. So it grows and shrinks from step to step: a stack
/// at rest needs little (`layers_20`), sheets that are pressed through a ring much
/// (`ball_on_torus`: a tenth of the gap took 1.4 times as long as half of it).
const OF_GAP: [f64; 2] = [0.1, 0.5];
const OF_WAY: f64 = 0.02;

/// The reach shrinks when a smaller share of the vertices than the first leaves it per search, and
/// grows when a larger one than the second does, by the factor.
const LEAVING: [f64; 2] = [0.004, 0.015];
const GROWTH: f64 = 1.5;

/// The box of a vertex reaches so many times as far as it strayed in the step before.
const MORE: f64 = 2.0;

/// Share of its jump that a vertex gets as reach after it left the one it had: later ends of an
/// iteration that converges jump less.
const AFTER: f64 = 1.0;

/// When a larger share of the vertices has left its reach, all pairs are looked for again.
const MANY: f64 = 0.3;

/// Pairs or vertices per task.
const PER_TASK: usize = 4096;

/// Pairs and features of one step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepPairs {
    /// Start and end of the step \[s\]; `None` before the first.
    times: Option<[f64; 2]>,
    /// How colliders move in it.
    motions: Vec<Motion>,
    /// The end of each vertex from which it strays: the first one, or that at which few had left their boxes.
    first: Vec<Vec3>,
    /// Middle of the box in which a vertex may end.
    end: Vec<Vec3>,
    /// How far from it the box reaches, per coordinate \[m\].
    reach: Vec<Vec3>,
    /// Least reach as a share of the contact gap.
    of_gap: f64,
    /// How many vertices left their boxes in this step, and in how many searches they could.
    left: [usize; 2],
    /// Lowest and highest coordinates of later ends beside the first \[m\].
    strayed: Vec<[Vec3; 2]>,
    /// The end that was asked for last.
    last: Vec<Vec3>,
    /// How far each end has wandered in this step, from end to end \[m\].
    pub wandered: Vec<f64>,
    pub vertex_triangle: Vec<NearPair>,
    pub edge_edge: Vec<NearPair>,
    /// Per analytic collider.
    pub analytic: Vec<NearFeatures>,
}

/// What a search works on.
pub(super) struct Search<'a> {
    pub model: &'a Model,
    pub mesh: &'a CollisionMesh,
    pub shapes: &'a [PlacedShape],
    /// How colliders move.
    pub controls: &'a Controls,
    /// Surface vertices of bodies that belong to a primitive.
    pub touching: &'a [u32],
    pub start: &'a [Vec3],
    pub end: &'a [Vec3],
    /// Start and end of the step \[s\].
    pub times: [f64; 2],
    /// Largest contact gap of a pair of objects \[m\].
    pub widest_gap: f64,
    /// Share of a pair's start distance that continuous detection keeps.
    pub slack: f64,
}

impl<'a> Search<'a> {
    fn moving_shapes(&self) -> impl Iterator<Item = MovingShape<'a>> + use<'a> {
        let controls = self.controls;
        self.shapes.iter().map(|shape| shape.moving(controls))
    }
}

impl StepPairs {
    /// Whether these are the pairs of a step between two times with colliders that move so, if it starts where they were
    /// looked for.
    pub fn is_of(&self, times: [f64; 2], controls: &Controls) -> bool {
        self.times == Some(times) && controls.acting_colliders().eq(&self.motions)
    }

    /// The next search begins anew.
    pub fn forget(&mut self) {
        self.times = None;
    }

    /// Looks again unless what is known covers the motion. `same_start`: it starts where the one
    /// before did.
    pub fn update(
        &mut self,
        phase: &mut BroadPhase,
        search: &Search<'_>,
        same_start: bool,
    ) -> Result<(), SurfaceError> {
        let outcome = if same_start && self.is_of(search.times, search.controls) {
            self.follow(phase, search)
        } else {
            self.begin(phase, search)
        };
        if outcome.is_err() {
            self.forget();
            self.strayed.clear();
        }
        outcome
    }

    /// The first search of a step.
    fn begin(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), SurfaceError> {
        self.times = Some(search.times);
        self.motions.clear();
        self.motions.extend(search.controls.acting_colliders().cloned());
        self.adapt(search.end.len());
        let of_gap = self.of_gap;
        for ends in [&mut self.first, &mut self.last] {
            ends.clear();
            ends.extend_from_slice(search.end);
        }
        self.wandered.clear();
        self.wandered.resize(search.end.len(), 0.0);
        self.strayed.resize(search.end.len(), [Vec3::zeros(); 2]);
        let bounds = |(v, [low, high]): (usize, &[Vec3; 2])| {
            let least = least_reach(search, of_gap, v);
            ((low * MORE).add_scalar(-least), (high * MORE).add_scalar(least))
        };
        let each = || self.strayed.par_iter().enumerate().with_min_len(PER_TASK);
        let middle = |(v, strayed): (usize, &[Vec3; 2])| {
            let (low, high) = bounds((v, strayed));
            search.end[v] + (low + high) * 0.5
        };
        each().map(middle).collect_into_vec(&mut self.end);
        each().map(bounds).map(|(low, high)| (high - low) * 0.5).collect_into_vec(&mut self.reach);
        self.strayed.fill([Vec3::zeros(); 2]);
        self.search_all(phase, search)
    }

    /// Sets the least reach of a step by how many vertices left theirs in the one before.
    fn adapt(&mut self, vertices: usize) {
        let [left, searches] = take(&mut self.left);
        let share = left as f64 / (vertices * searches).max(1) as f64;
        if searches > 0 && share < LEAVING[0] {
            self.of_gap /= GROWTH;
        } else if share > LEAVING[1] {
            self.of_gap *= GROWTH;
        }
        self.of_gap = self.of_gap.clamp(OF_GAP[0], OF_GAP[1]);
    }

    /// Another end from the same start.
    fn follow(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), SurfaceError> {
        let is_changed = self.stray(search);
        let changed = is_changed.par_iter().with_min_len(PER_TASK).filter(|c| **c).count();
        self.left = [self.left[0] + changed, self.left[1] + 1];
        if changed == 0 {
            return Ok(());
        }
        search.mesh.check_positions(search.end)?;
        let many = changed as f64 > MANY * is_changed.len() as f64;
        self.leave(search, &is_changed, many);
        match many {
            true => self.search_all(phase, search),
            false => self.search_around(phase, search, &is_changed),
        }
    }

    /// Books where vertices end; tells which of them left their boxes.
    fn stray(&mut self, search: &Search<'_>) -> Vec<bool> {
        let booked = self.last.par_iter_mut().zip(&mut self.wandered).zip(&mut self.strayed);
        let each = booked.enumerate().with_min_len(PER_TASK);
        let stray =
            |(v, ((last, wandered), [low, high])): (usize, ((&mut Vec3, &mut f64), &mut [Vec3; 2]))| {
                let now = search.end[v];
                *wandered += (now - *last).norm();
                *last = now;
                let beyond = (now - self.end[v]).abs() - self.reach[v];
                // An end that is not a number counts too: the search refuses it.
                let leaves = !(beyond.x <= 0.0 && beyond.y <= 0.0 && beyond.z <= 0.0);
                if !leaves {
                    let beside = now - self.first[v];
                    (*low, *high) = (low.inf(&beside), high.sup(&beside));
                }
                leaves
            };
        each.map(stray).collect()
    }

    /// Vertices that left their boxes get new ones. When few did, that was chance, and they stray
    /// from where they are; when many did, they will do so again in the next step.
    fn leave(&mut self, search: &Search<'_>, is_changed: &[bool], many: bool) {
        let of_gap = self.of_gap;
        let boxes = self.end.par_iter_mut().zip(&mut self.reach);
        let ends = self.first.par_iter_mut().zip(&mut self.strayed);
        let each = boxes.zip(ends).enumerate().with_min_len(PER_TASK).filter(|(v, _)| is_changed[*v]);
        each.for_each(|(v, ((end, reach), (first, [low, high])))| {
            let now = search.end[v];
            *reach = ((now - *end).abs() * AFTER).add_scalar(least_reach(search, of_gap, v));
            *end = now;
            if many {
                let beside = now - *first;
                (*low, *high) = (low.inf(&beside), high.sup(&beside));
            } else {
                *first = now;
            }
        });
    }

    fn search_all(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), SurfaceError> {
        let found = phase.moving_pairs(search.mesh, &self.ways(search))?;
        let (mut vertex_triangle, mut edge_edge) =
            (take(&mut self.vertex_triangle), take(&mut self.edge_edge));
        self.sieve(search).sift_into((&mut vertex_triangle, &mut edge_edge), &found);
        (self.vertex_triangle, self.edge_edge) = (vertex_triangle, edge_edge);
        let all = |_: &[u32]| true;
        let of_shape = |shape| NearFeatures::new(search, &shape, &self.ends(search.start), &all);
        self.analytic = search.moving_shapes().map(of_shape).collect();
        Ok(())
    }

    /// Pairs and features with a changed vertex take the place of those found before.
    fn search_around(
        &mut self,
        phase: &mut BroadPhase,
        search: &Search<'_>,
        is_changed: &[bool],
    ) -> Result<(), SurfaceError> {
        let mesh = search.mesh;
        let found = phase.moving_pairs_of(mesh, &self.ways(search), is_changed)?;
        let (mut vertex_triangle, mut edge_edge) = (Vec::new(), Vec::new());
        self.sieve(search).sift_into((&mut vertex_triangle, &mut edge_edge), &found);
        let changed = |vertices: &[u32]| vertices.iter().any(|&v| is_changed[v as usize]);
        // Features are asked for many pairs each.
        let triangles = mesh.triangles().par_iter().with_min_len(PER_TASK).map(|t| changed(t));
        let edges = mesh.edges().par_iter().with_min_len(PER_TASK).map(|e| changed(e));
        let (triangles, edges): (Vec<bool>, Vec<bool>) = (triangles.collect(), edges.collect());
        replace(&mut self.vertex_triangle, vertex_triangle, |[v, t]| {
            is_changed[v as usize] || triangles[t as usize]
        });
        replace(&mut self.edge_edge, edge_edge, |[e, f]| edges[e as usize] || edges[f as usize]);
        let mut analytic = take(&mut self.analytic);
        for (near, shape) in analytic.iter_mut().zip(search.moving_shapes()) {
            near.replace(search, &shape, &self.ends(search.start), &changed);
        }
        self.analytic = analytic;
        Ok(())
    }

    fn ways<'a>(&'a self, search: &Search<'a>) -> VertexTrajectories<'a> {
        VertexTrajectories { start: search.start, end: &self.end, reach: &self.reach, gap: search.widest_gap }
    }

    /// Farthest distance between the start of a vertex and its possible ends \[m\].
    fn ends<'a>(&'a self, start: &'a [Vec3]) -> impl Fn(u32) -> f64 + Sync + 'a {
        |vertex| {
            let v = vertex as usize;
            (self.end[v] - start[v]).norm() + self.reach[v].norm()
        }
    }

    /// Candidates within a gap at the start \[m\].
    pub fn within(&self, mesh: &CollisionMesh, gap: f64) -> Candidates {
        let near = |pairs: &[NearPair], thickness: &(dyn Fn([u32; 2]) -> f64 + Sync)| {
            let is_near = |pair: &&NearPair| {
                is_within(pair.offset.norm(), thickness(pair.features), gap) && !pair.is_retired()
            };
            let all = pairs.par_iter().with_min_len(PER_TASK).filter(is_near);
            let mut found: Vec<[u32; 2]> = all.map(|pair| pair.features).collect();
            if !found.is_sorted() {
                found.par_sort_unstable();
            }
            found
        };
        Candidates {
            vertex_triangle: near(&self.vertex_triangle, &|[v, t]| {
                mesh.vertex_half_thickness(v) + mesh.triangle_half_thickness(t)
            }),
            edge_edge: near(&self.edge_edge, &|[e, f]| {
                mesh.edge_half_thickness(e) + mesh.edge_half_thickness(f)
            }),
        }
    }

    fn sieve<'a>(&'a self, search: &'a Search<'_>) -> Sieve<'a> {
        let Search { mesh, start, widest_gap, slack, .. } = *search;
        Sieve { mesh, start, end: &self.end, reach: &self.reach, widest_gap, slack }
    }
}

/// The shortest reach of a vertex \[m\].
fn least_reach(search: &Search<'_>, of_gap: f64, vertex: usize) -> f64 {
    of_gap * search.widest_gap + OF_WAY * (search.end[vertex] - search.start[vertex]).amax()
}
