//! Recursive partitioning: did a pattern survive?
//!
//! All rows are one bucket. Again and again, one bucket is cut in two: over all buckets, columns and boundaries the cut
//! with the greatest product of rows and drop of entropy of the classes; of several, that of the first bucket, then
//! of the first column, then at the lowest boundary. Numbers are cut between two neighbors, other columns into one text
//! and the rest. On released rows an interval counts by its midpoint, and rows whose interval spans a cut of their
//! bucket are counted too, since nobody knows on which side of it they are.

use crate::classify::{Sample, most};
use crate::column::Column;
use crate::entropy::{add, bits, without};
use std::fmt;

/// What a bucket's rows have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// The number of a column is at least that of a code.
    AtLeast(usize, u32),
    /// The number of a column is below that of a code.
    Below(usize, u32),
    /// A column has this code.
    Is(usize, u32),
    /// A column does not.
    IsNot(usize, u32),
}

/// Rows that were not cut further.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    /// All of them hold.
    pub conditions: Vec<Condition>,
    /// The rows.
    pub rows: Vec<u32>,
    /// The class that most of them have.
    pub majority: u32,
    /// The rows that have it.
    pub majority_rows: u32,
    /// Rows whose interval spans a boundary of the conditions.
    pub overlapping_rows: u32,
}

struct Cut {
    gain: f64,
    /// What holds for one part, and what for the rest.
    sides: [Condition; 2],
}

/// Cuts the rows of a sample so often, or as often as it tells anything. Buckets with more specific conditions come in
/// the order in which they were cut off; the rest is last.
pub fn partition(sample: &Sample<'_>, cuts: usize) -> Vec<Bucket> {
    let mut buckets = vec![open(sample, Vec::new(), sample.rows.to_vec())];
    for _ in 0..cuts {
        let mut best: Option<(usize, f64)> = None;
        for (at, (_, cut)) in buckets.iter().enumerate() {
            if let Some(cut) = cut
                && best.is_none_or(|(_, gain)| cut.gain > gain * (1.0 + 1e-12))
            {
                best = Some((at, cut.gain));
            }
        }
        let Some((at, _)) = best else {
            break;
        };
        let (bucket, cut) = buckets.remove(at);
        let Some(cut) = cut else {
            break;
        };
        for (offset, side) in cut.sides.into_iter().enumerate() {
            let rows = bucket.rows.iter().copied();
            let rows = rows.filter(|&row| side.holds(sample.features, row));
            let conditions = joined(&bucket.conditions, side, sample.features);
            buckets.insert(at + offset, open(sample, conditions, rows.collect()));
        }
    }
    buckets.into_iter().map(|(bucket, _)| bucket).collect()
}

/// A bucket and the best cut of it.
fn open(sample: &Sample<'_>, conditions: Vec<Condition>, rows: Vec<u32>) -> (Bucket, Option<Cut>) {
    let part = Sample {
        rows: &rows,
        ..*sample
    };
    let counts = part.class_rows();
    let cut = best(&part, &counts);
    let majority = most(&counts);
    let overlaps = |row: &&u32| {
        conditions
            .iter()
            .any(|it| it.is_spanned(sample.features, **row))
    };
    let bucket = Bucket {
        majority,
        majority_rows: counts.get(majority as usize).copied().unwrap_or(0),
        overlapping_rows: rows.iter().filter(overlaps).count() as u32,
        conditions,
        rows,
    };
    (bucket, cut)
}

fn best(part: &Sample<'_>, counts: &[u32]) -> Option<Cut> {
    let whole = bits(counts);
    let mut best: Option<Cut> = None;
    for (column, feature) in part.features.iter().enumerate() {
        let mut by_code = vec![Vec::new(); feature.meanings.len()];
        for &row in part.rows {
            let of_code: &mut Vec<u32> = &mut by_code[feature.codes[row as usize] as usize];
            of_code.resize(part.class_count, 0);
            of_code[part.classes[row as usize] as usize] += 1;
        }
        let mut present: Vec<u32> = (0..feature.meanings.len() as u32).collect();
        present.retain(|&code| !by_code[code as usize].is_empty());
        if present.len() < 2 {
            continue;
        }
        let mut look = |some: &[u32], sides: [Condition; 2]| {
            let gain = whole - bits(some) - bits(&without(counts, some));
            let is_better = |best: &Cut| gain > best.gain * (1.0 + 1e-12);
            if gain > 1e-9 && best.as_ref().is_none_or(is_better) {
                best = Some(Cut { gain, sides });
            }
        };
        if !feature.domain.is_numeric() {
            for &code in &present {
                let sides = [Condition::Is(column, code), Condition::IsNot(column, code)];
                look(&by_code[code as usize], sides);
            }
            continue;
        }
        let number = |code: u32| feature.meanings[code as usize].number();
        present.sort_by(|&one, &other| number(one).total_cmp(&number(other)));
        let mut below = vec![0; part.class_count];
        for pair in present.windows(2) {
            add(&mut below, &by_code[pair[0] as usize]);
            if number(pair[0]) < number(pair[1]) {
                let code = pair[1];
                let sides = [
                    Condition::AtLeast(column, code),
                    Condition::Below(column, code),
                ];
                look(&below, sides);
            }
        }
    }
    best
}

