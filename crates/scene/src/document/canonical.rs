//! A stable text of a scene after overrides, and the hash that ties checkpoints to it.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The tree with all tables sorted by key.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<_, _> = map.iter().map(|(k, v)| (k.clone(), sorted(v))).collect();
            Value::Object(ordered.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Number(n) => match n.as_f64() {
            // 1 and 1.0 mean the same to every key, so they must hash the same.
            Some(f) if f.fract() == 0.0 && f.abs() < 9e15 => Value::from(f as i64),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// Scene and content hashes of the files it read, as indented JSON that ends with a newline.
pub(crate) fn canonical_json(tree: &Value, base: &str, files: &BTreeMap<String, String>) -> String {
    let mut tree = sorted(tree);
    if let Value::Object(map) = &mut tree {
        map.remove("variants");
    }
    let whole = serde_json::json!({ "stiction_canonical": 1, "base": base, "files": files, "scene": tree });
    let mut text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    text.push('\n');
    text
}

/// 128-bit FNV-1a of bytes as 32 hex digits: enough to notice a changed file, not to resist an
/// attacker.
pub fn content_hash(bytes: &[u8]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let start: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let hash = bytes.iter().fold(start, |h, &b| (h ^ u128::from(b)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}
