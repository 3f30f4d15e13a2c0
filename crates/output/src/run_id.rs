//! The number of a run, which ties its files together.
//!
//! Layout, frames, statistics, checkpoints and summary of a run carry it, so that a file of another
//! run is noticed even if it fits in every other way.

use crate::hash::hex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// Identifies a run. Files of format 1 have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(u64);

impl RunId {
    /// What files of format 1 have.
    pub const NONE: Self = Self(0);

    /// A number that no other run has: from the system's source of random numbers and the clock.
    pub fn fresh() -> Self {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Self(RandomState::new().hash_one((since.as_nanos(), std::process::id())).max(1))
    }

    /// The run of a known number.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number, as binary files store it and as the seed of checksums in text files.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Whether there is none.
    pub const fn is_none(&self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0))
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        let number = u64::from_str_radix(&text, 16);
        number.map(Self).map_err(|_| serde::de::Error::custom(format!("`{text}` is no run id")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_come_back_from_text() {
        let ids: std::collections::BTreeSet<RunId> = (0..1000).map(|_| RunId::fresh()).collect();
        assert_eq!(ids.len(), 1000);
        for id in ids {
            let text = serde_json::to_string(&id).unwrap();
            assert_eq!((text.len(), serde_json::from_str::<RunId>(&text).unwrap()), (18, id));
        }
        assert!(serde_json::from_str::<RunId>("\"no number\"").is_err());
    }
}
