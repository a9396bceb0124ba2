//! What one pass over a table keeps for the next.

use crate::fingerprint::ColumnHasher;
use incrowd_core::table::{CodedColumn, ValueList};
use std::ops::Range;
use std::sync::Arc;

/// A column whose texts all have a number, as a whole pass has met it.
///
/// A table in memory takes more time to look at than to count, since every text has to be recognized. This takes a byte or two
/// for each cell, and a second pass publishes the very cells that the first has counted, whatever others do to the memory.
#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) texts: Arc<ValueList>,
    pub(super) numbers: Numbers,
    /// Has hashed the whole column.
    pub(super) hasher: ColumnHasher,
}

impl Remembered {
    /// Some rows of the column.
    pub(super) fn coded(&self, rows: Range<usize>) -> CodedColumn {
        let codes = match &self.numbers {
            Numbers::Narrow(numbers) => numbers[rows].iter().map(|&it| it.into()).collect(),
            Numbers::Wide(numbers) => numbers[rows].iter().map(|&it| it.into()).collect(),
        };
        CodedColumn {
            values: Arc::clone(&self.texts),
            codes,
        }
    }
}

/// The number of the text of each row.
#[derive(Debug)]
pub(super) enum Numbers {
    /// Below 256.
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Numbers {
    /// Room for so many rows, of which there are none yet; none if there is too little memory.
    pub(super) fn with_room(rows: usize) -> Option<Numbers> {
        Some(Numbers::Narrow(room(rows)?))
    }

    /// The same with more rows, none of which has a number above `greatest`; none if that is too great, as where a text has no
    /// number, or if there is too little memory.
    pub(super) fn with(mut self, rows: &[u32], greatest: u32) -> Option<Numbers> {
        u16::try_from(greatest).ok()?;
        if let Numbers::Narrow(narrow) = &self
            && greatest > u32::from(u8::MAX)
        {
            let mut wide = room(narrow.capacity())?;
            wide.extend(narrow.iter().copied().map(u16::from));
            self = Numbers::Wide(wide);
        }
        match &mut self {
            Numbers::Narrow(numbers) => numbers.extend(rows.iter().map(|&it| it as u8)),
            Numbers::Wide(numbers) => numbers.extend(rows.iter().map(|&it| it as u16)),
        }
        Some(self)
    }
}

/// What is left out costs time only, so too little memory is no error.
fn room<T>(rows: usize) -> Option<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(rows).ok()?;
    Some(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_however_large_they_grow() {
        for most in [1, 255, 256, 16_000, 65_535] {
            let all: Vec<u32> = (0..2000).map(|row| row * row % (most + 1)).collect();
            let numbers = all
                .chunks(300)
                .fold(Numbers::with_room(all.len()).unwrap(), |numbers, part| {
                    numbers.with(part, most).unwrap()
                });
            let remembered = Remembered {
                texts: Arc::default(),
                numbers,
                hasher: ColumnHasher::default(),
            };
            for rows in [0..all.len(), 7..7, 299..1501] {
                assert_eq!(remembered.coded(rows.clone()).codes, all[rows]);
            }
            assert!(matches!(remembered.numbers, Numbers::Narrow(_)) == (most < 256));
        }
        for without in [65_536, crate::numbered::WITHOUT_NUMBER] {
            let numbers = Numbers::with_room(2).unwrap();
            assert!(numbers.with(&[3, without], without).is_none());
        }
        assert!(Numbers::with_room(usize::MAX).is_none());
    }
}
