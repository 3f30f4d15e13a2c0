//! The one table of elastic laws of sheets and solids: names, keys, bodies, and what happens when
//! an element turns over.
//!
//! A scene names a law; `energy` holds its formulas under the same variant. A new law of solids is
//! a variant and a row here, its formulas in `energy/src/laws`, and its place in
//! `energy/src/laws/solid.rs`. Refusals, notes of methods, tests over all laws and the table of the
//! guide follow from the row.

use schemars::JsonSchema;
use serde::Deserialize;

/// Elastic law of a sheet or a solid.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// St. Venant–Kirchhoff (cloth, solid).
    Stvk,
    /// Neo-Hookean (cloth, solid).
    NeoHookean,
    /// Stable neo-Hookean (cloth, solid).
    StableNeoHookean,
    /// Linear in the frame of the rotation (cloth, solid).
    Corotated,
    /// As rigid as possible (cloth).
    Arap,
    /// Baraff–Witkin (cloth).
    BaraffWitkin,
    /// Fixed corotated (solid).
    FixedCorotated,
    /// Mooney–Rivlin (solid).
    MooneyRivlin,
    /// Linear elasticity, for small rotations (solid).
    Linear,
}

/// What a law does with an element that is flat or turned over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inverted {
    /// Energy and derivatives are finite.
    Defined,
    /// The energy is infinite: methods that search along a line never go there.
    Infinite,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct LawRow {
    /// The law.
    pub law: Law,
    /// As scenes write it.
    pub name: &'static str,
    /// Whether sheets can have it.
    pub cloth: bool,
    /// Whether solids can have it.
    pub solid: bool,
    /// Whether it takes different moduli along warp and weft.
    pub woven: bool,
    /// Flat or inverted elements.
    pub inverted: Inverted,
    /// Keys of the material that act through it.
    pub keys: &'static [&'static str],
    /// What it is.
    pub summary: &'static str,
}

const TWO: &[&str] = &["young", "poisson"];

/// All laws, in the order of the variants.
pub static LAWS: [LawRow; 9] = [
    LawRow {
        law: Law::Stvk,
        name: "stvk",
        cloth: true,
        solid: true,
        woven: true,
        inverted: Inverted::Defined,
        keys: TWO,
        summary: "St. Venant–Kirchhoff: linear in Green strain; softens in compression, for moderate strains",
    },
    LawRow {
        law: Law::NeoHookean,
        name: "neo_hookean",
        cloth: true,
        solid: true,
        woven: false,
        inverted: Inverted::Infinite,
        keys: TWO,
        summary: "neo-Hookean with the logarithm of the volume (cloth: of the area)",
    },
    LawRow {
        law: Law::StableNeoHookean,
        name: "stable_neo_hookean",
        cloth: true,
        solid: true,
        woven: false,
        inverted: Inverted::Defined,
        keys: TWO,
        summary: "neo-Hookean without the logarithm; flat elements open again",
    },
    LawRow {
        law: Law::Corotated,
        name: "corotated",
        cloth: true,
        solid: true,
        woven: false,
        inverted: Inverted::Defined,
        keys: TWO,
        summary: "linear elasticity in the frame of the rotation of each element",
    },
    LawRow {
        law: Law::Arap,
        name: "arap",
        cloth: true,
        solid: false,
        woven: false,
        inverted: Inverted::Defined,
        keys: &["young"],
        summary: "as rigid as possible, E/2 times the square of F − R: `young` as given, Poisson ratio 0 in the plane",
    },
    LawRow {
        law: Law::BaraffWitkin,
        name: "baraff_witkin",
        cloth: true,
        solid: false,
        woven: true,
        inverted: Inverted::Defined,
        keys: TWO,
        summary: "stretch of warp and weft, shear between them; Poisson ratio 0 in the plane",
    },
    LawRow {
        law: Law::FixedCorotated,
        name: "fixed_corotated",
        cloth: false,
        solid: true,
        woven: false,
        inverted: Inverted::Defined,
        keys: TWO,
        summary: "corotated, with volume resisted by J − 1",
    },
    LawRow {
        law: Law::MooneyRivlin,
        name: "mooney_rivlin",
        cloth: false,
        solid: true,
        woven: false,
        inverted: Inverted::Infinite,
        keys: &["young", "poisson", "mooney_fraction"],
        summary: "rubber: both invariants of the deformation at constant volume, volume apart",
    },
    LawRow {
        law: Law::Linear,
        name: "linear",
        cloth: false,
        solid: true,
        woven: false,
        inverted: Inverted::Defined,
        keys: TWO,
        summary: "linear elasticity: a constant matrix; elements that turn by more than a few degrees swell",
    },
];

impl Law {
    /// Its row of the table, which has the order of the variants.
    pub fn row(self) -> &'static LawRow {
        &LAWS[self as usize]
    }

    /// As scenes write it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether energy and derivatives are finite for flat and inverted elements.
    pub fn is_defined_when_inverted(self) -> bool {
        self.row().inverted == Inverted::Defined
    }
}

/// Names of the laws that a test accepts, with commas between them.
pub(crate) fn names(accept: impl Fn(&LawRow) -> bool) -> String {
    let rows: Vec<&str> = LAWS.iter().filter(|row| accept(row)).map(|row| row.name).collect();
    rows.join(", ")
}

/// The table of the guide, in Markdown.
pub fn guide_table() -> String {
    let mut out = "| `law` | bodies | keys | flat or inverted element | what it is |\n".to_owned();
    out.push_str("| --- | --- | --- | --- | --- |\n");
    for row in &LAWS {
        let bodies = match (row.cloth, row.solid) {
            (true, true) => "cloth, solid",
            (true, false) => "cloth",
            _ => "solid",
        };
        let woven = if row.woven { "; of cloth also `young_warp`, `young_weft`, `shear`" } else { "" };
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        let inverted = match row.inverted {
            Inverted::Defined => "finite",
            Inverted::Infinite => "infinite energy",
        };
        let (name, keys, summary) = (row.name, keys.join(", "), row.summary);
        out.push_str(&format!("| `{name}` | {bodies} | {keys}{woven} | {inverted} | {summary} |\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every variant has one row, and the row carries the name that files write.
    #[test]
    fn rows_and_names_agree() {
        for row in &LAWS {
            let parsed: Law = serde_json::from_value(row.name.into()).expect("a name of a law");
            assert_eq!(parsed, row.law);
            assert_eq!(row.law.row().name, row.name);
        }
        let schema = serde_json::to_string(&schemars::schema_for!(Law)).expect("a schema");
        assert_eq!(schema.matches("\"const\"").count(), LAWS.len(), "{schema}");
    }

    #[test]
    fn the_guide_holds_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.md");
        let guide = std::fs::read_to_string(path).expect("guide");
        assert!(guide.contains(&guide_table()), "docs/scene.md lacks this table:\n{}", guide_table());
    }
}
