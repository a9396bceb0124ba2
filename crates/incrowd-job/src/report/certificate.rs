//! The paper that travels with a release: what was asked, what was reached, and hashes to check both.
//!
//! The same table and the same request give the same bytes, so nothing in it depends on the clock, the
//! machine, the folder or the number of threads. The request is part of the certificate; its hash is the
//! SHA-256 of that part as JSON without blanks, so `jq -cj .request certificate.json | sha256sum` checks it.

use crate::report::outcome::{
    Distribution, Exposed, Guarantee, PrivacyReached, RowOrder, VERSION, is_zero,
};
use crate::report::visible::{visible, visible_json};
use crate::spec::{AlgorithmSettings, Delimiter};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What a release promises, and how to check that this is the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// [`VERSION`].
    pub version: u32,
    /// Who made the release.
    pub program: Program,
    /// What was asked.
    pub request: Request,
    /// What was reached, measured by the independent check.
    pub reached: Reached,
    /// What was lost, measured and proven by the search, which nobody else has checked.
    pub lost: Lost,
    /// SHA-256 of the table, of `request`, and of the release.
    pub sha256: Hashes,
}

/// Who made the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Everything that decides what a release looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The quasi-identifiers, in the order of levels.
    pub quasi_identifiers: Vec<Generalized>,
    /// Columns that must not be linked to a person.
    pub sensitive: Vec<String>,
    /// Hierarchies along which models measure how far values are apart.
    pub distances: Vec<Measured>,
    /// Columns that analysts predict.
    pub target: Vec<String>,
    /// Columns published as they are.
    pub kept: Vec<String>,
    /// Columns not published.
    pub dropped: Vec<String>,
    /// The models.
    pub privacy: Vec<String>,
    /// Rows that may be suppressed.
    pub max_suppressed: u64,
    /// The metric to be least.
    pub metric: String,
    /// The algorithm.
    pub algorithm: String,
    /// For algorithms that draw numbers.
    pub seed: u64,
    /// The time the search was given.
    pub time_limit: Option<String>,
    /// The steps of work the search was given; `none` when it might do any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_limit: Option<String>,
    /// What missing cells mean.
    pub missing: String,
    /// Texts that mean "no value", beside the empty text.
    pub missing_tokens: Vec<String>,
    /// What happens to values that their hierarchy does not list.
    pub unlisted: String,
    /// How the table's text was read; `null` for a table that is no text.
    pub csv: Option<Dialect>,
    /// What is published of suppressed rows.
    pub suppressed: String,
    /// The order of the rows of the release; drawn from `seed` where they are shuffled.
    #[serde(default)]
    pub row_order: RowOrder,
    /// Whether an apostrophe stands before cells that a spreadsheet would take for formulas.
    #[serde(default)]
    pub spreadsheet_safe: bool,
    /// What was set that only this algorithm has, its choices included where it leaves them to the data holder.
    #[serde(flatten)]
    pub settings: AlgorithmSettings,
}

/// A quasi-identifier and how it may be published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generalized {
    /// The column.
    pub column: String,
    /// The highest level allowed.
    pub max_level: u8,
    /// SHA-256 of its hierarchy in the program's own CSV form.
    pub hierarchy_sha256: String,
}

/// A sensitive column or a target with a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The column.
    pub column: String,
    /// SHA-256 of its hierarchy in the program's own CSV form.
    pub hierarchy_sha256: String,
}

/// How text becomes a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialect {
    /// What separates cells, given or detected.
    pub delimiter: Delimiter,
    /// What surrounds cells that hold delimiters.
    pub quote: Delimiter,
    /// Whether the first line names the columns.
    pub header: bool,
    /// Whether white space around cells is dropped.
    pub trim: bool,
}

