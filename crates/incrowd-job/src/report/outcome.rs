//! The results of every command, as JSON.
//!
//! The fields are a contract: scripts, the server and Python rely on them. More may be added; these stay.

pub use crate::report::figure::Figure;
use crate::report::found::{PartitionSearch, SafeRecodings, StringsMet};
use crate::report::research::ResearchValueReached;
use crate::report::stopped::Stopped;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the JSON documents.
pub const VERSION: u32 = 1;

/// The result of `anonymize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// [`VERSION`].
    pub version: u32,
    /// The algorithm that proposed the recoding.
    pub algorithm: String,
    /// Why it was taken, if the job left that to the advisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advised: Option<Vec<String>>,
    /// How good the recoding is known to be.
    pub guarantee: Guarantee,
    /// How far below the loss the optimum could be, as a share of the loss; 0 for an optimum, `null` when unknown.
    pub gap: Option<f64>,
    /// The level of each quasi-identifier; `null` when a column mixes levels.
    pub levels: Option<IndexMap<String, u8>>,
    /// The kind of recoding: `full-domain`, `cuts` or `partitions`.
    pub recoding: String,
    /// The raw values of a quasi-identifier that are published as the same text, when a column mixes levels. For the data
    /// holder only: the release does not reveal them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<IndexMap<String, Vec<Vec<String>>>>,
    /// The published texts of the blocks, in the same order. A text whose rows are all suppressed is not in the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<IndexMap<String, Vec<String>>>,
    /// Figures about the search over partitions.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionSearch>,
    /// The safe recodings found, by algorithms that find them all; one of them is published.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub found: Option<SafeRecodings>,
    /// The best safe combinations of levels met, and the columns dropped, by algorithms that optimize research value.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub met: Option<StringsMet>,
    /// Why the search stopped early, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Rows of the table; the sum of `rows_out`, `rows_suppressed` and `rows_excluded`.
    pub rows_in: u64,
    /// Rows published with values.
    pub rows_out: u64,
    /// Rows in classes that do not satisfy the privacy models: left out, or published as `*`.
    pub rows_suppressed: u64,
    /// Classes of the release.
    pub classes: u64,
    /// Rows of the smallest class of the release.
    pub smallest_class: u64,
    /// Average number of rows per class of the release.
    pub average_class: f64,
    /// Every metric that applies.
    pub metrics: IndexMap<String, f64>,
    /// What the release is worth to experts, and which of their rules it keeps; only if they said anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research_value: Option<ResearchValueReached>,
    /// Every model requested, as measured by the independent check.
    pub privacy: Vec<PrivacyReached>,
    /// The space of full-domain recodings.
    pub lattice: LatticeSeen,
    /// Value replacements evaluated, by algorithms that move a cut through every hierarchy instead of going from node to
    /// node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacements_weighed: Option<u64>,
    /// Where the time went.
    pub seconds: Seconds,
    /// Peak memory of the process; `null` where the system does not report it.
    pub peak_memory_bytes: Option<u64>,
    /// The file written.
    pub output: Option<FileWritten>,
    /// The names of the levels.
    pub level_names: Option<IndexMap<String, String>>,
    /// Where the levels of each quasi-identifier come from.
    #[serde(default)]
    pub hierarchies: IndexMap<String, LevelsFrom>,
    /// Rows excluded because a cell is missing.
    pub rows_excluded: u64,
    /// Rows of the file that are `*` in every column, in addition to `rows_out`: suppressed ones, if they are published
    /// that way, and blank ones.
    #[serde(default)]
    pub rows_starred: u64,
    /// Blank rows: not suppressed, but `*` in every published column, so that they look like suppressed ones.
    /// Neither `rows_out` nor any class counts them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows_blank: u64,
    /// The order of the rows of the release.
    #[serde(default)]
    pub row_order: RowOrder,
    /// Whether cells that a spreadsheet would treat as formulas are prefixed with an apostrophe.
    #[serde(default)]
    pub spreadsheet_safe: bool,
    /// The steps that led to the recoding, for algorithms that work step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepTaken>,
    /// What a reader should know before trusting or using the release, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The rows that give the distribution of sensitive values, for models that compare with it.
    #[serde(default)]
    pub distribution: Distribution,
    /// What the release reveals besides what the privacy models cover.
    #[serde(flatten)]
    pub exposed: Exposed,
    /// The certificate written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<FileWritten>,
    /// The page written about the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<FileWritten>,
    /// A few rows before and after, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

