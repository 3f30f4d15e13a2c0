//! Legacy VTK, text or binary: `POLYDATA` with polygons or lines, `UNSTRUCTURED_GRID` with
//! triangles (5), quads (9), tets (10), lines (3, 4). Both the old cell layout and that of version
//! 5 (offsets).

use super::tokens::{Order, Tokens};
use super::{to_index, whole};
use crate::error::MeshError;
use crate::generate::RawMesh;
use crate::resolved::Cells;
use stiction_numerics::Vec3;

struct Reader<'a> {
    tokens: Tokens<'a>,
    binary: bool,
}

impl Reader<'_> {
    /// A value of a named type; binary parts are big endian.
    fn value(&mut self, kind: &str) -> Result<f64, MeshError> {
        if !self.binary {
            return self.tokens.number();
        }
        let t = &mut self.tokens;
        Ok(match kind {
            "float" => f32::from_le_bytes(t.take(Order::Big)?).into(),
            "double" => f64::from_le_bytes(t.take(Order::Big)?),
            "int" => i32::from_le_bytes(t.take(Order::Big)?).into(),
            "unsigned_int" => u32::from_le_bytes(t.take(Order::Big)?).into(),
            "long" | "vtktypeint64" => i64::from_le_bytes(t.take(Order::Big)?) as f64,
            _ => return t.error(format!("type `{kind}` is not read here")),
        })
    }

    fn values(&mut self, count: usize, kind: &str) -> Result<Vec<f64>, MeshError> {
        if self.binary {
            self.tokens.line(); // the rest of the header line
        }
        self.tokens.plausible(count)?;
        (0..count).map(|_| self.value(kind)).collect()
    }

    /// The same for indices, counts and types.
    fn whole_values(&mut self, count: usize, kind: &str) -> Result<Vec<i64>, MeshError> {
        let values = self.values(count, kind)?;
        match values.iter().find(|v| whole(**v).is_none()) {
            Some(value) => self.tokens.error(format!("{value} is not an index; write whole numbers")),
            None => Ok(values.into_iter().filter_map(whole).collect()),
        }
    }

    /// Cells of a section whose header word has been read: lists of vertex numbers.
    fn cells(&mut self, modern: bool) -> Result<Vec<Vec<i64>>, MeshError> {
        let a = self.tokens.count()?;
        let b = self.tokens.count()?;
        if !modern {
            let flat = self.whole_values(b, "int")?;
            return self.counted(&flat, a);
        }
        self.tokens.expect("OFFSETS")?;
        let kind = self.tokens.word()?.to_owned();
        let offsets = self.whole_values(a, &kind)?;
        self.tokens.expect("CONNECTIVITY")?;
        let kind = self.tokens.word()?.to_owned();
        let flat = self.whole_values(b, &kind)?;
        let place = |offset: i64| usize::try_from(offset).ok();
        let cut = |p: &[i64]| flat.get(place(p[0])?..place(p[1])?).map(<[i64]>::to_vec);
        match offsets.windows(2).map(cut).collect::<Option<Vec<_>>>() {
            Some(cells) => Ok(cells),
            None => self.tokens.error("an offset points outside of the connectivity"),
        }
    }

    /// Splits `n a b c n a b …`.
    fn counted(&self, flat: &[i64], count: usize) -> Result<Vec<Vec<i64>>, MeshError> {
        let mut cells = Vec::with_capacity(count);
        let mut at = 0;
        for _ in 0..count {
            let size = flat.get(at).map_or(0, |n| usize::try_from(*n).unwrap_or(0));
            match flat.get(at + 1..(at + 1).saturating_add(size)) {
                Some(cell) if size > 0 => cells.push(cell.to_vec()),
                _ => return self.tokens.error("the cell list is shorter than its counts say"),
            }
            at += 1 + size;
        }
        Ok(cells)
    }
}

pub(super) fn read(bytes: &[u8], name: &str) -> Result<RawMesh, MeshError> {
    let mut tokens = Tokens::new(bytes, name);
    let head = tokens.line();
    let Some(version) = head.strip_prefix("# vtk DataFile Version ") else {
        return tokens.error("a legacy VTK file begins with `# vtk DataFile Version`");
    };
    let modern = version.trim().starts_with('5');
    tokens.line(); // title
    let binary = tokens.word()?.eq_ignore_ascii_case("BINARY");
    let mut reader = Reader { tokens, binary };
    let mut vertices = Vec::new();
    let mut parts: Vec<(i64, Vec<i64>)> = Vec::new();
    while let Some(word) = reader.tokens.try_word() {
        match word.to_uppercase().as_str() {
            "POINTS" => {
                let count = reader.tokens.count()?;
                let kind = reader.tokens.word()?.to_lowercase();
                let flat = reader.values(count.saturating_mul(3), &kind)?;
                vertices = flat.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
            }
            "POLYGONS" => parts.extend(reader.cells(modern)?.into_iter().map(|c| (7, c))),
            "LINES" => parts.extend(reader.cells(modern)?.into_iter().map(|c| (4, c))),
            "CELLS" => parts = reader.cells(modern)?.into_iter().map(|c| (0, c)).collect(),
            "CELL_TYPES" => {
                let count = reader.tokens.count()?;
                let types = reader.whole_values(count, "int")?;
                parts.iter_mut().zip(types).for_each(|(part, kind)| part.0 = kind);
            }
            "POINT_DATA" | "CELL_DATA" => break,
            _ => {}
        }
    }
    let mut cells = Sorted::default();
    for (index, (kind, list)) in parts.iter().enumerate() {
        cells.add(*kind, list, index, vertices.len(), name)?;
    }
    Ok(RawMesh::new(vertices, cells.finish()))
}

/// Cells sorted by what they are; tets win over triangles, triangles over lines.
#[derive(Default)]
pub(super) struct Sorted {
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub strands: Vec<Vec<u32>>,
}

impl Sorted {
    /// Adds a cell by its VTK type; types of no use (single points and others) are left out.
    fn add(
        &mut self,
        kind: i64,
        list: &[i64],
        index: usize,
        vertices: usize,
        name: &str,
    ) -> Result<(), MeshError> {
        let cell = match kind {
            10 => "tet",
            3 | 4 => "strand",
            _ => "triangle",
        };
        let c =
            list.iter().map(|v| to_index(*v, vertices, cell, index, name)).collect::<Result<Vec<_>, _>>()?;
        match (kind, c.len()) {
            (3 | 4, 2..) => self.strands.push(c),
            (5 | 7 | 9, 3..) => self.triangles.extend(c[1..].windows(2).map(|p| [c[0], p[0], p[1]])),
            (10, 4) => self.tets.push([c[0], c[1], c[2], c[3]]),
            _ => {}
        }
        Ok(())
    }

    pub fn finish(self) -> Cells {
        if !self.tets.is_empty() {
            Cells::Tets(self.tets)
        } else if self.triangles.is_empty() && !self.strands.is_empty() {
            Cells::Strands(self.strands)
        } else {
            Cells::Triangles(self.triangles)
        }
    }
}
