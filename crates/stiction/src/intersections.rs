//! What a check for intersections found in a state, in words and numbers.

use stiction_bodies::Surfaces;
use stiction_collision::intersection::StateReport;
use stiction_numerics::Vec3;

/// Everything that crosses, overlaps or lies inside in a state.
#[derive(Clone, Debug)]
pub struct IntersectionReport {
    /// All pairs, by number of their features.
    pub state: StateReport,
}

/// Two objects that cross or overlap, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPair {
    /// `crossing`, `inside` or `overlap`.
    pub kind: &'static str,
    /// Names of the two objects.
    pub objects: [String; 2],
    /// Which feature of the first object meets which one of the second.
    pub features: String,
    /// Where \[m\].
    pub place: Vec3,
    /// How deep \[m\].
    pub depth: f64,
}

impl IntersectionReport {
    /// True crossings of mid-surfaces and centrelines, and points inside closed bodies.
    pub fn intersections(&self) -> usize {
        self.state.crossings.len() + self.state.inside.len()
    }

    /// Pairs closer than their thicknesses.
    pub fn overlaps(&self) -> usize {
        self.state.overlaps.len()
    }

    /// Places of the intersections \[m\].
    pub fn places(&self) -> Vec<Vec3> {
        let crossings = self.state.crossings.iter().map(|c| c.place);
        crossings.chain(self.state.inside.iter().map(|i| i.place)).collect()
    }

    /// Everything found, deepest first within each kind.
    pub fn pairs(&self, surfaces: &Surfaces) -> Vec<FoundPair> {
        let names = |objects: [u32; 2]| objects.map(|o| surfaces.objects[o as usize].name.clone());
        let crossings = self.state.crossings.iter().map(|c| FoundPair {
            kind: "crossing",
            objects: names(c.bodies),
            features: format!("edge {} and triangle {}", c.edge, c.triangle),
            place: c.place,
            depth: c.depth,
        });
        let inside = self.state.inside.iter().map(|i| FoundPair {
            kind: "inside",
            objects: names(i.bodies),
            features: format!("vertex {}", i.vertex),
            place: i.place,
            depth: i.depth,
        });
        let overlaps = self.state.overlaps.iter().map(|o| FoundPair {
            kind: "overlap",
            objects: names(o.bodies),
            features: format!("{:?} {} and {}", o.kind, o.features[0], o.features[1]),
            place: o.place,
            depth: o.depth,
        });
        let mut out: Vec<FoundPair> = crossings.chain(inside).chain(overlaps).collect();
        out.sort_by(|a, b| a.kind.cmp(b.kind).then(b.depth.total_cmp(&a.depth)));
        out
    }
}

impl FoundPair {
    /// One line.
    pub fn sentence(&self) -> String {
        let p = self.place;
        format!(
            "{}: `{}` and `{}` ({}) at ({:.4}, {:.4}, {:.4}), {:.3} mm deep",
            self.kind,
            self.objects[0],
            self.objects[1],
            self.features,
            p.x,
            p.y,
            p.z,
            1e3 * self.depth
        )
    }
}
