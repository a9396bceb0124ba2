//! Recorded runs: a folder each, with everything needed to doubt or repeat the numbers.
//!
//! `command`, `versions`, `machine`, `raw.csv`, `summary.md`. Nothing in them names a host or a path of the
//! machine they were made on.

use crate::paths::{project, shown};
use crate::report::{Measure, Report, read_measures, write_measures};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

fn runs() -> PathBuf {
    project().join("benchmarks/runs")
}

/// The folder of a run that is about to be recorded; named by the day if it has no name. Made before anything is
/// measured, so that a name that is taken costs no time.
pub(crate) fn create(name: &str) -> Result<PathBuf> {
    let runs = runs();
    std::fs::create_dir_all(&runs).context("making the folder of all runs")?;
    if name.is_empty() {
        let today = today();
        let again = (2..).map(|number| format!("{today}-{number}"));
        let mut names = std::iter::once(today.clone()).chain(again);
        let free = names.find(|name| !runs.join(name).exists());
        return create(&free.context("there is always another number")?);
    }
    ensure!(
        name.chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
            && !name.starts_with('.'),
        "a run is named with letters, digits, `-`, `_` and `.`"
    );
    let folder = runs.join(name);
    std::fs::create_dir(&folder).with_context(|| {
        format!(
            "{} cannot be made; is there a run of that name?",
            shown(&folder)
        )
    })?;
    Ok(folder)
}

/// The folder of a run that was recorded.
pub(crate) fn folder(name: &str) -> PathBuf {
    runs().join(name)
}

/// Writes everything about a run.
pub(crate) fn write(folder: &Path, command: &str, report: &Report) -> Result<()> {
    let machine = machine();
    let versions = versions(report);
    let lines = |pairs: &[(String, String)]| -> String {
        pairs
            .iter()
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect()
    };
    let write = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).with_context(|| format!("writing {name}"))
    };
    write("command", format!("{command}\n"))?;
    write("versions", lines(&versions))?;
    write("machine", lines(&machine))?;
    write_measures(&folder.join("raw.csv"), &report.measures)?;
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let listed = |pairs: &[(String, String)]| -> String {
        let pairs = pairs.iter().map(|(name, value)| format!("{name} {value}"));
        pairs.collect::<Vec<_>>().join("; ")
    };
    write(
        "summary.md",
        format!(
            "# Benchmark run {name}\n\n`{command}`\n\nMachine: {}.\n\nVersions: {}.\n\n{}\n",
            listed(&machine),
            listed(&versions),
            report.text().trim_end()
        ),
    )
}

/// The most recent recorded run that has measures of a benchmark: its name and those measures.
pub(crate) fn latest(benchmark: &str) -> Option<(String, Vec<Measure>)> {
    let mut recorded: Vec<(String, PathBuf)> = std::fs::read_dir(runs())
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let versions = std::fs::read_to_string(entry.path().join("versions")).ok()?;
            let time = versions.lines().find_map(|line| line.strip_prefix(TIME))?;
            Some((time.to_owned(), entry.path()))
        })
        .collect();
    recorded.sort();
    recorded.into_iter().rev().find_map(|(_, folder)| {
        let mut measures = read_measures(&folder.join("raw.csv")).ok()?;
        measures.retain(|measure| measure.benchmark == benchmark);
        let name = folder.file_name()?.to_string_lossy().into_owned();
        (!measures.is_empty()).then_some((name, measures))
    })
}

/// How the line of `versions` begins that says when the run was made.
const TIME: &str = "recorded: ";

fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

fn today() -> String {
    let date = now().to_string();
    date[..10].to_owned()
}

fn versions(report: &Report) -> Vec<(String, String)> {
    let mut versions = vec![
        ("recorded".to_owned(), format!("{:.0}", now())),
        (
            "incrowd".to_owned(),
            format!("{} ({})", env!("CARGO_PKG_VERSION"), commit()),
        ),
        (
            "rustc".to_owned(),
            first_line(Command::new("rustc").arg("--version"))
                .map(|line| line.trim_start_matches("rustc ").to_owned())
                .unwrap_or_else(|| "unknown".to_owned()),
        ),
    ];
    versions.extend(report.versions.iter().cloned());
    versions
}

/// The commit the program was built from, as far as the working tree tells.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(project()).args(arguments);
        first_line(&mut command)
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "commit unknown".to_owned();
    };
    let is_changed = git(&[
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        ".",
        ":!benchmarks",
    ])
    .is_some();
    match is_changed {
        true => format!("commit {commit} with changes"),
        false => format!("commit {commit}"),
    }
}

/// The first line a command prints; none if it fails or prints nothing.
pub(crate) fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next().filter(|_| output.status.success())?;
    Some(line.trim().to_owned())
}

/// The version of a crate that was built in.
pub(crate) fn crate_version(name: &str) -> String {
    let lock = include_str!("../../../Cargo.lock");
    let after = lock.split_once(&format!("name = \"{name}\"\nversion = \""));
    let version = after.and_then(|(_, rest)| rest.split_once('"'));
    version.map_or("unknown".to_owned(), |(version, _)| version.to_owned())
}

fn machine() -> Vec<(String, String)> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let value = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        let (_, value) = line.split_once(':')?;
        Some(value.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = value(&read("/proc/meminfo"), "MemTotal").and_then(|memory| {
        let kilobytes: f64 = memory.split_whitespace().next()?.parse().ok()?;
        Some(format!("{:.1} GiB", kilobytes / (1 << 20) as f64))
    });
    let unknown = || "unknown".to_owned();
    vec![
        (
            "model".to_owned(),
            value(&read("/proc/cpuinfo"), "model name").unwrap_or_else(unknown),
        ),
        ("cores".to_owned(), cores.to_string()),
        ("memory".to_owned(), memory.unwrap_or_else(unknown)),
        (
            "system".to_owned(),
            format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ),
        ("load".to_owned(), load().unwrap_or_else(unknown)),
    ]
}

/// How busy the machine is, with this program and all others.
fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let mut averages = text.split_whitespace();
    let minute = averages.next()?;
    let quarter = averages.nth(1)?;
    Some(format!(
        "{minute} over the last minute of the run, {quarter} over the last quarter of an hour"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_crates_are_known() {
        assert!(crate_version("csv").starts_with("1."));
        assert_eq!(crate_version("no-such-crate"), "unknown");
    }

    #[test]
    fn a_run_is_named_plainly() {
        for name in ["../out", ".hidden", "a b", "a/b"] {
            assert!(create(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_day_has_ten_letters() {
        let today = today();
        assert_eq!(today.len(), 10);
        assert_eq!(today.matches('-').count(), 2);
    }
}
