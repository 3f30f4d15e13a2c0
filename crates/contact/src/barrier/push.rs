//! The force of a barrier as a function of its gap, and chords of it.
//!
//! Newton's method on a cubic barrier that is far too deep halves what it is too deep by: the
//! tangent of `f ∝ (ĝ − g)²` meets zero half-way to ĝ. On one that is hardly touched it goes far
//! too deep. When the force F that a contact will carry is known, from the last linear solve, the
//! chord through the present point and the point of the law where it reaches F goes right there; at
//! the solution the chord is the tangent. The same idea as the multipliers of a primal–dual
//! interior point method, which linearise a barrier about its force instead of its gap.

use super::shape::Barrier;

/// `f(g) = (m/g² + k) |b'(g)|`, the stiffness of a contact with its growth.   [Ando2024, eq. 1, 5,
/// 7]
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// b, for unit stiffness.
    pub barrier: &'a Barrier,
    /// ĝ \[m\].
    pub activation: f64,
    /// m \[kg/s² m²\]: the part of the stiffness that grows as the gap closes, times g².
    pub mass: f64,
    /// k \[N/m\].
    pub elastic: f64,
}

/// Gaps nearer than this share of ĝ are one: the chord between them is the tangent.
const NEAR: f64 = 1e-3;

/// Most steps to the gap of a force: one or two where elasticity rules, since the root of a cubic
/// barrier's force is a straight line; one for each doubling where inertia does.
const STEPS: usize = 16;

impl Push<'_> {
    /// Force \[N\] and its fall with the gap, `−f'` \[N/m\].
    fn at(&self, gap: f64) -> [f64; 2] {
        let (unit, inertial) = (self.barrier.at(gap, self.activation), self.mass / (gap * gap));
        let (stiffness, push) = (inertial + self.elastic, unit.slope.abs());
        [stiffness * push, stiffness * unit.curvature + 2.0 * inertial / gap * push]
    }

    /// The gap at which a positive force is reached, by Newton's method on √f from some gap; at
    /// least a fraction of that gap where the law stays below the force.
    fn gap_of(&self, force: f64, from: f64) -> f64 {
        let (root, mut gap) = (force.sqrt(), from);
        for _ in 0..STEPS {
            let [now, fall] = self.at(gap);
            let ahead = gap + (now.sqrt() - root) * 2.0 * now.sqrt() / fall;
            // Inside of (0, ĝ), where f is positive and falls.
            let highest = if ahead < self.activation { ahead } else { 0.5 * (gap + self.activation) };
            let (before, next) = (gap, highest.max(0.5 * gap));
            gap = next;
            if (next - before).abs() < 0.1 * NEAR * self.activation {
                break;
            }
        }
        gap
    }

    /// Slope \[N/m\], positive, of the chord from a gap below ĝ to where the force is the expected
    /// one.
    pub fn chord(&self, gap: f64, expected: f64) -> f64 {
        let [force, fall] = self.at(gap);
        let there = if expected > 0.0 { self.gap_of(expected, gap) } else { self.activation };
        let chord = (force - expected.max(0.0)) / (there - gap);
        if (there - gap).abs() < NEAR * self.activation || chord <= 0.0 { fall } else { chord }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::CappedLogarithm;

    fn laws(barrier: &Barrier) -> [Push<'_>; 3] {
        [(0.0, 3e4), (2e-3, 0.0), (5e-4, 1e3)].map(|(mass, elastic)| Push {
            barrier,
            activation: 1e-3,
            mass,
            elastic,
        })
    }

    fn barriers() -> [Barrier; 4] {
        let capped = CappedLogarithm::new(16.0).expect("a positive cap");
        [Barrier::Cubic, Barrier::Logarithmic, Barrier::CappedLogarithmic(capped), Barrier::Quadratic]
    }

    /// A contact under a constant load is solved by one step, from any gap to any other.
    #[test]
    fn a_chord_leads_to_the_gap_of_its_force() {
        for barrier in barriers() {
            for law in laws(&barrier) {
                for from in [0.05, 0.3, 0.7, 0.99] {
                    for to in [0.08, 0.4, 0.8, 0.98] {
                        let (gap, wanted) = (from * 1e-3, to * 1e-3);
                        let [[now, _], [load, _]] = [law.at(gap), law.at(wanted)];
                        let reached = gap + (now - load) / law.chord(gap, load);
                        assert!((reached - wanted).abs() < 2e-6, "{barrier:?} {from} to {to}: {reached}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_chord_to_nothing_ends_at_the_activation_gap_and_one_to_itself_is_the_tangent() {
        for law in laws(&Barrier::Cubic) {
            let [force, fall] = law.at(4e-4);
            assert!((force / law.chord(4e-4, 0.0) - 6e-4).abs() < 1e-12);
            let h = 1e-8;
            let slope = (law.at(4e-4 - h)[0] - law.at(4e-4 + h)[0]) / (2.0 * h);
            assert!((law.chord(4e-4, force) / slope - 1.0).abs() < 1e-6 && (fall / slope - 1.0).abs() < 1e-6);
            assert!(law.chord(4e-4, 1e12).is_finite() && law.chord(4e-4, 1e12) > fall);
        }
    }
}
