//! The shape-operator elements of a mesh.

use super::dihedral_angle;
use super::plate::{BendError, Plate};
use super::shape_operator::{ShapeOperatorElement, Side};
use super::shape_rest::{PlateFactor, PlateTriangle};
use stiction_bodies::ShellEdge;
use stiction_numerics::Vec3;

/// The elements by their number of blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeElements {
    /// Triangles with one inner edge.
    pub four: Vec<ShapeOperatorElement<4>>,
    /// Triangles with two.
    pub five: Vec<ShapeOperatorElement<5>>,
    /// Triangles with three.
    pub six: Vec<ShapeOperatorElement<6>>,
    /// Rest shapes of the triangles, in the order of their factors in the material table.
    pub plates: Vec<PlateTriangle>,
}

/// Where the unknowns of the first edge and the factor of the first triangle stand; those of the
/// others follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeNumbering {
    /// Block of the angle.
    pub block: usize,
    /// Frame.
    pub frame: usize,
    /// Factor in the material table.
    pub factor: usize,
}

/// A side and the block of its angle.
type NumberedSide = (Side, u32);

impl ShapeElements {
    /// All elements of a mesh with free borders. `edges` are the inner edges of `triangles`; rest
    /// tilts are those of the positions `rest`, stiffnesses those of the flat shapes
    /// `corners(triangle)`.
    pub fn new(
        triangles: &[[u32; 3]],
        edges: &[ShellEdge],
        first: EdgeNumbering,
        rest: &[Vec3],
        corners: impl Fn(usize) -> [Vec3; 3],
        sheet: u32,
    ) -> Result<ShapeElements, BendError> {
        let mut sides: Vec<[Option<NumberedSide>; 3]> = vec![[None; 3]; triangles.len()];
        for (index, edge) in edges.iter().enumerate() {
            let apex = edge.triangles.map(|t| opposite(triangles[t as usize], edge.nodes));
            let nodes = [0, 1].map(|k| triangles[edge.triangles[k] as usize]);
            for k in 0..2 {
                let (corner, triangle) = (apex[k], nodes[k]);
                let [a, b] = [triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]];
                let [x, y, p, q] =
                    [a, b, triangle[corner], nodes[1 - k][apex[1 - k]]].map(|n| rest[n as usize]);
                let side = Side {
                    corner: corner as u8,
                    backward: a != edge.nodes[0],
                    opposed: k == 1 && edge.opposed,
                    frame: (first.frame + index) as u32,
                    rest_tilt: 0.5 * dihedral_angle(x, y, p, q),
                };
                sides[edge.triangles[k] as usize][corner] = Some((side, (first.block + index) as u32));
            }
        }
        let mut elements = ShapeElements::default();
        for (t, sides) in sides.iter().enumerate() {
            let carrying = std::array::from_fn(|corner| sides[corner].is_some());
            let sides: Vec<NumberedSide> = sides.iter().flatten().copied().collect();
            let plate = PlateTriangle::new(corners(t), carrying, sheet)
                .ok_or(BendError::DegenerateTriangle { nodes: triangles[t] })?;
            let factor = (first.factor + elements.plates.len()) as u32;
            if !sides.is_empty() {
                elements.plates.push(plate);
            }
            match sides.len() {
                1 => elements.four.push(element(triangles[t], &sides, factor)),
                2 => elements.five.push(element(triangles[t], &sides, factor)),
                3 => elements.six.push(element(triangles[t], &sides, factor)),
                _ => {}
            }
        }
        Ok(elements)
    }

    /// Factors of all triangles for one plate.
    pub fn factors(&self, plate: &Plate) -> Vec<PlateFactor> {
        self.plates.iter().map(|triangle| triangle.factor(plate)).collect()
    }

    /// Forgets the rest angles: flat is then without force, whatever the rest shape.
    pub fn flatten(&mut self) {
        self.four.iter_mut().for_each(ShapeOperatorElement::flatten);
        self.five.iter_mut().for_each(ShapeOperatorElement::flatten);
        self.six.iter_mut().for_each(ShapeOperatorElement::flatten);
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.four.len() + self.five.len() + self.six.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The corner of a triangle that is not an end of the edge.
fn opposite(triangle: [u32; 3], edge: [u32; 2]) -> usize {
    triangle.iter().position(|n| !edge.contains(n)).expect("a triangle has a corner off its edge")
}

fn element<const N: usize>(
    triangle: [u32; 3],
    numbered: &[NumberedSide],
    factor: u32,
) -> ShapeOperatorElement<N> {
    let mut sides = [Side::default(); 3];
    let mut blocks = [0; N];
    blocks[..3].copy_from_slice(&triangle);
    for (s, (side, block)) in numbered.iter().enumerate() {
        (sides[s], blocks[3 + s]) = (*side, *block);
    }
    ShapeOperatorElement { blocks, sides, factor }
}
