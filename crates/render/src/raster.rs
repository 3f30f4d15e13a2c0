//! Rasterisation of triangles and capsules into a visibility buffer.
//!
//! Triangle coverage is decided in integers (corners snapped to 1/256 sample), so meshes have no
//! pinholes. Capsules are intersected exactly, ray by ray. The raster is cut into bands of rows;
//! one task fills a band from its list of primitives in ascending order, and a tie in nearness
//! keeps the first, so the result does not depend on the number of threads.

use rayon::prelude::*;

use crate::V3;
use crate::primitives::Primitives;
use crate::projection::{Lens, Projector};

mod capsule;
mod triangle;

use capsule::ScreenCapsule;
use triangle::ScreenTriangle;

/// Rows of a band.
const BAND: usize = 16;
/// Primitives per parallel chunk of the set-up.
const CHUNK: usize = 4096;
/// No primitive.
pub(crate) const NONE: u32 = u32::MAX;

/// Per sample: nearness of the nearest surface and the number of its primitive.
pub(crate) struct Visibility {
    pub width: usize,
    pub nearness: Vec<f32>,
    pub primitive: Vec<u32>,
}

/// A primitive ready to be filled.
enum ScreenPrimitive {
    Triangle(ScreenTriangle),
    Capsule(ScreenCapsule),
}

impl ScreenPrimitive {
    /// First and last row touched.
    fn rows(&self) -> (usize, usize) {
        match self {
            ScreenPrimitive::Triangle(t) => t.rows(),
            ScreenPrimitive::Capsule(c) => c.rows(),
        }
    }

    fn fill(&self, band: &mut Band) {
        match self {
            ScreenPrimitive::Triangle(t) => t.fill(band),
            ScreenPrimitive::Capsule(c) => c.fill(band),
        }
    }
}

/// Rows `first_row..` of the raster.
struct Band<'a> {
    first_row: usize,
    rows: usize,
    projector: &'a Projector,
    nearness: &'a mut [f32],
    primitive: &'a mut [u32],
}

impl Band<'_> {
    /// Rows common to the band and an inclusive range.
    fn clip_rows(&self, (first, last): (usize, usize)) -> std::ops::Range<usize> {
        first.max(self.first_row)..(last + 1).min(self.first_row + self.rows)
    }

    fn row_start(&self, row: usize) -> usize {
        (row - self.first_row) * self.projector.width
    }

    fn put(&mut self, index: usize, nearness: f32, primitive: u32) {
        if nearness > self.nearness[index] {
            self.nearness[index] = nearness;
            self.primitive[index] = primitive;
        }
    }
}

/// Nearest primitive at every sample centre. Capsules are drawn at least `thinnest` samples wide.
pub(crate) fn rasterise(projector: &Projector, primitives: &Primitives, thinnest: f32) -> Visibility {
    let near = near_plane(projector, primitives);
    let ready = set_up(projector, primitives, near, 0.5 * thinnest);
    let bins = bin(&ready, projector.height.div_ceil(BAND));
    let samples = projector.width * projector.height;
    let mut out = Visibility {
        width: projector.width,
        nearness: vec![f32::NEG_INFINITY; samples],
        primitive: vec![NONE; samples],
    };
    let chunk = projector.width * BAND;
    let bands = out.nearness.par_chunks_mut(chunk).zip(out.primitive.par_chunks_mut(chunk));
    bands.zip(&bins).enumerate().for_each(|(b, ((nearness, primitive), bin))| {
        let rows = nearness.len() / projector.width;
        let mut band = Band { first_row: b * BAND, rows, projector, nearness, primitive };
        bin.iter().for_each(|&i| ready[i as usize].fill(&mut band));
    });
    out
}

/// Depth of the near plane [m]: a small part of the reach of the scene; the sun needs none.
fn near_plane(projector: &Projector, primitives: &Primitives) -> f32 {
    if projector.lens == Lens::Orthographic {
        return f32::NEG_INFINITY;
    }
    let depth = |p: V3| projector.to_camera(p).z.abs();
    let triangles = primitives.triangles.par_iter().map(|t| depth(t.corners[0]));
    let reach = triangles.reduce(|| 0.0, f32::max);
    let reach = primitives.capsules.par_iter().map(|c| depth(c.ends[0])).reduce(|| reach, f32::max);
    (1e-4 * reach).max(1e-6)
}

fn set_up(
    projector: &Projector,
    primitives: &Primitives,
    near: f32,
    thinnest_radius: f32,
) -> Vec<ScreenPrimitive> {
    let triangles = primitives.triangles.par_chunks(CHUNK).enumerate().map(|(k, chunk)| {
        let mut ready = Vec::with_capacity(chunk.len());
        for (i, t) in chunk.iter().enumerate() {
            let corners = t.corners.map(|p| projector.to_camera(p));
            let number = (k * CHUNK + i) as u32;
            triangle::set_up(projector, corners, near, number, |t| ready.push(ScreenPrimitive::Triangle(t)));
        }
        ready
    });
    let first = primitives.triangles.len();
    let capsules = primitives.capsules.par_chunks(CHUNK).enumerate().map(|(k, chunk)| {
        let number = |i: usize| (first + k * CHUNK + i) as u32;
        let ready = chunk.iter().enumerate().filter_map(|(i, c)| {
            let ends = c.ends.map(|p| projector.to_camera(p));
            let depth = 0.5 * (ends[0].z + ends[1].z);
            let radius = c.radius.max(thinnest_radius * projector.sample_width(depth));
            ScreenCapsule::new(projector, ends, radius, near, number(i)).map(ScreenPrimitive::Capsule)
        });
        ready.collect::<Vec<_>>()
    });
    triangles.chain(capsules).collect::<Vec<_>>().into_iter().flatten().collect()
}

/// Primitives of each band, ascending.
fn bin(ready: &[ScreenPrimitive], bands: usize) -> Vec<Vec<u32>> {
    let mut bins = vec![Vec::new(); bands];
    for (i, primitive) in ready.iter().enumerate() {
        let (first, last) = primitive.rows();
        bins[first / BAND..=last / BAND].iter_mut().for_each(|bin| bin.push(i as u32));
    }
    bins
}
