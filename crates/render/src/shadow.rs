//! Sun shadows: a depth map from the sun, filtered so that shadows harden towards contact.
//!
//! Percentage-closer soft shadows [Fernando 2005, "Percentage-Closer Soft Shadows"]: the mean
//! distance of blockers near the receiver gives the width of the penumbra, w = (z_receiver −
//! z_blocker)·tan α, over which the comparison is averaged. Comparisons are made against the
//! receiver's tangent plane, which removes acne on slopes without detaching the shadow from its
//! caster.

use crate::V3;
use crate::primitives::Primitives;
use crate::projection::{Lens, Projector};
use crate::raster::rasterise;
use crate::spiral::SpiralTable;
use crate::view::{BoundingBox, UpAxis};

/// Tangent of the sun's half angle: wider than the real sun (0.005), as on a hazy day.
const SUN_TANGENT: f32 = 0.045;
/// Steepest receiver slope followed by the tangent plane; beyond it the sun hardly lights the
/// surface.
const MAX_SLOPE: f32 = 4.0;
/// Capsules thinner than this [texels] are widened, so that hairs cast unbroken shadows.
const THINNEST: f32 = 1.1;
const SEARCH_TAPS: usize = 12;
const FILTER_TAPS: usize = 20;

/// The scene seen from the sun.
pub(crate) struct ShadowMap {
    projector: Projector,
    nearness: Vec<f32>,
    /// Least depth of anything in the box [m].
    first_depth: f32,
    search: SpiralTable,
    filter: SpiralTable,
}

/// Projection along the sun that just holds the box.
fn sun_projector(bounds: &BoundingBox, sun: V3, up: UpAxis, resolution: usize) -> Projector {
    let [e1, _, up] = up.basis();
    let forward = -sun;
    let side = forward.cross(&up);
    let right = if side.norm() > 1e-4 { side.normalize() } else { e1 };
    let axes = [right, right.cross(&forward), forward];
    let origin = bounds.centre();
    let mut half = [1e-6_f32; 2];
    for corner in bounds.corners() {
        for k in 0..2 {
            half[k] = half[k].max((corner - origin).dot(&axes[k]).abs());
        }
    }
    // a margin of two texels keeps the border empty
    let scale = (resolution as f32 - 4.0) / (2.0 * half[0].max(half[1]));
    let size = half.map(|h| (2.0 * h * scale) as usize + 4);
    let centre = size.map(|s| 0.5 * s as f32);
    Projector { origin, axes, lens: Lens::Orthographic, scale, centre, width: size[0], height: size[1] }
}

impl ShadowMap {
    pub fn new(
        primitives: &Primitives,
        bounds: &BoundingBox,
        sun: V3,
        up: UpAxis,
        resolution: usize,
    ) -> Self {
        let projector = sun_projector(bounds, sun, up, resolution);
        let depth = |c: V3| projector.to_camera(c).z;
        let first_depth = bounds.corners().into_iter().map(depth).fold(f32::INFINITY, f32::min);
        let nearness = rasterise(&projector, primitives, THINNEST).nearness;
        let (search, filter) = (SpiralTable::new(SEARCH_TAPS), SpiralTable::new(FILTER_TAPS));
        ShadowMap { projector, nearness, first_depth, search, filter }
    }

    /// Part of the sun seen from a world point with a world normal; `turn` picks the rotation of
    /// the pattern.
    pub fn sunlight(&self, point: V3, normal: V3, turn: usize) -> f32 {
        let c = self.projector.to_camera(point);
        let n = self.projector.direction_to_camera(normal);
        let receiver = Receiver::new(self, c, n);
        let texel = 1.0 / self.projector.scale;
        let search = (SUN_TANGENT * (c.z - self.first_depth)).clamp(2.0 * texel, 48.0 * texel);
        let (mut blockers, mut depth_sum) = (0, 0.0);
        for &unit in self.search.points(turn) {
            if let Some(depth) = receiver.blocker(unit, search) {
                blockers += 1;
                depth_sum += depth;
            }
        }
        if blockers == 0 {
            return 1.0;
        }
        let penumbra = SUN_TANGENT * (c.z - depth_sum / blockers as f32);
        let penumbra = penumbra.clamp(1.5 * texel, search);
        let points = self.filter.points(turn).iter();
        let blocked = points.filter(|&&unit| receiver.blocker(unit, penumbra).is_some()).count();
        1.0 - blocked as f32 / FILTER_TAPS as f32
    }
}

/// A point to be lit, in the sun's coordinates.
struct Receiver<'a> {
    map: &'a ShadowMap,
    point: V3,
    /// Change of depth over the tangent plane.
    slope: [f32; 2],
    bias: f32,
}

impl<'a> Receiver<'a> {
    fn new(map: &'a ShadowMap, point: V3, normal: V3) -> Self {
        let nz = normal.z.min(-1e-3);
        let slope = [-normal.x / nz, -normal.y / nz];
        let steep = slope[0].hypot(slope[1]);
        let limit = if steep > MAX_SLOPE { MAX_SLOPE / steep } else { 1.0 };
        let bias = (0.7 + 0.7 * steep.min(MAX_SLOPE)) / map.projector.scale;
        Receiver { map, point, slope: slope.map(|s| s * limit), bias }
    }

    /// Depth of what blocks the sun at an offset within the tangent plane.
    fn blocker(&self, unit: [f32; 2], radius: f32) -> Option<f32> {
        let (u, v) = (unit[0] * radius, unit[1] * radius);
        let p = &self.map.projector;
        let x = p.centre[0] + p.scale * (self.point.x + u);
        let y = p.centre[1] - p.scale * (self.point.y + v);
        if x < 0.0 || y < 0.0 || x >= p.width as f32 || y >= p.height as f32 {
            return None;
        }
        let depth = -self.map.nearness[y as usize * p.width + x as usize];
        let plane = self.point.z + self.slope[0] * u + self.slope[1] * v;
        (depth < plane - self.bias).then_some(depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::Capsule;

    #[test]
    fn ball_shades_what_is_behind_it_and_not_its_lit_side() {
        let ball = Capsule { ends: [V3::zeros(); 2], radius: 0.5, colours: [V3::zeros(); 2], body: 0 };
        let primitives = Primitives { triangles: vec![], capsules: vec![ball] };
        let bounds = BoundingBox { min: [-1.0; 3], max: [1.0; 3] };
        let map = ShadowMap::new(&primitives, &bounds, V3::y(), UpAxis::Y, 512);
        let light = |x: f32, y: f32| map.sunlight(V3::new(x, y, 0.0), V3::y(), 5);
        assert_eq!(light(0.0, -1.0), 0.0);
        assert_eq!(light(0.9, -1.0), 1.0);
        let edge = light(0.5, -1.0);
        assert!(edge > 0.2 && edge < 0.8, "half of the sun at the rim: {edge}");
        for i in 0..40 {
            let a = i as f32 / 40.0 * std::f32::consts::FRAC_PI_3;
            let n = V3::new(a.sin(), a.cos(), 0.0);
            assert_eq!(map.sunlight(n * 0.5, n, 5), 1.0, "acne at {a} rad");
        }
    }
}
