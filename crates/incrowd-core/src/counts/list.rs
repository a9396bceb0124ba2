//! Lists of numbers that are in memory, or outside of it.

use super::NumbersOutside;
use std::ops::Deref;
use std::sync::Arc;

/// A list that is in memory, unless an [`Overflow`](super::Overflow) holds it. It is read in the same way wherever it is.
#[derive(Debug, Clone)]
pub(crate) enum List<T> {
    Memory(Vec<T>),
    Outside(Arc<dyn NumbersOutside>),
}

/// A number that lists can consist of.
pub(crate) trait Listed: Copy + 'static {
    /// The numbers of a list outside memory.
    fn read(outside: &dyn NumbersOutside) -> &[Self];
}

impl Listed for u64 {
    fn read(outside: &dyn NumbersOutside) -> &[u64] {
        outside.words()
    }
}

impl Listed for u32 {
    fn read(outside: &dyn NumbersOutside) -> &[u32] {
        outside.halves()
    }
}

impl<T: Listed> List<T> {
    /// The numbers in memory, so that they can be changed.
    pub(crate) fn in_memory(&mut self) -> &mut Vec<T> {
        if let List::Outside(outside) = self {
            *self = List::Memory(T::read(&**outside).to_vec());
        }
        match self {
            List::Memory(numbers) => numbers,
            List::Outside(_) => unreachable!("it was brought back"),
        }
    }
}

impl<T: Listed> Deref for List<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match self {
            List::Memory(numbers) => numbers,
            List::Outside(outside) => T::read(&**outside),
        }
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List::Memory(Vec::new())
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(numbers: Vec<T>) -> Self {
        List::Memory(numbers)
    }
}

impl<T: Listed + PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Listed + Eq> Eq for List<T> {}
