//! Whether the first line of a table is a data row.
//!
//! A table without a header harms its first person twice: the cells are shown as column names, and published as such.
//! So a first line that looks like a data row is refused, unless the user says what it is.
//!
//! Every column is judged by itself. Its name *suggests a row* if it is a number above numbers, a date above dates, a
//! code above codes of the same shape, an e-mail address, telephone number or web address above others of its kind, or
//! a text that occurs again among the cells below it. It *suggests a header* if it is a word above numbers, dates,
//! codes or addresses. The line is a row if at least as many columns suggest one: asking once too often costs the user
//! a flag, asking too rarely costs a person their privacy.
//!
//! If no column suggests either, there is a weaker sign: a name of several words whose first or last word also begins
//! or ends a cell below, such as the `street` of `Oak street` or the `Ann` of `Ann Lee`. The line is a row if half of
//! the columns show this. In a table of texts that share nothing, this cannot be decided; the user can see it in
//! `inspect`.

use super::address::Address;
use incrowd_core::table::{parse_date, parse_number};
use std::num::NonZeroUsize;

/// What the first line of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Header {
    /// It holds the column names; refused if it looks like a data row.
    #[default]
    Checked,
    /// It holds the column names, whatever it looks like.
    Names,
    /// It is a data row; columns are named `column-1`, `column-2` and so on.
    Row,
}

/// Cells that say nothing about their column.
const NO_VALUE: [&str; 9] = ["", "?", "-", ".", "na", "n/a", "nan", "null", "none"];

/// The fewest digits of a code; names such as `q12` have fewer.
const CODE_DIGITS: usize = 4;

/// Of ten cells, this many must be of one kind for the column to be of that kind.
const MOST_OF_TEN: usize = 9;

/// Whole rows below a header: at least one, since otherwise nothing can be decided.
#[derive(Debug)]
pub(super) struct FirstRows {
    text: Vec<u8>,
    /// Where each cell begins and ends in the text, row by row.
    cells: Vec<(usize, usize)>,
    columns: usize,
}

impl FirstRows {
    /// The cells as rows of equal length.
    pub(super) fn new(text: Vec<u8>, cells: Vec<(usize, usize)>, rows: NonZeroUsize) -> Self {
        FirstRows {
            columns: cells.len() / rows,
            text,
            cells,
        }
    }

    /// The cells of a column.
    fn column(&self, column: usize) -> impl Iterator<Item = &str> {
        let cells = self.cells.iter().skip(column).step_by(self.columns);
        // Cells that are not UTF-8 are refused when the row is read.
        cells.map(|&(start, end)| std::str::from_utf8(&self.text[start..end]).unwrap_or_default())
    }

    /// Whether at least half of the cells of some column have whitespace around them.
    pub(super) fn are_padded(&self) -> bool {
        (0..self.columns).any(|column| {
            let (mut values, mut padded) = (0, 0);
            for cell in self.column(column).filter(|cell| !cell.trim().is_empty()) {
                values += 1;
                padded += usize::from(cell.trim() != cell);
            }
            values > 0 && padded * 2 >= values
        })
    }
}

/// How many columns suggest that the first line is a row, if that is their joint verdict.
pub(super) fn columns_of_a_row(names: &[&str], below: &FirstRows) -> Option<usize> {
    let says: Vec<Verdict> = names
        .iter()
        .enumerate()
        .map(|(at, name)| Column::of(below.column(at).map(str::trim)).verdict(name.trim()))
        .collect();
    let count = |verdict| says.iter().filter(|&&said| said == verdict).count();
    let for_header = count(Verdict::Header);
    // Years are good column names. They count as names if another column has one, or if several are side by side.
    let years = count(Verdict::Year);
    let are_names = for_header > 0 || are_in_sequence(names, &says);
    let for_row = count(Verdict::Row) + if are_names { 0 } else { years };
    if for_row > 0 {
        return (for_row >= for_header).then_some(for_row);
    }
    let alike = count(Verdict::AlikeInWords);
    (alike > 0 && for_header == 0 && years == 0 && alike * 2 >= names.len()).then_some(alike)
}

