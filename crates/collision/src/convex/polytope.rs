//! Convex polyhedra, segments and points, rounded by a radius.

use super::merge::flat_faces;
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Vec3};

/// A vertex may be above the plane of a face by this share of the size: more is a dent.
const DENT: f64 = 1e-6;

/// A convex piece in the frame of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// Corners \[m\]: one of a point, two of a segment.
    pub vertices: Vec<Vec3>,
    /// Flat faces; none of a point or a segment.
    pub faces: Vec<Face>,
    /// Edges of the faces.
    pub edges: Vec<Edge>,
    /// What is added around \[m\].
    pub radius: f64,
    /// Half of the smallest extent, with the radius \[m\].
    pub half_width: f64,
}

/// A flat face.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Unit normal, outward.
    pub normal: Vec3,
    /// Its corners, counter-clockwise seen from outside.
    pub ring: Vec<u32>,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// The faces on both sides.
    pub faces: [u32; 2],
}

/// A surface that is no convex polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("vertex {vertex} lies {height:.3e} m above a face")]
pub struct NotConvex {
    /// A vertex above a face, in the mesh that was given.
    pub vertex: u32,
    /// How far \[m\].
    pub height: f64,
}

impl Polytope {
    /// A ball.
    pub fn ball(centre: Vec3, radius: f64) -> Polytope {
        Polytope { vertices: vec![centre], faces: vec![], edges: vec![], radius, half_width: radius }
    }

    /// A capsule around a segment.
    pub fn capsule(ends: [Vec3; 2], radius: f64) -> Polytope {
        Polytope { vertices: ends.to_vec(), faces: vec![], edges: vec![], radius, half_width: radius }
    }

    /// A box around its centre, turned.
    pub fn cuboid(centre: Vec3, half: Vec3, turn: &Mat3) -> Polytope {
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            centre + turn * half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
        };
        let rings: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let face = |(k, ring): (usize, &[u32; 4])| {
            let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
            Face { normal: turn.column(k / 2) * sign, ring: ring.to_vec() }
        };
        let faces: Vec<Face> = rings.iter().enumerate().map(face).collect();
        let edges = edges_of(&faces);
        Polytope { vertices: (0..8).map(corner).collect(), faces, edges, radius: 0.0, half_width: half.min() }
    }

    /// The polyhedron inside a closed surface, with triangles in one plane joined to a face.
    pub fn from_surface(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Polytope, NotConvex> {
        let (low, high) = vertices
            .iter()
            .fold((Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)), |(low, high), v| {
                (low.inf(v), high.sup(v))
            });
        let size = (high - low).amax();
        let mut faces = flat_faces(vertices, triangles);
        let mut half_width = f64::INFINITY;
        for face in &faces {
            let height = face.normal.dot(&vertices[face.ring[0] as usize]);
            let mut lowest = height;
            for (index, vertex) in vertices.iter().enumerate() {
                let above = face.normal.dot(vertex) - height;
                if above > DENT * size {
                    return Err(NotConvex { vertex: index as u32, height: above });
                }
                lowest = lowest.min(above + height);
            }
            half_width = half_width.min(0.5 * (height - lowest));
        }
        let corners = renumber(&mut faces, vertices);
        let edges = edges_of(&faces);
        Ok(Polytope { vertices: corners, faces, edges, radius: 0.0, half_width })
    }

    /// The same with more around it \[m\].
    pub fn thickened(mut self, more: f64) -> Polytope {
        self.radius += more;
        self.half_width += more;
        self
    }

    /// Largest distance of the surface from the origin of the frame \[m\].
    pub fn reach(&self) -> f64 {
        self.radius + self.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max)
    }
}

/// Keeps the vertices that are corners of a face.
fn renumber(faces: &mut [Face], vertices: &[Vec3]) -> Vec<Vec3> {
    let mut new = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    for corner in faces.iter_mut().flat_map(|f| &mut f.ring) {
        let place = &mut new[*corner as usize];
        if *place == u32::MAX {
            *place = kept.len() as u32;
            kept.push(vertices[*corner as usize]);
        }
        *corner = *place;
    }
    kept
}

