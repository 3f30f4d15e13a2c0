//! Closed-form proximal maps of corotational elements.
//!
//! prox(Y) = argmin_Z U(Z) + w/2 |Z − Y|² with U(Z) = V ψ(RᵀZ − I), R the rotation of Z. At the minimum `Y = Z + (1/w) ∂U` has the
//! same rotation as Z, because the stress of an isotropic law is R times a symmetric matrix with the directions of S. So R is that of Y, and what is left is a small
//! linear problem for the symmetric strain e = S − I with t = RᵀY − I:
//!
//! * sheet: `(A C + w I) (e₁₁, e₂₂) = w (t₁₁, t₂₂)`, `e₁₂ = w t₁₂ / (w + 2 A C₃₃)`   C in material axes \[N/m\], A rest area
//! * solid: `e = (w t − λV s I)/(2μV + w)` with `s = w tr t / (2μV + w + 3λV)`
//!
//! Both Lamé parameters are kept exactly. Woven cloth (C₁₁ ≠ C₂₂ or C₃₃ apart) takes the same map, where the argument above holds to
//! first order in the strain only: its stress and its strain then have different principal directions.

use stiction_energy::Orthotropic;
use stiction_numerics::{Mat2, Mat3, Mat3x2, polar3, polar3x2};

/// Smallest determinant of FᵀF relative to its squared trace for which the closed form of the polar factor is used.
const THIN: f64 = 1e-14;

/// Rotation and stretch of a 3×2 gradient: F = R S.
///
/// `S = (C + √det C I)/√(tr C + 2 √det C)` with C = FᵀF; a collapsed triangle takes the singular value decomposition.
pub fn polar_sheet(f: &Mat3x2) -> (Mat3x2, Mat2) {
    let c = f.transpose() * f;
    let determinant = c.determinant();
    if determinant > THIN * c.trace() * c.trace() {
        let root = determinant.sqrt();
        let stretch = (c + Mat2::identity() * root) / (c.trace() + 2.0 * root).sqrt();
        let inverse = Mat2::new(stretch.m22, -stretch.m12, -stretch.m21, stretch.m11) / root;
        return (f * inverse, stretch);
    }
    let rotation = polar3x2(f);
    (rotation, rotation.transpose() * f)
}

/// Smallest determinant relative to the cubed norm for which Newton's iteration for the polar factor is used.
const FLAT: f64 = 1e-3;

/// Rotation and stretch of a 3×3 gradient: F = R S, R proper also when F is inverted.
///
/// Elements in fair shape take Newton's iteration, flat and inverted ones the singular value decomposition.
pub fn polar_solid(f: &Mat3) -> (Mat3, Mat3) {
    let rotation = newton_polar(f).unwrap_or_else(|| polar3(f));
    (rotation, rotation.transpose() * f)
}

/// R ← (R + R⁻ᵀ)/2 from F: every singular value σ goes to (σ + 1/σ)/2, so to 1, quadratically.   [Higham1986]
fn newton_polar(f: &Mat3) -> Option<Mat3> {
    let mut rotation = *f;
    let norm = f.norm();
    let mut least = FLAT * norm * norm * norm;
    for _ in 0..12 {
        let [a, b, c] = [0, 1, 2].map(|k| rotation.column(k).into_owned());
        let cofactor = Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
        let determinant = a.dot(&cofactor.column(0));
        // False for NaN.
        let is_fair = determinant > least;
        if !is_fair {
            return None;
        }
        // From here on no singular value is below one.
        least = 0.0;
        let next = (rotation + cofactor / determinant) * 0.5;
        let change = (next - rotation).norm_squared();
        rotation = next;
        // The error is now about the square of the change.
        if change < 1e-14 {
            return Some(rotation);
        }
    }
    None
}

/// Proximal map of a triangle.
#[derive(Clone, Copy, Debug)]
pub struct SheetProx {
    /// A C \[J\].
    stiffness: Orthotropic,
    /// w (A C + w I)⁻¹ of the two stretches.
    stretch: Mat2,
    /// Factor of the shear strain.
    shear: f64,
    /// Largest principal stretch, 1 + limit.
    longest: f64,
}

impl SheetProx {
    /// From A C \[J\], the weight w \[J\] and the largest stretch allowed.
    pub fn new(stiffness: Orthotropic, weight: f64, longest: f64) -> SheetProx {
        let Orthotropic { c11, c22, c12, c33 } = stiffness;
        let system = Mat2::new(c11 + weight, c12, c12, c22 + weight);
        // Positive definite: C₁₁C₂₂ > C₁₂² and w > 0.
        let inverse = system.try_inverse().unwrap_or_else(Mat2::zeros);
        SheetProx { stiffness, stretch: inverse * weight, shear: weight / (weight + 2.0 * c33), longest }
    }

    /// Z, and the rotation of Y.
    pub fn project(&self, y: &Mat3x2) -> (Mat3x2, Mat3x2) {
        let (rotation, stretch) = polar_sheet(y);
        let (t11, t22) = (stretch.m11 - 1.0, stretch.m22 - 1.0);
        let shear = self.shear * stretch.m12;
        let mut solved = Mat2::new(
            1.0 + self.stretch.m11 * t11 + self.stretch.m12 * t22,
            shear,
            shear,
            1.0 + self.stretch.m12 * t11 + self.stretch.m22 * t22,
        );
        if self.longest.is_finite() {
            solved = limited(&solved, self.longest);
        }
        (rotation * solved, rotation)
    }

