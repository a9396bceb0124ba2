//! Decimal numbers as the user wrote them, and quotients of counts as exactly as `f64` can say.
//!
//! `0.3` is no `f64`, and a share of exactly 3 in 10 must not depend on how it is rounded. Parameters therefore
//! stay what the text says, a whole number of units of 10^-digits, and are compared with counts in integers.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most digits after the point: then a denominator is below 2^30, which the models' products are budgeted for.
const MAX_DIGITS: u8 = 9;

/// A non-negative decimal number, exactly: at most 4294967295 before the point, at most nine digits after it.
///
/// ```
/// use incrowd_core::privacy::Decimal;
/// let share: Decimal = "0.290".parse().unwrap();
/// assert_eq!((share.numerator(), share.denominator()), (29, 100));
/// assert_eq!(share.to_string(), "0.29");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Below 2^62: 2^32 times 10^9.
    units: u64,
    /// Digits after the point, the last of them not 0.
    digits: u8,
}

/// The text is no non-negative decimal number of a size and precision that [`Decimal`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotADecimal;

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal {
        units: 0,
        digits: 0,
    };
    /// One.
    pub const ONE: Decimal = Decimal {
        units: 1,
        digits: 0,
    };

    fn new(mut units: u64, mut digits: u8) -> Self {
        while digits > 0 && units.is_multiple_of(10) {
            units /= 10;
            digits -= 1;
        }
        Decimal { units, digits }
    }

    /// The number times [`Decimal::denominator`]; below 2^62.
    #[inline]
    pub fn numerator(self) -> u64 {
        self.units
    }

    /// The power of ten that makes it whole; at most 10^9.
    #[inline]
    pub fn denominator(self) -> u64 {
        10u64.pow(self.digits.into())
    }

    /// The number, when it is whole.
    pub fn whole(self) -> Option<u32> {
        (self.digits == 0).then(|| u32::try_from(self.units).ok())?
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        ratio(self.units.into(), self.denominator().into())
    }

    /// The number whose shortest notation this `f64` has: `0.3` is exactly 3/10. None when that needs more digits.
    pub fn from_f64(number: f64) -> Option<Self> {
        format!("{number}").parse().ok()
    }

    /// The least decimal that is not below `number`. None when there is none, or `number` is negative or NaN.
    pub fn at_least(number: f64) -> Option<Self> {
        Self::around(number)?.find(|decimal| decimal.to_f64() >= number)
    }

    /// The greatest decimal that is not above `number`. None when there is none, or `number` is negative or NaN.
    pub fn at_most(number: f64) -> Option<Self> {
        let mut around = Self::around(number)?.rev();
        around.find(|decimal| decimal.to_f64() <= number)
    }

    /// The decimals next to a number, ascending. Scaling it can round past one of them, so three are needed.
    fn around(number: f64) -> Option<impl DoubleEndedIterator<Item = Self>> {
        if !(0.0..=f64::from(u32::MAX)).contains(&number) {
            return None;
        }
        let nanos = (number.fract() * 1e9) as u64;
        let units = number.trunc() as u64 * 1_000_000_000 + nanos;
        Some((units.saturating_sub(1)..=units + 1).map(|units| Decimal::new(units, MAX_DIGITS)))
    }
}

impl From<u32> for Decimal {
    fn from(number: u32) -> Self {
        Decimal::new(number.into(), 0)
    }
}

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return Err(NotADecimal);
        }
        let parse = |part: &str| match part {
            "" => Ok(0),
            digits => digits.parse::<u32>().map_err(|_| NotADecimal),
        };
        let fraction = fraction.trim_end_matches('0');
        let digits = u8::try_from(fraction.len()).map_err(|_| NotADecimal)?;
        if digits > MAX_DIGITS {
            return Err(NotADecimal);
        }
        let units = u64::from(parse(whole)?) * 10u64.pow(digits.into());
        Ok(Decimal::new(units + u64::from(parse(fraction)?), digits))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (
            self.units / self.denominator(),
            self.units % self.denominator(),
        );
        match self.digits {
            0 => write!(f, "{whole}"),
            digits => write!(f, "{whole}.{fraction:0width$}", width = digits.into()),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // Below 2^62 times 2^30.
        let left = u128::from(self.units) * u128::from(other.denominator());
        left.cmp(&(u128::from(other.units) * u128::from(self.denominator())))
    }
}

