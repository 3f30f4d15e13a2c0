//! `stiction render`: pictures of a run without a display.

use crate::args::RenderArgs;
use crate::failure::Failure;
use stiction::output::RunReader;
use stiction_render::{Arrangement, Camera, ColourBy, FrameChoice, RunRenderOptions, render_run};

/// Draws frames of a run.
pub fn render(options: &RenderArgs) -> Result<(), Failure> {
    let reader = RunReader::open_within(&options.run, options.limits.budget())?;
    if options.output.extension().is_some_and(|ending| !ending.eq_ignore_ascii_case("png")) {
        let name = options.output.display();
        return Err(Failure::Input(format!(
            "error: `-o {name}`: pictures are PNG files; let the name end in .png"
        )));
    }
    let mut details = RunRenderOptions::new(&options.output);
    details.frames = match options.every {
        Some(0) => return Err(Failure::Input("error: `--every 0`: give 1 or more".to_owned())),
        Some(n) => FrameChoice::Every(n),
        None if options.frames.is_empty() => details.frames,
        None => FrameChoice::List(options.frames.clone()),
    };
    (details.picture.width, details.picture.height) = size(&options.size)?;
    if !options.camera.is_empty() {
        details.picture.camera = camera(&options.camera)?;
    }
    details.colour_by = options.color_by.parse().unwrap_or(ColourBy::Body);
    if options.sequence {
        details.arrangement = Arrangement::Sequence;
    }
    (details.contacts, details.pins) = (options.contacts, options.pins);
    let report = render_run(&reader, &details)?;
    let (count, seconds) = (report.frames.len(), report.seconds);
    match &report.files[..] {
        [first, .., last] => {
            say!("{count} frame(s) in {seconds:.2} s: {} to {}", first.display(), last.display());
        }
        files => files.iter().for_each(|f| say!("{count} frame(s) in {seconds:.2} s: {}", f.display())),
    }
    Ok(())
}

fn size(text: &str) -> Result<(usize, usize), Failure> {
    let parsed = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parsed.ok_or_else(|| {
        Failure::Input(format!("error: `--size {text}`: give width and height, such as 1280x720"))
    })
}

fn camera(numbers: &[f32]) -> Result<Camera, Failure> {
    let mut camera = Camera::default();
    match *numbers {
        [azimuth, elevation] => (camera.azimuth, camera.elevation) = (azimuth, elevation),
        [azimuth, elevation, distance] => {
            (camera.azimuth, camera.elevation, camera.distance) = (azimuth, elevation, distance);
        }
        _ => {
            let text =
                "error: `--camera` takes azimuth and elevation in degrees, and a distance factor: 35,20,0.8";
            return Err(Failure::Input(text.to_owned()));
        }
    }
    Ok(camera)
}
