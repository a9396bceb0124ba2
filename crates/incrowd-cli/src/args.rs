//! What can be typed. The doc comments are the help.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use incrowd_core::negotiate::{Estimator, Search};
use incrowd_job::{
    Error, HierarchySource, Job, MissingCells, Options, Others, Preparation, Suppressed, Unlisted,
};
use std::path::PathBuf;

/// Hide every record in a crowd, and keep the data worth reading.
///
/// incrowd takes a table about persons and makes a release of it in which nobody can be singled out, with a
/// proof that this is so. Start with `inspect` to see what is in a file, then `anonymize` it.
#[derive(Debug, Parser)]
#[command(name = "incrowd", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  incrowd inspect adult.csv
  incrowd anonymize adult.csv -q age,sex,race -s salary-class -k 5 --others drop -o safe.csv
  incrowd verify safe.csv -q age,sex,race -k 5
  incrowd negotiate adult.csv -q age,sex,race -k 10 --max-suppressed 1% --max-levels 2,0,1

Exit codes: 0 met, 1 answered with relaxations or verification found the file unsafe, 2 an error, 130 stopped with Ctrl-C.";

/// How answers are given.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true, help_heading = "Answers")]
    pub(crate) json: bool,
    /// Print nothing but errors and what was asked for with --json or --output -
    #[arg(long, global = true, help_heading = "Answers")]
    pub(crate) quiet: bool,
    /// Draw no progress bar; there is none anyway unless a person is watching
    #[arg(long, global = true, help_heading = "Answers")]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Inspect(InspectArgs),
    Init(InitArgs),
    #[command(subcommand)]
    Hierarchy(HierarchyCommand),
    Anonymize(Box<AnonymizeArgs>),
    Verify(Box<VerifyArgs>),
    Negotiate(Box<NegotiateArgs>),
    Study(Box<StudyArgs>),
    Compare(Box<CompareArgs>),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// What is in this file? Types, missing and distinct values, what singles people out, proposed roles
///
/// Reads the table twice and prints numbers about it, never a cell of it. For every column it proposes a role
/// with the reason: identifying columns name a person, quasi-identifying ones are known to others, sensitive
/// ones must not be linked to a person.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd inspect adult.csv")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// Write a job file and hierarchies to start from
///
/// Looks at the table as `inspect` does and writes `incrowd.toml`, with every key explained, and a hierarchy
/// for each quasi-identifier. Edit them, then run `incrowd anonymize --job incrowd.toml`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd init adult.csv
  incrowd init adult.csv -q age,sex,race -s salary-class --folder study/")]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) privacy: PrivacyArgs,
    /// Where to write
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Replace files that are already there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// Build, check or show a hierarchy: which values may stand for which
///
/// A hierarchy is a CSV file with a line for each value of a column: the value, then the groups it belongs to,
/// coarser and coarser, up to `*`. Files in the form that ARX writes work too.
#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyCommand {
    Build(HierarchyBuildArgs),
    Check(HierarchyCheckArgs),
    Show(HierarchyShowArgs),
}

/// Build a hierarchy from the values of a column
///
/// Without --rule the rule is chosen from the data: intervals for numbers, prefixes for codes such as zip,
/// months and years for dates, "the value or `*`" for the rest.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy build adult.csv --column age --rule interval:5,10,20@17 -o age.csv
  incrowd hierarchy build patients.csv --column zip --rule mask:2")]
pub(crate) struct HierarchyBuildArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The column
    #[arg(long, value_name = "NAME")]
    pub(crate) column: String,
    /// How: interval:5,10,20@17, quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1,
    /// date:month,year, order, countries, us-states, education, icd10, uk-postcode or suppress; chosen from the data
    /// when not given
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// Where to write it; standard output when not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it is already there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Check a hierarchy file, by itself or against the data
///
/// Against the data it lists the values that are missing from the hierarchy: these are cells of your table.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy check zip.csv --data patients.csv --column zip")]
pub(crate) struct HierarchyCheckArgs {
    /// The hierarchy
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The table to hold it against
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// The column of the table; the name of the file when not given
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Show the levels of a hierarchy file, with examples
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy show age.csv
  incrowd hierarchy show age.csv --examples 20")]
pub(crate) struct HierarchyShowArgs {
    /// The hierarchy
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// How many groups of each level to print
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) examples: usize,
}

