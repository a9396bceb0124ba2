//! Limits, and Ctrl-C, in every statement of a job; tables that are too large; networks that are gone.

use super::engine::Engine;
use super::postgres_faults::{COUNTING, Running, code, database_at_a_port};
use super::postgres_server::{Database, Server};
use super::proxy::{Proxy, Then};
use crate::support::Folder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::{Duration, Instant};

const JOB: &str = "-q age -s disease -k 3 --json";

/// A database with a table, and a view that takes minutes, on a server that listens at a port.
fn database() -> (Database, u16) {
    let (database, port) = database_at_a_port();
    // Nobody waits for all of its rows.
    database.sql("CREATE VIEW still AS SELECT people.* FROM people WHERE pg_sleep(1) IS NOT NULL");
    (database, port)
}

/// Sessions of incrowd that do something, or wait.
const ACTIVE: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'incrowd' AND state = 'active' \
                      AND datname = current_database()";
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'incrowd' \
                       AND datname = current_database() AND wait_event_type = 'Lock'";

/// Waits until the answer to a query is this; fails rather than waiting for ever.
#[track_caller]
fn until(database: &Database, sql: &str, answer: &str) {
    let end = Instant::now() + Duration::from_secs(100);
    while database.sql(sql) != answer {
        assert!(Instant::now() < end, "never {answer}: {sql}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn interrupt(job: &Running) {
    let pid = Pid::from_raw(job.0.id().try_into().unwrap());
    kill(pid, Signal::SIGINT).unwrap();
}

#[test]
fn a_table_that_somebody_has_locked_is_not_waited_for_beyond_the_limit() {
    let ((database, _), folder) = (database(), Folder::new());
    let before = database.relations();
    let (source, target) = (database.table("people"), database.table("safe"));
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| {
            database
                .attempt("BEGIN; LOCK TABLE people IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)")
        });
        let locked = "SELECT count(*) FROM pg_locks WHERE relation = 'people'::regclass AND mode = 'AccessExclusiveLock' AND granted";
        until(&database, locked, "1\n");
        let late = folder.run(&format!(
            "anonymize {source} {JOB} --time-limit 1s -o {target}"
        ));
        assert_eq!(code(&late), "time-up-reading");
        until(&database, WAITING, "0\n");
        for command in [
            format!("anonymize {source} {JOB} -o {target}"),
            format!("inspect {source}"),
        ] {
            let job = Running::start(&folder, &command);
            until(&database, WAITING, "1\n");
            interrupt(&job);
            assert_eq!(job.end().code, 130, "{command}");
            // The table is still locked, and nobody waits for it any more.
            until(&database, WAITING, "0\n");
        }
        database.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'people'::regclass AND granted");
        holder.join().unwrap().unwrap_err();
    });
    assert_eq!(database.relations(), before);
}

#[test]
fn a_server_that_says_nothing_after_the_login_is_left_alone_when_time_is_up() {
    let ((database, port), folder) = (database(), Folder::new());
    let proxy = Proxy::new(port, "SHOW server_version", 0, Then::Hold);
    let source = database.table_at("postgres", proxy.port, "people");
    let late = folder.run(&format!("anonymize {source} {JOB} --time-limit 1s"));
    proxy.let_go();
    assert!(proxy.was_seen());
    assert_eq!(code(&late), "time-up-reading");
}

#[test]
fn ctrl_c_stops_the_engine_in_every_command() {
    let ((database, _), folder) = (database(), Folder::new());
    let still = database.table("still");
    folder.write("release.csv", "age,disease\n20,flu\n20,cold\n20,flu\n");
    for command in [
        format!("inspect {still}"),
        format!("init {still}"),
        format!("advise {still} -q age -s disease -k 3"),
        format!("verify {still} -q age -s disease -k 3"),
        format!("evaluate {still} release.csv -q age --target disease"),
        format!("hierarchy build {still} --column age"),
    ] {
        let mut job = Running::start(&folder, &command);
        let started = Instant::now();
        while database.sql(ACTIVE) != "1\n" {
            if let Some(status) = job.0.try_wait().unwrap() {
                panic!("`{command}` ended with {status}: {}", job.end().stderr);
            }
            assert!(started.elapsed() < Duration::from_secs(100), "{command}");
            std::thread::sleep(Duration::from_millis(20));
        }
        interrupt(&job);
        assert_eq!(job.end().code, 130, "{command}");
        // Its rows would take minutes.
        until(&database, ACTIVE, "0\n");
    }
}

