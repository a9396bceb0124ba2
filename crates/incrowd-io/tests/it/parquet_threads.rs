//! Row groups of Parquet read by several threads, against one thread that reads from the first row to the last.
#![cfg(feature = "parquet")]

use crate::support::Rows;
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Error, RowsRead, Source};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use std::sync::{Arc, Mutex};

/// A file with row groups of many and of few rows, and pages of every kind.
fn file(seed: u64, groups: &[usize]) -> (Vec<u8>, Rows) {
    let rng = &mut fastrand::Rng::with_seed(seed);
    let schema = "message schema { required binary few (UTF8); optional binary many (UTF8); optional int64 number;
                  required binary other (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_writer_version(match rng.bool() {
            true => WriterVersion::PARQUET_1_0,
            false => WriterVersion::PARQUET_2_0,
        })
        .set_compression(Compression::SNAPPY)
        .set_dictionary_page_size_limit([1000, 1 << 20][rng.usize(0..2)])
        .set_data_page_row_count_limit([700, 20_000, 1 << 20][rng.usize(0..3)])
        // Not read by us, but by the parquet crate.
        .set_column_dictionary_enabled(ColumnPath::from("other"), false)
        .set_column_encoding(ColumnPath::from("other"), Encoding::DELTA_BYTE_ARRAY)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut expected = Rows::new();
    for &rows in groups {
        let mut group = writer.next_row_group().unwrap();
        let mut cells: Vec<Vec<String>> = Vec::new();
        let mut text = |distinct: u32, missing: f64| {
            let mut column = group.next_column().unwrap().unwrap();
            let (mut values, mut levels, mut texts) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..rows {
                let is_missing = rng.f64() < missing;
                let text = match is_missing {
                    true => String::new(),
                    false => format!("ü{}", rng.u32(0..distinct)),
                };
                levels.push(i16::from(!is_missing));
                values.extend((!is_missing).then(|| ByteArray::from(text.as_str())));
                texts.push(text);
            }
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
            cells.push(texts);
        };
        text(5, 0.0);
        text(100_000, 0.1);
        let numbers: Vec<i64> = (0..rows).map(|_| rng.i64(-50..50)).collect();
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<Int64Type>();
        typed
            .write_batch(&numbers, Some(&vec![1; rows]), None)
            .unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let others: Vec<String> = (0..rows).map(|_| format!("x{}", rng.u8(..))).collect();
        let values: Vec<ByteArray> = others.iter().map(|it| it.as_str().into()).collect();
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&values, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        cells.push(numbers.iter().map(i64::to_string).collect());
        cells.push(others);
        expected.extend((0..rows).map(|row| cells.iter().map(|it| it[row].clone()).collect()));
    }
    (writer.into_inner().unwrap(), expected)
}

fn rows_of(batch: &RowBatch) -> Rows {
    let text = |cell: &[u8]| std::str::from_utf8(cell).unwrap().to_owned();
    let row = |row| (0..batch.columns()).map(move |column| text(batch.cell(row, column)));
    (0..batch.rows()).map(|at| row(at).collect()).collect()
}

/// The rows before the first that cannot be read, and why it cannot.
type UntilError = (Rows, Option<String>);

fn read_in_order(source: &Source) -> UntilError {
    let (mut rows, mut batch) = (Rows::new(), RowBatch::default());
    let mut reader = match source.open() {
        Ok(reader) => reader,
        Err(error) => return (rows, Some(error.to_string())),
    };
    loop {
        match reader.read(&mut batch) {
            Ok(true) => rows.extend(rows_of(&batch)),
            Ok(false) => return (rows, None),
            Err(error) => return (rows, Some(error.to_string())),
        }
    }
}

/// The same by threads that take whichever part comes to hand.
fn read_by_threads(source: &Source, threads: usize, rng: &mut fastrand::Rng) -> UntilError {
    let mut reader = match source.open() {
        Ok(reader) => reader,
        Err(error) => return (Rows::new(), Some(error.to_string())),
    };
    let (mut unread, mut refused) = (Vec::new(), None);
    loop {
        let mut rows = RowsRead::default();
        match reader.read_ahead(&mut rows) {
            Ok(true) => unread.push((unread.len(), rows)),
            Ok(false) => break,
            Err(error) => {
                refused = Some(error.to_string());
                break;
            }
        }
    }
    let mut read: Vec<Option<Result<Rows, Error>>> = Vec::new();
    read.resize_with(unread.len(), || None);
    rng.shuffle(&mut unread);
    let (unread, read) = (Mutex::new(unread), Mutex::new(read));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some((number, mut rows)) = unread.lock().unwrap().pop() else {
                        return;
                    };
                    let result = rows.split().map(|batch| rows_of(batch));
                    read.lock().unwrap()[number] = Some(result);
                }
            });
        }
    });
    let mut rows = Rows::new();
    for part in read.into_inner().unwrap() {
        match part.unwrap() {
            Ok(part) => rows.extend(part),
            Err(error) => return (rows, Some(error.to_string())),
        }
    }
    (rows, refused)
}

#[test]
fn rows_come_in_order_whichever_thread_reads_them() {
    for seed in 0..4 {
        let (bytes, expected) = file(seed, &[30_000, 1, 0, 8192, 40, 20_000]);
        let source = Source::spooled(&bytes[..], CsvOptions::default()).unwrap();
        let (alone, error) = read_in_order(&source);
        assert!(alone == expected && error.is_none(), "seed {seed}");
        for threads in [1, 2, 4, 8] {
            let rng = &mut fastrand::Rng::with_seed(threads as u64);
            let (rows, error) = read_by_threads(&source, threads, rng);
            assert!(
                rows == expected && error.is_none(),
                "seed {seed}, {threads} threads"
            );
        }
    }
}

#[test]
fn a_damaged_page_in_the_middle_is_the_same_error_on_any_number_of_threads() {
    let (bytes, expected) = file(1, &[10_000, 40, 17_000]);
    let footer = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
    let pages = footer.metadata().row_groups().iter().flat_map(|group| {
        let place = |column: &parquet::file::metadata::ColumnChunkMetaData| column.byte_range();
        group.columns().iter().map(place).collect::<Vec<_>>()
    });
    let mut refused_late = 0;
    for (start, length) in pages.filter(|&(_, length)| length > 100) {
        let rng = &mut fastrand::Rng::with_seed(start);
        let mut damaged = bytes.clone();
        let at = (start + rng.u64(length / 2..length)) as usize;
        for byte in damaged.iter_mut().skip(at).take(40) {
            *byte = rng.u8(..);
        }
        let source = Source::spooled(&damaged[..], CsvOptions::default()).unwrap();
        let (rows, error) = read_in_order(&source);
        assert!(rows.len() <= expected.len());
        refused_late += usize::from(error.is_some() && !rows.is_empty());
        for threads in [1, 2, 4, 8] {
            let found = read_by_threads(&source, threads, rng);
            assert_eq!(found.1, error, "byte {at}, {threads} threads");
            assert!(found.0 == rows, "byte {at}, {threads} threads");
        }
    }
    assert!(refused_late > 3, "{refused_late} were refused after rows");
}
