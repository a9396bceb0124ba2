//! Splits text into rows and cells without moving it.

use super::scan::{BLOCK, Specials};

/// Splits text into rows and cells, as bounds into the text, which is not moved.
///
/// Reads the same cells as the csv crate, with two differences: a quote still open at the end is reported, while that
/// crate closes it silently; and if whitespace is to be removed, it may precede a quote.
///
/// # Invariant
/// Between calls, `cells` and `quoted` describe whole rows only: an incomplete row is split again when more text is
/// there.
#[derive(Debug)]
pub(super) struct Splitter {
    specials: Specials,
    trim: bool,
    /// Where each cell begins and ends, row by row.
    cells: Vec<(usize, usize)>,
    /// The cells whose bounds include quotes that are not part of the value.
    quoted: Vec<usize>,
    /// Whether there was a quote in the text split last, wherever it was.
    has_quotes: bool,
}

/// What [`Splitter::split`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    /// The number of whole rows.
    pub(super) rows: usize,
    /// Where the remaining text begins.
    pub(super) next: usize,
    /// How many line breaks precede `next`.
    pub(super) line_breaks: u64,
    pub(super) stop: Stop,
}

/// Why [`Splitter::split`] stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// As many rows as requested were found.
    Enough,
    /// The text ends, in the middle of a row unless all of it was split. The cell it ends in begins at `cell`.
    TextEnds { cell: usize },
    /// The input ends and a quote is open.
    QuoteOpen,
    /// The row at `next` has this many cells, which is not the number expected.
    Ragged { found: usize },
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Plain,
    /// Inside quotes.
    Open,
    /// After the quote at this position, which ended the quoted part.
    Closed(usize),
}

impl Splitter {
    pub(super) fn new(specials: Specials, trim: bool) -> Splitter {
        Splitter {
            specials,
            trim,
            cells: Vec::new(),
            quoted: Vec::new(),
            has_quotes: false,
        }
    }

    /// Where each cell of the rows found last begins and ends.
    pub(super) fn cells(&self) -> &[(usize, usize)] {
        &self.cells
    }

    /// The same, to be exchanged for memory to be used again.
    pub(super) fn cells_mut(&mut self) -> &mut Vec<(usize, usize)> {
        &mut self.cells
    }

    /// Whether there was a quote in the text split last, wherever it was.
    pub(super) fn has_quotes(&self) -> bool {
        self.has_quotes
    }

    /// Shortens the cells found last to so many bytes at their end.
    pub(super) fn narrow(&mut self, text: &[u8], length: impl Fn(&[u8]) -> usize) {
        for (start, end) in &mut self.cells {
            *start = *end - length(&text[*start..*end]);
        }
    }