/// What the independent check measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Every promise.
    pub privacy: Vec<PrivacyReached>,
    /// The level of each quasi-identifier.
    pub levels: Option<IndexMap<String, u8>>,
    /// How the recoding is made.
    pub recoding: String,
    /// The values of each quasi-identifier in the release, when a column mixes levels. Raw values behind them are not
    /// told, since a certificate goes where the release goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<IndexMap<String, Vec<String>>>,
    /// Rows of the table.
    pub rows_in: u64,
    /// Rows published with values.
    pub rows_out: u64,
    /// Rows in classes that do not keep the promises: left out, or published as `*`.
    pub rows_suppressed: u64,
    /// Rows left out because a cell is missing.
    pub rows_excluded: u64,
    /// Rows of the release that are `*` in every column: suppressed ones, where they are published that way, and blank
    /// ones.
    pub rows_starred: u64,
    /// Blank rows: not suppressed, yet `*` in every published column, so that nobody can tell them from suppressed ones.
    /// Neither `rows_out` nor any class counts them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows_blank: u64,
    /// What a reader should know before trusting or using the release, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Classes of the release.
    pub classes: u64,
    /// Rows of the smallest.
    pub smallest_class: u64,
    /// The rows that the distribution of sensitive values is taken from, for promises that compare with it.
    #[serde(default)]
    pub distribution: Distribution,
    /// What the release gives away beside what is promised.
    #[serde(flatten)]
    pub exposed: Exposed,
}

/// What the search says about its own result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// How good the recoding is known to be.
    pub guarantee: Guarantee,
    /// The share of the loss that a better recoding might still save.
    pub gap: Option<f64>,
    /// Every metric that applies, the one to be least first.
    pub metrics: IndexMap<String, f64>,
}

/// SHA-256, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashes {
    /// Of the table as it is stored.
    pub input: String,
    /// Of the request, as JSON without blanks.
    pub request: String,
    /// Of the release as it is stored.
    pub output: String,
}

impl Request {
    /// SHA-256 of it as JSON without blanks.
    pub fn sha256(&self) -> String {
        let compact = serde_json::to_vec(self).expect("plain data is always JSON");
        hex(&Sha256::digest(compact))
    }
}

impl Certificate {
    /// By which the certificate for people is known.
    pub(crate) const FIRST_LINE: &'static str = "CERTIFICATE OF ANONYMIZATION";

    /// Puts a certificate together; the request is hashed here.
    pub fn new(
        request: Request,
        reached: Reached,
        lost: Lost,
        input: String,
        output: String,
    ) -> Self {
        Certificate {
            version: VERSION,
            program: Program {
                name: "incrowd".into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            sha256: Hashes {
                input,
                request: request.sha256(),
                output,
            },
            request,
            reached,
            lost,
        }
    }

    /// The certificate for programs.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("plain data is always JSON");
        let mut text = visible_json(&text).into_owned();
        text.push('\n');
        text
    }

