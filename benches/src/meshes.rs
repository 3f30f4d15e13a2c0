//! Meshes that several cases share.

use stiction::numerics::{Random, Vec3};

/// Square sheet of unit cells cut in two: rest positions and triangles.
pub fn sheet(cells: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let n = cells + 1;
    let rest = (0..n * n).map(|c| Vec3::new((c / n) as f64, (c % n) as f64, 0.0)).collect();
    let triangles = (0..cells * cells)
        .flat_map(|c| {
            let a = ((c / cells) * n + c % cells) as u32;
            let b = a + n as u32;
            [[a, b, b + 1], [a, b + 1, a + 1]]
        })
        .collect();
    (rest, triangles)
}

/// Cube of unit cells, six tetrahedra each: rest positions and tetrahedra of positive volume.
pub fn tet_cube(cells: usize) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let n = cells + 1;
    let node = |at: [usize; 3]| ((at[0] * n + at[1]) * n + at[2]) as u32;
    let rest: Vec<Vec3> =
        (0..n * n * n).map(|c| Vec3::new((c / (n * n)) as f64, (c / n % n) as f64, (c % n) as f64)).collect();
    let mut tets = Vec::with_capacity(6 * cells * cells * cells);
    for cell in 0..cells * cells * cells {
        let corner = [cell / (cells * cells), cell / cells % cells, cell % cells];
        for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let (mut at, mut tet) = (corner, [node(corner); 4]);
            for (step, axis) in axes.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = node(at);
            }
            // The last three orders are mirror images.
            let edge = |k: usize| rest[tet[k] as usize] - rest[tet[0] as usize];
            if edge(1).cross(&edge(2)).dot(&edge(3)) < 0.0 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    (rest, tets)
}

/// The positions turned as a whole and moved at random (stretches about 0.7 to 1.3 of unit cells).
pub fn jittered(rest: &[Vec3]) -> Vec<Vec3> {
    let mut random = Random::new(1);
    let turn = random.rotation();
    rest.iter().map(|x| turn * (x + random.vector(-0.12, 0.12))).collect()
}

/// Unit square with soft waves of a height and phase, vertices row by row.
pub fn waves(cells: usize, height: f64, phase: f64) -> Vec<Vec3> {
    let side = cells + 1;
    let at = |k: usize| {
        let (u, v) = ((k / side) as f64 / cells as f64, (k % side) as f64 / cells as f64);
        Vec3::new(u, v, height * ((9.0 * u + phase).sin() * (7.0 * v).cos()))
    };
    (0..side * side).map(at).collect()
}

/// Triangles of such a square, with alternating diagonals.
pub fn alternating(cells: usize) -> Vec<[u32; 3]> {
    let at = |i: usize, j: usize| (i * (cells + 1) + j) as u32;
    let cell = |k: usize| {
        let (i, j) = (k / cells, k % cells);
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    (0..cells * cells).flat_map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tetrahedra_fill_the_cube() {
        let (rest, tets) = tet_cube(3);
        let volume: f64 = tets
            .iter()
            .map(|t| {
                let edge = |k: usize| rest[t[k] as usize] - rest[t[0] as usize];
                edge(1).cross(&edge(2)).dot(&edge(3)) / 6.0
            })
            .sum();
        assert!((volume - 27.0).abs() < 1e-12);
    }
}
