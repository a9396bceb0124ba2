//! Jobs of the tests of Spark Connect: the usual one, by way of a proxy or not, and what it leaves.

use super::proxy::{Proxy, Then};
use super::spark_server::{Server, Session, servers};
use crate::support::{Folder, Run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::process::{Child, Stdio};

pub(super) const JOB: &str = "-q age -s disease -k 3 --json";

/// A server whose files nobody else changes meanwhile; there is one of Spark, whose tests run one after the other.
pub(super) fn quiet_server() -> &'static Server {
    match servers()[0].name {
        "Spark" => servers()[0],
        _ => Box::leak(Box::new(Server::sail(&[]))),
    }
}

pub(super) fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

pub(super) fn end(job: Child) -> Run {
    Run::of(job.wait_with_output().unwrap())
}

#[track_caller]
pub(super) fn code(run: &Run) -> String {
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    run.json()["error"]["code"].as_str().unwrap().to_owned()
}

/// Ctrl-C.
pub(super) fn interrupt(job: &Child) {
    kill(Pid::from_raw(job.id().try_into().unwrap()), Signal::SIGINT).unwrap();
}

/// The usual job from the table `people` to the table `safe`, by way of a port.
pub(super) fn job_through(session: &Session, port: u16, flags: &str) -> String {
    format!(
        "anonymize {} {JOB} {flags} -o {}",
        session.table_through(port, "people"),
        session.table_through(port, "safe")
    )
}

/// A job that is held where it sends a text for the first time after so many.
#[track_caller]
pub(super) fn start_held(
    folder: &Folder,
    session: &Session,
    (text, before): (&'static str, usize),
    job: impl FnOnce(u16) -> String,
) -> (Child, Proxy) {
    let proxy = Proxy::new(session.server.port, text, before, Then::Hold);
    let job = start(folder, &job(proxy.port));
    proxy.until_seen();
    (job, proxy)
}

/// Every file with rows below a folder.
pub(super) fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path.display().to_string()),
            }
        }
    }
    found.retain(|path| path.ends_with(".parquet"));
    found.sort();
    found
}

/// Few combinations, and so many bytes that the server has written some of every file long before it has written all: a
/// query, and the columns that a job publishes unchanged.
pub(super) fn wide(rows: u32) -> (String, String) {
    let columns: Vec<String> = (0..12)
        .map(|at| format!("CAST(abs(hash(id)) % 4000 + {at} AS STRING) AS n{at}"))
        .collect();
    let kept: Vec<String> = (1..12).map(|at| format!("n{at}")).collect();
    let columns = columns.join(", ");
    let query = format!("SELECT CAST(20 + id % 5 AS INT) AS age, {columns} FROM range({rows})");
    (query, kept.join(","))
}

/// How many of these rows take a server some seconds to write.
pub(super) fn wide_rows(server: &Server) -> u32 {
    match server.name {
        "Spark" => 300_000,
        _ => 2_000_000,
    }
}
