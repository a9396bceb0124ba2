//! What a table is to whoever reads it: rows that can be handed out as often as needed.

use crate::Error;
use crate::column_type::ColumnType;
use crate::fingerprint::Fingerprint;
use incrowd_core::table::RowBatch;

/// Hands out a table in batches, once, from its first row to its last.
pub trait RowReader {
    /// The names of the columns, all different, none empty.
    fn columns(&self) -> &[String];

    /// Fills `batch` with the next few thousand rows, about a megabyte; `false` and no rows at the end.
    ///
    /// Every cell is UTF-8. The batch takes on the number of columns of the table.
    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error>;

    /// How much of [`RowSource::bytes_total`] has been read, to show progress.
    fn bytes_read(&self) -> u64;

    /// SHA-256 of all bytes of the input, as they are stored.
    fn fingerprint(&mut self) -> Result<Fingerprint, Error>;

    /// What separates cells, given or detected; none where nothing does.
    fn delimiter(&self) -> Option<u8>;

    /// How each column is stored; none where everything is text.
    fn types(&self) -> Option<Vec<ColumnType>> {
        None
    }

    /// Whether, in the first rows, most cells of some column have white space around them that is taken as part of
    /// the value.
    fn has_padded_cells(&self) -> bool {
        false
    }
}

/// A table that can be read as often as needed: a file, a table in memory, whatever can hand out rows.
pub trait RowSource: std::fmt::Debug + Send + Sync {
    /// What to call it in messages.
    fn name(&self) -> String;

    /// How many bytes [`RowReader::bytes_read`] will reach, when that is known.
    fn bytes_total(&self) -> Option<u64>;

    /// Begins a pass over the rows.
    fn open(&self) -> Result<Box<dyn RowReader + Send>, Error>;
}
