//! How much one column tells about another.

use super::sample::Sample;
use hashbrown::HashMap;

/// Sampled rows, with the values of each column numbered.
pub(super) struct Told {
    /// The rows behind each sampled row.
    rows: Vec<u32>,
    columns: Vec<Numbered>,
}

struct Numbered {
    distinct: usize,
    /// The number of the value in each sampled row.
    values: Vec<u32>,
}

impl Told {
    pub(super) fn of(tuples: &Sample<Box<[u64]>>, columns: usize) -> Self {
        let mut sampled: Vec<(&[u64], u32)> = (tuples.counted())
            .map(|counted| (&*counted.thing, counted.rows))
            .collect();
        // Hash tables have no order; what is computed from here on must have one.
        sampled.sort_unstable();
        let number = |column: usize| {
            let mut numbers = HashMap::new();
            let values = sampled.iter().map(|(tuple, _)| {
                let next = numbers.len() as u32;
                *numbers.entry(tuple[column]).or_insert(next)
            });
            let values = values.collect();
            Numbered {
                distinct: numbers.len(),
                values,
            }
        };
        Told {
            columns: (0..columns).map(number).collect(),
            rows: sampled.iter().map(|&(_, rows)| rows).collect(),
        }
    }

    /// How much of each column from `first_protected` on the column `kept` tells: the share of rows guessed right by
    /// taking the most common value among the rows that share the kept value, of those rows that the most common value
    /// of all does not guess anyway (lambda, L. Goodman and W. Kruskal, Measures of Association for Cross
    /// Classifications, JASA 49, 1954). Rows whose kept value is theirs alone are guessed right by anything and left
    /// out; none when nothing is left to be told.
    pub(super) fn shares(&self, kept: usize, first_protected: usize) -> Vec<Option<f64>> {
        let column = &self.columns[kept];
        let mut rows_of_values = vec![0u64; column.distinct];
        for (&value, &rows) in column.values.iter().zip(&self.rows) {
            rows_of_values[value as usize] += u64::from(rows);
        }
        let is_shared = |&at: &usize| rows_of_values[column.values[at] as usize] > 1;
        let mut shared: Vec<usize> = (0..self.rows.len()).filter(is_shared).collect();
        shared.sort_by_key(|&at| column.values[at]);
        let protected = self.columns[first_protected..].iter();
        protected
            .map(|told| self.share(column, &shared, told))
            .collect()
    }

    /// `shared` are the sampled rows to look at, those of one kept value after the other.
    fn share(&self, kept: &Numbered, shared: &[usize], told: &Numbered) -> Option<f64> {
        let mut of_all = vec![0u64; told.distinct];
        let mut of_value = vec![0u64; told.distinct];
        let (mut rows, mut guessed) = (0, 0);
        for alike in shared.chunk_by(|&a, &b| kept.values[a] == kept.values[b]) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much the first letter of each row tells about the second.
    fn told(rows: &[&str]) -> Option<f64> {
        let mut tuples = Sample::new(1000);
        for (at, row) in rows.iter().enumerate() {
            let letters = row.bytes().map(u64::from);
            tuples.add(at as u64, || letters.collect());
        }
        Told::of(&tuples, 2).shares(0, 1)[0]
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
