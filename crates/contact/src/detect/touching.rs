//! Solids that touch at distance zero: which way is out.
//!
//! The vector between two features that touch says nothing about sides. The surfaces of solids do:
//! at the place of contact the normal leaves the second body and enters the first, n ∥ N_B − N_A
//! with the outward normals N of both.

use super::compile::is_solid;
use super::contact_finder::ContactFinder;
use rayon::prelude::*;
use stiction_bodies::Model;
use stiction_collision::ProximityPair;
use stiction_numerics::Vec3;

/// Features nearer than this share of their own size are taken to touch.
const TOUCHING: f64 = 1e-9;

/// Outward normals where something touches.
pub(super) struct TouchingNormals {
    /// Per vertex of a solid, of unit length, elsewhere zero; empty when nothing touches.
    outward: Vec<Vec3>,
    scale: f64,
}

impl ContactFinder {
    /// Outward normals at the start of the step, if any of these pairs touches.
    pub(super) fn touching_normals(&self, model: &Model, pairs: &[ProximityPair]) -> TouchingNormals {
        let length = |&[a, b]: &[u32; 2]| (self.start[a as usize] - self.start[b as usize]).norm();
        let scale = TOUCHING * self.mesh().edges().first().map_or(0.0, length);
        let mut outward = Vec::new();
        if pairs.par_iter().with_min_len(4096).any(|pair| pair.distance <= scale) {
            outward = vec![Vec3::zeros(); self.start.len()];
            let solid = |body: u32| model.bodies.get(body as usize).is_some_and(|b| is_solid(b.kind));
            let triangles = self.mesh().triangles().iter().enumerate();
            for (_, &[a, b, c]) in triangles.filter(|(t, _)| solid(self.mesh().triangle_body(*t as u32))) {
                let [x, y, z] = [a, b, c].map(|v| self.start[v as usize]);
                let area = (y - x).cross(&(z - x));
                [a, b, c].into_iter().for_each(|v| outward[v as usize] += area);
            }
            outward.iter_mut().for_each(|n| *n = n.try_normalize(0.0).unwrap_or_else(Vec3::zeros));
        }
        TouchingNormals { outward, scale }
    }
}

impl TouchingNormals {
    /// The pair, with its normal out of the second body if the two touch and their surfaces tell.
    pub fn turned(&self, pair: &ProximityPair) -> ProximityPair {
        let mut out = *pair;
        if self.outward.is_empty() || pair.distance > self.scale {
            return out;
        }
        let side = |sign: f64| -> Vec3 {
            let of = pair.vertices.iter().zip(&pair.weights).filter(|(_, w)| **w * sign > 0.0);
            of.map(|(&v, w)| self.outward[v as usize] * w.abs()).sum()
        };
        let (first, second) = (side(1.0), side(-1.0));
        let normal = second - first;
        // Where the two do not face each other their normals tell nothing.
        if first.norm() > 0.1 && second.norm() > 0.1 && normal.norm() > 0.1 {
            out.normal = normal.normalize();
        }
        out
    }
}
