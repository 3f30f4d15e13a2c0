//! Direction fields on surfaces, carried by the material: the grain of anisotropic friction.
//!
//! At a surface vertex the direction is a combination of two edges of a triangle there, `d = a (x₁ − x₀) + b (x₂ − x₀)`, with
//! a and b fixed at the start, so it turns and shears with the cloth.

use stiction_numerics::{Mat2, Vec2, Vec3};
use stiction_scene::resolved::DirectionField;

/// Direction at one surface vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexDirection {
    /// Surface vertices of the triangle that carries it.
    pub triangle: [u32; 3],
    /// Coefficients a and b.
    pub coefficients: [f64; 2],
}

/// Directions of one object: those of its surface vertices `first..first + vertices.len()`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceDirections {
    /// First surface vertex.
    pub first: usize,
    /// Direction per vertex; none where no triangle is or the field has no part in it.
    pub vertices: Vec<Option<VertexDirection>>,
}

impl SurfaceDirections {
    /// The field of an object from its triangles (in surface vertices), their initial positions and their pattern, both counted
    /// from `first`.
    pub fn new(
        field: &DirectionField,
        first: usize,
        triangles: &[[u32; 3]],
        positions: &[Vec3],
        uv: Option<&[Vec2]>,
    ) -> SurfaceDirections {
        let mut vertices = vec![None; positions.len()];
        for &triangle in triangles {
            let local = triangle.map(|v| v as usize - first);
            let x = local.map(|v| positions[v]);
            let pattern = uv.map(|uv| local.map(|v| uv[v]));
            for v in local.into_iter().filter(|&v| vertices[v].is_none()).collect::<Vec<_>>() {
                vertices[v] = coefficients(field, v, &x, pattern)
                    .map(|coefficients| VertexDirection { triangle, coefficients });
            }
        }
        SurfaceDirections { first, vertices }
    }

    /// The direction at a surface vertex for given positions of all surface vertices; not normalised.
    pub fn at(&self, vertex: usize, positions: &[Vec3]) -> Option<Vec3> {
        let found = (*self.vertices.get(vertex.checked_sub(self.first)?)?)?;
        let [a, b, c] = found.triangle.map(|v| positions[v as usize]);
        Some((b - a) * found.coefficients[0] + (c - a) * found.coefficients[1])
    }
}

/// a and b of a field at a vertex of a triangle.
fn coefficients(
    field: &DirectionField,
    vertex: usize,
    x: &[Vec3; 3],
    uv: Option<[Vec2; 3]>,
) -> Option<[f64; 2]> {
    let (p, q) = (x[1] - x[0], x[2] - x[0]);
    // The projection of a direction on the triangle: normal equations of the two edges.
    let projected = |direction: &Vec3| {
        let gram = Mat2::new(p.dot(&p), p.dot(&q), p.dot(&q), q.dot(&q));
        Some(gram.try_inverse()? * Vec2::new(p.dot(direction), q.dot(direction)))
    };
    let solved = match field {
        DirectionField::Fixed(direction) => projected(direction)?,
        DirectionField::Vertices(directions) => projected(directions.get(vertex)?)?,
        DirectionField::U | DirectionField::V => {
            let uv = uv?;
            let wanted = if *field == DirectionField::U { Vec2::x() } else { Vec2::y() };
            Mat2::from_columns(&[uv[1] - uv[0], uv[2] - uv[0]]).try_inverse()? * wanted
        }
    };
    solved.iter().all(|c| c.is_finite()).then_some([solved.x, solved.y])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLES: [[u32; 3]; 2] = [[5, 6, 7], [6, 8, 7]];

    fn square() -> Vec<Vec3> {
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0)]
    }

    fn shifted(positions: &[Vec3]) -> Vec<Vec3> {
        [vec![Vec3::zeros(); 5], positions.to_vec()].concat()
    }

    #[test]
    fn a_fixed_direction_turns_with_the_material() {
        let field = DirectionField::Fixed(Vec3::new(0.6, 0.8, 5.0));
        let directions = SurfaceDirections::new(&field, 5, &TRIANGLES, &square(), None);
        let turn = |x: &Vec3| Vec3::new(-x.y, x.x, 2.0);
        let turned: Vec<Vec3> = square().iter().map(turn).collect();
        for vertex in 5..9 {
            let at = directions.at(vertex, &shifted(&turned)).expect("a direction");
            assert!((at - Vec3::new(-0.8, 0.6, 0.0)).norm() < 1e-14, "{at}");
        }
        assert!(directions.at(4, &shifted(&turned)).is_none());
    }

    #[test]
    fn every_vertex_may_have_its_own_direction() {
        let all = vec![Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 3.0), -Vec3::x()];
        let directions =
            SurfaceDirections::new(&DirectionField::Vertices(all.clone()), 5, &TRIANGLES, &square(), None);
        for (vertex, direction) in all.iter().enumerate() {
            let at = directions.at(5 + vertex, &shifted(&square())).expect("a direction");
            assert!((at - Vec3::new(direction.x, direction.y, 0.0)).norm() < 1e-14, "{at}");
        }
    }

    #[test]
    fn pattern_directions_follow_u_and_v() {
        let uv: Vec<Vec2> = square().iter().map(|x| Vec2::new(2.0 * x.y, -x.x)).collect();
        let along = |field| SurfaceDirections::new(&field, 5, &TRIANGLES, &square(), Some(&uv));
        let (u, v) = (along(DirectionField::U), along(DirectionField::V));
        for vertex in 5..9 {
            assert!(
                (u.at(vertex, &shifted(&square())).expect("u") - Vec3::new(0.0, 0.5, 0.0)).norm() < 1e-14
            );
            assert!(
                (v.at(vertex, &shifted(&square())).expect("v") - Vec3::new(-1.0, 0.0, 0.0)).norm() < 1e-14
            );
        }
    }
}
