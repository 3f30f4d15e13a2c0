//! Words of a text or binary mesh file with line numbers for messages.

use crate::error::MeshError;

/// A walk over bytes that are text, or binary in places.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    file: &'a str,
}

/// Byte order of binary parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl<'a> Tokens<'a> {
    pub fn new(bytes: &'a [u8], file: &'a str) -> Self {
        Tokens { bytes, at: 0, file }
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, MeshError> {
        let line = self.bytes[..self.at.min(self.bytes.len())].iter().filter(|b| **b == b'\n').count() + 1;
        Err(MeshError::Format { file: self.file.to_owned(), line, message: message.into() })
    }

    /// Next word, or `None` at the end.
    pub fn try_word(&mut self) -> Option<&'a str> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| !b.is_ascii_whitespace()) {
            self.at += 1;
        }
        if start == self.at {
            return None;
        }
        Some(std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("\u{fffd}"))
    }

    pub fn word(&mut self) -> Result<&'a str, MeshError> {
        match self.try_word() {
            Some(word) => Ok(word),
            None => self.error("the file ends too early"),
        }
    }

    /// Rest of the line, without its end.
    pub fn line(&mut self) -> &'a str {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| *b != b'\n') {
            self.at += 1;
        }
        let end = self.at;
        self.at = (self.at + 1).min(self.bytes.len());
        std::str::from_utf8(&self.bytes[start..end]).unwrap_or("\u{fffd}").trim_end_matches('\r')
    }

    pub fn number<T: std::str::FromStr>(&mut self) -> Result<T, MeshError> {
        let word = self.word()?;
        match word.parse() {
            Ok(value) => Ok(value),
            Err(_) => self.error(format!("`{word}` is not a number of the kind expected here")),
        }
    }

    /// A count that the rest of the file could hold; refuses before memory is asked for.
    pub fn count(&mut self) -> Result<usize, MeshError> {
        let count: usize = self.number()?;
        self.plausible(count)
    }

    pub fn plausible(&self, count: usize) -> Result<usize, MeshError> {
        if count > self.bytes.len() {
            return self.error(format!("a count of {count} is more than the file can hold"));
        }
        Ok(count)
    }

    pub fn expect(&mut self, wanted: &str) -> Result<(), MeshError> {
        let found = self.word()?;
        if found == wanted { Ok(()) } else { self.error(format!("`{wanted}` expected, `{found}` found")) }
    }

    /// Raw bytes of a binary part.
    pub fn take<const N: usize>(&mut self, order: Order) -> Result<[u8; N], MeshError> {
        let Some(slice) = self.bytes.get(self.at..self.at.saturating_add(N)) else {
            return self.error("the binary part ends too early");
        };
        self.at += N;
        let mut array: [u8; N] = slice.try_into().unwrap_or([0; N]);
        if order == Order::Big {
            array.reverse();
        }
        Ok(array)
    }
}
