//! Where tuples go that memory has no room for.

use std::fmt;
use std::sync::Arc;

/// Holds words outside memory, in numbered parts. Nothing of it may outlive the process.
///
/// The core opens no file, so whoever counts provides it.
pub trait Overflow: fmt::Debug + Send + Sync {
    /// Adds words to those of a part.
    fn append(&self, part: usize, words: &[u64]) -> Result<(), NotHeld>;

    /// All words of a part, in the order in which they were added.
    fn read(&self, part: usize) -> Result<Vec<u64>, NotHeld>;

    /// Another one of its kind, empty.
    fn another(&self) -> Result<Box<dyn Overflow>, NotHeld>;

    /// An empty list, for numbers that are read where they are instead of being brought back.
    fn list(&self) -> Result<Box<dyn ListOutside>, NotHeld>;
}

/// A list that is written outside memory. Its numbers are all words, or all halves of words.
pub trait ListOutside: fmt::Debug + Send {
    /// Adds words.
    fn add_words(&mut self, words: &[u64]) -> Result<(), NotHeld>;

    /// Adds halves of words.
    fn add_halves(&mut self, halves: &[u32]) -> Result<(), NotHeld>;

    /// Ends the list.
    fn end(self: Box<Self>) -> Result<Arc<dyn NumbersOutside>, NotHeld>;
}

/// The numbers of a list outside memory, of the kind that was written.
pub trait NumbersOutside: fmt::Debug + Send + Sync {
    /// The words.
    fn words(&self) -> &[u64];

    /// The halves of words.
    fn halves(&self) -> &[u32];
}

/// Words could not be held, or not be read again: why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotHeld(pub String);

impl From<NotHeld> for crate::Error {
    fn from(NotHeld(why): NotHeld) -> Self {
        crate::Error::TuplesNotHeld { why }
    }
}
