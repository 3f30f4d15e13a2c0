//! Bodies on affine frames: linear blend skinning, and near-rigid affine bodies.
//!
//! A frame is an affine map, written as the places of four nodes. A point X of the material follows
//! the frames f by weights w_f(X) that sum to one, so it is a fixed linear combination of nodes:
//!
//! x(X) = Σ_f w_f(X) Σ_k β_fk(X) x_fk,   F(X) = ∂x/∂X = Σ_f Σ_k x_fk ∇(w_f β_fk)ᵀ
//!
//! β_fk barycentric coordinates of X in the rest tet of frame f. Any common affine motion of the
//! frames is reproduced exactly, whatever the weights.
//!
//! The rest tet of a frame is chosen so that a quarter of the frame's share of mass in each node
//! has the same mass, centre and second moments as the share itself ([`nodes`]). The lumped mass
//! matrix is then exact for every affine motion of the whole body, rigid ones included; with one
//! frame it is the consistent one.   \[Faure2011; Martin2010\]

mod distance;
mod moments;
mod nodes;
mod quadrature;
mod sample;
mod weights;

pub use moments::{Moments, closed_moments};
pub use weights::{FrameOptions, FrameWeights};

use crate::geometry::surface_of_tets;
use crate::resolved::{Cells, EmbeddedSurface, Frames, MaterialPoint, Mesh, WeightedPoint};
use nodes::{FLATTEST_BODY, FLATTEST_SHARE, FrameTet, inertia_tet};
use quadrature::samples;
use stiction_numerics::Vec3;

/// Most frames that act on one material point; the least of more are given to the largest.
pub const MAX_FRAMES: usize = 6;

/// Why a mesh cannot be put on frames.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkinError {
    /// A surface without an inside.
    #[error(
        "edge {edge:?} belongs to {uses} triangles that run it the same or no other way: the mesh is not closed"
    )]
    Open {
        /// The edge.
        edge: [u32; 2],
        /// Number of triangles on it.
        uses: usize,
    },
    /// A closed surface that holds nothing.
    #[error("the closed mesh holds a volume of {volume:e} m³")]
    NoVolume {
        /// Its volume \[m³\].
        volume: f64,
    },
    /// A frame beyond the reach of the mesh.
    #[error("frame {frame} lies {distance:.4} m outside the mesh, beyond its reach of {radius:.4} m")]
    FrameOutside {
        /// Its number, from 0.
        frame: usize,
        /// Distance to the nearest vertex \[m\].
        distance: f64,
        /// Reach of frames \[m\].
        radius: f64,
    },
    /// A vertex that no frame reaches.
    #[error("vertex {vertex} is reached by no frame: all its weights are zero at a radius of {radius:.4} m")]
    Unreached {
        /// The vertex.
        vertex: usize,
        /// Reach of frames \[m\].
        radius: f64,
    },
    /// A frame that carries no part of the body.
    #[error("frame {frame} carries no part of the body: all its weights are zero")]
    IdleFrame {
        /// Its number, from 0.
        frame: usize,
    },
}

/// A body on frames: nodes, what is drawn and touched, and where it is elastic.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameBody {
    /// Nodes, four per frame, each frame a positive tet.
    pub nodes: Mesh,
    /// The surface that the nodes carry.
    pub surface: EmbeddedSurface,
    /// Centres, shares and material points.
    pub frames: Frames,
}

