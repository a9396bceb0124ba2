//! What is counted of a single column while all rows are read.

use super::sampled_rows::SampledColumn;
use super::spread::Spread;
use crate::run::looks::{Looks, LooksLike, look_of};
use crate::run::roles::{ColumnReport, Evidence, LIKELY_MISSING, ProposedRole, ratio};
use crate::run::sample::{MOST_COUNTED, Sample, hash};
use incrowd_core::table::{DateForms, Kind, parse_number};

/// Distinct values of a column that are looked at to tell what they look like.
const MOST_LOOKED_AT: usize = 4096;

/// Distinct values of a column that are counted: all values of a table of two columns and a million rows, fifty thousand
/// in each of forty columns. More would not fit into a cache, and hardly make the figures better.
fn most_values(columns: usize) -> usize {
    (MOST_COUNTED / 2 / columns.max(1)).clamp(1 << 10, 1 << 20)
}

/// The state of a column while its rows are read.
#[derive(Debug, Clone)]
pub(super) struct ColumnCount {
    rows: u64,
    missing: u64,
    values: Sample<()>,
    /// A smaller sample of the values.
    looked_at: Sample<Seen>,
    are_numbers: bool,
    dates: DateForms,
    likely_missing: [bool; LIKELY_MISSING.len()],
}

/// What a value looks like, and the number it is.
#[derive(Debug, Clone, Copy)]
struct Seen {
    look: Option<LooksLike>,
    number: Option<f64>,
}

impl ColumnCount {
    /// Of one of so many columns.
    pub(super) fn new(columns: usize) -> Self {
        ColumnCount {
            rows: 0,
            missing: 0,
            values: Sample::new(most_values(columns)),
            looked_at: Sample::new(most_values(columns).min(MOST_LOOKED_AT)),
            are_numbers: true,
            dates: DateForms::default(),
            likely_missing: Default::default(),
        }
    }

    /// Counts a row; the cell is empty if it is missing.
    pub(super) fn add(&mut self, cell: &[u8]) {
        self.rows += 1;
        if cell.is_empty() {
            self.missing += 1;
            return;
        }
        let hash = hash(cell);
        let mut is_old = false;
        self.values.add_and(hash, 1, || (), |()| is_old = true);
        if is_old {
            return;
        }
        // From here on the value is new, or not known to be old.
        let text = std::str::from_utf8(cell).unwrap_or_default();
        if let Some(at) = LIKELY_MISSING.iter().position(|token| *token == text) {
            self.likely_missing[at] = true;
            return;
        }
        self.are_numbers = self.are_numbers && parse_number(text).is_some();
        self.dates.see(text);
        self.looked_at.add(hash, || Seen {
            look: look_of(text),
            number: parse_number(text).map(|number| number.get()),
        });
    }

    pub(super) fn absorb(&mut self, other: ColumnCount) {
        self.rows += other.rows;
        self.missing += other.missing;
        self.are_numbers &= other.are_numbers;
        self.dates.absorb(other.dates);
        for (ours, theirs) in self.likely_missing.iter_mut().zip(other.likely_missing) {
            *ours |= theirs;
        }
        self.values.absorb(other.values, |(), ()| ());
        self.looked_at.absorb(other.looked_at, |_, _| ());
    }

    pub(super) fn kind(&self) -> Kind {
        let any = self.missing < self.rows;
        match (self.are_numbers && any, self.dates.are_dates()) {
            (true, _) => Kind::Number,
            (_, true) => Kind::Date,
            _ => Kind::Text,
        }
    }

    /// Rows read.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    fn looks(&self) -> Option<LooksLike> {
        let mut looks = Looks::default();
        let seen = self.looked_at.counted();
        seen.for_each(|value| looks.see(value.thing.look));
        looks.of_column()
    }

    /// The number in the middle of those looked at.
    fn middle(&self) -> Option<f64> {
        let numbers = (self.looked_at.counted()).filter_map(|value| value.thing.number);
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        numbers.get(numbers.len() / 2).copied()
    }

    /// What was counted. If there are too many values to count them all, the number of values and of unique rows are
    /// estimated from a sample of values, the separation from the sampled rows: a sample of values that misses the most
    /// common one says nothing about pairs of rows.
    pub(super) fn report(&self, name: &str, sampled: &SampledColumn) -> ColumnReport {
        // A missing cell is a value of its own.
        let missing = (self.missing > 0).then_some(self.missing);
        let of_values = self.values.counted().map(|value| u64::from(value.rows));
        let spread = Spread::of(of_values.chain(missing));
        let is_exact = self.values.is_exact();
        let estimate = |found: u64| match is_exact {
            true => found,
            false => self.values.estimate(found).min(self.rows),
        };
        let distinct = estimate(spread.distinct);
        ColumnReport {
            name: name.to_owned(),
            kind: match self.kind() {
                Kind::Number => "number",
                Kind::Date => "date",
                Kind::Text => "text",
            }
            .to_owned(),
            missing: self.missing,
            likely_missing: LIKELY_MISSING
                .iter()
                .zip(self.likely_missing)
                .filter(|(_, seen)| *seen)
                .map(|(token, _)| (*token).to_owned())
                .collect(),
            distinct,
            is_exact,
            distinct_ratio: ratio(distinct, self.rows),
            separation_ratio: Some(match is_exact {
                true => spread.separation_ratio(),
                false => sampled.spread().separation_ratio(),
            }),
            unique_rows: Some(estimate(spread.unique)),
            role: ProposedRole::Plain,
            reason: String::new(),
            if_published: None,
            looks_like: None,
            levels: None,
        }
    }

    /// What there is to go by for a role.
    pub(super) fn evidence<'a>(&self, report: &'a ColumnReport) -> Evidence<'a> {
        Evidence {
            name: &report.name,
            kind: self.kind(),
            rows: self.rows,
            distinct: report.distinct,
            unique_rows: report.unique_rows.unwrap_or(self.rows),
            looks: self.looks(),
            middle: self.middle(),
        }
    }
}
