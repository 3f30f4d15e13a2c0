//! The signed distance φ of an analytic collider: at the vertices, and where a feature is nearest
//! to it.
//!
//! φ of a solid is convex, so it lies above its tangent planes: with n_k = ∇φ(x_k) at a corner,
//! φ(y) ≥ φ(x_k) + n_k·(y − x_k). Over a feature that is lowest at a corner, and along a straight
//! way at an end of it. One look at every vertex thus turns down most edges and triangles.

use super::walls::Feature;
use rayon::prelude::*;
use stiction_collision::analytic::SurfacePoint;
use stiction_collision::distance::{edge_edge, point_edge, point_triangle};
use stiction_contact::detect::{MovingShape, PosedShape, nearest_in_triangle, nearest_on_segment};
use stiction_numerics::Vec3;

/// Weights at most this far from the border of a feature belong to the border.
const BORDER: f64 = 0.02;

/// Vertices per task.
const CHUNK: usize = 1024;

/// A collider at one time.
pub(super) struct Placed<'a> {
    posed: PosedShape<'a>,
    /// Centre, when it is a ball.
    ball: Option<Vec3>,
    /// Axis, when it is a cylinder or a capsule.
    axis: Option<[Vec3; 2]>,
}

impl<'a> Placed<'a> {
    pub fn new(shape: &MovingShape<'a>, time: f64) -> Placed<'a> {
        let posed = shape.posed(time);
        Placed { posed, ball: shape.ball_centre(time), axis: posed.axis() }
    }

    pub fn closest(&self, x: &Vec3) -> SurfacePoint {
        self.posed.closest(x)
    }

    /// Weights of the nearest point when it is inside of the feature; a border belongs to a smaller
    /// feature.
    pub fn inner_weights(&self, corners: &[Vec3]) -> Option<[f64; 3]> {
        match corners {
            [_] => Some([1.0, 0.0, 0.0]),
            [a, b] => self.inner_share(a, b).map(|s| [1.0 - s, s, 0.0]),
            [a, b, c] => self.inner_of_triangle([a, b, c]),
            _ => None,
        }
    }

    /// The share of an edge at which it is nearest.
    fn inner_share(&self, a: &Vec3, b: &Vec3) -> Option<f64> {
        let inside = |s: &f64| (BORDER..1.0 - BORDER).contains(s);
        if let Some(centre) = self.ball {
            return Some(point_edge(&centre, a, b).weights[1]).filter(inside);
        }
        match self.axis {
            Some([start, end]) if self.is_beside_axis(&[a, b]) => {
                Some(edge_edge(a, b, &start, &end).weights_a[1]).filter(inside)
            }
            _ => nearest_on_segment(*a, *b, |x| self.closest(x).normal),
        }
    }

    fn inner_of_triangle(&self, [a, b, c]: [&Vec3; 3]) -> Option<[f64; 3]> {
        if let Some(centre) = self.ball {
            let weights = point_triangle(&centre, a, b, c).weights;
            return weights.iter().all(|w| *w > BORDER).then_some(weights);
        }
        // A line is nearest to a triangle that it does not pierce on the border of the triangle.
        if self.is_beside_axis(&[a, b, c]) {
            return None;
        }
        nearest_in_triangle([*a, *b, *c], |x| self.closest(x).normal)
    }

    /// Whether the nearest point of the axis is within its ends for all of a feature.
    fn is_beside_axis(&self, corners: &[&Vec3]) -> bool {
        let Some([start, end]) = self.axis else { return false };
        let along = end - start;
        let within = |x: &&Vec3| (0.0..along.norm_squared()).contains(&(*x - start).dot(&along));
        corners.iter().all(within)
    }

    /// Nearest point of a whole feature: inside, or the nearest on its border.
    pub fn nearest(&self, corners: &[Vec3]) -> SurfacePoint {
        if let Some(weights) = self.inner_weights(corners) {
            return self.closest(&corners.iter().zip(&weights).map(|(x, w)| x * *w).sum());
        }
        let nearer = |a: SurfacePoint, b: SurfacePoint| if b.distance < a.distance { b } else { a };
        match corners {
            [a, b, c] => {
                let [ab, bc, ca] = [[*a, *b], [*b, *c], [*c, *a]].map(|edge| self.nearest(&edge));
                nearer(nearer(ab, bc), ca)
            }
            [a, b] => nearer(self.closest(a), self.closest(b)),
            _ => self.closest(&corners[0]),
        }
    }
}

/// φ and its slope at vertices, at one time.
pub(super) struct Field<'a> {
    pub placed: Placed<'a>,
    samples: Vec<(f64, Vec3)>,
}

