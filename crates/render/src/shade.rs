//! Lighting and the final blend of samples into pixels.

use rayon::prelude::*;

use crate::V3;
use crate::colour::{Colour, linear_to_srgb};
use crate::ground::GroundGrid;
use crate::image::Image;
use crate::occlusion::{Exposure, PixelGrid, sunlight};
use crate::projection::Projector;
use crate::raster::{NONE, Visibility};
use crate::shadow::ShadowMap;
use crate::spiral::pattern_turn;
use crate::surface::{VisiblePoint, VisibleSurfaces};

/// Linear intensities of the lights on a surface that faces them.
const SUN: V3 = V3::new(1.05, 1.01, 0.94);
const SKY: V3 = V3::new(0.40, 0.43, 0.48);
const BOUNCE: V3 = V3::new(0.24, 0.23, 0.22);
/// Weak light from the eye: gives form to what lies in shadow.
const FILL: f32 = 0.10;
const GLOSS: f32 = 0.10;
const GLOSS_EXPONENT: i32 = 36;
/// Most samples a pixel can have.
const MAX_SAMPLES: usize = 16;

/// Everything that the last stage reads.
pub(crate) struct Shader<'a> {
    pub surfaces: VisibleSurfaces<'a>,
    pub grid: PixelGrid<'a>,
    pub exposure: &'a [Exposure],
    pub shadow: Option<&'a ShadowMap>,
    pub markers: Option<VisibleSurfaces<'a>>,
    pub ground: Option<&'a GroundGrid>,
    pub show_grid: bool,
    pub backdrop: Backdrop,
    /// World directions.
    pub sun: V3,
    pub up: V3,
    pub samples: usize,
}

/// Linear colours behind the scene.
pub(crate) struct Backdrop {
    /// One per row of pixels, pale towards the bottom.
    rows: Vec<V3>,
    /// Ground in full light.
    ground: V3,
}

impl Backdrop {
    pub fn new(height: usize) -> Self {
        let row = |r: usize| {
            let t = r as f32 / height as f32;
            Colour::hex(0xd5dee8).mix(Colour::hex(0xf3f4f6), t.sqrt()).linear()
        };
        Backdrop { rows: (0..height).map(row).collect(), ground: Colour::hex(0xe4e7eb).linear() }
    }
}

/// sRGB codes of linear light in steps of 1/8191: at most half a code off in the darkest tones.
fn display_codes() -> Vec<u8> {
    (0..8192).map(|i| (linear_to_srgb(i as f32 / 8191.0) * 255.0 + 0.5) as u8).collect()
}

/// Samples of one pixel that see one surface: sums over them.
#[derive(Clone, Copy)]
struct Group {
    first: VisiblePoint,
    normal: V3,
    colour: V3,
    count: f32,
}

