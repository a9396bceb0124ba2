//! How many partitions there are to choose from, which may be more than a float can represent.

use std::fmt;

/// How many choices of partitions there are, as exactly as a float allows.
///
/// ```
/// use incrowd_core::algorithms::partition::Choices;
/// assert_eq!(Choices::new(52.0).to_string(), "52");
/// assert_eq!(Choices::new(2f64.powi(40)).to_string(), "1.100e12");
/// assert_eq!(Choices::new(f64::INFINITY).to_string(), "more than 1e308");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices(Option<f64>);

/// Fewer are shown digit by digit.
const SHOWN_IN_FULL: f64 = 1e6;

impl Choices {
    /// This many. Infinity and NaN mean more than a float can represent.
    pub fn new(number: f64) -> Self {
        Choices(Some(number).filter(|number| number.is_finite()))
    }

    /// How many; none if that is more than 1e308.
    pub fn number(self) -> Option<f64> {
        self.0
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.pad("more than 1e308"),
            Some(number) if number < SHOWN_IN_FULL => formatter.pad(&format!("{number}")),
            Some(number) => formatter.pad(&format!("{number:.3e}")),
        }
    }
}
