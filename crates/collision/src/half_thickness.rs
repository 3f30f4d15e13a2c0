//! Half-thicknesses of features: one number per body where that says all, as it mostly does.

use crate::surface::NONE;

/// Half-thickness of every vertex, edge and triangle \[m\].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HalfThickness {
    /// All features of a body have one.
    ByBody(Vec<f64>),
    /// Vertices, edges, triangles.
    ByFeature([Vec<f64>; 3]),
}

/// Kinds of features, in the order of [`HalfThickness::ByFeature`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum FeatureKind {
    Vertex,
    Edge,
    Triangle,
}

impl HalfThickness {
    /// From lists for vertices, edges and triangles, and the bodies of all of them.
    pub fn new(lists: [Vec<f64>; 3], bodies: [&[u32]; 3], body_count: usize) -> HalfThickness {
        let pairs = || lists.iter().zip(bodies).flat_map(|(list, bodies)| list.iter().zip(bodies));
        let mut by_body = vec![0.0; body_count];
        for (half, &body) in pairs().filter(|(_, body)| **body != NONE) {
            by_body[body as usize] = *half;
        }
        let alike = |(half, &body): (&f64, &u32)| body == NONE || by_body[body as usize] == *half;
        if pairs().all(alike) { HalfThickness::ByBody(by_body) } else { HalfThickness::ByFeature(lists) }
    }

    /// That of a feature of a body; zero for a vertex of none.
    #[inline]
    pub fn of(&self, feature: FeatureKind, index: u32, body: u32) -> f64 {
        match self {
            HalfThickness::ByBody(by_body) => by_body.get(body as usize).copied().unwrap_or(0.0),
            HalfThickness::ByFeature(lists) => lists[feature as usize][index as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_per_body_where_all_its_features_agree() {
        let bodies: [&[u32]; 3] = [&[0, 0, 1, NONE], &[0, 1], &[0, 1]];
        let lists = [vec![0.1, 0.1, 0.2, 0.0], vec![0.1, 0.2], vec![0.1, 0.2]];
        let shared = HalfThickness::new(lists.clone(), bodies, 2);
        assert_eq!(shared, HalfThickness::ByBody(vec![0.1, 0.2]));
        assert_eq!(shared.of(FeatureKind::Vertex, 2, 1), 0.2);
        assert_eq!(shared.of(FeatureKind::Vertex, 3, NONE), 0.0);
        // The first vertex also belongs to something thicker.
        let mut uneven = lists;
        uneven[0][0] = 0.2;
        let kept = HalfThickness::new(uneven, bodies, 2);
        assert_eq!([0, 1].map(|v| kept.of(FeatureKind::Vertex, v, 0)), [0.2, 0.1]);
    }
}
