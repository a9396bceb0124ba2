//! The hierarchy a column gets when nobody has prepared one.
//!
//! The rules look at the present values only; each answer carries its reason, to be shown to the user.
//!
//! | the column | gets |
//! |---|---|
//! | at most 2 values | `suppress` |
//! | dates | `date`: by month and year, as far as they differ; by decade too from 20 years on; `order` within one month |
//! | codes: at least 20 values, equally long, letters and digits, each with a digit; numbers only from 5 digits on, or from 3 if one starts with 0 | `mask`, at most 6 steps |
//! | numbers, at most 10 | `order` |
//! | numbers | `interval`: the first width leaves at most a third as many groups as values, and at most 64; widths grow 2 to 5 times until at most 5 are left; all are 1, 2 or 5 times a power of ten, from 0 |
//! | numbers too large or too close together for that | `quantile:16,8,4` |
//! | anything else | `suppress` |
//!
//! ```
//! use incrowd_core::hierarchy::automatic;
//! use incrowd_core::table::Kind;
//! let ages: Vec<String> = (17..=90).map(|age| age.to_string()).collect();
//! let ages: Vec<(&str, u32)> = ages.iter().map(|age| (age.as_str(), 1)).collect();
//! let chosen = automatic("age", &ages, Kind::Number)?;
//! assert_eq!(chosen.spec.to_string(), "interval:5,10,20");
//! # Ok::<(), incrowd_core::Error>(())
//! ```

use super::build::{DateLevel, Decimal};
use super::{Hierarchy, HierarchySpec};
use crate::error::Error;
use crate::table::{Kind, parse_date, parse_number};
use jiff::civil::Date;

const FEW_VALUES: usize = 2;
const FEW_NUMBERS: usize = 10;
const MANY_CODES: usize = 20;
const MOST_INTERVALS: usize = 64;
const LAST_INTERVALS: i64 = 5;
const MOST_MASKS: usize = 6;
const MANY_YEARS: i16 = 20;

/// A hierarchy chosen for a column.
#[derive(Debug, Clone)]
pub struct Automatic {
    /// How it was built; the same text builds it again.
    pub spec: HierarchySpec,
    /// Why, in one line that quotes no value.
    pub reason: String,
    /// The hierarchy.
    pub hierarchy: Hierarchy,
}

/// Chooses and builds a hierarchy for these distinct values; each comes with the number of its rows. `kind` is
/// what the present values are.
///
/// # Errors
/// No values, or values that are not of that kind.
pub fn automatic(column: &str, values: &[(&str, u32)], kind: Kind) -> Result<Automatic, Error> {
    let texts = values.iter().map(|&(text, _)| text);
    let present: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let (spec, reason) = choose(&present, kind);
    Ok(Automatic {
        hierarchy: spec.build(column, values)?,
        spec,
        reason,
    })
}

fn choose(values: &[&str], kind: Kind) -> (HierarchySpec, String) {
    let count = values.len();
    if count <= FEW_VALUES {
        let reason = format!("only {count} distinct values: each is kept or suppressed");
        return (HierarchySpec::Suppress, reason);
    }
    if kind == Kind::Date
        && let Some(choice) = by_calendar(values)
    {
        return choice;
    }
    if let Some(length) = code_length(values, kind) {
        let step = length.div_ceil(MOST_MASKS) as u32;
        let reason = format!("{count} codes of {length} characters: masked from the right");
        return (HierarchySpec::Mask { step }, reason);
    }
    if kind == Kind::Number {
        if count <= FEW_NUMBERS {
            let reason = format!("only {count} distinct numbers: neighbours are merged");
            return (HierarchySpec::Order, reason);
        }
        return by_size(values);
    }
    let reason = format!("{count} values without a known order: each is kept or suppressed");
    (HierarchySpec::Suppress, reason)
}

