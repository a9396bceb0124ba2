//! Columns published as they are keep their types from Parquet to Parquet.

use incrowd_core::table::RowBatch;
use incrowd_io::{Claims, ColumnType, CsvOptions, OutputFormat, RowSink, Sink, Source};
use incrowd_job::{Control, Job, Show, anonymize};
use incrowd_testkit::unchanged;
use std::path::Path;

const TABLE: &str = "\
id,age,zip,income,score,disease
1,34,00115,100,1.5,flu
2,36,00115,,2.5,cold
3,34,00117,-300,1.5,flu
4,36,00117,9,2.5,cold
";

fn job(from: &Path, to: &Path, more: &str) -> Job {
    let mut job = Job::parse(&format!(
        "[columns]\nquasi_identifiers = [\"age\"]\nsensitive = [\"disease\"]\ntarget = [\"income\"]\nkeep = [\"id\", \"score\"]\nothers = \"keep\"\n[privacy]\nmodels = [\"k-anonymity(k=2)\"]\n[output]\n{more}\n"
    ))
    .unwrap();
    job.data.path = Some(from.to_str().unwrap().to_owned());
    job.output.path = Some(to.to_str().unwrap().to_owned());
    job
}

fn release(from: &Path, to: &Path, more: &str) -> Vec<ColumnType> {
    anonymize(&job(from, to, more), Show::default(), &Control::default()).unwrap();
    let reader = Source::new(to, CsvOptions::default()).open().unwrap();
    reader.types().unwrap()
}

#[test]
fn whole_numbers_of_a_csv_become_numbers_unless_they_are_generalized() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, out) = (folder.path().join("t.csv"), folder.path().join("o.parquet"));
    std::fs::write(&csv, TABLE).unwrap();
    let types = release(&csv, &out, "");
    let is_text: Vec<bool> = types.iter().map(|kind| *kind == ColumnType::TEXT).collect();
    // `age` is a quasi-identifier, `zip` has leading zeros, a fraction may be written in several ways.
    assert_eq!(is_text, [false, true, true, false, true, true]);
    let starred = release(&csv, &out, "suppressed = \"star\"");
    assert!(starred.iter().all(|kind| *kind == ColumnType::TEXT));
    for threads in [1, 2, 3, 8] {
        let again = folder.path().join("again.parquet");
        let mut job = job(&csv, &again, "");
        job.search.threads = Some(threads);
        anonymize(&job, Show::default(), &Control::default()).unwrap();
        release(&csv, &out, "");
        assert_eq!(std::fs::read(&again).unwrap(), std::fs::read(&out).unwrap());
    }
}

#[test]
fn one_cell_that_is_no_number_makes_a_column_text_whichever_thread_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, out) = (folder.path().join("t.csv"), folder.path().join("o.parquet"));
    // Some hundred kilobytes, so that every thread gets rows.
    const ROWS: usize = 50_000;
    let mut table = String::from("id,age,zip,income,score,disease\n");
    for row in 0..ROWS {
        let zip = if row == ROWS - 1 { "x" } else { "7" };
        let income = if row == ROWS / 2 { "5" } else { "" };
        let score = if row == 0 { "07" } else { "3" };
        table += &format!("{row},{},{zip},{income},{score},\n", 34 + row % 2);
    }
    std::fs::write(&csv, table).unwrap();
    let files = [1, 2, 3, 8].map(|threads| {
        let mut job = job(&csv, &out, "");
        job.search.threads = Some(threads);
        anonymize(&job, Show::default(), &Control::default()).unwrap();
        let types = Source::new(&out, CsvOptions::default()).open().unwrap();
        let types = types.types().unwrap();
        let is_text: Vec<bool> = types.iter().map(|kind| *kind == ColumnType::TEXT).collect();
        assert_eq!(is_text, [false, true, true, false, true, true], "{threads}");
        std::fs::read(&out).unwrap()
    });
    assert!(files.iter().all(|file| *file == files[0]));
}

#[test]
fn a_parquet_table_keeps_its_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("t.csv"), TABLE).unwrap();
    // A table of text and numbers, made from the CSV.
    let mut reader = Source::new(path("t.csv"), CsvOptions::default())
        .open()
        .unwrap();
    let (claims, names) = (Claims::default(), reader.columns().to_vec());
    let mut sink = Sink::create(&claims, path("t.parquet"), OutputFormat::Parquet, &names).unwrap();
    let (text, number) = (ColumnType::TEXT, ColumnType::INTEGER);
    let types = vec![
        text.clone(),
        number.clone(),
        text.clone(),
        number,
        text.clone(),
        text.clone(),
    ];
    sink.begin(&names, Some(types)).unwrap();
    let mut batch = Default::default();
    while reader.read(&mut batch).unwrap() {
        sink.write(&unchanged(&batch).0).unwrap();
    }
    let (_, confirmation) = unchanged(&RowBatch::new(1));
    Box::new(sink).finish(confirmation).unwrap();
    let stored = Source::new(path("t.parquet"), CsvOptions::default())
        .open()
        .unwrap()
        .types()
        .unwrap();
    let types = release(&path("t.parquet"), &path("o.parquet"), "");
    // `id` looks like a number and is stored as text: so it stays. `age` is a quasi-identifier.
    assert_eq!(
        types,
        [
            text.clone(),
            text.clone(),
            text.clone(),
            stored[3].clone(),
            text.clone(),
            text
        ]
    );
    let shuffled = release(&path("t.parquet"), &path("s.parquet"), "shuffle = true");
    assert_eq!(shuffled, types);
}