/// The rows that give a distribution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// Which rows.
    pub over: Over,
    /// How many.
    pub rows: u64,
}

/// Which rows give a distribution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The rows of the table that take part in the release: all except those excluded because of missing cells.
    /// Suppressed rows take part.
    #[default]
    RowsTakingPart,
    /// The rows of the published file, if there is nothing else to see.
    RowsPublished,
}

impl Distribution {
    /// The rows in words.
    pub fn in_words(&self) -> String {
        let rows = self.rows;
        match self.over {
            Over::RowsTakingPart => format!(
                "over {rows} rows, including suppressed rows but not those excluded because of missing cells"
            ),
            Over::RowsPublished => format!("over the {rows} rows published"),
        }
    }
}

/// The order of the rows of a release.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowOrder {
    /// That of the table, which can reveal who is who.
    #[default]
    Input,
    /// Random, and independent of the order of the table.
    Shuffled,
}

impl RowOrder {
    /// The order in words.
    pub fn in_words(self) -> &'static str {
        match self {
            RowOrder::Input => "as in the table",
            RowOrder::Shuffled => "shuffled, independent of the table",
        }
    }
}

/// What a release reveals besides what the privacy models cover, counted in its rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exposed {
    /// Every column published unchanged.
    pub unchanged: Vec<UnchangedColumn>,
    /// The rows that all kept columns together single out within their classes; `null` when none is kept.
    pub kept_with_classes: Option<SingledOut>,
    /// Classes of one row.
    pub classes_of_one: u64,
    /// For each sensitive column, classes whose rows all share one value of it. A class of one row is one of them.
    pub homogeneous: Vec<HomogeneousClasses>,
    /// For each sensitive column, what other columns published unchanged reveal about it; empty when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given_away: Vec<GivenAway>,
    /// Warnings, in words.
    pub warnings: Vec<String>,
}

impl Exposed {
    /// What the classes reveal, in words.
    pub fn classes_in_words(&self) -> String {
        let mut words = match self.classes_of_one {
            0 => "none with only one row".to_owned(),
            classes => format!("{classes} with only one row"),
        };
        for of_column in &self.homogeneous {
            let name = of_column.column.escape_debug();
            words += &match of_column.classes {
                0 => format!("; none with only one value of `{name}`"),
                classes => format!("; {classes} with only one value of `{name}`"),
            };
        }
        words
    }

    /// The columns published unchanged, in words: those that single out nobody share one line.
    pub fn unchanged_in_words(&self) -> Vec<String> {
        let name = |column: &UnchangedColumn| {
            format!("{} ({})", column.column.escape_debug(), column.role)
        };
        let (nobody, some): (Vec<_>, Vec<_>) = self
            .unchanged
            .iter()
            .partition(|column| column.singled_out.rows == 0);
        let mut lines: Vec<String> = some
            .into_iter()
            .map(|column| {
                let share = column.singled_out.in_words();
                let values = match column.distinct_is_exact {
                    true => String::new(),
                    // Explains why the share is approximate: not all of these values were counted.
                    false => format!(", about {} values", column.distinct),
                };
                format!("{}{values}, singles out {share} of rows", name(column))
            })
            .collect();
        if !nobody.is_empty() {
            let names: Vec<String> = nobody.iter().map(|column| name(column)).collect();
            let verb = if names.len() == 1 {
                "singles"
            } else {
                "single"
            };
            lines.push(format!("{}: {verb} out nobody", names.join(", ")));
        }
        for given in &self.given_away {
            let name = given.column.escape_debug();
            lines.push(format!(
                "combined within classes: they reveal `{name}` for {} of rows",
                given.in_words()
            ));
        }
        if let Some(together) = &self.kept_with_classes {
            lines.push(format!(
                "kept columns within classes: {} of rows are unique",
                together.in_words()
            ));
        }
        lines
    }
}

/// A column published unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnchangedColumn {
    /// Its name.
    pub column: String,
    /// Why it is published unchanged.
    pub role: UnchangedRole,
    /// Distinct values.
    pub distinct: u64,
    /// Whether all were counted; otherwise `distinct` is an estimate.
    pub distinct_is_exact: bool,
    /// Rows whose value no other row has.
    pub singled_out: SingledOut,
}

/// Why a column is published unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnchangedRole {
    /// It is sensitive.
    Sensitive,
    /// Analysts want to predict it.
    Target,
    /// It is kept, by name or as one of the others.
    Kept,
}

