//! Where tuples go that memory has no room for.

use std::fmt;

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
}

/// Words could not be held, or not be read again: why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotHeld(pub String);

impl From<NotHeld> for crate::Error {
    fn from(NotHeld(why): NotHeld) -> Self {
        crate::Error::TuplesNotHeld { why }
    }
}
