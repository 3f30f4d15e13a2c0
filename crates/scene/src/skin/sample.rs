//! Frames spread over a mesh by their number alone.

use super::distance::Graph;
use crate::geometry::mean;
use stiction_numerics::Vec3;

/// Rounds of moving each centre to the middle of its region.
const ROUNDS: usize = 4;

/// Which centre is nearest to each vertex, and how far it is \[m\].
pub struct Regions {
    /// Centre of each vertex.
    pub owner: Vec<u32>,
    /// Distance to it; infinite where no way leads.
    pub distance: Vec<f64>,
}

impl Regions {
    /// Regions of centres over the vertices of a graph.
    pub fn new(graph: &Graph, vertices: usize, centres: &[Vec3]) -> Regions {
        let mut regions = Regions { owner: vec![0; vertices], distance: vec![f64::INFINITY; vertices] };
        for (index, centre) in centres.iter().enumerate() {
            regions.add(graph, index as u32, centre);
        }
        regions
    }

    fn add(&mut self, graph: &Graph, index: u32, centre: &Vec3) {
        let reach = self.distance.iter().copied().fold(0.0, f64::max);
        for (v, d) in graph.within(centre, reach) {
            if d < self.distance[v as usize] {
                self.distance[v as usize] = d;
                self.owner[v as usize] = index;
            }
        }
    }

    /// The vertex that is farthest from every centre; the first of equals.
    fn farthest(&self) -> usize {
        let first = (0, f64::NEG_INFINITY);
        let pick = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
        self.distance.iter().copied().enumerate().fold(first, pick).0
    }
}

/// Centres on vertices: each new one as far as possible from those before, then all drawn to the
/// middle of their regions.
pub fn spread(graph: &Graph, vertices: &[Vec3], count: usize) -> Vec<Vec3> {
    let middle = mean(vertices);
    let (first, _) = vertices
        .iter()
        .map(|p| (p - middle).norm())
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a });
    let mut centres = vec![vertices[first]];
    let mut regions = Regions::new(graph, vertices.len(), &centres);
    while centres.len() < count.min(vertices.len()) {
        let next = vertices[regions.farthest()];
        regions.add(graph, centres.len() as u32, &next);
        centres.push(next);
    }
    for _ in 0..ROUNDS {
        centres = centred(&regions, vertices, &centres);
        regions = Regions::new(graph, vertices.len(), &centres);
    }
    centres
}

/// The vertex of each region that is nearest to the mean of the region.
fn centred(regions: &Regions, vertices: &[Vec3], centres: &[Vec3]) -> Vec<Vec3> {
    let mut sums = vec![(Vec3::zeros(), 0.0); centres.len()];
    for (v, &owner) in regions.owner.iter().enumerate() {
        let sum = &mut sums[owner as usize];
        *sum = (sum.0 + vertices[v], sum.1 + 1.0);
    }
    let mut best: Vec<(Vec3, f64)> = centres.iter().map(|c| (*c, f64::INFINITY)).collect();
    for (v, &owner) in regions.owner.iter().enumerate() {
        let (sum, count) = sums[owner as usize];
        let away = (vertices[v] - sum / count).norm();
        if away < best[owner as usize].1 {
            best[owner as usize] = (vertices[v], away);
        }
    }
    best.into_iter().map(|b| b.0).collect()
}
