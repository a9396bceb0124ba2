//! Rows of a release that occur many times, each recoded once.

use super::{PublishedRows, Recoder, SuppressedRows};
use crate::Error;
use crate::table::{CodedColumn, RowBatch};

/// Different rows as they are published, to be [repeated](RecodedOnce::repeat) as often and in whatever order they occur. Only a
/// [`Recoder`] makes them. Their columns have the texts of published rows and no others, so that a writer may take all of them.
#[derive(Debug)]
pub struct RecodedOnce {
    /// In coded columns.
    published: PublishedRows,
    /// Where each raw row is among those published, or [`LEFT_OUT`].
    places: Vec<u32>,
}

/// The place of a row that is not published.
const LEFT_OUT: u32 = u32::MAX;

impl Recoder {
    /// Recodes rows of which each stands for any number of equal ones, all of one class; they are not part of the tally. None if
    /// they are published as text: if `raw` is text, or suppressed rows are published as `*`.
    ///
    /// # Panics
    /// If there are 2³² rows or more.
    pub fn recode_once(&self, raw: &RowBatch) -> Result<Option<RecodedOnce>, Error> {
        if self.plan.suppressed_rows != SuppressedRows::Drop || raw.coded(0).is_none() {
            return Ok(None);
        }
        assert!(
            raw.rows() <= LEFT_OUT as usize,
            "no more rows than a table has"
        );
        let (mut recoder, mut published) = (self.clone(), PublishedRows::default());
        recoder.recode(raw, &mut published)?;
        let mut places = vec![LEFT_OUT; raw.rows()];
        for (place, &(row, _)) in (0..).zip(&recoder.block.published) {
            places[row] = place;
        }
        let PublishedRows(rows) = &mut published;
        let columns = (0..rows.columns()).filter_map(|column| rows.coded(column));
        let columns = columns.map(CodedColumn::with_used_only);
        rows.set_coded(columns.collect());
        Ok(Some(RecodedOnce { published, places }))
    }
}

impl RecodedOnce {
    /// How many rows are published if there are so many of each raw row.
    pub fn rows(&self, sizes: &[u32]) -> u64 {
        let rows = self.places.iter().zip(sizes);
        let published = rows.filter(|&(&place, _)| place != LEFT_OUT);
        published.map(|(_, &size)| u64::from(size)).sum()
    }

    /// Replaces `repeated` by the published ones among these raw rows, given by number in some pieces, in their order.
    ///
    /// # Panics
    /// If there is no row of such a number.
    pub fn repeat(
        &self,
        pieces: impl IntoIterator<Item = impl Iterator<Item = u32>>,
        repeated: &mut PublishedRows,
    ) {
        // Column after column is looked up, so these are gathered once.
        let mut places = Vec::new();
        for numbers in pieces {
            let of_rows = numbers.map(|number| self.places[number as usize]);
            places.extend(of_rows.filter(|&place| place != LEFT_OUT));
        }
        let PublishedRows(once) = &self.published;
        if repeated.0.columns() != once.columns() {
            repeated.0 = RowBatch::new(once.columns());
        }
        repeated.0.clear(0);
        let columns = (0..once.columns()).filter_map(|column| once.coded(column));
        let lists = columns.clone().map(|coded| coded.values.clone());
        repeated.0.begin_coded(places.len(), lists);
        for (column, coded) in columns.enumerate() {
            let codes = places.iter().map(|&place| coded.codes[place as usize]);
            repeated.0.push_codes(column, codes);
        }
    }
}
