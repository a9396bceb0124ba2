//! Pages of Parquet, read and written by their dictionaries, against what the parquet crate makes of them.
#![cfg(feature = "parquet")]

use crate::support::{WriteUnchanged, columns, read_source};
use incrowd_core::table::{CodedColumn, RowBatch, ValueList};
use incrowd_io::{Claims, ColumnType, CsvOptions, OutputFormat, RowSink, Sink, Source};
use parquet::basic::{Compression, Encoding, Repetition};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use std::path::Path;
use std::sync::Arc;

/// Cells as they are stored, none where a value is missing, and as they are read.
struct Cells<T: DataType> {
    stored: Vec<Option<T::T>>,
    texts: Vec<String>,
}

impl<T: DataType> Cells<T> {
    fn draw(
        rows: usize,
        distinct: u32,
        missing: f64,
        rng: &mut fastrand::Rng,
        value: impl Fn(u32) -> (T::T, String),
    ) -> Self {
        let (mut stored, mut texts) = (Vec::new(), Vec::new());
        while stored.len() < rows {
            let (value, text) = value(rng.u32(0..distinct));
            let is_missing = rng.f64() < missing;
            // Equal values in a row make runs.
            for _ in 0..[1, 1, 1, 5, 40][rng.usize(0..5)].min(rows - stored.len()) {
                stored.push((!is_missing).then(|| value.clone()));
                texts.push(if is_missing {
                    String::new()
                } else {
                    text.clone()
                });
            }
        }
        Cells { stored, texts }
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, piece: usize) {
        let mut column = group.next_column().unwrap().unwrap();
        for cells in self.stored.chunks(piece) {
            let values: Vec<T::T> = cells.iter().flatten().cloned().collect();
            let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
            let typed = column.typed::<T>();
            typed.write_batch(&values, Some(&levels), None).unwrap();
        }
        column.close().unwrap();
    }
}

/// A way to store a column.
fn properties(rng: &mut fastrand::Rng) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_writer_version(match rng.bool() {
            true => WriterVersion::PARQUET_1_0,
            false => WriterVersion::PARQUET_2_0,
        })
        .set_compression(match rng.bool() {
            true => Compression::SNAPPY,
            false => Compression::UNCOMPRESSED,
        })
        .set_dictionary_enabled(rng.u8(0..4) > 0)
        // Often so small that the column goes on without a dictionary.
        .set_dictionary_page_size_limit([64, 1000, 1 << 20][rng.usize(0..3)])
        .set_data_page_row_count_limit([7, 100, 5000][rng.usize(0..3)])
        .set_write_batch_size(rng.usize(1..200));
    if rng.u8(0..4) == 0 {
        let place = ColumnPath::new(vec!["text".into()]);
        properties = properties.set_column_encoding(place, Encoding::DELTA_LENGTH_BYTE_ARRAY);
    }
    properties.build()
}

#[test]
fn pages_are_read_alike_however_they_are_stored() {
    for seed in 0..24 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let repetition = match rng.bool() {
            true => Repetition::OPTIONAL,
            false => Repetition::REQUIRED,
        };
        let is_optional = repetition == Repetition::OPTIONAL;
        let missing = if is_optional {
            [0.0, 0.1, 1.0][rng.usize(0..3)]
        } else {
            0.0
        };
        let word = if is_optional { "optional" } else { "required" };
        let schema = format!(
            "message schema {{ {word} binary text (UTF8); {word} int64 number; {word} int32 day (DATE);
             {word} double share; }}"
        );
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let file_properties = Arc::new(properties(rng));
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, file_properties).unwrap();
        let mut expected: Vec<Vec<String>> = Vec::new();
        for _ in 0..rng.usize(1..4) {
            let rows = [1, 50, 3000, 9000][rng.usize(0..4)];
            let distinct = [1, 2, 30, 5000][rng.usize(0..4)];
            let texts: Cells<ByteArrayType> = Cells::draw(rows, distinct, missing, rng, |at| {
                let text = format!("wért-{at}");
                (ByteArray::from(text.as_str()), text)
            });
            let numbers: Cells<Int64Type> = Cells::draw(rows, distinct, missing, rng, |at| {
                let number = i64::from(at) - 10;
                (number, number.to_string())
            });
            let days: Cells<Int32Type> = Cells::draw(rows, distinct.min(28), missing, rng, |at| {
                (at as i32, format!("1970-01-{:02}", at + 1))
            });
            let shares: Cells<DoubleType> = Cells::draw(rows, distinct, missing, rng, |at| {
                let share = f64::from(at) + 0.5;
                (share, share.to_string())
            });
            let mut group = writer.next_row_group().unwrap();
            let piece = rng.usize(1..500);
            texts.write(&mut group, piece);
            numbers.write(&mut group, piece);
            days.write(&mut group, piece);
            shares.write(&mut group, piece);
            group.close().unwrap();
            let columns = [texts.texts, numbers.texts, days.texts, shares.texts];
            expected
                .extend((0..rows).map(|row| columns.each_ref().map(|it| it[row].clone()).to_vec()));
        }
        let bytes = writer.into_inner().unwrap();
        let read =
            read_source(&Source::spooled(&bytes[..], CsvOptions::default()).unwrap()).unwrap();
        assert_eq!(read.rows.len(), expected.len(), "seed {seed}");
        for (row, (read, expected)) in read.rows.iter().zip(&expected).enumerate() {
            assert_eq!(read, expected, "seed {seed}, row {row}");
        }
    }
}

