//! PLY: text, binary little and big endian. Reads `x y z`, `s t` or `u v`, faces (polygons cut into
//! fans) and edges (as strands of one segment); other elements and properties are skipped by their
//! types.

use super::tokens::{Order, Tokens};
use super::{to_index, whole};
use crate::error::MeshError;
use crate::generate::RawMesh;
use crate::resolved::Cells;
use stiction_numerics::{Vec2, Vec3};

#[derive(Clone, Copy, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

enum Property {
    One(Scalar, String),
    List(Scalar, Scalar, String),
}

struct PlyElement {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

fn scalar(word: &str) -> Option<Scalar> {
    Some(match word {
        "char" | "int8" => Scalar::I8,
        "uchar" | "uint8" => Scalar::U8,
        "short" | "int16" => Scalar::I16,
        "ushort" | "uint16" => Scalar::U16,
        "int" | "int32" => Scalar::I32,
        "uint" | "uint32" => Scalar::U32,
        "float" | "float32" => Scalar::F32,
        "double" | "float64" => Scalar::F64,
        _ => return None,
    })
}

/// Reads one value as f64, which holds every PLY integer exactly.
fn value(tokens: &mut Tokens<'_>, kind: Scalar, order: Option<Order>) -> Result<f64, MeshError> {
    let Some(order) = order else { return tokens.number() };
    Ok(match kind {
        Scalar::I8 => i8::from_le_bytes(tokens.take(order)?).into(),
        Scalar::U8 => u8::from_le_bytes(tokens.take(order)?).into(),
        Scalar::I16 => i16::from_le_bytes(tokens.take(order)?).into(),
        Scalar::U16 => u16::from_le_bytes(tokens.take(order)?).into(),
        Scalar::I32 => i32::from_le_bytes(tokens.take(order)?).into(),
        Scalar::U32 => u32::from_le_bytes(tokens.take(order)?).into(),
        Scalar::F32 => f32::from_le_bytes(tokens.take(order)?).into(),
        Scalar::F64 => f64::from_le_bytes(tokens.take(order)?),
    })
}

fn header(tokens: &mut Tokens<'_>) -> Result<(Option<Order>, Vec<PlyElement>), MeshError> {
    if tokens.line().trim() != "ply" {
        return tokens.error("a PLY file begins with `ply`");
    }
    let mut order = None;
    let mut elements: Vec<PlyElement> = Vec::new();
    loop {
        let line = tokens.line();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["format", "ascii", ..] => order = None,
            ["format", "binary_little_endian", ..] => order = Some(Order::Little),
            ["format", "binary_big_endian", ..] => order = Some(Order::Big),
            ["element", name, count] => {
                let Ok(count) = count.parse() else {
                    return tokens.error(format!("`{count}` is not a count"));
                };
                let count = tokens.plausible(count)?;
                elements.push(PlyElement { name: (*name).to_owned(), count, properties: Vec::new() });
            }
            ["property", rest @ ..] => {
                let property = match rest {
                    ["list", count, item, name] => scalar(count)
                        .zip(scalar(item))
                        .map(|(count, item)| Property::List(count, item, (*name).to_owned())),
                    [kind, name] => scalar(kind).map(|kind| Property::One(kind, (*name).to_owned())),
                    _ => None,
                };
                match (property, elements.last_mut()) {
                    (Some(property), Some(element)) => element.properties.push(property),
                    _ => return tokens.error(format!("`{line}` cannot be understood")),
                }
            }
            ["end_header"] => {
                check_elements(tokens, &elements)?;
                return Ok((order, elements));
            }
            ["comment" | "obj_info", ..] => {}
            [] => return tokens.error("the header has no `end_header`"),
            _ => return tokens.error(format!("`{line}` cannot be understood")),
        }
    }
}

/// Rows without properties take no bytes, so that a count of them costs a file nothing.
fn check_elements(tokens: &Tokens<'_>, elements: &[PlyElement]) -> Result<(), MeshError> {
    for element in elements.iter().filter(|e| e.count > 0) {
        let has = |wanted: &str| {
            element.properties.iter().any(|p| matches!(p, Property::One(_, name) if name == wanted))
        };
        let name = &element.name;
        if element.properties.is_empty() {
            return tokens.error(format!("the element `{name}` has no properties; take it out"));
        }
        if name == "vertex" && !["x", "y", "z"].into_iter().all(has) {
            return tokens.error("the element `vertex` needs the properties `x`, `y` and `z`");
        }
    }
    Ok(())
}

