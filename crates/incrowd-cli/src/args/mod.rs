//! Commands and flags. Their doc comments are the help text.
//!
//! One file per command, and one for each group of flags that several commands share.

mod about;
mod advise;
mod anonymize;
mod columns;
mod compare;
mod evaluate;
mod hierarchy;
mod init;
mod inspect;
mod negotiate;
mod other_names;
mod output;
mod privacy;
mod request;
mod research;
mod risk;
mod search;
mod serve;
mod simulate;
mod study;
mod table;
mod verify;
mod words;

pub(crate) use about::{CompletionsArgs, ExplainArgs, ManArgs};
pub(crate) use advise::{AdviseArgs, Expertise};
pub(crate) use anonymize::AnonymizeArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use evaluate::EvaluateArgs;
pub(crate) use hierarchy::{
    HierarchyBuildArgs, HierarchyCheckArgs, HierarchyCommand, HierarchyShowArgs,
};
pub(crate) use init::InitArgs;
pub(crate) use inspect::InspectArgs;
pub(crate) use negotiate::NegotiateArgs;
pub(crate) use risk::RiskArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use simulate::SimulateArgs;
pub(crate) use study::StudyArgs;
pub(crate) use verify::VerifyArgs;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use incrowd_job::{Error, Job};
use other_names::name_the_right_flag;
use std::path::PathBuf;

/// Hide every record in a crowd, and keep the data worth reading.
///
/// incrowd turns a table about people into a release in which nobody can be singled out, and proves it. Start with
/// `inspect` to see what a file contains, then `anonymize` it.
#[derive(Debug, Parser)]
#[command(name = "incrowd", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// What the program was called with. Ends it if that cannot be understood, or only asks for help.
    pub(crate) fn of_this_program() -> Self {
        let (mut program, arguments) = (Self::command(), Vec::from_iter(std::env::args_os()));
        let matches = program.try_get_matches_from_mut(&arguments);
        let cli = matches.and_then(|matches| {
            Self::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
        });
        cli.unwrap_or_else(|error| name_the_right_flag(error, &mut program, &arguments).exit())
    }
}

const EXAMPLES: &str = "Examples:
  incrowd inspect adult.csv
  incrowd anonymize adult.csv -q age,sex,race -s salary-class -k 5 --others drop -o safe.csv
  incrowd verify safe.csv -q age,sex,race -k 5
  incrowd negotiate adult.csv -q age,sex,race -k 10 --max-suppressed 1% --max-levels 2,0,1

Exit codes: 0 request met, 1 met only with relaxations or file found unsafe or too risky, 2 error, 130 stopped with Ctrl-C.";

/// Flags that every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print the result as one JSON document on standard output
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print only errors, and what --json or --output - asks for
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Do not show progress bars (they appear only in a terminal)
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Inspect(InspectArgs),
    Init(InitArgs),
    #[command(subcommand)]
    Hierarchy(HierarchyCommand),
    Advise(Box<AdviseArgs>),
    Anonymize(Box<AnonymizeArgs>),
    Verify(Box<VerifyArgs>),
    Negotiate(Box<NegotiateArgs>),
    Study(Box<StudyArgs>),
    Compare(Box<CompareArgs>),
    Evaluate(Box<EvaluateArgs>),
    Risk(Box<RiskArgs>),
    Simulate(Box<SimulateArgs>),
    Serve(Box<ServeArgs>),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// The job that the flags of a command describe; they override the job file if there is one.
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

/// A group of flags that sets part of a job.
pub(crate) trait FlagPart {
    /// Sets the keys of `job` that the flags were given for.
    fn fill(&self, job: &mut Job) -> Result<(), Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every flag of a command and its subcommands, with the words it accepts.
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
