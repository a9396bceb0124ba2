//! The command line of incrowd.
//!
//! Parses the arguments, calls `incrowd-job` and prints the result. Results go to standard output, everything else to
//! standard error.

mod args;
mod commands;
mod interrupt;
mod progress;
mod render;

use args::Cli;
use std::io::Write;
use std::process::ExitCode;

/// What a command prints, and its exit code.
#[derive(Debug, Default)]
struct Reply {
    /// For standard output.
    result: String,
    /// For standard error.
    note: String,
    code: u8,
}

/// Verification found the file unsafe.
const UNSAFE: u8 = 1;
/// The request can be met only with a relaxation.
const RELAXED: u8 = 1;
/// The request was refused or failed.
const FAILED: u8 = 2;
/// The code shells use for a program ended by Ctrl-C.
const STOPPED: u8 = 130;

fn main() -> ExitCode {
    let cli = Cli::of_this_program();
    let json = cli.global.json;
    let reply = match interrupt::run(cli) {
        Ok(reply) => reply,
        Err(error) => Reply {
            result: if json {
                render::json::error(&error)
            } else {
                String::new()
            },
            note: render::text::error(&error),
            code: match error {
                incrowd_job::Error::Cancelled => STOPPED,
                _ => FAILED,
            },
        },
    };
    // Notes are optional: nothing depends on whether they can be printed.
    let _ = std::io::stderr().write_all(reply.note.as_bytes());
    let mut stdout = std::io::stdout().lock();
    let printed = stdout
        .write_all(reply.result.as_bytes())
        .and_then(|()| stdout.flush());
    match printed {
        // The reader has seen enough, as in `incrowd ... | head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(reply.code),
        Err(error) => {
            let text = render::text::not_printed(&error);
            let _ = std::io::stderr().write_all(text.as_bytes());
            ExitCode::from(FAILED)
        }
        Ok(()) => ExitCode::from(reply.code),
    }
}
