//! Decimal numbers as people write them, exactly, and quotients of counts as exactly as `f64` can say.
//!
//! `0.3` is no `f64`: a share of exactly 3 in 10 must not depend on how it is rounded, and three steps of 0.1 must end
//! at 0.3. Numbers that people write therefore stay what the text says, a whole number of units of 10^-places. Privacy
//! models compare them with counts, hierarchies lay out intervals with them, both in integers.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most digits after the point.
pub(crate) const MOST_PLACES: u8 = 12;
/// Units are below this, whatever the sign.
const MOST_UNITS: u64 = 1 << 62;
/// The most digits after the point of a parameter: then its denominator is below 2^30, which the products of the models
/// are budgeted for.
const MOST_PLACES_OF_PARAMETER: u8 = 9;
/// Units of a number with a sign are below this: fifteen digits.
const MOST_UNITS_WITH_SIGN: u64 = 1_000_000_000_000_000;

/// 10^places; looked up, as the models ask for every class.
const POWERS_OF_TEN: [u64; MOST_PLACES as usize + 1] = {
    let mut powers = [1; MOST_PLACES as usize + 1];
    let mut places = 1;
    while places < powers.len() {
        powers[places] = 10 * powers[places - 1];
        places += 1;
    }
    powers
};

/// A decimal number, exactly.
///
/// [`str::parse`] reads what a promise can be about: no sign, at most 4294967295 before the point, at most nine digits
/// after it. [`Decimal::with_sign`] reads widths and origins.
///
/// ```
/// use incrowd_core::table::Decimal;
/// let share: Decimal = "0.290".parse().unwrap();
/// assert_eq!((share.numerator(), share.denominator()), (29, 100));
/// assert_eq!(share.to_string(), "0.29");
///
/// let origin = Decimal::with_sign("-2.50").unwrap();
/// assert_eq!(Some(origin), Decimal::new(-25, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Decimal {
    /// Below 2^62, whatever the sign.
    units: i64,
    /// Digits after the point, the last of them not 0; at most 12.
    places: u8,
}

/// The text is no decimal number of a size and precision that can be read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number of this size and precision")]
pub struct NotADecimal;

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal {
        units: 0,
        places: 0,
    };
    /// One.
    pub const ONE: Decimal = Decimal {
        units: 1,
        places: 0,
    };

    /// `units` divided by 10 to the power of `places`, unless it is too long.
    pub fn new(units: i64, places: u8) -> Option<Self> {
        let decimal = Decimal::reduced(units, places);
        let fits = decimal.units.unsigned_abs() < MOST_UNITS && decimal.places <= MOST_PLACES;
        fits.then_some(decimal)
    }

    fn reduced(mut units: i64, mut places: u8) -> Self {
        while places > 0 && units % 10 == 0 {
            units /= 10;
            places -= 1;
        }
        Decimal { units, places }
    }

    /// Reads a number that may be negative, of at most 15 digits, at most 12 of them after the point.
    pub fn with_sign(text: &str) -> Result<Self, NotADecimal> {
        let decimal = match text.strip_prefix('-') {
            Some(text) => read(text).map(|size| Decimal {
                units: -size.units,
                ..size
            }),
            None => read(text),
        };
        let fits = |decimal: &Decimal| decimal.units.unsigned_abs() < MOST_UNITS_WITH_SIGN;
        decimal.filter(fits).ok_or(NotADecimal)
    }

    /// The number times [`Decimal::denominator`], below 2^62; 0 for a number below 0.
    #[inline]
    pub fn numerator(self) -> u64 {
        self.units.max(0) as u64
    }

    /// The power of ten that makes it whole; at most 10^9 for what [`str::parse`] reads.
    #[inline]
    pub fn denominator(self) -> u64 {
        POWERS_OF_TEN[usize::from(self.places)]
    }

    /// The number, when it is whole.
    pub fn whole(self) -> Option<u32> {
        (self.places == 0).then(|| u32::try_from(self.units).ok())?
    }

    /// Whether it is above 0.
    pub fn is_positive(self) -> bool {
        self.units > 0
    }

    /// Digits after the point.
    pub(crate) fn places(self) -> u8 {
        self.places
    }

    /// The number in units of 10 to the power of minus `places`, which must not be fewer than it has.
    pub(crate) fn scaled(self, places: u8) -> i128 {
        i128::from(self.units) * 10_i128.pow(u32::from(places - self.places))
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        let size = ratio(self.units.unsigned_abs().into(), self.denominator().into());
        if self.units < 0 { -size } else { size }
    }

    /// The number that [`str::parse`] makes of the shortest notation of this `f64`: `0.3` is exactly 3/10. None when
    /// that needs more digits.
    pub fn from_f64(number: f64) -> Option<Self> {
        format!("{number}").parse().ok()
    }

    /// The least decimal of nine digits after the point that is not below `number`. None when there is none, or
    /// `number` is negative or NaN.
    pub fn at_least(number: f64) -> Option<Self> {
        Self::around(number)?.find(|decimal| decimal.to_f64() >= number)
    }

    /// The greatest decimal of nine digits after the point that is not above `number`. None when there is none, or
    /// `number` is negative or NaN.
    pub fn at_most(number: f64) -> Option<Self> {
        let mut around = Self::around(number)?.rev();
        around.find(|decimal| decimal.to_f64() <= number)
    }

    /// The decimals next to a number, ascending. Scaling it can round past one of them, so three are needed.
    fn around(number: f64) -> Option<impl DoubleEndedIterator<Item = Self>> {
        if !(0.0..=f64::from(u32::MAX)).contains(&number) {
            return None;
        }
        let nanos = (number.fract() * 1e9) as i64;
        let units = number.trunc() as i64 * 1_000_000_000 + nanos;
        let around = (units - 1).max(0)..=units + 1;
        Some(around.map(|units| Decimal::reduced(units, MOST_PLACES_OF_PARAMETER)))
    }
}

