//! Pages of texts without a dictionary, read as if they had one.
//!
//! Many writers store columns so although few texts come again and again. Numbering them here takes one look-up for each
//! cell; everyone after that takes the texts once each. Columns of many different texts are left as they are.

use super::plain::{cut_short, take_text};
use super::texts::Texts;
use incrowd_core::table::Dictionary;
use parquet::errors::ParquetError;

/// A column of more texts than that is left as it is.
const MOST: usize = 1 << 15;

/// Whether it is worth it is asked every so many texts.
const SOME: usize = 1 << 12;

/// The texts of a column of a row group that were met so far, each once.
#[derive(Default)]
pub(super) struct DistinctTexts {
    known: Dictionary,
    recent: Recent,
    /// The texts as they were handed out last.
    handed_out: Option<Texts>,
    cells: usize,
    is_left: bool,
}

impl DistinctTexts {
    /// The texts of the column so far, and which of them each of at most `count` values of a page is; none if hardly any
    /// text comes again, or if one is no text at all.
    pub(super) fn read(
        &mut self,
        mut page: &[u8],
        count: usize,
    ) -> Result<Option<(Texts, Vec<u32>)>, ParquetError> {
        // The length of a text alone takes four bytes.
        let mut codes = Vec::with_capacity(count.min(page.len() / 4));
        while codes.len() < count && !page.is_empty() && !self.is_left {
            // After the length of the text.
            let onward = page.get(4..).unwrap_or_default();
            let text = take_text(&mut page).ok_or_else(cut_short)?;
            match self.recent.code(onward, text.len(), &self.known) {
                Some(code) => codes.push(code),
                // What is no text at all is left to others, who say so.
                None => match std::str::from_utf8(text) {
                    Ok(text) => codes.push(self.known.encode(text).0),
                    Err(_) => self.is_left = true,
                },
            }
            self.cells += 1;
            let texts = self.known.len();
            self.is_left |=
                texts > MOST || (self.cells.is_multiple_of(SOME) && 2 * texts > self.cells);
        }
        if self.is_left {
            *self = DistinctTexts {
                is_left: true,
                ..DistinctTexts::default()
            };
            return Ok(None);
        }
        let texts = match self.handed_out.take() {
            // Whoever knows the list need not learn it again.
            Some(texts) if texts.values() == self.known.len() => texts,
            _ => Texts::new(self.known.iter().collect()),
        };
        self.handed_out = Some(texts.clone());
        Ok(Some((texts, codes)))
    }
}

/// Short texts that were looked up not long ago, each where its bytes say. Most columns have few texts, nearly all of them short:
/// then one look here is all it takes.
#[derive(Default)]
struct Recent {
    /// The bytes of a text and how many there are, as one number; or [`NOTHING`].
    keys: Vec<u128>,
    codes: Vec<u32>,
}

/// More than the key of any text.
const NOTHING: u128 = u128::MAX;

/// As many as the nearest memory of a processor has room for, and more than most columns have texts.
const PLACES: usize = 1 << 10;

