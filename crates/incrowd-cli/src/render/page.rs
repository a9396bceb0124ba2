//! The page that all text output is written on.

use incrowd_job::visible;
use std::fmt::Write;

/// Text that grows line by line; writing to it cannot fail.
///
/// All text output goes through here. This is the only place where names, labels and paths of users are made safe to
/// show.
#[derive(Default)]
pub(crate) struct Page(pub(super) String);

impl Page {
    /// One line, whatever it contains.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.0.push_str(visible(text.as_ref().trim_end()).as_ref());
        self.0.push('\n');
    }

    /// The contents of another page.
    pub(super) fn append(&mut self, page: &str) {
        self.0.push_str(page);
    }

    /// Several lines of our own text.
    pub(super) fn lines(&mut self, text: &str) {
        text.split('\n').for_each(|line| self.line(line));
    }

    /// A label and its text.
    pub(super) fn entry(&mut self, label: &str, text: impl AsRef<str>) {
        self.line(format!("{label:<12}{}", text.as_ref()));
    }

    /// Rows of cells, each column as wide as its widest cell, numbers right-aligned.
    pub(super) fn table(&mut self, header: &[String], rows: &[Vec<String>]) {
        let header: Vec<String> = header.iter().map(shown).collect();
        let rows: Vec<Vec<String>> = (rows.iter())
            .map(|row| row.iter().map(shown).collect())
            .collect();
        let all = || std::iter::once(&header).chain(&rows);
        let width = |column: usize| {
            let cells = all().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let is_number = |column: usize| {
            let mut cells = rows.iter().filter_map(|row| row.get(column));
            cells.all(|cell| {
                cell.starts_with(|first: char| first.is_ascii_digit() || first == '~')
                    && !cell.contains(char::is_alphabetic)
            })
        };
        let columns: Vec<(usize, bool)> = (0..header.len())
            .map(|column| (width(column), is_number(column)))
            .collect();
        for row in all() {
            let mut line = String::new();
            for (cell, &(width, is_number)) in row.iter().zip(&columns) {
                let _ = match is_number {
                    true => write!(line, "  {cell:>width$}"),
                    false => write!(line, "  {cell:<width$}"),
                };
            }
            self.line(line);
        }
    }
}

/// The most letters of a cell that a table shows.
const MOST_SHOWN: usize = 160;

/// A text as a table shows it: a very long one would push everything else out of sight.
pub(super) fn shown(text: impl AsRef<str>) -> String {
    let text = visible(text.as_ref());
    match text.char_indices().nth(MOST_SHOWN) {
        None => text.into_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}
