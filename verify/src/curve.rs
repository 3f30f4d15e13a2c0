//! Curves of the governing equations, computed once and kept as small tables.

/// A table `x, y₁, y₂ …` with a header line.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    rows: Vec<Vec<f64>>,
}

/// Drop over reach of a heavy cantilever: Γ, H/W, W/L, H/L, tip angle \[rad\].
const CANTILEVER: &str = include_str!("../data/romero_cantilever_gravity.csv");
/// Tip-loaded elastica: PL²/EI, w/L, u/L, tip angle \[rad\].
const TIP_LOAD: &str = include_str!("../data/cantilever_tip_load_elastica.csv");
/// Naturally curved hanging rod with GJ/EI = 2/3: Γ, critical κL.
const BEND_TWIST: &str = include_str!("../data/romero_bend_twist_planar_stability_CB0.667.csv");
/// Elastica clamped at the top, its end on a floor, lowered: ε, critical friction |Q|/P, and more.
const STICK_SLIP: &str = include_str!("../data/romero_stick_slip_pinned_elastica.csv");

impl Curve {
    /// Heavy cantilever: columns H/W, W/L, H/L, tip angle over Γ = w L³/EI.
    pub fn heavy_cantilever() -> Curve {
        Curve::parse(CANTILEVER)
    }

    /// Tip-loaded cantilever: columns w/L, u/L, tip angle over P L²/EI.
    pub fn tip_load() -> Curve {
        Curve::parse(TIP_LOAD)
    }

    /// Planar stability of a naturally curved hanging rod: column κL over Γ.
    pub fn bend_twist() -> Curve {
        Curve::parse(BEND_TWIST)
    }

    /// Strip on a rough floor: column μ_c over the share ε of its length by which the clamp is
    /// lowered, valid to 0.33.
    pub fn stick_slip() -> Curve {
        Curve::parse(STICK_SLIP)
    }

    fn parse(text: &str) -> Curve {
        let row =
            |line: &str| line.split(',').map(|field| field.trim().parse().unwrap_or(f64::NAN)).collect();
        Curve { rows: text.lines().skip(1).map(row).collect() }
    }

    /// The value of a column (from 1) at `x`, by straight lines between logarithms; NaN outside of
    /// the table.
    pub fn at(&self, x: f64, column: usize) -> f64 {
        let after = self.rows.partition_point(|row| row[0] < x * (1.0 - 1e-6));
        match self.rows.get(after) {
            Some(row) if (row[0] / x - 1.0).abs() < 1e-6 => row[column],
            Some(row) if after > 0 => {
                let before = &self.rows[after - 1];
                let share = (x / before[0]).ln() / (row[0] / before[0]).ln();
                before[column] * (row[column] / before[column]).powf(share)
            }
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_the_values_that_their_notes_name() {
        let cantilever = Curve::heavy_cantilever();
        assert!((cantilever.at(10.0, 1) - 1.0668).abs() < 1e-4);
        // Small loads: Γ/8.
        assert!((cantilever.at(0.0137, 1) * 8.0 / 0.0137 - 1.0).abs() < 1e-4);
        assert!(cantilever.at(1e9, 1).is_nan());
        // Small tip loads: P L³/3EI.
        assert!((Curve::tip_load().at(0.2, 1) - 0.2 / 3.0).abs() < 5e-4);
        assert!((Curve::bend_twist().at(100.0, 1) - 7.5816).abs() < 1e-3);
        assert!((Curve::stick_slip().at(0.1, 1) - 0.1528).abs() < 1e-4);
        assert!(Curve::bend_twist().at(10.0, 1).is_nan());
    }
}
