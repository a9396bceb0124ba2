//! The certificate that accompanies a release: what was requested, what was reached, and hashes to check both.
//!
//! The same table and the same request give the same bytes, so nothing in it depends on the clock, the
//! machine, the folder or the number of threads. The request is part of the certificate; its hash is the
//! SHA-256 of that part as compact JSON, so `jq -cj .request certificate.json | sha256sum` checks it.

use crate::report::digits::few_digits;
use crate::report::outcome::{
    Distribution, Exposed, Guarantee, PrivacyReached, RowOrder, VERSION, is_zero,
};
use crate::report::research::{ResearchAsked, RuleKept};
use crate::report::revealing::labelled;
use crate::report::visible::{visible, visible_json};
use crate::spec::{AlgorithmSettings, Delimiter};
use incrowd_io::EngineFacts;
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
    /// What was requested.
    pub request: Request,
    /// What was reached, measured by the independent check.
    pub reached: Reached,
    /// What was lost, as measured and proven by the search; not checked independently.
    pub lost: Lost,
    /// The engines that hold the table or the release, if any does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engines: Option<Engines>,
    /// SHA-256 of the table, of `request`, and of the release.
    pub sha256: Hashes,
}

/// The engines that hold the table and the release. The rows counted there are those of [`Reached`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engines {
    /// Which one holds the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<EngineStated>,
    /// Which one holds the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<EngineStated>,
}

impl Engines {
    /// None if both the table and the release are files.
    pub(crate) fn of(input: Option<EngineFacts>, output: Option<EngineFacts>) -> Option<Engines> {
        let engines = Engines {
            input: input.map(EngineStated::from),
            output: output.map(EngineStated::from),
        };
        (engines != Engines::default()).then_some(engines)
    }
}

/// An engine that holds a table. Says neither where it is nor who may enter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineStated {
    /// The engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// The table, or the words `a query`.
    pub table: String,
    /// The state of the database in which the table was read, as the engine calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
}

impl From<EngineFacts> for EngineStated {
    fn from(facts: EngineFacts) -> Self {
        EngineStated {
            engine: facts.engine,
            version: facts.version,
            table: facts.table,
            snapshot: facts.snapshot,
        }
    }
}

/// Who made the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Everything that determines what a release looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The quasi-identifiers, in the order of levels.
    pub quasi_identifiers: Vec<Generalized>,
    /// Columns that must not be linked to a person.
    pub sensitive: Vec<String>,
    /// Hierarchies that models use to measure distances between values.
    pub distances: Vec<Measured>,
    /// Columns that analysts predict.
    pub target: Vec<String>,
    /// Columns published unchanged.
    pub kept: Vec<String>,
    /// Columns not published.
    pub dropped: Vec<String>,
    /// The models.
    pub privacy: Vec<String>,
    /// Rows that may be suppressed.
    pub max_suppressed: u64,
    /// The metric minimized.
    pub metric: String,
    /// The algorithm.
    pub algorithm: String,
    /// Why it was taken, if the job left that to the advisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advised: Option<Vec<String>>,
    /// The seed of random numbers.
    pub seed: u64,
    /// The time limit of the search.
    pub time_limit: Option<String>,
    /// The work limit of the search; `none` when there was no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_limit: Option<String>,
    /// How missing cells are treated.
    pub missing: String,
    /// Texts that mean "no value", besides the empty text.
    pub missing_tokens: Vec<String>,
    /// What is done with values that their hierarchy does not list.
    pub unlisted: String,
    /// How the table's text was parsed; `null` if the table is not text.
    pub csv: Option<Dialect>,
    /// How suppressed rows are published.
    pub suppressed: String,
    /// The order of the rows of the release; determined by `seed` if they are shuffled.
    #[serde(default)]
    pub row_order: RowOrder,
    /// Whether cells that a spreadsheet would treat as formulas are prefixed with an apostrophe.
    #[serde(default)]
    pub spreadsheet_safe: bool,
    /// The population that models are about, if any is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationStated>,
    /// What was asked about the research value, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research_value: Option<ResearchAsked>,
    /// What was set that only this algorithm has, its choices included where it leaves them to the data holder.
    #[serde(flatten)]
    pub settings: AlgorithmSettings,
}

