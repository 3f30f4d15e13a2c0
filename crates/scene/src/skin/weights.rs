//! Weights of frames at the vertices of a mesh, smooth and shared out to a sum of one.
//!
//! Between two frames i and j a weight runs from 1 at one centre to 0 at the other along the line
//! of their centres, wherever a vertex lies beside it; a frame has the product over all others,
//! faded out towards its reach:
//!
//! w_i ∝ φ(d_i/R) Π_j S(λ_ij),  λ_ij = ½ + (d_j² − d_i²) / 2 D_ij²
//!
//! d_i distance of the vertex from frame i · D_ij distance of the frames · S(t) = t²(3 − 2t) on 0
//! to 1 · R reach. For straight distances λ is
//! the coordinate of the foot of the vertex on the line of centres. A fall-off with distance alone
//! would blend all the frames of a bar that is thicker than they are apart.

use super::SkinError;
use super::distance::Graph;
use super::sample::{Regions, spread};
use crate::resolved::Mesh;
use stiction_numerics::Vec3;

/// Reach of a frame where none is given, in units of the largest distance of a vertex to its
/// nearest frame: beyond the neighbours, where weights have vanished anyway.
const REACH: f64 = 4.0;

/// Most frames that act on one vertex.
const PER_VERTEX: usize = 4;

/// Where frames are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameOptions {
    /// Number of frames to spread over the mesh, when `positions` is empty.
    pub count: usize,
    /// Places of the frames \[m\].
    pub positions: Vec<Vec3>,
    /// Distance at which a weight falls to zero \[m\]; from the spacing by default.
    pub radius: Option<f64>,
}

/// Frames and their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameWeights {
    /// Centres \[m\].
    pub centres: Vec<Vec3>,
    /// Frames and weights of each vertex, frames ascending; every sum is one.
    pub of_vertex: Vec<Vec<(u32, f64)>>,
}

impl FrameWeights {
    /// Places frames and weighs them.
    pub fn new(mesh: &Mesh, options: &FrameOptions) -> Result<FrameWeights, SkinError> {
        let graph = Graph::new(mesh);
        let centres = match options.positions.is_empty() {
            true => spread(&graph, &mesh.vertices, options.count),
            false => options.positions.clone(),
        };
        let radius = match options.radius {
            Some(radius) => radius,
            None => REACH * covering(&graph, mesh.vertices.len(), &centres)?,
        };
        for (frame, centre) in centres.iter().enumerate() {
            let (_, distance) = graph.nearest(centre);
            if distance > radius {
                return Err(SkinError::FrameOutside { frame, distance, radius });
            }
        }
        let mut near: Vec<Vec<(u32, f64)>> = vec![Vec::new(); mesh.vertices.len()];
        for (frame, centre) in centres.iter().enumerate() {
            for (v, distance) in graph.within(centre, radius) {
                near[v as usize].push((frame as u32, distance));
            }
        }
        let apart = |i: u32, j: u32| (centres[i as usize] - centres[j as usize]).norm();
        let share = |(vertex, list): (usize, Vec<(u32, f64)>)| {
            shared(weighed(&list, radius, apart)).ok_or(SkinError::Unreached { vertex, radius })
        };
        let of_vertex = near.into_iter().enumerate().map(share).collect::<Result<_, _>>()?;
        Ok(FrameWeights { centres, of_vertex })
    }
}

/// Weights of the frames near a vertex, given with their distances \[m\].
fn weighed(near: &[(u32, f64)], radius: f64, apart: impl Fn(u32, u32) -> f64) -> Vec<(u32, f64)> {
    let weight = |&(i, own): &(u32, f64)| {
        let against = near.iter().filter(|other| other.0 != i).map(|&(j, other)| {
            let between = apart(i, j).powi(2).max(f64::MIN_POSITIVE);
            smooth_step(0.5 + 0.5 * (other * other - own * own) / between)
        });
        (i, fall_off(own / radius) * against.product::<f64>())
    };
    near.iter().map(weight).collect()
}

/// S(t) = t²(3 − 2t) between 0 and 1.
fn smooth_step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// φ(s) = (1 − s²)³ for s < 1, with two continuous derivatives.
fn fall_off(s: f64) -> f64 {
    (1.0 - s * s).max(0.0).powi(3)
}

/// Largest distance of a vertex from its nearest centre \[m\].
fn covering(graph: &Graph, vertices: usize, centres: &[Vec3]) -> Result<f64, SkinError> {
    let distance = Regions::new(graph, vertices, centres).distance;
    match distance.iter().position(|d| !d.is_finite()) {
        Some(vertex) => Err(SkinError::Unreached { vertex, radius: f64::INFINITY }),
        None => Ok(distance.into_iter().fold(0.0, f64::max)),
    }
}

/// The largest few, less the next one so that they come and go continuously, to a sum of one;
/// `None` when all are zero.
fn shared(mut list: Vec<(u32, f64)>) -> Option<Vec<(u32, f64)>> {
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let next = list.get(PER_VERTEX).map_or(0.0, |(_, w)| *w);
    list.truncate(PER_VERTEX);
    list.iter_mut().for_each(|(_, w)| *w -= next);
    list.retain(|(_, w)| *w > 0.0);
    let sum: f64 = list.iter().map(|(_, w)| w).sum();
    list.iter_mut().for_each(|(_, w)| *w /= sum);
    list.sort_by_key(|(frame, _)| *frame);
    (sum > 0.0).then_some(list)
}
