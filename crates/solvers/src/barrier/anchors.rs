//! What contacts leave behind: slips from step to step, forces from iteration to iteration.
//!
//! A contact remembers the tangential way `s` from its anchor, at most ε long. The next step measures friction from there,
//! `d = s + Σ c_i (x_i − x_i^prev)`, so a resting contact keeps its elastic slip and need not creep to win it back. It also remembers its force as the last
//! linear solve found it, towards which the next iteration is linearised. A memory belongs
//! to a vertex or an edge and the *object* it touches: it survives a change of the closest feature of that object. Slips are shared by all contacts of a primitive with an object; the force
//! that limits friction is handed on only by a contact that is gone. (One that comes in at the rim of its gap beside a contact that lives on would hold with the force of that one, leave again, and so on for ever.)

use super::contacts::Contact;
use crate::saved::{RestoreError, SavedState};
use rayon::prelude::*;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use stiction_collision::{PairKind, ProximityPair};
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

    fn number(self) -> u32 {
        (u32::from(self.0[1]) << 16) | u32::from(self.0[2])
    }

    fn to_u64(self) -> u64 {
        self.0.iter().fold(0, |key, &part| (key << 16) | u64::from(part))
    }

    fn from_u64(key: u64) -> Label {
        Label([(key >> 32) as u16, (key >> 16) as u16, key as u16])
    }
}

/// A feature of a mesh by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Vertex(u32),
    Edge(u32),
    Triangle(u32),
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

    /// The object that it is touched by.
    pub fn other(&self) -> u32 {
        self.other
    }

    /// The features of a pair by kind, that of the other object first; none for an analytic collider.
    pub fn features(&self) -> Option<[Primitive; 2]> {
        let primitive = |label: Label| match label.kind() {
            VERTEX => Some(Primitive::Vertex(label.number())),
            EDGE => Some(Primitive::Edge(label.number())),
            TRIANGLE => Some(Primitive::Triangle(label.number())),
            _ => None,
        };
        Some([primitive(self.feature)?, primitive(self.primitive)?])
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

/// A force on the first object of a contact \[N\], per pair of primitives that it stands for: two triangles that meet a vertex become one edge, and one triangle and its edge again. It aims
/// iterations, which correct it, so single precision will do.
pub(super) type Forecast = [f32; 3];

/// What a contact keeps between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kept {
    /// Way from the anchor \[m\].
    pub slip: Vec3,
    pub force: Forecast,
}

/// Vectors of a contact, seen from its second object.
pub(super) trait Turned: Copy {
    fn turned(self) -> Self;
}

impl Turned for Forecast {
    fn turned(self) -> Forecast {
        self.map(|c| -c)
    }
}

