//! What contacts and joints keep from step to step.

use crate::saved::{RestoreError, SavedState};
use stiction_numerics::Vec3;

/// A pair of pieces that touched.
#[derive(Clone, Debug, PartialEq)]
pub struct PairMemory {
    /// Numbers of both pieces.
    pub key: [u32; 2],
    /// Stiffness of the whole pair \[N/m\].
    pub stiffness: f64,
    /// Normal force in the last step and in the one before \[N\].
    pub loads: [f64; 2],
    /// Steps that it has lasted.
    pub age: u32,
    /// Its points.
    pub points: Vec<PointMemory>,
}

/// A contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMemory {
    /// Which features it came from.
    pub id: u32,
    /// Its place in the frame of the first piece's owner \[m\].
    pub place: Vec3,
    /// Tangential force on the first body \[N\]. The force is kept, not the slip: it survives a
    /// change of stiffness or of the number of points.
    pub held: Vec3,
}

/// A joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointMemory {
    /// Stiffness \[N/m\]; 0 before the first step.
    pub stiffness: f64,
    /// Force in the last step and in the one before \[N\].
    pub loads: [f64; 2],
    /// Angle of a hinge, continued over full turns \[rad\].
    pub angle: f64,
    /// Force or torque of friction that was held at the end.
    pub held: Vec3,
}

/// All that `descent` remembers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Pairs in the order of their keys.
    pub pairs: Vec<PairMemory>,
    /// Joints in the order of the model.
    pub joints: Vec<JointMemory>,
}

/// Layout of what is saved.
const VERSION: u32 = 1;

impl Memory {
    /// Nothing remembered, for so many joints.
    pub fn new(joints: usize) -> Memory {
        Memory { pairs: Vec::new(), joints: vec![JointMemory::default(); joints] }
    }

    /// The pair of a key.
    pub fn pair(&self, key: [u32; 2]) -> Option<&PairMemory> {
        let place = self.pairs.binary_search_by_key(&key, |pair| pair.key).ok()?;
        Some(&self.pairs[place])
    }

    /// As named arrays.
    pub fn save(&self) -> SavedState {
        let mut saved = SavedState::new(VERSION);
        let mut keys = Vec::new();
        let mut numbers = Vec::new();
        for pair in &self.pairs {
            let ids = pair.points.iter().map(|p| u64::from(p.id));
            keys.extend(pair.key.map(u64::from));
            keys.extend([u64::from(pair.age), pair.points.len() as u64]);
            keys.extend(ids);
            numbers.extend([pair.stiffness, pair.loads[0], pair.loads[1]]);
            numbers.extend(pair.points.iter().flat_map(|p| p.place.iter().chain(&p.held).copied()));
        }
        saved.keys.insert("pairs".to_owned(), keys);
        saved.numbers.insert("pairs".to_owned(), numbers);
        let of_joint =
            |j: &JointMemory| [j.stiffness, j.loads[0], j.loads[1], j.angle, j.held.x, j.held.y, j.held.z];
        saved.numbers.insert("joints".to_owned(), self.joints.iter().flat_map(of_joint).collect());
        saved
    }

    /// Takes back what [`Memory::save`] gave, for so many joints.
    pub fn restore(saved: &SavedState, joints: usize) -> Result<Memory, RestoreError> {
        saved.expect_version(VERSION)?;
        let wrong = |name: &str| RestoreError::Array { name: name.to_owned() };
        let flat = saved.numbers("joints")?;
        if flat.len() != 7 * joints {
            return Err(wrong("joints"));
        }
        let joint = |c: &[f64]| JointMemory {
            stiffness: c[0],
            loads: [c[1], c[2]],
            angle: c[3],
            held: Vec3::new(c[4], c[5], c[6]),
        };
        let pairs =
            read_pairs(saved.keys("pairs")?, saved.numbers("pairs")?).ok_or_else(|| wrong("pairs"))?;
        Ok(Memory { pairs, joints: flat.chunks_exact(7).map(joint).collect() })
    }
}

/// Pairs from their flat arrays; `None` where these do not fit each other.
fn read_pairs(mut keys: &[u64], mut numbers: &[f64]) -> Option<Vec<PairMemory>> {
    let mut pairs: Vec<PairMemory> = Vec::new();
    while !keys.is_empty() {
        let (head, rest) = keys.split_at_checked(4)?;
        let small = |k: u64| u32::try_from(k).ok();
        let (ids, rest) = rest.split_at_checked(usize::try_from(head[3]).ok()?)?;
        let (values, others) = numbers.split_at_checked(ids.len().checked_mul(6)?.checked_add(3)?)?;
        let point = |(&id, c): (&u64, &[f64])| {
            let vector = |k: usize| Vec3::from_column_slice(&c[k..k + 3]);
            Some(PointMemory { id: small(id)?, place: vector(0), held: vector(3) })
        };
        let key = [small(head[0])?, small(head[1])?];
        if pairs.last().is_some_and(|last| last.key >= key) {
            return None;
        }
        pairs.push(PairMemory {
            key,
            stiffness: values[0],
            loads: [values[1], values[2]],
            age: small(head[2])?,
            points: ids.iter().zip(values[3..].chunks_exact(6)).map(point).collect::<Option<_>>()?,
        });
        (keys, numbers) = (rest, others);
    }
    numbers.is_empty().then_some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_and_damage_is_noticed() {
        let point = |id| PointMemory { id, place: Vec3::new(1.0, 2.0, id.into()), held: Vec3::x() };
        let pair = |k, points| PairMemory { key: [k, 9], stiffness: 3.0, loads: [1.0, 2.0], age: 4, points };
        let joint = JointMemory { stiffness: 1.0, loads: [2.0, 3.0], angle: 7.0, held: Vec3::y() };
        let pairs = vec![pair(1, vec![point(5), point(6)]), pair(3, vec![])];
        let memory = Memory { pairs, joints: vec![joint] };
        let saved = memory.save();
        assert_eq!(Memory::restore(&saved, 1), Ok(memory));
        assert!(Memory::restore(&saved, 2).is_err());
        let mut cut = saved.clone();
        cut.numbers.get_mut("pairs").expect("there").pop();
        assert!(Memory::restore(&cut, 1).is_err());
        let mut huge = saved;
        huge.keys.get_mut("pairs").expect("there")[3] = u64::MAX;
        assert!(Memory::restore(&huge, 1).is_err());
    }
}
