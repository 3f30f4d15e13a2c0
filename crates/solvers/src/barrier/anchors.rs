//! Slips that live as long as their contacts: the memory of anchored friction.
//!
//! A contact remembers the tangential way `s` from its anchor, at most ε long. The next step measures friction from there,
//! `d = s + Σ c_i (x_i − x_i^prev)`, so a resting contact keeps its elastic slip and need not creep to win it back. An anchor belongs
//! to a vertex or an edge and the *object* it touches: it survives a change of the closest feature of that object.

use super::contacts::Contact;
use crate::saved::{RestoreError, SavedState};
use stiction_collision::{PairKind, ProximityPair};
use stiction_contact::barrier::AnchoredFriction;
use stiction_numerics::Vec3;

/// Who touches what; the order brings all contacts of a primitive with an object together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AnchorKey {
    /// Vertex, edge or triangle of the first object.
    primitive: Label,
    /// The other object.
    other: u32,
    /// Feature of the other object.
    feature: Label,
}

/// Kind and number of a primitive, without padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Label([u16; 3]);

impl Label {
    fn new(kind: u16, number: u32) -> Label {
        Label([kind, (number >> 16) as u16, number as u16])
    }

    fn kind(self) -> u16 {
        self.0[0]
    }

    fn to_u64(self) -> u64 {
        self.0.iter().fold(0, |key, &part| (key << 16) | u64::from(part))
    }

    fn from_u64(key: u64) -> Label {
        Label([(key >> 32) as u16, (key >> 16) as u16, key as u16])
    }
}

/// Kinds of primitives in keys.
const VERTEX: u16 = 0;
const EDGE: u16 = 1;
const TRIANGLE: u16 = 2;
/// Features that may touch an analytic collider have numbers of their own.
const WALL: u16 = 3;

impl AnchorKey {
    /// The key of a pair whose second feature belongs to `other`.
    pub fn of_pair(pair: &ProximityPair, other: u32) -> AnchorKey {
        let [first, second] = pair.features;
        let (a, b) = match pair.kind {
            PairKind::VertexVertex => (VERTEX, VERTEX),
            PairKind::VertexEdge => (VERTEX, EDGE),
            PairKind::VertexTriangle => (VERTEX, TRIANGLE),
            PairKind::EdgeEdge => (EDGE, EDGE),
        };
        AnchorKey { primitive: Label::new(a, first), other, feature: Label::new(b, second) }
    }

    /// The key of a feature at an analytic collider.
    pub fn of_wall(feature: u32, collider: u32) -> AnchorKey {
        AnchorKey { primitive: Label::new(WALL, feature), other: collider, feature: Label::default() }
    }

