//! What can go wrong with a DuckDB file: a clear error each time, and nothing left but what was there before.

use super::duckdb_file::DuckFile;
use super::engine::Engine;
use super::full_disk::SmallDisk;
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

/// A file with a table that takes some seconds to be recoded.
fn large_file() -> DuckFile {
    let file = DuckFile::new();
    file.run(
        "CREATE TABLE people AS SELECT 20 + i % 5 AS age, CASE hash(i) % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS disease, \
         hash(i) % 1000 AS note FROM range(6000000) r(i)",
    );
    file
}

const LARGE_JOB: &str = "-q age -s disease --keep note -k 3 --json";

/// Waits until the engine has written rows of a release to the file.
fn until_it_writes(file: &DuckFile, job: &mut Child) {
    let size = || std::fs::metadata(file.path()).unwrap().len();
    let at_first = size();
    while size() <= at_first {
        assert!(job.try_wait().unwrap().is_none(), "ended too soon");
        std::thread::sleep(Duration::from_millis(2));
    }
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
fn a_job_that_is_stopped_or_killed_while_it_writes_leaves_the_file_as_it_was() {
    let (folder, file) = (Folder::new(), large_file());
    let before = (file.relations(), file.sql(&[SUMS]));
    let (source, target) = (file.table("people"), file.table("safe"));
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let command = format!("anonymize {source} {LARGE_JOB} -o {target} --certificate c.json");
        let mut job = start(&folder, &command);
        until_it_writes(&file, &mut job);
        kill(Pid::from_raw(job.id().try_into().unwrap()), signal).unwrap();
        let expected = match signal {
            Signal::SIGINT => 130,
            _ => -1,
        };
        assert_eq!(Run::of(job.wait_with_output().unwrap()).code, expected);
        assert_eq!((file.relations(), file.sql(&[SUMS])), before, "{signal}");
        assert!(!folder.path("c.json").exists());
    }
    folder
        .run(&format!("anonymize {source} {LARGE_JOB} -o {target}"))
        .ends_with(0);
}

const SUMS: &str = "SELECT CAST(count(*) AS VARCHAR), CAST(sum(age) AS VARCHAR), CAST(sum(note) AS VARCHAR) FROM people";

#[test]
fn a_file_that_loses_its_name_meanwhile_gets_no_release() {
    let (folder, file) = (Folder::new(), large_file());
    let (source, target) = (file.table("people"), file.table("safe"));
    let mut job = start(
        &folder,
        &format!("anonymize {source} {LARGE_JOB} -o {target}"),
    );
    until_it_writes(&file, &mut job);
    let elsewhere = file.path().with_file_name("elsewhere.db");
    std::fs::rename(file.path(), &elsewhere).unwrap();
    assert_eq!(
        code(&Run::of(job.wait_with_output().unwrap())),
        "statement-failed"
    );
    std::fs::rename(&elsewhere, file.path()).unwrap();
    assert_eq!(file.relations(), "people\n");
}

#[test]
fn of_two_jobs_that_begin_one_file_each_that_ends_well_has_its_release_in_it() {
    let folder = Folder::with("people.csv", "age,disease\n20,flu\n20,cold\n20,flu\n");
    for round in 0..15 {
        let path = folder.path(&format!("new{round}.db"));
        let address = |table: &str| format!("duckdb:{}?table={table}", path.display());
        let jobs = ["one", "other"].map(|table| {
            let job = format!("anonymize people.csv {JOB} -o {}", address(table));
            (table, start(&folder, &job))
        });
        let ended = jobs.map(|(table, job)| (table, Run::of(job.wait_with_output().unwrap())));
        for (table, run) in &ended {
            match run.code {
                0 => drop(
                    folder
                        .run(&format!("inspect {}", address(table)))
                        .ends_with(0),
                ),
                _ => assert_eq!(code(run), "not-connected"),
            }
        }
        assert!(ended.iter().any(|(_, run)| run.code == 0), "round {round}");
    }
}

