//! What a column's texts mean: numbers, dates, or just text.

use jiff::civil::Date;

/// How the values of a column are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Every present value is a finite decimal number.
    Number,
    /// Every present value is a calendar date, `YYYY-MM-DD`.
    Date,
    /// Anything else.
    Text,
}

/// A finite number with a total order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(f64);

impl Number {
    /// The value; never NaN or infinite.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Parses a finite decimal number; `inf`, `NaN` and the empty text are not numbers.
pub fn parse_number(text: &str) -> Option<Number> {
    let number: f64 = text.trim().parse().ok()?;
    number.is_finite().then_some(Number(number + 0.0)) // -0 and 0 are one value
}

/// Parses a calendar date `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<Date> {
    let text = text.trim();
    (text.len() == 10).then(|| text.parse().ok()).flatten()
}

impl Kind {
    /// The narrowest kind that fits every value; `Text` if there are no values.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Kind {
        let (mut any, mut number, mut date) = (false, true, true);
        for value in values {
            any = true;
            number = number && parse_number(value).is_some();
            date = date && parse_date(value).is_some();
            if !number && !date {
                break;
            }
        }
        match (any, number, date) {
            (true, true, _) => Kind::Number,
            (true, _, true) => Kind::Date,
            _ => Kind::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_the_narrowest_that_fit() {
        assert_eq!(Kind::of(["17", "3.5", "-2e3"]), Kind::Number);
        assert_eq!(Kind::of(["2024-02-29", "1999-12-31"]), Kind::Date);
        assert_eq!(Kind::of(["2024-02-30"]), Kind::Text);
        assert_eq!(Kind::of(["17", "NaN"]), Kind::Text);
        assert_eq!(Kind::of([]), Kind::Text);
    }
}