/// Every cell as the parquet crate reads it, a missing one empty.
fn read_by_crate(path: &Path) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap());
    let cell = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Long(number) => number.to_string(),
        other => panic!("not written: {other}"),
    };
    rows.map(|row| {
        row.get_column_iter()
            .map(|(_, field)| cell(field))
            .collect()
    })
    .collect()
}

fn write(path: &Path, batches: &[RowBatch], threads: usize) -> String {
    let names = columns(&["few", "many", "number"]);
    let claims = Claims::default();
    let mut sink = Sink::create(&claims, path, OutputFormat::Parquet, &names).unwrap();
    sink.use_threads(threads);
    let types = vec![ColumnType::TEXT, ColumnType::TEXT, ColumnType::INTEGER];
    sink.begin(&names, Some(types)).unwrap();
    batches.iter().for_each(|batch| sink.put(batch).unwrap());
    sink.done().unwrap().sha256.to_string()
}

#[test]
fn what_is_written_is_what_the_parquet_crate_reads_whatever_the_threads_and_the_batches() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..20 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let rows = [1, 2, 9, 1000, 40_000][rng.usize(0..5)];
        let missing = [0.0, 0.2, 1.0][rng.usize(0..3)];
        let few: Cells<ByteArrayType> = Cells::draw(rows, 7, missing, rng, |at| {
            let text = format!("[{at}-{}]", at + 5);
            (ByteArray::from(text.as_str()), text)
        });
        let many: Cells<ByteArrayType> = Cells::draw(rows, u32::MAX, missing, rng, |at| {
            let text = format!("ü{at}");
            (ByteArray::from(text.as_str()), text)
        });
        let number: Cells<Int64Type> = Cells::draw(rows, 100, missing, rng, |at| {
            let number = i64::from(at) - 50;
            (number, number.to_string())
        });
        let cells = [&few.texts, &many.texts, &number.texts];
        let expected: Vec<Vec<String>> = (0..rows)
            .map(|row| cells.map(|column| column[row].clone()).to_vec())
            .collect();
        let size = rng.usize(1..=rows);
        let starts = || (0..rows).step_by(size);
        let texts: Vec<RowBatch> = starts()
            .map(|start| {
                let mut batch = RowBatch::new(3);
                let rows = expected[start..rows.min(start + size)].iter().flatten();
                rows.for_each(|cell| batch.push_cell(cell.as_bytes()));
                batch
            })
            .collect();
        // The same with every text once, in an order of its own.
        let coded: Vec<RowBatch> = starts()
            .map(|start| {
                let mut batch = RowBatch::new(3);
                let columns = cells.map(|column| {
                    let column = &column[start..rows.min(start + size)];
                    let mut texts: Vec<&str> = column.iter().map(String::as_str).collect();
                    texts.sort_unstable();
                    texts.dedup();
                    let code = |cell: &String| texts.binary_search(&cell.as_str()).unwrap() as u32;
                    CodedColumn {
                        codes: column.iter().map(code).collect(),
                        values: Arc::new(texts.iter().copied().collect::<ValueList>()),
                    }
                });
                batch.set_coded(columns.into());
                batch
            })
            .collect();
        let path = folder.path().join("t.parquet");
        let hash = write(&path, &texts, 1);
        assert_eq!(read_by_crate(&path), expected, "seed {seed}");
        let source = Source::new(&path, CsvOptions::default());
        assert_eq!(read_source(&source).unwrap().rows, expected, "seed {seed}");
        for threads in [1, 2, 4, 8] {
            assert_eq!(
                write(&path, &coded, threads),
                hash,
                "seed {seed}, {threads} threads"
            );
        }
        assert_eq!(read_by_crate(&path), expected, "seed {seed}");
    }
}

#[test]
fn a_dictionary_is_written_with_the_least_and_the_greatest_of_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut batch = RowBatch::new(3);
    for row in 0..100 {
        batch.push_cell(["b", "", "ü", "a"][row % 4].as_bytes());
        batch.push_cell(b"one");
        batch.push_cell(["-3", "12", ""][row % 3].as_bytes());
    }
    write(&path, &[batch], 1);
    let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
    let group = reader.metadata().row_group(0);
    let of = |at: usize| {
        let column = group.column(at);
        assert!(column.dictionary_page_offset().is_some());
        let statistics = column.statistics().unwrap();
        let bytes = |bytes: Option<&[u8]>| bytes.unwrap().to_vec();
        (
            bytes(statistics.min_bytes_opt()),
            bytes(statistics.max_bytes_opt()),
            statistics.null_count_opt().unwrap(),
        )
    };
    assert_eq!(of(0), (b"a".to_vec(), "ü".as_bytes().to_vec(), 25));
    assert_eq!(of(1), (b"one".to_vec(), b"one".to_vec(), 0));
    let number = |number: i64| number.to_le_bytes().to_vec();
    assert_eq!(of(2), (number(-3), number(12), 33));
}
