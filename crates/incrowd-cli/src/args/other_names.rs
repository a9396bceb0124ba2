//! Names that people try for flags that are called something else: the error then names the right flag.

use clap::error::{ContextKind, ContextValue, Error};
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
    let Some(ContextValue::String(tried)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let meant = OTHER_NAMES
        .iter()
        .find(|(_, names)| names.contains(&tried.as_str()));
    let command = called(program, arguments);
    if let Some((flag, _)) =
        meant.filter(|(flag, _)| command.get_arguments().any(|arg| is_called(arg, flag)))
    {
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

fn is_called(arg: &Arg, flag: &str) -> bool {
    match flag.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short() == flag.chars().nth(1),
    }
}
