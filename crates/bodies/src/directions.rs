//! Direction fields on surfaces, carried by the material: the grain of anisotropic friction.
//!
//! At a surface vertex the direction is a combination of two edges of a triangle there,
//! `d = a (x₁ − x₀) + b (x₂ − x₀)`, with a and b fixed at the start, so it turns and shears with
//! the cloth. Every triangle at a vertex keeps its own pair: at the edge of a solid the faces have
//! different directions (across a side face a direction may even vanish), and the face that looks
//! along the contact is the one that rubs.

use stiction_numerics::{Mat2, Vec2, Vec3};
use stiction_scene::resolved::DirectionField;

/// Direction at a surface vertex in one of its triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CornerDirection {
    /// Surface vertices of the triangle that carries it.
    triangle: [u32; 3],
    /// Coefficients a and b.
    coefficients: [f64; 2],
}

/// Directions of one object at its surface vertices, face by face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceDirections {
    /// First surface vertex.
    first: usize,
    /// `corners[offsets[v]..offsets[v + 1]]` are those at vertex `first + v`; none where no
    /// triangle is.
    offsets: Vec<usize>,
    corners: Vec<CornerDirection>,
}

impl SurfaceDirections {
    /// The field of an object from its triangles (in surface vertices), their initial positions and
    /// their pattern, both counted from `first`.
    pub fn new(
        field: &DirectionField,
        first: usize,
        triangles: &[[u32; 3]],
        positions: &[Vec3],
        uv: Option<&[Vec2]>,
    ) -> SurfaceDirections {
        let mut found: Vec<Vec<CornerDirection>> = vec![Vec::new(); positions.len()];
        for &triangle in triangles {
            let local = triangle.map(|v| v as usize - first);
            let x = local.map(|v| positions[v]);
            let pattern = uv.map(|uv| local.map(|v| uv[v]));
            for v in local {
                let coefficients = coefficients(field, v, &x, pattern);
                found[v].extend(coefficients.map(|coefficients| CornerDirection { triangle, coefficients }));
            }
        }
        let ends = found.iter().scan(0, |end, at| {
            *end += at.len();
            Some(*end)
        });
        SurfaceDirections { first, offsets: [0].into_iter().chain(ends).collect(), corners: found.concat() }
    }

    /// The direction at a surface vertex for given positions of all surface vertices, in the
    /// triangle there that is most nearly normal to `facing`; not normalised.
    pub fn at(&self, vertex: usize, facing: &Vec3, positions: &[Vec3]) -> Option<Vec3> {
        let local = vertex.checked_sub(self.first)?;
        let corners = &self.corners[*self.offsets.get(local)?..*self.offsets.get(local + 1)?];
        let mut best: Option<(f64, Vec3)> = None;
        for corner in corners {
            let [a, b, c] = corner.triangle.map(|v| positions[v as usize]);
            let (p, q) = (b - a, c - a);
            let normal = p.cross(&q);
            // A triangle without area looks nowhere.
            let looks = normal.try_normalize(f64::MIN_POSITIVE).map_or(0.0, |n| n.dot(facing).abs());
            if best.is_none_or(|(most, _)| looks > most) {
                best = Some((looks, p * corner.coefficients[0] + q * corner.coefficients[1]));
            }
        }
        best.map(|(_, direction)| direction)
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
            let at = directions.at(vertex, &Vec3::z(), &shifted(&turned)).expect("a direction");
            assert!((at - Vec3::new(-0.8, 0.6, 0.0)).norm() < 1e-14, "{at}");
        }
        assert!(directions.at(4, &Vec3::z(), &shifted(&turned)).is_none());
    }

    #[test]
    fn every_vertex_may_have_its_own_direction() {
        let all = vec![Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 3.0), -Vec3::x()];
        let directions =
            SurfaceDirections::new(&DirectionField::Vertices(all.clone()), 5, &TRIANGLES, &square(), None);
        for (vertex, direction) in all.iter().enumerate() {
            let at = directions.at(5 + vertex, &Vec3::z(), &shifted(&square())).expect("a direction");
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
                (u.at(vertex, &Vec3::z(), &shifted(&square())).expect("u") - Vec3::new(0.0, 0.5, 0.0)).norm()
                    < 1e-14
            );
            assert!(
                (v.at(vertex, &Vec3::z(), &shifted(&square())).expect("v") - Vec3::new(-1.0, 0.0, 0.0))
                    .norm()
                    < 1e-14
            );
        }
    }

    /// Two faces that meet at right angles: at their common edge each face has its own projection
    /// of the field, and a contact asks the one that it meets.
    #[test]
    fn the_face_that_a_contact_meets_gives_the_direction() {
        // Wall (x, z) below the edge along x, then the top (x, y).
        let positions = vec![Vec3::zeros(), Vec3::x(), -Vec3::z(), Vec3::y()];
        let field = DirectionField::Fixed(Vec3::new(1.0, 2.0, 3.0));
        let directions = SurfaceDirections::new(&field, 0, &[[0, 1, 2], [0, 1, 3]], &positions, None);
        for vertex in [0, 1] {
            let at = |facing: Vec3| directions.at(vertex, &facing, &positions).expect("a direction");
            assert!((at(Vec3::new(0.1, -0.2, 1.0)) - Vec3::new(1.0, 2.0, 0.0)).norm() < 1e-14);
            assert!((at(-Vec3::y()) - Vec3::new(1.0, 0.0, 3.0)).norm() < 1e-14);
        }
        // A vertex of the wall alone has no other choice.
        let below = directions.at(2, &Vec3::z(), &positions).expect("a direction");
        assert!((below - Vec3::new(1.0, 0.0, 3.0)).norm() < 1e-14);
    }
}