/// Everyone whom the rows could be about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PopulationStated {
    /// How many people.
    pub rows: u64,
    /// SHA-256 of their table.
    pub sha256: String,
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
    /// The cell separator, given or detected.
    pub delimiter: Delimiter,
    /// The quote character around cells that contain delimiters.
    pub quote: Delimiter,
    /// Whether the first line holds the column names.
    pub header: bool,
    /// Whether whitespace around cells is removed.
    pub trim: bool,
}

/// What the independent check measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Every privacy model.
    pub privacy: Vec<PrivacyReached>,
    /// The level of each quasi-identifier.
    pub levels: Option<IndexMap<String, u8>>,
    /// Quasi-identifiers that are published as `*` because none of their acceptable levels is safe even alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The kind of recoding.
    pub recoding: String,
    /// The values of each quasi-identifier in the release, when a column mixes levels. The raw values behind them are not
    /// listed, since the certificate is published with the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<IndexMap<String, Vec<String>>>,
    /// Which rules the release keeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleKept>,
    /// Rows of the table.
    pub rows_in: u64,
    /// Rows published with values.
    pub rows_out: u64,
    /// Rows in classes that do not satisfy the privacy models: left out, or published as `*`.
    pub rows_suppressed: u64,
    /// Rows excluded because a cell is missing.
    pub rows_excluded: u64,
    /// Rows of the release that are `*` in every column: suppressed ones, where they are published that way, and blank
    /// ones.
    pub rows_starred: u64,
    /// Blank rows: not suppressed, but `*` in every published column, so that they look like suppressed ones.
    /// Neither `rows_out` nor any class counts them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows_blank: u64,
    /// What a reader should know before trusting or using the release, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Classes of the release.
    pub classes: u64,
    /// Rows of the smallest class.
    pub smallest_class: u64,
    /// The rows that give the distribution of sensitive values, for models that compare with it.
    #[serde(default)]
    pub distribution: Distribution,
    /// What the release reveals besides what the privacy models cover.
    #[serde(flatten)]
    pub exposed: Exposed,
}

/// What the search states about its own result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// How good the recoding is known to be.
    pub guarantee: Guarantee,
    /// How far below the loss the optimum could be, as a share of the loss.
    pub gap: Option<f64>,
    /// Every metric that applies, starting with the one minimized.
    pub metrics: IndexMap<String, f64>,
}

/// SHA-256, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashes {
    /// Of the table as stored.
    pub input: String,
    /// Of the request as compact JSON.
    pub request: String,
    /// Of the release as stored.
    pub output: String,
}

impl Request {
    /// SHA-256 of the request as compact JSON.
    pub fn sha256(&self) -> String {
        let compact = serde_json::to_vec(self).expect("plain data is always JSON");
        hex(&Sha256::digest(compact))
    }
}

impl Certificate {
    /// The first line of a readable certificate, by which it is recognized.
    pub(crate) const FIRST_LINE: &'static str = "CERTIFICATE OF ANONYMIZATION";

