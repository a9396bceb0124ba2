//! The table changes between the pass that counts and the pass that writes: refused, nothing left behind, whether its rows are
//! read again or only its bytes.

use incrowd_job::{Control, Error, Job, Phase, Progress, Show, anonymize};
use std::path::{Path, PathBuf};

const TABLE: &str = "\
name,age,sex
Ann,34,f
Bob,34,m
Cid,35,f
Dan,35,m
";

/// Does something to the table when a phase begins.
struct Meddle<F> {
    at: Phase,
    act: F,
}

impl<F: Fn() + Send + Sync> Progress for Meddle<F> {
    fn begin(&self, phase: Phase, _total: Option<u64>) {
        if phase == self.at {
            (self.act)();
        }
    }

    fn reach(&self, _done: u64) {}

    fn end(&self) {}
}

fn job(folder: &Path) -> Job {
    let text = format!(
        "[data]\npath = {:?}\n[columns]\nquasi_identifiers = [\"age\", \"sex\"]\nothers = \"drop\"\n\
         [privacy]\nmodels = [\"k-anonymity(k=2)\"]\n[output]\npath = {:?}\ncertificate = {:?}\n",
        folder.join("table.csv"),
        folder.join("out/release.csv"),
        folder.join("out/certificate.json"),
    );
    Job::parse(&text).unwrap()
}

/// Runs the job while `act` is done to the table at the start of a phase; the job must be refused.
#[track_caller]
fn refused_when(at: Phase, act: impl Fn(&Path) + Send + Sync + Clone + 'static) {
    // With a limit nothing is kept of the rows, so that all of them are read again.
    for (threads, limit) in [1, 2, 4].map(|it| [(it, None), (it, Some("1G"))]).concat() {
        let folder = tempfile::tempdir().unwrap();
        let table: PathBuf = folder.path().join("table.csv");
        std::fs::write(&table, TABLE).unwrap();
        std::fs::create_dir(folder.path().join("out")).unwrap();
        let mut job = job(folder.path());
        job.search.threads = Some(threads);
        job.search.memory_limit = limit.map(|limit| limit.parse().unwrap());
        let act = act.clone();
        let control = Control::new(Meddle {
            at,
            act: move || act(&table),
        });
        let error = anonymize(&job, Show::default(), &control).unwrap_err();
        assert!(matches!(error, Error::InputChanged { .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            "the input changed between the two passes"
        );
        let left = std::fs::read_dir(folder.path().join("out"))
            .unwrap()
            .count();
        assert_eq!(left, 0, "something was left behind");
    }
}

fn replace(with: &'static str) -> impl Fn(&Path) + Send + Sync + Clone {
    move |path| std::fs::write(path, with).unwrap()
}

#[test]
fn an_unchanged_table_is_published() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("table.csv"), TABLE).unwrap();
    std::fs::create_dir(folder.path().join("out")).unwrap();
    anonymize(&job(folder.path()), Show::default(), &Control::default()).unwrap();
    assert!(folder.path().join("out/release.csv").is_file());
}

#[test]
fn the_table_is_deleted() {
    refused_when(Phase::Solve, |path| std::fs::remove_file(path).unwrap());
    refused_when(Phase::Write, |path| std::fs::remove_file(path).unwrap());
}

#[test]
fn the_table_is_emptied() {
    refused_when(Phase::Solve, replace(""));
    refused_when(Phase::Write, replace("name,age,sex\n"));
}

#[test]
fn a_row_is_added() {
    refused_when(
        Phase::Solve,
        replace("name,age,sex\nAnn,34,f\nBob,34,m\nCid,35,f\nDan,35,m\nEve,35,f\n"),
    );
}

#[test]
fn a_row_is_lost() {
    refused_when(
        Phase::Solve,
        replace("name,age,sex\nAnn,34,f\nBob,34,m\nCid,35,f\n"),
    );
}

#[test]
fn a_value_nobody_has_counted_appears() {
    refused_when(
        Phase::Write,
        replace("name,age,sex\nAnn,34,f\nBob,34,m\nCid,35,f\nDan,99,m\n"),
    );
}

#[test]
fn rows_change_places() {
    refused_when(
        Phase::Write,
        replace("name,age,sex\nBob,34,m\nAnn,34,f\nCid,35,f\nDan,35,m\n"),
    );
}

#[test]
fn a_column_that_is_not_even_published_changes() {
    refused_when(
        Phase::Write,
        replace("name,age,sex\nAnn,34,f\nBob,34,m\nCid,35,f\nDot,35,m\n"),
    );
}

#[test]
fn the_columns_change() {
    refused_when(
        Phase::Write,
        replace("name,sex,age\nAnn,f,34\nBob,m,34\nCid,f,35\nDan,m,35\n"),
    );
}

#[test]
fn a_row_is_cut_short() {
    refused_when(Phase::Write, replace("name,age,sex\nAnn,34,f\nBob,3"));
}

#[test]
fn the_table_is_stored_in_another_way() {
    refused_when(Phase::Solve, replace("PAR1, or so it seems"));
    refused_when(Phase::Write, replace("PAR1"));
}

#[test]
fn the_table_becomes_a_folder() {
    refused_when(Phase::Write, |path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    });
}
