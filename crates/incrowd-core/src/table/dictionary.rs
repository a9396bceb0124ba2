//! The distinct values of a column, numbered.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Text to code and back. Codes count up from 0 in the order of first sight.
///
/// ```
/// use incrowd_core::table::Dictionary;
/// let mut dictionary = Dictionary::default();
/// assert_eq!(dictionary.encode("Male"), 0);
/// assert_eq!(dictionary.encode("Female"), 1);
/// assert_eq!(dictionary.encode("Male"), 0);
/// assert_eq!(dictionary.text(1), "Female");
/// ```
#[derive(Debug, Default, Clone)]
pub struct Dictionary {
    /// All values end to end.
    text: String,
    /// Where value `code` ends in `text`.
    ends: Vec<usize>,
    codes: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Dictionary {
    /// The code of `value`, a new one on first sight.
    #[inline]
    pub fn encode(&mut self, value: &str) -> u32 {
        match self.lookup(value.as_bytes()) {
            Some(code) => code,
            None => self.insert(value),
        }
    }

    /// The code of a value seen before.
    #[inline]
    pub fn lookup(&self, value: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(value);
        self.codes
            .find(hash, |&code| self.text(code).as_bytes() == value)
            .copied()
    }

    fn insert(&mut self, value: &str) -> u32 {
        let code = u32::try_from(self.ends.len()).expect("fewer than 2^32 rows, so fewer values");
        self.text.push_str(value);
        self.ends.push(self.text.len());
        let hash = self.hasher.hash_one(value.as_bytes());
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        self.codes.insert_unique(hash, code, |&other| {
            hasher.hash_one(slice(text, ends, other).as_bytes())
        });
        code
    }

    /// The value of `code`.
    #[inline]
    pub fn text(&self, code: u32) -> &str {
        slice(&self.text, &self.ends, code)
    }

    /// The number of distinct values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no value was seen.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The values in the order of their codes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len() as u32).map(|code| self.text(code))
    }
}

#[inline]
fn slice<'a>(text: &'a str, ends: &[usize], code: u32) -> &'a str {
    let at = code as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &text[start..ends[at]]
}
