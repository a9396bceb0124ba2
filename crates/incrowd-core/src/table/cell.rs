//! One cell where it stands.

/// A cell, and the text that follows it: with that, a lookup reads a fixed number of bytes whatever the length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    onward: &'a [u8],
    length: usize,
}

impl<'a> Cell<'a> {
    /// The first bytes of a text, so many of them.
    #[inline]
    pub(crate) fn new(onward: &'a [u8], length: usize) -> Self {
        Cell { onward, length }
    }

    /// The bytes of the cell.
    #[inline]
    pub(crate) fn value(self) -> &'a [u8] {
        &self.onward[..self.length]
    }

    /// The text from where the cell begins.
    #[inline]
    pub(crate) fn onward(self) -> &'a [u8] {
        self.onward
    }

    /// No text at all.
    pub(crate) const EMPTY: Cell<'static> = Cell {
        onward: &[],
        length: 0,
    };
}
