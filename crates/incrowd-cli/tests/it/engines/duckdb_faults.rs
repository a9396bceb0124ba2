//! What can go wrong with a DuckDB file: a clear error each time, and nothing left but what was there before.

use super::duckdb_file::DuckFile;
use super::engine::Engine;
use crate::support::{Folder, Run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, Stdio};
use std::time::Duration;

const JOB: &str = "-q age -s disease -k 3 --json";

/// A table, and a view of it that takes minutes to hand out its rows.
fn slow_file() -> DuckFile {
    let file = DuckFile::new();
    file.run(
        "CREATE TABLE people AS SELECT 20 + i % 5 AS age, CASE i % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS disease \
         FROM range(400) r(i)",
    );
    file.run("CREATE VIEW slow AS SELECT people.* FROM people, range(100000000) other(i) WHERE hash(i, age) % 3 < 2");
    file
}

/// A job that is running.
fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until the engine works: what comes before it takes no time.
fn until_it_works(job: &mut Child) {
    let used = |id: u32| -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        after_name
            .split_whitespace()
            .nth(11)
            .map_or(0, |ticks| ticks.parse().unwrap())
    };
    while used(job.id()) < 60 {
        assert!(job.try_wait().unwrap().is_none(), "ended too soon");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[track_caller]
fn code(run: &Run) -> String {
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    run.json()["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn ctrl_c_a_time_limit_and_a_kill_leave_the_file_as_it_was() {
    let (folder, file) = (Folder::new(), slow_file());
    let before = file.relations();
    let (source, target) = (file.table("slow"), file.table("safe"));
    let mut job = start(&folder, &format!("anonymize {source} {JOB} -o {target}"));
    until_it_works(&mut job);
    // Meanwhile the file is not for others.
    let other = folder.run(&format!("anonymize {} {JOB}", file.table("people")));
    assert_eq!(code(&other), "not-connected");
    kill(Pid::from_raw(job.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert_eq!(Run::of(job.wait_with_output().unwrap()).code, 130);
    assert_eq!(file.relations(), before);
    let late = folder.run(&format!(
        "anonymize {source} {JOB} -o {target} --time-limit 1s"
    ));
    assert_eq!(code(&late), "time-up-reading");
    assert_eq!(file.relations(), before);
    let mut job = start(&folder, &format!("anonymize {source} {JOB} -o {target}"));
    until_it_works(&mut job);
    job.kill().unwrap();
    job.wait().unwrap();
    assert_eq!(file.relations(), before);
}

#[test]
fn a_file_that_a_release_was_to_begin_is_not_there_if_it_fails() {
    let folder = Folder::with(
        "people.csv",
        "age,disease\n20,flu\n20,cold\n20,flu\n99,cold\n",
    );
    let address = format!("duckdb:{}?table=safe", folder.path("new.db").display());
    let refused = folder.run(&format!(
        "anonymize people.csv {JOB} --max-levels 0 -o {address}"
    ));
    assert_ne!(refused.code, 0);
    assert_eq!(folder.list("."), ["people.csv"]);
    folder
        .run(&format!(
            "anonymize people.csv -q age -s disease -k 2 -o {address}"
        ))
        .ends_with(0);
    assert_eq!(folder.list("."), ["new.db", "people.csv"]);
    folder.run(&format!("inspect {address}")).ends_with(0);
    let gone = format!("duckdb:{}?table=safe", folder.path("gone.db").display());
    assert_eq!(
        code(&folder.run(&format!("inspect {gone} --json"))),
        "not-connected"
    );
    assert!(!folder.path("gone.db").exists());
    folder.write(
        "text.db",
        "this is no database, however long it may be, and nobody would take it for one",
    );
    let text = format!("duckdb:{}?table=safe", folder.path("text.db").display());
    assert_eq!(
        code(&folder.run(&format!("inspect {text} --json"))),
        "not-connected"
    );
}

#[test]
fn what_is_there_is_replaced_only_if_that_is_asked_for_and_nothing_reads_it() {
    let (folder, file) = (Folder::new(), slow_file());
    file.run("CREATE VIEW other AS SELECT * FROM people");
    let (people, target) = (file.table("people"), file.table("Safe"));
    folder
        .run(&format!("anonymize {people} {JOB} -o {target}"))
        .ends_with(0);
    let first = file.rows("safe");
    assert_eq!(
        code(&folder.run(&format!("anonymize {people} {JOB} -o {target}"))),
        "target-exists"
    );
    for (source, target, expected) in [
        ("people", "People", "target-in-use"),
        ("other", "people", "target-in-use"),
        ("people", "other", "target-not-table"),
    ] {
        let (source, target) = (file.table(source), file.table(target));
        let run = folder.run(&format!("anonymize {source} {JOB} --replace -o {target}"));
        assert_eq!(code(&run), expected);
    }
    assert_eq!(file.rows("safe"), first);
    let coarser =
        format!("anonymize {people} -q age -s disease -k 100 --json --replace -o {target}");
    folder.run(&coarser).ends_with(0);
    assert_ne!(file.rows("safe"), first);
    assert_eq!(file.relations(), "Safe\nother\npeople\nslow\n");
}

#[test]
fn a_database_is_not_overwritten_by_what_is_written_beside_the_release() {
    let (folder, file) = (Folder::new(), slow_file());
    let people = file.table("people");
    let path = people.strip_prefix("duckdb:").unwrap();
    let path = path.split('?').next().unwrap();
    let before = std::fs::read(path).unwrap();
    for flag in ["--report", "--certificate"] {
        for (source, target) in [
            (people.as_str(), "safe.csv"),
            ("people.csv", &file.table("safe")),
        ] {
            folder.write("people.csv", "age,disease\n1,a\n1,b\n");
            let job = format!("anonymize {source} -q age -s disease -k 2 --json -o {target}");
            let run = folder.run(&format!("{job} {flag} {path}"));
            assert_eq!(code(&run), "overwrites-input", "{flag} {source}");
        }
    }
    assert_eq!(std::fs::read(path).unwrap(), before);
}

#[test]
fn a_missing_library_and_names_alike_are_told() {
    let (folder, file) = (Folder::new(), slow_file());
    let mut command = folder.command(&format!("inspect {} --json", file.table("people")));
    command.env("INCROWD_DUCKDB_LIBRARY", "gone.so");
    assert_eq!(code(&Run::of(command.output().unwrap())), "no-driver");
    folder.write("alike.csv", "age,Age\n1,2\n1,2\n");
    let run = folder.run(&format!(
        "anonymize alike.csv -q age -k 1 --others keep --json -o {}",
        file.table("t")
    ));
    assert_eq!(code(&run), "names-alike");
}

#[test]
fn a_query_that_is_several_statements_is_refused_before_any_of_them_runs() {
    let (folder, file) = (Folder::new(), slow_file());
    let before = file.relations();
    for query in [
        "SELECT 1 AS age) AS t; DROP TABLE people; SELECT * FROM (SELECT 1 AS age",
        "SELECT 1 AS age; DROP TABLE people",
        "SELECT 1 AS age) AS t -- ",
    ] {
        let mut command = folder.command("inspect --json");
        let run = Run::of(command.arg(file.query(query)).output().unwrap());
        assert_eq!(code(&run), "not-one-query", "{query}");
        assert_eq!(file.relations(), before, "{query}");
    }
}