    /// Energy \[J\] of a gradient, and the excess of its largest stretch over the limit.
    pub fn energy(&self, f: &Mat3x2) -> (f64, f64) {
        let (_, s) = polar_sheet(f);
        let (e1, e2, e12) = (s.m11 - 1.0, s.m22 - 1.0, s.m12);
        let k = &self.stiffness;
        let energy = 0.5 * (k.c11 * e1 * e1 + k.c22 * e2 * e2) + k.c12 * e1 * e2 + 2.0 * k.c33 * e12 * e12;
        (energy, (principal(&s).0 - self.longest).max(0.0))
    }
}

/// Largest and smallest eigenvalue of a symmetric matrix.
fn principal(s: &Mat2) -> (f64, f64) {
    let (mean, half) = (0.5 * (s.m11 + s.m22), 0.5 * (s.m11 - s.m22));
    let radius = half.hypot(s.m12);
    (mean + radius, mean - radius)
}

/// The symmetric matrix with eigenvalues above `longest` set to it.
fn limited(s: &Mat2, longest: f64) -> Mat2 {
    let (large, small) = principal(s);
    if large <= longest {
        return *s;
    }
    if large - small <= f64::EPSILON * large {
        return Mat2::identity() * longest;
    }
    // s = small I + (large − small) P with P the projector on the first direction.
    let projector = (s - Mat2::identity() * small) / (large - small);
    let low = small.min(longest);
    Mat2::identity() * low + projector * (longest - low)
}

/// Proximal map of a tet.
#[derive(Clone, Copy, Debug)]
pub struct SolidProx {
    /// μV and λV \[J\].
    moduli: [f64; 2],
    strain: f64,
    trace: f64,
}

impl SolidProx {
    /// From μV, λV and the weight w \[J\].
    pub fn new(shear: f64, volume: f64, weight: f64) -> SolidProx {
        let own = 2.0 * shear + weight;
        let trace = volume * weight / (own * (own + 3.0 * volume));
        SolidProx { moduli: [shear, volume], strain: weight / own, trace }
    }

    /// Z, and the rotation of Y.
    pub fn project(&self, y: &Mat3) -> (Mat3, Mat3) {
        let (rotation, stretch) = polar_solid(y);
        let strain = stretch - Mat3::identity();
        let solved = strain * self.strain + Mat3::identity() * (1.0 - self.trace * strain.trace());
        (rotation * solved, rotation)
    }

    /// Energy \[J\] of a gradient.
    pub fn energy(&self, f: &Mat3) -> f64 {
        let strain = polar_solid(f).1 - Mat3::identity();
        let trace = strain.trace();
        self.moduli[0] * strain.norm_squared() + 0.5 * self.moduli[1] * trace * trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_energy::{Lame, SolidLaw};
    use stiction_numerics::{Random, Vec3};

    fn random_vector(random: &mut Random) -> Vec3 {
        random.unit_vector() * random.range(0.3, 1.5)
    }

    #[test]
    fn both_ways_to_the_rotation_agree() {
        let mut random = Random::new(7);
        let mut taken = 0;
        for _ in 0..2000 {
            let f =
                Mat3::from_columns(&[0, 1, 2].map(|k| Vec3::ith(k, 1.0) + random_vector(&mut random) * 0.6));
            if let Some(rotation) = newton_polar(&f) {
                taken += 1;
                assert!((rotation - polar3(&f)).norm() < 1e-12, "{f}");
            }
        }
        assert!(taken > 1000, "{taken}");
        assert!(newton_polar(&-Mat3::identity()).is_none() && newton_polar(&Mat3::zeros()).is_none());
    }

    /// At the minimum w (Y − Z) is the stress of the corotated law at Z.
    #[test]
    fn the_map_of_a_solid_is_stationary() {
        let mut random = Random::new(5);
        let (lame, weight) = (Lame { lambda: 3.0, mu: 2.0 }, 1.7);
        let prox = SolidProx::new(lame.mu, lame.lambda, weight);
        for _ in 0..50 {
            let y =
                Mat3::from_columns(&[0, 1, 2].map(|k| Vec3::ith(k, 1.0) + random_vector(&mut random) * 0.3));
            let (z, _) = prox.project(&y);
            let stress = SolidLaw::Corotated.stress(&z, &lame);
            assert!((stress - (y - z) * weight).norm() < 1e-10 * (1.0 + stress.norm()), "{y}");
        }
    }

    #[test]
    fn the_map_of_a_sheet_minimises() {
        let mut random = Random::new(6);
        let stiffness = Orthotropic { c11: 5.0, c22: 5.0, c12: 1.0, c33: 2.0 };
        let weight = 1.3;
        let prox = SheetProx::new(stiffness, weight, f64::INFINITY);
        let value = |z: &Mat3x2, y: &Mat3x2| prox.energy(z).0 + 0.5 * weight * (z - y).norm_squared();
        for _ in 0..50 {
            let base = [Vec3::x(), Vec3::y()];
            let y = Mat3x2::from_columns(&base.map(|b| b + random_vector(&mut random) * 0.3));
            let (z, _) = prox.project(&y);
            let least = value(&z, &y);
            for k in 0..6 {
                for sign in [-1e-3, 1e-3] {
                    let mut other = z;
                    other[k] += sign;
                    assert!(value(&other, &y) > least, "{y}");
                }
            }
        }
    }

    #[test]
    fn stretches_beyond_the_limit_are_cut() {
        let stiffness = Orthotropic { c11: 1e-9, c22: 1e-9, c12: 0.0, c33: 1e-9 };
        let prox = SheetProx::new(stiffness, 1.0, 1.05);
        let y = Mat3x2::from_columns(&[Vec3::new(1.4, 0.1, 0.0), Vec3::new(0.1, 0.9, 0.2)]);
        let (z, _) = prox.project(&y);
        let (large, small) = principal(&polar_sheet(&z).1);
        assert!((large - 1.05).abs() < 1e-7 && small < 1.0 && small > 0.8, "{large} {small}");
    }
}
