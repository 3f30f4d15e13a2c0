//! Distances through a mesh: straight ones, lengthened where the way along the edges is a detour.

use crate::resolved::{Cells, Mesh};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use stiction_numerics::Vec3;

/// The way along mesh edges is longer than the straight one by up to about this factor even without
/// a detour.
const EDGE_WAY: f64 = 1.5;

/// Vertices and their neighbours with lengths.
pub struct Graph {
    places: Vec<Vec3>,
    starts: Vec<usize>,
    links: Vec<(u32, f64)>,
}

#[derive(PartialEq)]
struct Length(f64);

impl Eq for Length {}

impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Length {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Graph {
    /// The edges of a mesh.
    pub fn new(mesh: &Mesh) -> Graph {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut all = |cell: &[u32]| {
            for &a in cell {
                pairs.extend(cell.iter().filter(|&&b| b != a).map(|&b| (a, b)));
            }
        };
        match &mesh.cells {
            Cells::Triangles(cells) => cells.iter().for_each(|c| all(c)),
            Cells::Tets(cells) => cells.iter().for_each(|c| all(c)),
            Cells::Strands(cells) => cells.iter().flat_map(|s| s.windows(2)).for_each(all),
        }
        pairs.sort_unstable();
        pairs.dedup();
        let places = mesh.vertices.clone();
        let starts = (0..=places.len() as u32).map(|v| pairs.partition_point(|p| p.0 < v)).collect();
        let length = |&(a, b): &(u32, u32)| (b, (places[a as usize] - places[b as usize]).norm());
        let links = pairs.iter().map(length).collect();
        Graph { places, starts, links }
    }

    /// Vertex nearest to a point, and its distance \[m\].
    pub fn nearest(&self, point: &Vec3) -> (usize, f64) {
        let distance = |p: &Vec3| (p - point).norm();
        let first = (0, f64::INFINITY);
        self.places.iter().map(distance).enumerate().fold(first, |a, b| if b.1 < a.1 { b } else { a })
    }

    /// Vertices within a distance of a point \[m\], with their distances, in the order of the
    /// vertices.
    pub fn within(&self, point: &Vec3, reach: f64) -> Vec<(u32, f64)> {
        let mut ways = vec![f64::INFINITY; self.places.len()];
        let mut heap = BinaryHeap::new();
        // A point off the mesh sees its surroundings straight: a bone inside a tube is near all
        // round it.
        let near = 2.0 * self.nearest(point).1;
        for (v, place) in self.places.iter().enumerate() {
            let straight = (place - point).norm();
            if straight <= near {
                ways[v] = straight;
                heap.push(Reverse((Length(straight), v)));
            }
        }
        while let Some(Reverse((Length(way), v))) = heap.pop() {
            if way > ways[v] || way > EDGE_WAY * reach {
                continue;
            }
            for &(other, length) in &self.links[self.starts[v]..self.starts[v + 1]] {
                let longer = way + length;
                if longer < ways[other as usize] {
                    ways[other as usize] = longer;
                    heap.push(Reverse((Length(longer), other as usize)));
                }
            }
        }
        let distance = |v: usize| {
            let straight = (self.places[v] - point).norm();
            (v as u32, straight + 2.0 * (ways[v] - EDGE_WAY * straight).max(0.0))
        };
        (0..ways.len()).filter(|&v| ways[v].is_finite()).map(distance).filter(|(_, d)| *d <= reach).collect()
    }
}
