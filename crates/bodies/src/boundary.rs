//! The boundary of a tet mesh.

/// Faces that belong to exactly one tet, counter-clockwise seen from outside, in the order of their tets.
pub fn tet_surface(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], u32, [u32; 3])> = Vec::with_capacity(4 * tets.len());
    for (index, &[a, b, c, d]) in tets.iter().enumerate() {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut key = face;
            key.sort_unstable();
            faces.push((key, 4 * index as u32 + (faces.len() % 4) as u32, face));
        }
    }
    faces.sort_unstable_by_key(|f| (f.0, f.1));
    let mut boundary: Vec<(u32, [u32; 3])> = faces
        .chunk_by(|p, q| p.0 == q.0)
        .filter(|group| group.len() == 1)
        .map(|group| (group[0].1, group[0].2))
        .collect();
    boundary.sort_unstable();
    boundary.into_iter().map(|(_, face)| face).collect()
}

#[cfg(test)]
mod tests {
    use super::tet_surface;
    use stiction_numerics::Vec3;

    #[test]
    fn two_tets_show_six_faces_that_enclose_their_volume() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, 1.0, 1.0)];
        let faces = tet_surface(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(faces.len(), 6);
        let volume: f64 =
            faces.iter().map(|f| f.map(|i| x[i as usize])).map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum();
        assert!((volume - (1.0 / 6.0 + 1.0 / 3.0)).abs() < 1e-15);
    }
}