/// So many bytes of a key.
const MASKS: [u128; 16] = {
    let mut masks = [0; 16];
    let mut length = 0;
    while length < 16 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

impl Recent {
    /// The code of the first bytes of a text, so many of them.
    #[inline(always)] // every cell is looked up
    fn code(&mut self, onward: &[u8], length: usize, known: &Dictionary) -> Option<u32> {
        let (Some(bytes), Some(mask)) = (onward.first_chunk(), MASKS.get(length)) else {
            return known.lookup_start(onward, length).map(|code| code.0);
        };
        let key = u128::from_le_bytes(*bytes) & mask | (length as u128) << 120;
        // Multiplied by an odd number without a pattern, of the product the upper bits.
        let product =
            ((key >> 64) as u64 ^ (key as u64).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (product >> (64 - PLACES.ilog2())) as usize;
        if self.keys.get(place) == Some(&key) {
            return Some(self.codes[place]);
        }
        let code = known.lookup_start(onward, length)?.0;
        if self.keys.is_empty() {
            self.keys.resize(PLACES, NOTHING);
            self.codes.resize(PLACES, 0);
        }
        self.keys[place] = key;
        self.codes[place] = code;
        Some(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn page<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<u8> {
        let mut page = Vec::new();
        for text in texts {
            page.extend_from_slice(&(text.len() as u32).to_le_bytes());
            page.extend_from_slice(text.as_bytes());
        }
        page
    }

    #[test]
    fn texts_that_come_again_are_numbered_once_for_all_pages() {
        let mut distinct = DistinctTexts::default();
        let (first, codes) = distinct
            .read(&page(["b", "", "b", "ü"]), 4)
            .unwrap()
            .unwrap();
        assert_eq!(codes, [0, 1, 0, 2]);
        assert_eq!((first.values(), first.list.text(2)), (3, "ü".as_bytes()));
        let (second, codes) = distinct.read(&page(["ü", "b", "b"]), 2).unwrap().unwrap();
        assert_eq!(codes, [2, 0]);
        assert!(Arc::ptr_eq(&first.list, &second.list));
        let (third, codes) = distinct.read(&page(["c"]), 9).unwrap().unwrap();
        assert_eq!((codes, third.values()), (vec![3], 4));
        assert!(distinct.read(&[1, 0, 0], 1).is_err());
        assert!(distinct.read(&[1, 0, 0, 0], 1).is_err());
        assert!(distinct.read(&[2, 0, 0, 0, b'a'], 1).is_err());
    }

    #[test]
    fn every_text_has_a_code_of_its_own_whatever_was_looked_up_before() {
        // More of them than are kept, also such as begin alike, are as long as fits and longer, or end with bytes 0.
        let texts: Vec<String> = (0..3 * PLACES)
            .map(|at| match at % 4 {
                0 => format!("{at}"),
                1 => format!("the same beginning {at}"),
                2 => "\0".repeat(at % 20),
                _ => format!("{at:0width$}", width = 13 + at % 5),
            })
            .collect();
        let again: Vec<&str> = texts.iter().flat_map(|text| [&**text, "", text]).collect();
        let mut expected = Dictionary::default();
        let codes: Vec<u32> = again.iter().map(|text| expected.encode(text).0).collect();
        let mut distinct = DistinctTexts::default();
        for _ in 0..2 {
            let page = page(again.iter().copied());
            let (list, read) = distinct.read(&page, again.len()).unwrap().unwrap();
            assert_eq!(read, codes);
            assert_eq!(list.values(), expected.len());
        }
    }

    #[test]
    fn what_is_no_text_is_left_as_it_is() {
        let mut distinct = DistinctTexts::default();
        assert!(distinct.read(&page(["a"]), 1).unwrap().is_some());
        assert!(distinct.read(&[1, 0, 0, 0, 0xff], 1).unwrap().is_none());
        assert!(distinct.read(&page(["a"]), 1).unwrap().is_none());
    }

    #[test]
    fn texts_of_which_hardly_any_comes_again_are_left_as_they_are() {
        let texts: Vec<String> = (0..SOME).map(|at| at.to_string()).collect();
        let all = page(texts.iter().map(String::as_str));
        let mut distinct = DistinctTexts::default();
        assert!(distinct.read(&all, SOME).unwrap().is_none());
        assert!(distinct.read(&page(["a"]), 1).unwrap().is_none());
        // Half of them do.
        let twice = texts[..SOME / 2].iter().chain(&texts[..SOME / 2]);
        let twice = page(twice.map(String::as_str));
        let (texts, _) = DistinctTexts::default()
            .read(&twice, SOME)
            .unwrap()
            .unwrap();
        assert_eq!(texts.values(), SOME / 2);
    }
}