/// Make the release: the best recoding that keeps the promises, checked, written, certified
///
/// Every quasi-identifier is published at a level of its hierarchy: `39` as `35-39`, `Bachelors` as `Higher`.
/// Among all choices of levels that keep the promises, the one that loses least is taken. Hierarchies that you
/// do not give are built from the data. Without -o nothing is written, only reported.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd anonymize adult.csv -q age,sex,race -s salary-class -k 5 --others drop -o safe.csv
  incrowd anonymize adult.csv -q age,sex -s salary-class --others drop \\
      --privacy 't-closeness(t=0.2)' --max-suppressed 1% --hierarchies hierarchies/ \\
      -o safe.csv --certificate safe.json
  incrowd anonymize --job incrowd.toml")]
pub(crate) struct AnonymizeArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) privacy: PrivacyArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    #[command(flatten)]
    pub(crate) partitions: PartitionArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Is this published file safe? Whoever made it; also against the original
///
/// Groups the rows by their quasi-identifiers as they stand and measures every promise. Without a promise it
/// measures all models and judges nothing. Either way it tells which classes are single rows or share one sensitive
/// value, and which columns beside them single people out. With --original it also checks that no row was invented and,
/// with --max-suppressed, that not too many were lost; give the same hierarchies as for the release.
///
/// With --certificate, roles and promises are those of the certificate: its hashes are compared, every promise and
/// every figure is counted again from the file, and what cannot be checked with the files given is listed. With --job,
/// it must also be the answer to that job.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd verify safe.csv -q age,sex,race,education -k 5
  incrowd verify safe.csv -q age,sex -s salary-class
  incrowd verify safe.csv -q age,sex -k 5 --original adult.csv --hierarchies hierarchies/
  incrowd verify safe.csv --certificate safe.json --original adult.csv
  incrowd verify --certificate certificate.json --job incrowd.toml

Exit codes: 0 safe, or nothing to judge; 1 not safe, or the certificate does not hold; 2 an error.")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The table the release was made from
    #[arg(long, value_name = "DATA")]
    pub(crate) original: Option<String>,
    /// The certificate that came with the file, as JSON, to be checked
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) promises: PromiseArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// What can be had? The best release that meets every wish, or three that each give way on one
///
/// You wish for three things: privacy (such as -k 10), few rows left out (--max-suppressed), and detail
/// (--max-levels: how far each column may be generalized). If all can be had together, the answer is the release
/// that generalizes least. If not, you get up to three offers: more rows left out, higher levels, or weaker
/// privacy, each with its price. Nothing is published until you say so.
///
/// In a terminal this is a dialogue: take an offer, change a wish, ask again, write the job file, release.
/// Elsewhere, or with --json, one question is answered; with --batch, one for each line of JSON.
///
/// Levels count from 0, the raw value, to `*`; `incrowd hierarchy build DATA --column NAME` shows them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd negotiate adult.csv -q age,race,sex -k 10 --max-suppressed 1% --max-levels 2,1,0
  incrowd negotiate adult.csv -q age,race,sex -s salary-class -l 2 --json
  incrowd negotiate adult.csv -q age,race,sex -k 10 --index adult.index
  incrowd negotiate adult.csv -q age,race,sex --batch requests.jsonl
      where each line is a request such as
      {\"model\":\"k-anonymity\",\"parameter\":10,\"max_suppressed\":\"1%\",\"max_levels\":[2,1,0]}

Exit codes: 0 every wish can be met, 1 only with a relaxation, 2 an error.")]
pub(crate) struct NegotiateArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) privacy: PrivacyArgs,
    /// Answer lines of JSON from a file, or - for standard input, with a line of JSON each
    #[arg(long, value_name = "FILE", help_heading = "Answers")]
    pub(crate) batch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) preparation: PreparationArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// How do suppression, height and privacy trade off? Tables and pictures over all choices of levels
