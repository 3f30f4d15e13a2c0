//! Pictures of a run folder: a contact sheet or a numbered sequence.

use std::path::{Path, PathBuf};
use std::time::Instant;

use stiction_output::{BodyLayout, Frame, Layout, LayoutKind, RunReader, StoredMotion};

use crate::error::RenderError;
use crate::frame_view::{ColourBy, Overlays, scene_view};
use crate::image::Image;
use crate::options::RenderOptions;
use crate::render::render_frame;
use crate::sheet::{contact_sheet, default_columns};
use crate::view::BoundingBox;

/// Which frames to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// These, in this order.
    List(Vec<u32>),
    /// Every n-th frame of the run, from its first.
    Every(usize),
    /// This many, evenly spread from the first to the last.
    Spread(usize),
}

/// How pictures become files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// One file with all pictures; `None` chooses the columns.
    Sheet {
        /// Pictures side by side.
        columns: Option<usize>,
    },
    /// `NAME_000000.png` and so on, numbered without gaps, as video encoders want them.
    Sequence,
}

/// Where the ground is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GroundChoice {
    /// A wide, flat, level, fixed collider below the bodies is drawn as endless ground; without one
    /// there is none.
    Auto,
    /// No ground; floors are drawn as the meshes they are.
    None,
    /// At this height along the up axis [m].
    Height(f32),
}

/// Settings of [`render_run`].
#[derive(Clone, Debug)]
pub struct RunRenderOptions {
    /// Frames to draw.
    pub frames: FrameChoice,
    /// Size, camera, light. `bounds` is computed over all chosen frames unless given.
    pub picture: RenderOptions,
    /// What colours show.
    pub colour_by: ColourBy,
    /// Range of the colour bar; `None` takes it from the chosen frames.
    pub range: Option<[f32; 2]>,
    /// Sheet or sequence.
    pub arrangement: Arrangement,
    /// Ground.
    pub ground: GroundChoice,
    /// Whether contacts are marked, with normal (orange) and force (blue).
    pub contacts: bool,
    /// Whether intersections are marked in red.
    pub intersections: bool,
    /// Whether pinned vertices are marked.
    pub pins: bool,
    /// Whether frame number and time are written.
    pub captions: bool,
    /// File to write.
    pub out: PathBuf,
}

impl RunRenderOptions {
    /// A sheet of four frames with default light and camera.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        RunRenderOptions {
            frames: FrameChoice::Spread(4),
            picture: RenderOptions::default(),
            colour_by: ColourBy::Body,
            range: None,
            arrangement: Arrangement::Sheet { columns: None },
            ground: GroundChoice::Auto,
            contacts: false,
            intersections: true,
            pins: false,
            captions: true,
            out: out.into(),
        }
    }
}

/// What was drawn.
#[derive(Clone, Debug)]
pub struct RunRenderReport {
    /// Frames drawn, in order.
    pub frames: Vec<u32>,
    /// Files written.
    pub files: Vec<PathBuf>,
    /// Range of the colour bar, if there is one.
    pub range: Option<[f32; 2]>,
    /// Wall time [s].
    pub seconds: f64,
}

/// Draws frames of a run with one camera and one colour bar.
pub fn render_run(run: &RunReader, options: &RunRenderOptions) -> Result<RunRenderReport, RenderError> {
    let start = Instant::now();
    options.picture.validate()?;
    let frames = chosen_frames(run, &options.frames)?;
    let survey = Survey::new(run, &frames, options)?;
    let mut files = Vec::new();
    let (mut images, mut captions) = (Vec::new(), Vec::new());
    for (position, &index) in frames.iter().enumerate() {
        let frame = run.frame(index)?;
        let caption = format!("frame {index}   t = {:.3} s", frame.time);
        let image = survey.draw(run.layout(), &frame, options, &caption)?;
        match options.arrangement {
            Arrangement::Sheet { .. } => images.push(image),
            Arrangement::Sequence => {
                let path = numbered(&options.out, position);
                image.write_png(&path)?;
                files.push(path);
            }
        }
        captions.push(caption);
    }
    if let Arrangement::Sheet { columns } = options.arrangement {
        let captions = if options.captions { captions } else { Vec::new() };
        let columns = columns.unwrap_or_else(|| default_columns(images.len()));
        contact_sheet(&images, columns, &captions)?.write_png(&options.out)?;
        files.push(options.out.clone());
    }
    Ok(RunRenderReport { frames, files, range: survey.range, seconds: start.elapsed().as_secs_f64() })
}

/// `folder/name_000007.png` beside the wished `folder/name.png`.
fn numbered(out: &Path, position: usize) -> PathBuf {
    let stem = out.file_stem().map_or_else(|| "frame".into(), |s| s.to_string_lossy());
    out.with_file_name(format!("{stem}_{position:06}.png"))
}

fn chosen_frames(run: &RunReader, choice: &FrameChoice) -> Result<Vec<u32>, RenderError> {
    let span = run.frame_span();
    if span == 0 {
        return Err(RenderError::EmptyRun);
    }
    let bad = |problem: &str| Err(RenderError::BadOption { name: "frames", problem: problem.into() });
    let numbers: Box<dyn Iterator<Item = u32>> = match choice {
        FrameChoice::List(list) if list.is_empty() => return bad("the list is empty"),
        FrameChoice::List(list) => Box::new(list.iter().copied()),
        FrameChoice::Every(0) | FrameChoice::Spread(0) => return bad("the count must be at least 1"),
        FrameChoice::Every(n) => Box::new((0..span).step_by(*n)),
        FrameChoice::Spread(n) => {
            let (count, last) = ((*n as u64).min(u64::from(span)), u64::from(span) - 1);
            let number = move |k: u64| (if count > 1 { k * last / (count - 1) } else { last }) as u32;
            Box::new((0..count).map(number))
        }
    };
    // Fails on the first frame that is not there, before any picture is drawn.
    numbers.map(|index| Ok(run.frame_path(index).map(|_| index)?)).collect()
}

