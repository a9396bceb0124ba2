//! The mean or median of the numbers of a class, as it is published.

use crate::counts::LeafOrder;
use crate::hierarchy::Hierarchy;
use crate::registry::{Given, Kind, Setting};

/// What is published of the numbers of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PublishedNumbers {
    /// The interval from the least to the greatest.
    #[default]
    Interval,
    /// The mean of the rows, with two digits more than the numbers of the column; unrounded if those have very many.
    Mean,
    /// The median of the rows; of an even number of rows, the mean of the two in the middle.
    Median,
}

impl PublishedNumbers {
    /// The setting of algorithms that publish regions.
    pub(crate) const SETTING: Setting = Setting::optional(
        "numbers",
        Kind::Choice(&["interval", "mean", "median"]),
        "what is published of the numbers of a class: the interval they lie in, their mean, or their median; dates stay \
         intervals",
    )
    .or("interval");

    /// As set; intervals if nothing is.
    pub(crate) fn of(given: &Given) -> Self {
        // Programs may give none of an algorithm's settings.
        match given.has("numbers") {
            true => Self::named(given.text("numbers").unwrap_or_default()),
            false => Self::default(),
        }
    }

    /// By the name that users give it; intervals for others.
    pub fn named(name: &str) -> Self {
        match name {
            "mean" => PublishedNumbers::Mean,
            "median" => PublishedNumbers::Median,
            _ => PublishedNumbers::Interval,
        }
    }
}

/// The most digits after the point of a column whose means are rounded.
const MOST_PLACES: u32 = 12;

/// Writes means and medians of the numbers of one column.
#[derive(Debug)]
pub(super) struct Centres<'a> {
    hierarchy: &'a Hierarchy,
    order: &'a LeafOrder,
    /// The numbers by position, in whole units of a digit, if all of them have few enough digits.
    units: Option<Vec<i64>>,
    /// The digits after the point of such a unit.
    places: u32,
}

impl<'a> Centres<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, order: &'a LeafOrder) -> Self {
        let numbers = order.numbers().unwrap_or(&[]);
        let text = |position: u32| hierarchy.text(order.leaf(position));
        let is_number = |position: &u32| !numbers[*position as usize].is_nan();
        let mut positions = (0..numbers.len() as u32).filter(is_number);
        let places = positions.try_fold(0, |most: u32, position| {
            Some(most.max(decimal(text(position))?.1))
        });
        let places = places.filter(|&places| places <= MOST_PLACES);
        let unit = |position: u32, places: u32| -> Option<i64> {
            if !is_number(&position) {
                return Some(0);
            }
            let (units, own) = decimal(text(position))?;
            units.checked_mul(10_i64.checked_pow(places - own)?)
        };
        let units = places.and_then(|places| {
            let all = (0..numbers.len() as u32).map(|position| unit(position, places));
            all.collect::<Option<Vec<i64>>>()
        });
        Centres {
            hierarchy,
            order,
            units,
            places: places.unwrap_or(0),
        }
    }

    /// The centre of numbers, given by position in ascending order with their rows.
    pub(super) fn write(&self, numbers: PublishedNumbers, members: &[(u32, u32)]) -> String {
        let rows: u64 = members.iter().map(|&(_, rows)| u64::from(rows)).sum();
        match numbers {
            PublishedNumbers::Median => {
                let middle = [(rows - 1) / 2, rows / 2].map(|row| position_of_row(members, row));
                match middle {
                    [one, other] if one == other => {
                        self.hierarchy.text(self.order.leaf(one)).to_owned()
                    }
                    [one, other] => self.mean(&[(one, 1), (other, 1)]),
                }
            }
            PublishedNumbers::Interval | PublishedNumbers::Mean => self.mean(members),
        }
    }

    fn mean(&self, members: &[(u32, u32)]) -> String {
        let rows: u64 = members.iter().map(|&(_, rows)| u64::from(rows)).sum();
        if let Some(units) = &self.units {
            // Whole numbers add up without rounding: each is below 2^63 and there are fewer than 2^32 rows.
            let products = members.iter();
            let products = products
                .map(|&(position, rows)| i128::from(units[position as usize]) * i128::from(rows));
            return self.rounded(products.sum(), rows);
        }
        let number = |position: u32| self.order.numbers().map_or(0.0, |it| it[position as usize]);
        // Shares of the rows, so that the sum of huge numbers is finite.
        let shares = members.iter();
        let shares =
            shares.map(|&(position, share)| number(position) * (f64::from(share) / rows as f64));
        shares.sum::<f64>().to_string()
    }

    /// A quotient of units with two more digits, without zeros at the end.
    fn rounded(&self, sum: i128, rows: u64) -> String {
        let (rows, places) = (i128::from(rows), self.places as usize + 2);
        let hundredths = sum * 100;
        let half = if hundredths < 0 { -rows } else { rows };
        let quotient = (2 * hundredths + half) / (2 * rows);
        let digits = format!("{:0>width$}", quotient.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if quotient < 0 { "-" } else { "" };
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}

/// The position of a row, counted from 0.
fn position_of_row(members: &[(u32, u32)], row: u64) -> u32 {
    let mut before = 0;
    let holds = |&&(_, rows): &&(u32, u32)| {
        before += u64::from(rows);
        row < before
    };
    members.iter().find(holds).map_or(0, |member| member.0)
}

/// A number in whole units, and the digits after the point of such a unit; nothing if it has too many digits.
fn decimal(text: &str) -> Option<(i64, u32)> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let units: i64 = format!("{whole}{fraction}").parse().ok()?;
    let places = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    match u32::try_from(places) {
        Ok(places) => Some((units, places)),
        // A whole number with zeros at the end.
        Err(_) => {
            let factor = 10_i64.checked_pow(places.unsigned_abs())?;
            Some((units.checked_mul(factor)?, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_units_however_they_are_written() {
        for (text, expected) in [
            ("20", Some((20, 0))),
            ("-2.50", Some((-25, 1))),
            ("+7", Some((7, 0))),
            (".5", Some((5, 1))),
            ("-.5", Some((-5, 1))),
            ("1e-5", Some((1, 5))),
            ("2.5e3", Some((2500, 0))),
            ("100000000000000000", Some((100_000_000_000_000_000, 0))),
            ("1e400", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(decimal(text), expected, "{text}");
        }
    }
}
