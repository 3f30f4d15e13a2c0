//! Capsules: exact ray intersection within the screen footprint.

use super::Band;
use crate::V3;
use crate::projection::Projector;

/// A capsule in camera coordinates with its screen footprint.
pub(super) struct ScreenCapsule {
    ends: [V3; 2],
    radius: f32,
    /// Screen positions of the ends and a bound on the drawn radius [samples].
    screen: [[f32; 2]; 2],
    reach: f32,
    rows: (u32, u32),
    number: u32,
}

impl ScreenCapsule {
    /// `None` if it is behind the near plane or off the screen. A capsule through the near plane is
    /// cut there.
    pub(super) fn new(
        projector: &Projector,
        mut ends: [V3; 2],
        radius: f32,
        near: f32,
        number: u32,
    ) -> Option<Self> {
        if ends[0].z < near && ends[1].z < near {
            return None;
        }
        for k in 0..2 {
            let (p, q) = (ends[k], ends[1 - k]);
            if p.z < near {
                ends[k] = p + (q - p) * ((near - p.z) / (q.z - p.z));
                ends[k].z = near;
            }
        }
        let depth = ends[0].z.min(ends[1].z);
        // a sphere seen off-axis or close by projects to more than radius/width; bound by its
        // nearest point
        let closest = projector.sample_width((depth - radius).max(0.25 * depth));
        let screen = ends.map(|p| projector.project_camera(p)).map(|s| [s[0], s[1]]);
        let half = [projector.width, projector.height].map(|n| 0.5 * n as f32 / projector.scale);
        let off_axis = (1.0 + half[0] * half[0] + half[1] * half[1]).sqrt();
        let reach = radius / closest * off_axis + 1.0;
        let low = screen[0][1].min(screen[1][1]) - reach;
        let high = screen[0][1].max(screen[1][1]) + reach;
        let left = screen[0][0].min(screen[1][0]) - reach;
        let right = screen[0][0].max(screen[1][0]) + reach;
        if high < 0.0 || low >= projector.height as f32 || right < 0.0 || left >= projector.width as f32 {
            return None;
        }
        let rows = (low.max(0.0) as u32, (high as u32).min(projector.height as u32 - 1));
        Some(ScreenCapsule { ends, radius, screen, reach, rows, number })
    }

    pub(super) fn rows(&self) -> (usize, usize) {
        (self.rows.0 as usize, self.rows.1 as usize)
    }

    pub(super) fn fill(&self, band: &mut Band) {
        let projector = band.projector;
        let shape = Solver::new(self.ends, self.radius);
        for row in band.clip_rows(self.rows()) {
            let start = band.row_start(row);
            let y = row as f32 + 0.5;
            let Some((first, last)) = self.columns(y, projector.width) else { continue };
            for column in first..=last {
                let (origin, direction) = projector.ray(column as f32 + 0.5, y);
                if let Some(depth) = shape.first_hit(origin, direction) {
                    band.put(start + column, projector.nearness(depth as f32), self.number);
                }
            }
        }
    }

    /// Columns of a row within `reach` of the projected axis: |d × (p − a)| ≤ reach·|d|, and within
    /// the box.
    fn columns(&self, y: f32, width: usize) -> Option<(usize, usize)> {
        let [a, b] = self.screen;
        let (mut low, mut high) = (a[0].min(b[0]) - self.reach, a[0].max(b[0]) + self.reach);
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        if dy.abs() > 1e-3 * dx.abs() && dy.abs() > 1.0 {
            let centre = a[0] + dx * (y - a[1]) / dy;
            let half = self.reach * dx.hypot(dy) / dy.abs();
            (low, high) = (low.max(centre - half), high.min(centre + half));
        }
        let (low, high) = (low.max(0.0), high.min(width as f32 - 1.0));
        (low <= high).then_some((low as usize, high as usize))
    }
}

