//! A job that is stopped has time to remove its draft.

use super::engine::Engine;
use super::proxy::{Proxy, Then};
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
