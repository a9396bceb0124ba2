//! The last step, and servers that say nothing: what is reported is what happened.

use super::engine::Engine;
use super::postgres_faults::{COUNTING, RECODING, Running, code, database_at_a_port as database};
use super::postgres_server::Database;
use super::proxy::{Proxy, Then};
use crate::support::Folder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::Duration;

const JOB: &str = "-q age -s disease -k 3 --json --certificate c.json --report r.html";

/// A job whose connection goes through a proxy that knows a COMMIT.
fn job(database: &Database, port: u16, then: Then, more: &str) -> (Proxy, String) {
    let proxy = Proxy::new(port, "COMMIT", 0, then);
    let table = |name: &str| database.table_at("postgres", proxy.port, name);
    let job = format!(
        "anonymize {} {JOB} {more} -o {}",
        table("people"),
        table("safe")
    );
    (proxy, job)
}

const WITH_ALL: [&str; 3] = ["c.json", "c.txt", "r.html"];

#[test]
fn a_commit_that_the_server_never_hears_publishes_nothing_and_says_so() {
    let ((database, port), folder) = (database(), Folder::new());
    let before = database.relations();
    let (proxy, job) = job(&database, port, Then::CutBefore, "");
    let run = folder.run(&job);
    assert!(proxy.was_seen());
    assert_eq!(code(&run), "connection-lost");
    assert_eq!(database.relations(), before);
    assert_eq!(folder.list("."), Vec::<String>::new());
}

#[test]
fn a_commit_whose_answer_is_lost_is_found_to_have_published() {
    let ((database, port), folder) = (database(), Folder::new());
    let (proxy, job) = job(&database, port, Then::CutAfter, "");
    folder.run(&job).ends_with(0);
    assert!(proxy.was_seen());
    assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
    assert_eq!(folder.list("."), WITH_ALL);
}

#[test]
fn a_commit_of_which_nobody_knows_leaves_the_certificate_aside() {
    let ((database, port), folder) = (database(), Folder::new());
    folder.write("c.json", "of another release");
    let (proxy, job) = job(&database, port, Then::CutForGood, "");
    let run = folder.run(&job);
    assert!(proxy.was_seen());
    assert_eq!(code(&run), "publishing-unknown");
    assert_eq!(folder.read("c.json"), "of another release");
    let aside = WITH_ALL.map(|name| format!("{name}.unconfirmed"));
    let expected = [vec!["c.json".to_owned()], aside.to_vec()].concat();
    let mut expected = expected;
    expected.sort();
    assert_eq!(folder.list("."), expected);
    // The error says how to find out.
    let hint = run.json()["error"]["hint"].as_str().unwrap().to_owned();
    let query = hint.split('`').nth(1).unwrap();
    assert_eq!(database.sql(query), "committed\n");
    assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
}

#[test]
fn a_commit_that_is_answered_with_a_rollback_is_an_error() {
    let ((database, port), folder) = (database(), Folder::new());
    let before = database.relations();
    let (proxy, job) = job(&database, port, Then::Replace("ABORT "), "");
    let run = folder.run(&job);
    assert!(proxy.was_seen());
    assert_eq!(code(&run), "statement-failed");
    assert_eq!(database.relations(), before);
    assert_eq!(folder.list("."), Vec::<String>::new());
}

#[test]
fn a_commit_that_the_server_refuses_is_an_error() {
    let ((database, port), folder) = (database(), Folder::new());
    let before = database.relations();
    database.sql("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret flu'; END $$");
    database.sql(
        "CREATE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$ \
         DECLARE it text; BEGIN FOR it IN SELECT object_identity FROM pg_event_trigger_ddl_commands() LOOP \
         EXECUTE format('CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW \
         EXECUTE FUNCTION no()', it); END LOOP; END $$",
    );
    database.sql("CREATE EVENT TRIGGER meddles ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION meddle()");
    folder.write("people.csv", "age,disease\n20,flu\n20,cold\n20,flu\n");
    let target = database.table_at("postgres", port, "safe");
    let run = folder.run(&format!("anonymize people.csv {JOB} -o {target}"));
    database.sql("DROP EVENT TRIGGER meddles");
    assert_eq!(code(&run), "statement-failed");
    assert!(!run.stdout.contains("secret") && !run.stderr.contains("secret"));
    assert_eq!(database.relations(), before);
    assert_eq!(folder.list("."), ["people.csv"]);
}

