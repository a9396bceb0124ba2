//! Lists of numbers that are in memory, or outside of it.

use super::{ListOutside, NotHeld, NumbersOutside, Overflow};
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

    /// Adds numbers to a list outside memory.
    fn write(numbers: &[Self], to: &mut dyn ListOutside) -> Result<(), NotHeld>;
}

impl Listed for u64 {
    fn read(outside: &dyn NumbersOutside) -> &[u64] {
        outside.words()
    }

    fn write(numbers: &[u64], to: &mut dyn ListOutside) -> Result<(), NotHeld> {
        to.add_words(numbers)
    }
}

impl Listed for u32 {
    fn read(outside: &dyn NumbersOutside) -> &[u32] {
        outside.halves()
    }

    fn write(numbers: &[u32], to: &mut dyn ListOutside) -> Result<(), NotHeld> {
        to.add_halves(numbers)
    }
}

impl<T: Listed> List<T> {
    /// A copy outside memory.
    pub(super) fn copy_to(&self, overflow: &dyn Overflow) -> Result<List<T>, NotHeld> {
        let mut list = overflow.list()?;
        T::write(self, &mut *list)?;
        Ok(List::Outside(list.end()?))
    }

    /// No numbers, in memory, so that others can be added.
    pub(crate) fn emptied(&mut self) -> &mut Vec<T> {
        match self {
            List::Memory(numbers) => numbers.clear(),
            List::Outside(_) => *self = List::default(),
        }
        self.in_memory()
    }

    /// Frees memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        if let List::Memory(numbers) = self {
            numbers.shrink_to_fit();
        }
    }

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