    /// The certificate for people.
    pub fn to_text(&self) -> String {
        let (request, reached) = (&self.request, &self.reached);
        let mut text = String::new();
        let out = &mut text;
        let mut line = |label: &str, value: String| {
            // A name must not forge a line; those of our own begin with a line break.
            let value = match value.strip_prefix('\n') {
                Some(heading) => format!("\n{}", visible(heading)),
                None => visible(&value).into_owned(),
            };
            let label = visible(label);
            // Writing to a `String` cannot fail.
            let _ = match label.is_empty() {
                true => writeln!(out, "{value}"),
                false => writeln!(out, "  {label:<18} {value}"),
            };
        };
        line("", Certificate::FIRST_LINE.into());
        line(
            "made by",
            format!("{} {}", self.program.name, self.program.version),
        );
        line("", "\nASKED".into());
        for model in &request.privacy {
            line("promise", model.clone());
        }
        line("may suppress", format!("{} rows", request.max_suppressed));
        let columns: Vec<String> = request
            .quasi_identifiers
            .iter()
            .map(|generalized| {
                format!(
                    "{} (up to level {})",
                    generalized.column, generalized.max_level
                )
            })
            .collect();
        line("generalized", columns.join(", "));
        for (label, columns) in [
            ("sensitive", &request.sensitive),
            ("target", &request.target),
            ("kept as they are", &request.kept),
            ("not published", &request.dropped),
        ] {
            if !columns.is_empty() {
                line(label, columns.join(", "));
            }
        }
        line("least loss by", request.metric.clone());
        line("algorithm", request.algorithm.clone());
        for (name, values) in request.settings.iter() {
            line(name, values.join(", "));
        }
        if let Some(limit) = &request.time_limit {
            line("time limit", limit.clone());
        }
        if let Some(limit) = &request.work_limit {
            line("work limit", limit.clone());
        }
        line("missing cells", request.missing.clone());
        if !request.missing_tokens.is_empty() {
            let tokens: Vec<String> = request
                .missing_tokens
                .iter()
                .map(|token| format!("`{}`", token))
                .collect();
            line("missing texts", tokens.join(", "));
        }
        line("unlisted values", request.unlisted.clone());
        if let Some(csv) = &request.csv {
            // What steers is written out below, as in every line.
            let mark = |mark: Delimiter| char::from(mark.0);
            line(
                "read as",
                format!(
                    "delimiter `{}`, quote `{}`, {}, {}",
                    mark(csv.delimiter),
                    mark(csv.quote),
                    if csv.header {
                        "with a header"
                    } else {
                        "without a header"
                    },
                    if csv.trim {
                        "blanks trimmed"
                    } else {
                        "blanks kept"
                    }
                ),
            );
        }
        line("suppressed rows", request.suppressed.clone());
        line("order of rows", request.row_order.in_words().into());
        if request.spreadsheet_safe {
            line("spreadsheets", "formulas have an apostrophe".into());
        }
        line(
            "",
            "\nREACHED, measured by a check independent of the search".into(),
        );
        for promise in &reached.privacy {
            let figure = match promise.reached {
                Some(figure) => format!(", reached {figure}"),
                None => String::new(),
            };
            let holds = if promise.holds {
                "holds"
            } else {
                "DOES NOT HOLD"
            };
            line("promise", format!("{} {holds}{figure}", promise.model));
        }
        line(
            "rows",
            format!(
                "{} in, {} out, {} suppressed",
                reached.rows_in, reached.rows_out, reached.rows_suppressed
            ),
        );
        if reached.rows_starred > reached.rows_blank {
            line(
                "",
                format!(
                    "  {:<18} {} suppressed rows are published as `*`",
                    "",
                    reached.rows_starred.saturating_sub(reached.rows_blank)
                ),
            );
        }
        if reached.rows_blank > 0 {
            line(
                "",
                format!(
                    "  {:<18} {} blank: not suppressed, yet `*` in every column",
                    "", reached.rows_blank
                ),
            );
        }
        if reached.rows_excluded > 0 {
            line(
                "",
                format!(
                    "  {:<18} {} left out for missing cells",
                    "", reached.rows_excluded
                ),
            );
        }
        line(
            "classes",
            format!(
                "{}, the smallest has {} rows",
                reached.classes, reached.smallest_class
            ),
        );
        let exposed = &reached.exposed;
        line("", format!("  {:<18} {}", "", exposed.classes_in_words()));
        for warning in &exposed.warnings {
            line("WARNING", warning.clone());
        }
        for note in &reached.notes {
            line("note", note.clone());
        }
        for words in exposed.unchanged_in_words() {
            line("unchanged", words);
        }
        line("distribution", reached.distribution.in_words());
        if let Some(levels) = &reached.levels {
            let levels: Vec<String> = levels
                .iter()
                .map(|(column, level)| format!("{column} {level}"))
                .collect();
            line("levels", levels.join(", "));
        }
        for (column, values) in reached.published.iter().flatten() {
            line("published", format!("{column}: {} distinct", values.len()));
        }
        line("recoding", reached.recoding.clone());
        line("", "\nLOST, as the search itself measures it".into());
        for (at, (metric, loss)) in self.lost.metrics.iter().enumerate() {
            // The first is the one that was to be least.
            line(
                metric,
                match at {
                    0 => format!("{loss}; {}", self.lost.guarantee.in_words(self.lost.gap)),
                    _ => format!("{loss}"),
                },
            );
        }
        line("", "\nSHA-256".into());
        line("table", self.sha256.input.clone());
        line("request", self.sha256.request.clone());
        line("release", self.sha256.output.clone());
        text
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
