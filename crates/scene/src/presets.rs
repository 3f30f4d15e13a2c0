//! Named materials, read from `presets.toml`, where each number stands with its source.

use crate::error::{Problem, Resolved, fault, suggest};
use crate::file::MaterialFile;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// One number of a preset and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetValue {
    /// Key, as in a material table.
    pub key: String,
    /// Value in SI units, or a name.
    pub value: Value,
    /// Where it comes from.
    pub source: String,
}

/// A named material.
#[derive(Clone, Debug)]
pub struct Preset {
    /// Name, such as `cotton`.
    pub name: String,
    /// `cloth`, `rod` or `solid`.
    pub kind: String,
    /// What it is.
    pub summary: String,
    /// Its values.
    pub values: Vec<PresetValue>,
}

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let table: toml::Table = include_str!("presets.toml").parse().expect("our own table of presets is TOML");
    table.iter().map(|(name, entry)| preset(name, entry)).collect()
});

fn preset(name: &str, entry: &toml::Value) -> Preset {
    let mut preset = Preset {
        name: name.to_owned(),
        kind: entry["kind"].as_str().unwrap_or_default().to_owned(),
        summary: entry["summary"].as_str().unwrap_or_default().to_owned(),
        values: Vec::new(),
    };
    for (key, item) in entry.as_table().into_iter().flatten() {
        if let Some(table) = item.as_table() {
            preset.values.push(PresetValue {
                key: key.clone(),
                value: serde_json::to_value(&table["value"]).unwrap_or_default(),
                source: table["source"].as_str().unwrap_or_default().to_owned(),
            });
        }
    }
    preset
}

/// All presets, sorted by name.
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// Names of the presets of a kind.
pub(crate) fn names(kind: &str) -> Vec<&'static str> {
    PRESETS.iter().filter(|p| p.kind == kind).map(|p| p.name.as_str()).collect()
}

/// Values of a preset for a kind of body.
pub(crate) fn find(path: &str, name: &str, kind: &str) -> Resolved<MaterialFile> {
    let Some(preset) = PRESETS.iter().find(|p| p.name == name) else {
        let known = PRESETS.iter().map(|p| p.name.as_str());
        return fault(
            path,
            Problem::UnknownName { kind: "preset", name: name.to_owned() },
            suggest(name, known),
        );
    };
    if preset.kind != kind {
        let problem =
            Problem::Conflict(format!("preset `{name}` is a {}, but the body is a {kind}", preset.kind));
        return fault(path, problem, format!("presets for a {kind}: {}", names(kind).join(", ")));
    }
    let map: Map<String, Value> = preset.values.iter().map(|v| (v.key.clone(), v.value.clone())).collect();
    crate::document::typed(&Value::Object(map))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_source_and_every_preset_is_a_material() {
        for preset in presets() {
            assert!(!preset.summary.is_empty(), "{}", preset.name);
            assert!(preset.values.iter().all(|v| v.source.len() > 10), "{}", preset.name);
            assert!(find("", &preset.name, &preset.kind).is_ok(), "{}", preset.name);
        }
    }

    #[test]
    fn the_promised_presets_are_there() {
        for name in [
            "cotton",
            "silk",
            "denim",
            "wool",
            "polyester",
            "leather",
            "rubber",
            "silicone",
            "foam",
            "flesh",
            "human_hair",
            "nylon_line",
            "steel_wire",
            "paper",
            "card",
        ] {
            assert!(presets().iter().any(|p| p.name == name), "{name}");
        }
    }
}
