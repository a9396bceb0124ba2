//! Where rows end, without looking at their cells.

use super::scan::{BLOCK, Specials};

/// How many bytes are looked at together where every line is a row: so few that a byte can count them, and then compilers compare
/// many with one instruction.
const STRETCH: usize = 240;

/// Finds whole rows, so that they can be handed to any thread to be split: the same rows as
/// [`Splitter`](super::split::Splitter) finds.
///
/// Only line breaks and quotes are looked at, of which there are far fewer than delimiters. Whether a line is a row
/// depends on all text before it, so threads wait for each other here; text in which every line is a row, as most is, is therefore
/// not even looked at line by line.
#[derive(Debug)]
pub(super) struct RowEnds {
    /// Quotes and line breaks.
    specials: Specials,
    delimiter: u8,
    trim: bool,
}

/// Whole lines that follow the first line break of a text, and are rows if one ends there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    /// Behind that line break.
    start: usize,
    rows: Ends,
}

/// Whole rows found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) rows: usize,
    /// Where the remaining text begins.
    pub(super) next: usize,
    /// How many line breaks precede `next`.
    pub(super) line_breaks: u64,
}

impl RowEnds {
    pub(super) fn new(specials: Specials, trim: bool) -> Self {
        RowEnds {
            specials: Specials {
                delimiter: b'\n',
                ..specials
            },
            delimiter: specials.delimiter,
            trim,
        }
    }

    /// Finds up to `max_rows` rows of `text[start..]`, where a row begins. `at_end` says that no text follows, so that the
    /// last row needs no line break.
    pub(super) fn find(&self, text: &[u8], start: usize, at_end: bool, max_rows: usize) -> Ends {
        let lines = self.find_lines(&text[start..], max_rows);
        let rest = start + lines.next;
        let others = self.find_one_by_one(text, rest, at_end, max_rows - lines.rows);
        Ends {
            rows: lines.rows + others.rows,
            next: others.next,
            line_breaks: lines.line_breaks + others.line_breaks,
        }
    }

    /// Looks for whole lines in `text[from..]` before it is known where rows begin: they are most of its rows, unless there are
    /// quotes.
    pub(super) fn find_lines_ahead(&self, text: &[u8], from: usize) -> Option<Lines> {
        let first = text[from..].iter().position(|&byte| byte == b'\n')?;
        let start = from + first + 1;
        let rows = self.find_lines(&text[start..], usize::MAX);
        Some(Lines { start, rows })
    }

    /// The rows of `text[start..]`, where a row begins and text follows, with the help of lines found ahead.
    pub(super) fn find_with(&self, text: &[u8], start: usize, ahead: Option<Lines>) -> Ends {
        let find = |end: usize, start| self.find(&text[..end], start, false, usize::MAX);
        let Some(lines) = ahead.filter(|lines| lines.start > start) else {
            return find(text.len(), start);
        };
        let before = find(lines.start, start);
        if before.next != lines.start {
            // A quote is open there.
            return find(text.len(), start);
        }
        let after = find(text.len(), lines.start + lines.rows.next);
        Ends {
            rows: before.rows + lines.rows.rows + after.rows,
            next: after.next,
            line_breaks: before.line_breaks + lines.rows.line_breaks + after.line_breaks,
        }
    }

