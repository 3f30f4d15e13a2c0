//! Cameras: orbit around the scene, or an explicit eye.

use crate::error::RenderError;
use crate::projection::{Lens, Projector};
use crate::view::{BoundingBox, UpAxis};
use crate::{V3, v3};

/// Where the picture is taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Angle around the up axis [degrees].
    pub azimuth: f32,
    /// Angle above the horizon [degrees], −89 to 89.
    pub elevation: f32,
    /// Distance relative to the one that just fits everything.
    pub distance: f32,
    /// Vertical field of view [degrees].
    pub field_of_view: f32,
    /// Point in the middle of the picture [m]; `None` is the middle of everything.
    pub target: Option<[f32; 3]>,
    /// Explicit placement, overriding azimuth, elevation, distance and target.
    pub look_at: Option<LookAt>,
}

/// Explicit camera placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// Place of the camera [m].
    pub eye: [f32; 3],
    /// Point in the middle of the picture [m].
    pub target: [f32; 3],
    /// Direction that is up in the picture; `None` is the up axis.
    pub up: Option<[f32; 3]>,
}

impl Default for Camera {
    fn default() -> Self {
        Camera {
            azimuth: 30.0,
            elevation: 24.0,
            distance: 1.0,
            field_of_view: 30.0,
            target: None,
            look_at: None,
        }
    }
}

impl std::str::FromStr for Camera {
    type Err = RenderError;

    /// Reads `front`, `side`, `top`, `iso`, or pairs such as
    /// `azimuth=40,elevation=10,distance=1.5,fov=35`, `target=0,1,0`,
    /// `eye=3,2,1,target=0,0,0,up=0,1,0`.
    fn from_str(text: &str) -> Result<Camera, RenderError> {
        let fail = |problem: String| RenderError::BadCamera { text: text.into(), problem };
        let mut camera = Camera::default();
        let (mut eye, mut target, mut up) = (None, None, None);
        for (key, values) in pairs(text).map_err(fail)? {
            let one = || match values[..] {
                [value] => Ok(value),
                _ => Err(fail(format!("`{key}` takes one number"))),
            };
            let three = || match values[..] {
                [x, y, z] => Ok([x, y, z]),
                _ => Err(fail(format!("`{key}` takes three numbers"))),
            };
            match key.as_str() {
                "front" => (camera.azimuth, camera.elevation) = (0.0, 8.0),
                "side" => (camera.azimuth, camera.elevation) = (90.0, 8.0),
                "top" => (camera.azimuth, camera.elevation) = (0.0, 89.0),
                "iso" => (camera.azimuth, camera.elevation) = (45.0, 35.264),
                "azimuth" | "az" => camera.azimuth = one()?,
                "elevation" | "el" => camera.elevation = one()?,
                "distance" | "dist" => camera.distance = one()?,
                "fov" => camera.field_of_view = one()?,
                "target" => target = Some(three()?),
                "eye" => eye = Some(three()?),
                "up" => up = Some(three()?),
                _ => {
                    let known = "front, side, top, iso, azimuth, elevation, distance, fov, target, eye, up";
                    return Err(fail(format!("unknown word `{key}`; known: {known}")));
                }
            }
        }
        match (eye, target) {
            (Some(eye), Some(target)) => camera.look_at = Some(LookAt { eye, target, up }),
            (Some(_), None) => return Err(fail("`eye` needs `target=x,y,z` as well".into())),
            (None, _) => camera.target = target,
        }
        camera.validate()?;
        Ok(camera)
    }
}

/// Splits at commas; a bare number continues the list of the key before it.
fn pairs(text: &str) -> Result<Vec<(String, Vec<f32>)>, String> {
    let mut out: Vec<(String, Vec<f32>)> = Vec::new();
    let number = |t: &str| t.parse::<f32>().map_err(|_| format!("`{t}` is not a number"));
    for token in text.split(',').map(str::trim).filter(|t| !t.is_empty()) {
        if let Some((key, value)) = token.split_once('=') {
            out.push((key.trim().into(), vec![number(value.trim())?]));
        } else if token.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.push((token.into(), Vec::new()));
        } else {
            let Some((_, values)) = out.last_mut() else {
                return Err(format!("`{token}` stands before any key"));
            };
            values.push(number(token)?);
        }
    }
    Ok(out)
}

impl Camera {
    /// Checks ranges.
    pub fn validate(&self) -> Result<(), RenderError> {
        let fail = |problem: &str| {
            Err(RenderError::BadCamera {
                text: format!("{},{},{}", self.azimuth, self.elevation, self.distance),
                problem: problem.into(),
            })
        };
        if !(self.azimuth.is_finite() && self.elevation.is_finite() && self.elevation.abs() <= 89.0) {
            return fail("azimuth must be finite and elevation between -89 and 89 degrees");
        }
        if !(self.distance.is_finite() && self.distance > 0.0) {
            return fail("distance must be above 0");
        }
        if !(1.0..=140.0).contains(&self.field_of_view) {
            return fail("field of view must be between 1 and 140 degrees");
        }
        if let Some(l) = &self.look_at {
            let view = v3(l.target) - v3(l.eye);
            let length = view.norm();
            if !(length.is_finite() && length > 0.0) {
                return fail("eye and target must be finite and differ");
            }
            let sideways = |up: V3| up.cross(&view).norm() > 1e-6 * length * up.norm();
            if l.up.is_some_and(|up| !sideways(v3(up))) {
                return fail("up must not be zero or lie along the line of sight");
            }
        }
        Ok(())
    }

