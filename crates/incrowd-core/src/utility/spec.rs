//! Metrics by name: `loss`, `loss(aggregate=sum,weights=age:2;sex:1)`.

use super::{Aggregate, METRICS, UtilityMetric};
use crate::card::nearest;
use crate::counts::CountedTable;
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// A metric as the registry lists it.
#[derive(Debug, Clone, Copy)]
pub struct MetricEntry {
    /// The name users type.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Definition, source, range and options.
    pub documentation: &'static str,
    /// The options it takes.
    pub options: &'static [&'static str],
    /// Whether it can be computed for a table; the flag tells whether there is a target column.
    pub applies: fn(&CountedTable, bool) -> bool,
    /// Builds it for a table.
    pub build: Build,
}

/// Makes a metric for a table.
type Build = fn(&Settings, &CountedTable) -> Result<Box<dyn UtilityMetric>, Error>;

impl MetricEntry {
    /// The metric with this name, or an error that knows the nearest names.
    pub fn named(name: &str) -> Result<&'static MetricEntry, Error> {
        METRICS
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| Error::MetricUnknown {
                name: name.into(),
                nearest: nearest(name, METRICS.iter().map(|entry| entry.name)),
            })
    }
}

/// What a user may choose about a metric. Each metric lists the options it takes; the others stay unset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// `aggregate`: how the attributes' losses become one.
    pub aggregate: Option<Aggregate>,
    /// `weights`: weights of attributes by column name; the others weigh 1.
    pub weights: Vec<(String, f64)>,
    /// `k`: the class size that LeFevre's variant of the average class size is relative to.
    pub k: Option<u32>,
    /// `column`: the counted column a metric reads.
    pub column: Option<String>,
}

/// A metric's name with its settings.
///
/// The text form cannot hold column names with a `,` or a `;`; fill [`Settings`] directly for those.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSpec {
    name: &'static str,
    /// The settings.
    pub settings: Settings,
}

impl MetricSpec {
    /// A metric with default settings.
    pub fn named(name: &str) -> Result<Self, Error> {
        Ok(MetricSpec {
            name: MetricEntry::named(name)?.name,
            settings: Settings::default(),
        })
    }

    /// The name in the registry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The entry of the registry.
    pub fn entry(&self) -> &'static MetricEntry {
        MetricEntry::named(self.name).expect("a spec is made from an entry only")
    }

    /// Whether the metric reads a counted column.
    pub fn reads_column(&self) -> bool {
        self.entry().options.contains(&"column")
    }

    /// The metric of a column, unless it has one already.
    #[must_use]
    pub fn with_column(mut self, column: String) -> Self {
        self.settings.column.get_or_insert(column);
        self
    }

    /// The metric for a table.
    pub fn build(&self, table: &CountedTable) -> Result<Box<dyn UtilityMetric>, Error> {
        (self.entry().build)(&self.settings, table)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Error> {
        let metric = self.name;
        if !self.entry().options.contains(&option) {
            return Err(Error::MetricOptionUnknown {
                metric,
                option: option.into(),
                known: self.entry().options,
            });
        }
        let expected = match option {
            "aggregate" => match value.parse() {
                Ok(aggregate) => {
                    self.settings.aggregate = Some(aggregate);
                    return Ok(());
                }
                Err(()) => "geometric-mean, arithmetic-mean, sum or maximum",
            },
            "weights" => match parse_weights(value) {
                Some(weights) => {
                    self.settings.weights = weights;
                    return Ok(());
                }
                None => "column:weight pairs separated by `;`, each weight at least 0",
            },
            "k" => match value.parse() {
                Ok(k) if k > 0 => {
                    self.settings.k = Some(k);
                    return Ok(());
                }
                _ => "a class size of at least 1",
            },
            _ => {
                self.settings.column = Some(value.into());
                return Ok(());
            }
        };
        Err(Error::MetricOptionInvalid {
            metric,
            option: option.into(),
            expected,
        })
    }
}

fn parse_weights(text: &str) -> Option<Vec<(String, f64)>> {
    text.split(';')
        .map(|pair| {
            let (column, weight) = pair.rsplit_once(':')?;
            let weight: f64 = weight.trim().parse().ok()?;
            (weight.is_finite() && weight >= 0.0).then(|| (column.trim().to_owned(), weight))
        })
        .collect()
}

impl FromStr for MetricSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let (name, options) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(options) => (name.trim_end(), options),
                None => return Err(Error::MetricSpecMalformed { text: text.into() }),
            },
        };
        let mut spec = MetricSpec::named(name)?;
        for option in options
            .split(',')
            .filter(|option| !option.trim().is_empty())
        {
            let Some((option, value)) = option.split_once('=') else {
                return Err(Error::MetricSpecMalformed { text: text.into() });
            };
            spec.set(option.trim(), value.trim())?;
        }
        Ok(spec)
    }
}

impl fmt::Display for MetricSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = Vec::new();
        if let Some(aggregate) = self.settings.aggregate {
            options.push(format!("aggregate={aggregate}"));
        }
        if !self.settings.weights.is_empty() {
            let weights: Vec<String> = (self.settings.weights.iter())
                .map(|(column, weight)| format!("{column}:{weight}"))
                .collect();
            options.push(format!("weights={}", weights.join(";")));
        }
        if let Some(k) = self.settings.k {
            options.push(format!("k={k}"));
        }
        if let Some(column) = &self.settings.column {
            options.push(format!("column={column}"));
        }
        formatter.write_str(self.name)?;
        if options.is_empty() {
            return Ok(());
        }
        write!(formatter, "({})", options.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_reads_back_what_it_shows() {
        for text in [
            "loss",
            "loss(aggregate=arithmetic-mean,weights=age:2;sex:1)",
            "average-class-size(k=5)",
            "classification-metric(column=salary-class)",
        ] {
            let spec: MetricSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn an_unknown_metric_is_answered_with_the_nearest_names() {
        let Err(Error::MetricUnknown { nearest, .. }) = "los".parse::<MetricSpec>() else {
            panic!("`los` is no metric");
        };
        assert_eq!(nearest[0], "loss");
        let Err(Error::MetricUnknown { nearest, .. }) = "presicion".parse::<MetricSpec>() else {
            panic!("`presicion` is no metric");
        };
        assert_eq!(nearest[0], "precision");
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        for text in [
            "loss(aggregate=median)",
            "loss(weights=age:-1)",
            "loss(weights=age)",
            "loss(k=5)",
            "loss(sum)",
            "loss(aggregate=sum",
            "average-class-size(k=0)",
        ] {
            assert!(text.parse::<MetricSpec>().is_err(), "{text}");
        }
    }
}