#[test]
fn a_time_limit_stops_the_engine_while_it_hands_out_rows() {
    let ((database, _), folder) = (database(), Folder::new());
    let still = database.table("still");
    let late = folder.run(&format!(
        "evaluate {still} -q age --target disease -k 3 --json --time-limit 1s"
    ));
    assert_eq!(code(&late), "time-up-reading");
    until(&database, ACTIVE, "0\n");
}

#[test]
fn a_sample_takes_no_more_rows_than_it_shows() {
    let ((database, port), folder) = (database(), Folder::new());
    // Seen, and passed on as it is.
    let limit = " LIMIT 2";
    let proxy = Proxy::new(port, limit, 0, Then::Replace(limit));
    let source = database.table_at("postgres", proxy.port, "people");
    let run = folder.run(&format!("anonymize {source} {JOB} --sample 2"));
    assert!(proxy.was_seen());
    let sample = run.ends_with(0).json();
    assert_eq!(sample["sample"]["before"].as_array().unwrap().len(), 2);
}

#[test]
fn too_many_combinations_are_refused_with_the_figures() {
    let ((database, port), folder) = (database(), Folder::new());
    database.sql(
        "CREATE TABLE big AS SELECT g AS age, g % 3 AS disease FROM generate_series(1, 100000) g",
    );
    database.sql("CREATE VIEW seen AS SELECT * FROM big");
    for table in ["big", "seen"] {
        let source = database.table(table);
        let run = folder.run(&format!("anonymize {source} {JOB} --memory-limit 1M"));
        assert_eq!(code(&run), "too-many-tuples", "{table}");
        let error = &run.json()["error"];
        let (message, at) = (error["message"].to_string(), error["place"].to_string());
        assert!(
            message.contains("100000 different combinations"),
            "{message}"
        );
        assert!(message.contains("the limit is 1 MB"), "{message}");
        assert!(at.contains("`age` 100000, `disease` 3"), "{at}");
    }
    // What there are few of is not counted twice.
    let proxy = Proxy::new(port, "SELECT DISTINCT", 0, Then::CutBefore);
    let source = database.table_at("postgres", proxy.port, "big");
    folder
        .run(&format!(
            "anonymize {source} -q disease --others drop -k 3 --memory-limit 100M --json"
        ))
        .ends_with(0);
    assert!(!proxy.was_seen());
    // The groups of a table that is refused do not travel.
    let proxy = Proxy::new(port, "count(*) AS n", 0, Then::CutBefore);
    let source = database.table_at("postgres", proxy.port, "big");
    let run = folder.run(&format!("anonymize {source} {JOB} --memory-limit 1M"));
    assert_eq!(code(&run), "too-many-tuples");
    assert!(!proxy.was_seen());
}

/// The timers of connections to a port, as proc(5) tells them: what the kernel waits for, and how long, in hundredths of a second.
fn timers(port: u16) -> Vec<(String, u64)> {
    let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let timers = sockets.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (_, remote) = fields[2].split_once(':')?;
        let (timer, wait) = fields[5].split_once(':')?;
        let is_ours = u16::from_str_radix(remote, 16) == Ok(port) && fields[3] == "01";
        is_ours.then(|| (timer.to_owned(), u64::from_str_radix(wait, 16).unwrap()))
    });
    timers.collect()
}

#[test]
fn a_network_that_is_silent_is_asked_after_half_a_minute() {
    // Nobody else connects to this server by its port.
    let server: &'static Server = Box::leak(Box::new(Server::start_at_a_port()));
    let (folder, database) = (Folder::new(), Database::on(server));
    database.sql(
        "CREATE VIEW still AS SELECT 1 AS age, 'flu' AS disease WHERE pg_sleep(600) IS NOT NULL",
    );
    let source = database.table_at("postgres", server.port(), "still");
    let mut job = Running::start(&folder, &format!("anonymize {source} {JOB}"));
    job.until_it_runs(&database, COUNTING);
    // What was sent is acknowledged at once; then the kernel waits until it asks.
    let asks = loop {
        match timers(server.port())[..] {
            [(ref timer, wait)] if timer == "02" => break wait,
            _ => assert!(job.0.try_wait().unwrap().is_none()),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    interrupt(&job);
    assert_eq!(job.end().code, 130);
    assert!(asks <= 3000, "after {asks} hundredths of a second");
}