    /// Projection of a picture of `width` × `height` samples that frames `bounds`.
    pub(crate) fn projector(
        &self,
        bounds: &BoundingBox,
        up: UpAxis,
        width: usize,
        height: usize,
    ) -> Projector {
        let [e1, e2, up] = up.basis();
        let tan_y = (0.5 * self.field_of_view.to_radians()).tan();
        let (eye, forward, screen_up) = match &self.look_at {
            Some(l) => {
                let forward = (v3(l.target) - v3(l.eye)).normalize();
                (v3(l.eye), forward, l.up.map_or(up, v3))
            }
            None => {
                let (az, el) = (self.azimuth.to_radians(), self.elevation.to_radians());
                let back = (e1 * az.cos() + e2 * az.sin()) * el.cos() + up * el.sin();
                let target = self.target.map_or(bounds.centre(), v3);
                let right = (-back).cross(&up).normalize();
                let tan = [tan_y * width as f32 / height as f32, tan_y];
                let axes = [right, right.cross(&-back), -back];
                let target =
                    self.target.map_or_else(|| centred_target(bounds, target, axes, tan), |_| target);
                let distance = fitting_distance(bounds, target, axes, tan);
                (target + back * (distance * self.distance), -back, up)
            }
        };
        let right = forward.cross(&screen_up);
        // straight up or down with the default up: any horizontal direction will do
        let right = if right.norm() > 1e-6 { right.normalize() } else { e2 };
        Projector {
            origin: eye,
            axes: [right, right.cross(&forward), forward],
            lens: Lens::Perspective,
            scale: 0.5 * height as f32 / tan_y,
            centre: [0.5 * width as f32, 0.5 * height as f32],
            width,
            height,
        }
    }
}

/// Smallest distance at which every corner lies inside the frustum: |c·a| ≤ tan·(d + c·f) for both
/// axes `a`.
fn fitting_distance(bounds: &BoundingBox, target: V3, axes: [V3; 3], tan: [f32; 2]) -> f32 {
    /// Part of the half-width that the scene may fill.
    const FILL: f32 = 0.92;
    let mut distance = 1e-3 * bounds.radius();
    for corner in bounds.corners() {
        let c = corner - target;
        for k in 0..2 {
            distance = distance.max(c.dot(&axes[k]).abs() / (FILL * tan[k]) - c.dot(&axes[2]));
        }
    }
    distance
}

/// Moves the target sideways until the box has equal margins: near corners look larger than far
/// ones.
fn centred_target(bounds: &BoundingBox, mut target: V3, axes: [V3; 3], tan: [f32; 2]) -> V3 {
    for _ in 0..4 {
        let distance = fitting_distance(bounds, target, axes, tan);
        for k in 0..2 {
            let slope = |corner: V3| {
                let c = corner - target;
                c.dot(&axes[k]) / (distance + c.dot(&axes[2]))
            };
            let slopes = bounds.corners().map(slope);
            let (low, high) = slopes.iter().fold((f32::MAX, f32::MIN), |(l, h), &s| (l.min(s), h.max(s)));
            target += axes[k] * (0.5 * (low + high) * distance);
        }
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_keys_lists_and_names() {
        let c: Camera = "eye=1,2,3,target=0,0.5,0,fov=40".parse().unwrap();
        assert_eq!(c.field_of_view, 40.0);
        assert_eq!(c.look_at.unwrap().target, [0.0, 0.5, 0.0]);
        let c: Camera = "side,distance=2".parse().unwrap();
        assert_eq!((c.azimuth, c.distance), (90.0, 2.0));
    }

    #[test]
    fn refuses_nonsense_with_a_reason() {
        for (text, part) in [
            ("azimut=3", "unknown word `azimut`"),
            ("eye=1,2,target=0,0,0", "three numbers"),
            ("eye=1,2,3", "needs `target"),
            ("distance=-1", "above 0"),
            ("3,4", "before any key"),
            ("azimuth=x", "not a number"),
        ] {
            let message = text.parse::<Camera>().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn framing_holds_every_corner_for_every_up_axis() {
        let bounds = BoundingBox { min: [-1.0, 0.0, 2.0], max: [4.0, 0.5, 3.0] };
        for up in [UpAxis::X, UpAxis::Y, UpAxis::Z] {
            for azimuth in [0.0, 75.0, 200.0] {
                let camera = Camera { azimuth, ..Camera::default() };
                let projector = camera.projector(&bounds, up, 320, 180);
                let screen: Vec<_> = bounds
                    .corners()
                    .iter()
                    .map(|&c| projector.project_camera(projector.to_camera(c)))
                    .collect();
                assert!(screen.iter().all(|s| s[0] > 0.0 && s[0] < 320.0 && s[1] > 0.0 && s[1] < 180.0));
                let reach = screen.iter().fold(0.0_f32, |m, s| {
                    m.max((s[0] - 160.0).abs() / 160.0).max((s[1] - 90.0).abs() / 90.0)
                });
                assert!((reach - 0.92).abs() < 1e-3, "fits tightly: {reach}");
            }
        }
    }
}
