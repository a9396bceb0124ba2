//! Jobs on Parquet files of many row groups: the same bytes, or the same error, whatever the number of threads.

use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_io::{Claims, ColumnType, Error, OutputFormat, RowSink, Sink, Written};
use incrowd_job::{AttachedSink, Control, Job, Phase, Progress, Show, Suppressed, anonymize};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const GROUPS: usize = 30;
const GROUP_ROWS: usize = 500;

/// People in so many row groups of a few hundred.
fn people(groups: usize) -> Vec<u8> {
    let rng = &mut fastrand::Rng::with_seed(3);
    let schema = "message schema { required binary age (UTF8); required binary sex (UTF8); required int64 pay; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_data_page_row_count_limit(90);
    let properties = Arc::new(properties.build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for _ in 0..groups {
        let mut group = writer.next_row_group().unwrap();
        for texts in [20..60, 1..3] {
            let texts: Vec<ByteArray> = (0..GROUP_ROWS)
                .map(|_| rng.u32(texts.clone()).to_string().as_str().into())
                .collect();
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&texts, None, None).unwrap();
            column.close().unwrap();
        }
        let pay: Vec<i64> = (0..GROUP_ROWS).map(|_| rng.i64(0..9) * 1000).collect();
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<Int64Type>();
        typed.write_batch(&pay, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn footer(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap()
}

fn job(folder: &Path, threads: usize) -> Job {
    let text = format!(
        "[data]\npath = {:?}\n[columns]\nquasi_identifiers = [\"age\", \"sex\"]\nsensitive = [\"pay\"]\n\
         [hierarchies]\nage = \"interval:5,10,20\"\nsex = \"suppress\"\n\
         [privacy]\nmodels = [\"k-anonymity(k=50)\"]\n[output]\npath = {:?}\n[search]\nthreads = {threads}\n",
        folder.join("people.parquet"),
        folder.join("out/release.parquet"),
    );
    Job::parse(&text).unwrap()
}

#[test]
fn many_row_groups_are_published_alike_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.parquet"), people(GROUPS)).unwrap();
    let mut alone = None;
    for threads in [1, 2, 4, 8] {
        let outcome = anonymize(
            &job(folder.path(), threads),
            Show::default(),
            &Control::default(),
        )
        .unwrap();
        assert_eq!(outcome.rows_in, (GROUPS * GROUP_ROWS) as u64);
        let written = std::fs::read(folder.path().join("out/release.parquet")).unwrap();
        let footer = footer(&folder.path().join("out/release.parquet"));
        assert_eq!(
            footer.metadata().file_metadata().num_rows() as u64,
            outcome.rows_in
        );
        let alone = alone.get_or_insert_with(|| written.clone());
        assert!(written == *alone, "{threads} threads");
    }
}

#[test]
fn a_damaged_row_group_in_the_middle_is_the_same_error_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    let mut damaged = people(GROUPS);
    std::fs::write(&path, &damaged).unwrap();
    let footer = footer(&path);
    let column = footer.metadata().row_group(GROUPS / 2).column(0);
    let (start, length) = column.byte_range();
    for byte in &mut damaged[start as usize + 20..(start + length) as usize] {
        *byte = 0xff;
    }
    std::fs::write(&path, damaged).unwrap();
    let errors = [1, 2, 4, 8].map(|threads| {
        let job = job(folder.path(), threads);
        let error = anonymize(&job, Show::default(), &Control::default()).unwrap_err();
        assert!(
            !folder.path().join("out").exists(),
            "{threads} threads left something"
        );
        format!("{error}: {error:?}")
    });
    assert!(errors[0].contains("BrokenParquet"), "{}", errors[0]);
    assert!(
        errors.iter().all(|error| *error == errors[0]),
        "{errors:#?}"
    );
}

/// A file, the most rows that came at once, and what happens before the first come.
struct AtOnce {
    file: Sink,
    most_rows: Arc<AtomicUsize>,
    at_first: Option<Box<dyn FnOnce() + Send>>,
}

impl AtOnce {
    fn create(path: &Path, at_first: Option<Box<dyn FnOnce() + Send>>) -> Self {
        let columns = ["age", "sex", "pay"].map(str::to_owned);
        let format = OutputFormat::Parquet;
        AtOnce {
            file: Sink::create(&Claims::default(), path, format, &columns).unwrap(),
            most_rows: Arc::default(),
            at_first,
        }
    }
}

impl RowSink for AtOnce {
    fn begin(&mut self, columns: &[String], types: Option<Vec<ColumnType>>) -> Result<(), Error> {
        self.file.begin(columns, types)
    }

    fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        if let Some(act) = self.at_first.take() {
            act();
        }
        self.most_rows
            .fetch_max(rows.rows().rows(), Ordering::Relaxed);
        self.file.write(rows)
    }

    fn finish(self: Box<Self>, confirmation: Confirmation) -> Result<Written, Error> {
        Box::new(self.file).finish(confirmation)
    }
}

