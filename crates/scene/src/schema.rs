//! The schema of scene files for editors, generated from the file layer.

use crate::file::SceneFile;
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::Value;

/// JSON schema of a scene, indented, ending with a newline.
pub fn schema_text() -> String {
    let mut schema = schemars::schema_for!(SceneFile);
    RecursiveTransform(unwrap_description).transform(&mut schema);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Joins the lines of every paragraph: where a comment of the source is wrapped is no concern of
/// those who read the schema.
fn unwrap_description(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
        *text = paragraphs.collect::<Vec<_>>().join("\n\n");
    }
}