impl std::fmt::Display for UnchangedRole {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            UnchangedRole::Sensitive => "sensitive",
            UnchangedRole::Target => "target",
            UnchangedRole::Kept => "kept",
        })
    }
}

/// Rows that something singles out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SingledOut {
    /// How many rows.
    pub rows: u64,
    /// Their share of the rows published.
    pub share: f64,
    /// Whether all were counted; otherwise both are estimates.
    pub is_exact: bool,
}

impl SingledOut {
    /// The share in words.
    pub fn in_words(&self) -> String {
        share_in_words(self.share, self.is_exact)
    }
}

/// Classes that reveal a sensitive value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomogeneousClasses {
    /// The sensitive column.
    pub column: String,
    /// How many classes.
    pub classes: u64,
    /// The rows in them.
    pub rows: u64,
}

/// What columns published unchanged reveal about a sensitive one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GivenAway {
    /// The sensitive column.
    pub column: String,
    /// Groups with only one value of this column. A group is a set of rows that only this column distinguishes: rows of one
    /// class with the same cells in all other columns published unchanged.
    pub groups: u64,
    /// The rows in them.
    pub rows: u64,
    /// Their share of the rows published.
    pub share: f64,
    /// Whether all groups were counted; otherwise the numbers are estimates.
    pub is_exact: bool,
    /// What single columns reveal, if they reveal anything.
    pub by: Vec<GivenAwayBy>,
}

impl GivenAway {
    /// The share in words.
    pub fn in_words(&self) -> String {
        share_in_words(self.share, self.is_exact)
    }
}

/// What one column reveals about a sensitive one regardless of class: all rows with some value of it (at least ten) have
/// the same sensitive value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GivenAwayBy {
    /// The column.
    pub column: String,
    /// The rows that have such values.
    pub rows: u64,
    /// Their share of the rows published.
    pub share: f64,
    /// Whether all values were counted; otherwise both are estimates.
    pub is_exact: bool,
}

/// Whether a number can be omitted.
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn share_in_words(share: f64, is_exact: bool) -> String {
    match is_exact {
        true => format!("{:.1} %", share * 100.0),
        false => format!("about {:.0} %", share * 100.0),
    }
}

/// A step of an algorithm that works step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTaken {
    /// What was done.
    pub action: StepAction,
    /// The quasi-identifier raised.
    #[serde(flatten)]
    pub raised: Option<RaisedAttribute>,
    /// Rows in violating classes before it.
    pub rows_violating_before: u64,
    /// Rows in violating classes after it.
    pub rows_violating: u64,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepAction {
    /// Raises a quasi-identifier by one level.
    Raise,
    /// Suppresses the violating rows.
    Suppress,
}

/// A quasi-identifier that a step has raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaisedAttribute {
    /// Its name.
    #[serde(rename = "attribute")]
    pub name: String,
    /// The level reached.
    pub level: u8,
    /// The name of that level.
    pub level_name: String,
    /// Its values in the table before.
    pub distinct_before: u64,
    /// Its values in the table now.
    pub distinct: u64,
}

/// Where the levels of a column come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelsFrom {
    /// Who chose them.
    pub kind: Origin,
    /// The file, the rule, or the rule chosen.
    pub from: String,
    /// Why the rule was chosen, if none was given.
    pub reason: Option<String>,
}

/// Who chose the levels of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The user, with a file.
    File,
    /// The user, with a rule.
    Rule,
    /// The program, based on the data.
    Automatic,
}

/// How good a recoding is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// No recoding of this kind has a lower loss.
    Optimal,
    /// No recoding has a lower loss than a known bound; see the gap.
    Bounded,
    /// Nothing is proven.
    Heuristic,
}

impl Guarantee {
    /// The word it is written as.
    pub fn name(self) -> &'static str {
        match self {
            Guarantee::Optimal => "optimal",
            Guarantee::Bounded => "bounded",
            Guarantee::Heuristic => "heuristic",
        }
    }

    /// The guarantee as it is printed after a loss. `gap` is how far below the loss the optimum could be, as a share.
    pub fn in_words(self, gap: Option<f64>) -> String {
        match (self, gap) {
            (Guarantee::Optimal, _) => "optimal".into(),
            // Rounded up, as anything else would claim too much.
            (Guarantee::Bounded, Some(gap)) => format!(
                "the optimum is at most {:.1} % lower",
                (gap * 1000.0).ceil() / 10.0
            ),
            _ => "no guarantee".into(),
        }
    }
}

