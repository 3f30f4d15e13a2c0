//! How far an iteration still has to go.
//!
//! δ_k = C ρᵏ near the solution, so what is still to come after move k is δ_k (ρ + ρ² + …) = δ_k
//! ρ/(1 − ρ).
//! δ move of an iteration \[m\] · ρ rate of linear convergence
//!
//! The last move alone says little: with ρ = 0.98 the solution is 49 moves away.

/// Moves over which the rate is averaged: ADMM does not fall evenly, friction switches in between.
const WINDOW: usize = 6;

/// The last moves of an iteration.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    moves: Vec<f64>,
}

impl Rate {
    /// Takes the next move \[m\].
    pub fn take(&mut self, moved: f64) {
        if self.moves.len() > WINDOW {
            self.moves.remove(0);
        }
        self.moves.push(moved);
    }

    /// ρ as the mean over the last moves; `None` before there are two.
    pub fn rate(&self) -> Option<f64> {
        let [first, .., last] = self.moves[..] else { return None };
        if first <= 0.0 {
            return Some(0.0);
        }
        Some((last / first).powf(1.0 / (self.moves.len() - 1) as f64))
    }

    /// A bound of the distance to the solution \[m\], never below the last move: δ max(1, ρ/(1 −
    /// ρ)). Unknown before there is a rate, and while moves do not shrink.
    pub fn distance(&self) -> f64 {
        let last = self.moves.last().copied().unwrap_or(f64::INFINITY);
        match self.rate() {
            // The iteration stands still to the last bit.
            _ if last == 0.0 => 0.0,
            Some(rate) if rate < 1.0 => last * (rate / (1.0 - rate)).max(1.0),
            _ => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_a_geometric_series_is_its_remainder() {
        for ratio in [0.3, 0.9, 0.99f64] {
            let mut rate = Rate::default();
            assert_eq!(rate.distance(), f64::INFINITY);
            (0..20).for_each(|k| rate.take(ratio.powi(k)));
            let remainder = ratio.powi(20) / (1.0 - ratio);
            let expected = remainder.max(ratio.powi(19));
            assert!((rate.distance() / expected - 1.0).abs() < 1e-10, "{ratio}: {}", rate.distance());
        }
    }

    #[test]
    fn nothing_is_known_of_moves_that_grow() {
        let mut rate = Rate::default();
        [1.0, 2.0].into_iter().for_each(|m| rate.take(m));
        assert_eq!(rate.distance(), f64::INFINITY);
        rate.take(0.0);
        assert_eq!(rate.distance(), 0.0);
    }
}