/// A number without sign, as far as a [`Decimal`] can hold it.
fn read(text: &str) -> Option<Decimal> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !digits.all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let places = u8::try_from(fraction.len()).ok()?;
    // Zeros before the number are no digits of it.
    let units = match [whole, fraction].concat().trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    Decimal::new(units, places)
}

impl From<u32> for Decimal {
    fn from(number: u32) -> Self {
        Decimal::reduced(number.into(), 0)
    }
}

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let fits = |decimal: &Decimal| {
            decimal.places <= MOST_PLACES_OF_PARAMETER
                && decimal.numerator() / decimal.denominator() <= u32::MAX.into()
        };
        read(text).filter(fits).ok_or(NotADecimal)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(self.units.into(), self.places, self.places))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = self.places.max(other.places);
        self.scaled(places).cmp(&other.scaled(places))
    }
}

/// `scaled`, a number in units of 10 to the power of minus `places`, with `shown` digits after the point.
pub(crate) fn written(scaled: i128, places: u8, shown: u8) -> String {
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
        assert_eq!(decimal("00000000000000000000000.5"), decimal("0.5"));
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
    fn what_a_promise_can_be_about_has_no_sign_and_few_digits_and_widths_may_have_more() {
        for (text, units, places) in [
            ("-17", -17, 0),
            ("-0.350", -35, 2),
            ("-0", 0, 0),
            ("999999999999999", 999_999_999_999_999, 0),
            ("0.000000000001", 1, 12),
            ("-.5", -5, 1),
        ] {
            let read = Decimal::with_sign(text);
            assert_eq!(read.ok(), Decimal::new(units, places), "{text}");
            assert_eq!(text.parse::<Decimal>(), Err(NotADecimal), "{text}");
        }
        for text in [
            "1000000000000000",
            "0.0000000000001",
            "--1",
            "-",
            "+1",
            "1e3",
            "- 1",
        ] {
            assert_eq!(Decimal::with_sign(text), Err(NotADecimal), "{text}");
        }
        assert_eq!(Decimal::with_sign("2.50"), "2.5".parse());
        assert_eq!(Decimal::new(1 << 62, 0), None);
        assert_eq!(Decimal::new(1, 13), None);
    }

    #[test]
    fn numbers_below_zero_are_in_order_and_no_count_is_below_them() {
        let texts = ["-17", "-2.5", "-0.000000000001", "0", "0.000000000001", "2"];
        let numbers = texts.map(|text| Decimal::with_sign(text).expect("a decimal"));
        assert!(numbers.is_sorted() && numbers.map(|number| number.to_string()) == texts);
        assert_eq!(numbers[1].to_f64(), -2.5);
        assert_eq!((numbers[1].numerator(), numbers[1].whole()), (0, None));
        assert!(!numbers[2].is_positive() && !Decimal::ZERO.is_positive());
        assert_eq!([numbers[1].scaled(3), numbers[5].scaled(3)], [-2500, 2000]);
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
