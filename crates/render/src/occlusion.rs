//! Screen-space ambient occlusion and the joint smoothing of occlusion and sunlight.
//!
//! For a surface point p with normal n, the part of the sky hidden by neighbours q seen in the
//! picture:
//! o = mean over q of max(0, cos∠(n, q − p) − β)·max(0, 1 − |q − p|²/R²). β hides the facets of the
//! mesh;
//! two radii R show wrinkles and contact (small) and the depth of the scene (large).

use rayon::prelude::*;

use crate::V3;
use crate::projection::Projector;
use crate::shadow::ShadowMap;
use crate::spiral::{PERIOD, SpiralTable, pattern_turn};
use crate::surface::VisiblePoint;
use crate::view::BoundingBox;

const TAPS: usize = 12;
/// Angle bias β of the formula above.
const ANGLE_BIAS: f32 = 0.08;
/// Radii relative to the scene's radius, and how much each darkens.
const SCALES: [(f32, f32); 2] = [(0.05, 1.35), (0.25, 1.35)];
/// Longest reach on the screen relative to the picture's height: bounds the cost of close-ups.
const SCREEN_REACH: f32 = 0.14;

/// Light that reaches a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exposure {
    /// Part of the sky that is open, 0 to 1.
    pub sky: f32,
    /// Part of the sun that is seen, 0 to 1.
    pub sun: f32,
}

impl Exposure {
    pub const FULL: Exposure = Exposure { sky: 1.0, sun: 1.0 };
}

/// The pixels of a picture as surface points.
pub(crate) struct PixelGrid<'a> {
    pub points: &'a [Option<VisiblePoint>],
    /// Pixel-resolution view.
    pub projector: &'a Projector,
    /// Radius of the scene [m].
    pub scene_radius: f32,
    /// Box of all that can hide sky or sun.
    pub casters: BoundingBox,
}

impl PixelGrid<'_> {
    pub fn get(&self, column: isize, row: isize) -> Option<&VisiblePoint> {
        let (width, height) = (self.projector.width as isize, self.projector.height as isize);
        if column < 0 || row < 0 || column >= width || row >= height {
            return None;
        }
        self.points[(row * width + column) as usize].as_ref()
    }

    /// Step off the tangent plane that still counts as one surface [m].
    pub fn tolerance(&self, point: &VisiblePoint) -> f32 {
        2.5 * self.projector.sample_width(point.position.z)
    }

    /// Positions alone, closely packed for the scattered reads of the occlusion; background is
    /// infinitely far.
    fn places(&self) -> Vec<V3> {
        let far = V3::repeat(f32::INFINITY);
        self.points.par_iter().map(|p| p.as_ref().map_or(far, |p| p.position)).collect()
    }

    /// Whether bodies are too far from a ground point to hide sky from it.
    fn in_the_open(&self, point: &VisiblePoint) -> bool {
        let margin = SCALES[1].0 * self.scene_radius;
        let world = self.projector.to_world(point.position);
        let outside =
            |k: usize| world[k] < self.casters.min[k] - margin || world[k] > self.casters.max[k] + margin;
        point.is_ground() && (0..3).any(outside)
    }

    fn sky(
        &self,
        places: &[V3],
        [column, row]: [usize; 2],
        point: &VisiblePoint,
        pattern: &[[f32; 2]],
    ) -> f32 {
        let (width, height) = (self.projector.width, self.projector.height);
        let pixel = self.projector.sample_width(point.position.z);
        let longest = SCREEN_REACH * height as f32;
        let mut open = 1.0;
        for (relative, strength) in SCALES {
            let reach = (relative * self.scene_radius / pixel).clamp(2.0, longest);
            let inverse_squared = (reach * pixel).powi(-2);
            let mut hidden = 0.0;
            for unit in pattern {
                // casts of negative numbers saturate at 0: clamped to the border, as the upper side
                // is
                let u = ((column as f32 + 0.5 + unit[0] * reach) as usize).min(width - 1);
                let v = ((row as f32 + 0.5 + unit[1] * reach) as usize).min(height - 1);
                let to = places[v * width + u] - point.position;
                let gap_squared = to.norm_squared();
                let near = 1.0 - gap_squared * inverse_squared;
                if gap_squared > 0.0 && near > 0.0 {
                    hidden += (to.dot(&point.normal) / gap_squared.sqrt() - ANGLE_BIAS).max(0.0) * near;
                }
            }
            open *= (1.0 - strength * hidden / TAPS as f32).max(0.0);
        }
        open
    }

    /// Exposure of every pixel, smoothed. `None` for `shadow` leaves the sun unblocked.
    pub fn exposure(&self, shadow: Option<(&ShadowMap, &Projector)>, occlusion: bool) -> Vec<Exposure> {
        let width = self.projector.width;
        let table = SpiralTable::new(TAPS);
        let places = if occlusion { self.places() } else { Vec::new() };
        let mut raw = vec![Exposure::FULL; self.points.len()];
        raw.par_chunks_mut(width).enumerate().for_each(|(row, line)| {
            for (column, out) in line.iter_mut().enumerate() {
                let Some(point) = &self.points[row * width + column] else { continue };
                let turn = pattern_turn(column, row);
                if occlusion && !self.in_the_open(point) {
                    out.sky = self.sky(&places, [column, row], point, table.points(turn));
                }
                if let Some((map, view)) = shadow {
                    out.sun = sunlight(map, view, point, turn);
                }
            }
        });
        self.smooth(&raw)
    }

    /// Mean over one period of the sampling pattern, which removes its noise, within the surface of
    /// the pixel.
    fn smooth(&self, raw: &[Exposure]) -> Vec<Exposure> {
        let width = self.projector.width;
        let mut out = vec![Exposure::FULL; raw.len()];
        let half = PERIOD as isize / 2;
        out.par_chunks_mut(width).enumerate().for_each(|(row, line)| {
            for (column, value) in line.iter_mut().enumerate() {
                let Some(point) = &self.points[row * width + column] else { continue };
                let tolerance = self.tolerance(point);
                let (mut weight, mut sky, mut sun) = (0.0, 0.0, 0.0);
                for dv in -half..half {
                    for du in -half..half {
                        let (u, v) = (column as isize + du, row as isize + dv);
                        if self.get(u, v).is_some_and(|q| point.continues(q, tolerance)) {
                            let e = raw[v as usize * width + u as usize];
                            (weight, sky, sun) = (weight + 1.0, sky + e.sky, sun + e.sun);
                        }
                    }
                }
                // the pixel continues itself, so the weight is at least one
                *value = Exposure { sky: sky / weight, sun: sun / weight };
            }
        });
        out
    }
}

/// Sunlight at a point given in camera coordinates of `view`.
pub(crate) fn sunlight(map: &ShadowMap, view: &Projector, point: &VisiblePoint, turn: usize) -> f32 {
    map.sunlight(view.to_world(point.position), view.direction_to_world(point.normal), turn)
}
