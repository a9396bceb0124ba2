//! Releases to a directory: nothing that somebody else has put there is ever overwritten, emptied or removed.

use super::engine::Engine;
use super::proxy::{Proxy, Then};
use super::spark_jobs::{
    JOB, code, end, files, interrupt, quiet_server, start, start_held, wide, wide_rows,
};
use super::spark_server::{Server, Session};
use crate::support::Folder;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

/// What copies a draft into a directory: the fields of format and path, one after the other.
const COPY: &str = "\u{12}\u{7}parquet\u{1a}";

/// A server with a table, and a place of its own for directories.
struct Place {
    session: Session,
    folder: PathBuf,
}

impl Place {
    fn new(server: &'static Server, name: &str) -> Place {
        let session = Session::on(server);
        session.run(
            "CREATE TABLE people AS SELECT CAST(20 + id % 5 AS INT) AS age, CASE id % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS \
             disease FROM range(400)",
        );
        let folder = server.folder().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Place { session, folder }
    }

    /// The address of a directory, by way of a port.
    fn path_through(&self, port: u16, name: &str) -> String {
        let table = self.session.table_through(port, "");
        let path = self.folder.join(name);
        table.replace("table=", &format!("path={}&format=parquet", path.display()))
    }

    /// The usual job from the table to a directory, by way of a port.
    fn job_through(&self, port: u16, name: &str, certificate: &str) -> String {
        format!(
            "anonymize {} {JOB} -o {} --certificate {certificate}",
            self.session.table_through(port, "people"),
            self.path_through(port, name)
        )
    }

    fn path(&self, name: &str) -> String {
        self.path_through(self.session.server.port, name)
    }

    /// The rows in a directory, sorted.
    fn rows(&self, name: &str) -> Vec<Vec<String>> {
        let path = self.folder.join(name);
        let sql = format!("SELECT * FROM parquet.`{}`", path.display());
        let mut rows = self.session.sql(&sql);
        rows.sort();
        rows
    }
}

/// Every file below a folder, with its bytes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push((path.clone(), std::fs::read(path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_second_of_two_releases_to_one_path_is_refused_and_the_first_stays() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "twice"));
    let (session, source) = (&place.session, place.session.table("people"));
    // The second job finds the path free when it begins. The first one ends before the second looks again, or after.
    for (number, (text, before)) in [("count(*) AS n", 1), (COPY, 0)].into_iter().enumerate() {
        let name = format!("safe_{number}");
        let (second, proxy) = start_held(&folder, session, (text, before), |port| {
            place.job_through(port, &name, "c.json")
        });
        let first = place.path(&name);
        folder
            .run(&format!(
                "anonymize {source} -q age -s disease -k 100 --json -o {first}"
            ))
            .ends_with(0);
        let before = contents(&place.folder.join(&name));
        assert!(!before.is_empty());
        proxy.let_go();
        assert_eq!(code(&end(second)), "target-exists", "{text:?}");
        assert_eq!(contents(&place.folder.join(&name)), before, "{text:?}");
        assert_eq!(place.rows(&name).len(), 400);
        assert!(!folder.path("c.json").exists());
        assert_eq!(session.relations(), "people\n", "{text:?}");
    }
}

#[test]
fn a_path_at_which_there_is_anything_is_refused_and_stays_as_it_is() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "taken"));
    let source = place.session.table("people");
    let put = |name: &str, content: &str| {
        let path = place.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    };
    folder
        .run(&format!(
            "anonymize {source} {JOB} -o {}",
            place.path("parent/below")
        ))
        .ends_with(0);
    put("texts/people.csv", "age\n20\n");
    put("hidden/_SUCCESS", "");
    put("hidden_below/.secret/people.csv", "age\n20\n");
    put("broken/part-0.parquet", "no Parquet");
    put("file", "no directory");
    std::fs::create_dir(place.folder.join("empty")).unwrap();
    let before = contents(&place.folder);
    // Sail says nothing about files that it does not read, until it has to write.
    let is_sail = place.session.server.name == "Sail";
    for (name, is_seen) in [
        ("parent", true),
        ("parent/below", true),
        ("texts", true),
        ("broken", true),
        ("file", true),
        ("hidden", !is_sail),
        ("hidden_below", !is_sail),
        ("empty", !is_sail),
    ] {
        for flag in ["", "--replace"] {
            let target = place.path(name);
            let proxy = Proxy::new(place.session.server.port, "count(*) AS n", 0, Then::Hold);
            proxy.let_go();
            let source = place.session.table_through(proxy.port, "people");
            let run = folder.run(&format!("anonymize {source} {JOB} {flag} -o {target}"));
            let code = code(&run);
            assert!(
                ["target-exists", "target-not-table", "path-not-replaced"].contains(&code.as_str()),
                "{name} {flag}: {code}"
            );
            // Before any row is looked at.
            assert_eq!(!proxy.was_seen(), is_seen, "{name} {flag}");
            assert_eq!(contents(&place.folder), before, "{name} {flag}");
        }
    }
    assert_eq!(place.session.relations(), "people\n");
}

