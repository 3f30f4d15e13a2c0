//! Meshes from a few numbers. Each generator returns raw geometry with named groups; units and
//! placement come later.

mod arch;
mod belt;
mod blobs;
mod extrude;
mod lathe;
mod lattice;
mod palm;
mod path;
mod random;
mod revolve;
mod ribbon;
mod strands;
mod surfaces;
mod urchin;
mod volumes;
mod yarn;

pub use arch::{ArchOptions, tet_arch};
pub use belt::{BeltOptions, belt};
pub use blobs::{BlobPart, blobs};
pub use lathe::lathe;
pub use lattice::{lattice_cubes, tet_lattice};
pub use palm::{PalmOptions, palm};
pub use path::path;
pub use random::SplitMix;
pub use revolve::{capsule, cylinder, torus, uv_sphere};
pub use ribbon::{RibbonOptions, ribbon};
pub use strands::{GroomOptions, HelixOptions, groom, helix, rod};
pub use surfaces::{GridOptions, box_surface, disc, grid, ico_sphere};
pub use urchin::{UrchinOptions, tet_urchin};
pub use volumes::{tet_box, tet_cylinder, tet_sphere, tet_torus};
pub use yarn::{KnitOptions, WovenOptions, knit, woven};

use crate::resolved::Cells;
use stiction_numerics::{Vec2, Vec3};

/// Geometry before units and placement.
#[derive(Clone, Debug, PartialEq)]
pub struct RawMesh {
    /// Vertices in the order of the file or generator.
    pub vertices: Vec<Vec3>,
    /// Cells.
    pub cells: Cells,
    /// Pattern coordinates, one per vertex.
    pub uv: Option<Vec<Vec2>>,
    /// Named groups.
    pub groups: Vec<(String, Vec<u32>)>,
    /// Rows `stitch a b c w`: vertex a sewn to (1 − w) b + w c.
    pub stitches: Vec<(u32, u32, u32, f64)>,
    /// Where strands grow: the triangle of each root and its barycentric weights there.
    pub seats: Vec<(u32, [f64; 3])>,
}

impl RawMesh {
    /// A mesh without extras.
    pub fn new(vertices: Vec<Vec3>, cells: Cells) -> Self {
        RawMesh { vertices, cells, uv: None, groups: Vec::new(), stitches: Vec::new(), seats: Vec::new() }
    }

    /// Adds a group of all vertices for which `test` holds.
    fn group(&mut self, name: &str, test: impl Fn(&Vec3) -> bool) {
        let found = (0..self.vertices.len() as u32).filter(|&i| test(&self.vertices[i as usize])).collect();
        self.groups.push((name.to_owned(), found));
    }
}

#[cfg(test)]
mod tests;
