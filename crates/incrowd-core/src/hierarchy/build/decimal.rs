//! Widths and origins as people write them: exact decimals, so that 0.3 is three times 0.1.

use std::fmt;
use std::str::FromStr;

/// A decimal number of at most 15 digits, at most 12 of them after the point.
///
/// ```
/// use incrowd_core::hierarchy::build::Decimal;
/// let width: Decimal = "2.50".parse().expect("a decimal");
/// assert_eq!(width.to_string(), "2.5");
/// assert_eq!(width, Decimal::new(25, 1).expect("few digits"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Decimal {
    digits: i64,
    /// Digits after the point; as few as possible.
    places: u8,
}

const MOST_DIGITS: i64 = 1_000_000_000_000_000;
pub(super) const MOST_PLACES: u8 = 12;

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal {
        digits: 0,
        places: 0,
    };

    /// `digits` divided by 10 to the power of `places`, unless it is too long.
    pub fn new(mut digits: i64, mut places: u8) -> Option<Decimal> {
        while places > 0 && digits % 10 == 0 {
            digits /= 10;
            places -= 1;
        }
        let fits = digits.unsigned_abs() < MOST_DIGITS as u64 && places <= MOST_PLACES;
        fits.then_some(Decimal { digits, places })
    }

    pub(super) fn places(self) -> u8 {
        self.places
    }

    /// Whether it is above 0.
    pub fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// The number in units of 10 to the power of minus `places`, which must not be fewer than it has.
    pub(super) fn scaled(self, places: u8) -> i128 {
        i128::from(self.digits) * 10_i128.pow(u32::from(places - self.places))
    }
}

/// A text that is no [`Decimal`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number of at most 15 digits")]
pub struct NotDecimal;

impl FromStr for Decimal {
    type Err = NotDecimal;

    fn from_str(text: &str) -> Result<Self, NotDecimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let (sign, whole) = match whole.strip_prefix('-') {
            Some(whole) => (-1, whole),
            None => (1, whole),
        };
        let all = [whole, fraction].concat();
        if all.is_empty() || all.len() > 18 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotDecimal);
        }
        let digits: i64 = all.parse().map_err(|_| NotDecimal)?;
        Decimal::new(sign * digits, fraction.len() as u8).ok_or(NotDecimal)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(self.digits.into(), self.places, self.places))
    }
}

/// A number's text taken apart: sign, digits, and the power of ten of the last digit.
fn parts(text: &str) -> Option<(bool, String, i64)> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut power = exponent.checked_sub(fraction.len() as i64)?;
    while digits.len() > 1 && digits.ends_with('0') {
        digits.pop();
        power = power.checked_add(1)?;
    }
    let digits = digits.trim_start_matches('0').to_owned();
    let power = if digits.is_empty() { 0 } else { power };
    Some((negative, digits, power))
}

/// A whole number of few digits, which most numbers are.
fn short_whole(text: &str) -> Option<i64> {
    (text.len() <= 18).then(|| text.parse().ok()).flatten()
}

/// How many digits after the point a number's text needs; zeros at the end are not needed.
pub(super) fn places_of(text: &str) -> Option<u64> {
    if short_whole(text).is_some() {
        return Some(0);
    }
    let (_, _, power) = parts(text)?;
    Some(power.min(0).unsigned_abs())
}

/// A number's text in units of 10 to the power of minus `places`, exactly; none if it is too long or has more places.
pub(super) fn scaled_text(text: &str, places: u8) -> Option<i128> {
    if let Some(number) = short_whole(text) {
        return Some(i128::from(number) * 10_i128.pow(u32::from(places)));
    }
    let (negative, digits, power) = parts(text)?;
    if digits.is_empty() {
        return Some(0);
    }
    let zeros = usize::try_from(power + i64::from(places)).ok()?;
    if digits.len() + zeros > 36 {
        return None;
    }
    let size: i128 = format!("{digits}{}", "0".repeat(zeros)).parse().ok()?;
    Some(if negative { -size } else { size })
}

/// `scaled`, a number in units of 10 to the power of minus `places`, with `shown` digits after the point.
pub(super) fn written(scaled: i128, places: u8, shown: u8) -> String {
    let unit = 10_u128.pow(u32::from(places));
    let (sign, size) = (if scaled < 0 { "-" } else { "" }, scaled.unsigned_abs());
    let (whole, fraction) = (size / unit, size % unit);
    let mut digits = match places {
        0 => String::new(),
        places => format!("{fraction:0width$}", width = usize::from(places)),
    };
    while digits.len() > usize::from(shown) && digits.ends_with('0') {
        digits.pop();
    }
    while digits.len() < usize::from(shown) {
        digits.push('0');
    }
    match digits.as_str() {
        "" => format!("{sign}{whole}"),
        digits => format!("{sign}{whole}.{digits}"),
    }
}
