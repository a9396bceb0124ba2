//! A job can be stopped from its first word to the server on, and has time to remove its draft.

use super::engine::Engine;
use super::proxy::{Proxy, Then};
use super::spark_jobs::{code, end, interrupt, start};
use super::spark_server::{Session, servers};
use crate::support::{Folder, Run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::Stdio;
use std::time::Duration;

#[test]
fn a_draft_is_removed_after_ctrl_c_however_long_the_server_takes_to_hear_of_it() {
    let (folder, session) = (Folder::new(), Session::on(servers()[0]));
    session
        .run("CREATE TABLE people AS SELECT 20 + id % 5 AS age, 'flu' AS disease FROM range(400)");
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let proxy = Proxy::new(session.server.port, "AS SELECT c.l0", 0, Then::Hold);
        let mut command = folder.command(&format!(
            "anonymize {} -q age -s disease -k 3 -o {}",
            session.table_through(proxy.port, "people"),
            session.table_through(proxy.port, "safe")
        ));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let job = command.spawn().unwrap();
        proxy.until_seen();
        kill(Pid::from_raw(job.id().try_into().unwrap()), signal).unwrap();
        // Longer than a command without an engine has to stop. The server hears all of it only now.
        std::thread::sleep(Duration::from_secs(4));
        proxy.let_go();
        let run = Run::of(job.wait_with_output().unwrap());
        assert_eq!(run.code, 130, "{signal}: {}", run.stderr);
        assert!(
            run.stderr.contains("waiting for the database"),
            "{}",
            run.stderr
        );
        assert_eq!(session.relations(), "people\n", "{signal}");
    }
}

#[test]
fn a_server_that_says_nothing_is_left_alone_when_time_is_up_or_somebody_stops_the_job() {
    let (folder, session) = (Folder::new(), Session::on(servers()[0]));
    session
        .run("CREATE TABLE people AS SELECT 20 + id % 5 AS age, 'flu' AS disease FROM range(400)");
    // The first word of the login, and its last.
    for text in ["spark.sql.variable.substitute", "SELECT version()"] {
        let job = |proxy: &Proxy| {
            let source = session.table_through(proxy.port, "people");
            format!("anonymize {source} -q age -s disease -k 3 --json")
        };
        let proxy = Proxy::new(session.server.port, text, 0, Then::Hold);
        let late = folder.run(&format!("{} --time-limit 1s", job(&proxy)));
        proxy.let_go();
        assert!(proxy.was_seen(), "{text}");
        assert_eq!(code(&late), "time-up-reading", "{text}");
        let proxy = Proxy::new(session.server.port, text, 0, Then::Hold);
        let stopped = start(&folder, &job(&proxy));
        proxy.until_seen();
        interrupt(&stopped);
        let run = end(stopped);
        proxy.let_go();
        assert_eq!(run.code, 130, "{text}: {}", run.stderr);
    }
}
