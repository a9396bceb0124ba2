//! Whether the first line of a table is a row already.
//!
//! A table without a header costs its first person twice: the cells are shown as the names of columns, and they are
//! published as such. So a first line that looks like a row is refused, unless the user has said what it is.
//!
//! Every column is asked for itself. Its name *speaks for a row* where it is a number over numbers, a date over
//! dates, a code over codes of the same shape, or a text that stands again among the cells below it. It *speaks for a
//! header* where it is a word over numbers, dates or codes. The line is a row if more columns, or as many, say so:
//! asking once too often costs the user a flag, asking too rarely costs a person their privacy.

use incrowd_core::table::{parse_date, parse_number};

/// What the first line of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Header {
    /// It names the columns; refused if it looks like a row.
    #[default]
    Checked,
    /// It names the columns, whatever it looks like.
    Names,
    /// It is a row; columns are called `column-1`, `column-2` and so on.
    Row,
}

/// Cells that say nothing about their column.
const NO_VALUE: [&str; 9] = ["", "?", "-", ".", "na", "n/a", "nan", "null", "none"];

/// A code has so many digits at least; fewer are found in names such as `q12` too.
const CODE_DIGITS: usize = 4;

/// Of ten cells so many must be of one kind for the column to be of it.
const MOST_OF_TEN: usize = 9;

/// How many columns say that the first line is a row, if that is what they say together.
///
/// `cell` gives the cell of a row below, from 0, and a column; there are `rows` of them.
pub(super) fn columns_of_a_row<'a>(
    names: &[&str],
    rows: usize,
    cell: impl Fn(usize, usize) -> &'a str,
) -> Option<usize> {
    let columns: Vec<Column<'a>> = (0..names.len())
        .map(|column| Column::of((0..rows).map(|row| cell(row, column).trim())))
        .collect();
    let says: Vec<Verdict> = names
        .iter()
        .zip(&columns)
        .map(|(name, column)| column.verdict(name.trim()))
        .collect();
    let count = |verdict| says.iter().filter(|&&said| said == verdict).count();
    let for_header = count(Verdict::Header);
    // Years are good names of columns. They are taken for names where another column has one, or where several stand
    // side by side.
    let years = count(Verdict::Year);
    let are_names = for_header > 0 || are_in_sequence(names, &says);
    let for_row = count(Verdict::Row) + if are_names { 0 } else { years };
    (for_row > 0 && for_row >= for_header).then_some(for_row)
}

/// What a name says about its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Row,
    Header,
    /// A year over numbers that are none.
    Year,
    Nothing,
}

/// What a cell looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Number,
    Date,
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
        // At most one cell in ten is of another kind, so one of the first tenth and one more is of it.
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
            (Some(Kind::Number), Kind::Number) if is_year(name) && !self.are_years() => {
                Verdict::Year
            }
            (Some(Kind::Text) | None, _) => Verdict::Nothing,
            (Some(kind), of_name) if *kind == of_name => Verdict::Row,
            (Some(_), Kind::Text) => Verdict::Header,
            (Some(_), _) => Verdict::Nothing,
        }
    }

    /// Whether most numbers are years, so that a year above them may be one more.
    fn are_years(&self) -> bool {
        let years = self.cells.iter().filter(|cell| is_year(cell)).count();
        years * 2 >= self.cells.len()
    }
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

/// Whether the years among the names follow each other, and no other column speaks for a row.
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

    /// How many columns say that the first line of a text is a row.
    fn speak_for_a_row(text: &str) -> Option<usize> {
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        columns_of_a_row(&lines[0], lines.len() - 1, |row, column| {
            lines[row + 1][column]
        })
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
            // The name of a column may stand in another one, and even in its own where others are names.
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
    fn without_rows_below_nothing_is_said() {
        assert_eq!(speak_for_a_row("34,f\n"), None);
        assert_eq!(speak_for_a_row("34,f\n,\n"), None);
    }
}
