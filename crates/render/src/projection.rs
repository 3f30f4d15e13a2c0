//! Perspective (the camera) and orthographic (the sun) projections behind one type.
//!
//! Both store per sample a *nearness* that is affine in screen coordinates over a plane and grows
//! towards the eye: 1/z for a perspective lens, −z for an orthographic one (z depth along the view
//! axis [m]).

use crate::V3;

/// Kind of projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lens {
    Perspective,
    Orthographic,
}

/// Maps world points to samples of a raster and back.
#[derive(Clone, Debug)]
pub(crate) struct Projector {
    /// Eye, or any point on the sun's plane [m].
    pub origin: V3,
    /// Right, up and forward unit vectors.
    pub axes: [V3; 3],
    pub lens: Lens,
    /// Samples per unit of slope (perspective) or per metre (orthographic).
    pub scale: f32,
    /// Sample coordinates of the optical axis.
    pub centre: [f32; 2],
    pub width: usize,
    pub height: usize,
}

impl Projector {
    /// Camera coordinates: right, up, depth [m].
    pub fn to_camera(&self, p: V3) -> V3 {
        let d = p - self.origin;
        V3::new(d.dot(&self.axes[0]), d.dot(&self.axes[1]), d.dot(&self.axes[2]))
    }

    /// World direction of a camera direction.
    pub fn direction_to_world(&self, d: V3) -> V3 {
        self.axes[0] * d.x + self.axes[1] * d.y + self.axes[2] * d.z
    }

    /// Camera direction of a world direction.
    pub fn direction_to_camera(&self, d: V3) -> V3 {
        V3::new(d.dot(&self.axes[0]), d.dot(&self.axes[1]), d.dot(&self.axes[2]))
    }

    /// World point of a camera point.
    pub fn to_world(&self, c: V3) -> V3 {
        self.origin + self.direction_to_world(c)
    }

    /// Screen x, y and nearness of a camera point in front of the eye.
    pub fn project_camera(&self, c: V3) -> [f32; 3] {
        let (factor, nearness) = match self.lens {
            Lens::Perspective => (self.scale / c.z, 1.0 / c.z),
            Lens::Orthographic => (self.scale, -c.z),
        };
        [self.centre[0] + factor * c.x, self.centre[1] - factor * c.y, nearness]
    }

    /// Ray through screen position (x, y): camera-space origin and direction with unit depth per
    /// unit parameter.
    pub fn ray(&self, x: f32, y: f32) -> (V3, V3) {
        let (u, v) = ((x - self.centre[0]) / self.scale, (self.centre[1] - y) / self.scale);
        match self.lens {
            Lens::Perspective => (V3::zeros(), V3::new(u, v, 1.0)),
            Lens::Orthographic => (V3::new(u, v, 0.0), V3::z()),
        }
    }

    /// Depth of a nearness [m].
    pub fn depth(&self, nearness: f32) -> f32 {
        match self.lens {
            Lens::Perspective => 1.0 / nearness,
            Lens::Orthographic => -nearness,
        }
    }

    /// Nearness of a depth.
    pub fn nearness(&self, depth: f32) -> f32 {
        match self.lens {
            Lens::Perspective => 1.0 / depth,
            Lens::Orthographic => -depth,
        }
    }

    /// Camera point at a screen position and depth.
    pub fn unproject(&self, x: f32, y: f32, depth: f32) -> V3 {
        let (origin, direction) = self.ray(x, y);
        origin + direction * depth
    }

    /// Width of one sample at a depth [m].
    pub fn sample_width(&self, depth: f32) -> f32 {
        match self.lens {
            Lens::Perspective => depth / self.scale,
            Lens::Orthographic => 1.0 / self.scale,
        }
    }

    /// The same view with `factor` times as many samples each way.
    pub fn supersampled(&self, factor: usize) -> Projector {
        let f = factor as f32;
        Projector {
            scale: self.scale * f,
            centre: [self.centre[0] * f, self.centre[1] * f],
            width: self.width * factor,
            height: self.height * factor,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unproject_inverts_project() {
        let axes = [V3::x(), V3::y(), -V3::z()];
        for lens in [Lens::Perspective, Lens::Orthographic] {
            let p = Projector {
                origin: V3::new(1.0, 2.0, 9.0),
                axes,
                lens,
                scale: 90.0,
                centre: [50.0, 40.0],
                width: 100,
                height: 80,
            };
            let world = V3::new(0.3, 1.7, 4.0);
            let s = p.project_camera(p.to_camera(world));
            let back = p.to_world(p.unproject(s[0], s[1], p.depth(s[2])));
            assert!((back - world).norm() < 1e-5);
        }
    }
}
