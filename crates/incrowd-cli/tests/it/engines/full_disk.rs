//! Real disks that are full: a clear error, and nothing left but what was there before.

use super::engine::Engine;
use crate::support::{Folder, Run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk of some megabytes, as long as this is there.
pub(super) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Below a folder. Needs the right to mount: that of root, or of whoever may become root without a password.
    pub(super) fn mount(at: &Path, megabytes: u32) -> SmallDisk {
        std::fs::create_dir_all(at).unwrap();
        let size = format!("size={megabytes}m,mode=777");
        let done = as_root("mount", &["-t", "tmpfs", "-o", &size, "incrowd-test"], at);
        assert!(done, "a small disk can be mounted by root only");
        SmallDisk(at.to_owned())
    }

    /// Lets nobody write to it any more.
    pub(super) fn protect(&self) {
        assert!(as_root("mount", &["-o", "remount,ro"], &self.0));
    }

    /// Whatever is on it, but folders.
    fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.strip_prefix(&self.0).unwrap().display().to_string()),
                }
            }
        }
        found.sort();
        found
    }
}

#[cfg(feature = "spark")]
impl SmallDisk {
    /// The bytes of everything on it, but folders.
    fn bytes(&self) -> u64 {
        let files = self.files().into_iter().map(|file| self.0.join(file));
        files.map(|it| it.metadata().unwrap().len()).sum()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        as_root("umount", &["-l"], &self.0);
    }
}

fn as_root(program: &str, arguments: &[&str], path: &Path) -> bool {
    let mut command = match nix::unistd::Uid::effective().is_root() {
        true => Command::new(program),
        false => {
            let mut command = Command::new("sudo");
            command.args(["-n", program]);
            command
        }
    };
    command
        .args(arguments)
        .arg(path)
        .status()
        .is_ok_and(|it| it.success())
}

#[track_caller]
fn code(run: &Run) -> String {
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    run.json()["error"]["code"].as_str().unwrap().to_owned()
}

const JOB: &str = "-q age -s disease --keep note -k 3 --json --certificate c.json";

