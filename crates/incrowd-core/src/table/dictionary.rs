//! The distinct values of a column, numbered.

use super::slots::Slots;
use super::{Cell, ValueCode};
use hashbrown::DefaultHashBuilder;
use std::hash::{BuildHasher, Hasher};

/// Text to code and back. Codes count up from 0 in order of appearance.
///
/// ```
/// use incrowd_core::table::{Dictionary, ValueCode};
/// let mut dictionary = Dictionary::default();
/// assert_eq!(dictionary.encode("Male"), ValueCode(0));
/// assert_eq!(dictionary.encode("Female"), ValueCode(1));
/// assert_eq!(dictionary.encode("Male"), ValueCode(0));
/// assert_eq!(dictionary.text(ValueCode(1)), "Female");
/// ```
#[derive(Debug, Default, Clone)]
pub struct Dictionary {
    /// All values end to end.
    text: String,
    /// Where value `code` ends in `text`.
    ends: Vec<usize>,
    /// The key of each value, which is enough to compare all but the longest without reading `text`.
    keys: Vec<Key>,
    codes: Slots,
    hasher: DefaultHashBuilder,
}

/// What is hashed and compared in place of a value.
///
/// Every cell of a table is looked up twice, and nearly all values are short: two numbers of 16 bytes are hashed and
/// compared in a fraction of the time that as many bytes take, and whatever the length, so that the processor need not
/// guess it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    /// The first bytes.
    start: u128,
    /// Those after them, and in the last byte how many there are in all.
    rest: u128,
}

impl Key {
    /// The last byte of the key of a value that does not fit: more than any length that fits.
    const LONG: u128 = (u8::MAX as u128) << 120;

    /// The longest value that fits together with its length.
    const FITS: usize = 31;

    /// So many bytes of a key.
    const MASKS: [[u128; 2]; Key::FITS + 1] = {
        let mut masks = [[0; 2]; Key::FITS + 1];
        let mut length = 0;
        while length <= Key::FITS {
            masks[length] = match length {
                0..16 => [(1 << (8 * length)) - 1, 0],
                _ => [u128::MAX, (1 << (8 * (length - 16))) - 1],
            };
            length += 1;
        }
        masks
    };

    /// Up to 31 bytes and their number. For a longer value, its hash, which other values may share.
    fn of(value: &[u8], hasher: &DefaultHashBuilder) -> Key {
        let mut bytes = [0; 32];
        match bytes.get_mut(..value.len()) {
            Some(start) if value.len() <= Key::FITS => {
                start.copy_from_slice(value);
                Key::of_bytes(&bytes, value.len())
            }
            _ => Key {
                start: hasher.hash_one(value).into(),
                rest: Key::LONG,
            },
        }
    }

    /// Of so many bytes, whatever follows them.
    #[inline(always)]
    fn of_bytes(bytes: &[u8; 32], length: usize) -> Key {
        let (halves, _) = bytes.as_chunks();
        let [start, rest] = Key::MASKS[length];
        Key {
            start: u128::from_le_bytes(halves[0]) & start,
            rest: u128::from_le_bytes(halves[1]) & rest | (length as u128) << 120,
        }
    }

    /// The same for a cell, without a call to copy its bytes if others follow it.
    #[inline(always)] // every cell of a table is looked up twice
    fn of_cell(cell: Cell<'_>, hasher: &DefaultHashBuilder) -> Key {
        let length = cell.value().len();
        match cell.onward().first_chunk() {
            Some(bytes) if length <= Key::FITS => Key::of_bytes(bytes, length),
            _ => Key::of(cell.value(), hasher),
        }
    }

    #[inline]
    fn is_long(self) -> bool {
        self.rest >= Key::LONG
    }

    /// Comparing numbers this way keeps them in registers.
    #[inline(always)]
    fn is(self, other: Key) -> bool {
        (self.start ^ other.start) | (self.rest ^ other.rest) == 0
    }

    #[inline(always)]
    fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        let mut state = hasher.build_hasher();
        state.write_u128(self.start);
        state.write_u128(self.rest);
        state.finish()
    }
}

impl Dictionary {
    /// The code of `value`, a new one on first sight.
    pub fn encode(&mut self, value: &str) -> ValueCode {
        match self.lookup(value.as_bytes()) {
            Some(code) => code,
            None => self.insert(value),
        }
    }

    /// The code of a value seen before.
    pub fn lookup(&self, value: &[u8]) -> Option<ValueCode> {
        self.find(Key::of(value, &self.hasher), value)
    }

