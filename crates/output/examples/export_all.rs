//! Exports a run folder to every format, for checks with other programs.
//!
//! `cargo run -p stiction-output --release --example export_all -- RUN FOLDER [EVERY]`

use std::path::Path;
use stiction_output::export::bundle::PAGE_MARKER;
use stiction_output::{ExportOptions, Format, RunReader, export};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let run = arguments.next().ok_or("give the run folder")?;
    let folder = arguments.next().ok_or("give the folder to write")?;
    let every = arguments.next().map_or(Ok(1), |a| a.parse())?;
    std::fs::create_dir_all(&folder)?;
    let reader = RunReader::open(Path::new(&run))?;
    // A page that only says how large its data is stands in for the viewer.
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>run</title><p id=\"size\"></p>{PAGE_MARKER}\
         <script>document.getElementById('size').textContent = \
         document.getElementById('stiction-bundle').textContent.length</script>"
    );
    let options = ExportOptions { every, page: Some(page), ..ExportOptions::default() };
    for format in Format::ALL {
        let name =
            if format.is_folder() { format.name().to_string() } else { format!("run.{}", format.name()) };
        let report = export(&reader, format, &Path::new(&folder).join(name), &options)?;
        println!(
            "{}: {} files, {} bytes {}",
            format.name(),
            report.files,
            report.bytes,
            report.notes.join("; ")
        );
    }
    Ok(())
}
