//! What the second pass read, and whether it matches the counts of the first pass.

use super::{ClassNumber, Release, ReleaseMap};
use crate::Error;
use crate::counts::Keys;
use crate::table::ValueCode;

/// Proof that the rows recoded are the rows that were counted and checked.
#[derive(Debug)]
pub struct Confirmation(());

/// How many rows of each class a recoder has seen, and their values of every counted column.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tally {
    rows_of_classes: Vec<u32>,
    /// One for each counted column.
    columns: Vec<ValueTally>,
    rows_excluded: u32,
    /// Of the rows counted, those that are blank.
    pub(super) rows_blank: u32,
    /// Their values, one for each counted column.
    blank: Vec<ValueTally>,
}

impl Tally {
    /// Nothing seen yet of the rows that a map is applied to.
    pub fn of(map: &ReleaseMap) -> Self {
        Tally {
            rows_of_classes: vec![0; map.classes().is_suppressed.len()],
            columns: vec![ValueTally::default(); map.counted().len()],
            rows_excluded: 0,
            rows_blank: 0,
            blank: vec![ValueTally::default(); map.counted().len()],
        }
    }

    /// Counts rows of a class with these values of the counted columns: their codes in the map.
    pub fn count(&mut self, class: ClassNumber, values: &[ValueCode], rows: u32) {
        self.rows_of_classes[class.index()] += rows;
        for (column, &value) in self.columns.iter_mut().zip(values) {
            column.count_rows(class.0, value.0, rows);
        }
    }

    /// Says of rows of a class, counted already, that they are blank: every cell of theirs is published as `*`.
    pub fn count_blank(&mut self, class: ClassNumber, values: &[ValueCode], rows: u32) {
        self.rows_blank += rows;
        for (column, &value) in self.blank.iter_mut().zip(values) {
            column.count_rows(class.0, value.0, rows);
        }
    }

    /// Counts rows that are excluded because a cell is missing.
    pub fn count_excluded(&mut self, rows: u32) {
        self.rows_excluded += rows;
    }

    /// Adds what another recoder of the same release has seen.
    pub fn add(&mut self, other: &Tally) {
        let classes = other.rows_of_classes.len().max(self.rows_of_classes.len());
        self.rows_of_classes.resize(classes, 0);
        for (class, &rows) in other.rows_of_classes.iter().enumerate() {
            self.rows_of_classes[class] += rows;
        }
        let columns = other.columns.len().max(self.columns.len());
        self.columns.resize_with(columns, ValueTally::default);
        for (column, theirs) in other.columns.iter().enumerate() {
            self.columns[column].add(theirs);
        }
        let columns = other.blank.len().max(self.blank.len());
        self.blank.resize_with(columns, ValueTally::default);
        for (column, theirs) in other.blank.iter().enumerate() {
            self.blank[column].add(theirs);
        }
        self.rows_excluded += other.rows_excluded;
        self.rows_blank += other.rows_blank;
    }

    pub(super) fn blank(&mut self, rows: u32) {
        self.rows_blank += rows;
    }

    /// Counts the values of a counted column in blank rows: class, value and how many they are.
    pub(super) fn blank_values(
        &mut self,
        column: usize,
        rows: impl Iterator<Item = (u32, u32, u32)>,
    ) {
        for (class, value, rows) in rows {
            self.blank[column].count_rows(class, value, rows);
        }
    }

    /// Blank rows of a class with this value of a counted column.
    pub(super) fn rows_blank_with(&self, column: usize, class: u32, value: u32) -> u32 {
        let column = self.blank.get(column);
        column.map_or(0, |column| column.rows(class, value))
    }

    #[inline]
    pub(super) fn count_class(&mut self, class: u32, rows: u32) {
        self.rows_of_classes[class as usize] += rows;
    }

    /// Counts a value of a counted column for each of some rows, given their classes; `rows` says how many equal ones each
    /// stands for.
    #[inline]
    pub(super) fn count_values(
        &mut self,
        column: usize,
        (classes, values): (&[u32], &[u32]),
        rows: impl Fn(usize) -> u32,
    ) {
        debug_assert_eq!(classes.len(), values.len());
        self.columns[column].count(classes, values, rows);
    }
}

