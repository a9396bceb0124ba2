//! Numbers in intervals of fixed widths: `17` becomes `[15-19]`, then `[10-19]`.

use super::{Exact, Read, Runs, label, sorted_numbers};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::table::decimal::written;
use crate::table::{Decimal, Number};

/// Beyond this many intervals from 0, neighboring numbers can no longer be distinguished.
const MOST_INTERVALS: f64 = 9e15;

/// Intervals of the given widths, one width per level, counted from `origin`.
///
/// Every width is a multiple of the one before. With origin 0 the bounds do not depend on the data, so tables published
/// one after the other agree. Both ends of an interval belong to it, so the upper end is the last number of the data's
/// precision before the next interval: `[17-21]` for whole numbers (just `17` at width 1), `[1.0-1.4]` for tenths,
/// `[-5--1]` below zero. If the data has more than 12 digits after the point, an interval is written by its smallest
/// and greatest number. Bounds are exact decimals: with width 0.1, `0.3` is never treated as slightly less.
///
/// # Errors
/// Values that are not numbers, widths that are not positive or do not nest, and intervals more than 9e15
/// widths away from 0 among numbers that are too long to be exact.
///
/// ```
/// use incrowd_core::hierarchy::build::interval;
/// use incrowd_core::table::Decimal;
/// let widths = ["5", "10"].map(|width| width.parse().expect("a decimal"));
/// let age = interval("age", &["17", "22", "39"], &widths, "17".parse().expect("a decimal"))?;
/// assert_eq!(
///     age.to_csv(),
///     "value,5-wide,10-wide,any\n17,[17-21],[17-26],*\n22,[22-26],[17-26],*\n39,[37-41],[37-46],*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn interval(
    column: &str,
    values: &[&str],
    widths: &[Decimal],
    origin: Decimal,
) -> Result<Hierarchy, Error> {
    check_widths(widths)?;
    let mut numbers = sorted_numbers(column, values)?;
    let grid = Grid::new(widths, origin);
    let exact = Exact::of(&mut numbers, grid.places);
    let indices = match &exact {
        Some(exact) => grid.exact_indices(exact),
        None => grid.indices(column, &numbers)?,
    };
    let mut runs = Runs::new("value", numbers.iter().map(|read| read.text));
    for (width, &wide) in widths.iter().zip(&grid.widths) {
        let factor = wide / grid.widths[0];
        let group = |leaf: usize| indices[leaf].div_euclid(factor);
        runs.merge(format!("{width}-wide"), group, |first, last, text| {
            let start = grid.origin + group(first) * wide;
            text.push_str(&match &exact {
                Some(exact) => grid.both_ends(start, start + wide, exact.places),
                None => label::interval(numbers[first].text.trim(), numbers[last].text.trim()),
            });
        });
    }
    runs.finish(column, values)
}

/// Refuses widths that are none, not positive, or do not nest.
pub(crate) fn check_widths(widths: &[Decimal]) -> Result<(), Error> {
    if widths.is_empty() || !widths.iter().all(|width| width.is_positive()) {
        return Err(Error::HierarchySpecParameter {
            builder: "interval",
            expected: "widths above 0",
        });
    }
    let places = widths.iter().map(|width| width.places()).max().unwrap_or(0);
    let nests = |pair: &[Decimal]| {
        let (fine, coarse) = (pair[0].scaled(places), pair[1].scaled(places));
        coarse > fine && coarse % fine == 0
    };
    match widths.windows(2).position(|pair| !nests(pair)) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "interval",
            level: at + 2,
            rule: "each width must be a multiple of the one before",
        }),
    }
}

/// Origin and widths in one unit, 10 to the power of minus `places`.
struct Grid {
    origin: i128,
    widths: Vec<i128>,
    places: u8,
}

impl Grid {
    fn new(widths: &[Decimal], origin: Decimal) -> Grid {
        let places = widths.iter().map(|width| width.places());
        let places = places.chain([origin.places()]).max().unwrap_or(0);
        Grid {
            origin: origin.scaled(places),
            widths: widths.iter().map(|width| width.scaled(places)).collect(),
            places,
        }
    }

    /// The narrowest interval of each number, if numbers are exact.
    fn exact_indices(&self, exact: &Exact) -> Vec<i128> {
        let finer = 10_i128.pow(u32::from(exact.places - self.places));
        let (origin, width) = (self.origin * finer, self.widths[0] * finer);
        let index = |&number: &i128| (number - origin).div_euclid(width);
        exact.scaled.iter().map(index).collect()
    }

    /// The narrowest interval of each number, ascending.
    fn indices(&self, column: &str, numbers: &[Read<'_, Number>]) -> Result<Vec<i128>, Error> {
        let mut indices = Vec::with_capacity(numbers.len());
        let mut current: Option<(i128, f64)> = None;
        for read in numbers {
            let number = read.meaning.get();
            let index = match current {
                Some((index, end)) if number < end => index,
                _ => self
                    .index(number)
                    .ok_or_else(|| Error::IntervalsTooNarrow {
                        column: column.into(),
                        first: read.at + 1,
                    })?,
            };
            current = Some((index, self.bound(index + 1)));
            indices.push(index);
        }
        Ok(indices)
    }

    /// The narrowest interval that contains the number. The bounds decide; the division is only a first guess.
    fn index(&self, number: f64) -> Option<i128> {
        let unit = 10_f64.powi(self.places.into());
        let (origin, width) = (self.origin as f64 / unit, self.widths[0] as f64 / unit);
        let fits = |quotient: f64| quotient.abs() < MOST_INTERVALS;
        // The second bound keeps the arithmetic of bounds within 128 bits.
        if !fits(origin / width) || !fits(number / width) || number.abs() * unit > 1e36 {
            return None;
        }
        let mut index = ((number - origin) / width).floor() as i128;
        while number < self.bound(index) {
            index -= 1;
        }
        while number >= self.bound(index + 1) {
            index += 1;
        }
        Some(index)
    }

    /// Where the narrowest interval `index` starts: the number that its decimal text would be read as.
    fn bound(&self, index: i128) -> f64 {
        let scaled = self.origin + index * self.widths[0];
        if scaled.unsigned_abs() < 1 << f64::MANTISSA_DIGITS {
            // Both sides are exact, so the quotient is the nearest number there is.
            return scaled as f64 / 10_f64.powi(self.places.into());
        }
        let text = written(scaled, self.places, 0);
        text.parse().expect("digits and a point are a number")
    }

    /// From `start` to the last number of `places` digits after the point that lies before `end`.
    fn both_ends(&self, start: i128, end: i128, places: u8) -> String {
        let finer = 10_i128.pow(u32::from(places - self.places));
        let write = |bound| written(bound, places, places);
        label::interval(&write(start * finer), &write(end * finer - 1))
    }
}