#[cfg(feature = "duckdb")]
#[test]
fn duckdb_on_a_full_disk_keeps_its_file_and_begins_none() {
    let (folder, file) = (Folder::new(), super::duckdb_file::DuckFile::new());
    file.run(
        "CREATE TABLE people AS SELECT i % 5 AS age, CASE i % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS disease, \
         md5(CAST(i AS VARCHAR)) || md5(CAST(i + 1 AS VARCHAR)) AS note FROM range(300000) r(i)",
    );
    // Room for the file, and not for the release.
    let megabytes = std::fs::metadata(file.path()).unwrap().len() >> 20;
    assert!(megabytes >= 4, "{megabytes} MB");
    let disk = SmallDisk::mount(&folder.path("small"), megabytes as u32 + 2);
    let path = disk.0.join("people.db");
    std::fs::copy(file.path(), &path).unwrap();
    let table = |name: &str, path: &Path| format!("duckdb:{}?table={name}", path.display());
    let before = disk.files();
    let run = folder.run(&format!(
        "anonymize {} {JOB} -o {}",
        table("people", &path),
        table("safe", &path)
    ));
    assert_eq!(code(&run), "engine-full");
    assert_eq!(disk.files(), before);
    assert!(!folder.path("c.json").exists());
    let seen = folder.run(&format!("inspect {} --json", table("safe", &path)));
    assert_eq!(code(&seen), "no-such-table");
    // A new file, from elsewhere.
    let run = folder.run(&format!(
        "anonymize {} {JOB} -o {}",
        file.table("people"),
        table("safe", &disk.0.join("new.db"))
    ));
    assert_eq!(code(&run), "engine-full");
    assert_eq!(disk.files(), before);
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_on_a_full_disk_undoes_what_it_wrote() {
    let server: &'static _ = Box::leak(Box::new(super::postgres_server::Server::start()));
    let (folder, database) = (Folder::new(), super::postgres_server::Database::on(server));
    database.sql(
        "CREATE TABLE people AS SELECT g % 5 AS age, (ARRAY['flu', 'cold'])[1 + g % 2] AS disease, md5(g::text) AS note \
         FROM generate_series(1, 60000) g",
    );
    let disk = SmallDisk::mount(&server.folder().join("small"), 3);
    if nix::unistd::Uid::effective().is_root() {
        assert!(as_root("chown", &["postgres"], &disk.0));
    }
    database.sql(&format!(
        "CREATE TABLESPACE small LOCATION '{}'",
        disk.0.display()
    ));
    let name = database.sql("SELECT current_database()");
    let settings = ["default_tablespace", "temp_tablespaces"];
    for setting in settings {
        database.sql(&format!(
            "ALTER DATABASE {} SET {setting} = small",
            name.trim()
        ));
    }
    let before = (database.relations(), disk.files());
    folder.write(
        "people.csv",
        "age,disease,note\n".to_owned()
            + &"1,flu,0123456789abcdef0123456789abcdef\n".repeat(60_000),
    );
    for source in [database.table("people"), "people.csv".into()] {
        let run = folder.run(&format!(
            "anonymize {source} {JOB} -o {}",
            database.table("safe")
        ));
        assert_eq!(code(&run), "engine-full", "{source}");
        assert!(!folder.path("c.json").exists());
        assert_eq!(database.relations(), before.0, "{source}");
    }
    // Empty files go with the next checkpoint.
    database.sql("CHECKPOINT");
    assert_eq!(disk.files(), before.1);
    for setting in settings {
        database.sql(&format!("ALTER DATABASE {} RESET {setting}", name.trim()));
    }
    folder
        .run(&format!(
            "anonymize {} {JOB} -o {}",
            database.table("people"),
            database.table("safe")
        ))
        .ends_with(0);
}

#[cfg(feature = "spark")]
#[test]
fn sail_on_a_full_disk_copies_nothing_and_names_the_directory_that_may_be_left() {
    let server: &'static _ = Box::leak(Box::new(super::spark_server::Server::sail(&[])));
    let (folder, session) = (Folder::new(), super::spark_server::Session::on(server));
    session.run(
        "CREATE TABLE people AS SELECT id % 5 AS age, CASE id % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS disease, \
         concat(md5(CAST(id AS STRING)), md5(CAST(id + 1 AS STRING))) AS note FROM range(60000)",
    );
    let disk = SmallDisk::mount(&folder.path("small"), 1);
    let target = session.table("x").replace("table=x", "");
    let target = format!("{target}path={}/safe&format=parquet", disk.0.display());
    let run = folder.run(&format!(
        "anonymize {} {JOB} -o {target}",
        session.table("people")
    ));
    assert_eq!(code(&run), "path-unfinished", "{}", run.stderr);
    let message = run.json()["error"]["message"].to_string();
    assert!(message.contains("no space left"), "{message}");
    assert!(!folder.path("c.json").exists());
    assert_eq!(session.relations(), "people\n");
    assert!(message.contains("without any row"), "{message}");
    assert_eq!(disk.bytes(), 0, "{:?}", disk.files());
    // The directory may be of somebody else, so it stays and is named.
    let place = disk.0.join("safe");
    let named = place.display().to_string();
    assert!(run.stdout.contains(&named), "{}", run.stdout);
    let hint = run.json()["error"]["hint"].to_string();
    assert!(hint.contains("remove the empty directory"), "{hint}");
    // What the hint says helps, once there is room.
    let _ = std::fs::remove_dir(&place);
    session
        .run("CREATE TABLE few AS SELECT age, disease, note FROM people WHERE age < 2 LIMIT 100");
    let few = format!("anonymize {} {JOB} -o {target}", session.table("few"));
    folder.run(&few).ends_with(0);
}

#[cfg(feature = "spark")]
#[test]
fn sail_on_a_full_disk_leaves_no_part_of_a_draft() {
    let server: &'static _ = Box::leak(Box::new(super::spark_server::Server::sail(&[])));
    let (folder, session) = (Folder::new(), super::spark_server::Session::on(server));
    let disk = SmallDisk::mount(&server.folder().join("spark-warehouse"), 1);
    let people = "CREATE VIEW people AS SELECT id % 5 AS age, CASE id % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS disease, concat(md5(CAST(id AS STRING)), \
                  md5(CAST(id + 1 AS STRING))) AS note FROM range(60000)";
    session.run(people);
    let run = folder.run(&format!(
        "anonymize {} {JOB} -o {}",
        session.table("people"),
        session.table("safe")
    ));
    assert_eq!(code(&run), "engine-full", "{}", run.stdout);
    assert!(!folder.path("c.json").exists());
    assert_eq!(session.relations(), "people\n");
    assert_eq!(disk.bytes(), 0, "{:?}", disk.files());
}
