//! Places of values in JSON text. Runs only on text that a full parser has accepted, so it does no
//! checks.

use super::{MAX_PLACED_ITEMS, Place, join};
use std::collections::BTreeMap;
use std::ops::Range;

/// Records the place of every key and value.
pub(super) fn record(text: &str, places: &mut BTreeMap<String, Place>) {
    let mut scan = Scan { bytes: text.as_bytes(), text, at: 0, places };
    scan.value("");
}

struct Scan<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    places: &'a mut BTreeMap<String, Place>,
}

impl Scan<'_> {
    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> u8 {
        self.skip_space();
        self.bytes.get(self.at).copied().unwrap_or(b'}')
    }

    fn value(&mut self, path: &str) -> Range<usize> {
        let first = self.peek();
        let start = self.at;
        match first {
            b'{' => self.members(path),
            b'[' => self.items(path),
            b'"' => {
                self.string();
            }
            _ => {
                while self.bytes.get(self.at).is_some_and(|b| !b",]} \n\r\t".contains(b)) {
                    self.at += 1;
                }
            }
        }
        start..self.at
    }

    fn members(&mut self, path: &str) {
        self.at += 1;
        while self.peek() != b'}' {
            let key_start = self.at;
            let name = self.string();
            let key = key_start..self.at;
            self.peek();
            self.at += 1; // colon
            let at = join(path, name);
            let value = self.value(&at);
            self.places.insert(at, Place { key, value });
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    fn items(&mut self, path: &str) {
        self.at += 1;
        let mut index = 0;
        while self.peek() != b']' {
            let at = join(path, index);
            let value = self.value(&at);
            if index < MAX_PLACED_ITEMS {
                self.places.insert(at, Place { key: value.clone(), value });
            }
            index += 1;
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.bytes[self.at] != b'"' {
            self.at += if self.bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_str(&self.text[start..self.at]).unwrap_or_default()
    }
}
