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

use crate::geometry::surface_of_tets;
use crate::resolved::{Cells, Mesh, RigidShape, SceneRigidBody};
use crate::skin::{Moments, SkinError, closed_moments};
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

/// A rigid body that moves the given meshes, all at their place in the world, as one. Its axes are
/// those of the world.
pub fn rigid_body(parts: &[Mesh]) -> Result<SceneRigidBody, RigidError> {
    let moments: Vec<Moments> = parts.iter().map(part_moments).collect::<Result<_, _>>()?;
    let whole = joined(&moments);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend(part.vertices.iter().map(|x| x - whole.centre));
        triangles.extend(surface_triangles(&part.cells).iter().map(|t| t.map(|v| v + first)));
    }
    let inertia = Mat3::identity() * whole.second.trace() - whole.second;
    let shape = RigidShape { vertices, triangles, volume: whole.volume, inertia };
    Ok(SceneRigidBody {
        shape: Arc::new(shape),
        centre: whole.centre,
        orientation: UnitQuaternion::identity(),
    })
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