#[test]
fn few_different_rows_are_recoded_once_and_not_read_again_row_group_by_row_group() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.parquet"), people(GROUPS)).unwrap();
    let mut written = Vec::new();
    for threads in [1, 2, 3, 4, 8] {
        for (limit, suppressed, rows_at_once) in [
            (None, Suppressed::Drop, 8192),
            // Nothing is kept of the rows.
            (Some("1G"), Suppressed::Drop, GROUP_ROWS),
            // Lists of texts lack the `*`.
            (None, Suppressed::Star, GROUP_ROWS),
        ] {
            let mut job = job(folder.path(), threads);
            let path = folder.path().join("attached.parquet");
            let sink = AtOnce::create(&path, None);
            let most_rows = Arc::clone(&sink.most_rows);
            job.output.path = None;
            job.output.suppressed = Some(suppressed);
            job.output.sink = Some(AttachedSink::new(sink));
            job.search.memory_limit = limit.map(|limit| limit.parse().unwrap());
            anonymize(&job, Show::default(), &Control::default()).unwrap();
            assert_eq!(most_rows.load(Ordering::Relaxed), rows_at_once);
            written.push(std::fs::read(path).unwrap());
        }
    }
    // Nothing is suppressed here.
    assert!(written.iter().all(|bytes| *bytes == written[0]));
}

fn change_a_byte(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

/// Changes a byte of a file when rows are about to be written.
struct Meddle(PathBuf);

impl Progress for Meddle {
    fn begin(&self, phase: Phase, _total: Option<u64>) {
        if phase == Phase::Write {
            change_a_byte(&self.0, 100);
        }
    }

    fn reach(&self, _done: u64) {}

    fn end(&self) {}
}

#[test]
fn a_file_that_has_changed_when_rows_are_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.parquet");
    // So long that what is read of it when it is opened again is elsewhere.
    let whole = people(10 * GROUPS);
    assert!(whole.len() > 400_000);
    for threads in [1, 2, 4] {
        for limit in [None, Some("1G")] {
            std::fs::write(&path, &whole).unwrap();
            let mut job = job(folder.path(), threads);
            job.search.memory_limit = limit.map(|limit| limit.parse().unwrap());
            let control = Control::new(Meddle(path.clone()));
            let error = anonymize(&job, Show::default(), &control).unwrap_err();
            assert_eq!(error.code(), "input-changed", "{threads} threads");
            assert!(!folder.path().join("out").exists(), "something was left");
        }
    }
    // Once the first rows were written, only who passes over the file can see it.
    for byte in [100, whole.len() / 2] {
        std::fs::write(&path, &whole).unwrap();
        let mut job = job(folder.path(), 1);
        let (input, release) = (path.clone(), folder.path().join("attached.parquet"));
        let act = move || change_a_byte(&input, byte);
        job.output.path = None;
        let sink = AtOnce::create(&release, Some(Box::new(act)));
        job.output.sink = Some(AttachedSink::new(sink));
        let error = anonymize(&job, Show::default(), &Control::default()).unwrap_err();
        assert_eq!(error.code(), "input-changed");
        assert!(!release.exists());
    }
}
