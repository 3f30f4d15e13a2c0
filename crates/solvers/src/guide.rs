//! The options of a method in words, from the same source that reads them: names, types, defaults
//! and meanings.

use crate::registry::methods;
use crate::support::{Level, features, level};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stiction_scene::METHODS;

/// One option of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OptionInfo {
    /// Key in scene files.
    pub name: String,
    /// What it takes, in words.
    pub kind: String,
    /// Its value when it is not given, as it would be written; empty where there is none.
    pub default: String,
    /// What it does, with its unit.
    pub meaning: String,
    /// Values that it can have and what each means, where they are words.
    pub choices: Vec<(String, String)>,
    /// Whether only comparisons with a paper need it; it then goes into `[method.study]`.
    pub study: bool,
}

/// All options of a type, in its order.
pub(crate) fn describe<T: JsonSchema>() -> Vec<OptionInfo> {
    let schema = schemars::schema_for!(T).to_value();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    properties.iter().map(|(name, property)| option(name, property, &schema)).collect()
}

fn option(name: &str, property: &Value, schema: &Value) -> OptionInfo {
    let choices: Vec<(String, String)> = definition(property, schema)["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|choice| (word(&choice["const"]), word(&choice["description"])))
        .collect();
    let default = match &property["default"] {
        Value::Null => String::new(),
        value => value.to_string(),
    };
    let kind = match choices.is_empty() {
        true => kind(property, schema),
        false => "word".to_owned(),
    };
    OptionInfo {
        name: name.to_owned(),
        kind,
        default,
        meaning: word(&property["description"]),
        choices,
        study: false,
    }
}

/// The type behind a reference, or the property itself.
fn definition<'a>(property: &'a Value, schema: &'a Value) -> &'a Value {
    let name = property["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    name.map_or(property, |name| &schema["$defs"][name])
}

fn kind(property: &Value, schema: &Value) -> String {
    // An option that may be absent lists its type beside `null`.
    let name = property["type"].as_str().or_else(|| property["type"][0].as_str()).unwrap_or_default();
    match name {
        "boolean" => "true/false".to_owned(),
        "array" => {
            let fields = definition(&property["items"], schema)["properties"].as_object().cloned();
            let names: Vec<String> = fields.unwrap_or_default().keys().map(|k| format!("`{k}`")).collect();
            format!("list of tables with {}", names.join(" and "))
        }
        "object" => {
            format!("table of {}s", property["additionalProperties"]["type"].as_str().unwrap_or("value"))
        }
        other => other.to_owned(),
    }
}

/// Text of a schema on one line, without the escapes that rustdoc needs.
fn word(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("\\[", "[").replace("\\]", "]")
}

/// The page about methods and their options (`docs/methods.md`).
pub fn guide_text() -> String {
    let mut text = String::from(INTRODUCTION) + &support_matrix();
    for method in methods() {
        let readme = format!("../crates/solvers/src/{}/README.md", method.key);
        text += &format!("\n## `{}`\n\nMethod: {}. [More]({readme}).\n\n", method.key, method.summary);
        let (study, usual): (Vec<OptionInfo>, Vec<OptionInfo>) =
            method.options().into_iter().partition(|option| option.study);
        text += &option_table(&usual);
        if !study.is_empty() {
            text += "\nFor studies, in `[method.study]`:\n\n";
            text += &option_table(&study);
        }
    }
    text
}

fn option_table(options: &[OptionInfo]) -> String {
    let mut text = String::from("| option | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for option in options {
        let default =
            if option.default.is_empty() { "none".to_owned() } else { format!("`{}`", option.default) };
        let mut meaning = option.meaning.clone();
        for (choice, what) in &option.choices {
            meaning += &format!("<br>`\"{choice}\"`: {what}");
        }
        let meaning = meaning.replace('|', "\\|");
        text += &format!("| `{}` | {} | {default} | {meaning} |\n", option.name, option.kind);
    }
    text
}

/// What every method supports, as a table in Markdown.
fn support_matrix() -> String {
    let keys: Vec<String> = METHODS.iter().map(|key| format!("`{key}`")).collect();
    let mut text = format!("| feature | {} |\n| --- |{}\n", keys.join(" | "), " --- |".repeat(keys.len()));
    for feature in features() {
        let cells: Vec<String> =
            METHODS.iter().map(|key| level(key, feature).map_or(String::new(), Level::text)).collect();
        text += &format!("| {} | {} |\n", feature.name(), cells.join(" | "));
    }
    text
}

const INTRODUCTION: &str = "# Methods and their options

Every method runs the same scenes. Its options go into `[method]` next to `key`, or into
`[methods.KEY]`, which is used when that method is chosen with `--method KEY`;
`--set method.sweeps=10` changes one for a run. `stiction methods` lists the methods and what they
support, `stiction methods KEY` the options of one. Lengths are in metres, times in seconds.

Options that only a comparison with a paper needs go into `[method.study]` (or `[methods.KEY.study]`):
`method = { key = \"admm\", sweeps = 5, study = { beta = 30.0 } }`. Next to `key` they still act, with a
note.

This page is made from the code:
`cargo run -p stiction-solvers --release --example methods > docs/methods.md`.

## What each method supports

`yes`: simulated as [scene.md](scene.md) says. `as …`: replaced by what is named. `ignored`: the scene
runs without it. `check` and `run` print a note where something is replaced or ignored. `refused`: the
scene does not run, and the error names the methods that can. `–`: the question does not arise.

";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/methods.md");
        let command = "cargo run -p stiction-solvers --release --example methods > docs/methods.md";
        assert!(std::fs::read_to_string(path).unwrap_or_default() == guide_text(), "out of date: {command}");
    }

    /// Every option says what it does and what it is without being given; words say what they mean.
    #[test]
    fn options_are_told_whole() {
        for method in methods() {
            let options = method.options();
            assert!(options.len() > 3, "{}", method.key);
            for option in options {
                assert!(!option.meaning.is_empty() && !option.kind.is_empty(), "{option:?}");
                assert!(
                    option.choices.iter().all(|(name, what)| !name.is_empty() && !what.is_empty()),
                    "{option:?}"
                );
            }
        }
        let admm = methods()[1].options();
        let tolerance = admm.iter().find(|option| option.name == "tolerance").expect("it has one");
        assert_eq!((tolerance.kind.as_str(), tolerance.default.as_str()), ("number", "0.00001"));
        let stop = admm.iter().find(|option| option.name == "stop").expect("it has one");
        assert_eq!((stop.choices.len(), stop.default.as_str()), (2, "\"move\""));
    }
}