/// Constants of the intersection. In f64, since hairs are 10⁻⁵ of their distance thick and the
/// radius enters squared.
struct Solver {
    a: [f64; 3],
    axis: [f64; 3],
    axis_squared: f64,
    radius_squared: f64,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn wide(v: V3) -> [f64; 3] {
    [v.x as f64, v.y as f64, v.z as f64]
}

impl Solver {
    fn new(ends: [V3; 2], radius: f32) -> Self {
        let (a, b) = (wide(ends[0]), wide(ends[1]));
        let axis = sub(b, a);
        Solver { a, axis, axis_squared: dot(axis, axis), radius_squared: (radius as f64).powi(2) }
    }

    /// Smallest parameter at which `origin + t·direction` meets the capsule.
    ///
    /// With m = origin − a, s = axis: the side satisfies |m + t d|² s² − ((m + t d)·s)² = r² s², a
    /// quadratic in t, valid where 0 ≤ (m + t d)·s ≤ s²; otherwise the ball at the nearer end
    /// decides.
    fn first_hit(&self, origin: V3, direction: V3) -> Option<f64> {
        let (d, m) = (wide(direction), sub(wide(origin), self.a));
        let (dd, ds, ms) = (dot(d, d), dot(d, self.axis), dot(m, self.axis));
        let (md, mm) = (dot(m, d), dot(m, m));
        let qa = self.axis_squared * dd - ds * ds;
        let mut along = if ds > 0.0 { -1.0 } else { f64::INFINITY };
        if qa > 1e-14 * self.axis_squared * dd {
            let qb = self.axis_squared * md - ms * ds;
            let qc = self.axis_squared * (mm - self.radius_squared) - ms * ms;
            let disc = qb * qb - qa * qc;
            if disc < 0.0 {
                return None;
            }
            let t = (-qb - disc.sqrt()) / qa;
            along = ms + t * ds;
            if along >= 0.0 && along <= self.axis_squared {
                return Some(t);
            }
        }
        let centre = if along < 0.0 { m } else { sub(m, self.axis) };
        let (cb, cc) = (dot(centre, d), dot(centre, centre) - self.radius_squared);
        let disc = cb * cb - dd * cc;
        (disc >= 0.0).then(|| (-cb - disc.sqrt()) / dd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_side_caps_and_misses() {
        let shape = Solver::new([V3::new(-1.0, 0.0, 5.0), V3::new(1.0, 0.0, 5.0)], 0.25);
        let hit = |x: f32, y: f32| shape.first_hit(V3::new(x, y, 0.0), V3::z());
        assert!((hit(0.3, 0.0).unwrap() - 4.75).abs() < 1e-6);
        assert!((hit(0.3, 0.15).unwrap() - 4.8).abs() < 1e-6);
        assert!((hit(1.15, 0.0).unwrap() - 4.8).abs() < 1e-6);
        assert!((hit(-1.15, 0.0).unwrap() - 4.8).abs() < 1e-6);
        assert!(hit(1.3, 0.0).is_none() && hit(0.0, 0.3).is_none() && hit(1.2, 0.2).is_none());
    }

    #[test]
    fn looks_down_the_axis_and_at_points() {
        let along = Solver::new([V3::new(0.0, 0.0, 8.0), V3::new(0.0, 0.0, 3.0)], 0.5);
        assert!((along.first_hit(V3::zeros(), V3::z()).unwrap() - 2.5).abs() < 1e-6);
        let along = Solver::new([V3::new(0.0, 0.0, 3.0), V3::new(0.0, 0.0, 8.0)], 0.5);
        assert!((along.first_hit(V3::zeros(), V3::z()).unwrap() - 2.5).abs() < 1e-6);
        let ball = Solver::new([V3::new(0.0, 0.0, 3.0); 2], 0.5);
        assert!((ball.first_hit(V3::zeros(), V3::z()).unwrap() - 2.5).abs() < 1e-6);
    }
}