/// How far one privacy model is satisfied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivacyReached {
    /// The model with its parameters.
    pub model: String,
    /// The strictest parameter that would still hold; `null` when there is none.
    pub reached: Option<Figure>,
    /// Whether every class satisfies the model.
    pub holds: bool,
}

/// How much of the lattice was examined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatticeSeen {
    /// All nodes; a float beyond 2^64.
    pub nodes: Figure128,
    /// Nodes whose classes were counted, each once; 0 for a search that does not go from node to node.
    pub checked: u64,
}

/// A count that may be larger than JSON readers expect of an integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure128(pub u128);

impl Serialize for Figure128 {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(number) => serializer.serialize_u64(number),
            Err(_) => serializer.serialize_f64(self.0 as f64),
        }
    }
}

impl<'de> Deserialize<'de> for Figure128 {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Figure128(f64::deserialize(deserializer)? as u128))
    }
}

/// Where the time went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Reading and counting.
    pub read: f64,
    /// Searching for the recoding.
    pub solve: f64,
    /// Checking, reading again, recoding and writing.
    pub write: f64,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWritten {
    /// Where it is.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// The first rows of the table, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Columns of the table.
    pub columns_before: Vec<String>,
    /// Rows of the table.
    pub before: Vec<Vec<String>>,
    /// Columns of the release.
    pub columns_after: Vec<String>,
    /// The same rows as published; `null` for a row that is not published.
    pub after: Vec<Option<Vec<String>>>,
}

/// The result of `verify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// [`VERSION`].
    pub version: u32,
    /// Whether every model is satisfied, no identifying column is published, and no row was invented; `null` if no model
    /// was named and nothing else is wrong, so that there is no verdict.
    pub safe: Option<bool>,
    /// Whether models were named. If not, every model that applies was measured.
    pub asked: bool,
    /// Every model named; otherwise every model with the strictest parameter that is satisfied.
    pub privacy: Vec<PrivacyReached>,
    /// Rows of the smallest class.
    pub smallest_class: u64,
    /// Classes of the file.
    pub classes: u64,
    /// Rows of the file, without those that are `*` in every column.
    pub rows: u64,
    /// Rows that are `*` in every column.
    pub rows_starred: u64,
    /// Columns declared identifying that the file has nevertheless.
    pub identifying_published: Vec<String>,
    /// The rows that give the distribution of sensitive values, for models that compare with it.
    pub distribution: Distribution,
    /// What the file reveals besides what the privacy models cover.
    #[serde(flatten)]
    pub exposed: Exposed,
    /// What else a reader should know, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The result of checking the certificate, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateVerified>,
    /// The comparison with the original, if one was given.
    pub against_original: Option<AgainstOriginal>,
}

/// A certificate checked against the files it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CertificateVerified {
    /// The certificate.
    pub path: PathBuf,
    /// Whether nothing contradicts it.
    pub holds: bool,
    /// What contradicts it.
    pub mismatches: Vec<Mismatch>,
    /// Statements that were not checked, with the reason.
    pub unchecked: Vec<Unchecked>,
}

/// A false statement of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Where in the certificate, such as `reached.classes`.
    pub field: String,
    /// What it states.
    pub stated: String,
    /// What was found instead.
    pub found: String,
}

/// A statement of a certificate that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unchecked {
    /// Where in the certificate.
    pub field: String,
    /// Why not.
    pub why: String,
}

/// A release compared with the table it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstOriginal {
    /// Rows of the original that the release does not have, or has as `*`.
    pub rows_suppressed: u64,
    /// Rows of the release that no row of the original accounts for.
    pub invented: u64,
    /// What is wrong, in words, without cell contents.
    pub violations: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_never_said_to_be_smaller_than_it_is() {
        let words = Guarantee::Bounded.in_words(Some(0.00001));
        assert_eq!(words, "the optimum is at most 0.1 % lower");
        let words = Guarantee::Bounded.in_words(Some(0.25));
        assert_eq!(words, "the optimum is at most 25.0 % lower");
        assert_eq!(Guarantee::Bounded.in_words(None), "no guarantee");
    }

    #[test]
    fn whole_numbers_are_written_without_a_fraction() {
        let text = |number| serde_json::to_string(&Figure(number)).unwrap();
        assert_eq!(text(5.0), "5");
        assert_eq!(text(0.25), "0.25");
        assert_eq!(
            serde_json::to_string(&Figure128(u128::from(u64::MAX))).unwrap(),
            u64::MAX.to_string()
        );
        let large = serde_json::to_string(&Figure128(u128::MAX)).unwrap();
        assert!(large.contains('e'), "{large}");
    }
}