impl Condition {
    fn holds(self, features: &[Column], row: u32) -> bool {
        let number = |column: usize, code: u32| features[column].meanings[code as usize].number();
        let of_row = |column: usize| features[column].meaning(row).number();
        match self {
            Condition::AtLeast(column, code) => of_row(column) >= number(column, code),
            Condition::Below(column, code) => of_row(column) < number(column, code),
            Condition::Is(column, code) => features[column].codes[row as usize] == code,
            Condition::IsNot(column, code) => features[column].codes[row as usize] != code,
        }
    }

    /// Whether the interval of a row has numbers on both sides of the boundary.
    fn is_spanned(self, features: &[Column], row: u32) -> bool {
        match self {
            Condition::AtLeast(column, code) | Condition::Below(column, code) => {
                let boundary = features[column].meanings[code as usize].number();
                let of_row = features[column].meaning(row);
                of_row.low < boundary && boundary <= of_row.high && of_row.low < of_row.high
            }
            _ => false,
        }
    }

    /// The column it is about.
    pub fn column(self) -> usize {
        match self {
            Condition::AtLeast(column, _)
            | Condition::Below(column, _)
            | Condition::Is(column, _)
            | Condition::IsNot(column, _) => column,
        }
    }
}

/// Conditions with one more, without those that it makes superfluous.
fn joined(conditions: &[Condition], more: Condition, features: &[Column]) -> Vec<Condition> {
    let number = |column: usize, code: u32| features[column].meanings[code as usize].number();
    let is_implied = |old: &Condition| match (*old, more) {
        (Condition::AtLeast(of, old), Condition::AtLeast(column, new)) => {
            of == column && number(of, old) <= number(column, new)
        }
        (Condition::Below(of, old), Condition::Below(column, new)) => {
            of == column && number(of, old) >= number(column, new)
        }
        (Condition::IsNot(of, _), Condition::Is(column, _)) => of == column,
        _ => false,
    };
    let kept = conditions.iter().filter(|old| !is_implied(old)).copied();
    kept.chain([more]).collect()
}

/// Released rows that conditions on raw values hold for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// Rows for which they hold, whatever the cells stand for.
    pub certain: Vec<u32>,
    /// How many more they may hold for.
    pub open: u64,
}

/// Those of so many rows of a release that follow conditions about the raw columns, given in the same order.
pub fn follow(
    conditions: &[Condition],
    raw: &[Column],
    (released, rows): (&[Column], u32),
) -> Followed {
    let mut followed = Followed {
        certain: Vec::new(),
        open: 0,
    };
    for row in 0..rows {
        let mut certain = true;
        let is_possible = conditions.iter().all(|condition| {
            let (always, ever) = condition.of_released(raw, released, row);
            certain &= always;
            ever
        });
        match (certain, is_possible) {
            (true, true) => followed.certain.push(row),
            (false, true) => followed.open += 1,
            _ => {}
        }
    }
    followed
}

impl Condition {
    /// Whether it holds for all and for some of the values that a released cell stands for.
    fn of_released(self, raw: &[Column], released: &[Column], row: u32) -> (bool, bool) {
        let cell = released[self.column()].meaning(row);
        let number = |code: u32| raw[self.column()].meanings[code as usize].number();
        match self {
            Condition::AtLeast(_, code) => (cell.low >= number(code), cell.high >= number(code)),
            Condition::Below(_, code) => (cell.high < number(code), cell.low < number(code)),
            Condition::Is(_, code) => {
                let is_among = cell.values.contains(&code);
                (is_among && cell.values.len() == 1, is_among)
            }
            Condition::IsNot(_, code) => {
                let is_among = cell.values.contains(&code);
                (!is_among, !is_among || cell.values.len() > 1)
            }
        }
    }
}

/// A rule as people write it, such as `age >= 28 and sex = Male`.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    /// The conditions.
    pub conditions: &'a [Condition],
    /// The names of the columns.
    pub names: &'a [String],
    /// The texts of every column's codes; those of numbers are the numbers they count as.
    pub texts: &'a [Vec<String>],
}

impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.conditions.is_empty() {
            return f.write_str("all rows");
        }
        for (at, condition) in self.conditions.iter().enumerate() {
            let (sign, column, code) = match *condition {
                Condition::AtLeast(column, code) => (">=", column, code),
                Condition::Below(column, code) => ("<", column, code),
                Condition::Is(column, code) => ("=", column, code),
                Condition::IsNot(column, code) => ("!=", column, code),
            };
            let and = if at > 0 { " and " } else { "" };
            let text = &self.texts[column][code as usize];
            write!(f, "{and}{} {sign} {text}", self.names[column])?;
        }
        Ok(())
    }
}
