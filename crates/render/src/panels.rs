//! Frames of several runs side by side: what stands beside what falls.

use std::path::PathBuf;

use stiction_output::RunReader;

use crate::camera::Camera;
use crate::error::RenderError;
use crate::image::Image;
use crate::options::RenderOptions;
use crate::run::{RunRenderOptions, Survey};
use crate::sheet::{contact_sheet, default_columns};
use crate::view::BoundingBox;

/// One picture of a comparison.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Run folder.
    pub run: PathBuf,
    /// Frame, or `None` for the last one.
    pub frame: Option<u32>,
    /// Written below the picture, before the time; empty for the number of the frame.
    pub label: String,
    /// Camera of this picture, or `None` for the one of the sheet.
    pub camera: Option<Camera>,
}

/// Draws panels as one sheet. All show one box, so that sizes compare, and one range of colours.
///
/// Of the options, `frames`, `arrangement` and `out` are not read.
pub fn render_panels(
    panels: &[Panel],
    columns: Option<usize>,
    options: &RunRenderOptions,
) -> Result<Image, RenderError> {
    options.picture.validate()?;
    let mut runs: Vec<(&PathBuf, RunReader, Vec<u32>)> = Vec::new();
    let mut places = Vec::new();
    for panel in panels {
        let position = runs.iter().position(|(path, ..)| *path == &panel.run);
        let run = match position {
            Some(run) => run,
            None => {
                runs.push((&panel.run, RunReader::open(&panel.run)?, Vec::new()));
                runs.len() - 1
            }
        };
        let (_, reader, frames) = &mut runs[run];
        let last = reader.frame_span().checked_sub(1).ok_or(RenderError::EmptyRun)?;
        let frame = panel.frame.unwrap_or(last);
        reader.frame_path(frame)?;
        frames.push(frame);
        places.push((run, frame));
    }
    let mut surveys = Vec::new();
    for (_, reader, frames) in &runs {
        surveys.push(Survey::new(reader, frames, options)?);
    }
    let bounds = surveys.iter().fold(BoundingBox::EMPTY, |sum, survey| sum.union(survey.bounds));
    let ranges = surveys.iter().filter_map(|survey| survey.range);
    let range = ranges.reduce(|[a, b], [low, high]| [a.min(low), b.max(high)]);
    for survey in &mut surveys {
        (survey.bounds, survey.range) = (bounds, range);
    }
    let (mut images, mut captions) = (Vec::new(), Vec::new());
    for (panel, &(run, index)) in panels.iter().zip(&places) {
        let reader = &runs[run].1;
        let frame = reader.frame(index)?;
        let camera = panel.camera.clone().unwrap_or_else(|| options.picture.camera.clone());
        let picture = RenderOptions { camera, ..options.picture.clone() };
        let own = RunRenderOptions { picture, ..options.clone() };
        images.push(surveys[run].draw(reader.layout(), &frame, &own, "")?);
        captions.push(match panel.label.as_str() {
            "" => format!("frame {index}   t = {:.3} s", frame.time),
            label => format!("{label}   t = {:.2} s", frame.time),
        });
    }
    let captions = if options.captions { captions } else { Vec::new() };
    contact_sheet(&images, columns.unwrap_or_else(|| default_columns(images.len())), &captions)
}
