//! Curvature and twist at a joint, with their derivatives.
//!
//! Edges e₀, e₁ with unit tangents u, v; `c = u·v`, `χ = 1 + c`. Material frames (m₁, m₂) of an
//! edge are its reference frame, carried in parallel from the start-of-step tangent t̄ to the trial
//! tangent, turned by θ. Edge-averaged integrated curvatures [Bergou2010, eq. 2–3]
//! `κ₁ = ½ kb·(m₂⁰+m₂¹)`, `κ₂ = −½ kb·(m₁⁰+m₁¹)`, `kb = 2u×v/χ` simplify to
//!
//! `κ_k = (v·m_k⁰ − u·m_k¹)/χ`,   twist `m = θ₁ − θ₀ + β` with β the reference twist.
//!
//! All are dimensionless and independent of the edges' lengths. **Derivatives.** Let a variation
//! carry the frames in parallel from the *trial* tangent, `δm_k = −(m_k·δt) t`. Then (p = m_k⁰, r =
//! m_k¹)
//!
//! * `∂κ/∂u = (−r − c p − κ v)/χ`, `∂κ/∂v = (p + c r − κ u)/χ`, `δβ = (u×v/χ)·(δu + δv)`
//!
//! Carrying from t̄ instead turns a frame by an extra `δψ = −(t̄×t/(1+t̄·t))·δt` about its tangent
//! (the holonomy of the
//! triangle t̄, t, t+δt), so θ stands everywhere for θ + ψ(e): a derivative by e gains
//! `∂/∂θ · ∂ψ/∂e`, and a second
//! derivative the same twice plus `∂/∂θ · ∂²ψ/∂e²`. The two parts are not symmetric alone, their
//! sum is.
//!
//! **Folded edges.** At u = −v the curvature is infinite; χ is held above [`SMALLEST_FOLD`], which
//! caps |kb| near 3·10⁴ for edges folded to within 10⁻⁴ rad. The energy is then finite and large;
//! its derivatives are those of the formulas with χ fixed. The same holds for a tangent that
//! reverses within one step. A vanished edge keeps its start tangent.

use stiction_bodies::EdgeFrame;
use stiction_bodies::frames::unwrap_angle;
use stiction_numerics::{Mat3, Vec3};

/// Lower bound of 1 + u·v.
pub const SMALLEST_FOLD: f64 = 1e-8;
/// Edges shorter than this \[m\] have no direction of their own.
const SMALLEST_LENGTH: f64 = 1e-60;

/// Integrated curvatures and twist at a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strains {
    /// κ₁, κ₂: turning of the tangent towards m₁ and m₂ (2 tan(φ/2) for a turn by φ).
    pub curvature: [f64; 2],
    /// m \[rad\].
    pub twist: f64,
}

/// One edge at the trial configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub tangent: Vec3,
    pub inverse_length: f64,
    /// Reference director carried to `tangent`.
    pub director: Vec3,
    /// Material directors.
    pub material: [Vec3; 2],
    /// Start-of-step tangent t̄ and 1/(1 + t̄·t).
    start: Vec3,
    start_fold: f64,
    /// −t̄×t/(1+t̄·t): ∂ψ/∂t.
    pub spin: Vec3,
}

impl Edge {
    pub(super) fn new(along: Vec3, twist: f64, frame: &EdgeFrame) -> Edge {
        let length = along.norm();
        let alive = length > SMALLEST_LENGTH;
        let tangent = if alive { along / length } else { frame.tangent };
        let start_fold = 1.0 / (1.0 + frame.tangent.dot(&tangent)).max(SMALLEST_FOLD);
        // Parallel transport of a vector orthogonal to t̄.
        let director =
            frame.director - (frame.tangent + tangent) * (frame.director.dot(&tangent) * start_fold);
        let binormal = tangent.cross(&director);
        let (sine, cosine) = twist.sin_cos();
        Edge {
            tangent,
            inverse_length: if alive { 1.0 / length } else { 0.0 },
            director,
            material: [director * cosine + binormal * sine, binormal * cosine - director * sine],
            start: frame.tangent,
            start_fold,
            spin: tangent.cross(&frame.tangent) * start_fold,
        }
    }

    /// ∂(∂ψ/∂t)/∂t.
    fn spin_derivative(&self) -> Mat3 {
        (-self.start.cross_matrix() - self.spin * self.start.transpose()) * self.start_fold
    }
}

