//! Columns of a Parquet table that are written as they were read keep their types and every value.
#![cfg(feature = "parquet")]

use crate::support::{self, WriteUnchanged, batch, columns};
use incrowd_core::table::RowBatch;
use incrowd_io::{Claims, ColumnType, CsvOptions, Error, OutputFormat, RowSink, Sink, Source};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Row;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use std::path::Path;
use std::sync::Arc;

/// The schema and the rows of a file, as the parquet crate itself reads them.
fn stored(path: &Path) -> (Vec<Type>, Vec<Row>) {
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter().map(|field| (**field).clone());
    let rows = reader.get_row_iter(None).unwrap();
    (fields.collect(), rows.map(|row| row.unwrap()).collect())
}

/// Reads a table as text and writes it again.
fn copy(from: &Path, to: &Path) {
    let mut reader = Source::new(from, CsvOptions::default()).open().unwrap();
    let claims = Claims::default();
    let mut sink = Sink::create(&claims, to, OutputFormat::Parquet, reader.columns()).unwrap();
    sink.begin(&[], Some(reader.types().unwrap())).unwrap();
    let mut batch = RowBatch::default();
    while reader.read(&mut batch).unwrap() {
        sink.put(&batch).unwrap();
    }
    sink.done().unwrap();
}

/// A file with one column of a type, holding these values and a null.
pub(crate) fn one_column<T: DataType>(path: &Path, kind: &str, values: &[T::T]) {
    let schema = parse_message_type(&format!("message schema {{ optional {kind}; }}")).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let levels: Vec<i16> = values.iter().map(|_| 1).chain([0]).collect();
    let typed = column.typed::<T>();
    typed.write_batch(values, Some(&levels), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[track_caller]
fn comes_back<T: DataType>(kind: &str, values: &[T::T]) {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (
        folder.path().join("1.parquet"),
        folder.path().join("2.parquet"),
    );
    one_column::<T>(&first, kind, values);
    copy(&first, &second);
    let (first, second) = (stored(&first), stored(&second));
    assert_eq!(
        format!("{:?}", first.0),
        format!("{:?}", second.0),
        "{kind}"
    );
    assert_eq!(
        format!("{:?}", first.1),
        format!("{:?}", second.1),
        "{kind}"
    );
}

#[test]
fn every_type_comes_back_with_every_value() {
    let (least, most) = (i32::MIN, i32::MAX);
    comes_back::<BoolType>("boolean a", &[true, false]);
    comes_back::<Int32Type>("int32 a", &[0, -7, least, most]);
    comes_back::<Int32Type>("int32 a (INTEGER(8,true))", &[0, -7, 127]);
    comes_back::<Int32Type>("int32 a (INTEGER(32,false))", &[0, -1, least]);
    comes_back::<Int32Type>(
        "int32 a (DATE)",
        &[0, -1, 19_782, -719_528, -800_000, 3_000_000],
    );
    comes_back::<Int32Type>("int32 a (TIME(MILLIS,true))", &[0, 1, 86_399_999, 61_001]);
    comes_back::<Int32Type>("int32 a (DECIMAL(9,2))", &[0, -5, 105, -999_999_999]);
    let (least, most) = (i64::MIN, i64::MAX);
    comes_back::<Int64Type>("int64 a", &[0, -7, least, most]);
    comes_back::<Int64Type>("int64 a (INTEGER(64,false))", &[0, -1, least]);
    comes_back::<Int64Type>("int64 a (TIME(MICROS,false))", &[0, 1, 86_399_999_999]);
    comes_back::<Int64Type>("int64 a (TIME(NANOS,false))", &[0, 1, 86_399_999_999_999]);
    let times = [0, -1, 1, 1_709_210_096_123, -62_135_596_800_000];
    comes_back::<Int64Type>("int64 a (TIMESTAMP(MILLIS,true))", &times);
    comes_back::<Int64Type>("int64 a (TIMESTAMP(MILLIS,false))", &times);
    comes_back::<Int64Type>(
        "int64 a (TIMESTAMP(MICROS,true))",
        &[0, -1, 1_709_210_096_123_456],
    );
    comes_back::<Int64Type>("int64 a (TIMESTAMP(NANOS,false))", &[0, -1, least, most]);
    comes_back::<Int64Type>("int64 a (TIMESTAMP_MILLIS)", &times);
    comes_back::<Int64Type>("int64 a (DECIMAL(18,0))", &[0, -5, 999_999_999_999_999_999]);
    let day = |low, high, day| {
        let mut value = Int96::new();
        value.set_data(low, high, day);
        value
    };
    comes_back::<Int96Type>(
        "int96 a",
        &[
            day(500_000_000, 0, 2_440_589),
            day(0, 0, 2_440_000),
            day(1, 9, 2_460_000),
        ],
    );
    comes_back::<FloatType>(
        "float a",
        &[
            0.0,
            -0.0,
            0.1,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NAN,
        ],
    );
    comes_back::<DoubleType>(
        "double a",
        &[
            0.0,
            -0.0,
            0.1,
            39.0,
            1e300,
            5e-324,
            f64::NEG_INFINITY,
            f64::NAN,
        ],
    );
    comes_back::<ByteArrayType>("binary a (STRING)", &["x".into(), "Å".into(), "007".into()]);
    let bytes = |bytes: &[u8]| ByteArray::from(bytes.to_vec());
    comes_back::<ByteArrayType>(
        "binary a (DECIMAL(10,1))",
        &[
            bytes(&[0x85]),
            bytes(&[0, 0x80]),
            bytes(&[0]),
            bytes(&[0xff, 0x7f]),
        ],
    );
    let fixed = |bytes: &[u8]| FixedLenByteArray::from(bytes.to_vec());
    comes_back::<FixedLenByteArrayType>(
        "fixed_len_byte_array(3) a (DECIMAL(6,1))",
        &[
            fixed(&[0, 1, 0]),
            fixed(&[0xff, 0xff, 0x85]),
            fixed(&[0x80, 0, 1]),
        ],
    );
    comes_back::<FixedLenByteArrayType>(
        "fixed_len_byte_array(20) a (DECIMAL(30,5))",
        &[fixed(&[[0; 12], [7; 12]].concat()[4..])],
    );
    comes_back::<FixedLenByteArrayType>(
        "fixed_len_byte_array(16) a (UUID)",
        &[fixed(&[0xab; 16]), fixed(&[0; 16])],
    );
}

#[test]
fn whole_numbers_of_a_csv_can_be_stored_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let (claims, names) = (Claims::default(), columns(&["n", "code"]));
    let mut sink = Sink::create(&claims, &path, OutputFormat::Parquet, &names).unwrap();
    sink.begin(&[], Some(vec![ColumnType::INTEGER, ColumnType::TEXT]))
        .unwrap();
    sink.put(&batch(&[&["17", "007"], &["", ""], &["-5", "8"]]))
        .unwrap();
    sink.done().unwrap();
    let (fields, rows) = stored(&path);
    let kinds: Vec<String> = fields
        .iter()
        .map(|field| field.get_physical_type().to_string())
        .collect();
    assert_eq!(kinds, ["INT64", "BYTE_ARRAY"]);
    let rows: Vec<String> = rows.iter().map(Row::to_string).collect();
    assert_eq!(
        rows,
        [
            "{n: 17, code: \"007\"}",
            "{n: null, code: null}",
            "{n: -5, code: \"8\"}"
        ]
    );
}

#[test]
fn a_cell_that_is_not_of_the_type_of_its_column_is_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let (claims, names) = (Claims::default(), columns(&["a", "n"]));
    let mut sink = Sink::create(&claims, &path, OutputFormat::Parquet, &names).unwrap();
    sink.begin(&[], Some(vec![ColumnType::TEXT, ColumnType::INTEGER]))
        .unwrap();
    sink.put(&batch(&[&["x", "Grace"]])).unwrap();
    let error = sink.done().unwrap_err();
    assert!(
        matches!(error, Error::CellNotOfType { position: 2, .. }),
        "{error:?}"
    );
    assert!(!format!("{error} {:?} {}", error.place(), error.hint()).contains("Grace"));
    assert!(support::names(folder.path()).is_empty());
}
