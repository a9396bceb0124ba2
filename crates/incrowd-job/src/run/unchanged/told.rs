//! How much one column reveals about another.

use super::given_away::GivenAway;
use crate::run::sample::join;
use hashbrown::HashMap;

/// The values of a column, numbered.
pub(crate) struct Numbered {
    distinct: usize,
    /// The number of the value in each counted tuple.
    values: Vec<u32>,
}

impl Numbered {
    /// A column whose values are numbered already, from 0 on.
    pub(crate) fn new(values: Vec<u32>) -> Self {
        let distinct = values.iter().max().map_or(0, |&most| most as usize + 1);
        Numbered { distinct, values }
    }

    /// Several columns as one, whose values are their tuples.
    pub(super) fn together(columns: &[&Numbered]) -> Self {
        let tuples = columns.first().map_or(0, |column| column.values.len());
        let hashes = (0..tuples).map(|at| {
            let values = columns.iter().map(|column| u64::from(column.values[at]));
            values.fold(0, join)
        });
        Numbered::of_hashes(hashes)
    }

    /// A column of which the values are distinguished by hashes.
    pub(super) fn of_hashes(hashes: impl Iterator<Item = u64>) -> Self {
        let mut numbers = HashMap::new();
        let values = hashes.map(|hash| {
            let next = numbers.len() as u32;
            *numbers.entry(hash).or_insert(next)
        });
        let values = values.collect();
        Numbered {
            distinct: numbers.len(),
            values,
        }
    }

    #[cfg(test)]
    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }
}

/// A column that may reveal others.
pub(crate) struct Teller<'a> {
    /// The rows of each counted tuple.
    rows: &'a [u32],
    column: &'a Numbered,
    /// The tuples whose value several rows have, those of one value after the other.
    shared: Vec<usize>,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(rows: &'a [u32], column: &'a Numbered) -> Self {
        let mut rows_of_values = vec![0u64; column.distinct];
        for (&value, &rows) in column.values.iter().zip(rows) {
            rows_of_values[value as usize] += u64::from(rows);
        }
        let is_shared = |&at: &usize| rows_of_values[column.values[at] as usize] > 1;
        let mut shared: Vec<usize> = (0..rows.len()).filter(is_shared).collect();
        shared.sort_by_key(|&at| column.values[at]);
        Teller {
            rows,
            column,
            shared,
        }
    }

    /// The tuples of each value that several rows have.
    fn values(&self) -> impl Iterator<Item = &[usize]> {
        let value = |at: usize| self.column.values[at];
        self.shared.chunk_by(move |&a, &b| value(a) == value(b))
    }

    /// Rows whose value another row has as well, except the first of each value: the evidence that rows with one value
    /// have another value in common.
    pub(crate) fn rows_to_go_by(&self) -> u64 {
        let rows = self.shared.iter().map(|&at| u64::from(self.rows[at]));
        rows.sum::<u64>() - self.values().count() as u64
    }

    /// How much of another column it reveals: the share of rows guessed right by the most common value among the rows
    /// that share a value of the teller, of those rows that the most common value of all does not guess right anyway
    /// (lambda, L. Goodman and W. Kruskal, Measures of Association for Cross Classifications, JASA 49, 1954). Rows with
    /// a unique value are guessed right by anything and left out; none if nothing remains to be revealed.
    pub(crate) fn share(&self, told: &Numbered) -> Option<f64> {
        let mut of_all = vec![0u64; told.distinct];
        let mut of_value = vec![0u64; told.distinct];
        let (mut rows, mut guessed) = (0, 0);
        for alike in self.values() {
            let mut most = 0;
            for &at in alike {
                let (value, count) = (told.values[at] as usize, u64::from(self.rows[at]));
                of_all[value] += count;
                of_value[value] += count;
                most = most.max(of_value[value]);
                rows += count;
            }
            guessed += most;
            for &at in alike {
                of_value[told.values[at] as usize] = 0;
            }
        }
        let guessed_anyway = of_all.into_iter().max().unwrap_or(0);
        let to_tell = rows - guessed_anyway;
        (to_tell > 0).then(|| (guessed - guessed_anyway) as f64 / to_tell as f64)
    }

    /// What it reveals about another column with certainty.
    pub(super) fn given_away(&self, of: &Numbered) -> GivenAway {
        let mut of_all = vec![0u64; of.distinct];
        for (&value, &rows) in of.values.iter().zip(self.rows) {
            of_all[value as usize] += u64::from(rows);
        }
        let all: u64 = of_all.iter().sum();
        let most_common = of_all.into_iter().max().unwrap_or(0);
        let values = self.values().map(|alike| {
            let rows = alike.iter().map(|&at| u64::from(self.rows[at])).sum();
            let is_one = alike.iter().all(|&at| of.values[at] == of.values[alike[0]]);
            (rows, is_one)
        });
        GivenAway::of(values, most_common as f64 / all.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much the first letter of each row tells about the second.
    fn told(rows: &[&str]) -> Option<f64> {
        let letter = |at: usize| rows.iter().map(move |row| u64::from(row.as_bytes()[at]));
        let [first, second] = [0, 1].map(|at| Numbered::of_hashes(letter(at)));
        Teller::new(&vec![1; rows.len()], &first).share(&second)
    }

    #[test]
    fn a_copy_and_a_finer_column_tell_everything_and_a_coarser_one_half() {
        assert_eq!(told(&["ax", "ax", "by", "by"]), Some(1.0));
        // a and c are both x.
        assert_eq!(told(&["ax", "ax", "cx", "cx", "by", "by"]), Some(1.0));
        // The other way round: of x, y, z, w the coarser a tells one of x and y. Of 8 rows 2 are guessed anyway.
        let coarser = ["ax", "ax", "ay", "ay", "bz", "bz", "bw", "bw"];
        assert_eq!(told(&coarser), Some((4.0 - 2.0) / 6.0));
    }

    #[test]
    fn two_columns_may_tell_together_what_neither_tells() {
        let column = |values: [u32; 8]| Numbered::new(values.into());
        let one = column([0, 0, 1, 1, 0, 0, 1, 1]);
        let other = column([0, 1, 0, 1, 0, 1, 0, 1]);
        let differ = column([0, 1, 1, 0, 0, 1, 1, 0]);
        let share = |teller: &Numbered| Teller::new(&[1; 8], teller).share(&differ);
        assert_eq!((share(&one), share(&other)), (Some(0.0), Some(0.0)));
        assert_eq!(share(&Numbered::together(&[&one, &other])), Some(1.0));
    }

    #[test]
    fn what_is_as_frequent_everywhere_is_not_told() {
        assert_eq!(told(&["ax", "ay", "bx", "by"]), Some(0.0));
        assert_eq!(
            told(&["ax", "ax", "bx", "bx"]),
            None,
            "there is nothing to tell"
        );
        // d and e are in one row each and would be guessed right by anything.
        assert_eq!(told(&["ax", "ay", "bx", "by", "dx", "ey"]), Some(0.0));
    }

    #[test]
    fn one_wrong_row_of_many_does_not_hide_a_copy() {
        let mut rows = vec!["ax"; 50];
        rows.extend(["by"; 50]);
        rows.push("ay");
        // 100 of 101 are guessed right, 51 anyway.
        assert_eq!(told(&rows), Some(49.0 / 50.0));
    }
}
