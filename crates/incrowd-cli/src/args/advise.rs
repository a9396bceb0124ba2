//! `incrowd advise`.

use super::request::RequestArgs;
use super::research::ResearchArgs;
use super::search::{SearchArgs, SettingArgs, ThreadArgs};
use super::words::word;
use clap::{Args, ValueEnum};
use incrowd_core::advisor::{Quality, Use};
use incrowd_core::algorithms::Generalization;
use incrowd_job::AdviseOptions;

/// Find out which algorithm suits a table and what it is for
///
/// Counts the table once and asks the cards of all algorithms (`incrowd explain NAME`): what is left is ranked, with the
/// reason for each place, each exclusion, and the command to run. Say as much as you know: a novice gives the table and its
/// use; a practitioner adds --quality, --generalization and --may-suppress; an expert insists on any property of the
/// cards with --property (`incrowd explain properties` lists them). In a terminal, without --use, you are asked. The promises,
/// budgets, metrics, rules and limits of `anonymize` are respected. Nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd advise adult.csv -q age,race,sex
  incrowd advise adult.csv -q age,race,sex --use classification --target salary-class -k 10
  incrowd advise adult.csv -q age,race,sex --use any --quality optimal --generalization full-domain
  incrowd advise adult.csv -q age,race,sex --property overlap=no --property automation=automatic --try 3")]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    wishes: WishArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) research: ResearchArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// What is wanted of an algorithm.
#[derive(Debug, Args)]
#[command(next_help_heading = "Advice")]
struct WishArgs {
    /// What the release is for [default: any, or what --target says]
    #[arg(long = "use", value_name = "USE", value_parser = word(Use::ALL))]
    usage: Option<Use>,
    /// How good it must be: proven to be the best of its kind, or good enough
    #[arg(long, value_name = "QUALITY", value_parser = word(Quality::ALL))]
    quality: Option<Quality>,
    /// What may decide how a value is published
    #[arg(long, value_name = "KIND", value_parser = word(GENERALIZATIONS))]
    generalization: Option<Generalization>,
    /// Whether rows may be suppressed; how many is said by --max-suppressed
    #[arg(long, value_name = "YES|NO", value_parser = word(YES_OR_NO))]
    may_suppress: Option<bool>,
    /// A property that the algorithm must have (repeatable), such as overlap=no
    #[arg(long, value_name = "NAME=VALUE")]
    property: Vec<String>,
    /// How much is asked in a dialogue [default: you are asked that too]
    #[arg(long, value_name = "LEVEL")]
    expertise: Option<Expertise>,
    /// Ask questions, even if --use is given
    #[arg(long)]
    ask: bool,
    /// Try the first N on a sample of at most 5000 rows: what they reach, and in what time
    #[arg(
        long = "try",
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    tries: usize,
}

/// How much a data holder knows about anonymization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Expertise {
    Novice,
    Practitioner,
    Expert,
}

const GENERALIZATIONS: [(&str, Generalization); 4] = [
    ("full-domain", Generalization::FullDomain),
    ("cuts", Generalization::Cuts),
    ("partitions", Generalization::Partitions),
    ("regions", Generalization::Regions),
];

const YES_OR_NO: [(&str, bool); 2] = [("yes", true), ("no", false)];

impl AdviseArgs {
    /// What the flags say beside the job.
    pub(crate) fn options(&self) -> AdviseOptions {
        let wishes = &self.wishes;
        AdviseOptions {
            usage: wishes.usage,
            quality: wishes.quality,
            generalization: wishes.generalization,
            may_suppress: wishes.may_suppress,
            properties: wishes.property.clone(),
            tries: wishes.tries,
        }
    }

    pub(crate) fn expertise(&self) -> Option<Expertise> {
        self.wishes.expertise
    }

    /// Whether questions are asked: always, or if there is someone to answer and no use is given.
    pub(crate) fn asks(&self, is_watched: bool) -> bool {
        self.wishes.ask || is_watched && self.wishes.usage.is_none()
    }
}
