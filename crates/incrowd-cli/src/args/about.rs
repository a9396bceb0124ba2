//! Commands about the program itself: `explain`, `completions`, `man`.

use clap::Args;

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