/// Periods that tell some of the dates apart, or the order of days if all are of one month. Nothing if not all are
/// dates.
fn by_calendar(values: &[&str]) -> Option<(HierarchySpec, String)> {
    let dates: Option<Vec<Date>> = values.iter().map(|value| parse_date(value)).collect();
    let dates = dates?;
    let (first, last) = (*dates.iter().min()?, *dates.iter().max()?);
    let mut levels = Vec::new();
    for level in [DateLevel::Month, DateLevel::Year] {
        if level.period(first) != level.period(last) {
            levels.push(level);
        }
    }
    if last.year() - first.year() >= MANY_YEARS {
        levels.push(DateLevel::Decade);
    }
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    let reason = format!("dates: merged by {}", names.join(", then "));
    if levels.is_empty() {
        let reason = "dates of one month: neighbours are merged".into();
        return Some((HierarchySpec::Order, reason));
    }
    Some((HierarchySpec::Date { levels }, reason))
}

/// The length of all values, if they look like codes whose beginning says most.
fn code_length(values: &[&str], kind: Kind) -> Option<usize> {
    let length = values.first()?.len();
    let is_code = |value: &&str| {
        value.len() == length
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && value.bytes().any(|byte| byte.is_ascii_digit())
    };
    // Amounts and years are numbers of few digits and never start with 0; zip codes may.
    let shortest = match kind {
        Kind::Number if !values.iter().any(|value| value.starts_with('0')) => 5,
        _ => 3,
    };
    let fits = length >= shortest && values.len() >= MANY_CODES;
    (fits && values.iter().all(is_code)).then_some(length)
}

/// Intervals of round widths, or quantiles where such widths cannot be written down.
fn by_size(values: &[&str]) -> (HierarchySpec, String) {
    let count = values.len();
    let numbers = || values.iter().filter_map(|value| parse_number(value));
    let least = numbers().min().map_or(0.0, |number| number.get());
    let greatest = numbers().max().map_or(0.0, |number| number.get());
    let groups = (count / 3).min(MOST_INTERVALS);
    let widths = round_widths(least, greatest, groups as f64);
    if widths.is_empty() {
        let reason =
            format!("{count} numbers that round widths do not fit: about equally many rows each");
        let groups = vec![16, 8, 4];
        return (HierarchySpec::Quantile { groups }, reason);
    }
    let names: Vec<String> = widths.iter().map(Decimal::to_string).collect();
    let reason = format!(
        "{count} numbers: intervals of width {}",
        names.join(", then ")
    );
    let origin = Decimal::ZERO;
    (HierarchySpec::Interval { widths, origin }, reason)
}