///
/// For each parameter (such as k = 3, 10 and 25) and each height, which is the sum of the levels of all columns:
/// how many rows must be left out at least, on average and at most. Reads the table once and publishes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd study adult.csv -q age,race,sex
  incrowd study adult.csv -q age,race,sex --parameters 2,5,10,50 --importance
  incrowd study adult.csv -q age,race,sex -s salary-class --privacy distinct-l-diversity \\
      --parameters 2 --plot pictures/ --max-suppressed 1%")]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) privacy: PrivacyArgs,
    /// The parameters to study, such as 3,10,25. Models may be named without one, as in --privacy k-anonymity
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "What to study"
    )]
    pub(crate) parameters: Option<Vec<String>>,
    /// Study generalization schemes instead: the time and cost of optimal partitions by scheme, k and number of
    /// columns, bottom-up against top-down, and what each way to search less saves
    #[arg(long, conflicts_with = "importance", help_heading = "What to study")]
    pub(crate) schemes: bool,
    /// With --schemes: put the numbers of a column in steps first, as in age=5@17
    #[arg(
        long,
        value_name = "STEPS",
        value_delimiter = ',',
        requires = "schemes",
        help_heading = "What to study"
    )]
    coarse: Option<Vec<String>>,
    /// With --schemes: how long one search may take, 5s when not given
    #[arg(
        long,
        value_name = "TIME",
        requires = "schemes",
        help_heading = "What to study"
    )]
    time_limit: Option<String>,
    /// Also tell how much each level of each column groups
    #[arg(long, help_heading = "What to study")]
    pub(crate) importance: bool,
    /// Write pictures to this folder: suppression by height, the curve of a node (that of --max-levels if
    /// given), and the lattice if it is small, each with the budget: --max-suppressed, or 1% when not given
    #[arg(long, value_name = "FOLDER", help_heading = "What to study")]
    pub(crate) plot: Option<PathBuf>,
    /// Print the tables as CSV
    #[arg(long, conflicts_with = "json", help_heading = "Answers")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl StudyArgs {
    /// The parameters as class sizes.
    pub(crate) fn class_sizes(&self) -> Result<Option<Vec<u32>>, Error> {
        let size = |text: &String| {
            let size = text.trim().parse::<u32>().ok().filter(|size| *size > 0);
            size.ok_or_else(|| Error::PartitionSetting {
                flag: "--parameters",
                text: text.clone(),
                expected: "class sizes from 1 on, as in 2,5,10",
            })
        };
        let given = self.parameters.as_ref();
        given
            .map(|texts| texts.iter().map(size).collect())
            .transpose()
    }
}

/// Try several algorithms on one job: privacy reached, every metric, rows suppressed, seconds, memory
///
/// Counts the table once and runs every algorithm on it, ten seconds each unless --time-limit says otherwise. Each
/// answer passes the same check as a release; nothing is written. Take the one you like with `incrowd anonymize --algorithm NAME`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd compare adult.csv -q age,race,sex -s salary-class -k 10 --max-suppressed 1%
  incrowd compare adult.csv -q age,race,sex --target salary-class -k 10 \\
      --algorithms optimal,datafly,top-down --csv")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) privacy: PrivacyArgs,
    /// The algorithms to try; all when none is named
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "algorithm",
        help_heading = "What to compare"
    )]
    algorithms: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) choices: ChoiceArgs,
    #[command(flatten)]
    pub(crate) partitions: PartitionArgs,
    /// Print a line of CSV for each algorithm
    #[arg(long, conflicts_with = "json", help_heading = "Answers")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl CompareArgs {
    /// The algorithms to try. Whoever names one the way other commands do wants that one.
    pub(crate) fn algorithms(&self) -> Option<&[String]> {
        let one = self.search.algorithm.as_ref().map(std::slice::from_ref);
        self.algorithms.as_deref().or(one)
    }
}