impl Turned for Kept {
    fn turned(self) -> Kept {
        Kept { slip: -self.slip, force: self.force.turned() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry<V> {
    key: AnchorKey,
    /// Tells sides apart, no more: single precision.
    normal: [f32; 3],
    value: V,
}

impl<V> Entry<V> {
    fn new(contact: &Contact, value: V) -> Entry<V> {
        Entry { key: contact.key, normal: contact.normal.map(|c| c as f32).into(), value }
    }

    /// Cosine of the angle between the normals.
    fn likeness(&self, normal: &Vec3) -> f64 {
        Vec3::from(self.normal.map(f64::from)).dot(normal)
    }
}

/// Where a memory holds what a contact left, and from which side; four bytes in place of the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trace(Option<NonZeroU32>);

impl Trace {
    fn new(entry: usize, is_turned: bool) -> Trace {
        Trace(NonZeroU32::new(2 * entry as u32 + u32::from(is_turned) + 1))
    }
}

/// Values of contacts, sorted by key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Memory<V> {
    entries: Vec<Entry<V>>,
}

impl<V> Default for Memory<V> {
    fn default() -> Memory<V> {
        Memory { entries: Vec::new() }
    }
}

/// Normals that differ by more (60°) belong to another place of the same object.
const SAME_SIDE: f64 = 0.5;

impl<V: Turned> Memory<V> {
    /// What a contact left in this place: that of the same pair; else that of the same primitive on the same object whose normal is nearest, among the entries that may hand theirs on.
    pub fn recall(
        &self,
        (key, first_object, normal): (&AnchorKey, u32, &Vec3),
        hands_on: impl Fn(usize) -> bool,
    ) -> Trace {
        if self.entries.is_empty() {
            return Trace::default();
        }
        let own = self.find(key, normal, &hands_on).map(|entry| Trace::new(entry, false));
        let reversed =
            || Some(Trace::new(self.find(&key.reversed(first_object)?, &-normal, &hands_on)?, true));
        own.or_else(reversed).unwrap_or_default()
    }

    /// The value behind a trace in this memory; none where there was nothing to recall.
    pub fn value(&self, trace: Trace) -> Option<V> {
        let number = trace.0?.get() - 1;
        let value = self.entries[number as usize / 2].value;
        Some(if number % 2 == 1 { value.turned() } else { value })
    }

    fn find(&self, key: &AnchorKey, normal: &Vec3, hands_on: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for index in self.of_place(key) {
            let entry = &self.entries[index];
            let likeness = entry.likeness(normal);
            if entry.key.feature == key.feature && likeness > SAME_SIDE {
                return Some(index);
            }
            if likeness > best.map_or(SAME_SIDE, |(b, _)| b) && hands_on(index) {
                best = Some((likeness, index));
            }
        }
        best.map(|(_, index)| index)
    }

    /// Entries of the same primitive on the same object.
    fn of_place(&self, key: &AnchorKey) -> impl Iterator<Item = usize> {
        let place = |key: &AnchorKey| (key.primitive, key.other);
        let (wanted, entries) = (place(key), &self.entries);
        let start = entries.partition_point(|e| place(&e.key) < wanted);
        (start..entries.len()).take_while(move |&k| place(&entries[k].key) == wanted)
    }

    /// Which entries are those of contacts that live on.
    pub fn living(&self, contacts: &[Contact]) -> Vec<AtomicBool>
    where
        V: Sync,
    {
        let living: Vec<AtomicBool> = self.entries.iter().map(|_| AtomicBool::new(false)).collect();
        let mark = |key: &AnchorKey, normal: &Vec3| {
            let is_own = |k: &usize| {
                let entry = &self.entries[*k];
                entry.key.feature == key.feature && entry.likeness(normal) > SAME_SIDE
            };
            let own = self.of_place(key).find(is_own);
            own.inspect(|&k| living[k].store(true, Ordering::Relaxed))
        };
        contacts.par_iter().with_min_len(1024).for_each(|c| {
            if mark(&c.key, &c.normal).is_none()
                && let Some(reversed) = c.key.reversed(c.first_object)
            {
                mark(&reversed, &-c.normal);
            }
        });
        living
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What these contacts leave behind.
    pub fn of(contacts: &[Contact], value: impl Fn(&Contact) -> V) -> Memory<V> {
        Memory::sorted(contacts.iter().map(|contact| Entry::new(contact, value(contact))).collect())
    }

    /// The same where the contacts have served: the memory takes their place.
    pub fn in_place_of(contacts: Vec<Contact>, value: impl Fn(&Contact) -> V) -> Memory<V> {
        let entry = |contact: Contact| Entry::new(&contact, value(&contact));
        Memory::sorted(contacts.into_iter().map(entry).collect())
    }

    fn sorted(mut entries: Vec<Entry<V>>) -> Memory<V> {
        entries.sort_unstable_by_key(|e| e.key);
        entries.dedup_by_key(|e| e.key);
        entries.shrink_to_fit();
        Memory { entries }
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl Memory<Kept> {
    pub fn save(&self, saved: &mut SavedState) {
        let keys =
            |e: &Entry<Kept>| [e.key.primitive.to_u64(), u64::from(e.key.other), e.key.feature.to_u64()];
        saved.keys.insert("anchors".to_owned(), self.entries.iter().flat_map(keys).collect());
        let wide = |v: [f32; 3]| Vec3::from(v.map(f64::from));
        let three = |e: &Entry<Kept>| [wide(e.normal), e.value.slip, wide(e.value.force)];
        let vectors: Vec<Vec3> = self.entries.iter().flat_map(three).collect();
        saved.put_vectors("anchors", &vectors);
    }

    pub fn restore(saved: &SavedState) -> Result<Memory<Kept>, RestoreError> {
        let keys = saved.keys("anchors")?;
        let vectors = saved.vectors("anchors", keys.len())?;
        let wrong = || RestoreError::Array { name: "anchors".to_owned() };
        if !keys.len().is_multiple_of(3) {
            return Err(wrong());
        }
        let entry = |(key, vectors): (&[u64], &[Vec3])| {
            let other = u32::try_from(key[1]).map_err(|_| wrong())?;
            let (primitive, feature) = (Label::from_u64(key[0]), Label::from_u64(key[2]));
            let [normal, force] = [0, 2].map(|k| vectors[k].map(|c| c as f32).into());
            let value = Kept { slip: vectors[1], force };
            Ok(Entry { key: AnchorKey { primitive, other, feature }, normal, value })
        };
        let entries =
            keys.chunks_exact(3).zip(vectors.chunks_exact(3)).map(entry).collect::<Result<_, _>>()?;
        Ok(Memory { entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(kind: u16, number: u32) -> Label {
        Label::new(kind, number)
    }

    fn entry(primitive: Label, other: u32, feature: Label, normal: Vec3, slip: f64) -> Entry<Kept> {
        let normal = normal.map(|c| c as f32).into();
        let value = Kept { slip: Vec3::x() * slip, force: [0.5, 0.0, slip as f32] };
        Entry { key: AnchorKey { primitive, other, feature }, normal, value }
    }

    #[test]
    fn a_slip_survives_a_change_of_the_feature_but_not_of_the_side() {
        let (up, down) = (Vec3::z(), -Vec3::z());
        let memory = Memory {
            entries: vec![
                entry(labelled(VERTEX, 3), 1, labelled(TRIANGLE, 4), up, 1.0),
                entry(labelled(VERTEX, 3), 1, labelled(TRIANGLE, 9), down, 2.0),
                entry(labelled(VERTEX, 5), 0, labelled(VERTEX, 8), up, 3.0),
            ],
        };
        let ask = |v: u32, other: u32, feature: Label, normal: &Vec3| {
            let key = AnchorKey { primitive: labelled(VERTEX, v), other, feature };
            memory.value(memory.recall((&key, 0, normal), |_| true)).map_or(0.0, |kept| kept.slip.x)
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
    fn a_force_is_handed_on_only_by_what_is_gone() {
        let key = |feature: u32| AnchorKey {
            primitive: labelled(VERTEX, 3),
            other: 1,
            feature: labelled(TRIANGLE, feature),
        };
        let at = |feature: u32| Contact { key: key(feature), normal: Vec3::z(), ..Contact::default() };
        let memory =
            Memory { entries: vec![entry(labelled(VERTEX, 3), 1, labelled(TRIANGLE, 4), Vec3::z(), 1.0)] };
        let ask = |present: &[Contact], feature: u32| {
            let living = memory.living(present);
            let is_gone = |k: usize| !living[k].load(Ordering::Relaxed);
            memory.value(memory.recall((&key(feature), 0, &Vec3::z()), is_gone)).map(|kept| kept.force)
        };
        assert_eq!(ask(&[at(5)], 5), Some([0.5, 0.0, 1.0]), "the triangle beside it takes over");
        assert_eq!(ask(&[at(4), at(5)], 5), None, "a second contact of the vertex is new");
        assert_eq!(ask(&[at(4), at(5)], 4), Some([0.5, 0.0, 1.0]));
    }

    #[test]
    fn what_is_saved_comes_back() {
        let entries = vec![entry(labelled(EDGE, 70_003), 1, labelled(EDGE, 4), Vec3::y(), 1e-6)];
        let memory = Memory { entries };
        let mut saved = SavedState::new(1);
        memory.save(&mut saved);
        assert_eq!(Memory::restore(&saved).expect("its own state"), memory);
        saved.keys.insert("anchors".to_owned(), vec![1, 2]);
        assert!(Memory::restore(&saved).is_err());
    }
}
