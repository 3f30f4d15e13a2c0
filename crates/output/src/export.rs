//! Export to the formats of other programs, from any run folder.
//!
//! Every format gets the user's vertex order, SI units and the frames of the run, which fall on
//! multiples of 1/fps. One file per format below; `select.rs` decides what is exported, `gather.rs`
//! turns frame-by-frame storage into body-by-body tracks without holding a whole run in memory.

pub mod bundle;
mod gather;
mod glb;
mod npz;
mod obj;
mod pc2;
mod ply;
mod select;
mod usda;
mod vtu;

use crate::error::{OutputError, Result};
use crate::reader::RunReader;
use select::Selection;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The formats, by their names on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Wavefront OBJ, one file per frame.
    Obj,
    /// Binary PLY, one file per frame and body.
    Ply,
    /// VTK unstructured grids, one file per frame, and a PVD that lists them.
    Vtu,
    /// Point cache 2 per body, with an OBJ of its topology.
    Pc2,
    /// Binary glTF with the animation.
    Glb,
    /// Universal Scene Description, text.
    Usda,
    /// NumPy archive.
    Npz,
    /// One self-contained page.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Obj, Self::Ply, Self::Vtu, Self::Pc2, Self::Glb, Self::Usda, Self::Npz, Self::Html];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Vtu => "vtu",
            Self::Pc2 => "pc2",
            Self::Glb => "glb",
            Self::Usda => "usda",
            Self::Npz => "npz",
            Self::Html => "html",
        }
    }

    /// Whether the result is a folder of files rather than one file.
    pub fn is_folder(self) -> bool {
        matches!(self, Self::Obj | Self::Ply | Self::Vtu | Self::Pc2)
    }

    /// Where an export goes when the user gives no path: beside the run folder, named after it.
    pub fn default_path(self, run: &Path) -> PathBuf {
        let run = run.file_name().map_or_else(|| "run".into(), |n| n.to_string_lossy().into_owned());
        PathBuf::from(if self.is_folder() {
            format!("{run}_{}", self.name())
        } else {
            format!("{run}.{}", self.name())
        })
    }
}

impl FromStr for Format {
    type Err = OutputError;

    fn from_str(name: &str) -> Result<Self> {
        let typed = name.to_ascii_lowercase();
        // Names of families that people type stand for the member of the family that is written.
        let meant = match typed.as_str() {
            "usd" => "usda",
            "gltf" => "glb",
            "vtk" => "vtu",
            other => other,
        };
        Self::ALL.into_iter().find(|f| f.name() == meant).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            OutputError::UnknownFormat { name: name.to_owned(), known }
        })
    }
}

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Take every n-th frame, counted from frame 0.
    pub every: u32,
    /// Bodies by name; none means all.
    pub bodies: Vec<String>,
    /// The viewer page for `html`, with [`bundle::PAGE_MARKER`] where the data goes.
    pub page: Option<String>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { every: 1, bodies: Vec::new(), page: None }
    }
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct ExportReport {
    /// Format written.
    pub format: Format,
    /// The file, or the folder that holds the files.
    pub path: PathBuf,
    /// Number of files.
    pub files: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Frames exported.
    pub frames: usize,
    /// Bodies exported.
    pub bodies: usize,
    /// What the format could not carry.
    pub notes: Vec<String>,
}

/// Exports a run to a file or folder.
pub fn export(
    reader: &RunReader,
    format: Format,
    path: &Path,
    options: &ExportOptions,
) -> Result<ExportReport> {
    let selection = Selection::new(reader, format, options)?;
    let mut report = ExportReport {
        format,
        path: path.to_path_buf(),
        files: 0,
        bytes: 0,
        frames: selection.frames.len(),
        bodies: selection.bodies.len(),
        notes: Vec::new(),
    };
    match format {
        Format::Obj => obj::write(reader, &selection, path, &mut report),
        Format::Ply => ply::write(reader, &selection, path, &mut report),
        Format::Vtu => vtu::write(reader, &selection, path, &mut report),
        Format::Pc2 => pc2::write(reader, &selection, path, &mut report),
        Format::Glb => glb::write(reader, &selection, path, &mut report),
        Format::Usda => usda::write(reader, &selection, path, &mut report),
        Format::Npz => npz::write(reader, &selection, path, &mut report),
        Format::Html => bundle::write_page(reader, &selection, path, options.page.as_deref(), &mut report),
    }
    .map_err(|error| error.at_the_start().of_export())?;
    Ok(report)
}

impl ExportReport {
    /// Counts a file that was written.
    fn add_file(&mut self, path: &Path) -> Result<()> {
        self.files += 1;
        self.bytes += std::fs::metadata(path).map_err(|e| OutputError::reading(path, e))?.len();
        Ok(())
    }
}
