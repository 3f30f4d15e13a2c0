//! The one unsafe corner: a slice that several threads write at places known to be disjoint.
//!
//! Colouring proves the disjointness (elements of one colour share no block), a fact that the
//! borrow checker cannot see. A safe alternative, private buffers per group and a later ordered
//! merge, moves every block twice.

#![allow(unsafe_code)]

use std::marker::PhantomData;

/// A mutable slice shared between threads; the caller promises that no index is used by two threads
/// at once.
pub(crate) struct DisjointSlice<'a, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: access goes through `at` only, whose contract rules out two references to one index;
// `T: Send` lets values be written from another thread than the owner's.
unsafe impl<T: Send> Sync for DisjointSlice<'_, T> {}

impl<'a, T> DisjointSlice<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// The element at `index`; panics out of bounds.
    ///
    /// # Safety
    /// While the reference lives, nobody may ask for the same index.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(crate) unsafe fn at(&self, index: usize) -> &mut T {
        assert!(index < self.len, "index {index} of a slice of {}", self.len);
        // SAFETY: in bounds by the assertion; the slice is mutably borrowed for 'a, so nobody else
        // holds it, and the caller promises that no other reference to this index lives.
        unsafe { &mut *self.start.add(index) }
    }
}
