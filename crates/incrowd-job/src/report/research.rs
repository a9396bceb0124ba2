//! What experts said about a release, and whether it keeps their rules.

use crate::report::digits::few_digits;
use crate::report::figure::Figure;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The research value of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchValueReached {
    /// Of the release.
    pub total: f64,
    /// Of the raw table.
    pub greatest: f64,
    /// Of each quasi-identifier, in their order.
    pub attributes: Vec<AttributeReached>,
}

/// The research value of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributeReached {
    /// The column.
    pub name: String,
    /// How much it counts.
    pub weight: f64,
    /// Its part of the total.
    pub value: f64,
    /// The share of the importance of its rules that is kept.
    pub ratio: f64,
    /// Its rules.
    pub rules: Vec<RuleReached>,
}

/// A rule, and whether the release keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleReached {
    /// The rule without column and importance, such as `64|65`; in a certificate its hash.
    pub rule: String,
    /// How much it matters.
    pub importance: Figure,
    /// Whether no published value stands for values of both sides.
    pub kept: bool,
}

impl ResearchValueReached {
    /// Whether some rule is broken.
    pub fn breaks_a_rule(&self) -> bool {
        let mut rules = self.attributes.iter().flat_map(|it| &it.rules);
        rules.any(|rule| !rule.kept)
    }

    /// The total in words.
    pub fn in_words(&self) -> String {
        let (total, greatest) = (few_digits(self.total), few_digits(self.greatest));
        format!("research value {total} of {greatest}")
    }

    /// Where the rules are: the position of the attribute, and of the rule among its rules.
    pub fn places_of_rules(&self) -> Vec<(usize, usize)> {
        let attributes = self.attributes.iter().enumerate();
        let places =
            attributes.flat_map(|(at, it)| (0..it.rules.len()).map(move |rule| (at, rule)));
        places.collect()
    }

    /// Every rule in words.
    pub fn rules_in_words(&self) -> impl Iterator<Item = String> {
        let attributes = self.attributes.iter();
        attributes.flat_map(|attribute| {
            attribute.rules.iter().map(|rule| {
                let RuleReached {
                    rule,
                    importance,
                    kept,
                } = rule;
                let kept = if *kept { "kept" } else { "BROKEN" };
                let importance = importance.0;
                format!(
                    "{} {rule} (importance {importance}): {kept}",
                    attribute.name
                )
            })
        })
    }
}

/// A rule as certificates state it.
///
/// A certificate is published with the release, and the values that a rule names need not be in the release: `64|65` may
/// tell that someone is 65. So a rule is stated by its column, its importance and the SHA-256 of its text, and whoever
/// has the job can check that this is the rule. Like the hash of an order, this binds the publisher; it does not hide a
/// rule from someone who guesses it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleStated {
    /// The column.
    pub column: String,
    /// SHA-256 of the rule without column and importance, after `sha256:`.
    pub rule: String,
    /// How much it matters.
    pub importance: Figure,
}

/// Whether a release keeps a rule, as certificates state it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleKept {
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleStated,
    /// Whether no published value stands for values of both sides.
    pub kept: bool,
}

/// What was asked about the research value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchAsked {
    /// The rules, by quasi-identifier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleStated>,
    /// The other settings, with their defaults.
    pub settings: IndexMap<String, String>,
}
