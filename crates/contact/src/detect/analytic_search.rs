//! Features of bodies against one analytic collider.
//!
//! The signed distance φ of a convex solid is a convex function, so its minimum over an edge or a
//! triangle is found by descent. For a ball the nearest point is known in closed form. A vertex
//! contact already stands where the minimum is at a corner; an edge or a triangle adds one only
//! where its inside is nearer than its border.

use super::analytic::{MovingShape, PosedShape};
use super::contact_finder::{ContactFinder, pair_gap};
use super::convert::{AnalyticFeature, Converter, Touch, analytic_key};
use crate::contact::{ContactKind, NewContact};
use stiction_bodies::Model;
use stiction_collision::distance::{point_edge, point_triangle};
use stiction_numerics::Vec3;

/// One collider and the step.
pub(super) struct AnalyticSearch<'a> {
    pub finder: &'a ContactFinder,
    pub model: &'a Model,
    pub converter: &'a Converter<'a>,
    pub shape: MovingShape<'a>,
    /// Where the collider is when the step starts and when it ends.
    pub start: PosedShape<'a>,
    pub end: PosedShape<'a>,
}

/// Halvings of each share in a triangle: places far finer than `BORDER`; the gap errs by their
/// square.
const HALVINGS: usize = 14;

/// Weights nearer than this to the border of a feature belong to the border.
const BORDER: f64 = 0.02;

impl AnalyticSearch<'_> {
    /// A vertex that is near at the start, or beyond the surface at the end.
    pub fn vertex(&self, vertex: u32, wanted: &impl Fn(u64) -> bool) -> Option<NewContact> {
        let key = analytic_key(AnalyticFeature::Vertex, vertex, self.shape.object);
        self.touch(&[vertex], &[1.0], key, wanted)
    }

    /// A place inside an edge or a triangle, given by its weights.
    pub fn inside<const N: usize>(
        &self,
        (feature, index): (AnalyticFeature, u32),
        vertices: [u32; N],
        weights: &[f64; N],
        wanted: &impl Fn(u64) -> bool,
    ) -> Option<NewContact> {
        self.touch(&vertices, weights, analytic_key(feature, index, self.shape.object), wanted)
    }

    /// The contact of a material point, if it is near at the start or beyond the surface at the
    /// end.
    fn touch(
        &self,
        vertices: &[u32],
        weights: &[f64],
        key: u64,
        wanted: &impl Fn(u64) -> bool,
    ) -> Option<NewContact> {
        let (time, h) = (self.converter.motion.time, self.converter.motion.h);
        let place =
            |x: &[Vec3]| -> Vec3 { vertices.iter().zip(weights).map(|(&v, w)| x[v as usize] * *w).sum() };
        let object = self.model.surfaces.object_of_vertex[vertices[0] as usize];
        let thickness = ContactFinder::analytic_thickness(self.model, vertices[0], self.shape.object);
        let start = place(&self.finder.start);
        let found = self.start.closest(&start);
        let gap = found.distance - thickness;
        let near = gap <= pair_gap(self.model, [object, self.shape.object]);
        let passes = || self.end.closest(&place(&self.finder.end)).distance < thickness;
        if !(near || passes()) || !wanted(key) {
            return None;
        }
        self.converter.contact(&Touch {
            vertices,
            weights,
            normal: found.normal,
            gap,
            point: found.point,
            objects: [object, self.shape.object],
            kind: ContactKind::Analytic,
            key,
            extra_velocity: -self.shape.surface_velocity(&start, &found, time, h),
            collider_grain: self.shape.grain(time),
        })
    }
}

/// Weights of the place of an edge that is nearest to a convex solid at a time; `None` near its
/// ends.
pub(super) fn nearest_edge_place(
    shape: &MovingShape<'_>,
    posed: &PosedShape<'_>,
    time: f64,
    [a, b]: [Vec3; 2],
) -> Option<[f64; 2]> {
    let s = match shape.ball_centre(time) {
        Some(centre) => {
            Some(point_edge(&centre, &a, &b).weights[1]).filter(|s| (BORDER..1.0 - BORDER).contains(s))
        }
        None => nearest_on_segment(a, b, |x| posed.closest(x).normal),
    }?;
    Some([1.0 - s, s])
}

