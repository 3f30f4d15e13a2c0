//! Draws a run folder: `cargo run --release -p stiction-render --example run_stills -- RUN OUT.png
//! [COLOUR_BY]`.

use std::path::Path;

use stiction_output::RunReader;
use stiction_render::{ColourBy, RenderOptions, RunRenderOptions, render_run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let run = arguments.next().ok_or("give a run folder")?;
    let out = arguments.next().ok_or("give a file to write")?;
    let colour_by: ColourBy = arguments.next().unwrap_or_else(|| "body".into()).parse()?;
    let picture = RenderOptions { width: 640, height: 400, ..RenderOptions::default() };
    let contacts = colour_by != ColourBy::Body;
    let options = RunRenderOptions { colour_by, contacts, pins: true, picture, ..RunRenderOptions::new(out) };
    let report = render_run(&RunReader::open(Path::new(&run))?, &options)?;
    println!("frames {:?} to {:?} in {:.2} s", report.frames, report.files, report.seconds);
    Ok(())
}
