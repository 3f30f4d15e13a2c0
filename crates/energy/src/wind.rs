//! Wind: a mean velocity plus smooth gusts, a pure function of place and time.

use std::f64::consts::TAU;
use stiction_numerics::{Random, Vec3};

/// Waves in a turbulent field: enough that the sum does not look periodic.
const TURBULENT_WAVES: usize = 16;

/// One travelling wave of air velocity, `a sin(ωt − k·x + φ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GustWave {
    /// Velocity amplitude a \[m/s\].
    pub amplitude: Vec3,
    /// Wave vector k \[rad/m\].
    pub wave: Vec3,
    /// Angular frequency ω \[rad/s\].
    pub frequency: f64,
    /// Phase φ \[rad\].
    pub phase: f64,
}

/// Air velocity `w(x, t) = v + Σ a sin(ωt − k·x + φ)`, smooth and the same on every run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindField {
    /// Mean velocity \[m/s\].
    pub velocity: Vec3,
    /// Gusts on top of it.
    pub gusts: Vec<GustWave>,
}

impl WindField {
    /// Steady wind.
    pub fn steady(velocity: Vec3) -> Self {
        WindField { velocity, gusts: Vec::new() }
    }

    /// Adds a gust that travels along the mean wind: `a v̂ sin(2π(f t − v̂·x/L))`,
    /// a amplitude \[m/s\] · f frequency \[1/s\] · L length \[m\]. Without a mean wind there is no
    /// direction and no gust.
    pub fn with_travelling_gust(mut self, amplitude: f64, frequency: f64, length: f64) -> Self {
        if let Some(direction) = self.velocity.try_normalize(0.0) {
            self.gusts.push(GustWave {
                amplitude: direction * amplitude,
                wave: direction * (TAU / length),
                frequency: TAU * frequency,
                phase: 0.0,
            });
        }
        self
    }

    /// Adds turbulence of the given root-mean-square speed \[m/s\], length \[m\] and time \[s\].
    ///
    /// Waves in random directions with wavelengths and periods within a factor two of the given
    /// ones; amplitudes are across the wave vectors, so the field neither creates nor swallows air.
    pub fn with_turbulence(mut self, speed: f64, length: f64, time: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        // Each wave has mean square a²/2.
        let amplitude = speed * (2.0 / TURBULENT_WAVES as f64).sqrt();
        for _ in 0..TURBULENT_WAVES {
            let frame = random.rotation();
            let octave = |random: &mut Random| random.range(-0.5, 0.5).exp2();
            self.gusts.push(GustWave {
                amplitude: frame.column(0) * amplitude,
                wave: frame.column(1) * (TAU / length * octave(&mut random)),
                frequency: TAU / time * octave(&mut random),
                phase: random.range(0.0, TAU),
            });
        }
        self
    }

    /// Air velocity at a place \[m\] and time \[s\].
    pub fn velocity_at(&self, point: &Vec3, time: f64) -> Vec3 {
        (self.gusts.iter()).fold(self.velocity, |sum, gust| {
            sum + gust.amplitude * (gust.frequency * time - gust.wave.dot(point) + gust.phase).sin()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_travelling_gust_moves_with_its_phase_speed() {
        let wind = WindField::steady(Vec3::new(3.0, 0.0, 4.0)).with_travelling_gust(2.0, 0.5, 8.0);
        let direction = Vec3::new(0.6, 0.0, 0.8);
        let start = wind.velocity_at(&Vec3::new(0.3, 1.0, -0.2), 0.7);
        // f L = 4 m/s.
        let later = wind.velocity_at(&(Vec3::new(0.3, 5.0, -0.2) + direction * 4.0 * 1.3), 2.0);
        assert!((start - later).norm() < 1e-12);
        let peak = wind.velocity_at(&Vec3::zeros(), 0.5);
        assert!((peak.norm() - 7.0).abs() < 1e-12);
    }

    #[test]
    fn turbulence_has_the_given_speed_and_no_divergence() {
        let wind = WindField::default().with_turbulence(1.5, 2.0, 3.0, 11);
        assert_eq!(wind, WindField::default().with_turbulence(1.5, 2.0, 3.0, 11));
        let count = 40_000;
        let mut random = Random::new(1);
        let mean_square: f64 = (0..count)
            .map(|_| wind.velocity_at(&random.vector(-500.0, 500.0), random.range(0.0, 500.0)).norm_squared())
            .sum::<f64>()
            / count as f64;
        // Sampling error of a mean square: about 1/√count, five times that.
        assert!((mean_square / 2.25 - 1.0).abs() < 5.0 / (count as f64).sqrt(), "{mean_square}");
        for gust in &wind.gusts {
            assert!(gust.amplitude.dot(&gust.wave).abs() < 1e-12 * gust.wave.norm());
        }
    }
}
