//! Flat lists of what is drawn: triangles and capsules with their colours in linear light.

use rayon::prelude::*;

use crate::normals::corner_normals;
use crate::projection::Projector;
use crate::thicken::thicken;
use crate::view::{Marker, MeshView, SceneView, TubeView};
use crate::{V3, v3};

/// Body number of everything that is a tube: light is smoothed from hair to hair, but not from
/// sheet to sheet.
const TUBES: u32 = u32::MAX;
/// Sheets thinner than this on the screen [pixels] are drawn without thickness.
const VISIBLE_THICKNESS: f32 = 0.6;

/// A triangle with everything that shading needs.
#[derive(Clone, Copy)]
pub(crate) struct ShadedTriangle {
    pub corners: [V3; 3],
    pub normals: [V3; 3],
    pub colours: [V3; 3],
    /// Which mesh it is of.
    pub body: u32,
}

/// A round segment: all points within `radius` of the line from `ends[0]` to `ends[1]`.
#[derive(Clone, Copy)]
pub(crate) struct Capsule {
    pub ends: [V3; 2],
    pub radius: f32,
    pub colours: [V3; 2],
    pub body: u32,
}

/// Primitive numbers count triangles first, then capsules.
#[derive(Default)]
pub(crate) struct Primitives {
    pub triangles: Vec<ShadedTriangle>,
    pub capsules: Vec<Capsule>,
}

/// One primitive by number.
pub(crate) enum DrawnPrimitive<'a> {
    Triangle(&'a ShadedTriangle),
    Capsule(&'a Capsule),
}

impl Primitives {
    pub fn get(&self, number: usize) -> DrawnPrimitive<'_> {
        match self.triangles.get(number) {
            Some(t) => DrawnPrimitive::Triangle(t),
            None => DrawnPrimitive::Capsule(&self.capsules[number - self.triangles.len()]),
        }
    }

    pub fn len(&self) -> usize {
        self.triangles.len() + self.capsules.len()
    }

    /// Meshes and tubes; `pixel_view` decides which thicknesses are worth drawing.
    pub fn of_bodies(scene: &SceneView, pixel_view: &Projector, crease_angle: f32) -> Primitives {
        let crease_cos = crease_angle.to_radians().cos();
        let mut out = Primitives::default();
        for (body, mesh) in scene.meshes.iter().enumerate() {
            out.add_mesh(mesh, body as u32, pixel_view, crease_cos);
        }
        scene.tubes.iter().for_each(|tube| out.add_tube(tube));
        out
    }

    fn add_mesh(&mut self, mesh: &MeshView, body: u32, pixel_view: &Projector, crease_cos: f32) {
        let slab = is_thick(mesh, pixel_view)
            .then(|| thicken(&mesh.positions, &mesh.triangles, mesh.thickness))
            .map(|slab| (slab.positions, slab.triangles));
        let (positions, triangles) =
            slab.unwrap_or_else(|| (mesh.positions.iter().map(|&p| v3(p)).collect(), mesh.triangles.clone()));
        let normals = corner_normals(&positions, &triangles, mesh.smooth, crease_cos);
        let plain = mesh.colour.linear();
        let colours: Option<Vec<V3>> =
            mesh.vertex_colours.as_ref().map(|c| c.par_iter().map(|c| c.linear()).collect());
        // both shells of a slab take the colour of the sheet's vertex
        let colour = |v: u32| colours.as_ref().map_or(plain, |c| c[v as usize % c.len()]);
        self.triangles.par_extend(triangles.par_iter().zip(&normals).map(|(t, &normals)| ShadedTriangle {
            corners: t.map(|v| positions[v as usize]),
            normals,
            colours: t.map(colour),
            body,
        }));
    }

    fn add_tube(&mut self, tube: &TubeView) {
        let count = tube.points.len();
        let colour = |i: usize| tube.vertex_colours.as_ref().map_or(tube.colour, |c| c[i]).linear();
        let segments = if tube.closed && count > 2 { count } else { count.saturating_sub(1) };
        self.capsules.extend((0..segments).map(|i| {
            let j = (i + 1) % count;
            Capsule {
                ends: [v3(tube.points[i]), v3(tube.points[j])],
                radius: tube.radii.as_ref().map_or(tube.radius, |r| 0.5 * (r[i] + r[j])),
                colours: [colour(i), colour(j)],
                body: TUBES,
            }
        }));
    }

    /// Dots and arrows of constant size on the screen.
    pub fn of_markers(markers: &[Marker], pixel_view: &Projector) -> Primitives {
        let mut out = Primitives::default();
        for marker in markers {
            let place = v3(marker.position);
            let depth = pixel_view.to_camera(place).z;
            if depth > 0.0 {
                let picture_height = pixel_view.sample_width(depth) * pixel_view.height as f32;
                out.add_marker(marker, place, picture_height);
            }
        }
        out
    }

    fn add_marker(&mut self, marker: &Marker, place: V3, picture_height: f32) {
        /// Length of a unit arrow and radius of its shaft, relative to the picture's height.
        const ARROW: (f32, f32) = (0.03, 0.0016);
        let colours = [marker.colour.linear(); 2];
        let radius = 1e-3 * marker.size * picture_height;
        self.capsules.push(Capsule { ends: [place; 2], radius, colours, body: TUBES });
        let arrow = marker.arrow.map_or(V3::zeros(), v3) * (ARROW.0 * picture_height);
        let length = arrow.norm();
        if length > 0.0 {
            let shaft = ARROW.1 * picture_height;
            let tip = place + arrow;
            let neck = tip - arrow * (5.0 * shaft / length).min(0.6);
            self.capsules.push(Capsule { ends: [place, neck], radius: shaft, colours, body: TUBES });
            self.add_cone(neck, tip, 2.6 * shaft, colours[0]);
        }
    }

    fn add_cone(&mut self, base: V3, tip: V3, radius: f32, colour: V3) {
        const SIDES: usize = 10;
        let axis = (tip - base).normalize();
        let u = axis.cross(&if axis.x.abs() < 0.7 { V3::x() } else { V3::y() }).normalize();
        let w = axis.cross(&u);
        let rim: [V3; SIDES] = std::array::from_fn(|i| {
            let angle = std::f32::consts::TAU * i as f32 / SIDES as f32;
            base + (u * angle.cos() + w * angle.sin()) * radius
        });
        for i in 0..SIDES {
            let (a, b) = (rim[i], rim[(i + 1) % SIDES]);
            for corners in [[a, b, tip], [b, a, base]] {
                let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
                let normal = if normal.norm() > 0.0 { normal.normalize() } else { axis };
                self.triangles.push(ShadedTriangle {
                    corners,
                    normals: [normal; 3],
                    colours: [colour; 3],
                    body: TUBES,
                });
            }
        }
    }
}

fn is_thick(mesh: &MeshView, pixel_view: &Projector) -> bool {
    let nearest = mesh.positions.iter().map(|&p| pixel_view.to_camera(v3(p)).z).fold(f32::INFINITY, f32::min);
    mesh.thickness > VISIBLE_THICKNESS * pixel_view.sample_width(nearest.max(0.0))
}
