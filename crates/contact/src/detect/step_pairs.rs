//! What may touch within one step, found once and asked many times.
//!
//! A solver looks for contacts several times per step, each time on the way from the same start to another trial end. The first
//! search takes the first end and lets every vertex end in a box about it; as long as later ends stay within, the pairs found
//! hold all that can touch. A vertex that goes farther gets a box around its new end, and pairs around it are looked for again. The
//! box of the next step follows where the vertex strayed in this one: a method whose first end is free fall comes back by g h² in one
//! direction, step after step.
//!
//! The vector between the closest points at the start is kept with each pair. It tells most of them apart, for this end and for
//! all others within reach: those are left out. What is asked of the remaining ones is the same as without this memory, so
//! contacts do not depend on it.

use super::analytic::PlacedShape;
use super::analytic_near::NearFeatures;
use super::near_pair::{NearPair, is_within};
use super::sieve::Sieve;
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_collision::broad_phase::Ways;
use stiction_collision::{BroadPhase, Candidates, CollisionMesh, MeshError};
use stiction_numerics::Vec3;

/// Least reach, as shares of the contact gap and of the way of the vertex.
const OF_GAP: f64 = 0.5;
const OF_WAY: f64 = 0.1;

/// The box of a vertex reaches so many times as far as it strayed in the step before.
const MORE: f64 = 2.5;

/// Share of its jump that a vertex gets as reach after it left the one it had: later ends of an iteration that converges jump less.
const AFTER: f64 = 1.0;

/// When a larger share of the vertices has left its reach, all pairs are looked for again.
const MANY: f64 = 0.3;

/// Pairs or vertices per task.
const PER_TASK: usize = 4096;

/// Pairs and features of one step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepPairs {
    start: Vec<Vec3>,
    time: f64,
    /// The end of each vertex from which it strays: the first one, or that at which few had left their boxes.
    first: Vec<Vec3>,
    /// Middle of the box in which a vertex may end.
    end: Vec<Vec3>,
    /// How far from it the box reaches, per coordinate \[m\].
    reach: Vec<Vec3>,
    /// Lowest and highest coordinates of later ends beside the first \[m\].
    strayed: Vec<[Vec3; 2]>,
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

impl StepPairs {
    /// Looks again unless what is known covers the motion.
    pub fn update(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), MeshError> {
        let outcome = if self.time == search.times[0] && self.start == search.start {
            self.follow(phase, search)
        } else {
            self.begin(phase, search)
        };
        if outcome.is_err() {
            self.start.clear();
            self.strayed.clear();
        }
        outcome
    }

