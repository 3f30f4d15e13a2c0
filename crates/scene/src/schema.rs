//! The schema of scene files for editors, generated from the file layer.

use crate::file::SceneFile;

/// JSON schema of a scene, indented, ending with a newline.
pub fn schema_text() -> String {
    let schema = schemars::schema_for!(SceneFile);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
