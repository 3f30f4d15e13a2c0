//! `stiction export`: a run as files for other programs.

use super::print_json;
use crate::args::ExportArgs;
use crate::failure::Failure;
use stiction::output::RunReader;
use stiction::output::export::{self, Format};

/// Exports a run.
pub fn export(options: &ExportArgs) -> Result<(), Failure> {
    let reader = RunReader::open_within(&options.run, options.limits.budget())?;
    let format: Format = options.to.parse()?;
    let path = options.output.clone().unwrap_or_else(|| format.default_path(&options.run));
    let details = export::ExportOptions {
        every: options.every,
        bodies: options.body.clone(),
        page: super::view::page().map(String::from),
    };
    let report = export::export(&reader, format, &path, &details)?;
    if options.json {
        return print_json(&serde_json::json!({
            "format": report.format.name(), "path": report.path, "files": report.files, "notes": report.notes,
        }));
    }
    say!("{} file(s) of format {} in {}", report.files, report.format.name(), report.path.display());
    report.notes.iter().for_each(|sentence| say!("note: {sentence}"));
    Ok(())
}
