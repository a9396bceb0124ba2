//! What experts say about a release: rules that must survive, and how much each column counts.
//!
//! In a job file, `[rules]` lists rules by column and `[weights]` weights; the rest is in `[search]`:
//!
//! ```
//! # use incrowd_job::Job;
//! let job = Job::parse(
//!     r#"
//!     [rules]
//!     age = ["64|65 = 25", "17|18 = 10"]
//!     race = "White != Black = 20"
//!     [weights]
//!     age = 0.7
//!     race = 0.3
//!     [search]
//!     metric = "research-value"
//!     rule_base = 5
//!     "#,
//! )?;
//! assert_eq!(job.rules["age"].0.len(), 2);
//! # Ok::<(), incrowd_job::Error>(())
//! ```

use super::Job;
use crate::error::Error;
use incrowd_core::registry::Rule;
use incrowd_core::utility::MetricSpec;
use indexmap::IndexMap;

/// The metric that rules and weights are settings of.
pub(crate) const RESEARCH_VALUE: &str = "research-value";

impl Job {
    /// Adds a rule with the name of its column, such as `age: 64|65 = 25`.
    pub fn add_rule(&mut self, text: &str) -> Result<(), Error> {
        let rule: Rule = text.parse()?;
        let text = format!("{} = {}", rule.sides, rule.importance);
        self.rules.entry(rule.column).or_default().0.push(text);
        Ok(())
    }

    /// Adds a weight, such as `age=0.3`.
    pub fn add_weight(&mut self, text: &str) -> Result<(), Error> {
        let refused = || Error::WeightFlag { text: text.into() };
        let (column, weight) = text.rsplit_once('=').ok_or_else(refused)?;
        let column = column.trim();
        let weight: f64 = weight.trim().parse().map_err(|_| refused())?;
        let is_new = (self.weights.insert(column.to_owned(), weight)).is_none();
        match is_new && is_weight(weight) && !column.is_empty() {
            true => Ok(()),
            false => Err(refused()),
        }
    }

    /// Adds the values of the levels of a column, such as `age=1/0.8/0`.
    pub fn add_level_values(&mut self, text: &str) -> Result<(), Error> {
        let refused = || Error::LevelValuesFlag { text: text.into() };
        let (column, values) = text.rsplit_once('=').ok_or_else(refused)?;
        let number = |text: &str| text.trim().parse().ok().filter(|it| is_weight(*it));
        let values: Option<Vec<f64>> = values.split('/').map(number).collect();
        let values = values.ok_or_else(refused)?;
        let column = column.trim().to_owned();
        match self.level_values.insert(column, values) {
            None => Ok(()),
            Some(_) => Err(refused()),
        }
    }

    /// Whether the job says anything that only the research value reads.
    pub(crate) fn asks_for_research_value(&self) -> bool {
        let search = &self.search;
        let named = search.metric.as_deref().unwrap_or_default();
        let named = named.split('(').next().unwrap_or_default().trim();
        !self.rules.is_empty()
            || !self.weights.is_empty()
            || !self.level_values.is_empty()
            || search.weights.is_some()
            || search.drop_associated.is_some()
            || search.rule_base.is_some()
            || search.granularity_exponent.is_some()
            || search.rule_exponent.is_some()
            || named == RESEARCH_VALUE
    }

    /// The rules, parsed, in the order of their columns.
    pub(crate) fn all_rules(&self) -> Result<Vec<Rule>, Error> {
        let mut rules = Vec::new();
        for (column, texts) in &self.rules {
            for text in &texts.0 {
                rules.push(Rule::of_column(column, text)?);
            }
        }
        Ok(rules)
    }

    /// The columns that rules, weights and values of levels are about, and where they were named.
    pub(crate) fn columns_of_research(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let rules = self.rules.keys().map(|it| (it.as_str(), "the rules"));
        let weights = self.weights.keys().map(|it| (it.as_str(), "the weights"));
        let levels = self.level_values.keys();
        let levels = levels.map(|it| (it.as_str(), "the level values"));
        rules.chain(weights).chain(levels)
    }

    /// A metric by its text, together with the rules and weights of the job if it reads them.
    pub(crate) fn metric(&self, text: &str) -> Result<MetricSpec, Error> {
        let mut spec: MetricSpec = text.parse()?;
        if spec.name() != RESEARCH_VALUE {
            return Ok(spec);
        }
        let rules = self.all_rules()?;
        if !rules.is_empty() {
            spec.give("rules", &Rule::join(&rules))?;
        }
        let is_chosen = self.search.weights.is_some() || self.search.drop_associated.is_some();
        if !self.weights.is_empty() && is_chosen {
            return Err(Error::WeightsTwice);
        }
        if !self.weights.is_empty() {
            for (column, weight) in &self.weights {
                if !is_weight(*weight) {
                    let text = format!("{column}={weight}");
                    return Err(Error::WeightFlag { text });
                }
            }
            spec.give("weights", &pairs(&self.weights, f64::to_string))?;
        }
        if let Some(weighting) = self.search.weights {
            spec.give("weighting", weighting.word())?;
        }
        let numbers = [
            ("drop-associated", self.search.drop_associated),
            ("base", self.search.rule_base),
            ("granularity-exponent", self.search.granularity_exponent),
            ("rule-exponent", self.search.rule_exponent),
        ];
        for (setting, number) in numbers {
            if let Some(number) = number {
                spec.give(setting, &number.to_string())?;
            }
        }
        if !self.level_values.is_empty() {
            let text = |values: &Vec<f64>| {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                values.join("/")
            };
            spec.give("level-values", &pairs(&self.level_values, text))?;
        }
        Ok(spec)
    }

    /// The research value with everything the job says about it.
    pub(crate) fn research_value(&self) -> Result<MetricSpec, Error> {
        let text = self.search.metric.as_deref().unwrap_or_default();
        let named = text.split('(').next().unwrap_or_default().trim();
        self.metric(if named == RESEARCH_VALUE {
            text
        } else {
            RESEARCH_VALUE
        })
    }
}

fn is_weight(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

fn pairs<T>(by_column: &IndexMap<String, T>, text: impl Fn(&T) -> String) -> String {
    let pair = |(column, value): (&String, &T)| format!("{column}:{}", text(value));
    by_column.iter().map(pair).collect::<Vec<_>>().join(";")
}
