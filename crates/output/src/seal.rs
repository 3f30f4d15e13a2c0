//! Checksums inside of JSON text: the last field of an object covers all that comes before it.
//!
//! ```text
//! {"step":1,"time":0.1,"checksum":"0123456789abcdef"}
//! ```
//! The field holds XXH64, seeded with the number of the run, of the text before the comma that
//! precedes it. The text stays readable by every JSON reader, and a person who edits it can drop
//! the field.

use crate::hash::{hash_seeded, hex};
use crate::run_id::RunId;

const FIELD: &str = "\"checksum\"";

/// What a sealed text turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The checksum is there and right.
    Whole,
    /// The checksum is there and wrong.
    Broken,
    /// There is no checksum: a file of format 1, or one that was edited.
    Absent,
}

/// Adds the checksum to the text of a JSON object that has fields; its lines are kept as they are.
pub fn seal(object: &str, run: RunId) -> String {
    let open = object.trim_end().strip_suffix('}').unwrap_or(object);
    let body = open.trim_end();
    let gap = if body.contains('\n') { ["\n  ", " ", "\n"] } else { ["", "", ""] };
    let checksum = hex(hash_seeded(body.as_bytes(), run.number()));
    format!("{body},{}{FIELD}:{}\"{checksum}\"{}}}", gap[0], gap[1], gap[2])
}

/// Holds a text against its checksum.
pub fn check(text: &str, run: RunId) -> Seal {
    match split(text) {
        None => Seal::Absent,
        Some((body, checksum)) if hex(hash_seeded(body.as_bytes(), run.number())) == checksum => Seal::Whole,
        Some(_) => Seal::Broken,
    }
}

/// The text before the checksum, and the checksum.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_end().strip_suffix('}')?.trim_end().strip_suffix('"')?;
    let (rest, checksum) = rest.rsplit_once('"')?;
    let rest = rest.trim_end().strip_suffix(':')?.trim_end().strip_suffix(FIELD)?;
    Some((rest.trim_end().strip_suffix(',')?, checksum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn sealed_text_is_json_and_any_changed_byte_breaks_it() {
        let value = json!({ "step": 1, "name": "a \"quoted\" one", "list": [1.5, 2] });
        let run = RunId::from_number(7);
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let sealed = seal(&text, run);
            let read: Value = serde_json::from_str(&sealed).unwrap();
            assert_eq!(read["list"], value["list"]);
            assert_eq!(check(&sealed, run), Seal::Whole);
            assert_eq!(check(&sealed, RunId::from_number(8)), Seal::Broken, "of another run");
            assert_eq!(check(&text, run), Seal::Absent);
            for at in 0..sealed.len() {
                let mut bytes = sealed.clone().into_bytes();
                bytes[at] ^= 1;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                // A changed blank next to the checksum leaves it right, but no JSON.
                let readable = serde_json::from_str::<Value>(&changed).is_ok();
                assert!(check(&changed, run) != Seal::Whole || !readable, "byte {at}");
            }
        }
    }
}
