//! A job on Arrow record batches publishes what it publishes of the same table elsewhere, and columns keep their types.
#![cfg(feature = "arrow")]

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, Decimal128Array, DictionaryArray, Int32Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, TimeUnit};
use incrowd_io::{CsvOptions, RowReader, RowSource, Source};
use incrowd_job::{
    ArrowSink, ArrowTable, AttachedSink, AttachedTable, CertificateCheck, Control, Error, Job,
    MemorySink, MemoryTable, Outcome, Show, anonymize, make_release, verify_certificate,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const COLUMNS: [&str; 7] = ["name", "age", "zip", "illness", "visit", "cost", "children"];

/// Row by row, as a CSV file has them.
fn patients() -> Vec<[String; 7]> {
    let patient = |row: usize| {
        [
            format!("Person {row}"),
            (30 + row * 7 % 20).to_string(),
            format!("0501{}", row % 4),
            ["flu", "cold", "asthma"][row * row % 7 % 3].to_owned(),
            ["2024-02-29T12:00:00Z", "2024-03-01T08:30:00Z"][row % 2].to_owned(),
            ["12.50", "0.05"][row % 2].to_owned(),
            ["", "2"][row % 2].to_owned(),
        ]
    };
    (0..90).map(patient).collect()
}

/// The same rows in the types that such columns have, in batches of these sizes.
fn batches(sizes: &[usize]) -> ArrowTable {
    let rows = patients();
    let texts = |column: usize| rows.iter().map(move |row| row[column].as_str());
    let ages: Int32Array = texts(1).map(|age| age.parse::<i32>().ok()).collect();
    let zips: DictionaryArray<Int8Type> = texts(2).map(Some).collect();
    let visits = (0..rows.len()).map(|row| [1_709_208_000_000_000, 1_709_281_800_000_000][row % 2]);
    let costs = (0..rows.len()).map(|row| [1250, 5][row % 2]);
    let columns: [ArrayRef; 7] = [
        Arc::new(StringArray::from_iter_values(texts(0))),
        Arc::new(ages),
        Arc::new(zips),
        Arc::new(LargeStringArray::from_iter_values(texts(3))),
        Arc::new(TimestampMicrosecondArray::from_iter_values(visits).with_timezone("Europe/Oslo")),
        Arc::new(
            Decimal128Array::from_iter_values(costs)
                .with_precision_and_scale(9, 2)
                .unwrap(),
        ),
        Arc::new(
            texts(6)
                .map(|cell| cell.parse().ok())
                .collect::<Int64Array>(),
        ),
    ];
    let all = RecordBatch::try_from_iter(COLUMNS.into_iter().zip(columns)).unwrap();
    let mut start = 0;
    let parts = sizes.iter().map(|&size| {
        start += size;
        all.slice(start - size, size)
    });
    let table = ArrowTable::new(all.schema(), parts).unwrap();
    assert_eq!(start, rows.len());
    table
}

fn job() -> Job {
    let mut job = Job::default()
        .identifying(["name"])
        .quasi_identifiers(["age", "zip"])
        .sensitive(["illness"])
        .hierarchy("age", "interval:5,10,20")
        .promise("k-anonymity(k=6)")
        .max_suppressed("5%")
        .unwrap();
    job.columns.keep = Some(["visit", "cost", "children"].map(str::to_owned).to_vec());
    job
}

fn on(source: impl RowSource + 'static) -> Job {
    let mut job = job();
    job.data.table = Some(AttachedTable::new(source));
    job
}

fn run(job: &Job) -> Outcome {
    anonymize(job, Show::default(), &Control::default()).unwrap()
}

fn run_into_arrow(mut job: Job) -> (ArrowTable, Outcome) {
    let sink = ArrowSink::default();
    job.output.sink = Some(AttachedSink::new(sink.clone()));
    assert!(sink.release().is_none());
    let outcome = run(&job);
    (sink.release().unwrap(), outcome)
}

/// The columns and the cells.
fn cells(source: &dyn RowSource) -> Vec<Vec<String>> {
    let mut reader = source.open().unwrap();
    let mut found = vec![reader.columns().to_vec()];
    let mut batch = Default::default();
    while reader.read(&mut batch).unwrap() {
        for row in 0..batch.rows() {
            let cell = |column| String::from_utf8(batch.cell(row, column).to_vec()).unwrap();
            found.push((0..batch.columns()).map(cell).collect());
        }
    }
    found
}

/// All that an outcome says, but for what time and place add.
fn said(outcome: &Outcome) -> serde_json::Value {
    let mut said = serde_json::to_value(outcome).unwrap();
    let fields = said.as_object_mut().unwrap();
    for field in ["seconds", "peak_memory_bytes", "output"] {
        fields.remove(field);
    }
    assert!(fields.len() > 10);
    said
}

fn kinds(table: &ArrowTable) -> Vec<DataType> {
    let fields = table.schema().fields().iter();
    fields.map(|field| field.data_type().clone()).collect()
}

#[test]
fn a_csv_file_a_table_in_memory_and_record_batches_give_the_same_release_and_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut text = COLUMNS.join(",") + "\n";
    for row in patients() {
        text += &(row.join(",") + "\n");
    }
    std::fs::write(path("t.csv"), text).unwrap();
    let mut of_csv = job();
    of_csv.data.path = Some(path("t.csv"));
    of_csv.output.path = Some(path("o.csv"));
    let outcome = run(&of_csv);
    let release = cells(&Source::new(path("o.csv"), CsvOptions::default()));
    assert!(release.len() > 80 && outcome.levels.as_ref().unwrap()["age"] > 0);

    let sink = MemorySink::default();
    let mut of_memory = on(MemoryTable::new(COLUMNS, patients()).unwrap());
    of_memory.output.sink = Some(AttachedSink::new(sink.clone()));
    let in_memory = run(&of_memory);
    assert_eq!(cells(&sink.release().unwrap()), release);
    assert_eq!(said(&in_memory), said(&outcome));

    for sizes in [vec![90], vec![1, 0, 50, 39]] {
        for threads in [1, 3] {
            let mut of_batches = on(batches(&sizes));
            of_batches.search.threads = Some(threads);
            let (table, of_arrow) = run_into_arrow(of_batches);
            assert_eq!(cells(&table), release);
            assert_eq!(said(&of_arrow), said(&outcome));
            // What the certificate would name is the same release, wherever it is kept.
            let hash = |outcome: &Outcome| outcome.output.clone().unwrap().sha256;
            assert_eq!(hash(&of_arrow), hash(&in_memory));
            let hash = table.open().unwrap().fingerprint().unwrap();
            assert_eq!(of_arrow.output.unwrap().sha256, hash.to_string());
        }
    }
}