    /// The same for the first bytes of a text, so many of them; in less time than for these bytes alone if others follow.
    ///
    /// # Panics
    /// If the text is shorter.
    #[inline]
    pub fn lookup_start(&self, text: &[u8], length: usize) -> Option<ValueCode> {
        self.lookup_cell(Cell::new(text, length))
    }

    /// The same for a cell.
    #[inline(always)] // every cell of a table is looked up twice
    pub(crate) fn lookup_cell(&self, cell: Cell<'_>) -> Option<ValueCode> {
        self.find(Key::of_cell(cell, &self.hasher), cell.value())
    }

    #[inline(always)]
    fn find(&self, key: Key, value: &[u8]) -> Option<ValueCode> {
        let hash = key.hash(&self.hasher);
        let first = self.codes.first(hash);
        let is_first = self.keys.get(first as usize);
        let is_first = is_first.is_some_and(|known| known.is(key));
        match is_first && !key.is_long() {
            true => Some(ValueCode(first)),
            false => self.find_further(hash, key, value),
        }
    }

    /// The same for a value that is long, or not the first that is looked at.
    #[inline(never)]
    fn find_further(&self, hash: u64, key: Key, value: &[u8]) -> Option<ValueCode> {
        let found = self.codes.find(hash, |code| {
            self.keys[code as usize].is(key)
                && (!key.is_long() || self.text(ValueCode(code)).as_bytes() == value)
        });
        found.map(ValueCode)
    }

    fn insert(&mut self, value: &str) -> ValueCode {
        let (keys, hasher) = (&self.keys, &self.hasher);
        let key = Key::of(value.as_bytes(), hasher);
        let code = self
            .codes
            .push(key.hash(hasher), |other| keys[other as usize].hash(hasher));
        self.keys.push(key);
        self.text.push_str(value);
        self.ends.push(self.text.len());
        ValueCode(code)
    }

    /// The value of `code`.
    #[inline]
    pub fn text(&self, code: ValueCode) -> &str {
        slice(&self.text, &self.ends, code)
    }

    /// The number of distinct values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of all values.
    pub(crate) fn byte_len(&self) -> usize {
        self.text.len()
    }

    /// Whether no value was seen.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The values in the order of their codes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len() as u32).map(|code| self.text(ValueCode(code)))
    }
}

/// The values in the order of their codes.
#[cfg(feature = "serde")]
impl serde::Serialize for Dictionary {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[inline]
fn slice<'a>(text: &'a str, ends: &[usize], code: ValueCode) -> &'a str {
    let at = code.index();
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &text[start..ends[at]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::RowBatch;

    #[test]
    fn values_of_every_length_are_told_apart() {
        let mut dictionary = Dictionary::default();
        let mut values = vec![String::new()];
        for length in 1..40 {
            values.push("\0".repeat(length));
            for place in 0..length {
                let mut value = "a".repeat(length);
                value.replace_range(place..=place, "b");
                values.push(value);
            }
        }
        for (code, value) in (0..).map(ValueCode).zip(&values) {
            assert_eq!(dictionary.lookup(value.as_bytes()), None);
            assert_eq!(dictionary.encode(value), code);
        }
        for (code, value) in (0..).map(ValueCode).zip(&values) {
            assert_eq!(dictionary.lookup(value.as_bytes()), Some(code));
            assert_eq!(dictionary.text(code), value);
        }
        let mut batch = RowBatch::new(1);
        values
            .iter()
            .for_each(|value| batch.push_cell(value.as_bytes()));
        for (row, value) in values.iter().enumerate() {
            let cell = batch.cell_in_text(row, 0);
            assert_eq!(cell.value(), value.as_bytes());
            assert_eq!(dictionary.lookup_cell(cell), Some(ValueCode(row as u32)));
            let onward = [value.as_bytes(), b"and more text than fits a key"].concat();
            for text in [value.as_bytes(), &onward] {
                let code = dictionary.lookup_start(text, value.len());
                assert_eq!(code, Some(ValueCode(row as u32)));
            }
        }
    }

    #[test]
    fn a_long_value_is_not_mistaken_for_another_with_the_same_key() {
        let mut dictionary = Dictionary::default();
        let (one, other) = (
            "a value of more than thirty letters",
            "another value of more than that many",
        );
        dictionary.encode(one);
        let key = Key::of(one.as_bytes(), &dictionary.hasher);
        assert_eq!(dictionary.find(key, one.as_bytes()), Some(ValueCode(0)));
        assert_eq!(dictionary.find(key, other.as_bytes()), None);
    }
}
