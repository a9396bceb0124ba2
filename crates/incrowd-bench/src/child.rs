//! Child processes, with what they used.

use anyhow::{Context, Result, bail};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// The most of it that the system could not drop, since it is no part of a file: looked at fifty times a second, none where the
    /// system does not say.
    pub(crate) peak_own_memory: Option<u64>,
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
    let (id, is_over) = (child.id(), AtomicBool::new(false));
    let (read, peak_own_memory) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| peak_own_memory(id, &is_over));
        let mut stdout = child.stdout.take();
        let read = stdout.as_mut().map(|it| it.read_to_string(&mut printed));
        is_over.store(true, Ordering::Relaxed);
        (read.transpose(), watching.join().unwrap_or_default())
    });
    read?;
    let used = child.wait4()?;
    let wall = start.elapsed();
    if !used.status.success() {
        bail!("{name} ended with {}", used.status);
    }
    let usage = Usage {
        wall,
        cpu: used.rusage.utime + used.rusage.stime,
        peak_memory: used.rusage.maxrss,
        peak_own_memory,
    };
    Ok((printed, usage))
}

/// The most memory of a process that is no part of a file, until it `is_over`.
fn peak_own_memory(id: u32, is_over: &AtomicBool) -> Option<u64> {
    let mut peak = None;
    while !is_over.load(Ordering::Relaxed) {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let kibibytes = line.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = peak.max(kibibytes.map(|kibibytes: u64| kibibytes << 10));
        std::thread::sleep(Duration::from_millis(20));
    }
    peak
}

/// This program, to be run as a child.
pub(crate) fn this_program() -> Result<Command> {
    let path = std::env::current_exe().context("finding this program")?;
    Ok(Command::new(path))
}
