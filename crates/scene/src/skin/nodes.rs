//! The four nodes of a frame.

use super::moments::Moments;
use stiction_numerics::{Mat3, Vec3, eigen_symmetric3};

/// The thin axes of a flat share count as at least this fraction of its longest: a leaf that bows
/// away from a tet as thin as itself would hang on long levers. It adds at most its square to the
/// rotational inertia of that share.
pub const FLATTEST_SHARE: f64 = 0.3;

/// The same for a body of one frame, where it only keeps a plate without thickness from being
/// singular.
pub const FLATTEST_BODY: f64 = 1e-3;

/// Corners of a regular tet with Σ t = 0 and Σ t tᵀ = 4 I.
const REGULAR: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];

/// The rest places of the nodes of a frame and the map to its barycentric coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTet {
    /// Rest places, positively oriented \[m\].
    pub corners: [Vec3; 4],
    /// Gradients of the barycentric coordinates \[1/m\].
    gradients: [Vec3; 4],
}

impl FrameTet {
    /// Barycentric coordinates of a point.
    pub fn coordinates(&self, place: &Vec3) -> [f64; 4] {
        let mut beta = [0.0; 4];
        for k in 1..4 {
            beta[k] = self.gradients[k].dot(&(place - self.corners[0]));
        }
        beta[0] = 1.0 - beta[1] - beta[2] - beta[3];
        beta
    }

    /// Gradients of the barycentric coordinates \[1/m\].
    pub fn gradients(&self) -> [Vec3; 4] {
        self.gradients
    }
}

/// The tet whose corners, a quarter of the volume in each, have the given volume, centre and second
/// moments:
///
/// p_k = c + Q diag(r) t_k,  r_i = √(S_i / V)
///
/// S_i, Q principal second moments and axes · t_k corners of the regular tet above.
pub fn inertia_tet(moments: &Moments, flattest: f64) -> FrameTet {
    let principal = eigen_symmetric3(&moments.second);
    let radii = principal.values.map(|s| (s.max(0.0) / moments.volume).sqrt());
    let radii = radii.map(|r| r.max(flattest * radii.max()));
    let axes = principal.vectors * Mat3::from_diagonal(&radii);
    let mut corners = REGULAR.map(|t| moments.centre + axes * Vec3::from(t));
    let edges = |c: &[Vec3; 4]| Mat3::from_columns(&[c[1] - c[0], c[2] - c[0], c[3] - c[0]]);
    if edges(&corners).determinant() < 0.0 {
        corners.swap(2, 3);
    }
    let inverse = edges(&corners).try_inverse().unwrap_or_else(Mat3::zeros);
    let [a, b, c] = [0, 1, 2].map(|i| inverse.row(i).transpose());
    FrameTet { corners, gradients: [-(a + b + c), a, b, c] }
}