#[test]
fn a_connection_that_is_cut_while_a_directory_is_written_empties_nothing() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "cut"));
    let session = &place.session;
    let source = session.table("people");
    folder
        .run(&format!(
            "anonymize {source} {JOB} -o {}",
            place.path("whole")
        ))
        .ends_with(0);
    let whole = place.rows("whole");
    // While it is copied, and while the copy is counted.
    let moments = [(COPY, 0), ("count(*) AS n", 2)];
    for (text, before) in moments {
        for then in [Then::CutBefore, Then::CutAfter, Then::CutForGood] {
            let name = format!("{then:?}{before}");
            let tables = session.relations();
            let proxy = Proxy::new(session.server.port, text, before, then);
            let run = folder.run(&place.job_through(proxy.port, &name, &format!("{name}.json")));
            assert!(proxy.was_seen(), "{name}");
            // Sail goes on with what it has heard. What has been copied stays.
            let is_copied = then != Then::CutBefore || text != COPY;
            if run.code != 0 {
                assert_eq!(code(&run), "path-unfinished", "{name}");
                let hint = run.json()["error"]["hint"].to_string();
                assert!(hint.contains("verify") && hint.contains("remove"), "{hint}");
                assert!(!folder.path(&format!("{name}.json")).exists());
                let aside = folder.path(&format!("{name}.json.unconfirmed"));
                assert!(aside.exists(), "{name}");
                // The certificate tells whether the directory is whole.
                let verified = folder.run(&format!(
                    "verify {} --certificate {} --json",
                    place.path(&name),
                    aside.display()
                ));
                assert_eq!(verified.code == 0, is_copied, "{name}: {}", verified.stdout);
            }
            match is_copied {
                true => assert_eq!(place.rows(&name), whole, "{name}"),
                false => assert!(!place.folder.join(&name).exists(), "{name}"),
            }
            if then != Then::CutForGood {
                assert_eq!(session.relations(), tables, "{name}");
            }
        }
    }
}

#[test]
fn a_directory_that_is_not_the_draft_is_left_and_named() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "changed"));
    let session = &place.session;
    let (job, proxy) = start_held(&folder, session, (COPY, 0), |port| {
        place.job_through(port, "safe", "c.json")
    });
    let tables = session.relations();
    let draft = tables.lines().find(|it| it.starts_with("incrowd_draft"));
    session.run(&format!(
        "INSERT INTO {} SELECT '20', 'secret'",
        draft.unwrap()
    ));
    proxy.let_go();
    let run = end(job);
    assert_eq!(code(&run), "path-unfinished");
    let error = &run.json()["error"];
    assert!(error["message"].to_string().contains("is not the release"));
    assert!(error["hint"].to_string().contains("remove the directory"));
    assert!(run.stdout.contains("changed/safe"), "{}", run.stdout);
    assert!(!files(&place.folder).is_empty());
    assert!(!folder.path("c.json").exists() && !folder.path("c.json.unconfirmed").exists());
    assert_eq!(session.relations(), "people\n");
}

#[test]
fn delta_is_read_from_a_path_and_refused_as_a_target_before_the_run() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "delta"));
    let target = place.path("safe").replace("parquet", "delta");
    let proxy = Proxy::new(place.session.server.port, "count(*) AS n", 0, Then::Hold);
    proxy.let_go();
    let source = place.session.table_through(proxy.port, "people");
    let run = folder.run(&format!("anonymize {source} {JOB} -o {target}"));
    assert_eq!(code(&run), "bad-address");
    assert!(run.stdout.contains("delta"), "{}", run.stdout);
    assert!(!proxy.was_seen());
    assert!(contents(&place.folder).is_empty());
}

