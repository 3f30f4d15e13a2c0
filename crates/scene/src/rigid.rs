//! The shape of a rigid body from closed meshes: volume, centre of mass, inertia tensor.
//!
//! By the divergence theorem an integral over the inside of a closed surface is a signed sum over
//! the tets from any fixed point to its triangles; over a tet, polynomials integrate exactly
//! ([`closed_moments`]). So the volume V, the centre c and the second moments S = ∫ (X − c)(X − c)ᵀ
//! dV are exact for polyhedra up to round-off, and
//!
//! I = tr(S) 1 − S
//!
//! is the inertia tensor at unit density. Parts are joined by Steiner's theorem:
//! S = Σ_k (S_k + V_k (c_k − c)(c_k − c)ᵀ).   \[Mirtich1996; Eberly2003\]
//!
//! Balls and capsules have the moments of the round shape, not of the mesh that draws them: a coarse
//! sphere would roll with another inertia.

use crate::geometry::surface_of_tets;
use crate::resolved::{Cells, Mesh, RigidPart, RigidShape, RoundPart, SceneRigidBody};
use crate::skin::{Moments, SkinError, closed_moments};
use std::f64::consts::PI;
use std::sync::Arc;
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Vec3, eigen_symmetric3};

/// A second moment below this share of the largest one, with a minus sign, is more than round-off.
const NEGATIVE_MOMENT: f64 = 1e-9;

/// Why a mesh has no mass as a rigid body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigidError {
    /// A surface without an inside.
    #[error("mesh `{source_name}` is not closed: edge {edge:?} belongs to {uses} triangles")]
    Open {
        /// File or generator.
        source_name: String,
        /// The edge.
        edge: [u32; 2],
        /// Number of triangles on it.
        uses: usize,
    },
    /// Triangles that face inward.
    #[error("mesh `{source_name}` is inside out: its volume is {volume:e} m³")]
    InsideOut {
        /// File or generator.
        source_name: String,
        /// Its signed volume \[m³\].
        volume: f64,
    },
    /// A closed surface that holds nothing.
    #[error("the closed mesh `{source_name}` holds a volume of {volume:e} m³")]
    NoVolume {
        /// File or generator.
        source_name: String,
        /// Its signed volume \[m³\].
        volume: f64,
    },
    /// Parts of one mesh are inside out, so that mass is negative somewhere.
    #[error("mesh `{source_name}` has a negative moment of inertia: some of its closed parts are inside out")]
    NegativeInertia {
        /// File or generator.
        source_name: String,
    },
}

/// Triangles of a mesh: its own, or the boundary of its tets.
pub fn surface_triangles(cells: &Cells) -> Vec<[u32; 3]> {
    match cells {
        Cells::Triangles(triangles) => triangles.clone(),
        Cells::Tets(tets) => surface_of_tets(tets),
        Cells::Strands(_) => Vec::new(),
    }
}

/// A closed mesh at its place in the world.
#[derive(Clone, Debug)]
pub struct RigidPiece {
    /// The mesh.
    pub mesh: Mesh,
    /// What it stands for, if it is a ball or a capsule.
    pub round: Option<RoundPart>,
}

impl From<Mesh> for RigidPiece {
    fn from(mesh: Mesh) -> RigidPiece {
        RigidPiece { mesh, round: None }
    }
}

/// A rigid body that moves the given pieces as one. Its axes are those of the world.
pub fn rigid_body(pieces: &[RigidPiece]) -> Result<SceneRigidBody, RigidError> {
    let moments: Vec<Moments> = pieces.iter().map(piece_moments).collect::<Result<_, _>>()?;
    let whole = joined(&moments);
    let (mut vertices, mut triangles, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for RigidPiece { mesh, round } in pieces {
        let (first, first_triangle) = (vertices.len(), triangles.len());
        vertices.extend(mesh.vertices.iter().map(|x| x - whole.centre));
        triangles.extend(surface_triangles(&mesh.cells).iter().map(|t| t.map(|v| v + first as u32)));
        parts.push(RigidPart {
            vertices: first..vertices.len(),
            triangles: first_triangle..triangles.len(),
            round: round.map(|r| RoundPart { ends: r.ends.map(|x| x - whole.centre), ..r }),
        });
    }
    let inertia = Mat3::identity() * whole.second.trace() - whole.second;
    let shape = RigidShape { vertices, triangles, volume: whole.volume, inertia, parts };
    Ok(SceneRigidBody {
        shape: Arc::new(shape),
        centre: whole.centre,
        orientation: UnitQuaternion::identity(),
    })
}

/// Moments of a piece about its centre; the mesh must be sound even where it stands for a round shape.
fn piece_moments(piece: &RigidPiece) -> Result<Moments, RigidError> {
    let of_mesh = part_moments(&piece.mesh)?;
    Ok(piece.round.as_ref().map_or(of_mesh, round_moments))
}

/// Moments of a ball or capsule about its centre.
///
/// Cylinder of length l and radius r: V = π r² l, across V r²/4, along V l²/12. Two halves of a ball,
/// V = 4/3 π r³: across V r²/5; along, with the flat side at l/2 and its centre 3r/8 farther out,
/// V (r²/5 + 3 r l/8 + l²/4).
fn round_moments(round: &RoundPart) -> Moments {
    let RoundPart { ends, radius: r } = *round;
    let axis = ends[1] - ends[0];
    let l = axis.norm();
    let (cylinder, ball) = (PI * r * r * l, 4.0 / 3.0 * PI * r * r * r);
    let across = cylinder * r * r / 4.0 + ball * r * r / 5.0;
    let along = cylinder * l * l / 12.0 + ball * (r * r / 5.0 + 3.0 * r * l / 8.0 + l * l / 4.0);
    let unit = axis.try_normalize(0.0).unwrap_or(Vec3::z());
    Moments {
        volume: cylinder + ball,
        centre: (ends[0] + ends[1]) * 0.5,
        second: Mat3::identity() * across + unit * unit.transpose() * (along - across),
    }
}

/// Moments of one closed mesh about its centre.
fn part_moments(mesh: &Mesh) -> Result<Moments, RigidError> {
    let source_name = mesh.source.clone();
    let moments = match closed_moments(&mesh.vertices, &surface_triangles(&mesh.cells)) {
        Ok(moments) => moments,
        Err(SkinError::Open { edge, uses }) => return Err(RigidError::Open { source_name, edge, uses }),
        Err(SkinError::NoVolume { volume }) => return Err(RigidError::NoVolume { source_name, volume }),
        // The other reasons concern frames, which are not made here.
        Err(_) => return Err(RigidError::NoVolume { source_name, volume: 0.0 }),
    };
    if moments.volume < 0.0 {
        return Err(RigidError::InsideOut { source_name, volume: moments.volume });
    }
    // I₁ + I₂ ≥ I₃ for all axes exactly when the second moments are not negative.
    let principal = eigen_symmetric3(&moments.second).values;
    if principal[2] < -NEGATIVE_MOMENT * principal[0].abs() {
        return Err(RigidError::NegativeInertia { source_name });
    }
    Ok(moments)
}

/// Moments of several parts about their common centre.
fn joined(parts: &[Moments]) -> Moments {
    let volume: f64 = parts.iter().map(|p| p.volume).sum();
    let centre = parts.iter().map(|p| p.centre * p.volume).sum::<Vec3>() / volume;
    let shifted = |p: &Moments| {
        let arm = p.centre - centre;
        p.second + arm * arm.transpose() * p.volume
    };
    Moments { volume, centre, second: parts.iter().map(shifted).sum() }
}

#[cfg(test)]
mod tests;
