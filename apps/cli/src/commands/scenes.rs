//! `stiction scenes`: the gallery.

use super::print_json;
use crate::args::ScenesOptions;
use crate::failure::Failure;
use stiction::gallery;
use stiction::scene::SceneHeader;

/// Lists the gallery.
pub fn list(options: &ScenesOptions) -> Result<(), Failure> {
    let mut headers = Vec::new();
    for scene in gallery::scenes() {
        headers.push(SceneHeader::parse(&format!("{}.toml", scene.name), scene.text)?);
    }
    if options.json {
        return print_json(&serde_json::json!({ "scenes": headers }));
    }
    let width = headers.iter().map(|h| h.name.len()).max().unwrap_or(0);
    for header in &headers {
        say!("{:width$}  {:8}  {}", header.name, header.method, header.summary);
    }
    Ok(())
}
