//! Which raw row a released row could be.
//!
//! Whoever judges a file does not know which rows are which: they may be shuffled, and some are suppressed. Yet what is
//! learned from released rows must be tested on raw rows that are not among them. So every released row is paired with
//! a raw row that it could be, by all its judged cells. Where a raw value is always published the same way, this is as
//! good as knowing: rows that could be exchanged have the same released cells.

use incrowd_learn::{Column, Domain, Meaning};
use std::collections::BTreeMap;

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
    // Where texts share no value, a raw row can only be a released row with the texts of its values there.
    let decided = || (codes.code_of_value.iter().enumerate()).filter(|(_, codes)| codes.is_some());
    let mut buckets: BTreeMap<Vec<u32>, Bucket> = BTreeMap::new();
    for row in 0..released_rows {
        let of_row = |at: usize| codes.released[at].codes[row as usize];
        let key = decided().map(|(at, _)| of_row(at)).collect();
        buckets.entry(key).or_default().add(codes, row);
    }
    for row in 0..raw_rows {
        let code = |(at, codes_of): (usize, &Option<Vec<u32>>)| {
            let value = codes.raw[at].codes[row as usize] as usize;
            codes_of.as_ref().map_or(NONE, |codes| codes[value])
        };
        let key: Vec<u32> = decided().map(code).collect();
        if let Some(bucket) = buckets.get_mut(&key) {
            bucket.raw.push(row);
        }
    }
    let mut pairs = vec![None; released_rows as usize];
    let mut left = MOST_EXCHANGES;
    for bucket in buckets.values() {
        for (released_row, raw_row) in bucket.matched(codes, &mut left) {
            pairs[released_row as usize] = Some(raw_row);
        }
    }
    pairs
}

/// How often it is looked whether rows could be each other, to pair rows that are left: some seconds.
const MOST_EXCHANGES: u64 = 300_000_000;

/// Rows of both tables that could be each other as far as texts share no value.
#[derive(Default)]
struct Bucket {
    raw: Vec<u32>,
    /// Released rows with the same texts.
    groups: Vec<Vec<u32>>,
}

impl Bucket {
    /// One more released row.
    fn add(&mut self, codes: &Codes<'_>, row: u32) {
        let same = |group: &&mut Vec<u32>| {
            let first = group[0] as usize;
            let mut columns = codes.released.iter();
            columns.all(|column| column.codes[first] == column.codes[row as usize])
        };
        match self.groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => self.groups.push(vec![row]),
        }
    }

    /// Released rows, each with a raw row. Every raw row goes to the first group that it could be of; a group that is
    /// left short takes a row from another one, which takes one from the next, until one takes a row that nobody has.
    fn matched(&self, codes: &Codes<'_>, left: &mut u64) -> Vec<(u32, u32)> {
        let mut wanted: Vec<usize> = self.groups.iter().map(Vec::len).collect();
        let could_be =
            |at: usize, group: usize| codes.could_be(self.raw[at], self.groups[group][0]);
        let mut owners: Vec<Option<usize>> = vec![None; self.raw.len()];
        for (at, owner) in owners.iter_mut().enumerate() {
            let mut groups = 0..self.groups.len();
            *owner = groups.find(|&group| wanted[group] > 0 && could_be(at, group));
            if let Some(group) = *owner {
                wanted[group] -= 1;
            }
        }
        for (group, wanted) in wanted.into_iter().enumerate() {
            for _ in 0..wanted {
                if !exchange(group, &mut owners, self.groups.len(), left, &could_be) {
                    break;
                }
            }
        }
        let mut unpaired: Vec<std::slice::Iter<'_, u32>> =
            self.groups.iter().map(|group| group.iter()).collect();
        let owned = (self.raw.iter()).zip(owners);
        let pairs = owned.filter_map(|(&raw, owner)| Some((*unpaired[owner?].next()?, raw)));
        pairs.collect()
    }
}

/// Gives a group one more row; whether that was possible.
fn exchange(
    group: usize,
    owners: &mut [Option<usize>],
    groups: usize,
    left: &mut u64,
    could_be: &dyn Fn(usize, usize) -> bool,
) -> bool {
    // The row that each group met would give up, and to whom.
    let mut gives: Vec<Option<(usize, usize)>> = vec![None; groups];
    let mut met = vec![group];
    let mut next = 0;
    while let Some(&taker) = met.get(next) {
        next += 1;
        for at in 0..owners.len() {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            match owners[at] {
                Some(owner) if owner == group || gives[owner].is_some() => {}
                Some(owner) if could_be(at, taker) => {
                    gives[owner] = Some((at, taker));
                    met.push(owner);
                }
                None if could_be(at, taker) => {
                    owners[at] = Some(taker);
                    let mut giver = taker;
                    while let Some((at, taker)) = gives[giver].filter(|_| giver != group) {
                        owners[at] = Some(taker);
                        giver = taker;
                    }
                    return true;
                }
                _ => {}
            }
        }
    }
    false
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
    fn equal_rows_are_paired_with_rows_of_their_own() {
        let raw = [(0, 0), (1, 0), (0, 0), (5, 1)];
        let same = ((0, 1), 0);
        let [raw_columns, released] = tables(&raw, &[same, same, same]);
        assert_eq!(pair(&raw_columns, &released), [Some(0), Some(1), Some(2)]);
        let [raw_columns, released] = tables(&raw, &[((5, 5), 1), same, same, same, same]);
        let mut pairs = pair(&raw_columns, &released);
        pairs.sort_unstable();
        assert_eq!(pairs, [None, Some(0), Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn whatever_can_be_paired_is_paired() {
        // Rows of an interval are published in any order; each has a raw row that it is, so all can be paired.
        for seed in 0..200 {
            let mut draw = incrowd_core::draw::Draw::new(seed);
            let raw: Vec<(u32, u32)> = (0..12)
                .map(|_| (draw.below(6) as u32, draw.below(2) as u32))
                .collect();
            let mut released: Vec<((u32, u32), u32)> = (raw.iter())
                .map(|&(number, text)| {
                    let low = number - draw.below(number as usize + 1) as u32;
                    let high = number + draw.below(6 - number as usize) as u32;
                    ((low, high), text)
                })
                .collect();
            for at in (1..released.len()).rev() {
                released.swap(at, draw.below(at + 1));
            }
            let [raw_columns, columns] = tables(&raw, &released);
            let pairs = pair(&raw_columns, &columns);
            let mut rows: Vec<u32> = pairs.iter().copied().flatten().collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), raw.len(), "seed {seed}: {pairs:?}");
            for (pair, ((low, high), text)) in pairs.iter().zip(&released) {
                let (number, of) = raw[pair.unwrap() as usize];
                assert!(
                    (*low..=*high).contains(&number) && of == *text,
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn a_row_that_nobody_could_be_has_no_pair() {
        let [raw, released] = tables(&[(0, 0), (1, 1)], &[((2, 3), 0), ((0, 1), 1), ((0, 0), 0)]);
        assert_eq!(pair(&raw, &released), [None, Some(1), Some(0)]);
    }
}
