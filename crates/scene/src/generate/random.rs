//! A small deterministic random source: SplitMix64 [Steele, Lea, Flood 2014].

/// Random numbers from a seed; the same on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix {
    state: u64,
}

impl SplitMix {
    /// A source for a seed and a stream: streams of one seed are unrelated.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = SplitMix { state: seed ^ stream.wrapping_mul(0xA076_1D64_78BD_642F) };
        random.next_u64();
        random
    }

    /// Next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}