/// One affine frame for a closed mesh (triangles, or tets by their boundary).
pub fn affine_body(mesh: Mesh) -> Result<FrameBody, SkinError> {
    let mut surface = with_boundary(mesh);
    let Cells::Triangles(triangles) = &mut surface.cells else { unreachable!("a boundary is of triangles") };
    let moments = closed_moments(&surface.vertices, triangles)?;
    if moments.volume < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let moments = Moments { volume: moments.volume.abs(), ..moments };
    let tet = inertia_tet(&moments, FLATTEST_BODY);
    let own = |_: usize| vec![(0u32, 1.0)];
    let gradients = tet.gradients();
    let point =
        MaterialPoint { nodes: vec![0, 1, 2, 3], gradients: gradients.to_vec(), volume: moments.volume };
    let carriers = carriers(&surface.vertices, own, std::slice::from_ref(&tet));
    Ok(FrameBody {
        nodes: node_mesh(std::slice::from_ref(&tet), &surface.source),
        surface: EmbeddedSurface { mesh: surface, carriers, max_outside: 0.0 },
        frames: Frames {
            centres: vec![moments.centre],
            node_volumes: vec![0.25 * moments.volume; 4],
            points: vec![point],
        },
    })
}

/// Skinned frames on a mesh of tets, or of triangles as a sheet of the given thickness \[m\].
pub fn skinned_body(mesh: Mesh, thickness: f64, options: &FrameOptions) -> Result<FrameBody, SkinError> {
    let weights = FrameWeights::new(&mesh, options)?;
    let samples = samples(&mesh, thickness, &weights.of_vertex);
    let mut shares = vec![Moments::default(); weights.centres.len()];
    for sample in &samples {
        for &(frame, w, _) in &sample.weights {
            shares[frame as usize].add_point(&sample.place, w * sample.volume);
        }
    }
    if let Some(frame) = shares.iter().position(|s| s.volume <= 0.0) {
        return Err(SkinError::IdleFrame { frame });
    }
    let tets: Vec<FrameTet> = shares.iter().map(|s| inertia_tet(&s.about_centre(), FLATTEST_SHARE)).collect();
    let points = samples.iter().map(|s| s.material_point(&tets)).collect();
    let node_volumes = shares.iter().flat_map(|s| [0.25 * s.volume; 4]).collect();
    let nodes = node_mesh(&tets, &mesh.source);
    let surface = with_boundary(mesh);
    let carriers = carriers(&surface.vertices, |v| weights.of_vertex[v].clone(), &tets);
    Ok(FrameBody {
        nodes,
        surface: EmbeddedSurface { mesh: surface, carriers, max_outside: 0.0 },
        frames: Frames { centres: weights.centres, node_volumes, points },
    })
}

/// Lays a finer surface, given by weights over the vertices of the skinned mesh, on the nodes.
pub fn compose(coarse: &EmbeddedSurface, fine: EmbeddedSurface) -> EmbeddedSurface {
    let carriers = fine.carriers.iter().map(|point| coarse.carried(point)).collect();
    EmbeddedSurface { carriers, ..fine }
}

/// All vertices with the triangles of the mesh, or of its boundary when it is of tets.
fn with_boundary(mut mesh: Mesh) -> Mesh {
    if let Cells::Tets(tets) = &mesh.cells {
        mesh.cells = Cells::Triangles(surface_of_tets(tets));
    }
    mesh
}

fn node_mesh(tets: &[FrameTet], source: &str) -> Mesh {
    Mesh {
        vertices: tets.iter().flat_map(|t| t.corners).collect(),
        cells: Cells::Tets((0..tets.len() as u32).map(|f| [0, 1, 2, 3].map(|k| 4 * f + k)).collect()),
        uv: None,
        rest_vertices: None,
        source: source.to_owned(),
    }
}

/// Terms w_f β_fk of every vertex.
fn carriers(
    vertices: &[Vec3],
    weights: impl Fn(usize) -> Vec<(u32, f64)>,
    tets: &[FrameTet],
) -> Vec<WeightedPoint> {
    let of = |(v, place): (usize, &Vec3)| {
        let mut terms = Vec::new();
        for (frame, w) in weights(v) {
            let beta = tets[frame as usize].coordinates(place);
            terms.extend((0..4).map(|k| (4 * frame + k as u32, w * beta[k])));
        }
        WeightedPoint { terms }
    };
    vertices.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests;