/// Weights of the place of a triangle that is nearest to a convex solid at a time; `None` near its
/// border.
pub(super) fn nearest_triangle_place(
    shape: &MovingShape<'_>,
    posed: &PosedShape<'_>,
    time: f64,
    [a, b, c]: [Vec3; 3],
) -> Option<[f64; 3]> {
    match shape.ball_centre(time) {
        Some(centre) => {
            Some(point_triangle(&centre, &a, &b, &c).weights).filter(|w| w.iter().all(|w| *w > BORDER))
        }
        None => nearest_in_triangle([a, b, c], |x| posed.closest(x).normal),
    }
}

/// The place s of the minimum of a convex function on the segment a–b by bisection of its slope;
/// `None` near an end.
pub fn nearest_on_segment(a: Vec3, b: Vec3, slope: impl Fn(&Vec3) -> Vec3) -> Option<f64> {
    let along = b - a;
    let falls = |s: f64| slope(&(a + along * s)).dot(&along) < 0.0;
    if !falls(BORDER) || falls(1.0 - BORDER) {
        return None;
    }
    let (mut low, mut high) = (BORDER, 1.0 - BORDER);
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if falls(middle) { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Weights of the minimum of a convex function in a triangle; `None` near its border.
///
/// Nested bisection: for each share s of the third corner the best place on the parallel to the
/// first edge, then the slope across it, which is monotone because the partial minimum of a convex
/// function is convex.
pub fn nearest_in_triangle([a, b, c]: [Vec3; 3], slope: impl Fn(&Vec3) -> Vec3) -> Option<[f64; 3]> {
    // The best place on the parallel at share s, as a fraction of it.
    let across = |s: f64| {
        let (from, to) = (a + (c - a) * s, b + (c - b) * s);
        let along = to - from;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if slope(&(from + along * middle)).dot(&along) < 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    // Moving s at a fixed fraction t goes along (1−t)(c−a) + t(c−b).
    let falls = |s: f64| {
        let t = across(s);
        let place = (a + (c - a) * s) * (1.0 - t) + (b + (c - b) * s) * t;
        slope(&place).dot(&((c - a) * (1.0 - t) + (c - b) * t)) < 0.0
    };
    if !falls(BORDER) || falls(1.0 - 2.0 * BORDER) {
        return None;
    }
    let (mut low, mut high) = (BORDER, 1.0 - 2.0 * BORDER);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if falls(middle) { low = middle } else { high = middle }
    }
    let s = 0.5 * (low + high);
    let t = across(s);
    let weights = [(1.0 - s) * (1.0 - t), (1.0 - s) * t, s];
    (weights.iter().all(|w| *w > BORDER)).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    /// Slope of the distance to a point.
    fn away_from(centre: Vec3) -> impl Fn(&Vec3) -> Vec3 {
        move |x: &Vec3| (x - centre).normalize()
    }

    #[test]
    fn the_nearest_point_of_a_segment_is_the_foot_of_the_perpendicular() {
        let (a, b) = (Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0));
        let s = nearest_on_segment(a, b, away_from(Vec3::new(0.6, 0.3, -0.1))).expect("inside");
        assert!((s - 0.3).abs() < 1e-5);
        assert!(nearest_on_segment(a, b, away_from(Vec3::new(-0.6, 0.3, 0.0))).is_none());
        assert!(nearest_on_segment(a, b, away_from(Vec3::new(2.6, 0.3, 0.0))).is_none());
    }

    #[test]
    fn the_nearest_point_of_a_triangle_is_the_projection_when_that_is_inside() {
        let mut random = Random::new(5);
        let mut inside = 0;
        for _ in 0..400 {
            let corners: [Vec3; 3] = std::array::from_fn(|_| random.vector(-1.0, 1.0));
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let mut weights: [f64; 3] = std::array::from_fn(|_| random.range(-0.3, 1.0));
            let sum: f64 = weights.iter().sum();
            if sum.abs() < 0.2 || normal.norm() < 0.1 {
                continue;
            }
            weights.iter_mut().for_each(|w| *w /= sum);
            let foot: Vec3 = corners.iter().zip(&weights).map(|(x, w)| x * *w).sum();
            let found = nearest_in_triangle(corners, away_from(foot + normal * 0.3));
            let clear = weights.iter().all(|w| *w > BORDER + 0.01);
            if clear {
                inside += 1;
                let got = found.expect("the projection is inside");
                assert!(got.iter().zip(&weights).all(|(g, w)| (g - w).abs() < 2e-3), "{got:?} {weights:?}");
            } else if weights.iter().any(|w| *w < 0.0) {
                assert!(found.is_none(), "{weights:?} gave {found:?}");
            }
        }
        assert!(inside > 50);
    }
}