/// Round widths, each a multiple of the one before, from at most `groups` intervals on. None when they would be too long
/// to write.
fn round_widths(least: f64, greatest: f64, groups: f64) -> Vec<Decimal> {
    let narrowest = (greatest - least) / groups;
    let written = |width: f64| (1e-9..1e12).contains(&width);
    // Bounds far from 0 in comparison with their width need more digits than a number has.
    let far = least.abs().max(greatest.abs()) / narrowest;
    if !written(narrowest) || far > 1e12 {
        return Vec::new();
    }
    let size = |(digit, power): (i64, i32)| digit as f64 * 10_f64.powi(power);
    let next = |(digit, power)| match digit {
        1 => (2, power),
        2 => (5, power),
        _ => (1, power + 1),
    };
    let mut width = (1, narrowest.log10().floor() as i32 - 1);
    while size(width) < narrowest {
        width = next(width);
    }
    let mut widths = Vec::new();
    loop {
        let (digit, power) = width;
        let decimal = match u8::try_from(-power) {
            Ok(places) => Decimal::new(digit, places),
            Err(_) => Decimal::new(digit * 10_i64.pow(power.unsigned_abs()), 0),
        };
        widths.extend(decimal);
        let spread = (greatest / size(width)).floor() - (least / size(width)).floor();
        if spread < LAST_INTERVALS as f64 {
            return widths;
        }
        // 2 does not divide 5, so 2 is followed by 10.
        width = match digit {
            2 => (1, power + 1),
            _ => next(width),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(values: impl IntoIterator<Item = impl ToString>) -> String {
        let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let kind = Kind::of(texts.iter().copied().filter(|text| !text.is_empty()));
        let counted: Vec<(&str, u32)> = texts.iter().map(|&text| (text, 1)).collect();
        let choice = automatic("c", &counted, kind).unwrap();
        assert!(!choice.reason.contains('\n') && choice.reason.len() < 100);
        choice.spec.to_string()
    }

    #[test]
    fn few_values_are_kept_or_suppressed() {
        assert_eq!(chosen(["Male", "Female", ""]), "suppress");
        assert_eq!(chosen([0, 1]), "suppress");
        assert_eq!(chosen([""]), "suppress");
    }

    #[test]
    fn text_is_kept_or_suppressed() {
        assert_eq!(chosen((0..50).map(|n| format!("name {n}"))), "suppress");
        let airports = (b'A'..=b'Z').map(|letter| format!("{}XQ", letter as char));
        assert_eq!(chosen(airports), "suppress");
    }

    #[test]
    fn numbers_get_round_intervals_that_end_with_a_few() {
        assert_eq!(chosen(17..=90), "interval:5,10,20");
        assert_eq!(chosen(1..=16), "interval:5");
        assert_eq!(chosen(1..=99), "interval:5,10,20");
        assert_eq!(
            chosen((0..500).map(|n| n * n * 7)),
            "interval:50000,100000,200000,1000000"
        );
        assert_eq!(
            chosen((0..100).map(|n| f64::from(n) / 1000.0)),
            "interval:0.005,0.01,0.02"
        );
        assert_eq!(chosen((0..40).map(|n| n * 10 - 200)), "interval:50,100");
        assert_eq!(chosen(["", "1", "2", "3", "4"]), "order");
    }

    #[test]
    fn numbers_that_cannot_have_round_intervals_get_quantiles() {
        let huge = (0..20).map(|n| format!("{n}e{}", 280 + n));
        assert_eq!(chosen(huge), "quantile:16,8,4");
        let close = (0..20).map(|n| format!("-1{n:014}"));
        assert_eq!(chosen(close), "quantile:16,8,4");
        let written_differently = (1..20).map(|zeros| format!("1.{}", "0".repeat(zeros)));
        assert_eq!(chosen(written_differently), "quantile:16,8,4");
    }

    #[test]
    fn codes_are_masked() {
        assert_eq!(chosen((0..50).map(|n| 10_000 + n * 977)), "mask:1");
        assert_eq!(chosen((0..50).map(|n| format!("{:04}", n * 97))), "mask:1");
        assert_eq!(chosen((0..50).map(|n| format!("E{n:02}"))), "mask:1");
        assert_eq!(chosen((0..50).map(|n| format!("AB{n:010}"))), "mask:2");
        // Years are no codes, nor are numbers of different lengths.
        assert_eq!(chosen(1950..2000), "interval:5,10");
        assert_eq!(
            chosen((0..50).map(|n| 9_000 + n * 100)),
            "interval:500,1000"
        );
    }

    #[test]
    fn dates_are_merged_by_the_periods_they_span() {
        assert_eq!(
            chosen(["2024-05-01", "2024-06-01", "2024-06-02"]),
            "date:month"
        );
        assert_eq!(
            chosen(["2024-05-01", "2023-06-01", "2024-06-02"]),
            "date:month,year"
        );
        assert_eq!(
            chosen(["1950-05-01", "2023-06-01", "2024-06-02", ""]),
            "date:month,year,decade"
        );
        assert_eq!(chosen(["2024-05-01", "2024-05-02", "2024-05-03"]), "order");
    }

    #[test]
    fn values_of_another_kind_than_said_are_refused_or_kept_whole() {
        let values: Vec<String> = (0..30).map(|n| format!("v {n}")).collect();
        let counted: Vec<(&str, u32)> = values.iter().map(|value| (value.as_str(), 1)).collect();
        assert!(automatic("c", &counted, Kind::Number).is_err());
        let dates = automatic("c", &counted, Kind::Date).unwrap();
        assert_eq!(dates.spec, HierarchySpec::Suppress);
        assert!(automatic("c", &[], Kind::Text).is_err());
    }
}
