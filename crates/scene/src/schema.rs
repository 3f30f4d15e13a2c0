//! The schema of scene files for editors, generated from the file layer.

use crate::file::SceneFile;
use serde_json::Value;

/// JSON schema of a scene, indented, ending with a newline.
pub fn schema_text() -> String {
    let mut schema = schemars::schema_for!(SceneFile).to_value();
    unwrap_descriptions(&mut schema);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Joins the lines of every paragraph: where a comment in the source is wrapped is no concern of
/// those who read the schema.
fn unwrap_descriptions(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            for (key, entry) in entries {
                match entry {
                    Value::String(text) if key == "description" => {
                        let paragraphs: Vec<String> =
                            text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
                        *text = paragraphs.join("\n\n");
                    }
                    other => unwrap_descriptions(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unwrap_descriptions),
        _ => {}
    }
}
