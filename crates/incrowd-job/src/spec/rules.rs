//! Rules and weights as a job file has them.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};

/// Rules of one column without its name, such as `64|65 = 25`. In a job file a text or a list of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OneOrMany", into = "Vec<String>")]
pub struct RuleTexts(pub Vec<String>);

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a rule is a text such as `age = \"64|65 = 25\"`, and several are a list of texts"
)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for RuleTexts {
    fn from(written: OneOrMany) -> Self {
        RuleTexts(match written {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        })
    }
}

impl From<RuleTexts> for Vec<String> {
    fn from(texts: RuleTexts) -> Self {
        texts.0
    }
}

/// Weights as a job file has them.
pub(super) fn weights<'de, D: Deserializer<'de>>(
    written: D,
) -> Result<IndexMap<String, f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "a weight is a number such as `age = 0.3`, and all of them sum to 1"
    )]
    enum Weight {
        Number(f64),
    }
    let weights = IndexMap::<String, Weight>::deserialize(written)?;
    let number = |(column, Weight::Number(weight))| (column, weight);
    Ok(weights.into_iter().map(number).collect())
}

/// How weights are chosen when none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// All alike.
    Equal,
    /// Less for columns that other columns already tell.
    Auto,
}

impl Weighting {
    /// As it is written.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Weighting::Equal => "equal",
            Weighting::Auto => "auto",
        }
    }
}