    /// Splits up to `max_rows` rows of `columns` cells off `text[start..]`, where a row begins.
    ///
    /// `at_end` says that no text follows, so that the last row needs no line break. Without `columns`, a row
    /// may have any number of cells.
    pub(super) fn split(
        &mut self,
        text: &[u8],
        start: usize,
        at_end: bool,
        columns: Option<usize>,
        max_rows: usize,
    ) -> Split {
        self.cells.clear();
        self.quoted.clear();
        self.has_quotes = false;
        let specials = self.specials;
        let mut found = Split {
            rows: 0,
            next: start,
            line_breaks: 0,
            stop: Stop::Enough,
        };
        // The number of cells of the rows found.
        let mut whole = 0;
        let mut line_breaks = 0;
        let mut cell_start = start;
        let mut value_start = start;
        let mut state = State::Plain;
        let mut has_doubled = false;
        // Special bytes before this position are already handled.
        let mut dealt_with = start;

        let mut block = start;
        'text: while block < text.len() {
            let mut mask = specials.mask(&text[block..]);
            while mask != 0 {
                let at = block + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                if at < dealt_with {
                    continue;
                }
                let byte = text[at];
                if state == State::Plain && byte == specials.delimiter {
                    // Nearly all of them.
                    self.cells.push((cell_start, at));
                    cell_start = at + 1;
                    continue;
                }
                if state == State::Open {
                    if byte == specials.quote {
                        match text.get(at + 1) {
                            Some(&next) if next == specials.quote => {
                                has_doubled = true;
                                dealt_with = at + 2;
                            }
                            None if !at_end => break 'text,
                            _ => state = State::Closed(at),
                        }
                    } else if byte == b'\r' || (byte == b'\n' && text[at - 1] != b'\r') {
                        line_breaks += 1;
                    }
                } else if byte == specials.delimiter {
                    self.push_cell(cell_start, value_start, at, state, has_doubled);
                    cell_start = at + 1;
                    state = State::Plain;
                    has_doubled = false;
                } else if byte == specials.quote {
                    self.has_quotes = true;
                    // Anywhere but at the start of a cell, a quote is text.
                    if state == State::Plain && self.is_blank(&text[cell_start..at]) {
                        value_start = at + 1;
                        state = State::Open;
                    }
                } else {
                    let after = match text.get(at + 1) {
                        Some(b'\n') if byte == b'\r' => at + 2,
                        None if byte == b'\r' && !at_end => break 'text,
                        _ => at + 1,
                    };
                    if at > found.next {
                        self.push_cell(cell_start, value_start, at, state, has_doubled);
                        let cells = self.cells.len() - whole;
                        if columns.is_some_and(|columns| columns != cells) {
                            found.stop = Stop::Ragged { found: cells };
                            self.truncate(whole);
                            return found;
                        }
                        whole = self.cells.len();
                        found.rows += 1;
                    }
                    line_breaks += 1;
                    found.line_breaks = line_breaks;
                    found.next = after;
                    cell_start = after;
                    dealt_with = after;
                    state = State::Plain;
                    has_doubled = false;
                    if found.rows == max_rows {
                        return found;
                    }
                }
            }
            block += BLOCK;
        }

        found.stop = Stop::TextEnds { cell: cell_start };
        if at_end && found.next < text.len() {
            if state == State::Open {
                found.stop = Stop::QuoteOpen;
            } else {
                self.push_cell(cell_start, value_start, text.len(), state, has_doubled);
                let cells = self.cells.len() - whole;
                if columns.is_none_or(|columns| columns == cells) {
                    whole = self.cells.len();
                    found.rows += 1;
                    found.next = text.len();
                } else {
                    found.stop = Stop::Ragged { found: cells };
                }
            }
        }
        self.truncate(whole);
        found
    }

    #[inline]
    fn push_cell(
        &mut self,
        start: usize,
        value_start: usize,
        end: usize,
        state: State,
        has_doubled: bool,
    ) {
        self.cells.push(match state {
            State::Plain => (start, end),
            State::Closed(quote) if quote + 1 == end && !has_doubled => (value_start, quote),
            _ => {
                self.quoted.push(self.cells.len());
                (value_start, end)
            }
        });
    }

    fn is_blank(&self, text: &[u8]) -> bool {
        text.is_empty() || (self.trim && text.trim_ascii().is_empty())
    }

    fn truncate(&mut self, cells: usize) {
        self.cells.truncate(cells);
        while self.quoted.last().is_some_and(|&cell| cell >= cells) {
            self.quoted.pop();
        }
    }

    /// Reduces the cells found last to their values: quotes that are not part of them are removed from `text`, and
    /// whitespace around them is excluded from their bounds if requested.
    pub(super) fn clean(&mut self, text: &mut [u8]) {
        for &cell in &self.quoted {
            let (start, end) = &mut self.cells[cell];
            *end = *start + unquote(&mut text[*start..*end], self.specials.quote);
        }
        if self.trim {
            for (start, end) in &mut self.cells {
                let cell = &text[*start..*end];
                *start += cell.len() - cell.trim_ascii_start().len();
                *end = *start + cell.trim_ascii().len();
            }
        }
    }
}