/// A joint at the trial configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointShape {
    pub edges: [Edge; 2],
    cosine: f64,
    /// 1/χ.
    fold: f64,
    /// u×v/χ = kb/2.
    half_binormal: Vec3,
    pub strains: Strains,
}

impl JointShape {
    pub(super) fn new(along: [Vec3; 2], twists: [f64; 2], frames: [&EdgeFrame; 2]) -> JointShape {
        let edges = [Edge::new(along[0], twists[0], frames[0]), Edge::new(along[1], twists[1], frames[1])];
        let (u, v) = (edges[0].tangent, edges[1].tangent);
        let cosine = u.dot(&v);
        let fold = 1.0 / (1.0 + cosine).max(SMALLEST_FOLD);
        let curvature = [0, 1].map(|k| (v.dot(&edges[0].material[k]) - u.dot(&edges[1].material[k])) * fold);
        let (before, after) = (edges[0].director, edges[1].director);
        let carried = before - (u + v) * (before.dot(&v) * fold);
        let angle = v.dot(&carried.cross(&after)).atan2(carried.dot(&after));
        let reference = unwrap_angle(angle, frames[1].reference_twist);
        let twist = twists[1] - twists[0] + reference;
        JointShape {
            edges,
            cosine,
            fold,
            half_binormal: u.cross(&v) * fold,
            strains: Strains { curvature, twist },
        }
    }

    /// First derivatives of `y₁κ₁ + y₂κ₂ + y₃m` with frozen weights y: by e₀, e₁ and by θ₀, θ₁.
    pub(super) fn gradient(&self, weights: [f64; 3]) -> JointGradient {
        self.parts(weights).slope(self)
    }

    /// Second derivatives of the same, over (e₀, e₁, θ₀, θ₁).
    pub(super) fn curvature(&self, weights: [f64; 3]) -> Bend {
        self.parts(weights).bend(self)
    }

    fn parts(&self, weights: [f64; 3]) -> Parts {
        let [y1, y2, y3] = weights;
        let mixed = |edge: &Edge| edge.material[0] * y1 + edge.material[1] * y2;
        let turned = |edge: &Edge| edge.material[1] * y1 - edge.material[0] * y2;
        let (u, v) = (self.edges[0].tangent, self.edges[1].tangent);
        let (p, r) = (mixed(&self.edges[0]), mixed(&self.edges[1]));
        let (p_turned, r_turned) = (turned(&self.edges[0]), turned(&self.edges[1]));
        let value = (v.dot(&p) - u.dot(&r)) * self.fold;
        let by_u = (-r - p * self.cosine - v * value) * self.fold;
        let by_v = (p + r * self.cosine - u * value) * self.fold;
        let turn = [v.dot(&p_turned) * self.fold, -u.dot(&r_turned) * self.fold];
        Parts { twist: y3, p, r, p_turned, r_turned, value, by_u, by_v, turn }
    }
}

/// Gradient over the edge vectors and the twists.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointGradient {
    pub edge: [Vec3; 2],
    pub twist: [f64; 2],
}

/// Hessian over the edge vectors and the twists: symmetric, `edge[1][0] = edge[0][1]ᵀ`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    pub edge: [[Mat3; 2]; 2],
    /// `mixed[j][k] = ∂²/∂e_j∂θ_k`.
    pub mixed: [[Vec3; 2]; 2],
    /// ∂²/∂θ_k² (the mixed one is zero).
    pub twist: [f64; 2],
}

/// Derivatives of the weighted sum by the unit tangents, frames carried from the trial tangents.
struct Parts {
    /// Weight of the twist.
    twist: f64,
    p: Vec3,
    r: Vec3,
    p_turned: Vec3,
    r_turned: Vec3,
    value: f64,
    by_u: Vec3,
    by_v: Vec3,
    /// ∂/∂θ of the curvature part.
    turn: [f64; 2],
}

fn across(t: Vec3, vector: Vec3) -> Vec3 {
    vector - t * t.dot(&vector)
}

impl Parts {
    fn slope(&self, joint: &JointShape) -> JointGradient {
        let [e0, e1] = &joint.edges;
        let twist = [self.turn[0] - self.twist, self.turn[1] + self.twist];
        let shared = joint.half_binormal * self.twist;
        let by_u = across(e0.tangent, self.by_u) + shared + e0.spin * twist[0];
        let by_v = across(e1.tangent, self.by_v) + shared + e1.spin * twist[1];
        JointGradient { edge: [by_u * e0.inverse_length, by_v * e1.inverse_length], twist }
    }