#[test]
fn columns_published_as_they_are_keep_their_types() {
    let stamp = |zone: &str| DataType::Timestamp(TimeUnit::Microsecond, Some(zone.into()));
    let text = DataType::Utf8;
    let label = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let (release, _) = run_into_arrow(on(batches(&[90])));
    let kept = [
        label.clone(),
        label.clone(),
        text.clone(),
        stamp("Europe/Oslo"),
        DataType::Decimal128(9, 2),
        DataType::Int64,
    ];
    assert_eq!(kinds(&release), kept);

    // Through Parquet, which knows no zones.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("o.parquet").to_str().unwrap().to_owned();
    let mut to_parquet = on(batches(&[90]));
    to_parquet.output.path = Some(path.clone());
    run(&to_parquet);
    let stored = Source::new(&path, CsvOptions::default());
    assert_eq!(cells(&stored), cells(&release));
    let mut again = Job::default()
        .quasi_identifiers(["age", "zip"])
        .sensitive(["illness"])
        .promise("k-anonymity(k=6)");
    again.columns.keep = job().columns.keep;
    again.data.table = Some(AttachedTable::new(stored));
    let (again, _) = run_into_arrow(again);
    let mut kept_again = kept.clone();
    kept_again[3] = stamp("UTC");
    assert_eq!(kinds(&again), kept_again);
    assert_eq!(cells(&again), cells(&release));

    // A table in memory has no types, and whole numbers are told by their texts.
    let (of_memory, _) = run_into_arrow(on(MemoryTable::new(COLUMNS, patients()).unwrap()));
    let mut found = vec![label.clone(), label];
    found.extend(vec![text.clone(); 3]);
    found.push(DataType::Int64);
    assert_eq!(kinds(&of_memory), found);

    let mut starred = on(batches(&[90]));
    starred.output.suppressed = Some(incrowd_job::Suppressed::Star);
    let (starred, _) = run_into_arrow(starred);
    assert_eq!(kinds(&starred), vec![text; 6]);
}