impl Shader<'_> {
    /// The whole picture.
    pub fn image(&self) -> Image {
        let (width, height) = (self.grid.projector.width, self.grid.projector.height);
        let mut image = Image::new(width, height, Colour::new(1.0, 1.0, 1.0));
        let codes = display_codes();
        let encode = |c: f32| codes[(c.clamp(0.0, 1.0) * (codes.len() - 1) as f32 + 0.5) as usize];
        image.rows_mut().enumerate().for_each(|(row, line)| {
            for (column, pixel) in line.chunks_exact_mut(3).enumerate() {
                let light = self.mark(column, row, self.pixel(column, row));
                pixel.copy_from_slice(&[encode(light.x), encode(light.y), encode(light.z)]);
            }
        });
        image
    }

    fn background(&self, row: usize) -> V3 {
        self.backdrop.rows[row]
    }

    /// Linear colour of a pixel before markers.
    fn pixel(&self, column: usize, row: usize) -> V3 {
        let n = self.samples;
        let visibility: &Visibility = self.surfaces.visibility;
        let centre = self.grid.points[row * self.grid.projector.width + column];
        let centre_number = centre.map_or(NONE, |p| p.number);
        let sample = |s: usize| (column * n + s % n, row * n + s / n);
        let number = |s: usize| {
            let (x, y) = sample(s);
            visibility.primitive[y * visibility.width + x]
        };
        if (0..n * n).all(|s| number(s) == centre_number) {
            return match centre {
                None => self.background(row),
                Some(p) => self.lit(&p, self.exposure_at(column, row), row),
            };
        }
        let mut groups = Groups::new(centre);
        for s in 0..n * n {
            let (x, y) = sample(s);
            let round = self.surfaces.is_round(number(s));
            groups.add(number(s), round, || self.surfaces.at(x, y), |p| self.grid.tolerance(p));
        }
        let mut sum = self.background(row) * groups.empty;
        for group in groups.list[..groups.len].iter().filter(|g| g.count > 0.0) {
            let mut point = group.first;
            point.normal = group.normal.normalize();
            point.colour = group.colour / group.count;
            sum += self.lit(&point, self.matching_exposure(column, row, &point), row) * group.count;
        }
        sum / (n * n) as f32
    }

    fn exposure_at(&self, column: usize, row: usize) -> Exposure {
        self.exposure[row * self.grid.projector.width + column]
    }

    /// Exposure of the nearest pixel on the same surface; a surface seen by no pixel asks the sun
    /// directly.
    fn matching_exposure(&self, column: usize, row: usize, point: &VisiblePoint) -> Exposure {
        /// The pixel itself, then its neighbours, nearest first.
        const AROUND: [(isize, isize); 9] =
            [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
        let tolerance = self.grid.tolerance(point);
        for (du, dv) in AROUND {
            let (u, v) = (column as isize + du, row as isize + dv);
            if self.grid.get(u, v).is_some_and(|q| point.continues(q, tolerance)) {
                return self.exposure_at(u as usize, v as usize);
            }
        }
        let turn = pattern_turn(column, row);
        let sun = self.shadow.map_or(1.0, |map| sunlight(map, self.grid.projector, point, turn));
        Exposure { sky: 0.85, sun }
    }

    /// Linear display colour of a surface point.
    fn lit(&self, point: &VisiblePoint, exposure: Exposure, row: usize) -> V3 {
        if point.is_ground() {
            return self.ground_colour(point, exposure, row);
        }
        let view: &Projector = self.grid.projector;
        let normal = view.direction_to_world(point.normal);
        let to_eye = -view.direction_to_world(point.position).normalize();
        let light = self.incident(normal, exposure) + V3::repeat(FILL * normal.dot(&to_eye).max(0.0));
        let half = (to_eye + self.sun).normalize();
        let facing = normal.dot(&self.sun).clamp(0.0, 0.2) * 5.0;
        let gloss = GLOSS * normal.dot(&half).max(0.0).powi(GLOSS_EXPONENT) * exposure.sun * facing;
        (point.colour.component_mul(&light) + SUN * gloss).map(shoulder)
    }

    /// Sun, sky and light from below.
    fn incident(&self, normal: V3, exposure: Exposure) -> V3 {
        let above = 0.5 + 0.5 * normal.dot(&self.up);
        // open sky also softens the sun a little in deep creases, where light bounces less
        let sun = normal.dot(&self.sun).max(0.0) * exposure.sun * (0.8 + 0.2 * exposure.sky);
        (SKY * above + BOUNCE * (1.0 - above)) * exposure.sky + SUN * sun
    }

    /// The ground takes its lit colour from the background, so only shadows and grid stand out.
    fn ground_colour(&self, point: &VisiblePoint, exposure: Exposure, row: usize) -> V3 {
        let background = self.background(row);
        let Some(ground) = self.ground else { return background };
        let world = self.grid.projector.to_world(point.position);
        let presence = ground.presence(world);
        if presence <= 0.0 {
            return background;
        }
        let light = self.incident(ground.normal(), exposure);
        let full = self.incident(ground.normal(), Exposure::FULL);
        let mut colour = self.backdrop.ground.component_mul(&light.component_div(&full));
        if self.show_grid {
            let slant = (-point.position.normalize().dot(&point.normal)).max(0.05);
            let footprint = self.grid.projector.sample_width(point.position.z) / slant.sqrt();
            colour *= 1.0 - 0.20 * ground.grid(world, footprint);
        }
        background + (colour - background) * presence
    }

    /// Lays markers over a pixel: full where visible, pale where something hides them.
    fn mark(&self, column: usize, row: usize, below: V3) -> V3 {
        const HIDDEN: f32 = 0.40;
        let Some(markers) = &self.markers else { return below };
        let n = self.samples;
        let (mut cover, mut light) = (0.0, V3::zeros());
        for s in 0..n * n {
            let (x, y) = (column * n + s % n, row * n + s / n);
            let index = y * markers.visibility.width + x;
            if markers.visibility.primitive[index] == NONE {
                continue;
            }
            let Some(point) = markers.at(x, y) else { continue };
            let visible = markers.visibility.nearness[index] >= self.surfaces.visibility.nearness[index];
            let alpha = if visible { 1.0 } else { HIDDEN };
            cover += alpha;
            light += point.colour * (0.6 + 0.4 * (-point.normal.z).max(0.0)) * alpha;
        }
        let total = (n * n) as f32;
        below * (1.0 - cover / total) + light / total
    }
}

