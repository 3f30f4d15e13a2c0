//! Sampling patterns: points spread over a disc, rotated from pixel to pixel.

/// Side of the square of pixels over which the rotations repeat.
pub(crate) const PERIOD: usize = 4;
const TURNS: usize = PERIOD * PERIOD;

/// Rotation of the pattern at a pixel: each once in every 4 × 4 block, neighbours far apart.
pub(crate) fn pattern_turn(column: usize, row: usize) -> usize {
    const ORDER: [[usize; PERIOD]; PERIOD] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    ORDER[row % PERIOD][column % PERIOD]
}

/// A sunflower spiral over the unit disc in all rotations, computed once: sines cost more than the
/// look-ups.
pub(crate) struct SpiralTable {
    count: usize,
    points: Vec<[f32; 2]>,
}

impl SpiralTable {
    pub fn new(count: usize) -> Self {
        /// Golden angle [radians].
        const GOLDEN: f32 = 2.399_963;
        let point = |i: usize| {
            let (turn, k) = (i / count, i % count);
            let radius = ((k as f32 + 0.5) / count as f32).sqrt();
            let angle = k as f32 * GOLDEN + turn as f32 / TURNS as f32 * std::f32::consts::TAU;
            [radius * angle.cos(), radius * angle.sin()]
        };
        SpiralTable { count, points: (0..TURNS * count).map(point).collect() }
    }

    pub fn points(&self, turn: usize) -> &[[f32; 2]] {
        &self.points[turn * self.count..(turn + 1) * self.count]
    }
}