/// `a / b`, correctly rounded; 0 for 0 / 0, infinite for other `a / 0`.
///
/// Rounding keeps order, so `a / b <= p` exactly implies the same of the rounded numbers. Both below 2^127.
pub(crate) fn ratio(a: u128, b: u128) -> f64 {
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    if a == 0 {
        return 0.0;
    }
    if b == 0 || (a <= EXACT && b <= EXACT) {
        return a as f64 / b as f64;
    }
    // Long division until 60 bits of quotient are known; the last bit says whether anything was left. Casting the
    // quotient rounds once, and scaling by a power of two not at all.
    let (mut quotient, mut rest) = (a / b, a % b);
    let mut shift = 0;
    while quotient < 1 << 60 && rest != 0 {
        rest <<= 1;
        quotient = quotient << 1 | u128::from(rest >= b);
        if rest >= b {
            rest -= b;
        }
        shift += 1;
    }
    (quotient << 1 | u128::from(rest != 0)) as f64 * 0.5f64.powi(shift + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    #[test]
    fn decimals_are_what_the_text_says() {
        assert_eq!(decimal("0.30"), decimal(".3"));
        assert_eq!(decimal("007"), Decimal::from(7));
        assert_eq!(
            decimal("4294967295.999999999").numerator(),
            4_294_967_295_999_999_999
        );
        assert_eq!(decimal("10").to_string(), "10");
        assert_eq!(decimal("0.000000001").to_string(), "0.000000001");
        assert_eq!(decimal("2.50").to_string(), "2.5");
        assert!(decimal("0.3") < decimal("0.31") && decimal("0.31") < Decimal::ONE);
    }

    #[test]
    fn text_that_is_no_decimal_is_refused() {
        for text in [
            "", ".", "-1", "+1", "NaN", "inf", "1e3", "0x1", "1,5", "1.2.3", " 1", "４",
        ] {
            assert_eq!(text.parse::<Decimal>(), Err(NotADecimal), "{text}");
        }
        for text in ["4294967296", "0.0000000001", "99999999999999999999999"] {
            assert_eq!(text.parse::<Decimal>(), Err(NotADecimal), "{text}");
        }
    }

    #[test]
    fn decimals_beside_a_float_enclose_it() {
        assert_eq!(Decimal::at_least(0.3), Some(decimal("0.3")));
        assert_eq!(Decimal::at_least(1.0 / 3.0), Some(decimal("0.333333334")));
        assert_eq!(Decimal::at_most(1.0 / 3.0), Some(decimal("0.333333333")));
        assert_eq!(Decimal::at_least(0.9999999999), Some(Decimal::ONE));
        assert_eq!(
            Decimal::at_most(2.0 / 3.0 + 5.0),
            Some(decimal("5.666666666"))
        );
        for number in [-1.0, f64::NAN, f64::INFINITY, 4294967296.0] {
            assert_eq!(Decimal::at_least(number), None);
            assert_eq!(Decimal::at_most(number), None);
        }
    }

    #[test]
    fn ratios_are_correctly_rounded() {
        assert_eq!(ratio(0, 0), 0.0);
        assert_eq!(ratio(3, 10), 0.3);
        let big = (1u128 << 96) - 1;
        assert_eq!(ratio(3 * big, 10 * big), 0.3);
        assert_eq!(ratio(big, 3 * big), 1.0 / 3.0);
        assert_eq!(ratio(7 * big, 3 * big), 7.0 / 3.0);
        assert_eq!(ratio(big, 1), big as f64);
        assert_eq!(ratio(1, big), 1.0 / big as f64);
        // Half-way between 1 and the next float, then just above it.
        assert_eq!(ratio((1 << 53) + 1, 1 << 53), 1.0);
        assert_eq!(
            ratio((1 << 73) + (1 << 20) + 1, 1 << 73),
            1.0 + f64::EPSILON
        );
        assert_eq!(decimal("0.1").to_f64(), 0.1);
    }
}
