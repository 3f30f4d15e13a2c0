//! Cross-sections of rods and their stiffnesses, with separate moduli of stretching and bending.

use std::f64::consts::PI;

/// A cross-section; the first size lies along the first material director m1, the second along m2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// Radius \[m\].
    Circle {
        /// Radius \[m\].
        radius: f64,
    },
    /// Half axes \[m\].
    Ellipse {
        /// Half axis along m1 \[m\].
        first: f64,
        /// Half axis along m2 \[m\].
        second: f64,
    },
    /// Full sides \[m\].
    Rectangle {
        /// Side along m1 \[m\].
        first: f64,
        /// Side along m2 \[m\].
        second: f64,
    },
}

impl Section {
    /// Area A \[m²\].
    pub fn area(&self) -> f64 {
        match *self {
            Section::Circle { radius } => PI * radius * radius,
            Section::Ellipse { first, second } => PI * first * second,
            Section::Rectangle { first, second } => first * second,
        }
    }

    /// Second moments \[m⁴\]: `I_k = ∫ y_k² dA` with y_k along m_k, which resists turning the tangent towards m_k.
    pub fn second_moments(&self) -> [f64; 2] {
        match *self {
            Section::Circle { radius } => [0.25 * PI * radius.powi(4); 2],
            Section::Ellipse { first, second } => {
                [0.25 * PI * first.powi(3) * second, 0.25 * PI * first * second.powi(3)]
            }
            Section::Rectangle { first, second } => {
                [first.powi(3) * second / 12.0, first * second.powi(3) / 12.0]
            }
        }
    }

    /// Torsion constant J \[m⁴\] (Saint-Venant): exact for circle and ellipse, `π a³b³/(a²+b²)`; the series for the
    /// rectangle, `a b³ [1/3 − (64/π⁵)(b/a) Σ tanh((2n+1)πa/2b)/(2n+1)⁵]` with a ≥ b.   [Timoshenko, Goodier]
    pub fn torsion_constant(&self) -> f64 {
        match *self {
            Section::Circle { radius } => 0.5 * PI * radius.powi(4),
            Section::Ellipse { first, second } => {
                PI * (first * second).powi(3) / (first * first + second * second)
            }
            Section::Rectangle { first, second } => {
                let (long, short) = (first.max(second), first.min(second));
                let series: f64 = (0..8)
                    .map(|n| f64::from(2 * n + 1))
                    .map(|odd| (odd * PI * long / (2.0 * short)).tanh() / odd.powi(5))
                    .sum();
                let share = 1.0 / 3.0 - 64.0 / PI.powi(5) * (short / long) * series;
                long * short.powi(3) * share
            }
        }
    }

    /// Stiffnesses from the moduli of stretching and bending \[Pa\] and Poisson's ratio; the shear modulus of twisting goes
    /// with bending, `G = E_bend / 2(1+ν)`.
    pub fn stiffness(&self, stretching: f64, bending: f64, poisson: f64) -> SectionStiffness {
        SectionStiffness {
            stretch: stretching * self.area(),
            bend: self.second_moments().map(|moment| bending * moment),
            twist: bending / (2.0 * (1.0 + poisson)) * self.torsion_constant(),
        }
    }

    /// Polar moment `I₁ + I₂` \[m⁴\]: with the density, the inertia of the twist per length.
    pub fn polar_moment(&self) -> f64 {
        self.second_moments().iter().sum()
    }
}

/// Stiffnesses of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionStiffness {
    /// EA \[N\].
    pub stretch: f64,
    /// EI towards m1 and m2 \[N m²\].
    pub bend: [f64; 2],
    /// GJ \[N m²\].
    pub twist: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_with_equal_axes_is_a_circle() {
        let circle = Section::Circle { radius: 0.3 };
        let ellipse = Section::Ellipse { first: 0.3, second: 0.3 };
        assert!((circle.area() - ellipse.area()).abs() < 1e-15);
        assert!((circle.second_moments()[0] - ellipse.second_moments()[1]).abs() < 1e-15);
        assert!((circle.torsion_constant() - ellipse.torsion_constant()).abs() < 1e-15);
        assert!((circle.torsion_constant() - circle.polar_moment()).abs() < 1e-15);
    }

    #[test]
    fn rectangle_torsion_has_its_tabulated_values() {
        // J / (a b³) for a/b = 1, 2, 10 from tables of elasticity: 0.1406, 0.2287, 0.3123.
        for (ratio, tabulated) in [(1.0, 0.1406), (2.0, 0.2287), (10.0, 0.3123)] {
            let section = Section::Rectangle { first: 1.0, second: ratio };
            assert!((section.torsion_constant() / ratio - tabulated).abs() < 1e-4);
        }
    }

    #[test]
    fn a_strip_bends_easily_towards_its_thin_side() {
        let [wide, thin] = Section::Rectangle { first: 0.02, second: 0.001 }.second_moments();
        assert!((wide / thin - 400.0).abs() < 1e-9);
    }
}