    /// Whole lines from the first on, with fewer than `max_rows` rows and no quote, so that every line is a row unless it is
    /// blank. There may be more such lines: text is looked at in stretches.
    fn find_lines(&self, text: &[u8], max_rows: usize) -> Ends {
        let is_line_break = |byte: u8| (byte == b'\n') | (byte == b'\r');
        let (mut rows, mut line_breaks) = (0, 0);
        let mut end = 0;
        if let Some(first) = text.first() {
            line_breaks = usize::from(*first == b'\n');
            end = 1;
        }
        for (stretch, before) in text[end..].chunks(STRETCH).zip(text.chunks(STRETCH)) {
            let (mut rows_here, mut breaks_here, mut is_special) = (0_u8, 0_u8, false);
            for (&byte, &before) in stretch.iter().zip(before) {
                let is_end = byte == b'\n';
                breaks_here += u8::from(is_end);
                rows_here += u8::from(is_line_break(byte) & !is_line_break(before));
                is_special |= (before == self.specials.quote) | ((before == b'\r') & !is_end);
            }
            if is_special || rows + usize::from(rows_here) >= max_rows {
                break;
            }
            rows += usize::from(rows_here);
            line_breaks += usize::from(breaks_here);
            end += stretch.len();
        }
        let last = text[..end].iter().rposition(|&byte| byte == b'\n');
        let next = last.map_or(0, |last| last + 1);
        // Of a line break in two stretches only the first half was seen: its row is not whole yet.
        if let [_, .., b'\r'] = text[next..end] {
            rows -= 1;
        }
        Ends {
            rows,
            next,
            line_breaks: line_breaks as u64,
        }
    }

    fn find_one_by_one(&self, text: &[u8], start: usize, at_end: bool, max_rows: usize) -> Ends {
        let quote = self.specials.quote;
        let mut found = Ends {
            rows: 0,
            next: start,
            line_breaks: 0,
        };
        let mut line_breaks = 0;
        let mut is_open = false;
        // Special bytes before this position are already handled.
        let mut dealt_with = start;
        let mut block = start;
        while block < text.len() {
            let mut mask = self.specials.mask(&text[block..]);
            while mask != 0 {
                let at = block + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                if at < dealt_with {
                    continue;
                }
                let byte = text[at];
                if byte == quote {
                    if !is_open {
                        is_open = self.begins_cell(&text[found.next..at]);
                    } else {
                        match text.get(at + 1) {
                            Some(&next) if next == quote => dealt_with = at + 2,
                            None if !at_end => return found,
                            _ => is_open = false,
                        }
                    }
                } else if is_open {
                    line_breaks += u64::from(byte == b'\r' || text[at - 1] != b'\r');
                } else {
                    let after = match text.get(at + 1) {
                        Some(b'\n') if byte == b'\r' => at + 2,
                        None if byte == b'\r' && !at_end => return found,
                        _ => at + 1,
                    };
                    found.rows += usize::from(at > found.next);
                    line_breaks += 1;
                    found.line_breaks = line_breaks;
                    found.next = after;
                    dealt_with = after;
                    if found.rows == max_rows {
                        return found;
                    }
                }
            }
            block += BLOCK;
        }
        if at_end && !is_open && found.next < text.len() {
            found.rows += 1;
            found.next = text.len();
        }
        found
    }

    /// Whether a cell begins where this part of its row ends.
    fn begins_cell(&self, row: &[u8]) -> bool {
        for &byte in row.iter().rev() {
            if byte == self.delimiter {
                return true;
            }
            // A quote before it belongs to the same cell, so this one is text.
            if byte == self.specials.quote || !self.trim || !byte.is_ascii_whitespace() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::{Splitter, Stop};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn rows_end_where_they_end_when_they_are_split(
            text in prop_oneof!["[ab \",\r\n]{0,200}", "([ab,]{0,9}(\n|\r\n)){0,200}[\"\r]?[ab\n]{0,300}"],
            quote in proptest::sample::select(&b"\"a "[..]),
            trim: bool,
            at_end: bool,
            max_rows in prop_oneof![1..5_usize, 50..300_usize],
        ) {
            let text = text.as_bytes();
            let specials = Specials { delimiter: b',', quote };
            let mut start = 0;
            loop {
                let mut splitter = Splitter::new(specials, trim);
                let split = splitter.split(text, start, at_end, None, max_rows);
                let found = RowEnds::new(specials, trim).find(text, start, at_end, max_rows);
                prop_assert_eq!((found.rows, found.next), (split.rows, split.next));
                prop_assert_eq!(found.line_breaks, split.line_breaks);
                if split.stop != Stop::Enough {
                    break;
                }
                start = split.next;
            }
        }
    }
}
