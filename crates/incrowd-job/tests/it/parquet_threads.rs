//! Jobs on Parquet files of many row groups: the same bytes, or the same error, whatever the number of threads.

use incrowd_job::{Control, Job, Show, anonymize};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const GROUPS: usize = 30;
const GROUP_ROWS: usize = 500;

/// People in row groups of a few hundred.
fn people() -> Vec<u8> {
    let rng = &mut fastrand::Rng::with_seed(3);
    let schema = "message schema { required binary age (UTF8); required binary sex (UTF8); required int64 pay; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_data_page_row_count_limit(90);
    let properties = Arc::new(properties.build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for _ in 0..GROUPS {
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
    std::fs::write(folder.path().join("people.parquet"), people()).unwrap();
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
    let mut damaged = people();
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