#[test]
fn a_file_that_somebody_else_has_begun_is_left_to_him() {
    let (folder, slow) = (Folder::new(), slow_file());
    folder.write("people.csv", "age,disease\n20,flu\n20,cold\n20,flu\n");
    let address = |table: &str| format!("duckdb:{}?table={table}", folder.path("new.db").display());
    let command = format!(
        "anonymize {} {JOB} -o {}",
        slow.table("slow"),
        address("one")
    );
    let mut job = start(&folder, &command);
    until_it_works(&mut job);
    assert!(folder.path("new.db").exists());
    let run = folder.run(&format!(
        "anonymize people.csv {JOB} -o {}",
        address("other")
    ));
    assert_eq!(code(&run), "not-connected");
    assert!(folder.path("new.db").exists());
    // Whoever has begun it removes it, with all that belongs to it.
    kill(Pid::from_raw(job.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert_eq!(Run::of(job.wait_with_output().unwrap()).code, 130);
    assert_eq!(folder.list("."), ["people.csv"]);
}

#[test]
fn a_place_where_nobody_may_write_is_told_and_can_be_read() {
    let folder = Folder::with("people.csv", "age,disease\n20,flu\n20,cold\n20,flu\n");
    let disk = SmallDisk::mount(&folder.path("disk"), 20);
    let address = |file: &str, table: &str| {
        let path = folder.path("disk").join(file);
        format!("duckdb:{}?table={table}", path.display())
    };
    let job = format!("anonymize people.csv {JOB} -o");
    folder
        .run(&format!("{job} {}", address("old.db", "people")))
        .ends_with(0);
    disk.protect();
    for (file, expected) in [("new.db", "not-connected"), ("old.db", "no-right")] {
        let refused = folder.run(&format!("{job} {}", address(file, "safe")));
        assert_eq!(code(&refused), expected, "{file}: {}", refused.stdout);
    }
    assert_eq!(folder.list("disk"), ["old.db"]);
    folder
        .run(&format!(
            "anonymize {} {JOB} -o out.csv",
            address("old.db", "people")
        ))
        .ends_with(0);
}

#[test]
fn rows_that_are_others_in_the_second_pass_are_not_published() {
    let (folder, file) = (Folder::new(), slow_file());
    // A table does not change while a job reads it, but a view may be of anything.
    file.run("CREATE VIEW moody AS SELECT CAST(20 + floor(5 * random()) AS INTEGER) AS age, disease FROM people");
    let run = folder.run(&format!(
        "anonymize {} {JOB} -o {} --certificate c.json",
        file.table("moody"),
        file.table("safe")
    ));
    let code = code(&run);
    assert!(
        ["input-changed", "draft-differs"].contains(&code.as_str()),
        "{code}"
    );
    assert_eq!(file.relations(), "moody\npeople\nslow\n");
    assert!(!folder.path("c.json").exists());
}

#[test]
fn too_many_combinations_are_refused_with_the_figures() {
    let (folder, file) = (Folder::new(), DuckFile::new());
    file.run("CREATE TABLE big AS SELECT i AS age, i % 3 AS disease FROM range(100000) r(i)");
    file.run("CREATE VIEW seen AS SELECT * FROM big");
    for table in ["big", "seen"] {
        let run = folder.run(&format!(
            "anonymize {} {JOB} --memory-limit 1M",
            file.table(table)
        ));
        assert_eq!(code(&run), "too-many-tuples");
        assert!(
            run.stdout.contains("100000 different combinations"),
            "{}",
            run.stdout
        );
        assert!(
            run.stdout.contains("`age` 100000, `disease` 3"),
            "{}",
            run.stdout
        );
    }
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

#[test]
fn a_file_that_is_only_read_is_not_changed_and_can_be_read_by_others() {
    let (folder, file) = (Folder::new(), slow_file());
    let path = file.path().to_owned();
    let before = std::fs::read(&path).unwrap();
    let mut job = start(
        &folder,
        &format!("anonymize {} {JOB} -o out.csv", file.table("slow")),
    );
    until_it_works(&mut job);
    folder
        .run(&format!(
            "anonymize {} {JOB} -o other.csv",
            file.table("people")
        ))
        .ends_with(0);
    job.kill().unwrap();
    job.wait().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let beside = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "the file alone");
}

#[test]
fn a_file_with_two_names_is_one_file() {
    let (folder, file) = (Folder::new(), slow_file());
    let other = file.path().with_file_name("other.db");
    std::fs::hard_link(file.path(), &other).unwrap();
    let target = |table: &str| format!("duckdb:{}?table={table}", other.display());
    let job = format!("anonymize {} {JOB}", file.table("people"));
    let run = folder.run(&format!("{job} --replace -o {}", target("people")));
    assert_eq!(code(&run), "target-in-use");
    folder
        .run(&format!("{job} -o {}", target("safe")))
        .ends_with(0);
    std::fs::remove_file(other).unwrap();
    assert_eq!(file.rows("safe").1.len(), 400);
}

#[test]
fn temporary_tables_and_those_of_the_system_are_no_targets() {
    let (folder, file) = (Folder::new(), slow_file());
    for target in ["temp.safe", "temp.main.safe", "information_schema.safe"] {
        let run = folder.run(&format!(
            "anonymize {} {JOB} -o {}",
            file.table("people"),
            file.table(target)
        ));
        assert_eq!(code(&run), "bad-address", "{target}");
    }
}

#[test]
fn values_of_every_type_have_one_text_or_are_refused() {
    let (folder, file) = (Folder::new(), DuckFile::new());
    file.run(
        "CREATE TABLE odd AS SELECT i % 2 AS age, DATE '0044-03-15 (BC)' + CAST(i % 2 AS INTEGER) AS bc, \
         make_timestamp_ns(1000000000 * (i % 2) + 7) AS ns, (170141183460469231731687303715884105727 - i % 2)::HUGEINT AS huge, \
         [i % 2, NULL] AS list, {'a': 'x, ' || i % 2} AS record, MAP {'k': i % 2} AS map, \
         (CASE i % 2 WHEN 0 THEN 's3cret' ELSE 'b' END)::ENUM ('s3cret', 'b') AS kind, \
         CASE i % 2 WHEN 0 THEN union_value(a := 1)::UNION(a INTEGER, b INTEGER) ELSE union_value(b := 1)::UNION(a INTEGER, b INTEGER) END AS either \
         FROM range(8) r(i)",
    );
    file.run(
        "CREATE TABLE far AS SELECT i % 2 AS age, CASE i % 2 WHEN 0 THEN DATE 'infinity' ELSE DATE '-infinity' END AS never, \
         CASE i % 2 WHEN 0 THEN TIMESTAMP 'infinity' ELSE TIMESTAMP '2020-01-01' END AS ever FROM range(8) r(i)",
    );
    let run = |columns: &str, target: &str| {
        let table = match columns.contains("ever") {
            true => "far",
            false => "odd",
        };
        let job = format!(
            "anonymize {} {columns} --others drop --json -k 2 -o {target}",
            file.table(table)
        );
        folder.run(&job)
    };
    for column in ["bc", "ns", "huge", "kind", "list", "record", "map"] {
        let target = format!("of_{column}");
        let columns = format!("-q age -s {column} --privacy distinct-l-diversity(l=1)");
        run(&columns, &file.table(&target)).ends_with(0);
        let differ = format!("SELECT count(DISTINCT {column}) AS n FROM {target}");
        file.run(&format!("CREATE VIEW told AS {differ}"));
        assert_eq!(file.rows("told").1, [["2"]], "{column}");
        file.run("DROP VIEW told");
        let (source, target) = (file.table("odd"), file.table(&target));
        run(&columns, "out.csv").ends_with(0);
        folder
            .run(&format!(
                "verify {target} -q age -s {column} -k 2 --original {source}"
            ))
            .ends_with(0);
    }
    for column in ["bc", "ns", "huge", "kind"] {
        run(
            &format!("-q {column} -s age"),
            &file.table(&format!("by_{column}")),
        )
        .ends_with(0);
    }
    for column in ["never", "ever"] {
        for columns in [format!("-q {column} -s age"), format!("-q age -s {column}")] {
            for target in [file.table("no"), "no.csv".into()] {
                let refused = run(&columns, &target);
                assert_eq!(code(&refused), "out-of-range", "{columns}");
                assert!(
                    refused.stdout.contains(&format!("`{column}`")),
                    "{}",
                    refused.stdout
                );
            }
        }
    }
    for columns in [
        "-q list -s age",
        "-q record -s age",
        "-q either -s age",
        "-q age -s either",
    ] {
        let refused = run(columns, &file.table("no"));
        assert_eq!(code(&refused), "unsupported-column-type", "{columns}");
        assert!(!refused.stdout.contains("s3cret"), "{columns}");
    }
    assert!(!file.relations().contains("no\n"));
}