/// How to get ready for questions.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to get ready")]
pub(crate) struct PreparationArgs {
    /// What is counted before the first question: every choice of levels, the most promising, those and the
    /// highest acceptable, none, or what suits the table. `full` and `lazy` are exact
    #[arg(long, value_name = "HOW", default_value = "auto",
        value_parser = word(Preparation::ALL))]
    how: Preparation,
    /// How many choices of each height are promising, for partial and partial-top
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "5%",
        allow_hyphen_values = true
    )]
    partial: String,
    /// How promising is told, for partial and partial-top
    #[arg(long, value_name = "NAME", default_value = "lambda",
        value_parser = word(Estimator::ALL))]
    estimator: Estimator,
    /// Which heights the offer of higher levels may use: the whole lattice, or from --max-levels on
    #[arg(long, value_name = "HEIGHTS", default_value = "whole",
        value_parser = word(Search::ALL))]
    search: Search,
    /// Keep what was counted in this file, and use it again if data and hierarchies are the same
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
}

impl PreparationArgs {
    /// What they say; `many_questions` is for the caller to know.
    pub(crate) fn options(&self, many_questions: bool) -> Result<Options, Error> {
        Ok(Options {
            how: self.how,
            percent: incrowd_job::share(&self.partial)?,
            estimator: self.estimator,
            search: self.search,
            index: self.index.clone(),
            many_questions,
        })
    }
}

/// What does this word mean? Models, metrics, algorithms, and every term that messages use
///
/// For a model, metric or algorithm: definition, paper, cost. For any other word: what it means and where you meet it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd explain
  incrowd explain models
  incrowd explain t-closeness
  incrowd explain quasi-identifier")]
pub(crate) struct ExplainArgs {
    /// A word, or `models`, `metrics`, `algorithms`, `schemes`, `rules`, `choices`, `terms`; everything when not given
    #[arg(value_name = "WORD", num_args = 0..)]
    words: Vec<String>,
}

impl ExplainArgs {
    /// The name to look up. It may be of several words, as in `explain unique row`.
    pub(crate) fn name(&self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.join(" "))
    }
}

/// Print the completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd completions bash > ~/.local/share/bash-completion/completions/incrowd")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the man page
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd man > incrowd.1
  incrowd man anonymize > incrowd-anonymize.1")]
pub(crate) struct ManArgs {
    /// The command; incrowd itself when not given
    #[arg(value_name = "COMMAND", num_args = 0..)]
    pub(crate) command: Vec<String>,
}

/// The table to read.
#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// The table: a .csv, .csv.gz, .tsv or .parquet file, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// A job file, as `incrowd init` writes it; flags win over it
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// How the table is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "How the table is written")]
pub(crate) struct FormatArgs {
    /// What separates cells, such as `;` or `tab`; detected when not given
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<String>,
    /// What surrounds cells that hold delimiters; `"` when not given
    #[arg(long, value_name = "CHAR")]
    quote: Option<String>,
    /// The first line is a row; columns are called column-1, column-2 and so on
    #[arg(long, conflicts_with = "header")]
    no_header: bool,
    /// The first line names the columns, although it may look like a row
    #[arg(long)]
    header: bool,
    /// Drop white space around cells
    #[arg(long)]
    trim: bool,
    /// Texts that mean "no value", such as `?,NA`; the empty text always does
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    missing_tokens: Option<Vec<String>>,
    /// What a missing cell means: a value of its own, any value, or that the row is left out
    #[arg(long, value_name = "MEANING",
        value_parser = choice::<MissingCells>(&["own-value", "match-any", "exclude-row"]))]
    missing_cells: Option<MissingCells>,
}

/// What the columns are.
#[derive(Debug, Args)]
#[command(next_help_heading = "What the columns are")]
pub(crate) struct RoleArgs {
    /// Columns others could know and join; published generalized, in this order of levels
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    quasi_identifiers: Option<Vec<String>>,
    /// Columns that must not be linked to a person; published as they are
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Option<Vec<String>>,
    /// Columns that name a person; dropped
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    identifying: Option<Vec<String>>,
    /// Columns that analysts predict; published as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    target: Option<Vec<String>>,
    /// Columns to publish as they are, whatever they give away
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    keep: Option<Vec<String>>,
    /// What happens to columns named nowhere; refused when not given. Even with `keep`, columns that name people,
    /// single them out or tell a column to be protected are refused unless --keep names them
    #[arg(long, value_name = "WHAT", value_parser = choice::<Others>(&["keep", "drop"]))]
    others: Option<Others>,
}

