//! `incrowd completions`

use crate::Reply;
use crate::args::{Cli, CompletionsArgs};
use clap::CommandFactory;

pub(super) fn run(args: &CompletionsArgs) -> Reply {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "incrowd", &mut script);
    Reply {
        result: String::from_utf8_lossy(&script).into_owned(),
        ..Reply::default()
    }
}
