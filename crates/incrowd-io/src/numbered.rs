//! The texts of a column, numbered as far as that is worth it.

use incrowd_core::table::Dictionary;

/// Texts of a column that have a number: as many as two bytes can say.
pub(crate) const MOST_NUMBERED: usize = (1 << 14) - 1;

/// Longer texts have no number.
const LONGEST_NUMBERED: usize = 255;

/// Texts of a column by the order of their first appearance. Only so many have a number, and only short ones, so that this
/// stays small whatever the column holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbered {
    texts: Dictionary,
}

/// In place of the number of a text that has none.
pub(crate) const WITHOUT_NUMBER: u32 = u32::MAX;

/// Bytes that are not UTF-8.
#[derive(Debug)]
pub(crate) struct NotUtf8;

/// The next number, for a text that appears for the first time, if it gets one; so many were given out.
pub(crate) fn next_number(text: &[u8], numbered: usize) -> Option<u32> {
    let has_number = numbered < MOST_NUMBERED && text.len() <= LONGEST_NUMBERED;
    has_number.then_some(numbered as u32)
}

impl Numbered {
    /// The number of a text, a new one on first sight; or [`WITHOUT_NUMBER`]. What has a number is known to be UTF-8.
    pub(crate) fn number(&mut self, text: &[u8]) -> Result<u32, NotUtf8> {
        if let Some(code) = self.texts.lookup(text) {
            return Ok(code.0);
        }
        let valid = std::str::from_utf8(text).map_err(|_| NotUtf8)?;
        match next_number(text, self.texts.len()) {
            Some(_) => Ok(self.texts.encode(valid).0),
            None => Ok(WITHOUT_NUMBER),
        }
    }

    /// The text of a number.
    #[cfg(feature = "arrow")]
    pub(crate) fn text(&self, number: u32) -> &[u8] {
        self.texts
            .text(incrowd_core::table::ValueCode(number))
            .as_bytes()
    }

    /// How many texts have a number.
    #[cfg(feature = "arrow")]
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}