#[test]
fn a_job_that_fails_leaves_no_release() {
    let sink = ArrowSink::default();
    let mut impossible = on(batches(&[90])).promise("k-anonymity(k=91)");
    impossible.output.sink = Some(AttachedSink::new(sink.clone()));
    assert!(anonymize(&impossible, Show::default(), &Control::default()).is_err());
    assert!(sink.release().is_none());
}

/// A table that lacks its last row from the second time it is read.
#[derive(Debug)]
struct Shrinking(ArrowTable, AtomicBool);

impl RowSource for Shrinking {
    fn name(&self) -> String {
        self.0.name()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.0.bytes_total()
    }

    fn open(&self) -> Result<Box<dyn RowReader + Send>, incrowd_io::Error> {
        let batch = &self.0.batches()[0];
        match self.1.swap(true, Ordering::Relaxed) {
            false => self.0.open(),
            true => ArrowTable::new(batch.schema(), [batch.slice(0, 89)])?.open(),
        }
    }
}

#[test]
fn rows_that_are_not_the_rows_counted_are_never_handed_out() {
    let sink = ArrowSink::default();
    let mut changed = on(Shrinking(batches(&[90]), AtomicBool::new(false)));
    changed.output.sink = Some(AttachedSink::new(sink.clone()));
    let refused = anonymize(&changed, Show::default(), &Control::default());
    assert!(
        matches!(refused, Err(Error::InputChanged { .. })),
        "{refused:?}"
    );
    assert!(sink.release().is_none());
}

#[test]
fn a_release_in_memory_comes_with_its_certificate_and_pictures() {
    let sink = ArrowSink::default();
    let mut asked = on(batches(&[90]));
    asked.output.sink = Some(AttachedSink::new(sink.clone()));
    let nothing_more = make_release(&on(batches(&[90])), Show::default(), &Control::default());
    let nothing_more = nothing_more.unwrap();
    assert!(nothing_more.certificate.is_none() && nothing_more.pictures.is_empty());
    let show = Show {
        certificate: true,
        pictures: true,
        ..Show::default()
    };
    let made = make_release(&asked, show, &Control::default()).unwrap();
    let drawn: Vec<&str> = made.pictures.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(drawn, ["widths", "age", "zip"]);
    assert!(made.pictures.iter().all(|it| it.svg.starts_with("<svg")));

    // Tables at hand stand where a path would: the release as the table, its original by name.
    let mut given = Job::default().hierarchy("age", "interval:5,10,20");
    given.data.table = Some(AttachedTable::new(sink.release().unwrap()));
    let original = AttachedTable::new(batches(&[90]));
    given.data.tables.insert("raw".into(), original);
    let stated = made.certificate.unwrap();
    let check = |text: String| CertificateCheck {
        certificate: "at hand".into(),
        text: Some(text),
        original: Some("raw".into()),
        job: None,
    };
    let seen = verify_certificate(&given, &check(stated.to_json()), &Control::default()).unwrap();
    let verified = seen.certificate.unwrap();
    assert!(verified.holds, "{:?}", verified.mismatches);
    assert_eq!(seen.safe, Some(true));
    assert_eq!(seen.against_original.unwrap().invented, 0);
    let forged = stated.to_json().replace("k=6", "k=7");
    let seen = verify_certificate(&given, &check(forged), &Control::default()).unwrap();
    assert!(!seen.certificate.unwrap().holds);
}
