//! How strongly two columns depend on each other.
//!
//! Two numbers by the correlation of Pearson, from -1 to 1; two texts by Cramér's V, from 0 to 1; a number and a text by
//! the correlation ratio, from 0 to 1: the share of the number's deviation that the text explains. A released cell that
//! stands for several texts counts as a part of a row of each, independently of the other column.

use crate::column::Column;

/// How an association is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssociationMeasure {
    /// The correlation of two numbers.
    Pearson,
    /// Of two texts.
    CramersV,
    /// Of a number and a text.
    CorrelationRatio,
}

impl AssociationMeasure {
    /// The measure for two columns.
    pub fn of(one: &Column, other: &Column) -> Self {
        match (one.domain.is_numeric(), other.domain.is_numeric()) {
            (true, true) => AssociationMeasure::Pearson,
            (false, false) => AssociationMeasure::CramersV,
            _ => AssociationMeasure::CorrelationRatio,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AssociationMeasure::Pearson => "pearson",
            AssociationMeasure::CramersV => "cramers-v",
            AssociationMeasure::CorrelationRatio => "correlation-ratio",
        }
    }
}

/// How strongly two columns of the same rows depend on each other; 0 if one of them does not vary.
pub fn association(one: &Column, other: &Column) -> f64 {
    let pairs = pairs(one, other);
    match AssociationMeasure::of(one, other) {
        AssociationMeasure::Pearson => pearson(one, other, &pairs),
        AssociationMeasure::CramersV => cramers_v(one, other, &pairs),
        AssociationMeasure::CorrelationRatio if one.domain.is_numeric() => {
            let turned: Vec<Pair> = (pairs.iter())
                .map(|&(one, other, rows)| (other, one, rows))
                .collect();
            correlation_ratio(other, one, &turned)
        }
        AssociationMeasure::CorrelationRatio => correlation_ratio(one, other, &pairs),
    }
}

/// Two codes and how many rows have both.
type Pair = (u32, u32, f64);

/// The pairs of codes that occur, in their order.
fn pairs(one: &Column, other: &Column) -> Vec<Pair> {
    let codes = one.codes.iter().zip(&other.codes);
    let mut codes: Vec<(u32, u32)> = codes.map(|(&one, &other)| (one, other)).collect();
    codes.sort_unstable();
    let counted = codes.chunk_by(|one, other| one == other);
    counted
        .map(|same| (same[0].0, same[0].1, same.len() as f64))
        .collect()
}

fn pearson(one: &Column, other: &Column, pairs: &[Pair]) -> f64 {
    let rows: f64 = pairs.iter().map(|pair| pair.2).sum();
    let number = |column: &Column, code: u32| column.meanings[code as usize].number();
    let mean = |of: &dyn Fn(&Pair) -> f64| -> f64 {
        pairs.iter().map(|pair| of(pair) * pair.2).sum::<f64>() / rows
    };
    let means = (
        mean(&|pair| number(one, pair.0)),
        mean(&|pair| number(other, pair.1)),
    );
    let deviations = |pair: &Pair| {
        (
            number(one, pair.0) - means.0,
            number(other, pair.1) - means.1,
        )
    };
    let together = mean(&|pair| deviations(pair).0 * deviations(pair).1);
    let alone = (
        mean(&|pair| deviations(pair).0.powi(2)),
        mean(&|pair| deviations(pair).1.powi(2)),
    );
    match (alone.0 * alone.1).sqrt() {
        both if both > 0.0 => (together / both).clamp(-1.0, 1.0),
        _ => 0.0,
    }
}

/// The square root of chi squared, divided by the rows and by the number of values less one, of the column with fewer.
fn cramers_v(one: &Column, other: &Column, pairs: &[Pair]) -> f64 {
    let totals = [one, other].map(Column::expected_rows);
    let rows = one.codes.len() as f64;
    let width = other.domain.len();
    let mut together = vec![0.0; one.domain.len() * width];
    for &(one_code, other_code, rows) in pairs {
        let (one, other) = (
            &one.meanings[one_code as usize],
            &other.meanings[other_code as usize],
        );
        let each = rows * one.share() * other.share();
        for &value in &one.values {
            let line = &mut together[value as usize * width..][..width];
            for &with in &other.values {
                line[with as usize] += each;
            }
        }
    }
    let mut sum = 0.0;
    for (value, line) in together.chunks_exact(width.max(1)).enumerate() {
        for (with, &both) in line.iter().enumerate() {
            if both > 0.0 {
                sum += both * both / (totals[0][value] * totals[1][with]);
            }
        }
    }
    let values = totals.map(|totals| totals.iter().filter(|&&rows| rows > 0.0).count());
    match values[0].min(values[1]) {
        0 | 1 => 0.0,
        fewer if rows > 0.0 => ((sum - 1.0).max(0.0) / (fewer - 1) as f64).sqrt().min(1.0),
        _ => 0.0,
    }
}

/// The square root of the share of a number's variance that a text explains.
fn correlation_ratio(text: &Column, number: &Column, pairs: &[Pair]) -> f64 {
    let rows: f64 = pairs.iter().map(|pair| pair.2).sum();
    let of = |pair: &Pair| number.meanings[pair.1 as usize].number();
    let mean = pairs.iter().map(|pair| of(pair) * pair.2).sum::<f64>() / rows;
    let all: f64 = (pairs.iter())
        .map(|pair| (of(pair) - mean).powi(2) * pair.2)
        .sum();
    let mut sums = vec![(0.0, 0.0); text.domain.len()];
    for pair in pairs {
        let meaning = &text.meanings[pair.0 as usize];
        for &value in &meaning.values {
            let (weight, sum) = &mut sums[value as usize];
            *weight += pair.2 * meaning.share();
            *sum += pair.2 * meaning.share() * (of(pair) - mean);
        }
    }
    let with_rows = sums.iter().filter(|(weight, _)| *weight > 0.0);
    let explained: f64 = with_rows.map(|(weight, sum)| sum * sum / weight).sum();
    match all > 0.0 {
        true => (explained / all).sqrt().min(1.0),
        false => 0.0,
    }
}

/// Whether the two columns have so many values that their pairs would not fit in memory.
pub fn is_too_large(one: &Column, other: &Column) -> bool {
    const MOST_PAIRS: usize = 4_000_000;
    AssociationMeasure::of(one, other) == AssociationMeasure::CramersV
        && one.domain.len().saturating_mul(other.domain.len()) > MOST_PAIRS
}