/// What a name suggests about its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Row,
    Header,
    /// A year above numbers that are not years.
    Year,
    /// Texts below begin or end with a word of it.
    AlikeInWords,
    Nothing,
}

/// What a cell looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Number,
    Date,
    Address(Address),
    /// Digits, letters and marks in this pattern.
    Code(String),
    Text,
}

impl Kind {
    fn of(text: &str) -> Kind {
        if parse_number(text).is_some() {
            return Kind::Number;
        }
        if parse_date(text).is_some() {
            return Kind::Date;
        }
        if let Some(address) = Address::of(text) {
            return Kind::Address(address);
        }
        match text.chars().filter(char::is_ascii_digit).count() < CODE_DIGITS {
            true => Kind::Text,
            false => Kind::Code(shape(text)),
        }
    }
}

/// The pattern of a code: `M00017` is `a99999`, `2024-01-16T20:24` is `9999-99-99a99:99`.
fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for letter in text.chars() {
        let class = match letter {
            letter if letter.is_ascii_digit() => '9',
            letter if letter.is_alphabetic() => 'a',
            letter => letter,
        };
        if class != 'a' || !shape.ends_with('a') {
            shape.push(class);
        }
    }
    shape
}

/// The cells below a name.
struct Column<'a> {
    cells: Vec<&'a str>,
    /// What nearly all of them are.
    kind: Option<Kind>,
}

impl<'a> Column<'a> {
    fn of(cells: impl Iterator<Item = &'a str>) -> Self {
        let cells: Vec<&str> = cells.filter(|cell| is_value(cell)).collect();
        let kinds: Vec<Kind> = cells.iter().map(|cell| Kind::of(cell)).collect();
        let most = |kind: &&Kind| {
            let alike = kinds.iter().filter(|other| other == kind).count();
            alike * 10 >= kinds.len() * MOST_OF_TEN
        };
        // At most one cell in ten is of another kind, so one of the first tenth plus one is of that kind.
        let kind = kinds.iter().take(kinds.len() / 10 + 1).find(most).cloned();
        Column { cells, kind }
    }

    fn verdict(&self, name: &str) -> Verdict {
        if !is_value(name) || self.cells.is_empty() {
            return Verdict::Nothing;
        }
        if self.cells.contains(&name) {
            return Verdict::Row;
        }
        match (&self.kind, Kind::of(name)) {
            // One is enough: an address is never the name of a column of addresses.
            (_, Kind::Address(address)) if self.has(address) => Verdict::Row,
            (Some(Kind::Number), Kind::Number) if is_year(name) && !self.are_years() => {
                Verdict::Year
            }
            (Some(Kind::Text), Kind::Text) if self.is_alike_in_words(name) => Verdict::AlikeInWords,
            (Some(Kind::Text) | None, _) => Verdict::Nothing,
            (Some(kind), of_name) if *kind == of_name => Verdict::Row,
            (Some(_), Kind::Text) => Verdict::Header,
            (Some(_), _) => Verdict::Nothing,
        }
    }

    fn has(&self, address: Address) -> bool {
        (self.cells.iter()).any(|cell| Address::of(cell) == Some(address))
    }

    /// Whether a name of several words begins, or ends, with the same word as a cell of several words.
    fn is_alike_in_words(&self, name: &str) -> bool {
        let Some((first, last)) = first_and_last_word(name) else {
            return false;
        };
        let mut cells = (self.cells.iter()).filter_map(|cell| first_and_last_word(cell));
        cells.any(|(begin, end)| begin == first || end == last)
    }

    /// Whether most numbers are years, so that a year above them may be one more.
    fn are_years(&self) -> bool {
        let years = self.cells.iter().filter(|cell| is_year(cell)).count();
        years * 2 >= self.cells.len()
    }
}