/// Which values may stand for which.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which values may stand for which")]
pub(crate) struct HierarchyArgs {
    /// A folder with a file `<column>.csv` for each hierarchy
    #[arg(long, value_name = "FOLDER")]
    hierarchies: Option<PathBuf>,
    /// One hierarchy, repeatable: column=FILE, or column=RULE with a rule such as interval:5,10,20@17,
    /// quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1, date:month,year, order, countries,
    /// us-states, education, icd10, uk-postcode or suppress
    #[arg(long, value_name = "COLUMN=FILE|RULE")]
    hierarchy: Vec<String>,
    /// What happens to values that their hierarchy does not list
    #[arg(long, value_name = "WHAT", value_parser = choice::<Unlisted>(&["refuse", "suppress"]))]
    missing: Option<Unlisted>,
}

/// What to promise.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to promise")]
pub(crate) struct PromiseArgs {
    /// Everybody stands in a crowd of at least N: k-anonymity
    #[arg(short, value_name = "N", allow_negative_numbers = true)]
    k: Option<String>,
    /// Every crowd has at least N sensitive values: distinct l-diversity
    #[arg(short, value_name = "N", allow_negative_numbers = true)]
    l: Option<String>,
    /// The sensitive values of every crowd are as spread as those of the table, but for X: t-closeness
    #[arg(short, value_name = "X", allow_negative_numbers = true)]
    t: Option<String>,
    /// Any model with its parameters, such as `entropy-l-diversity(l=3)`; repeatable, all must hold
    #[arg(long, value_name = "MODEL")]
    privacy: Vec<String>,
}

/// What may be given up for the promises.
#[derive(Debug, Args)]
pub(crate) struct BudgetArgs {
    /// Rows that may be left out: a number such as 321, or a share such as 1%; none when not given
    #[arg(
        long,
        value_name = "ROWS|SHARE",
        allow_hyphen_values = true,
        help_heading = "What to promise"
    )]
    max_suppressed: Option<String>,
}

/// What to promise, and what may be given up for it.
#[derive(Debug, Args)]
pub(crate) struct PrivacyArgs {
    #[command(flatten)]
    pub(crate) promises: PromiseArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The highest level allowed for each quasi-identifier, in their order, such as 2,1,1
    #[arg(
        long,
        value_name = "LEVELS",
        allow_hyphen_values = true,
        help_heading = "What to promise"
    )]
    max_levels: Option<String>,
}

/// How to search.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to search")]
pub(crate) struct SearchArgs {
    /// What is to be lost least; `incrowd explain metrics` lists them
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// The algorithm, or auto; `incrowd explain algorithms` lists them
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// For algorithms that draw numbers, and for --shuffle
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop searching after this time, such as 30s, and take the best found. Reading, and checking and writing, may
    /// each take as long; if that is not enough, nothing is written
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    time_limit: Option<String>,
    /// Stop searching after so many steps of work, such as 500M, and take the best found; none for no limit. Unlike a
    /// time it gives the same answer on every machine [default: 3G, a minute or so]
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    work_limit: Option<String>,
}

/// What the data holder chooses.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArgs {
    /// The choices to make, for algorithms that leave them to you, such as mu-argus: columns to raise one level, one
    /// after the other, then `suppress`, as in age,age,zip,suppress. In a terminal, without it, you are asked
    #[arg(
        long,
        value_name = "CHOICES",
        value_delimiter = ',',
        help_heading = "How to search"
    )]
    script: Option<Vec<String>>,
}

/// Which partitions of values are allowed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Partitions (--algorithm partition)")]
pub(crate) struct PartitionArgs {
    /// Which partitions are allowed: bhs, ghs, gops, gsps, ops or sps, for all columns or as in age=ops,race=sps.
    /// Numbers and dates are ordered by size, text as its hierarchy file lists it or its rule orders it, else by its
    /// bytes
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    scheme: Option<Vec<String>>,
    /// Put the numbers of a column in steps first, as in age=5@17: steps of 5 from 17
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    coarse: Option<Vec<String>>,
    /// From which end to search: bottom-up, top-down or auto
    #[arg(long, value_name = "DIRECTION")]
    search: Option<String>,
    /// Ways to search less that are not to be used, or all; the answer does not depend on them
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    without_pruning: Option<Vec<String>>,
}