pub(super) fn read(bytes: &[u8], name: &str) -> Result<RawMesh, MeshError> {
    let mut tokens = Tokens::new(bytes, name);
    let (order, elements) = header(&mut tokens)?;
    let mut mesh = RawMesh::new(Vec::new(), Cells::Triangles(Vec::new()));
    let (mut triangles, mut edges, mut uv) = (Vec::new(), Vec::new(), Vec::new());
    for element in &elements {
        for index in 0..element.count {
            let mut row = Row::default();
            for property in &element.properties {
                row.read(&mut tokens, property, order)?;
            }
            let vertices = mesh.vertices.len();
            match element.name.as_str() {
                "vertex" => {
                    mesh.vertices.push(Vec3::new(row.position[0], row.position[1], row.position[2]));
                    uv.extend(row.uv());
                }
                "face" => {
                    let at = |v: &f64| {
                        let number = index_of(&tokens, "face", index, *v)?;
                        to_index(number, vertices, "triangle", index, name)
                    };
                    let corners = row.list.iter().map(at).collect::<Result<Vec<_>, _>>()?;
                    if corners.len() < 3 {
                        return tokens.error(format!("face {index} has {} corners", corners.len()));
                    }
                    triangles.extend(corners[1..].windows(2).map(|p| [corners[0], p[0], p[1]]));
                }
                "edge" => {
                    let at = |v: f64| {
                        let number = index_of(&tokens, "edge", index, v)?;
                        to_index(number, vertices, "strand", index, name)
                    };
                    edges.push(vec![at(row.ends[0])?, at(row.ends[1])?]);
                }
                _ => {}
            }
        }
    }
    if uv.len() == mesh.vertices.len() && !uv.is_empty() {
        mesh.uv = Some(uv);
    }
    let only_edges = triangles.is_empty() && !edges.is_empty();
    mesh.cells = if only_edges { Cells::Strands(edges) } else { Cells::Triangles(triangles) };
    Ok(mesh)
}

fn index_of(tokens: &Tokens<'_>, element: &str, row: usize, value: f64) -> Result<i64, MeshError> {
    match whole(value) {
        Some(index) => Ok(index),
        None => tokens.error(format!("{element} {row} has the index {value}; write whole numbers")),
    }
}

#[derive(Default)]
struct Row {
    position: [f64; 3],
    u: Option<f64>,
    v: Option<f64>,
    list: Vec<f64>,
    ends: [f64; 2],
}

impl Row {
    fn uv(&self) -> Option<Vec2> {
        Some(Vec2::new(self.u?, self.v?))
    }

    fn read(
        &mut self,
        tokens: &mut Tokens<'_>,
        property: &Property,
        order: Option<Order>,
    ) -> Result<(), MeshError> {
        match property {
            Property::One(kind, name) => {
                let value = value(tokens, *kind, order)?;
                match name.as_str() {
                    "x" => self.position[0] = value,
                    "y" => self.position[1] = value,
                    "z" => self.position[2] = value,
                    "s" | "u" | "texture_u" => self.u = Some(value),
                    "t" | "v" | "texture_v" => self.v = Some(value),
                    "vertex1" => self.ends[0] = value,
                    "vertex2" => self.ends[1] = value,
                    _ => {}
                }
            }
            Property::List(count, item, name) => {
                let written = value(tokens, *count, order)?;
                let Some(count) = whole(written).and_then(|n| usize::try_from(n).ok()) else {
                    return tokens.error(format!("`{written}` is not the length of a list"));
                };
                let count = tokens.plausible(count)?;
                let list = (0..count).map(|_| value(tokens, *item, order)).collect::<Result<Vec<_>, _>>()?;
                if name == "vertex_indices" || name == "vertex_index" {
                    self.list = list;
                }
            }
        }
        Ok(())
    }
}
