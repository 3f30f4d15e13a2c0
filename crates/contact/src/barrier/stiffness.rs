//! Stiffness of a barrier from the mass and the elasticity around it.  [Ando2024, eq. 4, 5, 7, 9]
//!
//! `κ = m/g² + w·H w`: stiff enough to stand against the elastic body that pushes, and growing
//! without bound as the gap
//! closes. κ is frozen while an energy is differentiated. `H` is the positive semi-definite elastic
//! Hessian \[N/m\].

use stiction_numerics::{Mat3, Vec3};

/// Mean of the masses of a contact \[kg\] from pairs of mass and share: shares of 1 give the plain
/// average [Ando2024, eq. 5], shares c_i² give `Σ m_i ĉ_i²`, which is the mass that a push along
/// `ŵ` feels. Infinite (pinned) masses count as the largest finite one of the pair; 0 if none is
/// finite.
pub fn contact_mass(masses: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut largest, mut infinite, mut shares) = (0.0, 0.0_f64, 0.0, 0.0);
    for (mass, share) in masses {
        shares += share;
        if mass.is_finite() {
            sum += mass * share;
            largest = largest.max(mass);
        } else {
            infinite += share;
        }
    }
    if shares == 0.0 { 0.0 } else { (sum + infinite * largest) / shares }
}

/// `κ = ŵᵀ H ŵ + m/g²` of a contact \[N/m\], with `ŵ` the normalised stack of `c_i n`. [Ando2024,
/// eq. 5]
///
/// `weights` c_i of the nodes · `square` Σ c² of all vertices, prescribed ones included ·
/// `inertial` m/g² \[N/m\] · `form(i, j)` = nᵀ H_ij n
/// between the i-th and the j-th node \[N/m\]; only `i ≤ j` is asked for, the other half follows
/// from symmetry. Without it (`|_, _| 0.0`) the stiffness is the distance-only one. A wall is a
/// contact of one vertex: `m/g² + n·H_ii n`. [Ando2024, eq. 7]
pub fn contact_stiffness(
    weights: &[f64],
    square: f64,
    inertial: f64,
    form: impl Fn(usize, usize) -> f64,
) -> f64 {
    if square == 0.0 {
        return inertial;
    }
    let mut elastic = 0.0;
    for i in 0..weights.len() {
        elastic += weights[i] * weights[i] * form(i, i);
        for j in i + 1..weights.len() {
            elastic += 2.0 * weights[i] * weights[j] * form(i, j);
        }
    }
    inertial + elastic / square
}

/// `κ = m_face/(limit − max(σ − 1))² + wᵀ H₉ w` of a strain limit \[J\], `w` the vertices about
/// their centre, not normalised.
/// [Ando2024, eq. 9]
pub fn strain_limit_stiffness(
    face_mass: f64,
    strain_gap: f64,
    vertices: &[Vec3; 3],
    hessian: impl Fn(usize, usize) -> Mat3,
) -> f64 {
    let centre = (vertices[0] + vertices[1] + vertices[2]) / 3.0;
    let w = vertices.map(|x| x - centre);
    let mut elastic = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            elastic += w[i].dot(&(hessian(i, j) * w[j]));
        }
    }
    face_mass / (strain_gap * strain_gap) + elastic
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;
    use stiction_numerics::nalgebra::{DMatrix, DVector};

    #[test]
    fn the_quadratic_form_is_the_dense_one() {
        let mut random = Random::new(41);
        let root = DMatrix::from_fn(12, 12, |_, _| random.normal());
        let h = &root * root.transpose();
        let block = |i: usize, j: usize| Mat3::from(h.fixed_view::<3, 3>(3 * i, 3 * j));
        let (c, n) = ([1.0, -0.2, -0.5, -0.3], random.unit_vector());
        let w = DVector::from_fn(12, |k, _| c[k / 3] * n[k % 3]).normalize();
        let expected = w.dot(&(&h * &w)) + 0.02 / 1e-6;
        let square = c.iter().map(|c| c * c).sum();
        let got = contact_stiffness(&c, square, 0.02 / 1e-6, |i, j| n.dot(&(block(i, j) * n)));
        assert!((got / expected - 1.0).abs() < 1e-13);
    }

    #[test]
    fn masses_of_pinned_vertices() {
        let average = |masses: &[f64]| contact_mass(masses.iter().map(|&m| (m, 1.0)));
        assert_eq!(average(&[f64::INFINITY, 2.0, 4.0, 4.0]), 3.5);
        assert_eq!(average(&[f64::INFINITY]), 0.0);
        assert_eq!(average(&[]), 0.0);
    }

    #[test]
    fn a_weighted_mass_goes_by_the_squares_of_coefficients() {
        // c = (1, −½, −½): ĉ² = (2/3, 1/6, 1/6).
        let pairs = [(3.0, 1.0), (6.0, 0.25), (f64::INFINITY, 0.25)];
        assert!((contact_mass(pairs.into_iter()) - 4.0).abs() < 1e-15);
    }

    #[test]
    fn degenerate_contacts_give_numbers() {
        assert_eq!(contact_stiffness(&[0.0, 0.0], 0.0, 2.0, |_, _| 1.0), 2.0);
    }

    #[test]
    fn wall_and_strain_limit() {
        let h = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0));
        let n = Vec3::z();
        assert_eq!(contact_stiffness(&[1.0], 1.0, 1.0 / 0.25, |_, _| n.dot(&(h * n))), 7.0);
        let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0];
        let own = |i: usize, j: usize| if i == j { h } else { Mat3::zeros() };
        // w = (−1,−1), (2,−1), (−1,2): Σ wᵀ h w = 6·1 + 6·2.
        assert!((strain_limit_stiffness(1.0, 1.0, &triangle, own) - 19.0).abs() < 1e-12);
    }
}
