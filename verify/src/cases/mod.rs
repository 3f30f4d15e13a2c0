//! One file per case or family; the header of each states the protocol.

pub mod cantilever_rod;
pub mod cantilever_strip;

use crate::registry::{Case, Kind, Measure};

const fn converged(name: &'static str, summary: &'static str, reduced: bool, measure: Measure) -> Case {
    Case { name, kind: Kind::Converged, summary, reduced, measure }
}

/// All cases, in the order in which they are reported.
pub fn all() -> Vec<Case> {
    vec![
        converged("cantilever_rod", "heavy rod against the elastica", true, Measure::Newton(cantilever_rod::measure)),
    ]
}