/// How many threads.
#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Threads to use; all processors when not given. The result does not depend on it
    #[arg(long, value_name = "N", help_heading = "How to search")]
    pub(crate) threads: Option<usize>,
}

/// Where the release goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where the release goes")]
pub(crate) struct OutputArgs {
    /// The release: a .csv, .csv.gz, .tsv or .parquet file, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// The certificate, as JSON; a readable one is written beside it as .txt
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// What is published of suppressed rows: nothing, or a row of `*`
    #[arg(long, value_name = "HOW", value_parser = choice::<Suppressed>(&["drop", "star"]))]
    suppressed: Option<Suppressed>,
    /// Write rows in another order than they have in the table, drawn with --seed. Rows that stay in their order can
    /// tell who is who. Holds the release in memory
    #[arg(long)]
    shuffle: bool,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    /// Print the first N rows before and after: these are cells of your table
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) sample: usize,
    /// Also print the steps that led to the release, for algorithms that go step by step
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// Whether a release is made for spreadsheets.
#[derive(Debug, Args)]
pub(crate) struct SpreadsheetArgs {
    /// In CSV, an apostrophe stands before cells that a spreadsheet would take for formulas: those that begin with =, +,
    /// - or @ and are no numbers
    #[arg(long, help_heading = "Where the release goes")]
    spreadsheet_safe: bool,
}

/// Reads one of a few words as the job file would.
fn choice<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| serde_json::from_value::<T>(serde_json::Value::String(word)))
}

/// Reads one of a few words that mean something in the library.
fn word<T, const N: usize>(words: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word).collect::<Vec<_>>()).try_map(
        move |given| {
            let found = words.iter().find(|(word, _)| *word == given);
            found.map(|(_, meaning)| meaning.clone()).ok_or(UnknownWord)
        },
    )
}

/// Never seen: the words are checked before they are looked up.
#[derive(Debug)]
struct UnknownWord;

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("unknown word")
    }
}

impl std::error::Error for UnknownWord {}

/// The job that the flags of a command describe, laid over the job file if there is one.
pub(crate) fn job(file: Option<&PathBuf>, parts: &[&dyn FlagPart]) -> Result<Job, Error> {
    let mut flags = Job::default();
    for part in parts {
        part.fill(&mut flags)?;
    }
    let mut job = match file {
        Some(path) => Job::load(path)?,
        None => Job::default(),
    };
    job.overlay(flags);
    Ok(job)
}

/// A group of flags that says something about the job.
pub(crate) trait FlagPart {
    /// Says it.
    fn fill(&self, job: &mut Job) -> Result<(), Error>;
}

impl FlagPart for TableArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.data.path.clone_from(&self.data);
        self.format.fill(job)
    }
}

impl FlagPart for FormatArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let parse = |text: &Option<String>| text.as_deref().map(str::parse).transpose();
        job.data.delimiter = parse(&self.delimiter)?;
        job.data.quote = parse(&self.quote)?;
        job.data.header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        job.data.trim = self.trim.then_some(true);
        job.data.missing_tokens.clone_from(&self.missing_tokens);
        job.data.missing_cells = self.missing_cells;
        Ok(())
    }
}

impl FlagPart for RoleArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let columns = &mut job.columns;
        columns
            .quasi_identifiers
            .clone_from(&self.quasi_identifiers);
        columns.sensitive.clone_from(&self.sensitive);
        columns.identifying.clone_from(&self.identifying);
        columns.target.clone_from(&self.target);
        columns.keep.clone_from(&self.keep);
        columns.others = self.others;
        Ok(())
    }
}

impl FlagPart for HierarchyArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.columns.hierarchies.clone_from(&self.hierarchies);
        job.columns.missing = self.missing;
        for text in &self.hierarchy {
            let (column, source) = text
                .split_once('=')
                .ok_or_else(|| Error::HierarchyFlag { text: text.clone() })?;
            let source = HierarchySource::from(source.to_owned());
            job.hierarchies.insert(column.to_owned(), source);
        }
        Ok(())
    }
}

