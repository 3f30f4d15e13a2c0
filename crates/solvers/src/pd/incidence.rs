//! Which corners of elements meet at a node: Dᵀ as a plain sum of corner forces.

use stiction_numerics::Vec3;

/// Slots of corner forces by node, ascending.
#[derive(Debug, Default)]
pub struct ElementIncidence {
    starts: Vec<u32>,
    slots: Vec<u32>,
}

impl ElementIncidence {
    /// `node(slot)` names the node of every slot.
    pub fn new(nodes: usize, slots: usize, node: impl Fn(usize) -> u32) -> ElementIncidence {
        if slots == 0 {
            return ElementIncidence::default();
        }
        let mut starts = vec![0u32; nodes + 1];
        (0..slots).for_each(|slot| starts[node(slot) as usize + 1] += 1);
        (0..nodes).for_each(|n| starts[n + 1] += starts[n]);
        let (mut next, mut sorted) = (starts.clone(), vec![0u32; slots]);
        for slot in 0..slots {
            let place = &mut next[node(slot) as usize];
            sorted[*place as usize] = slot as u32;
            *place += 1;
        }
        ElementIncidence { starts, slots: sorted }
    }

    /// Sum of the values in the slots of a node, in ascending order.
    #[inline]
    pub fn sum(&self, node: usize, values: &[Vec3]) -> Vec3 {
        let Some(&[first, last]) = self.starts.get(node..node + 2) else { return Vec3::zeros() };
        let mut sum = Vec3::zeros();
        for &slot in &self.slots[first as usize..last as usize] {
            sum += values[slot as usize];
        }
        sum
    }
}