/// None for a single word.
fn first_and_last_word(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    Some((words.next()?, words.next_back()?))
}

fn is_value(text: &str) -> bool {
    !NO_VALUE.contains(&text.to_ascii_lowercase().as_str())
}

fn year(text: &str) -> Option<u16> {
    let year = text.parse().ok()?;
    (text.len() == 4 && (1800..=2200).contains(&year)).then_some(year)
}

fn is_year(text: &str) -> bool {
    year(text).is_some()
}

/// Whether the years among the names are consecutive, and no other column suggests a row.
fn are_in_sequence(names: &[&str], says: &[Verdict]) -> bool {
    let of_years = names.iter().zip(says);
    let years: Vec<u16> = of_years
        .filter(|&(_, &said)| said == Verdict::Year)
        .filter_map(|(name, _)| year(name.trim()))
        .collect();
    years.len() > 1
        && !says.contains(&Verdict::Row)
        && years.windows(2).all(|pair| pair[0].abs_diff(pair[1]) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many columns suggest that the first line of a text is a row.
    fn speak_for_a_row(text: &str) -> Option<usize> {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let (mut text, mut cells, mut rows) = (Vec::new(), Vec::new(), 0);
        for line in lines {
            rows += 1;
            for cell in line.split(',') {
                cells.push((text.len(), text.len() + cell.len()));
                text.extend(cell.bytes());
            }
        }
        let rows = NonZeroUsize::new(rows).unwrap();
        columns_of_a_row(&names, &FirstRows::new(text, cells, rows))
    }

    #[test]
    fn a_row_is_told_by_numbers_dates_codes_and_texts_that_come_again() {
        assert_eq!(speak_for_a_row("34,Ann\n36,Bob\n"), Some(1));
        assert_eq!(speak_for_a_row("-3.5\n4e2\n"), Some(1));
        assert_eq!(speak_for_a_row("1948-05-04\n2002-01-27\n"), Some(1));
        assert_eq!(speak_for_a_row("M00001\nM00002\n"), Some(1));
        assert_eq!(
            speak_for_a_row("2024-01-16T20:24:50\n2024-01-20T00:44:28\n"),
            Some(1)
        );
        assert_eq!(speak_for_a_row("Ann,f\nBob,m\nEve,f\n"), Some(1));
        assert_eq!(speak_for_a_row("24.12.1990\n01.02.2003\n"), Some(1));
        assert_eq!(
            speak_for_a_row("+44 20 7946 0018\n+44 20 7946 0021\n"),
            Some(1)
        );
    }

    #[test]
    fn a_row_is_told_although_cells_are_missing_here_and_there() {
        assert_eq!(speak_for_a_row("Ann,?,34\nBob,17,?\nEve,18,36\n"), Some(1));
        assert_eq!(
            speak_for_a_row("Ann,unknown,34,f\nBob,17,35,m\nEve,18,36,f\n"),
            Some(2)
        );
        assert_eq!(speak_for_a_row(" 34, f\n 36, m\n 39, f\n"), Some(2));
    }

    #[test]
    fn a_header_is_left_alone() {
        for header in [
            "name,age,zip\nAnn,34,10115\nBob,36,10117\n",
            "age\n34\n",
            "code,date\nM00001,1990-01-01\nM00002,1991-01-01\n",
            "q1,q2\nyes,no\nno,no\n",
            "a,b\nx,y\n",
            "x1,x2\n1,2\n",
            // The name of a column may occur in another one, and even in its own if others are names.
            "drug,other,age\nother,x,3\nx,y,4\n",
            "id,age,weight,other\n1,34,80,other\n2,36,81,none\n",
            "1,2,3\nyes,no,no\nno,no,yes\n",
            "a,b\n?,?\n?,?\n",
        ] {
            assert_eq!(speak_for_a_row(header), None, "{header}");
        }
    }

    #[test]
    fn years_may_name_columns() {
        assert_eq!(
            speak_for_a_row("2019,2020\n17000,18000\n16000,21000\n"),
            None
        );
        assert_eq!(speak_for_a_row("id,2019\n1,17000\n2,18000\n"), None);
        // Among years a year is one more.
        assert_eq!(
            speak_for_a_row("2019,2020\n2018,2020\n2017,2019\n"),
            Some(2)
        );
        assert_eq!(speak_for_a_row("2019,Ann\n17000,Bob\n"), Some(1));
        assert_eq!(speak_for_a_row("1999,34\n17000,18\n"), Some(2));
    }

    #[test]
    fn as_many_columns_for_a_row_as_for_a_header_are_a_row() {
        // One column for each side, and others that suggest neither.
        assert_eq!(speak_for_a_row("34,unknown\n36,17\n38,18\n"), Some(1));
        assert_eq!(
            speak_for_a_row("Ann,34,unknown\nBob,36,17\nEve,38,18\n"),
            Some(1)
        );
        assert_eq!(speak_for_a_row("34,id,age\n36,17,1\n38,18,2\n"), None);
    }

    #[test]
    fn a_row_is_told_by_addresses_of_people_and_pages() {
        for row in [
            "Ann Lee,ann@x.org\nBob Ray,bob.ray+list@mail.example.com\n",
            "Ann Lee,Ann Lee <ann@x.org>\nBob Ray,Bob <bob@x.org>\n",
            "Ann Lee,https://x.org/ann\nBob Ray,www.example.com/~bob\n",
            "Ann Lee,030 1234567\nBob Ray,+49 (0)30/765-4321\n",
            // Half of the people below have none to tell.
            "Ann Lee,ann@x.org\nBob Ray,refused\nEve Day,none given\nKim Poe,kim@x.org\n",
        ] {
            assert_eq!(speak_for_a_row(row), Some(1), "{row}");
        }
    }

    #[test]
    fn names_about_addresses_are_names() {
        for header in [
            "name,e-mail\nAnn Lee,ann@x.org\nBob Ray,bob@x.org\n",
            "name,E-Mail @work\nAnn Lee,ann@x.org\nBob Ray,bob@x.org\n",
            "name,www\nAnn Lee,https://x.org\nBob Ray,www.example.com\n",
            "name,phone (mobile)\nAnn Lee,030 1234567\nBob Ray,+49 30 7654321\n",
            // Addresses name the columns of some tables, over something else.
            "http://purl.org/dc/terms/title,http://purl.org/dc/terms/date\nA tale,1990\nA song,1991\n",
            "who,ann@x.org,bob@x.org\nEve,yes,no\nKim,no,no\n",
            "school,2018-2019,2019-2020\nNorth,12,17\nSouth,13,15\n",
        ] {
            assert_eq!(speak_for_a_row(header), None, "{header}");
        }
    }

    #[test]
    fn where_nothing_speaks_for_a_header_words_that_come_again_tell_a_row() {
        for row in [
            "Anna Lee,Main street\nBob Ray,Oak street\nEve Day,Hill street\n",
            "Anna Lee,Berlin\nBob Ray,Bonn\nAnna Poe,Rome\n",
        ] {
            assert_eq!(speak_for_a_row(row), Some(1), "{row}");
        }
        for header in [
            "Full name,Street\nAnna Lee,Main street\nBob Ray,Oak street\n",
            "First name,Last name\nAnna,Lee\nBob,Ray\n",
            "Person name,Home street,City,Country,Region\nAnna Lee,Main street,Bonn,Germany,Rhine\n",
            // A column that suggests a header outweighs words.
            "id,Blood type\n1,type A\n2,unknown type\n",
        ] {
            assert_eq!(speak_for_a_row(header), None, "{header}");
        }
    }

    #[test]
    fn without_values_below_nothing_is_said() {
        assert_eq!(speak_for_a_row("34,f\n,\n"), None);
    }
}
