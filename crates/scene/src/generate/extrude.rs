//! Tets from a triangulated cross section moved along a path.

/// Cuts the prisms between `layers` copies of a cross section into three tets each. Layer k holds
/// vertices k·n .. (k+1)·n. With `closed` the last layer joins the first.
///
/// Each quad is cut by the diagonal at its smallest vertex index, so that neighbours agree
/// [Dompierre, Labbé, Vallet, Camarero 1999].
pub(super) fn prisms(triangles: &[[u32; 3]], n: u32, layers: u32, closed: bool) -> Vec<[u32; 4]> {
    let spans = if closed { layers } else { layers - 1 };
    let mut tets = Vec::with_capacity(3 * triangles.len() * spans as usize);
    for k in 0..spans {
        let (low, high) = (k * n, ((k + 1) % layers) * n);
        for t in triangles {
            let prism = [low + t[0], low + t[1], low + t[2], high + t[0], high + t[1], high + t[2]];
            tets.extend(cut(prism));
        }
    }
    tets
}

/// The six rotations of a prism that bring each corner to the front.
const TURNS: [[usize; 6]; 6] = [
    [0, 1, 2, 3, 4, 5],
    [1, 2, 0, 4, 5, 3],
    [2, 0, 1, 5, 3, 4],
    [3, 5, 4, 0, 2, 1],
    [4, 3, 5, 1, 0, 2],
    [5, 4, 3, 2, 1, 0],
];

fn cut(prism: [u32; 6]) -> [[u32; 4]; 3] {
    let front = (0..6).min_by_key(|&i| prism[i]).unwrap_or(0);
    let v = TURNS[front].map(|i| prism[i]);
    if v[1].min(v[5]) < v[2].min(v[4]) {
        [[v[0], v[1], v[2], v[5]], [v[0], v[1], v[5], v[4]], [v[0], v[4], v[5], v[3]]]
    } else {
        [[v[0], v[1], v[2], v[4]], [v[0], v[4], v[2], v[5]], [v[0], v[4], v[5], v[3]]]
    }
}
