//! Reference frames of rod edges at the start of a step.
//!
//! A rod edge carries a unit tangent `t` and a reference director `d1 ⟂ t`; `d2 = t × d1`. The material frame is
//! the reference frame turned by the edge's twist `θ` about `t`. Frames belong to the *start* of the step: an energy
//! at a trial configuration transports them in parallel from the stored tangent to the trial tangent, so that its value
//! depends on the configuration alone and never on the path of trial states.   [Bergou2010, section 4.2.2]

use stiction_numerics::Vec3;

/// Reference frame of one rod edge at the start of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeFrame {
    /// Unit tangent of the edge.
    pub tangent: Vec3,
    /// Reference director, unit and orthogonal to `tangent`.
    pub director: Vec3,
}

impl EdgeFrame {
    /// The frame carried to a new unit tangent by parallel transport.
    pub fn transported(&self, tangent: Vec3) -> EdgeFrame {
        EdgeFrame { tangent, director: parallel_transport(self.director, self.tangent, tangent) }
    }

    /// The second director `d2 = t × d1`.
    pub fn binormal(&self) -> Vec3 {
        self.tangent.cross(&self.director)
    }
}

/// Rotates `vector` by the smallest rotation that takes unit `from` to unit `to`:
/// `P v = v + b × v + b × (b × v) / (1 + c)` with `b = from × to`, `c = from · to`.
/// For opposite tangents (c → −1) the rotation is not defined; the vector is then kept and re-orthogonalised.
pub fn parallel_transport(vector: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let cosine = from.dot(&to);
    let axis = from.cross(&to);
    let turned = if 1.0 + cosine < 1e-12 {
        vector
    } else {
        let once = axis.cross(&vector);
        vector + once + axis.cross(&once) / (1.0 + cosine)
    };
    orthonormal_to(turned, to)
}

/// The part of `vector` orthogonal to unit `tangent`, normalised; any orthogonal unit vector if nothing is left.
pub fn orthonormal_to(vector: Vec3, tangent: Vec3) -> Vec3 {
    let part = vector - tangent * tangent.dot(&vector);
    let norm = part.norm();
    if norm > 1e-12 * vector.norm().max(1e-300) { part / norm } else { any_orthogonal(tangent) }
}

/// A unit vector orthogonal to unit `tangent`, chosen without branches that depend on tiny differences.
pub fn any_orthogonal(tangent: Vec3) -> Vec3 {
    let axis = tangent.iamin();
    let mut helper = Vec3::zeros();
    helper[axis] = 1.0;
    (helper - tangent * tangent[axis]).normalize()
}
