//! Triangles: near clipping, integer edge functions, affine nearness.

use super::Band;
use crate::V3;
use crate::projection::Projector;

/// Fixed-point steps per sample.
const SUB: f32 = 256.0;
/// Screen coordinates are clamped to this many samples, so that edge functions fit 64 bits.
const REACH: f32 = 4_000_000.0;

/// A triangle in screen coordinates, counter-clockwise in fixed point.
pub(super) struct ScreenTriangle {
    x: [i32; 3],
    y: [i32; 3],
    /// Inclusive sample ranges of the clipped bounding box.
    columns: (u32, u32),
    rows: (u32, u32),
    /// Nearness at sample (0, 0) and its change per column and row.
    plane: [f64; 3],
    /// Nearness range of the corners; slivers must not extrapolate.
    range: [f32; 2],
    number: u32,
}

/// Clips against the near plane and emits at most two screen triangles.
pub(super) fn set_up(
    projector: &Projector,
    corners: [V3; 3],
    near: f32,
    number: u32,
    mut emit: impl FnMut(ScreenTriangle),
) {
    let mut polygon = [V3::zeros(); 4];
    let mut count = 0;
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        if p.z >= near {
            polygon[count] = p;
            count += 1;
        }
        if (p.z >= near) != (q.z >= near) {
            let mut cut = p + (q - p) * ((near - p.z) / (q.z - p.z));
            cut.z = near;
            polygon[count] = cut;
            count += 1;
        }
    }
    for k in 2..count {
        let screen = [polygon[0], polygon[k - 1], polygon[k]].map(|c| projector.project_camera(c));
        if let Some(t) = ScreenTriangle::new(projector, screen, number) {
            emit(t);
        }
    }
}

/// Samples whose centres (i + ½) lie in the fixed-point interval, clipped to `0..size`.
fn covered(low: i32, high: i32, size: usize) -> Option<(u32, u32)> {
    let (sub, half) = (SUB as i32, SUB as i32 / 2);
    let first = (low - half + sub - 1).div_euclid(sub).max(0);
    let last = (high - half).div_euclid(sub).min(size as i32 - 1);
    (first <= last).then_some((first as u32, last as u32))
}

impl ScreenTriangle {
    fn new(projector: &Projector, mut screen: [[f32; 3]; 3], number: u32) -> Option<Self> {
        let snap = |c: f32| (c.clamp(-REACH, REACH) * SUB).round() as i32;
        let area = |s: &[[f32; 3]; 3]| {
            let [a, b, c] = s.map(|p| [snap(p[0]) as i64, snap(p[1]) as i64]);
            (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        };
        let signed = area(&screen);
        if signed == 0 {
            return None;
        }
        if signed < 0 {
            screen.swap(1, 2);
        }
        let (x, y) = (screen.map(|s| snap(s[0])), screen.map(|s| snap(s[1])));
        let span = |v: &[i32; 3]| (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]));
        let columns = covered(span(&x).0, span(&x).1, projector.width)?;
        let rows = covered(span(&y).0, span(&y).1, projector.height)?;
        let nearness = screen.map(|s| s[2]);
        let range = [
            nearness.iter().copied().fold(f32::INFINITY, f32::min),
            nearness.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        ];
        Some(ScreenTriangle { x, y, columns, rows, plane: plane(&x, &y, &nearness), range, number })
    }

    pub(super) fn rows(&self) -> (usize, usize) {
        (self.rows.0 as usize, self.rows.1 as usize)
    }

    /// Edge functions at the centre of a sample, and their change per column. All are ≥ 0 inside.
    fn edges(&self, column: u32, row: u32) -> ([i64; 3], [i64; 3]) {
        let sub = SUB as i64;
        let (px, py) = (column as i64 * sub + sub / 2, row as i64 * sub + sub / 2);
        let edge = |k: usize| {
            let j = (k + 1) % 3;
            let (dx, dy) = (self.x[j] as i64 - self.x[k] as i64, self.y[j] as i64 - self.y[k] as i64);
            (dx * (py - self.y[k] as i64) - dy * (px - self.x[k] as i64), -dy * sub)
        };
        let all: [(i64, i64); 3] = std::array::from_fn(edge);
        (all.map(|e| e.0), all.map(|e| e.1))
    }

    pub(super) fn fill(&self, band: &mut Band) {
        for row in band.clip_rows(self.rows()) {
            let (mut e, step) = self.edges(self.columns.0, row as u32);
            let (first, last) = self.span(&e, &step);
            let skip = (first - self.columns.0) as i64;
            (0..3).for_each(|k| e[k] += skip * step[k]);
            let start = band.row_start(row);
            let base = self.plane[0] + self.plane[1] * first as f64 + self.plane[2] * row as f64;
            for column in first..=last {
                if e[0] | e[1] | e[2] >= 0 {
                    let nearness = (base + self.plane[1] * (column - first) as f64) as f32;
                    let nearness = nearness.clamp(self.range[0], self.range[1]);
                    band.put(start + column as usize, nearness, self.number);
                }
                (0..3).for_each(|k| e[k] += step[k]);
            }
        }
    }

    /// Columns of a row that may be inside; exact for rows wide enough to be worth a division.
    fn span(&self, e: &[i64; 3], step: &[i64; 3]) -> (u32, u32) {
        let (mut first, mut last) = (0, (self.columns.1 - self.columns.0) as i64);
        if last >= 8 {
            for k in 0..3 {
                if e[k] < 0 && step[k] > 0 {
                    first = first.max((-e[k] + step[k] - 1) / step[k]);
                } else if e[k] >= 0 && step[k] < 0 {
                    last = last.min(e[k] / -step[k]);
                }
            }
        }
        let first = first.min((self.columns.1 - self.columns.0) as i64);
        (self.columns.0 + first as u32, self.columns.0 + last.max(first) as u32)
    }
}

/// Affine function through the corners: value at the centre of sample (0, 0), slopes per column and
/// row.
fn plane(x: &[i32; 3], y: &[i32; 3], value: &[f32; 3]) -> [f64; 3] {
    let unit = SUB as f64;
    let (x, y, v) = (x.map(|c| c as f64 / unit), y.map(|c| c as f64 / unit), value.map(|c| c as f64));
    let (x1, y1, v1) = (x[1] - x[0], y[1] - y[0], v[1] - v[0]);
    let (x2, y2, v2) = (x[2] - x[0], y[2] - y[0], v[2] - v[0]);
    let area = x1 * y2 - x2 * y1;
    let (dx, dy) = ((v1 * y2 - v2 * y1) / area, (x1 * v2 - x2 * v1) / area);
    [v[0] + dx * (0.5 - x[0]) + dy * (0.5 - y[0]), dx, dy]
}
