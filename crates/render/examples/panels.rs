//! Draws frames of several runs side by side.
//!
//! `panels OUT.png [--size 560x420] [--samples 4] [--columns N] [--color-by NAME] [--camera WORDS]
//! (RUN FRAME LABEL)...`
//!
//! A frame is a number or `last`. A camera (`azimuth=30,elevation=20,distance=0.8,target=0,0,1`)
//! holds for the panels after it; `--camera default` is the default one.

use std::process::ExitCode;

use stiction_render::{Arrangement, Camera, ColourBy, Panel, RunRenderOptions, render_panels};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match draw(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("error: {text}");
            ExitCode::from(2)
        }
    }
}

fn draw(arguments: &[String]) -> Result<(), String> {
    let mut words = arguments.iter().map(String::as_str);
    let out = words.next().ok_or("give a file to write, options and panels")?;
    let mut options = RunRenderOptions::new(out);
    (options.picture.width, options.picture.height) = (560, 420);
    // small pictures gain most from it, and cost little
    options.picture.samples = 4;
    options.arrangement = Arrangement::Sheet { columns: None };
    let (mut columns, mut camera, mut panels) = (None, Camera::default(), Vec::new());
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs more after it"));
        match word {
            "--size" => {
                let text = value()?;
                let size = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
                let size = size.ok_or(format!("`--size {text}`: give width and height, such as 560x420"))?;
                (options.picture.width, options.picture.height) = size;
            }
            "--samples" => {
                options.picture.samples = value()?.parse().map_err(|e| format!("`--samples`: {e}"))?
            }
            "--columns" => columns = Some(value()?.parse().map_err(|e| format!("`--columns`: {e}"))?),
            "--color-by" => options.colour_by = value()?.parse().unwrap_or(ColourBy::Body),
            "--camera" => {
                camera = match value()? {
                    "default" => Camera::default(),
                    text => text.parse().map_err(|e| format!("{e}"))?,
                };
            }
            run => {
                let frame = match value()? {
                    "last" => None,
                    number => Some(number.parse().map_err(|_| format!("`{number}` is no frame"))?),
                };
                let label = value()?.to_owned();
                panels.push(Panel { run: run.into(), frame, label, camera: Some(camera.clone()) });
            }
        }
    }
    let sheet = render_panels(&panels, columns, &options).map_err(|e| e.to_string())?;
    sheet.write_png(&options.out).map_err(|e| e.to_string())
}
