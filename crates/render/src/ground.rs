//! The ground: an endless plane that fades into the background, with a grid.

use crate::V3;
use crate::projection::Projector;
use crate::view::{BoundingBox, UpAxis};

/// Plane of the ground and its grid.
pub(crate) struct GroundGrid {
    /// Two horizontal unit vectors and up.
    basis: [V3; 3],
    height: f32,
    centre: V3,
    scene_radius: f32,
    /// Distance between fine grid lines [m]; every fifth is stronger.
    spacing: f32,
}

impl GroundGrid {
    /// `None` when the eye is below the ground, which then would only hide the scene.
    pub fn new(height: f32, up: UpAxis, bounds: &BoundingBox, eye: V3) -> Option<GroundGrid> {
        let basis = up.basis();
        let scene_radius = bounds.radius();
        // a hair lower, so that flat things lying exactly on it win
        let height = height - 2e-4 * scene_radius;
        (eye.dot(&basis[2]) > height).then(|| GroundGrid {
            basis,
            height,
            centre: bounds.centre(),
            scene_radius,
            spacing: nice_spacing(scene_radius / 6.0),
        })
    }

    pub fn normal(&self) -> V3 {
        self.basis[2]
    }

    /// Nearness along a screen row as `a + b·x`: 1/depth is affine on the screen.
    pub fn nearness(&self, projector: &Projector, y: f32) -> [f32; 2] {
        let clearance = self.height - projector.origin.dot(&self.basis[2]);
        let value = |x: f32| {
            let direction = projector.direction_to_world(projector.ray(x, y).1);
            direction.dot(&self.basis[2]) / clearance
        };
        let (a, b) = (value(0.0), value(projector.width as f32));
        [a, (b - a) / projector.width as f32]
    }

    /// 1 near the scene, 0 where the ground has become background.
    pub fn presence(&self, point: V3) -> f32 {
        let from = point - self.centre;
        let flat = (from - self.basis[2] * from.dot(&self.basis[2])).norm() / self.scene_radius;
        let t = ((flat - 1.5) / 4.5).clamp(0.0, 1.0);
        1.0 - t * t * (3.0 - 2.0 * t)
    }

    /// Darkness of the grid at a point, 0 to 1, averaged over a pixel that covers `footprint`
    /// metres of ground.
    pub fn grid(&self, point: V3, footprint: f32) -> f32 {
        let fade = |spacing: f32| (1.5 - 6.0 * footprint / spacing).clamp(0.0, 1.0);
        let mut dark: f32 = 0.0;
        for (spacing, width, strength) in [(self.spacing, 0.006, 0.45), (5.0 * self.spacing, 0.010, 1.0)] {
            let line = (width * self.spacing).max(0.8 * footprint);
            for k in 0..2 {
                let x = point.dot(&self.basis[k]);
                let gap = (x - (x / spacing).round() * spacing).abs();
                // box filter of a line over the footprint
                let cover = ((0.5 * (line + footprint) - gap) / footprint).clamp(0.0, 1.0);
                dark = dark.max(cover * strength * fade(spacing));
            }
        }
        dark
    }
}

/// The nearest of 1, 2, 5 times a power of ten, not above the wish.
fn nice_spacing(wish: f32) -> f32 {
    let decade = 10_f32.powf(wish.log10().floor());
    [5.0, 2.0].into_iter().map(|k| k * decade).find(|&s| s <= wish).unwrap_or(decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_is_round() {
        for (wish, expected) in [(0.3, 0.2), (7.0, 5.0), (1.2, 1.0), (0.051, 0.05)] {
            assert!((nice_spacing(wish) / expected - 1.0).abs() < 1e-5, "{wish}");
        }
    }
}
