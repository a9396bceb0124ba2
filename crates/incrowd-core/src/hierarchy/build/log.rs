//! Numbers of very different magnitude, in steps that grow with them: `[1-9]`, `[10-99]`, `[100-999]`.

use super::{Exact, Runs, label, sorted_numbers};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::table::decimal::written;
use std::fmt;
use std::str::FromStr;

/// How much greater the end of a step is than its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogStep {
    /// Three steps per power of ten, starting at 1, 2 and 5: `[10-19]`, `[20-49]`, `[50-99]`.
    OneTwoFive,
    /// This many powers of ten per step, from 1 on: with 1 `[10-99]`, with 2 `[1-99]`.
    Powers(u8),
}

const MOST_POWERS: u8 = 18;

impl fmt::Display for LogStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogStep::OneTwoFive => f.write_str("1-2-5"),
            LogStep::Powers(powers) => write!(f, "1{}", "0".repeat(usize::from(*powers))),
        }
    }
}

impl FromStr for LogStep {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "1-2-5" {
            return Ok(LogStep::OneTwoFive);
        }
        let zeros = text.strip_prefix('1').ok_or(())?;
        let powers = u8::try_from(zeros.len()).map_err(|_| ())?;
        let is_power = zeros.bytes().all(|digit| digit == b'0');
        let fits = is_power && (1..=MOST_POWERS).contains(&powers);
        fits.then_some(LogStep::Powers(powers)).ok_or(())
    }
}

/// Steps that grow with the numbers, one [`LogStep`] per level, each made of whole steps of the level before.
///
/// Zero stays `0` on every level below the last, and negative numbers mirror the positive ones: `[-99--50]`. Steps are
/// written with both ends included, in the precision of the data: `[0.5-0.9]` among tenths, `[50-99]` among whole
/// numbers. The bounds do not depend on the data otherwise, so that successive releases agree.
///
/// # Errors
/// Values that are not numbers, or have more than 36 digits or 12 after the point; steps that do not nest, or none.
///
/// ```
/// use incrowd_core::hierarchy::build::{LogStep, log};
/// let steps = [LogStep::OneTwoFive, LogStep::Powers(1)];
/// let gain = log("gain", &["0", "7", "1500", "99999", "-3"], &steps)?;
/// assert_eq!(
///     gain.to_csv(),
///     "value,1-2-5-fold,10-fold,any\n-3,[-4--2],[-9--1],*\n0,0,0,*\n7,[5-9],[1-9],*\n\
///      1500,[1000-1999],[1000-9999],*\n99999,[50000-99999],[10000-99999],*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn log(column: &str, values: &[&str], steps: &[LogStep]) -> Result<Hierarchy, Error> {
    check_steps(steps)?;
    let mut numbers = sorted_numbers(column, values)?;
    let Some(exact) = Exact::of(&mut numbers, 0) else {
        return Err(Error::IntervalsTooNarrow {
            column: column.into(),
            first: numbers.first().map_or(1, |read| read.at + 1),
        });
    };
    let mut runs = Runs::new("value", numbers.iter().map(|read| read.text));
    for &step in steps {
        let range = |leaf: usize| Range::of(step, exact.scaled[leaf], exact.places);
        runs.merge(format!("{step}-fold"), range, |first, _, text| {
            let range = range(first);
            let write = |bound| written(bound, exact.places, exact.places);
            text.push_str(&label::interval(&write(range.low), &write(range.high)));
        });
    }
    runs.finish(column, values)
}

/// The bounds of a step, in units of the data's precision, both included.
#[derive(Debug, PartialEq)]
struct Range {
    low: i128,
    high: i128,
}

impl Range {
    fn of(step: LogStep, number: i128, places: u8) -> Range {
        if number == 0 {
            return Range { low: 0, high: 0 };
        }
        let size = number.unsigned_abs();
        let power = size.ilog10();
        let ten = |power: u32| 10_i128.saturating_pow(power);
        let (low, next) = match step {
            LogStep::OneTwoFive => {
                let unit = ten(power);
                match size / unit.unsigned_abs() {
                    1 => (unit, 2 * unit),
                    2..5 => (2 * unit, 5 * unit),
                    _ => (5 * unit, 10 * unit),
                }
            }
            LogStep::Powers(powers) => {
                // Counted from 1, not from the least number the precision allows.
                let above_one = power as i32 - i32::from(places);
                let start = above_one.div_euclid(powers.into()) * i32::from(powers);
                let bound = |above_one: i32| match u32::try_from(above_one + i32::from(places)) {
                    Ok(power) => ten(power),
                    Err(_) => 1,
                };
                (bound(start), bound(start + i32::from(powers)))
            }
        };
        match number > 0 {
            true => Range {
                low,
                high: next - 1,
            },
            false => Range {
                low: 1 - next,
                high: -low,
            },
        }
    }
}

/// Refuses steps that are none or do not nest.
pub(crate) fn check_steps(steps: &[LogStep]) -> Result<(), Error> {
    let is_possible = |step: &LogStep| match step {
        LogStep::OneTwoFive => true,
        LogStep::Powers(powers) => (1..=MOST_POWERS).contains(powers),
    };
    if steps.is_empty() || !steps.iter().all(is_possible) {
        return Err(Error::HierarchySpecParameter {
            builder: "log",
            expected: "one or more of 1-2-5, 10, 100, 1000 and so on",
        });
    }
    let nests = |pair: &[LogStep]| match (pair[0], pair[1]) {
        (LogStep::OneTwoFive, LogStep::Powers(_)) => true,
        (LogStep::Powers(fine), LogStep::Powers(coarse)) => coarse > fine && coarse % fine == 0,
        _ => false,
    };
    match steps.windows(2).position(|pair| !nests(pair)) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "log",
            level: at + 2,
            rule: "each step must be a power of the one before; 1-2-5 comes first",
        }),
    }
}
