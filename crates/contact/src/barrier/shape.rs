//! The four barrier shapes, for unit stiffness.
//!
//! g gap \[m\] · ĝ activation gap \[m\] · all vanish for g ≥ ĝ
//! * cubic `2/(3ĝ) (ĝ − g)³`: curvature `4 (1 − g/ĝ)`, finite everywhere [Ando2024, eq. 1]. At g =
//!   0 it is 4, not the 2 that the text says.
//! * logarithmic `−(g − ĝ)² ln(g/ĝ)`: infinite at g ≤ 0  [Ando2024, eq. 2, after Li2021]
//! * capped logarithmic: the same down to where its curvature reaches a cap, then the parabola of
//!   that curvature
//! * quadratic `½ (ĝ − g)²`: its curvature jumps at ĝ

/// Which barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Barrier {
    /// Cubic: finite curvature down to zero gap.
    #[default]
    Cubic,
    /// Logarithmic: infinite at zero gap.
    Logarithmic,
    /// Logarithmic, with a parabola where its curvature would exceed a cap.
    CappedLogarithmic(CappedLogarithm),
    /// Quadratic penalty.
    Quadratic,
}

/// A logarithmic barrier whose curvature stops growing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CappedLogarithm {
    cap: f64,
    /// `g/ĝ` below which the parabola holds.
    ratio: f64,
}

impl CappedLogarithm {
    /// Largest curvature for unit stiffness. `None` unless positive and finite.
    pub fn new(cap: f64) -> Option<Self> {
        if !(cap.is_finite() && cap > 0.0) {
            return None;
        }
        // The curvature depends on g/ĝ only, and falls from ∞ to 0 on (0, 1): bisect its logarithm.
        let (mut low, mut high) = (-700.0f64, 0.0f64);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if logarithmic(middle.exp(), 1.0).curvature > cap { low = middle } else { high = middle }
        }
        Some(Self { cap, ratio: (0.5 * (low + high)).exp() })
    }
}

/// A barrier and its first two derivatives in the gap, for unit stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BarrierValue {
    /// Value \[m²\]; times κ \[N/m\] an energy.
    pub value: f64,
    /// First derivative \[m\]; times κ minus a force. Never positive.
    pub slope: f64,
    /// Second derivative. Never negative.
    pub curvature: f64,
}

impl Barrier {
    /// Value and derivatives at a gap. Logarithmic at `g ≤ 0`: infinite, with the signs of the
    /// limit.
    pub fn at(&self, gap: f64, activation_gap: f64) -> BarrierValue {
        if gap >= activation_gap {
            return BarrierValue::default();
        }
        match self {
            Self::Cubic => {
                let depth = activation_gap - gap;
                BarrierValue {
                    value: 2.0 * depth.powi(3) / (3.0 * activation_gap),
                    slope: -2.0 * depth * depth / activation_gap,
                    curvature: 4.0 * depth / activation_gap,
                }
            }
            Self::Logarithmic => logarithmic(gap, activation_gap),
            Self::CappedLogarithmic(capped) => {
                let joint = capped.ratio * activation_gap;
                if gap >= joint {
                    return logarithmic(gap, activation_gap);
                }
                let start = logarithmic(joint, activation_gap);
                let further = gap - joint;
                BarrierValue {
                    value: start.value + further * (start.slope + 0.5 * capped.cap * further),
                    slope: start.slope + capped.cap * further,
                    curvature: capped.cap,
                }
            }
            Self::Quadratic => {
                let depth = activation_gap - gap;
                BarrierValue { value: 0.5 * depth * depth, slope: -depth, curvature: 1.0 }
            }
        }
    }
}

fn logarithmic(gap: f64, activation_gap: f64) -> BarrierValue {
    if gap <= 0.0 {
        return BarrierValue { value: f64::INFINITY, slope: f64::NEG_INFINITY, curvature: f64::INFINITY };
    }
    let depth = gap - activation_gap;
    let log = (gap / activation_gap).ln();
    BarrierValue {
        value: -depth * depth * log,
        slope: -2.0 * depth * log - depth * depth / gap,
        curvature: -2.0 * log - 4.0 * depth / gap + (depth / gap).powi(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Barrier; 4] {
        let capped = CappedLogarithm::new(50.0).unwrap();
        [Barrier::Cubic, Barrier::Logarithmic, Barrier::CappedLogarithmic(capped), Barrier::Quadratic]
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let activation = 2e-3;
        for barrier in all() {
            for k in 1..40 {
                let gap = activation * f64::from(k) / 40.5;
                let h = 1e-5 * gap;
                let (low, high, at) = (
                    barrier.at(gap - h, activation),
                    barrier.at(gap + h, activation),
                    barrier.at(gap, activation),
                );
                // Central differences: error h² times the third derivative, which is of order
                // slope/gap².
                let slope = (high.value - low.value) / (2.0 * h);
                let curvature = (high.slope - low.slope) / (2.0 * h);
                assert!((slope - at.slope).abs() < 1e-7 * at.slope.abs().max(1e-9), "{barrier:?} {gap}");
                assert!((curvature - at.curvature).abs() < 1e-4 * at.curvature.abs(), "{barrier:?} {gap}");
                assert!(at.slope < 0.0 && at.curvature > 0.0);
            }
        }
    }

    #[test]
    fn limits() {
        let near = 1e-3 * (1.0 - 1e-9);
        for barrier in all() {
            assert_eq!(barrier.at(1e-3, 1e-3), BarrierValue::default());
            assert!(barrier.at(near, 1e-3).slope.abs() < 1e-11);
        }
        assert!((Barrier::Cubic.at(0.0, 1e-3).curvature - 4.0).abs() < 1e-15);
        assert!(Barrier::Logarithmic.at(0.0, 1e-3).value.is_infinite());
        let capped = all()[2];
        assert_eq!(capped.at(-1e-3, 1e-3).curvature, 50.0);
        assert!(capped.at(1e-12, 1e-3).value.is_finite());
        assert!(CappedLogarithm::new(f64::NAN).is_none() && CappedLogarithm::new(0.0).is_none());
    }

    #[test]
    fn the_cap_joins_smoothly() {
        let Barrier::CappedLogarithmic(capped) = all()[2] else { unreachable!() };
        let joint = capped.ratio * 1e-3;
        let (below, above) = (all()[2].at(joint * (1.0 - 1e-12), 1e-3), all()[1].at(joint, 1e-3));
        assert!((below.value / above.value - 1.0).abs() < 1e-9);
        assert!((below.slope / above.slope - 1.0).abs() < 1e-9);
        assert!((below.curvature / above.curvature - 1.0).abs() < 1e-9);
    }
}