    fn bend(&self, joint: &JointShape) -> Bend {
        let [e0, e1] = &joint.edges;
        let (u, v, fold, c) = (e0.tangent, e1.tangent, joint.fold, joint.cosine);
        let half = joint.half_binormal * self.twist;
        let moment = [self.turn[0] - self.twist, self.turn[1] + self.twist];

        // Derivatives of ∂/∂u and ∂/∂v by tangents, twist part included; rows and columns are
        // projected below.
        let uu = (-self.p * v.transpose()
            - v * self.by_u.transpose()
            - (self.by_u + half) * v.transpose()
            - v.cross_matrix() * self.twist)
            * fold
            + e0.spin_derivative() * moment[0];
        let vv = (self.r * u.transpose() - u * self.by_v.transpose() - (self.by_v + half) * u.transpose()
            + u.cross_matrix() * self.twist)
            * fold
            + e1.spin_derivative() * moment[1];
        let uv = (v * self.r.transpose()
            - self.p * u.transpose()
            - v * self.by_v.transpose()
            - Mat3::from_diagonal_element(self.value)
            - (self.by_u + half) * u.transpose()
            + u.cross_matrix() * self.twist)
            * fold;

        // ∂²/∂θ_k∂t_j, frames carried from the trial tangents.
        let turn_u =
            [(-self.p_turned * c - v * self.turn[0]) * fold, (-self.r_turned - v * self.turn[1]) * fold];
        let turn_v =
            [(self.p_turned - u * self.turn[0]) * fold, (self.r_turned * c - u * self.turn[1]) * fold];
        let twist = [-v.dot(&self.p) * fold, u.dot(&self.r) * fold];
        let turn_u = turn_u.map(|g| across(u, g));
        let turn_v = turn_v.map(|g| across(v, g));

        // θ_j stands for θ_j + ψ_j(t_j).
        let (s0, s1) = (e0.spin, e1.spin);
        let uu =
            uu + turn_u[0] * s0.transpose() + s0 * turn_u[0].transpose() + s0 * s0.transpose() * twist[0];
        let vv =
            vv + turn_v[1] * s1.transpose() + s1 * turn_v[1].transpose() + s1 * s1.transpose() * twist[1];
        let uv = uv + turn_u[1] * s1.transpose() + s0 * turn_v[0].transpose();
        let mixed = [
            [(turn_u[0] + s0 * twist[0]) * e0.inverse_length, turn_u[1] * e0.inverse_length],
            [turn_v[0] * e1.inverse_length, (turn_v[1] + s1 * twist[1]) * e1.inverse_length],
        ];

        let shared = half;
        let first = across(u, self.by_u) + shared + s0 * moment[0];
        let second = across(v, self.by_v) + shared + s1 * moment[1];
        let edge00 = on_edge(uu, u, first, u.dot(&self.by_u), e0.inverse_length);
        let edge11 = on_edge(vv, v, second, v.dot(&self.by_v), e1.inverse_length);
        let edge01 = projected(uv, u, v) * (e0.inverse_length * e1.inverse_length);
        Bend { edge: [[edge00, edge01], [edge01.transpose(), edge11]], mixed, twist }
    }
}

/// `(I − uuᵀ) M (I − vvᵀ)`.
fn projected(matrix: Mat3, u: Vec3, v: Vec3) -> Mat3 {
    let rows = matrix - u * (matrix.tr_mul(&u)).transpose();
    rows - rows * v * v.transpose()
}

/// From second derivatives M and gradient g by the tangent to second derivatives by the edge
/// vector:
/// `[P M P − (t·g)P − t gᵀP − P g tᵀ] / l²`, `P = I − ttᵀ`; `slope` = P g, `radial` = t·g.
/// Symmetrised: the antisymmetric part is round-off.
fn on_edge(matrix: Mat3, t: Vec3, slope: Vec3, radial: f64, inverse_length: f64) -> Mat3 {
    let inner = projected(matrix, t, t) - (Mat3::identity() - t * t.transpose()) * radial;
    let sum = (inner + inner.transpose()) * 0.5 - t * slope.transpose() - slope * t.transpose();
    sum * (inverse_length * inverse_length)
}
