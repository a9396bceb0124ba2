//! Commands about the program itself: `explain`, `completions`, `man`.

use clap::Args;

/// Explain a model, metric, algorithm, or any term that messages use
///
/// For a model, metric or algorithm: definition, paper, cost. For any other term: its meaning and where it is used.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd explain
  incrowd explain models
  incrowd explain t-closeness
  incrowd explain quasi-identifier")]
pub(crate) struct ExplainArgs {
    /// A term, or `models`, `metrics`, `algorithms`, `schemes`, `rules`, `choices`, `terms` [default: list everything]
    #[arg(value_name = "WORD", num_args = 0..)]
    words: Vec<String>,
}

impl ExplainArgs {
    /// The name to look up. It may have several words, as in `explain unique row`.
    pub(crate) fn name(&self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.join(" "))
    }
}

/// Print shell completions
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd completions bash > ~/.local/share/bash-completion/completions/incrowd")]
pub(crate) struct CompletionsArgs {
    /// Shell to generate completions for
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the man page
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd man > incrowd.1
  incrowd man anonymize > incrowd-anonymize.1")]
pub(crate) struct ManArgs {
    /// Command to document [default: incrowd itself]
    #[arg(value_name = "COMMAND", num_args = 0..)]
    pub(crate) command: Vec<String>,
}