    /// The first search of a step.
    fn begin(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), MeshError> {
        self.time = search.times[0];
        self.start.clear();
        self.start.extend_from_slice(search.start);
        self.first.clear();
        self.first.extend_from_slice(search.end);
        self.strayed.resize(search.end.len(), [Vec3::zeros(); 2]);
        let bounds = |(v, [low, high]): (usize, &[Vec3; 2])| {
            let least = least_reach(search, v);
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

    /// Another end from the same start.
    fn follow(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), MeshError> {
        let leaves = |v: usize| {
            let apart = search.end[v] - self.end[v];
            // An end that is not a number counts too: the search refuses it.
            !(apart.abs() - self.reach[v]).iter().all(|beyond| *beyond <= 0.0)
        };
        let vertices = (0..search.end.len()).into_par_iter().with_min_len(PER_TASK);
        let is_changed: Vec<bool> = vertices.map(leaves).collect();
        let changed = is_changed.iter().filter(|c| **c).count();
        let many = changed as f64 > MANY * is_changed.len() as f64;
        self.stray(search, &is_changed, many);
        if changed == 0 {
            return Ok(());
        }
        search.mesh.check_positions(search.end)?;
        match many {
            true => self.search_all(phase, search),
            false => self.search_around(phase, search, &is_changed),
        }
    }

    /// Books where vertices ended; those that left their boxes get new ones. When few did, that was chance, and they stray from where they are;
    /// when many did, they will do so again in the next step.
    fn stray(&mut self, search: &Search<'_>, is_changed: &[bool], many: bool) {
        let boxes = self.end.par_iter_mut().zip(&mut self.reach);
        let ends = self.first.par_iter_mut().zip(&mut self.strayed);
        boxes.zip(ends).enumerate().with_min_len(PER_TASK).for_each(
            |(v, ((end, reach), (first, [low, high])))| {
                let now = search.end[v];
                if is_changed[v] {
                    let jump = (now - *end).abs();
                    *reach = (jump * AFTER).add_scalar(least_reach(search, v));
                    *end = now;
                }
                if is_changed[v] && !many {
                    *first = now;
                } else {
                    let apart = now - *first;
                    (*low, *high) = (low.inf(&apart), high.sup(&apart));
                }
            },
        );
    }

    fn search_all(&mut self, phase: &mut BroadPhase, search: &Search<'_>) -> Result<(), MeshError> {
        let found = phase.moving_pairs(search.mesh, &self.ways(search))?;
        (self.vertex_triangle, self.edge_edge) = self.sieve(search).sift(&found);
        let all = |_: &[u32]| true;
        let of_shape = |shape| NearFeatures::new(search, shape, &self.ends(), &all);
        self.analytic = search.shapes.iter().map(of_shape).collect();
        Ok(())
    }

    /// Pairs and features with a changed vertex take the place of those found before.
    fn search_around(
        &mut self,
        phase: &mut BroadPhase,
        search: &Search<'_>,
        is_changed: &[bool],
    ) -> Result<(), MeshError> {
        let mesh = search.mesh;
        let found = phase.moving_pairs_of(mesh, &self.ways(search), is_changed)?;
        let (vertex_triangle, edge_edge) = self.sieve(search).sift(&found);
        let changed = |vertices: &[u32]| vertices.iter().any(|&v| is_changed[v as usize]);
        self.vertex_triangle.retain(|pair| {
            let [v, t] = pair.features;
            !changed(&[v]) && !changed(&mesh.triangles()[t as usize])
        });
        self.edge_edge.retain(|pair| !pair.features.iter().any(|&e| changed(&mesh.edges()[e as usize])));
        merge(&mut self.vertex_triangle, vertex_triangle, |pair| pair.features);
        merge(&mut self.edge_edge, edge_edge, |pair| pair.features);
        let mut analytic = std::mem::take(&mut self.analytic);
        for (near, shape) in analytic.iter_mut().zip(search.shapes) {
            near.replace(search, shape, &self.ends(), &changed);
        }
        self.analytic = analytic;
        Ok(())
    }

    fn ways(&self, search: &Search<'_>) -> Ways<'_> {
        Ways { start: &self.start, end: &self.end, reach: &self.reach, gap: search.widest_gap }
    }

    /// Farthest distance between the start of a vertex and its possible ends \[m\].
    fn ends(&self) -> impl Fn(u32) -> f64 + Sync + '_ {
        |vertex| {
            let v = vertex as usize;
            (self.end[v] - self.start[v]).norm() + self.reach[v].norm()
        }
    }

    /// Candidates within a gap at the start \[m\].
    pub fn within(&self, mesh: &CollisionMesh, gap: f64) -> Candidates {
        let near = |pairs: &[NearPair], thickness: &(dyn Fn([u32; 2]) -> f64 + Sync)| {
            let is_near = |pair: &&NearPair| is_within(pair.offset.norm(), thickness(pair.features), gap);
            pairs.par_iter().with_min_len(PER_TASK).filter(is_near).map(|pair| pair.features).collect()
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
fn least_reach(search: &Search<'_>, vertex: usize) -> f64 {
    OF_GAP * search.widest_gap + OF_WAY * (search.end[vertex] - search.start[vertex]).amax()
}

/// Puts the entries of a sorted list among those of another, which have other keys.
pub(super) fn merge<T: Copy, K: Ord>(into: &mut Vec<T>, new: Vec<T>, key: impl Fn(&T) -> K) {
    let old = std::mem::take(into);
    into.reserve(old.len() + new.len());
    let mut new = new.into_iter().peekable();
    for entry in old {
        while let Some(first) = new.next_if(|n| key(n) < key(&entry)) {
            into.push(first);
        }
        into.push(entry);
    }
    into.extend(new);
}
