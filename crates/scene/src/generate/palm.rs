//! A palm tree: a closed trunk and leaves, one connected surface of triangles.

use super::{RawMesh, SplitMix};
use crate::resolved::Cells;
use std::f64::consts::{PI, TAU};
use stiction_numerics::Vec3;

/// A palm tree along z.
#[derive(Clone, Copy, Debug)]
pub struct PalmOptions {
    /// Height of the trunk.
    pub height: f64,
    /// Radius of the trunk at its foot.
    pub radius: f64,
    /// Number of leaves.
    pub leaves: u32,
    /// Length of a leaf along its midrib.
    pub leaf_length: f64,
    /// Largest width of a leaf.
    pub leaf_width: f64,
    /// Cells around and along the trunk.
    pub trunk_cells: [u32; 2],
    /// Cells along a leaf and across each half of it.
    pub leaf_cells: [u32; 2],
    /// Angle through which a leaf bows down \[rad\].
    pub droop: f64,
    /// Seed.
    pub seed: u64,
}

/// Radius of the trunk at the top as a fraction of that at the foot.
const TAPER: f64 = 0.6;
/// Distance of the first row of a leaf from the crown, and its width there, in trunk radii.
const COLLAR: [f64; 2] = [0.8, 0.12];
/// How far the edges of a leaf stand above its midrib, as a fraction of the half width: a fold that
/// stiffens it.
const FOLD: f64 = 0.35;

/// Groups: `bottom` (foot of the trunk), `leaves`.
pub fn palm(o: &PalmOptions) -> RawMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let crown = trunk(o, &mut vertices, &mut triangles);
    let first_leaf = vertices.len() as u32;
    let mut random = SplitMix::new(o.seed, 5);
    for leaf in 0..o.leaves {
        // Three tiers, so that neighbours do not start side by side.
        let tier = f64::from(leaf % 3);
        let turn = TAU * (f64::from(leaf) + 0.15 * random.signed()) / f64::from(o.leaves);
        let rise = (20.0 + 20.0 * tier + 4.0 * random.signed()).to_radians();
        let length = o.leaf_length * (1.0 + 0.08 * random.signed());
        grow_leaf(o, crown, (turn, rise, length), &mut vertices, &mut triangles);
    }
    let leaves = (first_leaf..vertices.len() as u32).collect();
    let mut mesh = RawMesh::new(vertices, Cells::Triangles(triangles));
    mesh.group("bottom", |p| p.z < 1e-9 * o.height);
    mesh.groups.push(("leaves".to_owned(), leaves));
    mesh
}

/// A tapered tube that is closed by a cone on top; returns the crown.
fn trunk(o: &PalmOptions, vertices: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>) -> u32 {
    let [around, along] = o.trunk_cells;
    for k in 0..=along {
        let u = f64::from(k) / f64::from(along);
        let r = o.radius * (1.0 + (TAPER - 1.0) * u);
        for i in 0..around {
            let angle = TAU * f64::from(i) / f64::from(around);
            vertices.push(Vec3::new(r * angle.cos(), r * angle.sin(), o.height * u));
        }
    }
    let crown = vertices.len() as u32;
    vertices.push(Vec3::new(0.0, 0.0, o.height + TAPER * o.radius));
    for i in 0..around {
        let j = (i + 1) % around;
        for k in 0..along {
            let (below, above) = (k * around, (k + 1) * around);
            triangles.push([below + i, below + j, above + j]);
            triangles.push([below + i, above + j, above + i]);
        }
        triangles.push([along * around + i, along * around + j, crown]);
    }
    crown
}

/// A folded blade whose midrib leaves the crown at an angle above the horizon and bows down along
/// an arc.
fn grow_leaf(
    o: &PalmOptions,
    crown: u32,
    (turn, rise, length): (f64, f64, f64),
    vertices: &mut Vec<Vec3>,
    triangles: &mut Vec<[u32; 3]>,
) {
    let [along, half] = o.leaf_cells;
    let (out, side) = (Vec3::new(turn.cos(), turn.sin(), 0.0), Vec3::new(-turn.sin(), turn.cos(), 0.0));
    let first = vertices.len() as u32;
    let row = 2 * half + 1;
    let step = length / f64::from(along);
    let mut spine = vertices[crown as usize];
    for i in 0..=along {
        let u = f64::from(i) / f64::from(along);
        let slope = rise - o.droop * u;
        let ahead = out * slope.cos() + Vec3::z() * slope.sin();
        let above = Vec3::z() * slope.cos() - out * slope.sin();
        spine += ahead * if i == 0 { COLLAR[0] * o.radius } else { step };
        let blade = 0.5 * o.leaf_width * (PI * (0.06 + 0.94 * u.powf(0.8))).sin();
        let width = if i == 0 { COLLAR[1] * o.radius } else { blade.max(0.04 * o.leaf_width) };
        for j in 0..row {
            let across = f64::from(j) / f64::from(half) - 1.0;
            vertices.push(spine + side * (width * across) + above * (FOLD * width * across.abs()));
        }
    }
    for j in 0..row - 1 {
        triangles.push([crown, first + j, first + j + 1]);
        for i in 0..along {
            let (a, b) = (first + i * row + j, first + (i + 1) * row + j);
            triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
    }
}
