//! How easily people in a table are found.

use crate::spec::Gate;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The result of `risk`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RiskReport {
    /// [`VERSION`](crate::VERSION).
    pub version: u32,
    /// Of the file.
    #[serde(flatten)]
    pub risks: Risks,
    /// Of the table it was made from, if that is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Risks>,
    /// Every gate, in the order given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateJudged>,
    /// Notes that the user should read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl RiskReport {
    /// Whether every gate is met.
    pub fn is_within_gates(&self) -> bool {
        self.gates.iter().all(|gate| gate.holds)
    }
}

/// The risks of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Risks {
    /// Rows that can be found at all.
    pub rows: u64,
    /// Groups of rows with equal quasi-identifiers.
    pub classes: u64,
    /// Rows that are `*` in every column: suppressed or blank. They are not part of `rows`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows_starred: u64,
    /// An attacker who knows that somebody is in the file.
    pub prosecutor: Reidentified,
    /// An attacker who knows everyone in the population; none without its table.
    pub journalist: Option<Reidentified>,
    /// What the file promises to the people of the population; none without its table, or without rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
    /// The share of rows that an attacker who tries all of them gets right: classes per row.
    pub marketer: f64,
    /// Who is alone.
    pub uniques: Uniques,
    /// What is certain about everyone in a class, for each sensitive column.
    pub attribute_disclosure: IndexMap<String, CertainRows>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How likely an attacker is right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reidentified {
    /// For the row that is found most easily.
    pub highest: f64,
    /// The mean over rows.
    pub average: f64,
    /// Rows found too easily.
    pub above_threshold: AboveThreshold,
}

/// How the classes of a file compare with the people of the population who match them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Matched {
    /// Every class is matched by at least so many people: the k of k-map.
    pub k_map: u64,
    /// Of the people who match a class, the share that is in the file: the bounds of delta-presence.
    pub delta_presence: Presence,
}

/// The least and the greatest share over the classes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Of the class whose people are in the file least likely.
    pub min: f64,
    /// Of the class whose people are in the file most likely.
    pub max: f64,
}

/// Rows whose risk is greater than a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AboveThreshold {
    /// The threshold; a risk equal to it is not above it.
    pub threshold: f64,
    /// How many rows.
    pub rows: u64,
    /// Of all rows.
    pub share: f64,
}

/// Who is alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Uniques {
    /// In the file.
    pub sample: UniqueRows,
    /// In the population; none if its size is not known.
    pub population: Option<PopulationEstimates>,
}

/// Rows that are alone in their class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UniqueRows {
    /// How many rows.
    pub rows: u64,
    /// Of all rows.
    pub share: f64,
}

/// How many people are unique in the population, judging by the file as a random sample of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PopulationEstimates {
    /// People in the population.
    pub size: u64,
    /// By Pitman's sampling formula; `null` if it has no answer.
    pub pitman: Option<f64>,
    /// By Zayatz' estimator.
    pub zayatz: Option<f64>,
    /// By the slide negative binomial distribution.
    pub snb: Option<f64>,
    /// The same as shares of the population.
    pub shares: EstimatedShares,
    /// Why an estimate is missing, by its name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub reasons: IndexMap<String, String>,
}

/// Estimates as shares of the population.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EstimatedShares {
    /// By Pitman's sampling formula.
    pub pitman: Option<f64>,
    /// By Zayatz' estimator.
    pub zayatz: Option<f64>,
    /// By the slide negative binomial distribution.
    pub snb: Option<f64>,
}

/// Rows whose sensitive value is certain, since their whole class shares it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CertainRows {
    /// How many rows; those that are alone in their class too.
    pub certain_rows: u64,
    /// Of all rows.
    pub share: f64,
}

/// A gate and what it was compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateJudged {
    /// The gate.
    pub gate: Gate,
    /// The figure; `null` if there is none, and then the gate is not met.
    pub figure: Option<f64>,
    /// Whether the figure stays within the bound.
    pub holds: bool,
}
