//! Membrane triangles of every law: a sheet deformed at random.

use super::elements::{ElementSample, measured};
use crate::meshes::{jittered, sheet};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use stiction::energy::{
    BaraffWitkin, Lame, MaterialTable, MembraneLaw, NamedGroup, Orthotropic, RestShapeError, TriangleElement,
    TriangleRest,
};
use stiction::numerics::Vec3;

const CELLS: usize = 96;
/// Largest time per triangle \[ns\].
const LIMIT: f64 = 500.0;

/// Records by law.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (rest, triangles) = sheet(CELLS);
    let moved = jittered(&rest);
    let lame = Lame::plane_stress(1e5, 0.3, 1e-3);
    let mut records = Vec::new();
    for (name, law) in [
        ("StVK", MembraneLaw::StVenantKirchhoff(lame)),
        ("orthotropic", MembraneLaw::Orthotropic(Orthotropic::from_moduli(2e5, 1e5, 0.3, 1e4, 1e-3))),
        ("neo-Hookean", MembraneLaw::NeoHookean(lame)),
        ("stable neo-Hookean", MembraneLaw::StableNeoHookean(lame)),
        ("corotated", MembraneLaw::Corotated(lame)),
        ("Baraff-Witkin", MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(2e5, 1e5, 1e4, 1e-3))),
    ] {
        let element = |t: &[u32; 3]| {
            let rest = TriangleRest::from_positions(*t, &t.map(|i| rest[i as usize]), &Vec3::x())?;
            Ok::<_, RestShapeError>(TriangleElement { nodes: *t, rest, material: 0 })
        };
        let elements: Result<Vec<_>, _> = triangles.iter().map(element).collect();
        let sample = ElementSample {
            name,
            group: NamedGroup::new("membrane", rest.len(), elements?),
            blocks: &moved,
            frames: &[],
            materials: &MaterialTable::of_membrane(law),
            limit: Some(LIMIT),
        };
        records.extend(measured(case, sample, settings)?);
    }
    Ok(records)
}