/// Waits until a directory is there.
#[track_caller]
fn until_there(path: &Path) {
    let until = Instant::now() + Duration::from_secs(300);
    while !path.exists() {
        assert!(Instant::now() < until, "nothing is copied");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_copy_that_is_stopped_is_whole_or_without_rows_and_named() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "stopped"));
    let session = &place.session;
    let rows = wide_rows(session.server);
    let (query, kept) = wide(rows);
    session.run(&format!("CREATE TABLE wide AS {query}"));
    let tables = session.relations();
    for (at, later) in [0, 60, 250].into_iter().enumerate() {
        let name = format!("safe_{at}");
        let target = place.folder.join(&name);
        let job = start(
            &folder,
            &format!(
                "anonymize {} -q age -s n0 -k 3 --keep {kept} --json -o {} --certificate c.json",
                session.table("wide"),
                place.path(&name)
            ),
        );
        until_there(&target);
        std::thread::sleep(Duration::from_millis(later));
        interrupt(&job);
        let run = end(job);
        let has_rows = !files(&target).is_empty();
        match run.code {
            130 => {
                assert!(!has_rows, "{:?}", files(&target));
                let told = format!("stopped/{name}: if anything is there");
                assert!(run.stderr.contains(&told), "{}", run.stderr);
            }
            _ => {
                assert_eq!(code(&run), "path-unfinished");
                let error = &run.json()["error"];
                assert!(error["place"].to_string().contains("stopped/safe"));
                assert!(error["message"].to_string().contains("was stopped"));
                assert!(error["hint"].to_string().contains("remove the directory"));
                assert_eq!(place.rows(&name).len(), rows as usize);
            }
        }
        assert_eq!(session.relations(), tables);
        assert!(!folder.path("c.json").exists() && !folder.path("c.json.unconfirmed").exists());
    }
    // What it has read is as it was.
    assert_eq!(
        place.session.sql("SELECT count(*) FROM wide"),
        [[rows.to_string()]]
    );
}

#[test]
fn sail_copies_into_one_file_and_others_of_the_session_write_as_before() {
    let place = Place::new(quiet_server(), "one");
    let (folder, session) = (Folder::new(), &place.session);
    session.run("CREATE TABLE many AS SELECT id % 5 AS age, 'flu' AS disease FROM range(200000)");
    let job = format!("anonymize {} {JOB}", session.table("many"));
    folder
        .run(&format!("{job} -o {}", place.path("safe")))
        .ends_with(0);
    session.run(&format!(
        "INSERT OVERWRITE DIRECTORY '{}' USING parquet SELECT * FROM many",
        place.folder.join("others").display()
    ));
    if session.server.name == "Sail" {
        assert_eq!(files(&place.folder.join("safe")).len(), 1);
        assert!(files(&place.folder.join("others")).len() > 1);
    }
}

/// A job whose copy the server never hears of, stopped by one Ctrl-C: nobody answers any more.
fn silent_copy(folder: &Folder, place: &Place) -> (Child, Proxy) {
    let proxy = Proxy::new(place.session.server.port, COPY, 0, Then::Silence);
    let job = start(folder, &place.job_through(proxy.port, "safe", "c.json"));
    proxy.until_seen();
    interrupt(&job);
    (job, proxy)
}

#[test]
fn a_second_ctrl_c_names_the_directory_of_a_copy_that_nobody_waits_for() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "twice_stopped"));
    let (job, proxy) = silent_copy(&folder, &place);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&job);
    let run = end(job);
    proxy.let_go();
    assert_eq!(run.code, 130, "{}", run.stderr);
    let told = "twice_stopped/safe: if anything is there";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(!folder.path("c.json").exists());
}

#[test]
#[ignore = "waits for a minute; runs in `make test-spark`"]
fn a_server_that_is_silent_after_ctrl_c_is_left_alone_and_the_directory_of_the_copy_named() {
    let (folder, place) = (Folder::new(), Place::new(quiet_server(), "silent"));
    let (job, proxy) = silent_copy(&folder, &place);
    let run = end(job);
    proxy.let_go();
    assert_eq!(run.code, 130, "{}", run.stderr);
    assert!(run.stderr.contains("waiting for the database"));
    let told = "silent/safe: if anything is there";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(!folder.path("c.json").exists());
}
