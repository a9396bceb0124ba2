//! Counting where the rows are.

use super::RowCounter;
use crate::Error;

/// Holds the rows of a table and can count them: a file, a process, a database that groups by columns.
pub trait CountEngine {
    /// What may go wrong.
    type Error: From<Error>;

    /// The names of the table's columns, in their order.
    fn columns(&self) -> &[String];

    /// Adds every row to the counter: batch by batch with [`RowCounter::add`], or each distinct tuple of the
    /// [counted columns](RowCounter::names) once with [`RowCounter::count`].
    fn count(&mut self, counter: &mut RowCounter) -> Result<(), Self::Error>;
}