#[test]
fn ctrl_c_and_a_time_limit_wait_for_a_commit_that_has_begun() {
    for more in ["", "--time-limit 3s"] {
        let ((database, port), folder) = (database(), Folder::new());
        let (proxy, job) = job(&database, port, Then::Hold, more);
        let job = Running::start(&folder, &job);
        proxy.until_seen();
        if more.is_empty() {
            kill(
                Pid::from_raw(job.0.id().try_into().unwrap()),
                Signal::SIGINT,
            )
            .unwrap();
        }
        // Longer than a command has to stop, and longer than the limit.
        std::thread::sleep(Duration::from_secs(4));
        proxy.let_go();
        job.end().ends_with(0);
        assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
        assert_eq!(folder.list("."), WITH_ALL);
    }
}

/// A process that stands still as long as this is there.
struct Still(Pid);

impl Still {
    fn hold(pid: &str) -> Still {
        let pid = Pid::from_raw(pid.trim().parse().unwrap());
        kill(pid, Signal::SIGSTOP).unwrap();
        Still(pid)
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        kill(self.0, Signal::SIGCONT).unwrap();
    }
}

#[test]
fn a_server_that_says_nothing_is_left_alone_when_time_is_up() {
    let (database, _) = database();
    // Rows come quickly enough for the limit, on any machine, and slowly enough to be caught at it.
    database
        .sql("CREATE VIEW brief AS SELECT people.* FROM people WHERE pg_sleep(0.01) IS NOT NULL");
    let before = database.relations();
    for (statement, expected) in [(COUNTING, "time-up-reading"), (RECODING, "time-up-writing")] {
        let folder = Folder::new();
        let (source, target) = (database.table("brief"), database.table("safe"));
        let mut job = Running::start(
            &folder,
            &format!("anonymize {source} {JOB} --time-limit 40s -o {target}"),
        );
        job.until_it_runs(&database, statement);
        let still = Still::hold(&database.sql(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'incrowd' AND datname = current_database()",
        ));
        assert_eq!(code(&job.end()), expected);
        drop(still);
        assert_eq!(folder.list("."), Vec::<String>::new());
    }
    assert_eq!(database.relations(), before);
}

#[test]
fn a_certificate_that_cannot_get_its_name_leaves_the_release_and_is_kept_beside_it() {
    let ((database, port), folder) = (database(), Folder::new());
    let (proxy, job) = job(&database, port, Then::Hold, "");
    let job = Running::start(&folder, &job);
    proxy.until_seen();
    // Somebody takes the name while the database commits.
    folder.write("c.json/taken", "by a folder");
    proxy.let_go();
    let run = job.end();
    assert_eq!(code(&run), "published-without");
    let error = run.json()["error"].clone();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("published") && message.contains("c.json"),
        "{message}"
    );
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("c.json.unconfirmed")
    );
    assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
    assert_eq!(
        folder.list("."),
        ["c.json", "c.json.unconfirmed", "c.txt", "r.html"]
    );
    folder
        .run(&format!(
            "verify {} --certificate c.json.unconfirmed",
            database.table("safe")
        ))
        .ends_with(0);
}

#[test]
fn a_connection_that_is_cut_before_or_after_any_statement_leaves_nothing_behind() {
    let (database, port) = database();
    let before = database.relations();
    for (phase, text, times) in [
        ("preparing", "SHOW server_version", 0),
        ("preparing", "to_regclass", 0),
        ("preparing", "incrowd_draft_", 0),
        ("counting", "count(*) AS r0", 0),
        ("uploading", "FROM STDIN", 0),
        ("uploading", "FROM STDIN", 1),
        ("naming", "RENAME TO", 0),
        ("recounting", "count(*) AS n", 1),
    ] {
        for then in [Then::CutBefore, Then::CutAfter] {
            let folder = Folder::new();
            let proxy = Proxy::new(port, text, times, then);
            let table = |name: &str| database.table_at("postgres", proxy.port, name);
            let job = format!("anonymize {} {JOB} -o {}", table("people"), table("safe"));
            let run = folder.run(&job);
            assert!(proxy.was_seen(), "{phase}: {text}");
            assert_eq!(code(&run), "connection-lost", "{phase}: {text} {then:?}");
            let idle = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'incrowd' \
                        AND datname = current_database()";
            while database.sql(idle) != "0\n" {
                std::thread::sleep(Duration::from_millis(10));
            }
            assert_eq!(database.relations(), before, "{phase}: {text} {then:?}");
            assert_eq!(folder.list("."), Vec::<String>::new());
        }
    }
}