impl FlagPart for PromiseArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let short = [
            ("k-anonymity", "k", &self.k),
            ("distinct-l-diversity", "l", &self.l),
            ("t-closeness", "t", &self.t),
        ];
        let mut models: Vec<String> = short
            .into_iter()
            .filter_map(|(model, parameter, value)| {
                let value = value.as_ref()?;
                Some(format!("{model}({parameter}={value})"))
            })
            .collect();
        models.extend(self.privacy.iter().cloned());
        job.privacy.models = (!models.is_empty()).then_some(models);
        Ok(())
    }
}

impl FlagPart for BudgetArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let budget = self.max_suppressed.as_deref();
        job.privacy.max_suppressed = budget.map(str::parse).transpose()?;
        Ok(())
    }
}

impl FlagPart for PrivacyArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        self.promises.fill(job)?;
        self.budget.fill(job)?;
        job.privacy.max_levels = match &self.max_levels {
            None => None,
            Some(text) => Some(
                text.split(',')
                    .map(|level| level.trim().parse())
                    .collect::<Result<_, _>>()
                    .map_err(|_| Error::MaxLevels { text: text.clone() })?,
            ),
        };
        Ok(())
    }
}

impl FlagPart for SearchArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.metric.clone_from(&self.metric);
        job.search.algorithm.clone_from(&self.algorithm);
        job.search.seed = self.seed;
        let limit = self.time_limit.as_deref();
        job.search.time_limit = limit.map(str::parse).transpose()?;
        let limit = self.work_limit.as_deref();
        job.search.work_limit = limit.map(str::parse).transpose()?;
        Ok(())
    }
}

impl FlagPart for ChoiceArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let trimmed = |word: &String| word.trim().to_owned();
        let words = self.script.as_deref();
        job.search.script = words.map(|words| words.iter().map(trimmed).collect());
        Ok(())
    }
}

impl FlagPart for StudyArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.coarse.clone_from(&self.coarse);
        let limit = self.time_limit.as_deref();
        job.search.time_limit = limit.map(str::parse).transpose()?;
        Ok(())
    }
}

impl FlagPart for PartitionArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.scheme.clone_from(&self.scheme);
        job.search.coarse.clone_from(&self.coarse);
        job.search.direction.clone_from(&self.search);
        job.search.without_pruning.clone_from(&self.without_pruning);
        Ok(())
    }
}

impl FlagPart for ThreadArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.threads = self.threads;
        Ok(())
    }
}

impl FlagPart for OutputArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.output.path.clone_from(&self.output);
        job.output.certificate.clone_from(&self.certificate);
        job.output.suppressed = self.suppressed;
        job.output.shuffle = self.shuffle.then_some(true);
        self.spreadsheet.fill(job)
    }
}

impl FlagPart for SpreadsheetArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.output.spreadsheet_safe = self.spreadsheet_safe.then_some(true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Every flag of a command and its subcommands with the words it can be set to.
    fn flags_with_words(command: &clap::Command, found: &mut Vec<(String, String)>) {
        for flag in command.get_arguments() {
            let Some(name) = flag.get_long() else {
                continue;
            };
            if flag.get_action().takes_values() {
                for word in flag.get_possible_values() {
                    found.push((format!("--{name}"), word.get_name().to_owned()));
                }
            }
        }
        for subcommand in command.get_subcommands() {
            flags_with_words(subcommand, found);
        }
    }

    #[test]
    fn every_word_that_a_flag_can_be_set_to_is_explained_for_that_flag() {
        let mut found = Vec::new();
        flags_with_words(&Cli::command(), &mut found);
        assert!(found.len() > 10, "{found:?}");
        for (flag, word) in found {
            let entries = match incrowd_job::explain(Some(&word)) {
                Ok(explanation) => explanation.entries,
                Err(_) => panic!("`{flag} {word}` is not explained"),
            };
            let says_where = entries.iter().any(|entry| entry.text.contains(&flag));
            assert!(
                says_where,
                "`{word}` is explained, but not as `{flag} {word}`"
            );
        }
    }
}
