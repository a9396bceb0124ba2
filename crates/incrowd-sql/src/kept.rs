//! The cells of columns that are published as they are and that no class counts.

use incrowd_core::table::RowBatch;
use incrowd_io::{Fingerprint, RowsHasher};

/// Takes the fingerprint of some columns of rows in any order, to compare the rows counted with those written.
pub(crate) struct KeptCells {
    places: Vec<usize>,
    hasher: RowsHasher,
}

impl KeptCells {
    /// Of these columns, in rows whose columns are `names`; none if there is nothing to compare, or a column is missing.
    pub(crate) fn of(kept: &[String], names: &[&str]) -> Option<KeptCells> {
        let places = kept
            .iter()
            .map(|name| names.iter().position(|it| it == name));
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        let hasher = RowsHasher::new(kept);
        (!places.is_empty()).then_some(KeptCells { places, hasher })
    }

    /// Adds a row that occurs so many times.
    pub(crate) fn add(&mut self, rows: &RowBatch, row: usize, times: u32) {
        let cells = self.places.iter().map(|&at| rows.cell(row, at));
        self.hasher.add(cells, times.into());
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.hasher.fingerprint()
    }

    /// Rows whose columns have these names from now on.
    pub(crate) fn in_rows_of(&mut self, kept: &[String], names: &[&str]) -> Option<()> {
        let places = kept
            .iter()
            .map(|name| names.iter().position(|it| it == name));
        self.places = places.collect::<Option<_>>()?;
        Some(())
    }
}
