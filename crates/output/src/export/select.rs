//! Which frames and bodies an export takes, and names that file systems and formats accept.

use super::{ExportOptions, Format};
use crate::error::{OutputError, Result};
use crate::layout::BodyLayout;
use crate::reader::RunReader;
use std::collections::BTreeSet;

/// The chosen part of a run.
pub(super) struct Selection<'a> {
    /// Numbers of the frames, ascending.
    pub frames: Vec<u32>,
    /// Bodies in layout order.
    pub bodies: Vec<&'a BodyLayout>,
    /// A name per body made of letters, digits and `_`, unique, not beginning with a digit.
    pub names: Vec<String>,
    /// Distance between chosen frames.
    pub every: u32,
}

impl<'a> Selection<'a> {
    pub fn new(reader: &'a RunReader, format: Format, options: &ExportOptions) -> Result<Self> {
        let fail = |reason: String| Err(OutputError::Export { format: format.name(), reason });
        if options.every == 0 {
            return fail("every 0th frame is none; give 1 or more".into());
        }
        let layout = reader.layout();
        if let Some(unknown) = options.bodies.iter().find(|name| layout.body(name).is_none()) {
            let known: Vec<&str> = layout.bodies.iter().map(|b| b.name.as_str()).collect();
            return fail(format!("no body `{unknown}`; the run has {}", known.join(", ")));
        }
        let wanted = |b: &&BodyLayout| options.bodies.is_empty() || options.bodies.contains(&b.name);
        let bodies: Vec<&BodyLayout> = layout.bodies.iter().filter(wanted).collect();
        // A frame that is missing fails before anything is written.
        let numbers = (0..reader.frame_span()).step_by(options.every as usize);
        let frames: Vec<u32> =
            numbers.map(|index| reader.frame_path(index).map(|_| index)).collect::<Result<_>>()?;
        if frames.is_empty() {
            return fail("the run has no frames yet".into());
        }
        if bodies.is_empty() {
            return fail("the run has no bodies".into());
        }
        let names = identifiers(bodies.iter().map(|b| b.name.as_str()));
        Ok(Self { frames, bodies, names, every: options.every })
    }

    /// Bodies with their clean names.
    pub fn named(&self) -> impl Iterator<Item = (&str, &'a BodyLayout)> {
        self.names.iter().map(String::as_str).zip(self.bodies.iter().copied())
    }
}

/// Turns names into identifiers; names that become equal get a number.
fn identifiers<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let unique = |name: &str| {
        let mut clean: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if clean.starts_with(|c: char| c.is_ascii_digit()) || clean.is_empty() {
            clean.insert(0, '_');
        }
        let mut candidate = clean.clone();
        let mut number = 2;
        while !taken.insert(candidate.to_ascii_lowercase()) {
            candidate = format!("{clean}_{number}");
            number += 1;
        }
        candidate
    };
    names.map(unique).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_unique_identifiers() {
        let names = identifiers(["../etc", "a b", "a_b", "A_B", "3d", ""].into_iter());
        assert_eq!(names, ["___etc", "a_b", "a_b_2", "A_B_3", "_3d", "_"]);
    }
}