/// What all pictures of a series share.
pub(crate) struct Survey {
    pub bounds: BoundingBox,
    pub range: Option<[f32; 2]>,
    ground: Option<f32>,
    /// Bodies replaced by the ground.
    hidden: Vec<usize>,
}

impl Survey {
    pub fn new(run: &RunReader, frames: &[u32], options: &RunRenderOptions) -> Result<Survey, RenderError> {
        let layout = run.layout();
        let mut boxes = vec![BoundingBox::EMPTY; layout.bodies.len()];
        let mut range = options.range;
        for &index in frames {
            let frame = run.frame(index)?;
            for (bounds, body) in boxes.iter_mut().zip(&layout.bodies) {
                frame.positions[body.range()].iter().for_each(|&p| bounds.grow(p, margin(body)));
            }
            if let (None, Some(values)) = (options.range, options.colour_by.values(&frame)?) {
                let finite = values.iter().copied().filter(|v| v.is_finite());
                range = Some(finite.fold(range.unwrap_or([0.0; 2]), |[l, h], v| [l.min(v), h.max(v)]));
            }
        }
        let simulated = simulated_box(layout, &boxes);
        let mut survey = Survey { bounds: simulated, range, ground: None, hidden: Vec::new() };
        match options.ground {
            GroundChoice::None => {}
            GroundChoice::Height(height) => survey.ground = Some(height),
            GroundChoice::Auto => survey.find_floor(layout, &boxes),
        }
        survey.bounds = subject(layout, &boxes, &simulated, &survey.hidden);
        if let Some(bounds) = options.picture.bounds {
            survey.bounds = bounds;
        }
        Ok(survey)
    }

    /// The highest body that can pass for ground.
    fn find_floor(&mut self, layout: &Layout, boxes: &[BoundingBox]) {
        let up = layout.up_axis as usize;
        for (index, body) in layout.bodies.iter().enumerate() {
            if !is_floor(body, &boxes[index], &self.bounds, up) {
                continue;
            }
            self.hidden.push(index);
            self.ground = Some(self.ground.map_or(boxes[index].max[up], |g| g.max(boxes[index].max[up])));
        }
    }

    pub fn draw(
        &self,
        layout: &Layout,
        frame: &Frame,
        options: &RunRenderOptions,
        caption: &str,
    ) -> Result<Image, RenderError> {
        let values = options.colour_by.values(frame)?;
        let legend = self.range.map(|range| options.colour_by.legend(range));
        let scalars = values.as_deref().zip(legend.as_ref());
        let overlays =
            Overlays { contacts: options.contacts, intersections: options.intersections, pins: options.pins };
        let mut scene = scene_view(layout, frame, scalars, overlays, &self.hidden);
        scene.ground = self.ground;
        let sequence = options.captions && options.arrangement == Arrangement::Sequence;
        let picture = RenderOptions {
            bounds: Some(self.bounds),
            legend: legend.filter(|_| values.is_some()),
            caption: sequence.then(|| caption.to_string()).or_else(|| options.picture.caption.clone()),
            ..options.picture.clone()
        };
        render_frame(&scene, &picture)
    }
}

fn margin(body: &BodyLayout) -> f32 {
    body.radius.iter().copied().fold(0.5 * body.thickness, f32::max)
}

/// Box of everything that is simulated, or of all bodies if nothing is.
fn simulated_box(layout: &Layout, boxes: &[BoundingBox]) -> BoundingBox {
    let all = |keep: fn(&BodyLayout) -> bool| {
        let kept = layout.bodies.iter().zip(boxes).filter(|(body, _)| keep(body));
        kept.fold(BoundingBox::EMPTY, |sum, (_, bounds)| sum.union(*bounds))
    };
    let simulated = all(|body| body.kind != LayoutKind::Collider);
    if simulated.is_empty() { all(|_| true) } else { simulated }
}

/// Box to frame: what is simulated, and visible colliders that do not dwarf it.
fn subject(layout: &Layout, boxes: &[BoundingBox], simulated: &BoundingBox, hidden: &[usize]) -> BoundingBox {
    const DWARFS: f32 = 2.0;
    let limit = DWARFS * simulated.radius();
    let fits = |i: &usize| !boxes[*i].is_empty() && !hidden.contains(i) && boxes[*i].radius() < limit;
    (0..layout.bodies.len()).filter(fits).fold(*simulated, |sum, i| sum.union(boxes[i]))
}

/// Flat, level, fixed, at least as wide as the subject, and below its middle.
fn is_floor(body: &BodyLayout, bounds: &BoundingBox, subject: &BoundingBox, up: usize) -> bool {
    if body.kind != LayoutKind::Collider || body.motion != StoredMotion::Fixed || bounds.is_empty() {
        return false;
    }
    let extent = |b: &BoundingBox, k: usize| b.max[k] - b.min[k];
    let sides = [(up + 1) % 3, (up + 2) % 3];
    let width = extent(bounds, sides[0]).min(extent(bounds, sides[1]));
    let height = extent(bounds, up) - body.thickness;
    let wide = sides.iter().all(|&k| extent(bounds, k) >= 0.8 * extent(subject, k));
    height <= 1e-3 * width && wide && bounds.max[up] <= 0.5 * (subject.min[up] + subject.max[up])
}
