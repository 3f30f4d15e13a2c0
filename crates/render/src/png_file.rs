//! PNG files, written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::RenderError;
use crate::image::Image;

impl Image {
    /// Writes a PNG file; folders are made, and a failure leaves no half-written file behind.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), RenderError> {
        let path = path.as_ref();
        write_atomically(path, |file| self.encode_png(file))
            .map_err(|source| RenderError::Write { path: path.to_path_buf(), source })
    }

    /// Encodes as PNG.
    pub fn encode_png(&self, out: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width() as u32, self.height() as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.bytes())?;
        writer.finish()?;
        Ok(())
    }
}

/// Writes to a name beside the target, then renames.
fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = folder.join(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let result = (|| {
        let mut file = BufWriter::new(File::create(&temporary)?);
        fill(&mut file)?;
        file.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if result.is_err() {
        // the first error is the one worth reporting
        let _ = fs::remove_file(&temporary);
    }
    result
}
