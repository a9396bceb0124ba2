//! A release has the same bytes whether its rows are read again or written from the few different ones that were counted.

use fastrand::Rng;
use incrowd_job::{Control, Job, Show, anonymize};
use std::path::Path;

/// A table with few different rows, and some cells that need care: quotes, tokens for missing cells, empty cells.
fn table(rng: &mut Rng) -> String {
    let ages = ["31", "32", "33", "34", "", "?"];
    let areas = ["north", "\"up, north\"", "south", "n/a"];
    let ills = ["flu", "cold", "\"a \"\"rare\"\" one\"", "?"];
    let notes = ["", "seen", "\"seen\"", "=1+1", "\"two\nlines\""];
    let mut text = String::from("name,age,area,note,ill\n");
    for row in 0..rng.usize(200..3000) {
        let of = |rng: &mut Rng, cells: &[&'static str]| cells[rng.usize(0..cells.len())];
        text += &format!(
            "P{row},{},{},{},{}",
            of(rng, &ages),
            of(rng, &areas),
            of(rng, &notes),
            of(rng, &ills)
        );
        text += ["\n", "\r\n", "\n\n"][rng.usize(0..10).min(3) % 3];
    }
    text
}

fn job(rng: &mut Rng, folder: &Path, output: &str) -> Job {
    let others = ["drop", "keep"][rng.usize(0..2)];
    let suppressed = ["drop", "star"][rng.usize(0..2)];
    let missing = ["own-value", "match-any", "exclude-row"][rng.usize(0..3)];
    let guarded = rng.usize(0..4) == 0;
    let text = format!(
        "[data]\npath = {:?}\nmissing_cells = \"{missing}\"\nmissing_tokens = [\"?\"]\n\
         [columns]\nidentifying = [\"name\"]\nquasi_identifiers = [\"age\", \"area\"]\nsensitive = [\"ill\"]\n\
         others = \"{others}\"\n[privacy]\nmodels = [\"k-anonymity(k={})\"]\nmax_suppressed = \"90%\"\n\
         [output]\npath = {:?}\ncertificate = {:?}\nsuppressed = \"{suppressed}\"\nspreadsheet_safe = {guarded}\n",
        folder.join("table.csv"),
        rng.usize(2..80),
        folder.join(output),
        folder.join("certificate.json"),
    );
    Job::parse(&text).unwrap()
}

#[test]
fn rows_read_again_and_rows_written_from_counts_are_the_same() {
    for seed in 0..16 {
        let rng = &mut Rng::with_seed(seed);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.csv"), table(rng)).unwrap();
        let output = ["release.csv", "release.tsv", "release.csv.gz"][rng.usize(0..3)];
        let mut job = job(rng, folder.path(), output);
        let mut run = |threads: usize, limit: Option<&str>| {
            job.search.threads = Some(threads);
            job.search.memory_limit = limit.map(|limit| limit.parse().unwrap());
            anonymize(&job, Show::default(), &Control::default()).unwrap();
            let read = |name| std::fs::read(folder.path().join(name)).unwrap();
            (read(output), read("certificate.json"))
        };
        // With a limit nothing is kept of the rows, so that all of them are read again.
        let (expected, _) = run(1, Some("1G"));
        let (written, certificate) = run(1, None);
        assert_eq!(written, expected, "seed {seed}");
        for threads in [2, 3, 8] {
            let case = format!("seed {seed}, {threads} threads");
            assert_eq!(run(threads, Some("1G")).0, expected, "{case}");
            assert_eq!(
                run(threads, None),
                (expected.clone(), certificate.clone()),
                "{case}"
            );
        }
    }
}

/// So many rows that the thread that writes has to wait for the one that hashes what it writes, where both are optimized: in a
/// build for tests it is too slow for that.
#[test]
fn many_rows_are_the_same_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let rng = &mut Rng::with_seed(7);
    let mut text = String::from("age,area,note,ill\n");
    for _ in 0..300_000 {
        let (age, area, ill) = (rng.usize(31..35), rng.usize(0..4), rng.usize(0..4));
        text += &format!("{age},{area},{:60},ill {ill}\n", "a note");
    }
    let table = folder.path().join("table.csv");
    std::fs::write(&table, &text).unwrap();
    let job = format!(
        "[data]\npath = {table:?}\n[columns]\nquasi_identifiers = [\"age\", \"area\"]\nsensitive = [\"ill\"]\n\
         others = \"keep\"\n[privacy]\nmodels = [\"k-anonymity(k=20000)\"]\n\
         [hierarchies]\nage = \"interval:2,4\"\narea = \"suppress\"\n\
         [output]\npath = {:?}\ncertificate = {:?}\n",
        folder.path().join("release.csv"),
        folder.path().join("certificate.json"),
    );
    let mut job = Job::parse(&job).unwrap();
    let mut run = |threads: usize, limit: Option<&str>| {
        job.search.threads = Some(threads);
        job.search.memory_limit = limit.map(|limit| limit.parse().unwrap());
        anonymize(&job, Show::default(), &Control::default()).unwrap();
        let read = |name| std::fs::read(folder.path().join(name)).unwrap();
        (read("release.csv"), read("certificate.json"))
    };
    let (expected, _) = run(1, Some("1G"));
    assert!(
        expected.len() >= text.len(),
        "hashing the release takes longest"
    );
    let (written, certificate) = run(1, None);
    assert!(written == expected);
    for threads in [2, 3] {
        assert!(
            run(threads, None) == (expected.clone(), certificate.clone()),
            "{threads} threads"
        );
    }
}