    /// Builds a certificate; the request is hashed here.
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
            engines: None,
        }
    }

    /// The same certificate, of a table or a release that an engine holds.
    #[must_use]
    pub(crate) fn with_engines(mut self, engines: Option<Engines>) -> Self {
        self.engines = engines;
        self
    }

    /// The certificate as JSON.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("plain data is always JSON");
        let mut text = visible_json(&text).into_owned();
        text.push('\n');
        text
    }

    /// The certificate as text.
    pub fn to_text(&self) -> String {
        let (request, reached) = (&self.request, &self.reached);
        let mut text = String::new();
        let out = &mut text;
        let mut line = |label: &str, value: String| {
            // A name must not forge a line; only our own headings begin with a line break.
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
        let engines = self.engines.iter().flat_map(|engines| {
            [
                ("table in", &engines.input),
                ("release in", &engines.output),
            ]
        });
        for (label, engine) in engines {
            let Some(engine) = engine else { continue };
            let snapshot = engine.snapshot.as_ref();
            let snapshot = snapshot.map_or_else(String::new, |it| format!(", snapshot {it}"));
            line(
                label,
                format!(
                    "{} {}: {}{snapshot}",
                    engine.engine, engine.version, engine.table
                ),
            );
        }
        line("", "\nREQUESTED".into());
        for model in &request.privacy {
            line("privacy", model.clone());
        }
        if let Some(population) = &request.population {
            let PopulationStated { rows, sha256 } = population;
            line("population", format!("{rows} people, sha256 {sha256}"));
        }
        line("max suppressed", format!("{} rows", request.max_suppressed));
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
            ("kept unchanged", &request.kept),
            ("not published", &request.dropped),
        ] {
            if !columns.is_empty() {
                line(label, columns.join(", "));
            }
        }
        line("metric minimized", request.metric.clone());
        for (name, value) in request.research_value.iter().flat_map(|it| &it.settings) {
            line(&format!("  {name}"), value.clone());
        }
        line(
            "algorithm",
            match &request.advised {
                Some(reasons) => format!("{} (auto: {})", request.algorithm, reasons.join("; ")),
                None => request.algorithm.clone(),
            },
        );
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
            // Control characters are escaped below, as in every line.
            let mark = |mark: Delimiter| char::from(mark.0);
            line(
                "input format",
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
                        "whitespace trimmed"
                    } else {
                        "whitespace kept"
                    }
                ),
            );
        }
        line("suppressed rows", request.suppressed.clone());
        line("row order", request.row_order.in_words().into());
        if request.spreadsheet_safe {
            line("spreadsheets", "apostrophe before formulas".into());
        }
        line(
            "",
            "\nREACHED, as measured by a check independent of the search".into(),
        );
        for promise in &reached.privacy {
            let figure = match promise.reached {
                Some(figure) => format!(" (reached {figure})"),
                None => String::new(),
            };
            let holds = if promise.holds {
                "satisfied"
            } else {
                "NOT SATISFIED"
            };
            line("privacy", format!("{} {holds}{figure}", promise.model));
        }
        for RuleKept { rule, kept } in &reached.rules {
            let kept = if *kept { "kept" } else { "BROKEN" };
            let (column, importance) = (&rule.column, rule.importance.0);
            let text = format!(
                "of {column}, importance {importance}: {kept} ({})",
                rule.rule
            );
            line("rule", text);
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
                    "  {:<18} {} suppressed rows published as `*`",
                    "",
                    reached.rows_starred.saturating_sub(reached.rows_blank)
                ),
            );
        }
        if reached.rows_blank > 0 {
            line(
                "",
                format!(
                    "  {:<18} {} blank (not suppressed, but `*` in every column)",
                    "", reached.rows_blank
                ),
            );
        }
        if reached.rows_excluded > 0 {
            line(
                "",
                format!(
                    "  {:<18} {} excluded because of missing cells",
                    "", reached.rows_excluded
                ),
            );
        }
        line(
            "classes",
            format!("{}, smallest {}", reached.classes, reached.smallest_class),
        );
        let exposed = &reached.exposed;
        line("", format!("  {:<18} {}", "", exposed.classes_in_words()));
        for warning in &exposed.warnings {
            line("WARNING", warning.clone());
        }
        for (label, note) in reached.notes.iter().map(|note| labelled(note)) {
            line(label, note.to_owned());
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
        line("", "\nLOST, as measured by the search itself".into());
        for (at, (metric, loss)) in self.lost.metrics.iter().enumerate() {
            // The first is the one that was minimized.
            line(
                metric,
                match at {
                    0 => {
                        let guarantee = self.lost.guarantee.in_words(self.lost.gap);
                        format!("{} ({guarantee})", few_digits(*loss))
                    }
                    _ => few_digits(*loss),
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
