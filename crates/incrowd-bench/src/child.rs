//! Child processes, with what they used.

use anyhow::{Context, Result, bail};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What a process used, as the system counted it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) wall: Duration,
    /// User and system time of all threads.
    pub(crate) cpu: Duration,
    /// The most memory resident at any time.
    pub(crate) peak_memory: u64,
}

/// Runs a command to its end; what it printed to its standard output, and what it used.
pub(crate) fn run(command: &mut Command) -> Result<(String, Usage)> {
    run_fed(command, Stdio::null())
}

/// The same with something to read on its standard input.
pub(crate) fn run_fed(command: &mut Command, input: Stdio) -> Result<(String, Usage)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = command
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting {name}"))?;
    let mut printed = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut printed)?;
    }
    let used = child.wait4()?;
    let wall = start.elapsed();
    if !used.status.success() {
        bail!("{name} ended with {}", used.status);
    }
    let usage = Usage {
        wall,
        cpu: used.rusage.utime + used.rusage.stime,
        peak_memory: used.rusage.maxrss,
    };
    Ok((printed, usage))
}

/// This program, to be run as a child.
pub(crate) fn this_program() -> Result<Command> {
    let path = std::env::current_exe().context("finding this program")?;
    Ok(Command::new(path))
}
