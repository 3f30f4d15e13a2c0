//! Stones of a masonry arch.

use super::RawMesh;
use super::volumes::{kuhn, orient};
use crate::resolved::Cells;
use stiction_numerics::Vec3;

/// An arch in the xz plane with its feet at z = 0.
#[derive(Clone, Copy, Debug)]
pub struct ArchOptions {
    /// Distance s between the feet of the centre line.
    pub span: f64,
    /// Height r of the centre line.
    pub rise: f64,
    /// Number of stones.
    pub stones: u32,
    /// Width of the square section at the feet.
    pub foot: f64,
    /// Width of the square section at the top.
    pub crown: f64,
    /// Argument c of the hyperbolic cosine at the feet: a parabola for small ones, steeper feet for
    /// large ones.
    pub sharpness: f64,
    /// How far neighbours are moved apart along x and z.
    pub spread: f64,
}

impl ArchOptions {
    /// z = r − A (cosh(2 c x / s) − 1) with A = r / (cosh c − 1), and its slope.
    fn centre_line(&self, x: f64) -> (f64, f64) {
        let (amplitude, rate) = (self.rise / (self.sharpness.cosh() - 1.0), 2.0 * self.sharpness / self.span);
        (self.rise - amplitude * ((rate * x).cosh() - 1.0), -amplitude * rate * (rate * x).sinh())
    }

    /// x of the joints, equally far apart along the centre line: arc lengths by the trapezium rule,
    /// then looked up.
    fn joints(&self) -> Vec<f64> {
        const PIECES: u32 = 4000;
        let x = |i: u32| self.span * (f64::from(i) / f64::from(PIECES) - 0.5);
        let rate = |i: u32| self.centre_line(x(i)).1.hypot(1.0);
        let mut lengths = vec![0.0];
        for i in 0..PIECES {
            lengths.push(lengths[i as usize] + 0.5 * (rate(i) + rate(i + 1)));
        }
        let whole = lengths[PIECES as usize];
        let find = |k: u32| {
            let wanted = whole * f64::from(k) / f64::from(self.stones);
            let i = lengths.partition_point(|l| *l < wanted).clamp(1, PIECES as usize);
            let part = (wanted - lengths[i - 1]) / (lengths[i] - lengths[i - 1]);
            x(0) + self.span * ((i - 1) as f64 + part) / f64::from(PIECES)
        };
        (0..=self.stones).map(find).collect()
    }

    /// Width of the section where the centre line is z high.
    fn width(&self, z: f64) -> f64 {
        self.foot + (self.crown - self.foot) * z / self.rise
    }
}

/// Stones of eight vertices and six tets each, from left to right. Joints are across the centre
/// line; a stone keeps the width of its lower joint, so that the smaller face of two neighbours
/// lies inside the larger one.
pub fn tet_arch(options: &ArchOptions) -> RawMesh {
    let joints = options.joints();
    let mut vertices = Vec::new();
    let mut tets = Vec::new();
    for (k, ends) in joints.windows(2).enumerate() {
        let heights = [0, 1].map(|e| options.centre_line(ends[e]).0);
        let half = 0.5 * options.width(heights[0].min(heights[1]).max(0.0));
        let place = k as f64 - 0.5 * f64::from(options.stones - 1);
        let shift = Vec3::new(place, 0.0, -place.abs()) * options.spread;
        let first = vertices.len() as u32;
        for x in ends {
            let (z, slope) = options.centre_line(*x);
            let across = Vec3::new(-slope, 0.0, 1.0).normalize();
            for (side, depth) in [(-half, -half), (half, -half), (-half, half), (half, half)] {
                vertices.push(Vec3::new(*x, depth, z) + across * side + shift);
            }
        }
        let corner = |p: [u32; 3]| first + 4 * p[0] + 2 * p[1] + p[2];
        tets.extend(kuhn([0; 3]).map(|corners| corners.map(corner)));
    }
    orient(&vertices, &mut tets);
    RawMesh::new(vertices, Cells::Tets(tets))
}
