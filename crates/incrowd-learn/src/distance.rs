//! How far a released column's distribution is from that of the raw one.

use crate::column::{Column, Domain};

/// How the distance of a column is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceMeasure {
    /// Half the sum of the differences of shares.
    TotalVariation,
    /// How far shares must be moved along the numbers, as a share of the way from the least to the greatest.
    EarthMover,
}

impl DistanceMeasure {
    /// The measure for a domain.
    pub fn of(domain: &Domain) -> Self {
        match domain.is_numeric() {
            true => DistanceMeasure::EarthMover,
            false => DistanceMeasure::TotalVariation,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            DistanceMeasure::TotalVariation => "total-variation",
            DistanceMeasure::EarthMover => "earth-mover",
        }
    }
}

/// The distance of two columns with the same domain, from 0 (equal) to 1. A column without rows is at distance 1 from
/// one with rows.
pub fn distance(raw: &Column, released: &Column) -> f64 {
    if raw.codes.is_empty() || released.codes.is_empty() {
        return f64::from(u8::from(raw.codes.len() != released.codes.len()));
    }
    let shares = [raw, released].map(|column| {
        let expected = column.expected_rows();
        let all = column.codes.len() as f64;
        expected
            .into_iter()
            .map(|rows| rows / all)
            .collect::<Vec<_>>()
    });
    match &*raw.domain {
        Domain::Texts(_) => {
            let differences = shares[0].iter().zip(&shares[1]);
            let sum: f64 = differences
                .map(|(raw, released)| (raw - released).abs())
                .sum();
            sum / 2.0
        }
        Domain::Numbers(numbers) => earth_mover(numbers, &shares),
    }
}

/// Among the values that are numbers; where other values differ by more, that difference.
fn earth_mover(numbers: &[f64], shares: &[Vec<f64>; 2]) -> f64 {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.retain(|&value| !numbers[value].is_nan());
    order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    let present = [0, 1].map(|of| order.iter().map(|&value| shares[of][value]).sum::<f64>());
    let missing = (present[0] - present[1]).abs();
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
        return missing;
    };
    let range = numbers[last] - numbers[first];
    if range <= 0.0 || present.iter().any(|&share| share <= 0.0) {
        return missing;
    }
    let (mut ahead, mut moved) = (0.0, 0.0);
    for pair in order.windows(2) {
        ahead += shares[0][pair[0]] / present[0] - shares[1][pair[0]] / present[1];
        moved += f64::abs(ahead) * (numbers[pair[1]] - numbers[pair[0]]);
    }
    (moved / range).max(missing)
}