    /// Two vertices seen from the second; its slip is the opposite. `None` for other pairs.
    fn reversed(&self, first_object: u32) -> Option<AnchorKey> {
        let vertices = self.primitive.kind() == VERTEX && self.feature.kind() == VERTEX;
        vertices.then_some(AnchorKey {
            primitive: self.feature,
            other: first_object,
            feature: self.primitive,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    key: AnchorKey,
    /// Tells sides apart, no more: single precision.
    normal: [f32; 3],
    /// Way from the anchor \[m\].
    slip: Vec3,
}

/// All slips at the end of a step, sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AnchorMemory {
    entries: Vec<Entry>,
}

/// Normals that differ by more (60°) belong to another place of the same object.
const SAME_SIDE: f64 = 0.5;

impl AnchorMemory {
    /// The slip with which a contact begins a step; zero for a new one.
    pub fn slip(&self, key: &AnchorKey, first_object: u32, normal: &Vec3) -> Vec3 {
        if self.entries.is_empty() {
            return Vec3::zeros();
        }
        let reversed = || Some(-self.find(&key.reversed(first_object)?, &-normal)?);
        self.find(key, normal).or_else(reversed).unwrap_or_default()
    }

    /// The slip of the same pair; else that of the same primitive on the same object whose normal is nearest.
    fn find(&self, key: &AnchorKey, normal: &Vec3) -> Option<Vec3> {
        let place = |key: &AnchorKey| (key.primitive, key.other);
        let start = self.entries.partition_point(|e| place(&e.key) < place(key));
        let mut best: Option<(f64, Vec3)> = None;
        for entry in self.entries[start..].iter().take_while(|e| place(&e.key) == place(key)) {
            let likeness = Vec3::from(entry.normal.map(f64::from)).dot(normal);
            if entry.key.feature == key.feature && likeness > SAME_SIDE {
                return Some(entry.slip);
            }
            if likeness > best.map_or(SAME_SIDE, |(b, _)| b) {
                best = Some((likeness, entry.slip));
            }
        }
        best.map(|(_, slip)| slip)
    }

    /// Takes over the contacts of an accepted step; `moved` gives the relative displacement over it.
    pub fn replace(&mut self, contacts: &[Contact], epsilon: f64, moved: impl Fn(&Contact) -> Vec3) {
        let entry = |contact: &Contact| {
            let friction = AnchoredFriction { normal: contact.normal, limit: 1.0, epsilon };
            let slip = friction.dragged(&(contact.slip + moved(contact)));
            Entry { key: contact.key, normal: contact.normal.map(|c| c as f32).into(), slip }
        };
        self.entries.clear();
        self.entries.extend(contacts.iter().map(entry));
        self.entries.sort_unstable_by_key(|e| e.key);
        self.entries.dedup_by_key(|e| e.key);
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn save(&self, saved: &mut SavedState) {
        let keys = |e: &Entry| [e.key.primitive.to_u64(), u64::from(e.key.other), e.key.feature.to_u64()];
        saved.keys.insert("anchors".to_owned(), self.entries.iter().flat_map(keys).collect());
        let pair = |e: &Entry| [Vec3::from(e.normal.map(f64::from)), e.slip];
        let vectors: Vec<Vec3> = self.entries.iter().flat_map(pair).collect();
        saved.put_vectors("anchors", &vectors);
    }

    pub fn restore(saved: &SavedState) -> Result<AnchorMemory, RestoreError> {
        let keys = saved.keys("anchors")?;
        let vectors = saved.vectors("anchors", 2 * (keys.len() / 3))?;
        let wrong = || RestoreError::Array { name: "anchors".to_owned() };
        if !keys.len().is_multiple_of(3) {
            return Err(wrong());
        }
        let entry = |(key, vectors): (&[u64], &[Vec3])| {
            let other = u32::try_from(key[1]).map_err(|_| wrong())?;
            let (primitive, feature) = (Label::from_u64(key[0]), Label::from_u64(key[2]));
            let normal = vectors[0].map(|c| c as f32).into();
            Ok(Entry { key: AnchorKey { primitive, other, feature }, normal, slip: vectors[1] })
        };
        let entries =
            keys.chunks_exact(3).zip(vectors.chunks_exact(2)).map(entry).collect::<Result<_, _>>()?;
        Ok(AnchorMemory { entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(kind: u16, number: u32) -> Label {
        Label::new(kind, number)
    }

    fn entry(primitive: Label, other: u32, feature: Label, normal: Vec3, slip: f64) -> Entry {
        let normal = normal.map(|c| c as f32).into();
        Entry { key: AnchorKey { primitive, other, feature }, normal, slip: Vec3::x() * slip }
    }

    #[test]
    fn a_slip_survives_a_change_of_the_feature_but_not_of_the_side() {
        let (up, down) = (Vec3::z(), -Vec3::z());
        let memory = AnchorMemory {
            entries: vec![
                entry(labelled(VERTEX, 3), 1, labelled(TRIANGLE, 4), up, 1.0),
                entry(labelled(VERTEX, 3), 1, labelled(TRIANGLE, 9), down, 2.0),
                entry(labelled(VERTEX, 5), 0, labelled(VERTEX, 8), up, 3.0),
            ],
        };
        let ask = |v: u32, other: u32, feature: Label, normal: &Vec3| {
            memory.slip(&AnchorKey { primitive: labelled(VERTEX, v), other, feature }, 0, normal).x
        };
        assert_eq!(ask(3, 1, labelled(TRIANGLE, 4), &up), 1.0);
        assert_eq!(ask(3, 1, labelled(EDGE, 7), &up), 1.0);
        assert_eq!(ask(3, 1, labelled(EDGE, 7), &down), 2.0);
        assert_eq!(ask(3, 1, labelled(EDGE, 7), &Vec3::x()), 0.0);
        assert_eq!(ask(3, 2, labelled(TRIANGLE, 4), &up), 0.0);
        // Seen from the other vertex all signs turn.
        assert_eq!(ask(8, 0, labelled(VERTEX, 5), &down), -3.0);
    }

    #[test]
    fn what_is_saved_comes_back() {
        let entries = vec![entry(labelled(EDGE, 70_003), 1, labelled(EDGE, 4), Vec3::y(), 1e-6)];
        let memory = AnchorMemory { entries };
        let mut saved = SavedState::new(1);
        memory.save(&mut saved);
        assert_eq!(AnchorMemory::restore(&saved).expect("its own state"), memory);
        saved.keys.insert("anchors".to_owned(), vec![1, 2]);
        assert!(AnchorMemory::restore(&saved).is_err());
    }
}
