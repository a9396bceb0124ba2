//! A release has the same bytes whether its rows are read again or written from the few different ones that were counted.

use fastrand::Rng;
use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_core::table::RowBatch;
use incrowd_io::{
    Claims, ColumnType, CsvEncoder, CsvOptions, EncodedRows, Error, OutputFormat, RowSink, Sink,
    Source, WorkBetween, Written,
};
use incrowd_job::{AttachedSink, Control, Job, Show, anonymize};
use incrowd_testkit::unchanged;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A table with few different rows, some of them rare, and some cells that need care: quotes, tokens for missing cells, empty cells.
fn table(rng: &mut Rng) -> String {
    let ages = ["31", "32", "33", "34", "", "?"];
    let areas = ["north", "\"up, north\"", "south", "n/a"];
    let ills = ["flu", "cold", "\"a \"\"rare\"\" one\"", "?"];
    let notes = ["", "seen", "\"seen\"", "=1+1", "\"two\nlines\""];
    let mut text = String::from("name,age,area,note,ill\n");
    for row in 0..rng.usize(200..3000) {
        let of = |rng: &mut Rng, cells: &[&'static str]| cells[rng.usize(0..cells.len())];
        let is_rare = rng.usize(0..200) == 0;
        text += &format!(
            "P{row},{},{},{},{}",
            if is_rare { "77" } else { of(rng, &ages) },
            of(rng, &areas),
            of(rng, &notes),
            of(rng, &ills)
        );
        text += ["\n", "\r\n", "\n\n"][rng.usize(0..10).min(3) % 3];
    }
    text
}

/// The same table as a Parquet file of text.
fn as_parquet(folder: &Path) {
    let source = Source::new(folder.join("table.csv"), CsvOptions::default());
    let mut reader = source.open().unwrap();
    let (claims, names) = (Claims::default(), reader.columns().to_vec());
    let path = folder.join("table.parquet");
    let mut sink = Sink::create(&claims, path, OutputFormat::Parquet, &names).unwrap();
    let mut batch = RowBatch::default();
    while reader.read(&mut batch).unwrap() {
        sink.write(&unchanged(&batch).0).unwrap();
    }
    let (_, confirmation) = unchanged(&RowBatch::new(1));
    Box::new(sink).finish(confirmation).unwrap();
}

fn job(rng: &mut Rng, folder: &Path, input: &str, output: &str) -> Job {
    let others = ["drop", "keep"][rng.usize(0..2)];
    let suppressed = ["drop", "star"][rng.usize(0..2)];
    let missing = ["own-value", "match-any", "exclude-row"][rng.usize(0..3)];
    let guarded = rng.usize(0..4) == 0 && !output.ends_with("parquet");
    let text = format!(
        "[data]\npath = {:?}\nmissing_cells = \"{missing}\"\nmissing_tokens = [\"?\"]\n\
         [columns]\nidentifying = [\"name\"]\nquasi_identifiers = [\"age\", \"area\"]\nsensitive = [\"ill\"]\n\
         others = \"{others}\"\n[privacy]\nmodels = [\"k-anonymity(k={})\"]\nmax_suppressed = \"90%\"\n\
         [output]\npath = {:?}\ncertificate = {:?}\nsuppressed = \"{suppressed}\"\nspreadsheet_safe = {guarded}\n",
        folder.join(input),
        rng.usize(2..80),
        folder.join(output),
        folder.join("certificate.json"),
    );
    Job::parse(&text).unwrap()
}

#[test]
fn rows_read_again_and_rows_written_from_counts_are_the_same() {
    for seed in 0..32 {
        let rng = &mut Rng::with_seed(seed);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.csv"), table(rng)).unwrap();
        as_parquet(folder.path());
        let input = ["table.csv", "table.parquet"][rng.usize(0..2)];
        let outputs = ["release.csv", "release.tsv", "release.csv.gz"];
        let output = *outputs.get(rng.usize(0..6)).unwrap_or(&"release.parquet");
        let mut job = job(rng, folder.path(), input, output);
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

#[cfg(feature = "arrow")]
#[test]
fn record_batches_are_the_same_whether_rows_are_read_again_or_not() {
    use incrowd_job::ArrowSink;
    let mut suppresses = 0;
    for seed in 0..16 {
        let rng = &mut Rng::with_seed(seed);
        let folder = tempfile::tempdir().unwrap();
        // With a number that is published as it is.
        let text = table(rng).replace(",ill\n", ",ill,visits\n");
        let (head, rows) = text.split_once('\n').unwrap();
        let with_number = |row: &str| format!("{row},{}", row.len() % 5);
        let is_whole = |row: &str| row.matches('"').count().is_multiple_of(2);
        let simple = |row: &&str| row.starts_with('P') && is_whole(row);
        let rows: Vec<String> = rows.lines().filter(simple).map(with_number).collect();
        std::fs::write(
            folder.path().join("table.csv"),
            format!("{head}\n{}\n", rows.join("\n")),
        )
        .unwrap();
        as_parquet(folder.path());
        let input = ["table.csv", "table.parquet"][rng.usize(0..2)];
        let mut job = job(rng, folder.path(), input, "release.parquet");
        job.output.path = None;
        job.output.certificate = None;
        let mut run = |threads: usize, limit: Option<&str>| {
            let sink = ArrowSink::default();
            job.output.sink = Some(AttachedSink::new(sink.clone()));
            job.search.threads = Some(threads);
            job.search.memory_limit = limit.map(|limit| limit.parse().unwrap());
            let outcome = anonymize(&job, Show::default(), &Control::default()).unwrap();
            suppresses += usize::from(outcome.rows_suppressed > 0);
            let release = sink.release().unwrap();
            // Schemas, arrays and dictionaries.
            format!("{:?} {:?}", release.schema(), release.batches())
        };
        let expected = run(1, Some("1G"));
        for threads in [1, 2, 3, 8] {
            assert_eq!(
                run(threads, None),
                expected,
                "seed {seed}, {threads} threads"
            );
        }
    }
    assert!(suppresses > 20, "{suppresses}");
}

/// A file to which something happens when it is asked whether its hash keeps up, and when it takes rows.
struct Troubled {
    file: Sink,
    is_behind: bool,
    asked: Box<dyn Fn() + Send>,
    takes: Takes,
    between: Option<WorkBetween>,
}

/// Called before rows are taken, with the work for whoever hashes them.
type Takes = Box<dyn FnMut(&mut Option<WorkBetween>) -> Result<(), Error> + Send>;

impl Troubled {
    /// The sink of a job with the columns of [`job_with_longer_rows`].
    fn attach(
        job: &mut Job,
        path: &Path,
        is_behind: bool,
        asked: Box<dyn Fn() + Send>,
        takes: Takes,
    ) {
        let columns = ["age", "note", "ill"].map(str::to_owned);
        let format = OutputFormat::of_path(path).unwrap();
        job.output.sink = Some(AttachedSink::new(Troubled {
            file: Sink::create(&Claims::default(), path, format, &columns).unwrap(),
            is_behind,
            asked,
            takes,
            between: None,
        }));
    }
}

impl RowSink for Troubled {
    fn begin(&mut self, columns: &[String], types: Option<Vec<ColumnType>>) -> Result<(), Error> {
        self.file.begin(columns, types)
    }

    fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        self.file.write(rows)
    }

    fn encoder(&self) -> Option<CsvEncoder> {
        self.file.encoder()
    }

    fn write_encoded(&mut self, rows: &mut EncodedRows) -> Result<(), Error> {
        (self.takes)(&mut self.between)?;
        self.file.write_encoded(rows)
    }

    fn is_behind(&self) -> Option<bool> {
        (self.asked)();
        Some(self.is_behind)
    }

    fn do_between(&mut self, work: WorkBetween) {
        self.between = Some(work);
    }

    fn finish(self: Box<Self>, confirmation: Confirmation) -> Result<Written, Error> {
        Box::new(self.file).finish(confirmation)
    }
}

/// A job on some rows in a folder, whose release has longer rows.
fn job_with_longer_rows(folder: &Path, rows: usize) -> Job {
    let rng = &mut Rng::with_seed(7);
    let mut text = String::from("age,note,ill\n");
    for _ in 0..rows {
        let (age, note, ill) = (rng.usize(31..35), rng.usize(0..9), rng.usize(0..4));
        text += &format!("{age},note {note},ill {ill}\n");
    }
    std::fs::write(folder.join("table.csv"), text).unwrap();
    let text = format!(
        "[data]\npath = {:?}\n[columns]\nquasi_identifiers = [\"age\"]\nsensitive = [\"ill\"]\nothers = \"keep\"\n\
         [privacy]\nmodels = [\"k-anonymity(k={})\"]\n[hierarchies]\nage = \"interval:2@31\"\n",
        folder.join("table.csv"),
        rows * 9 / 20,
    );
    Job::parse(&text).unwrap()
}

#[test]
fn rows_are_the_same_whoever_reads_the_input_again() {
    let folder = tempfile::tempdir().unwrap();
    // Some megabytes, so that threads meet.
    let mut job = job_with_longer_rows(folder.path(), 200_000);
    let [release, certificate] =
        ["release.csv", "certificate.json"].map(|name| folder.path().join(name));
    job.output.path = Some(release.display().to_string());
    job.output.certificate = Some(certificate.clone());
    let written = [1, 2, 3, 4, 8].map(|threads| {
        job.search.threads = Some(threads);
        anonymize(&job, Show::default(), &Control::default()).unwrap();
        [&release, &certificate].map(|path| std::fs::read(path).unwrap())
    });
    assert!(written[0][0].len() > 4_000_000);
    assert!(written.iter().all(|written_by| *written_by == written[0]));
}

#[test]
fn no_row_is_written_once_a_run_is_stopped_or_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job_with_longer_rows(folder.path(), 200_000);
    let release = folder.path().join("release.csv");
    for (threads, is_stopped) in [1, 2, 3, 4, 8]
        .into_iter()
        .flat_map(|n| [(n, true), (n, false)])
    {
        job.search.threads = Some(threads);
        let (control, times_taken) = (Arc::new(Control::default()), Arc::new(AtomicUsize::new(0)));
        let (stopped, counted) = (Arc::clone(&control), Arc::clone(&times_taken));
        let takes: Takes = Box::new(move |_| {
            if counted.fetch_add(1, Ordering::Relaxed) < 2 {
                return Ok(());
            }
            if is_stopped {
                stopped.cancel();
                return Ok(());
            }
            Err(Error::Write {
                path: "release.csv".into(),
                source: "the disk is full".into(),
            })
        });
        Troubled::attach(&mut job, &release, false, Box::new(|| ()), takes);
        let failed = anonymize(&job, Show::default(), &control).unwrap_err();
        let expected = if is_stopped { "cancelled" } else { "write" };
        assert_eq!(failed.code(), expected, "{threads}");
        assert_eq!(times_taken.load(Ordering::Relaxed), 3, "{threads}");
        assert!(!release.exists());
    }
}

#[test]
fn rows_are_the_same_if_the_input_is_read_again_while_they_wait() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table.csv");
    let mut job = job_with_longer_rows(folder.path(), 20_000);
    job.output.path = Some(folder.path().join("expected.csv").display().to_string());
    let expected = anonymize(&job, Show::default(), &Control::default()).unwrap();
    let expected = expected.output.unwrap().sha256;
    job.output.path = None;
    for (threads, helps) in [(1, false), (2, false), (3, false), (1, true), (2, true)] {
        job.search.threads = Some(threads);
        let release = folder.path().join(format!("release {threads}.csv"));
        let has_helped = Arc::new(AtomicBool::new(false));
        let mut run = |asked: Box<dyn Fn() + Send>| {
            let noted = Arc::clone(&has_helped);
            let takes: Takes = Box::new(move |between| {
                if let Some(work) = between.as_mut().filter(|_| helps) {
                    (0..1000).for_each(|_| work.do_part(u64::MAX));
                    noted.store(true, Ordering::Relaxed);
                }
                Ok(())
            });
            Troubled::attach(&mut job, &release, !helps, asked, takes);
            anonymize(&job, Show::default(), &Control::default())
        };
        let times = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&times);
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
        };
        let outcome = run(Box::new(count)).unwrap();
        assert_eq!(outcome.output.unwrap().sha256, expected, "{threads}");
        match helps {
            true => assert!(has_helped.load(Ordering::Relaxed), "{threads}"),
            // Once to decide, once before the rows, and once more for each part of the input if they wait for it.
            false => {
                let waits = times.load(Ordering::Relaxed) > 3;
                assert_eq!(
                    waits,
                    threads < 3,
                    "{threads} threads asked {times:?} times"
                );
            }
        }
        std::fs::remove_file(&release).unwrap();

        // The input changes once the first rows are to be written.
        let (path, is_changed) = (table.clone(), AtomicBool::new(false));
        let change = move || {
            if is_changed.swap(true, Ordering::Relaxed) {
                return;
            }
            let mut file = File::options().append(true).open(&path).unwrap();
            writeln!(file, "34,note 1,ill 1").unwrap();
        };
        let before = std::fs::read(&table).unwrap();
        let changed = run(Box::new(change)).unwrap_err();
        assert_eq!(changed.code(), "input-changed", "{threads}");
        assert!(!release.exists());
        std::fs::write(&table, before).unwrap();
    }
}