/// How often each value of one column occurs in each class.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "Vec<(u32, u32, u32)>", into = "Vec<(u32, u32, u32)>")
)]
struct ValueTally {
    /// Class and value, packed into a word.
    pairs: Keys,
    /// The rows of each pair.
    rows: Vec<u32>,
    /// The keys and numbers of the current rows; memory is reused.
    keys: Vec<u64>,
    numbers: Vec<u32>,
}

impl Default for ValueTally {
    fn default() -> Self {
        ValueTally {
            pairs: Keys::new(1),
            rows: Vec::new(),
            keys: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

/// Class, value and rows of every pair.
#[cfg(feature = "serde")]
impl From<ValueTally> for Vec<(u32, u32, u32)> {
    fn from(tally: ValueTally) -> Self {
        let pairs = tally.pairs.iter().zip(&tally.rows);
        pairs
            .map(|(key, &rows)| ((key[0] >> 32) as u32, key[0] as u32, rows))
            .collect()
    }
}

#[cfg(feature = "serde")]
impl From<Vec<(u32, u32, u32)>> for ValueTally {
    fn from(pairs: Vec<(u32, u32, u32)>) -> Self {
        let mut tally = ValueTally::default();
        for (class, value, rows) in pairs {
            tally.count_rows(class, value, rows);
        }
        tally
    }
}

fn pair(class: u32, value: u32) -> u64 {
    u64::from(class) << 32 | u64::from(value)
}

impl ValueTally {
    #[inline]
    fn count(&mut self, classes: &[u32], values: &[u32], rows: impl Fn(usize) -> u32) {
        self.keys.clear();
        let pairs = classes.iter().zip(values);
        self.keys
            .extend(pairs.map(|(&class, &value)| pair(class, value)));
        self.number_keys();
        for (at, &number) in self.numbers.iter().enumerate() {
            self.rows[number as usize] += rows(at);
        }
    }

    fn count_rows(&mut self, class: u32, value: u32, rows: u32) {
        self.keys.clear();
        self.keys.push(pair(class, value));
        self.number_keys();
        self.rows[self.numbers[0] as usize] += rows;
    }

    fn add(&mut self, other: &ValueTally) {
        self.keys.clear();
        self.keys.extend(other.pairs.iter().map(|key| key[0]));
        self.number_keys();
        for (&number, &rows) in self.numbers.iter().zip(&other.rows) {
            self.rows[number as usize] += rows;
        }
    }

    /// Numbers the current pairs, and makes room for new ones.
    fn number_keys(&mut self) {
        self.pairs.number_all(&self.keys, &mut self.numbers);
        self.rows.resize(self.pairs.iter().len(), 0);
    }

    /// The rows of a class with this value.
    fn rows(&self, class: u32, value: u32) -> u32 {
        let number = self.pairs.find(&[pair(class, value)]);
        number.map_or(0, |number| self.rows[number as usize])
    }
}

impl Release<'_> {
    /// Confirms that the rows recoded are exactly the rows counted, class by class and value by value of every column
    /// that was counted, and that every model holds for their readers; without it, no writer finishes.
    pub fn confirm(&self, tally: &Tally) -> Result<Confirmation, Error> {
        let sizes = self.classes.all().map(|class| class.size());
        let is_complete = sizes.eq(tally.rows_of_classes.iter().copied())
            && self.table.rows_excluded == tally.rows_excluded
            && self.table.columns.len() == tally.columns.len()
            && (tally.columns.iter().enumerate()).all(|(column, seen)| self.agrees(column, seen));
        if !is_complete {
            return Err(Error::InputChanged);
        }
        self.seen(tally)?;
        Ok(Confirmation(()))
    }

    /// Whether every class has the values of this column that were counted. If its values occur as often as counted, a
    /// class has no rows with other values, since sizes are compared too.
    fn agrees(&self, column: usize, seen: &ValueTally) -> bool {
        (0..).zip(self.classes.all()).all(|(class, counted)| {
            let counted = counted.histogram(column);
            let mut counted = counted.values.iter().zip(counted.counts);
            counted.all(|(&value, &rows)| seen.rows(class, value) == rows)
        })
    }
}
