//! A column that is learned from: what its cells stand for.
//!
//! A raw cell is one of the column's values. A released cell may stand for several: an interval, a label of the
//! hierarchy, a set, `*`. Both are a [`Meaning`], and every learner sees nothing else, so raw and released rows are
//! always encoded the same way:
//!
//! - in a column of numbers or dates a cell is the midpoint between the least and the greatest number it stands for;
//!   a cell that stands for no number at all (a missing one) counts as the midpoint of the whole column;
//! - in any other column a cell is a distribution over the values, with an equal share for each it stands for.

use std::sync::Arc;

/// The values of a column, numbered from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// Numbers, or dates as days; NaN for a value that is none, such as a missing one.
    Numbers(Vec<f64>),
    /// So many texts.
    Texts(usize),
}

impl Domain {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Domain::Numbers(numbers) => numbers.len(),
            Domain::Texts(values) => *values,
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is numbers or dates.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Domain::Numbers(_))
    }

    /// The least and the greatest number of some values; none if none is a number.
    fn span(&self, values: impl Iterator<Item = u32>) -> Option<(f64, f64)> {
        let Domain::Numbers(numbers) = self else {
            return None;
        };
        let present = values.map(|value| numbers[value as usize]);
        let present = present.filter(|number| !number.is_nan());
        present.fold(None, |span: Option<(f64, f64)>, number| match span {
            None => Some((number, number)),
            Some((low, high)) => Some((low.min(number), high.max(number))),
        })
    }
}

/// What a cell stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The values, ascending, at least one.
    pub values: Vec<u32>,
    /// The least number of them; 0 in columns that are not numeric.
    pub low: f64,
    /// The greatest number of them.
    pub high: f64,
}

impl Meaning {
    /// What a cell means that stands for these values, ascending and at least one.
    pub fn of_values(domain: &Domain, values: Vec<u32>) -> Self {
        let all = || domain.span(0..domain.len() as u32);
        let span = domain.span(values.iter().copied()).or_else(all);
        let (low, high) = span.unwrap_or((0.0, 0.0));
        Meaning { values, low, high }
    }

    /// What a number means that need not be a value of the column, such as a mean: itself, and where values are
    /// needed, the nearest one.
    pub fn of_number(domain: &Domain, number: f64) -> Self {
        let distance = |value: &u32| match domain {
            Domain::Numbers(numbers) => (numbers[*value as usize] - number).abs(),
            Domain::Texts(_) => 0.0,
        };
        let numbers = (0..domain.len() as u32).filter(|value| !distance(value).is_nan());
        let nearest = numbers.min_by(|one, other| distance(one).total_cmp(&distance(other)));
        Meaning {
            values: nearest.into_iter().collect(),
            low: number,
            high: number,
        }
    }

    /// The number it counts as.
    pub fn number(&self) -> f64 {
        self.low.midpoint(self.high)
    }

    /// The share of each of its values.
    pub fn share(&self) -> f64 {
        1.0 / self.values.len().max(1) as f64
    }

    /// The share of some values, ascending.
    pub fn share_of(&self, values: &[u32]) -> f64 {
        let (few, many) = match self.values.len() < values.len() {
            true => (self.values.as_slice(), values),
            false => (values, self.values.as_slice()),
        };
        let common = few.iter().filter(|value| many.binary_search(value).is_ok());
        common.count() as f64 * self.share()
    }
}

/// A column with its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The values that its cells stand for.
    pub domain: Arc<Domain>,
    /// What each text in it means.
    pub meanings: Vec<Meaning>,
    /// The number of the meaning of every row.
    pub codes: Vec<u32>,
}

impl Column {
    /// Raw rows: the value of each.
    pub fn raw(domain: Arc<Domain>, values: Vec<u32>) -> Self {
        let meanings = (0..domain.len() as u32)
            .map(|value| Meaning::of_values(&domain, vec![value]))
            .collect();
        Column {
            domain,
            meanings,
            codes: values,
        }
    }

    /// What the cell of a row stands for.
    #[inline]
    pub fn meaning(&self, row: u32) -> &Meaning {
        &self.meanings[self.codes[row as usize] as usize]
    }

    /// How many rows are expected to have each value, if every cell is spread over the values it stands for.
    pub fn expected_rows(&self) -> Vec<f64> {
        let mut rows_of_codes = vec![0u32; self.meanings.len()];
        for &code in &self.codes {
            rows_of_codes[code as usize] += 1;
        }
        let mut expected = vec![0.0; self.domain.len()];
        for (meaning, rows) in self.meanings.iter().zip(rows_of_codes) {
            for &value in &meaning.values {
                expected[value as usize] += f64::from(rows) * meaning.share();
            }
        }
        expected
    }
}
