//! The research value of spec 5, row by row and value by value.

use super::Judged;
use super::numbers::{is_numeric, width};
use std::collections::BTreeSet;

/// Weights, rules and exponents.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleResearchValue {
    /// Weights by column, of sum 1; all equal when empty.
    pub weights: Vec<(String, f64)>,
    /// What is to be told apart.
    pub rules: Vec<OracleRule>,
    /// What is added to kept and to all importances.
    pub base: f64,
    /// Of granularity and of rules.
    pub exponents: (f64, f64),
    /// Values of levels by column, in place of granularity and rules.
    pub level_values: Vec<(String, Vec<f64>)>,
}

/// Values that are to be told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleRule {
    /// The column.
    pub column: String,
    /// As users write it, without column and importance.
    pub text: String,
    /// The values on one side.
    pub one: Vec<String>,
    /// The values on the other.
    pub other: Vec<String>,
    /// How much it matters.
    pub importance: f64,
}

impl OracleRule {
    /// Whether no group has values of both sides.
    pub fn is_kept<S: AsRef<str>>(&self, groups: &[Vec<S>]) -> bool {
        let meets = |group: &Vec<S>, side: &[String]| {
            group
                .iter()
                .any(|value| side.iter().any(|it| it == value.as_ref()))
        };
        !groups
            .iter()
            .any(|group| meets(group, &self.one) && meets(group, &self.other))
    }
}

impl OracleResearchValue {
    /// The settings as users write them.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let joined = |texts: Vec<String>, by: &str| texts.join(by);
        if !self.rules.is_empty() {
            let rules = self.rules.iter().map(|rule| {
                let OracleRule {
                    column,
                    text,
                    importance,
                    ..
                } = rule;
                format!("{column}: {text} = {importance}")
            });
            options.push(format!("rules=\"{}\"", joined(rules.collect(), " ; ")));
        }
        options.push(format!("base={}", self.base));
        if !self.weights.is_empty() {
            let weights = self
                .weights
                .iter()
                .map(|(column, weight)| format!("{column}:{weight}"));
            options.push(format!("weights={}", joined(weights.collect(), ";")));
        }
        options.push(format!("granularity-exponent={}", self.exponents.0));
        options.push(format!("rule-exponent={}", self.exponents.1));
        if !self.level_values.is_empty() {
            let values = self.level_values.iter().map(|(column, values)| {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                format!("{column}:{}", values.join("/"))
            });
            options.push(format!("level-values={}", joined(values.collect(), ";")));
        }
        options
    }

    /// 1 less the share of the greatest value.
    pub(super) fn loss(&self, judged: &Judged<'_>) -> f64 {
        let (mut total, mut greatest) = (0.0, 0.0);
        let columns = judged.problem.quasi_identifiers.iter();
        for (attribute, (column, _)) in columns.enumerate() {
            let of = |weights: &[(String, f64)]| {
                weights
                    .iter()
                    .find(|(name, _)| name == column)
                    .map_or(0.0, |it| it.1)
            };
            let weight = match self.weights.is_empty() {
                true => 1.0 / judged.levels.len() as f64,
                false => of(&self.weights),
            };
            let by_hand = self.level_values.iter().find(|(name, _)| name == column);
            match by_hand {
                Some((_, values)) => {
                    let most = values.iter().copied().fold(0.0, f64::max);
                    let least = values.iter().copied().fold(f64::MAX, f64::min);
                    let level = values[judged.levels[attribute] as usize];
                    let rows = judged.is_suppressed.iter();
                    let sum: f64 = rows.map(|&gone| if gone { least } else { level }).sum();
                    total += weight * sum / judged.rows.len() as f64;
                    greatest += weight * most;
                }
                None => {
                    total += weight * self.computed(judged, attribute, column);
                    greatest += weight;
                }
            }
        }
        if greatest == 0.0 {
            0.0
        } else {
            1.0 - total / greatest
        }
    }

    fn computed(&self, judged: &Judged<'_>, attribute: usize, column: &str) -> f64 {
        let rows = judged.rows.len() as f64;
        let suppressed = judged.rows_suppressed() as f64;
        let hierarchy = judged.hierarchy(attribute);
        let level = judged.levels[attribute] as usize;
        let labels: BTreeSet<&String> = hierarchy.iter().map(|way| &way[level]).collect();
        let groups: Vec<Vec<&String>> = labels
            .iter()
            .map(|label| {
                let under = hierarchy.iter().filter(|way| way[level] == **label);
                under.map(|way| &way[0]).collect()
            })
            .collect();
        let granularity = if is_numeric(judged, attribute) {
            let all = hierarchy.iter().map(|way| way[0].as_str());
            let all = 1.0 + width(all);
            let span = |row: usize| match judged.is_suppressed[row] {
                true => all,
                false => 1.0 + width(judged.values_under(attribute, row)),
            };
            rows / (0..judged.rows.len()).map(span).sum::<f64>()
        } else {
            let values = hierarchy.len() as f64;
            ((rows - suppressed) * groups.len() as f64 / values + suppressed / values) / rows
        };
        let rules = || self.rules.iter().filter(|rule| rule.column == column);
        let all: f64 = rules().map(|rule| rule.importance).sum();
        let kept = rules().filter(|rule| rule.is_kept(&groups));
        let kept: f64 = kept.map(|rule| rule.importance).sum();
        let ratio = match rules().next() {
            None => 1.0,
            Some(_) => (self.base + kept * (rows - suppressed) / rows) / (self.base + all),
        };
        granularity.powf(self.exponents.0) * ratio.powf(self.exponents.1)
    }
}
