//! The values of a column, numbered while rows are counted.

use super::Missing;
use crate::Error;
use crate::table::{Dictionary, Kind, ValueCode, parse_date, parse_number};

/// Where a value was met first if no row has it.
pub(super) const NO_ROW: u64 = u64::MAX;

/// The values of a column met so far.
#[derive(Debug, Clone)]
pub(super) struct CountingColumn {
    pub(super) name: String,
    /// Where it is in a row.
    pub(super) position: usize,
    pub(super) values: Dictionary,
    /// The first row with each value, from 1.
    pub(super) first_rows: Vec<u64>,
}

impl CountingColumn {
    pub(super) fn new(name: &str, position: usize) -> Self {
        CountingColumn {
            name: name.to_owned(),
            position,
            values: Dictionary::default(),
            first_rows: Vec::new(),
        }
    }

    /// The code of a value not seen before.
    #[cold]
    pub(super) fn encode_new(&mut self, value: &[u8], row: u64) -> Result<ValueCode, Error> {
        let text = std::str::from_utf8(value).map_err(|_| Error::NotUtf8 {
            column: self.name.clone(),
            row,
        })?;
        Ok(self.encode(text, row))
    }

    /// The code of a value that stands in a row.
    pub(super) fn encode(&mut self, value: &str, row: u64) -> ValueCode {
        let code = self.values.encode(value);
        match self.first_rows.get_mut(code.index()) {
            Some(first) => *first = row.min(*first),
            None => self.first_rows.push(row),
        }
        code
    }
}

/// The distinct values of a column in a fixed order.
pub(super) struct SortedValues<'a> {
    pub(super) kind: Kind,
    pub(super) values: Vec<&'a str>,
    /// The position of each code's value.
    pub(super) ranks: Vec<u32>,
}

impl<'a> SortedValues<'a> {
    pub(super) fn of(column: &'a CountingColumn, missing: &Missing) -> Self {
        let texts = column.values.iter().map(|text| missing.normalize(text));
        let texts: Vec<&str> = texts.collect();
        let kind = Kind::of(texts.iter().copied().filter(|text| !text.is_empty()));
        let mut codes: Vec<u32> = (0..texts.len() as u32).collect();
        let text = |code: &u32| texts[*code as usize];
        match kind {
            Kind::Number => codes.sort_by_cached_key(|code| (parse_number(text(code)), text(code))),
            Kind::Date => codes.sort_by_cached_key(|code| (parse_date(text(code)), text(code))),
            Kind::Text => codes.sort_unstable_by_key(text),
        }
        let mut values: Vec<&str> = Vec::with_capacity(texts.len());
        let mut ranks = vec![0; texts.len()];
        for code in codes {
            // Several texts may stand for a missing cell.
            if values.last() != Some(&text(&code)) {
                values.push(text(&code));
            }
            ranks[code as usize] = values.len() as u32 - 1;
        }
        SortedValues {
            kind,
            values,
            ranks,
        }
    }
}
