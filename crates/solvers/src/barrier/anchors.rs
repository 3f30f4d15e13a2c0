//! What contacts leave behind: slips from step to step, forces from iteration to iteration.
//!
//! A contact remembers the tangential way `s` from its anchor, at most ε long. The next step
//! measures friction from there,
//! `d = s + Σ c_i (x_i − x_i^prev)`, so a resting contact keeps its elastic slip and need not creep
//! to win it back. It also remembers its force as the last
//! linear solve found it, towards which the next iteration is linearised. A memory belongs
//! to a vertex or an edge and the *object* it touches: it survives a change of the closest feature
//! of that object. Slips are shared by all contacts of a primitive with an object; the force that
//! limits friction is handed on only by a contact that is gone. (One that comes in at the rim of
//! its gap beside a contact that lives on would hold with the force of that one, leave again, and
//! so on for ever.)

use super::contacts::Contact;
use crate::saved::{RestoreError, SavedState};
use rayon::prelude::*;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use stiction_collision::{PairKind, ProximityPair};
use stiction_numerics::Vec3;

/// Who touches what, in twelve bytes; the order brings all contacts of a primitive with an object
/// together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AnchorKey {
    /// Vertex, edge or triangle of the first object.
    primitive: Label,
    /// The other object.
    other: u32,
    /// Feature of the other object.
    feature: Label,
}

/// Kind and number of a primitive: two binary digits and thirty. A mesh of a thousand million
/// primitives would not fit in any memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Label(u32);

/// Digits of a number.
const DIGITS: u32 = 30;

impl Label {
    fn new(kind: u32, number: u32) -> Label {
        assert!(number >> DIGITS == 0, "primitive {number} has more than {DIGITS} digits");
        Label((kind << DIGITS) | number)
    }

    fn kind(self) -> u32 {
        self.0 >> DIGITS
    }

    fn number(self) -> u32 {
        self.0 & ((1 << DIGITS) - 1)
    }
}

/// A direction that tells sides of an object apart, no more: parts of 127.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Side([i8; 3]);

impl Side {
    const PARTS: f64 = 127.0;

    /// Of a vector of unit length.
    fn of(normal: &Vec3) -> Side {
        Side(normal.map(|c| (c * Side::PARTS).round() as i8).into())
    }

    /// Of unit length within a hundredth.
    fn direction(self) -> Vec3 {
        Vec3::from(self.0.map(f64::from)) / Side::PARTS
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
const VERTEX: u32 = 0;
const EDGE: u32 = 1;
const TRIANGLE: u32 = 2;
/// Features that may touch an analytic collider have numbers of their own.
const WALL: u32 = 3;

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

    /// The features of a pair by kind, that of the other object first; none for an analytic
    /// collider.
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

/// A force on the first object of a contact \[N\], per pair of primitives that it stands for: two
/// triangles that meet a vertex become one edge, and one triangle and its edge again. It aims
/// iterations, which correct it, so single precision will do.
pub(super) type Forecast = [f32; 3];

/// What a contact keeps between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kept {
    /// Trajectory from the anchor \[m\]. At most ε long, so single precision rounds it by less than
    /// 1e-7 ε, which a resting contact does not add up: it keeps what it had.
    slip: [f32; 3],
    pub force: Forecast,
}

impl Kept {
    pub fn new(slip: &Vec3, force: Forecast) -> Kept {
        Kept { slip: slip.map(|c| c as f32).into(), force }
    }

    /// Trajectory from the anchor \[m\].
    pub fn slip(&self) -> Vec3 {
        Vec3::from(self.slip.map(f64::from))
    }
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
        Kept { slip: self.slip.map(|c| -c), force: self.force.turned() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry<V> {
    key: AnchorKey,
    side: Side,
    value: V,
}

impl<V> Entry<V> {
    fn new(contact: &Contact, value: V) -> Entry<V> {
        Entry { key: contact.key, side: Side::of(&contact.normal), value }
    }

    /// Cosine of the angle between the normals, within a hundredth.
    fn likeness(&self, normal: &Vec3) -> f64 {
        self.side.direction().dot(normal)
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
    /// What a contact left in this place: that of the same pair; else that of the same primitive on
    /// the same object whose normal is nearest, among the entries that may hand theirs on.
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
        let keys = |e: &Entry<Kept>| [e.key.primitive.0, e.key.other, e.key.feature.0].map(u64::from);
        saved.keys.insert("anchors".to_owned(), self.entries.iter().flat_map(keys).collect());
        let wide = |v: [f32; 3]| Vec3::from(v.map(f64::from));
        let three = |e: &Entry<Kept>| [e.side.direction(), e.value.slip(), wide(e.value.force)];
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
            let part = |k: usize| u32::try_from(key[k]).map_err(|_| wrong());
            let (primitive, other, feature) = (Label(part(0)?), part(1)?, Label(part(2)?));
            let value = Kept::new(&vectors[1], vectors[2].map(|c| c as f32).into());
            let side = Side::of(&vectors[0]);
            Ok(Entry { key: AnchorKey { primitive, other, feature }, side, value })
        };
        let entries =
            keys.chunks_exact(3).zip(vectors.chunks_exact(3)).map(entry).collect::<Result<_, _>>()?;
        Ok(Memory { entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(kind: u32, number: u32) -> Label {
        Label::new(kind, number)
    }

    fn entry(primitive: Label, other: u32, feature: Label, normal: Vec3, slip: f64) -> Entry<Kept> {
        let value = Kept::new(&(Vec3::x() * slip), [0.5, 0.0, slip as f32]);
        Entry { key: AnchorKey { primitive, other, feature }, side: Side::of(&normal), value }
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
            memory.value(memory.recall((&key, 0, normal), |_| true)).map_or(0.0, |kept| kept.slip().x)
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
    fn entries_are_small_and_labels_keep_kind_and_number() {
        assert_eq!([size_of::<Entry<Kept>>(), size_of::<Entry<Forecast>>()], [40, 28]);
        for (kind, number) in [(VERTEX, 0), (EDGE, (1 << DIGITS) - 1), (WALL, 70_003)] {
            let label = Label::new(kind, number);
            assert_eq!((label.kind(), label.number()), (kind, number));
        }
        assert!(Label::new(VERTEX, (1 << DIGITS) - 1) < Label::new(EDGE, 0), "kinds stay together");
    }

    #[test]
    fn a_side_is_its_normal_within_a_hundredth_and_turns_with_it() {
        let mut random = stiction_numerics::Random::new(7);
        for _ in 0..100 {
            let normal = random.unit_vector();
            assert!((Side::of(&normal).direction() - normal).amax() < 0.5 / Side::PARTS + 1e-12);
            assert_eq!(Side::of(&-normal).0, Side::of(&normal).0.map(|c| -c));
            assert_eq!(Side::of(&Side::of(&normal).direction()), Side::of(&normal));
        }
    }

    #[test]
    fn what_is_saved_comes_back() {
        let aslant = Vec3::new(0.36, 0.48, -0.8);
        let entries = vec![entry(labelled(EDGE, 70_003), 1, labelled(EDGE, 4), aslant, 1e-6)];
        let memory = Memory { entries };
        let mut saved = SavedState::new(1);
        memory.save(&mut saved);
        assert_eq!(Memory::restore(&saved).expect("its own state"), memory);
        saved.keys.insert("anchors".to_owned(), vec![1, 2]);
        assert!(Memory::restore(&saved).is_err());
    }
}