/// Moves the value of a quoted cell to the front of `cell`, which begins after the opening quote; its length.
fn unquote(cell: &mut [u8], quote: u8) -> usize {
    let (mut from, mut to) = (0, 0);
    let mut open = true;
    while from < cell.len() {
        if open && cell[from] == quote {
            from += 1;
            // The first of two quotes is dropped, a single one ends the quoted part.
            if cell.get(from) != Some(&quote) {
                open = false;
                continue;
            }
        }
        cell[to] = cell[from];
        from += 1;
        to += 1;
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPECIALS: Specials = Specials {
        delimiter: b',',
        quote: b'"',
    };

    /// Splits `text` as it arrives in pieces, a few rows at a time: the rows, where they begin, and why it ended.
    fn split_in_pieces(
        text: &[u8],
        piece: usize,
        max_rows: usize,
        trim: bool,
    ) -> (Vec<Vec<Vec<u8>>>, u64, Stop) {
        let mut splitter = Splitter::new(SPECIALS, trim);
        let mut text = text.to_vec();
        let (mut start, mut end, mut line_breaks) = (0, piece.min(text.len()), 0);
        let mut rows = Vec::new();
        loop {
            let at_end = end == text.len();
            let found = splitter.split(&text[..end], start, at_end, None, max_rows);
            splitter.clean(&mut text);
            let cells = splitter.cells();
            // Without a number of columns, rows are split one by one.
            if max_rows == 1 && found.rows == 1 {
                let cell = |&(start, end): &(usize, usize)| text[start..end].to_vec();
                rows.push(cells.iter().map(cell).collect());
            }
            start = found.next;
            line_breaks += found.line_breaks;
            match found.stop {
                Stop::Enough => {}
                Stop::TextEnds { .. } if !at_end => end = (end + piece).min(text.len()),
                stop => return (rows, line_breaks, stop),
            }
        }
    }

    #[test]
    fn line_breaks_are_counted_once_whatever_they_are_made_of() {
        let (rows, line_breaks, stop) =
            split_in_pieces(b"a,\"x\r\ny\nz\"\r\n\r\nb\rc\n\n", 1000, 1, false);
        assert_eq!(rows.len(), 3);
        assert_eq!(line_breaks, 7);
        assert_eq!(stop, Stop::TextEnds { cell: 19 });
    }

    #[test]
    fn a_row_of_the_wrong_length_is_left_unsplit() {
        let mut splitter = Splitter::new(SPECIALS, false);
        let found = splitter.split(b"1,2\n3\n4,5\n", 0, true, Some(2), 10);
        assert_eq!(
            found,
            Split {
                rows: 1,
                next: 4,
                line_breaks: 1,
                stop: Stop::Ragged { found: 1 }
            }
        );
        assert_eq!(splitter.cells(), [(0, 1), (2, 3)]);
    }

    #[test]
    fn quotes_that_are_no_part_of_the_value_are_taken_out() {
        for (cell, value) in [
            ("\"\"", ""),
            ("\"a\"", "a"),
            ("\"a\"\"b\"", "a\"b"),
            ("\"\"\"\"", "\""),
            ("\"a\"b\"c", "ab\"c"),
            ("a\"b", "a\"b"),
        ] {
            let (rows, ..) = split_in_pieces(cell.as_bytes(), 1, 1, false);
            assert_eq!(rows, [[value.as_bytes()]], "{cell}");
        }
    }

    proptest! {
        #[test]
        fn text_is_split_alike_however_it_arrives(
            text in "[ab \",\r\n]{0,200}",
            piece in 1..70_usize,
            trim: bool,
        ) {
            let whole = split_in_pieces(text.as_bytes(), text.len() + 1, 1, trim);
            prop_assert_eq!(&split_in_pieces(text.as_bytes(), piece, 1, trim), &whole);
            let (_, line_breaks, stop) = split_in_pieces(text.as_bytes(), piece, 5, trim);
            prop_assert_eq!((line_breaks, stop), (whole.1, whole.2));
        }
    }
}
