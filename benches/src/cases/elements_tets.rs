//! Tetrahedra of every law: a box of cells, six each, deformed at random.

use super::elements::{ElementSample, measured};
use crate::meshes::{jittered, tet_cube};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use stiction::energy::{Lame, MaterialTable, NamedGroup, SolidLaw, TetElement};

const CELLS: usize = 24;
/// Largest time per tet \[ns\].
const LIMIT: f64 = 1000.0;

/// Records by law.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (rest, tets) = tet_cube(CELLS);
    let moved = jittered(&rest);
    let lame = Lame::solid(1e5, 0.4);
    let mut records = Vec::new();
    for (_, law) in SolidLaw::all() {
        let elements: Result<Vec<_>, _> =
            tets.iter().map(|t| TetElement::new(*t, &t.map(|i| rest[i as usize]), 0)).collect();
        let sample = ElementSample {
            name: &format!("{law:?}"),
            group: NamedGroup::new("solid", rest.len(), elements?),
            blocks: &moved,
            frames: &[],
            materials: &MaterialTable::of_solid(law, lame),
            limit: Some(LIMIT),
        };
        records.extend(measured(case, sample, settings)?);
    }
    Ok(records)
}