impl<'a> Field<'a> {
    /// At the first `count` vertices.
    pub fn new(shape: &MovingShape<'a>, x: &[Vec3], count: usize, time: f64) -> Field<'a> {
        let placed = Placed::new(shape, time);
        let sample = |x: &Vec3| {
            let found = placed.closest(x);
            (found.distance, found.normal)
        };
        let samples = x[..count].par_iter().with_min_len(CHUNK).map(sample).collect();
        Field { placed, samples }
    }

    /// φ at a vertex \[m\].
    pub fn distance(&self, vertex: u32) -> f64 {
        self.samples[vertex as usize].0
    }

    /// The smallest φ at the corners of a feature \[m\]; nowhere on it is φ larger at its minimum.
    pub fn at_most(&self, feature: &Feature) -> f64 {
        feature.corners().iter().map(|&v| self.distance(v)).fold(f64::INFINITY, f64::min)
    }

    /// How much smaller φ is inside of a feature than on its border \[m\]; infinite for a vertex,
    /// which has none.
    pub fn lead(&self, feature: &Feature, corners: &[Vec3; 3], inside: f64) -> f64 {
        let [a, b, c] = *corners;
        let border = match feature.size {
            1 => f64::INFINITY,
            2 => self.at_most(feature),
            _ => {
                let edges = [[a, b], [b, c], [c, a]].map(|edge| self.placed.nearest(&edge).distance);
                edges.into_iter().fold(f64::INFINITY, f64::min)
            }
        };
        border - inside
    }

    /// A value that φ of a solid is nowhere below on a feature that goes straight from `x`, where
    /// the samples are, to `y` \[m\].
    pub fn at_least(&self, feature: &Feature, [x, y]: [&[Vec3]; 2]) -> f64 {
        let corners = feature.corners();
        if let ([v], true) = (corners, std::ptr::eq(x, y)) {
            return self.distance(*v);
        }
        let above_plane = |&k: &u32| {
            let ((distance, normal), place) = (self.samples[k as usize], x[k as usize]);
            let height = |&v: &u32| {
                let v = v as usize;
                normal.dot(&(x[v] - place)).min(normal.dot(&(y[v] - place)))
            };
            distance + corners.iter().map(height).fold(f64::INFINITY, f64::min)
        };
        corners.iter().map(above_plane).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether φ of a solid can be smallest inside of a feature: along an edge it falls at the
    /// first end and rises at the second; at no corner of a triangle does it rise towards both
    /// others.
    pub fn may_dip(&self, feature: &Feature, x: &[Vec3]) -> bool {
        let corners = feature.corners();
        let falls = |&k: &u32| {
            let (normal, place) = (self.samples[k as usize].1, x[k as usize]);
            corners.iter().any(|&v| normal.dot(&(x[v as usize] - place)) < 0.0)
        };
        corners.len() == 1 || corners.iter().all(falls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_bodies::{Model, Parameters, build};
    use stiction_contact::detect::PlacedShape;
    use stiction_numerics::Random;
    use stiction_scene::load_text;

    fn scene() -> (Model, Parameters) {
        let text = r#"
stiction = 1
[bodies.point]
kind = "cloth"
mesh = { grid = { size = [1.0, 1.0], cells = [1, 1] } }
material = { preset = "cotton" }
[colliders.a]
cylinder = { start = [-0.5, 0.1, 0.0], end = [0.6, 0.0, 0.1], radius = 0.4 }
[colliders.b]
capsule = { start = [-0.3, 0.1, 0.0], end = [0.2, 0.0, 0.1], radius = 0.3 }
[colliders.c]
sphere = { centre = [0.1, 0.0, 0.0], radius = 0.5 }
[colliders.d]
box = { centre = [0.0, 0.1, 0.0], size = [0.6, 0.7, 0.8] }
"#;
        let scene =
            load_text("walls.toml", text, std::path::Path::new("."), &[] as &[&str]).expect("a scene");
        let model = build(&scene.scene).expect("a model");
        let parameters = Parameters::from_scene(&scene.scene, &model);
        (model, parameters)
    }

    /// The smallest φ over a grid of places of a triangle.
    fn sampled(shape: &MovingShape<'_>, [a, b, c]: [Vec3; 3]) -> f64 {
        let n = 40;
        let places = (0..=n).flat_map(|i| (0..=n - i).map(move |j| [i, j, n - i - j]));
        let place = |w: [i32; 3]| {
            let [u, v, w] = w.map(|w| f64::from(w) / f64::from(n));
            a * u + b * v + c * w
        };
        places.map(|w| shape.closest(&place(w), 0.0).distance).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn nearest_points_and_bounds_agree_with_a_dense_sampling() {
        let mut random = Random::new(3);
        let feature = Feature { corners: [0, 1, 2], size: 3 };
        let mut dips = 0;
        let (model, parameters) = scene();
        for (k, placed) in PlacedShape::all(&model).enumerate() {
            let shape = &placed.moving(&parameters.controls);
            for round in 0..300 {
                let centre = random.vector(-1.0, 1.0);
                let x: Vec<Vec3> = (0..3).map(|_| centre + random.vector(-0.25, 0.25)).collect();
                let corners = [x[0], x[1], x[2]];
                let truth = sampled(shape, corners);
                // What has its axis pierced is no place where anything can be.
                if truth < 0.02 {
                    continue;
                }
                let field = Field::new(shape, &x, 3, 0.0);
                let found = field.placed.nearest(&corners).distance;
                // The grid is off by a quarter of its spacing squared over the radius; a border
                // swallows 2 % of a feature.
                assert!((found - truth).abs() < 2e-3, "shape {k}, round {round}: {found} against {truth}");
                assert!(field.at_least(&feature, [&x, &x]) <= truth + 1e-12, "shape {k}, round {round}");
                assert!(field.at_most(&feature) >= truth - 1e-12, "shape {k}, round {round}");
                if field.placed.inner_weights(&corners).is_some() {
                    dips += 1;
                    assert!(field.may_dip(&feature, &x), "shape {k}, round {round}");
                }
                let y: Vec<Vec3> = x.iter().map(|x| x + random.vector(-0.1, 0.1)).collect();
                let bound = field.at_least(&feature, [&x, &y]);
                for t in [0.0, 0.3, 0.7, 1.0] {
                    let way: [Vec3; 3] = std::array::from_fn(|i| x[i] * (1.0 - t) + y[i] * t);
                    assert!(bound <= sampled(shape, way) + 1e-12, "shape {k}, round {round}, {t}");
                }
            }
        }
        assert!(dips > 4, "{dips}");
    }
}
