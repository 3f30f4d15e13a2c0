//! Tree order by recursive median split.

use super::{Box32, Extent, LEAF};

/// Elements below which one thread builds a subtree.
const SEQUENTIAL: usize = 8192;

/// Number and doubled centre of an element; a point to be split off.
#[derive(Clone, Copy)]
struct Item {
    centre: [f32; 3],
    element: u32,
}

/// Elements in tree order.
pub(super) fn median_order(boxes: &[Box32]) -> Vec<u32> {
    let item = |(element, b): (usize, &Box32)| {
        let centre = std::array::from_fn(|k| b.lo[k] + b.hi[k]);
        Item { centre, element: element as u32 }
    };
    let mut items: Vec<Item> = boxes.iter().enumerate().map(item).collect();
    split(&mut items);
    // By reference: a list made of the items themselves would keep their memory, four times its
    // own.
    items.iter().map(|item| item.element).collect()
}

/// Puts the lower half along the widest axis first, then both halves likewise. Ties go by element
/// number, so the order is total and the result does not depend on threads or on the selection
/// algorithm's pivots.
fn split(items: &mut [Item]) {
    let leaves = items.len().div_ceil(LEAF);
    if leaves <= 1 {
        items.sort_unstable_by_key(|item| item.element);
        return;
    }
    let axis = widest_axis(items);
    let middle = leaves.div_ceil(2) * LEAF;
    let key = |a: &Item, b: &Item| {
        a.centre[axis].total_cmp(&b.centre[axis]).then_with(|| a.element.cmp(&b.element))
    };
    items.select_nth_unstable_by(middle, key);
    let (left, right) = items.split_at_mut(middle);
    if left.len() > SEQUENTIAL {
        rayon::join(|| split(left), || split(right));
    } else {
        split(left);
        split(right);
    }
}

fn widest_axis(items: &[Item]) -> usize {
    let mut bounds = Box32::EMPTY;
    for item in items {
        bounds = bounds.union(&Box32 { lo: item.centre, hi: item.centre });
    }
    let width = |k: usize| bounds.hi[k] - bounds.lo[k];
    (1..3).fold(0, |best, k| if width(k) > width(best) { k } else { best })
}
