//! Which raw row a released row could be.
//!
//! Whoever judges a file does not know which rows are which: they may be shuffled, and some are suppressed. Yet what is
//! learned from released rows must be tested on raw rows that are not among them. So every released row is paired with
//! a raw row that it could be, by all its judged cells. Where a raw value is always published the same way, this is as
//! good as knowing: rows that could be exchanged have the same released cells.

use incrowd_learn::{Column, Domain, Meaning};
use std::collections::HashMap;

/// For each released row a raw row that it could be, none of them twice; none where no raw row is left.
pub(super) fn pair(raw: &[Column], released: &[Column]) -> Vec<Option<u32>> {
    let rows = |columns: &[Column]| columns.first().map_or(0, |column| column.codes.len()) as u32;
    let (raw_rows, released_rows) = (rows(raw), rows(released));
    let codes = Codes::new(raw, released);
    in_order(&codes, raw_rows, released_rows)
        .unwrap_or_else(|| by_cells(&codes, raw_rows, released_rows))
}

/// The rows of both tables, and which cells of one could be those of the other.
struct Codes<'a> {
    raw: &'a [Column],
    released: &'a [Column],
    /// For each column whose published texts share no value, the code that each value is published as.
    code_of_value: Vec<Option<Vec<u32>>>,
}

/// No code.
const NONE: u32 = u32::MAX;

impl<'a> Codes<'a> {
    fn new(raw: &'a [Column], released: &'a [Column]) -> Self {
        Codes {
            raw,
            released,
            code_of_value: released.iter().map(disjoint).collect(),
        }
    }

    fn could_be(&self, raw_row: u32, released_row: u32) -> bool {
        let mut columns = self.raw.iter().zip(self.released);
        columns.all(|(raw, released)| {
            let value = raw.codes[raw_row as usize];
            is_meant(&released.domain, released.meaning(released_row), value)
        })
    }
}

/// Whether a cell could have this value. A number that is no value of the column, such as a mean, could have any.
fn is_meant(domain: &Domain, meaning: &Meaning, value: u32) -> bool {
    is_computed(domain, meaning) || meaning.values.binary_search(&value).is_ok()
}

fn is_computed(domain: &Domain, meaning: &Meaning) -> bool {
    match (domain, meaning.values.as_slice()) {
        (Domain::Numbers(numbers), [value]) => {
            let number = numbers[*value as usize];
            !number.is_nan() && number != meaning.low
        }
        _ => false,
    }
}

/// The code that each value is published as, if it is always the same one.
fn disjoint(released: &Column) -> Option<Vec<u32>> {
    let mut is_used = vec![false; released.meanings.len()];
    for &code in &released.codes {
        is_used[code as usize] = true;
    }
    let mut code_of_value = vec![NONE; released.domain.len()];
    for (code, meaning) in released.meanings.iter().enumerate() {
        if !is_used[code] {
            continue;
        }
        if is_computed(&released.domain, meaning) {
            return None;
        }
        for &value in &meaning.values {
            if code_of_value[value as usize] != NONE {
                return None;
            }
            code_of_value[value as usize] = code as u32;
        }
    }
    Some(code_of_value)
}

/// If the release has the order of the table: each released row is the next raw row that it could be.
fn in_order(codes: &Codes<'_>, raw_rows: u32, released_rows: u32) -> Option<Vec<Option<u32>>> {
    let mut next = 0;
    (0..released_rows)
        .map(|released_row| {
            let found = (next..raw_rows).find(|&row| codes.could_be(row, released_row))?;
            next = found + 1;
            Some(Some(found))
        })
        .collect()
}

/// Whatever the order is.
fn by_cells(codes: &Codes<'_>, raw_rows: u32, released_rows: u32) -> Vec<Option<u32>> {
    // Released rows with the same texts where texts share no value; then those with all texts the same, with the rows
    // that are left.
    let mut alike: HashMap<Vec<u32>, Vec<Vec<u32>>> = HashMap::new();
    let decided = || (codes.code_of_value.iter().enumerate()).filter(|(_, codes)| codes.is_some());
    for row in (0..released_rows).rev() {
        let of_row = |at: usize| codes.released[at].codes[row as usize];
        let key = decided().map(|(at, _)| of_row(at)).collect();
        let groups = alike.entry(key).or_default();
        let same = |group: &&mut Vec<u32>| {
            let first = group[0] as usize;
            let mut columns = codes.released.iter();
            columns.all(|column| column.codes[first] == column.codes[row as usize])
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let mut pairs = vec![None; released_rows as usize];
    for row in 0..raw_rows {
        let code = |(at, codes_of): (usize, &Option<Vec<u32>>)| {
            let value = codes.raw[at].codes[row as usize] as usize;
            codes_of.as_ref().map_or(NONE, |codes| codes[value])
        };
        let key: Vec<u32> = decided().map(code).collect();
        let Some(groups) = alike.get_mut(&key) else {
            continue;
        };
        let could_be = |group: &Vec<u32>| codes.could_be(row, group[0]);
        if let Some(at) = groups.iter().position(could_be) {
            if let Some(released_row) = groups[at].pop() {
                pairs[released_row as usize] = Some(row);
            }
            if groups[at].is_empty() {
                groups.remove(at);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Rows of a number below 6, published as intervals by their first and last value, and a text below 3, published
    /// as it is.
    fn tables(raw: &[(u32, u32)], released: &[((u32, u32), u32)]) -> [Vec<Column>; 2] {
        let numbers = Arc::new(Domain::Numbers((0..6).map(f64::from).collect()));
        let texts = Arc::new(Domain::Texts(3));
        let meanings = released
            .iter()
            .map(|((low, high), _)| Meaning::of_values(&numbers, (*low..=*high).collect()));
        let released_texts = released.iter().map(|row| row.1).collect();
        [
            vec![
                Column::raw(numbers.clone(), raw.iter().map(|row| row.0).collect()),
                Column::raw(texts.clone(), raw.iter().map(|row| row.1).collect()),
            ],
            vec![
                Column {
                    domain: numbers.clone(),
                    meanings: meanings.collect(),
                    codes: (0..released.len() as u32).collect(),
                },
                Column::raw(texts.clone(), released_texts),
            ],
        ]
    }

    #[test]
    fn rows_in_order_are_paired_in_order_and_suppressed_ones_skipped() {
        let [raw, released] = tables(
            &[(0, 0), (5, 2), (1, 1), (4, 0)],
            &[((0, 1), 0), ((0, 1), 1), ((3, 5), 0)],
        );
        assert_eq!(pair(&raw, &released), [Some(0), Some(2), Some(3)]);
    }

    #[test]
    fn shuffled_rows_are_paired_by_what_they_could_be() {
        let [raw, released] = tables(
            &[(0, 0), (5, 2), (1, 1), (4, 0)],
            &[((3, 5), 0), ((0, 1), 1), ((3, 5), 2), ((0, 1), 0)],
        );
        assert_eq!(pair(&raw, &released), [Some(3), Some(2), Some(1), Some(0)]);
    }

    #[test]
    fn a_row_that_nobody_could_be_has_no_pair() {
        let [raw, released] = tables(&[(0, 0), (1, 1)], &[((2, 3), 0), ((0, 1), 1), ((0, 0), 0)]);
        assert_eq!(pair(&raw, &released), [None, Some(1), Some(0)]);
    }
}
