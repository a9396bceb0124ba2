//! One file per subcommand: from flags to a call of `incrowd-job`, and from its answer to a reply.

mod advise;
mod anonymize;
mod choices;
mod compare;
mod completions;
mod dialogue;
mod evaluate;
mod explain;
mod hierarchy;
mod init;
mod inspect;
mod man;
mod negotiate;
mod questions;
mod risk;
mod serve;
mod simulate;
mod study;
mod talk;
mod verify;

use crate::Reply;
use crate::args::{Cli, Command, Global};
use crate::render;
use incrowd_job::{Control, Error};
use serde::Serialize;
use std::sync::Arc;

/// Runs the command.
pub(crate) fn run(cli: Cli, control: &Arc<Control>) -> Result<Reply, Error> {
    let global = &cli.global;
    match &cli.command {
        Command::Inspect(args) => inspect::run(args, global, control),
        Command::Init(args) => init::run(args, global, control),
        Command::Hierarchy(command) => hierarchy::run(command, global, control),
        Command::Advise(args) => advise::run(args, global, control),
        Command::Anonymize(args) => anonymize::run(args, global, control),
        Command::Verify(args) => verify::run(args, global, control),
        Command::Negotiate(args) => negotiate::run(args, global, control),
        Command::Study(args) => study::run(args, global, control),
        Command::Compare(args) => compare::run(args, global, control),
        Command::Evaluate(args) => evaluate::run(args, global, control),
        Command::Risk(args) => risk::run(args, global, control),
        Command::Simulate(args) => simulate::run(args, global, control),
        Command::Serve(args) => serve::run(args, global, control),
        Command::Explain(args) => explain::run(args, global),
        Command::Completions(args) => Ok(completions::run(args)),
        Command::Man(args) => man::run(args),
    }
}

/// A result as JSON or as text, as the user asked.
fn reply<T: Serialize>(global: &Global, result: &T, text: impl FnOnce(&T) -> String) -> Reply {
    Reply {
        result: match (global.json, global.quiet) {
            (true, _) => render::json::document(result),
            (false, true) => String::new(),
            (false, false) => text(result),
        },
        ..Reply::default()
    }
}