/// A primitive met in a pixel: the group it belongs to, normal and colour where it was met.
#[derive(Clone, Copy)]
struct Seen {
    number: u32,
    group: usize,
    normal: V3,
    colour: V3,
}

/// Distinct surfaces of a pixel.
struct Groups {
    list: [Group; MAX_SAMPLES + 1],
    len: usize,
    seen: [Seen; MAX_SAMPLES + 1],
    seen_len: usize,
    /// Samples that see the background.
    empty: f32,
}

impl Groups {
    fn new(centre: Option<VisiblePoint>) -> Self {
        let zero = V3::zeros();
        let nothing = VisiblePoint { number: NONE, body: NONE, position: zero, normal: zero, colour: zero };
        let blank = Group { first: nothing, normal: zero, colour: zero, count: 0.0 };
        let unseen = Seen { number: NONE, group: 0, normal: zero, colour: zero };
        let mut groups = Groups {
            list: [blank; MAX_SAMPLES + 1],
            len: 0,
            seen: [unseen; MAX_SAMPLES + 1],
            seen_len: 0,
            empty: 0.0,
        };
        if let Some(point) = centre {
            let group = groups.open(point);
            groups.remember(&point, group);
        }
        groups
    }

    fn open(&mut self, first: VisiblePoint) -> usize {
        self.list[self.len] = Group { first, normal: V3::zeros(), colour: V3::zeros(), count: 0.0 };
        self.len += 1;
        self.len - 1
    }

    fn remember(&mut self, point: &VisiblePoint, group: usize) {
        let VisiblePoint { number, normal, colour, .. } = *point;
        self.seen[self.seen_len] = Seen { number, group, normal, colour };
        self.seen_len += 1;
    }

    /// Counts a sample. Each weighs the same, so that an edge between two sheets that lie on each
    /// other moves through a pixel in steps of one sample. Triangles are looked at once; a `round`
    /// primitive turns within a pixel.
    fn add(
        &mut self,
        number: u32,
        round: bool,
        point: impl FnOnce() -> Option<VisiblePoint>,
        tolerance: impl Fn(&VisiblePoint) -> f32,
    ) {
        let known = self.seen[..self.seen_len].iter().find(|s| s.number == number).copied();
        if let Some(Seen { group, normal, colour, .. }) = known.filter(|_| !round) {
            return self.count(group, normal, colour);
        }
        let Some(point) = point() else {
            self.empty += 1.0;
            return;
        };
        let group = known.map(|seen| seen.group).unwrap_or_else(|| {
            let limit = tolerance(&point);
            let joined = self.list[..self.len].iter().position(|g| g.first.continues(&point, limit));
            let group = joined.unwrap_or_else(|| self.open(point));
            self.remember(&point, group);
            group
        });
        self.count(group, point.normal, point.colour);
    }

    fn count(&mut self, group: usize, normal: V3, colour: V3) {
        let g = &mut self.list[group];
        (g.normal, g.colour, g.count) = (g.normal + normal, g.colour + colour, g.count + 1.0);
    }
}

/// Identity for dark values, smooth approach to 1 for bright ones.
fn shoulder(x: f32) -> f32 {
    const KNEE: f32 = 0.6;
    if x <= KNEE { x } else { KNEE + (1.0 - KNEE) * (1.0 - (-(x - KNEE) / (1.0 - KNEE)).exp()) }
}
