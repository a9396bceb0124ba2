//! Names that people try for flags that are called something else: the error then names the right flag.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};
use std::ffi::OsString;

/// A flag, and other names under which it is looked for.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("-k", &["--k", "--k-anonymity"]),
    (
        "-l",
        &[
            "--l",
            "--l-diversity",
            "--distinct-l",
            "--distinct-l-diversity",
        ],
    ),
    ("-t", &["--t", "--t-closeness"]),
    (
        "--privacy",
        &["-m", "--model", "--models", "--privacy-model"],
    ),
    (
        "--max-suppressed",
        &["--suppression", "--suppression-limit", "--max-suppression"],
    ),
    (
        "--quasi-identifiers",
        &["--qi", "--qis", "--qid", "--quasi"],
    ),
    ("--output", &["--out"]),
];

/// Says which flag was meant, if the error is about an unknown one and the command has that.
pub(super) fn name_the_right_flag(
    mut error: Error,
    program: &mut Command,
    arguments: &[OsString],
) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(tried)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let mut meant = OTHER_NAMES.iter();
    let meant = meant.find(|(_, names)| names.contains(&tried.as_str()));
    let is_tried = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        let rest = argument.strip_prefix(tried.as_str());
        // Of a flag with one dash, what was tried is its first letter.
        rest.is_some_and(|rest| {
            !tried.starts_with("--") || rest.is_empty() || rest.starts_with('=')
        })
    };
    let flags = arguments.split(|argument| argument == "--").next();
    let Some(at) = flags.and_then(|flags| flags.iter().position(is_tried)) else {
        return error;
    };
    let command = called(program, &arguments[..at]);
    if let Some((flag, _)) = meant.filter(|(flag, _)| has(command, flag)) {
        // No other advice beside it.
        error.remove(ContextKind::Suggested);
        error.insert(
            ContextKind::SuggestedArg,
            ContextValue::String((*flag).to_owned()),
        );
        error.insert(
            ContextKind::Usage,
            ContextValue::StyledStr(command.render_usage()),
        );
    }
    error
}

/// The command that the arguments call.
fn called<'c>(program: &'c mut Command, arguments: &[OsString]) -> &'c mut Command {
    program.build();
    let mut command = program;
    for argument in arguments.iter().skip(1) {
        if command.find_subcommand(argument).is_some() {
            command = command.find_subcommand_mut(argument).expect("it was found");
        }
    }
    command
}

/// Whether a command has a flag.
fn has(command: &Command, flag: &str) -> bool {
    let is_it = |arg: &Arg| match flag.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short() == flag.chars().nth(1),
    };
    command.get_arguments().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn right_flags_exist_and_other_names_do_not() {
        fn all<'c>(command: &'c Command, found: &mut Vec<&'c Command>) {
            found.push(command);
            command.get_subcommands().for_each(|one| all(one, found));
        }
        let mut program = Cli::command();
        program.build();
        let mut commands = Vec::new();
        all(&program, &mut commands);
        for (flag, names) in OTHER_NAMES {
            assert!(commands.iter().any(|command| has(command, flag)), "{flag}");
            for name in *names {
                let taken = commands.iter().find(|command| has(command, name));
                assert!(taken.is_none(), "{name} of {}", taken.unwrap().get_name());
            }
        }
    }
}