/// The edges between faces, each once.
fn edges_of(faces: &[Face]) -> Vec<Edge> {
    let mut sides: Vec<([u32; 2], u32, bool)> = Vec::new();
    for (index, face) in faces.iter().enumerate() {
        for (k, &a) in face.ring.iter().enumerate() {
            let b = face.ring[(k + 1) % face.ring.len()];
            sides.push(([a.min(b), a.max(b)], index as u32, a < b));
        }
    }
    sides.sort_unstable();
    let pairs = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs.map(|pair| Edge { vertices: pair[0].0, faces: [pair[0].1, pair[1].1] }).collect()
}

/// A piece at its place in the world.
#[derive(Clone, Debug)]
pub struct PlacedPolytope<'a> {
    /// The piece in its body.
    pub shape: &'a Polytope,
    /// Corners \[m\].
    pub vertices: Vec<Vec3>,
    /// Normals of the faces.
    pub normals: Vec<Vec3>,
    /// n·x on each face \[m\].
    pub offsets: Vec<f64>,
    /// Mean of the corners \[m\].
    pub middle: Vec3,
}

impl<'a> PlacedPolytope<'a> {
    /// A piece of a body that is centred at `centre` and turned.
    pub fn new(shape: &'a Polytope, centre: &Vec3, orientation: &UnitQuaternion<f64>) -> Self {
        let turn = orientation.to_rotation_matrix().into_inner();
        let vertices: Vec<Vec3> = shape.vertices.iter().map(|v| centre + turn * v).collect();
        let normals: Vec<Vec3> = shape.faces.iter().map(|f| turn * f.normal).collect();
        let height = |(face, n): (&Face, &Vec3)| n.dot(&vertices[face.ring[0] as usize]);
        let offsets = shape.faces.iter().zip(&normals).map(height).collect();
        let middle = vertices.iter().sum::<Vec3>() / vertices.len() as f64;
        PlacedPolytope { shape, vertices, normals, offsets, middle }
    }

    /// Corners of a face in the world.
    pub fn ring(&self, face: usize) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        self.shape.faces[face].ring.iter().map(|&v| self.vertices[v as usize])
    }

    /// Lowest value of n·x over the corners.
    pub fn lowest(&self, n: &Vec3) -> f64 {
        self.vertices.iter().map(|v| n.dot(v)).fold(f64::INFINITY, f64::min)
    }

    /// Bounds of the corners and what is around them \[m\].
    pub fn bounds(&self) -> [Vec3; 2] {
        let none = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        let [low, high] = self.vertices.iter().fold(none, |[low, high], v| [low.inf(v), high.sup(v)]);
        [low.add_scalar(-self.shape.radius), high.add_scalar(self.shape.radius)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::merge::tests::box_surface;

    #[test]
    fn a_box_of_triangles_has_six_faces_and_twelve_edges() {
        let (vertices, triangles) = box_surface(Vec3::new(1.0, 2.0, 3.0), 3);
        let found = Polytope::from_surface(&vertices, &triangles).expect("a box");
        assert_eq!((found.vertices.len(), found.faces.len(), found.edges.len()), (8, 6, 12));
        assert!((found.half_width - 0.5).abs() < 1e-15);
        let made = Polytope::cuboid(Vec3::zeros(), Vec3::new(0.5, 1.0, 1.5), &Mat3::identity());
        assert_eq!((made.faces.len(), made.edges.len()), (6, 12));
        for face in &made.faces {
            let corner = made.vertices[face.ring[0] as usize];
            assert!(made.vertices.iter().all(|v| face.normal.dot(&(v - corner)) <= 1e-15));
            let [a, b, c] = [0, 1, 2].map(|k| made.vertices[face.ring[k] as usize]);
            assert!((b - a).cross(&(c - b)).dot(&face.normal) > 0.0, "counter-clockwise");
        }
    }

    #[test]
    fn a_dent_is_found() {
        let (mut vertices, triangles) = box_surface(Vec3::repeat(1.0), 2);
        let middle_of_top = vertices.iter().position(|v| (v - Vec3::new(0.0, 0.0, 0.5)).norm() < 1e-12);
        vertices[middle_of_top.expect("a vertex")].z = 0.4;
        assert!(Polytope::from_surface(&vertices, &triangles).is_err());
    }
}
